"""Whole scenarios in virtual time, judged by hand from their histories."""

from __future__ import annotations

import pytest

from evidence.events import Closed, Fault, Frame, Note, Poll, Refused, Relay, Seen
from evidence.history import History
from reference_relay.core import events
from reference_relay.core.core import Core
from reference_relay.core.effects import Effect
from scenarios import worlds
from scenarios.errors import UsageError
from scenarios.profile import Profile, RelaySection
from scenarios.world import Reply, Script, World
from simulator.clock import SECOND_NS
from simulator.errors import OutOfTime
from simulator.world import SimulatedSession, core_of, scenario_seed
from tests.simulator.playing import find, play

MS_NS = 1_000_000


def _changes(history: History, executor: str) -> list[tuple[str, int, int]]:
    """(status, asked of the last list without it, answer of the first list with it) of each change."""
    changes: list[tuple[str, int, int]] = []
    shown: tuple[Seen, ...] = ()
    status, asked_ns = "GONE", 0
    for poll in find(history, Poll, error=""):
        shown = shown if poll.same else poll.executors
        now = next((seen.status for seen in shown if seen.executor == executor), "GONE")
        if now != status:
            changes.append((now, asked_ns, poll.t))
        status, asked_ns = now, poll.asked
    return changes


async def _silent(world: World) -> None:
    app = await world.app()
    first, second = await world.executor(app), await world.executor(app)
    assert await world.until_status(first, "HEALTHY", within_s=5)
    assert await world.until_ping(first, within_s=25, count=2)
    await first.freeze()
    assert await world.until_status(first, "DISCONNECTED", within_s=60)
    assert await world.until_status(first, "DEAD", "GONE", within_s=70)
    frame = await world.until_frame(second, "recovery", within_s=5)
    assert frame is not None and frame["executor_ids"] == [first.id]
    assert await world.until_status(first, "GONE", within_s=5)


def test_a_silent_executor_is_disconnected_then_dead_then_recovered_by_its_peer_then_gone() -> None:
    history = play(_silent)
    assert history.footer.outcome == "complete"
    last_pong = find(history, Frame, conn=0, by="executor", op="pong")[-1]
    steps = _changes(history, "executor-1")
    assert [status for status, _, _ in steps] in (
        ["HEALTHY", "DISCONNECTED", "DEAD", "GONE"],
        ["HEALTHY", "DISCONNECTED", "GONE"],
    )
    _, low_ns, high_ns = steps[1]
    assert low_ns < last_pong.t + 25 * SECOND_NS + 2 * MS_NS < high_ns + 2 * MS_NS
    assert high_ns - low_ns < 10 * MS_NS, "the edge of the ping wait is looked at closely"
    [closed] = find(history, Closed, conn=0)
    assert (closed.by, closed.how) == ("relay", "close")
    [recovery] = [frame for frame in find(history, Frame, conn=1, by="relay", op="text") if "recovery" in frame.data]
    assert 0 <= recovery.t - (closed.t + 60 * SECOND_NS) < 50 * MS_NS


def test_a_frozen_executor_sends_nothing_until_it_is_thawed() -> None:
    async def scenario(world: World) -> None:
        app = await world.app()
        executor = await world.executor(app)
        await world.until_ping(executor, within_s=15)
        await executor.freeze()
        await world.sleep(15)
        await executor.thaw()
        assert await world.until_status(executor, "HEALTHY", within_s=1)

    history = play(scenario)
    [frozen], [thawed] = find(history, Fault, kind="freeze"), find(history, Fault, kind="thaw")
    between = [frame for frame in find(history, Frame, by="executor") if frozen.t < frame.t < thawed.t]
    assert between == []
    assert [frame.op for frame in find(history, Frame, by="relay") if frozen.t < frame.t < thawed.t] == ["ping"]
    assert find(history, Frame, by="executor", t=thawed.t, op="pong")


def test_a_reconnect_within_the_grace_period_recovers_nothing() -> None:
    async def scenario(world: World) -> None:
        app = await world.app()
        first, second = await world.executor(app), await world.executor(app)
        await first.drop("rst")
        assert await world.until_status(first, "DISCONNECTED", within_s=1)
        await world.sleep(50)
        await first.connect()
        assert await world.until_status(first, "HEALTHY", within_s=1)
        assert await world.until_frame(second, "recovery", within_s=120) is None

    history = play(scenario)
    assert [status for status, _, _ in _changes(history, "executor-1")] == ["HEALTHY", "DISCONNECTED", "HEALTHY"]


def test_a_scripted_executor_redials_by_itself() -> None:
    async def scenario(world: World) -> None:
        executor = await world.executor(await world.app(), script=Script(redial_s=3.0))
        await executor.drop("fin")
        assert await world.until_status(executor, "DISCONNECTED", within_s=1)
        assert await world.until_status(executor, "HEALTHY", within_s=4)

    history = play(scenario)
    [dropped] = find(history, Closed, conn=0)
    assert find(history, Frame, conn=1, by="executor")[0].t - dropped.t - 3 * SECOND_NS < 10 * MS_NS


def test_what_was_left_of_the_grace_period_survives_a_kill_of_the_relay() -> None:
    async def scenario(world: World) -> None:
        app = await world.app()
        gone, peer = await world.executor(app), await world.executor(app, script=Script(redial_s=0.5))
        await gone.close()
        assert await world.until_status(gone, "DISCONNECTED", within_s=1)
        await world.sleep(40)
        await world.relay.restart(down_s=300)
        assert await world.until_status(peer, "HEALTHY", within_s=2)
        assert await world.until_frame(peer, "recovery", within_s=70) is not None

    history = play(scenario)
    assert [event.what for event in find(history, Relay)] == ["ready", "killed", "started", "ready"]
    assert find(history, Refused, status=0), "a dial while the relay is down is refused by nobody"
    assert find(history, Poll, error="connection refused")
    ready = find(history, Relay, what="ready")[-1]
    recovery = next(frame for frame in find(history, Frame, by="relay", op="text") if "recovery" in frame.data)
    # 60 s of grace, 40 s of them gone, at most a second of them forgotten by the kill
    assert 19 * SECOND_NS < recovery.t - ready.t < 22 * SECOND_NS


def test_api_calls_are_answered_by_an_executor_or_not_at_all() -> None:
    record = {"WorkflowUUID": "w-1", "Status": "SUCCESS", "CreatedAt": "1700000000000"}

    async def scenario(world: World) -> None:
        app = await world.app()
        assert (await world.control.workflow(app, "list")).status == 503
        script = Script(
            replies={"get_workflow": Reply(fields={"output": record}), "cancel": Reply(fields={"error_message": "no"})}
        )
        executor = await world.executor(app, script=script)
        assert await world.until_status(executor, "HEALTHY", within_s=1)
        found = await world.control.workflow(app, "get", "w-1")
        assert (found.status, found.body["workflowId"], found.body["status"]) == (200, "w-1", "SUCCESS")
        assert (await world.control.workflow(app, "list")).body == []
        assert (await world.control.workflow(app, "cancel", "w-1")).status == 502
        assert (await world.control.workflow(app, "resume", "w-1")).status == 204
        assert (await world.control.patch_settings(app, {"executorTimeoutSecs": 0})).status == 422
        assert (await world.control.patch_settings(app, {"executorTimeoutSecs": 5})).status == 204
        assert app.grace_s == 5
        operations = [entry["operation"] for entry in await world.control.audit(app.org)]
        assert operations == [
            "application.update", "workflow.cancel", "workflow.resume", "application.update", "application.update",
        ]  # fmt: skip
        await world.relay.kill()
        assert (await world.control.workflow(app, "list")).status == 0

    assert play(scenario).footer.outcome == "complete"


def test_a_call_that_is_under_way_when_the_relay_dies_is_never_answered() -> None:
    async def scenario(world: World) -> None:
        app = await world.app()
        executor = await world.executor(app, script=Script(replies={"list_workflows": Reply(silent=True)}))
        assert await world.until_status(executor, "HEALTHY", within_s=1)
        call = world.spawn(world.control.workflow(app, "list"))
        await world.sleep(1)
        await world.relay.kill()
        assert (await call).status == 0

    assert play(scenario).footer.outcome == "complete"


def test_a_core_that_forgets_a_call_leaves_its_caller_with_the_servers_own_limit() -> None:
    class Forgetful(Core):
        def _call(self, event: events.Call) -> None:
            """Nobody is asked, nobody is told."""

    async def scenario(world: World) -> None:
        app = await world.app()
        asked_ns = world.now_ns()
        assert (await world.control.workflow(app, "list")).status == 502
        assert 29 * SECOND_NS < world.now_ns() - asked_ns < 30 * SECOND_NS

    assert play(scenario, core=Forgetful).footer.outcome == "complete"


def test_what_has_no_bytes_or_keys_is_unsupported() -> None:
    async def scenario(world: World) -> None:
        await world.executor(await world.app(), path="/elsewhere")

    [note] = find(play(scenario), Note, text="unsupported")
    assert "wire world" in note.detail["reason"]


def test_any_core_can_be_run() -> None:
    class NeverPings(Core):
        def _ping_due(self, conn: int) -> None:
            """Nothing is sent."""

    async def scenario(world: World) -> None:
        executor = await world.executor(await world.app())
        assert not await world.until_ping(executor, within_s=60)

    assert find(play(scenario, core=NeverPings), Frame, op="ping") == []


def test_a_core_that_raises_is_a_relay_that_exits() -> None:
    class Fragile(Core):
        def handle(self, event: events.Event, now_ns: int, now_ms: int = 0) -> list[Effect]:
            if isinstance(event, events.Binary):
                raise RuntimeError("binary")
            return super().handle(event, now_ns, now_ms)

    async def scenario(world: World) -> None:
        executor = await world.executor(await world.app())
        await executor.send_binary(b"\xff")
        assert await world.until_closed(executor, within_s=1)

    history = play(scenario, core=Fragile)
    assert find(history, Relay, what="exited")[0].detail == {"error": "RuntimeError: binary"}
    assert find(history, Frame, op="binary")[0].b64


def test_a_scenario_without_an_end_is_stopped() -> None:
    async def scenario(world: World) -> None:
        await world.sleep(8000)

    with pytest.raises(OutOfTime, match="deadline"):
        play(scenario)


def test_a_failure_that_nobody_joined_is_not_lost() -> None:
    async def fails() -> None:
        raise LookupError("nobody looks")

    async def scenario(world: World) -> None:
        world.spawn(fails())
        await world.sleep(1)

    with pytest.raises(LookupError, match="nobody looks"):
        play(scenario)


class _Defect:
    """As `broken_relays.find` gives it."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.core = type("Broken", (Core,), {})


def _profile(target: str) -> Profile:
    return Profile(relay=RelaySection(target=target))


def test_the_profile_says_which_core_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    defect = _Defect("core")
    monkeypatch.setattr("broken_relays.find", lambda name: defect)
    assert core_of(_profile("builtin:reference")) is Core
    assert core_of(_profile("builtin:broken/any")) is defect.core


@pytest.mark.parametrize(
    ("target", "words"),
    [("url:http://127.0.0.1:1", "own relays"), ("builtin:broken/no-such", "no-such"), ("builtin:else", "own relays")],
)
def test_other_relays_are_not_simulated(target: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        core_of(_profile(target))


def test_a_defect_of_the_server_is_not_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("broken_relays.find", lambda name: _Defect("server"))
    with pytest.raises(UsageError, match="--world wire"):
        core_of(_profile("builtin:broken/any"))


def test_the_world_registers_itself() -> None:
    assert worlds.factory("simulated") is SimulatedSession


def test_seeds_differ_between_scenarios_and_runs() -> None:
    assert len({scenario_seed(1, "LIV-3/a"), scenario_seed(1, "LIV-3/b"), scenario_seed(2, "LIV-3/a")}) == 3


def test_the_same_seed_gives_the_same_history_and_another_one_another() -> None:
    digests = [play(_silent, seed=seed).digest() for seed in (7, 7, 8)]
    assert digests[0] == digests[1] != digests[2]
