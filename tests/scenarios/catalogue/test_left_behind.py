"""Right, but left something behind: UNCLEAN, which fails a run only under --strict."""

from __future__ import annotations

import pytest

from evidence.verdict import Verdict
from reference_relay.core.core import Core
from reference_relay.core.records import AppKey, Executor, ExecutorKey
from tests.scenarios.catalogue.playing import play


class KeepsSocketsOfNobody(Core):
    """Registers nothing from an unusable answer, and forgets about the connection."""

    def _handshake_due(self, conn: int) -> None:
        pass


class SurfacesForGood(Core):
    """Whoever was surfaced once is shown for ever."""

    def __init__(self, *args: object) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        self.shown: dict[AppKey, dict[str, Executor]] = {}

    def surfaced(self, app: AppKey) -> list[Executor]:
        known = self.shown.setdefault(app, {})
        known |= {each.info.executor_id: each for each in super().surfaced(app)}
        return list(known.values())

    def _put_executor(self, key: ExecutorKey, record: Executor | None) -> None:
        super()._put_executor(key, record)
        self.surfaced(key.application)


@pytest.mark.parametrize(
    ("broken", "id", "clause"),
    [
        (KeepsSocketsOfNobody, "HSK-4/no-usable-id/empty", "HSK-4"),
        (KeepsSocketsOfNobody, "HSK-4/no-usable-id/error-message", "HSK-4"),
        (SurfacesForGood, "REC-13/other-version/older", "REC-15"),
    ],
)
def test_what_is_left_behind_is_unclean(broken: type[Core], id: str, clause: str) -> None:
    assert play(id).clauses[clause] is Verdict.OK
    assert play(id, core=broken).clauses[clause] is Verdict.UNCLEAN
