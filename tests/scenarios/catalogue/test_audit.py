"""The audit scenarios: complete, met by the reference at both timings, and able to refute a broken core."""

from __future__ import annotations

from typing import Any

import pytest

from conductor.timing import DOCUMENTED, FAST, Timing
from reference_relay.core import events as ev
from reference_relay.core.core import Core
from reference_relay.core.effects import Audit, Effect, Save
from reference_relay.core.records import ExecutorKey, Pending
from scenarios import catalogue
from tests.scenarios.catalogue.playing import assert_killed, assert_passes, simulated_ids


@pytest.mark.parametrize("clause", ["AUD-1", "AUD-2", "AUD-3", "AUD-5"])
def test_each_clause_is_shown_in_virtual_time(clause: str) -> None:
    assert any("simulated" in entry.worlds for entry in catalogue.select([clause]))


@pytest.mark.parametrize("timing", [FAST, DOCUMENTED], ids=["fast", "documented"])
@pytest.mark.parametrize("id", simulated_ids("AUD"))
def test_the_reference_passes(id: str, timing: Timing) -> None:
    assert_passes(id, timing)


class RecordsNoFailures(Core):
    def _audit(self, operation: str, key: ExecutorKey, *, success: bool = True, **details: Any) -> None:
        if success:
            super()._audit(operation, key, success=success, **details)


class RecordsNoSuccess(Core):
    def _audit_end(self, pending: Pending, result: str, error: str | None = None) -> None:
        if result != "success":
            super()._audit_end(pending, result, error)


class RecordsOneEndOnly(Core):
    """A late answer is nobody's business."""

    def _audit_end(self, pending: Pending, result: str, error: str | None = None) -> None:
        if result not in ("timeout", "late success"):
            super()._audit_end(pending, result, error)


class RecordsNoDeletion(Core):
    def _audit(self, operation: str, key: ExecutorKey, *, success: bool = True, **details: Any) -> None:
        if operation != "executor.delete":
            super()._audit(operation, key, success=success, **details)


class RecordsLater(Core):
    """Keeps its entries, and stores them with the next ones: a crash loses the last."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.kept: list[Effect] = []

    def handle(self, event: ev.Event, now_ns: int, now_ms: int = 0) -> list[Effect]:
        effects = super().handle(event, now_ns, now_ms)
        entries: list[Effect] = [effect for effect in effects if isinstance(effect, Audit)]
        others = [effect for effect in effects if not isinstance(effect, Audit)]
        due, self.kept = (self.kept, entries) if entries else ([], self.kept)
        return due + others


class SendsBeforeItRecords(Core):
    def handle(self, event: ev.Event, now_ns: int, now_ms: int = 0) -> list[Effect]:
        effects = super().handle(event, now_ns, now_ms)
        return sorted(effects, key=lambda effect: isinstance(effect, Audit | Save))


@pytest.mark.parametrize(
    ("broken", "id", "clause"),
    [
        (RecordsNoSuccess, "AUD-1/success", "AUD-1"),
        (RecordsNoFailures, "AUD-1/failure/refusal", "AUD-1"),
        (RecordsNoFailures, "AUD-1/failure/timeout", "AUD-1"),
        (RecordsNoFailures, "AUD-1/failure/peer-lost", "AUD-1"),
        (RecordsOneEndOnly, "AUD-1/late-success", "AUD-1"),
        (RecordsNoDeletion, "AUD-1/success", "AUD-2"),
        (RecordsNoDeletion, "AUD-2/each-deletion", "AUD-2"),
        (RecordsLater, "AUD-3/completed", "AUD-3"),
        (RecordsLater, "AUD-3/check-seen", "AUD-3"),
        (SendsBeforeItRecords, "AUD-5/before-the-frame", "AUD-5"),
    ],
)
def test_a_broken_core_fails_the_clause_that_it_breaks(broken: type[Core], id: str, clause: str) -> None:
    assert_killed(broken, id, clause)
