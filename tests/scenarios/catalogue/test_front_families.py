"""Connection, handshake, envelope, message, API and robustness scenarios: complete, sound, and able to fail."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from conductor.codec import decode_envelope
from conductor.errors import DecodeError
from conductor.timing import DOCUMENTED, FAST, Timing
from evidence.verdict import Verdict
from reference_relay.core import events as ev
from reference_relay.core.core import Core
from reference_relay.core.records import CallState, Connection, ExecutorInfo, ExecutorKey, Pending
from scenarios import catalogue
from spec import claimed_clauses
from tests.scenarios.catalogue.playing import assert_killed, play

FAMILIES = ("CON", "HSK", "ENV", "API", "MSG", "ROB")
IN_VIRTUAL_TIME = [f"HSK-{n}" for n in range(2, 8)] + [f"ENV-{n}" for n in (1, 2, 3, 4, 5, 8)]
SIMULATED = [entry for entry in catalogue.select(world="simulated") if entry.family in FAMILIES]


@pytest.mark.parametrize("clause", [each.id for each in claimed_clauses() if each.family in FAMILIES])
def test_each_claimed_clause_has_a_scenario(clause: str) -> None:
    assert catalogue.select([clause])


@pytest.mark.parametrize("clause", IN_VIRTUAL_TIME)
def test_the_core_clauses_are_shown_in_virtual_time(clause: str) -> None:
    assert any("simulated" in entry.worlds for entry in catalogue.select([clause]))


@pytest.mark.parametrize("timing", [FAST, DOCUMENTED], ids=["fast", "documented"])
@pytest.mark.parametrize("id", [entry.id for entry in SIMULATED])
def test_the_reference_core_passes(id: str, timing: Timing) -> None:
    result = play(id, timing)
    assert set(result.clauses.values()) <= {Verdict.OK, Verdict.INFO}, [
        (each.clause, each.verdict, each.expected, each.seen) for each in result.findings if each.verdict != Verdict.OK
    ]


class ForgetsMetadata(Core):
    def _register(self, connection: Connection, info: ExecutorInfo) -> None:
        super()._register(connection, replace(info, metadata=None))


class WantsHostname(Core):
    def _register(self, connection: Connection, info: ExecutorInfo) -> None:
        if info.hostname is not None:
            super()._register(connection, info)


class InventsIds(Core):
    def _usable(self, data: bytes) -> ExecutorInfo | None:
        return super()._usable(data) or ExecutorInfo("invented", "v1", None, None, None, None)


class TakesAnyRequestId(Core):
    """What comes first answers what was asked first on the connection."""

    def _on_text(self, event: ev.Text) -> None:
        envelope = decode_envelope(event.data)
        outstanding = self._requests_on(event.conn)
        if outstanding and envelope.request_id != outstanding[0].request_id:
            self._settle(outstanding[0])
            self._answered(self.connections[event.conn], outstanding[0], event.data, envelope.error_message)
        else:
            super()._on_text(event)


class TakesAnyConnection(Core):
    """A request_id counts wherever it comes from."""

    def _on_text(self, event: ev.Text) -> None:
        pending = self.pending.get(decode_envelope(event.data).request_id or "")
        super()._on_text(event if pending is None else ev.Text(pending.conn, event.data))


class TakesErrorsForSuccess(Core):
    def _call_answered(self, pending: Pending, data: bytes, error_message: str | None) -> None:
        super()._call_answered(pending, data.replace(b'"error_message"', b'"ignored"'), None)


class TakesAnyType(Core):
    def _on_text(self, event: ev.Text) -> None:
        envelope = decode_envelope(event.data)
        pending = self.pending.get(envelope.request_id or "")
        if pending is not None and envelope.type != pending.type:
            self._settle(pending)
            retyped = event.data.replace(f'"{envelope.type}"'.encode(), f'"{pending.type}"'.encode())
            self._answered(self.connections[event.conn], pending, retyped, envelope.error_message)
        else:
            super()._on_text(event)


class ClosesOnStrays(Core):
    def _on_text(self, event: ev.Text) -> None:
        if decode_envelope(event.data).request_id not in self.pending:
            self._close(self.connections[event.conn], 1008, "unsolicited")
        else:
            super()._on_text(event)


class RegistersSilentConnections(Core):
    def _opened(self, event: ev.Opened) -> None:
        super()._opened(event)
        self._register(self.connections[event.conn], ExecutorInfo("executor-1", "v1", None, None, None, None))


class NeverClosesSilentConnections(Core):
    def _handshake_due(self, conn: int) -> None:
        pass


class LetsCallersWait(Core):
    """A lost request is told to its caller only when the whole call's time is over."""

    def _call_failed(self, pending: Pending, error: str) -> None:
        pass


class CountsPongs(Core):
    def _on_control(self, connection: Connection, event: ev.Pong | ev.Ping | ev.Progress) -> None:
        if isinstance(event, ev.Pong) and connection.last_frame_ns == self._now_ns:
            self._close(connection, 1002, "a pong too many")
        else:
            super()._on_control(connection, event)


class ServesNobodyAfterGarbage(Core):
    """One malformed frame, and no call of anybody is passed on any more."""

    spoiled = False

    def _on_malformed(self, connection: Connection, error: DecodeError) -> None:
        self.spoiled = True

    def _executor_for(self, call: CallState) -> ExecutorKey | None:
        return None if self.spoiled else super()._executor_for(call)


class OneCallAtATime(Core):
    """Who calls while another waits is told that nobody can answer."""

    def _executor_for(self, call: CallState) -> ExecutorKey | None:
        return None if self.pending else super()._executor_for(call)


class SendsNumbersAsIds(Core):
    def _encode(self, type_: str, request_id: str, fields: dict[str, object]) -> bytes:
        sent = super()._encode(type_, request_id, fields)
        return sent.replace(f'"{request_id}"'.encode(), b'"same"')


@pytest.mark.parametrize(
    ("broken", "id", "clause"),
    [
        (ForgetsMetadata, "HSK-2/reported-fields/python", "HSK-2"),
        (WantsHostname, "HSK-3/optional-fields/null", "HSK-3"),
        (InventsIds, "HSK-4/no-usable-id/empty", "HSK-4"),
        (InventsIds, "HSK-4/no-usable-id/error-message", "HSK-4"),
        (TakesAnyRequestId, "HSK-5/other-request-id/other", "HSK-5"),
        (RegistersSilentConnections, "HSK-6/never-answers/answers-pings", "HSK-6"),
        (NeverClosesSilentConnections, "HSK-6/never-answers/answers-pings", "HSK-9"),
        (RegistersSilentConnections, "HSK-7/no-api-requests", "HSK-7"),
        (SendsNumbersAsIds, "ENV-1/outstanding-ids", "ENV-1"),
        (TakesAnyRequestId, "ENV-2/order/reversed", "ENV-2"),
        (OneCallAtATime, "ENV-2/order/asked", "ENV-2"),
        (OneCallAtATime, "ENV-2/types-interleaved", "ENV-2"),
        (ServesNobodyAfterGarbage, "ENV-6/texts/after-handshake", "ENV-6"),
        (TakesErrorsForSuccess, "ENV-3/error-message/cancel-success-true", "ENV-3"),
        (TakesAnyConnection, "ENV-4/on-another-connection", "ENV-4"),
        (ClosesOnStrays, "ENV-4/unsolicited/get", "ENV-4"),
        (TakesAnyRequestId, "ENV-4/duplicate/changed", "ENV-4"),
        (ClosesOnStrays, "ENV-4/late", "ENV-4"),
        (TakesAnyType, "ENV-5/other-type/cancel-as-resume", "ENV-5"),
        (LetsCallersWait, "ENV-8/alone/rst", "ENV-8"),
        (LetsCallersWait, "ENV-8/alone/freeze", "ENV-8"),
        (CountsPongs, "ENV-10/doubled-pongs/twice", "ENV-10"),
    ],
)
def test_a_broken_core_fails_the_clause_that_it_breaks(broken: type[Core], id: str, clause: str) -> None:
    assert_killed(broken, id, clause, FAST)
