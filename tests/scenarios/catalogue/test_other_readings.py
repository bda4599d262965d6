"""Relays that read the documents otherwise than the reference, and lawfully: none of them gets a false alarm."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from conductor.timing import DOCUMENTED, Timing
from evidence.verdict import Verdict
from reference_relay.core.core import Core
from reference_relay.core.records import Connection
from scenarios import catalogue
from simulator.studies.readings import FromTheUnansweredPing
from tests.scenarios.catalogue.playing import REFUTED, play

EVERY_8_S = replace(DOCUMENTED, ping_interval_s=8.0)
EVERY_20_S = replace(DOCUMENTED, ping_interval_s=20.0)
"""The interval of the protocol page; the recovery page has 10 s."""

ALL = [entry.id for entry in catalogue.select(world="simulated")]
RECOVERY = [id for id in ALL if id.startswith(("LIV-", "REC-", "AUD-"))]


def alarms(id: str, timing: Timing, core: type[Core] | None) -> list[tuple[str, Verdict, str, str, str]]:
    """What is neither met nor merely measured."""
    calm = (Verdict.OK, Verdict.INFO)
    return [
        (each.clause, each.verdict, each.rule, each.expected, each.seen)
        for each in play(id, timing, core).findings
        if each.verdict not in calm
    ]


@pytest.mark.parametrize("id", RECOVERY)
def test_pings_every_8_s_and_the_wait_from_the_unanswered_ping(id: str) -> None:
    assert alarms(id, EVERY_8_S, FromTheUnansweredPing) == []


@pytest.mark.parametrize("core", [None, FromTheUnansweredPing], ids=["last-frame", "unanswered-ping"])
@pytest.mark.parametrize("id", RECOVERY)
def test_pings_every_20_s(id: str, core: type[Core] | None) -> None:
    assert alarms(id, EVERY_20_S, core) == []


class WaitsTwice(FromTheUnansweredPing):
    """So that the test above can fail: this is no reading of the documents any more."""

    def _silent_at_ns(self, connection: Connection) -> int:
        return super()._silent_at_ns(connection) + self._wait_ns


def test_a_wait_of_twice_the_length_is_no_other_reading() -> None:
    found = alarms("LIV-3/silent-socket", EVERY_8_S, WaitsTwice)
    assert [verdict for clause, verdict, *_ in found if clause == "LIV-3" and verdict in REFUTED] != []
