"""The wire world against a relay in miniature: what it does is done, what it sees is recorded."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from evidence.events import Closed, Fault, Frame, Jitter, Note, Poll, Refused, Relay, Upgraded
from evidence.history import History
from scenarios.catalogue.observing import look
from scenarios.errors import Prerequisite, TargetError, Unsupported
from scenarios.world import Reply, Script, World
from tests.scenarios.conftest import play

Played = Callable[..., Awaitable[History]]


def run(coroutine: Awaitable[History]) -> History:
    async def main() -> History:
        return await coroutine

    return asyncio.run(main())


def test_handshake_is_played_and_the_list_is_polled(played: Played) -> None:
    async def body(world: World) -> None:
        app = await world.app()
        executor = await world.executor(app)
        assert await world.until_status(executor, "HEALTHY", within_s=2)

    history = run(played(body))
    assert [event.conn for event in history.events if isinstance(event, Upgraded)] == [0]
    texts = [event for event in history.of(Frame) if event.op == "text"]
    assert [event.by for event in texts] == ["relay", "executor"]
    polls = list(history.of(Poll))
    assert any(seen.status == "HEALTHY" for poll in polls for seen in poll.executors)
    assert all(poll.asked <= poll.t for poll in polls)
    assert any(isinstance(event, Jitter) for event in history.events) or history.end_ns < 700_000_000


def test_a_silent_executor_is_disconnected_dead_and_recovered(played: Played) -> None:
    async def body(world: World) -> None:
        app = await world.app(grace_s=1)
        silent, peer = await world.executor(app), await world.executor(app)
        await silent.freeze()
        assert await world.until_status(silent, "DISCONNECTED", within_s=3)
        assert await world.until_closed(silent, within_s=2)
        assert await world.until_frame(peer, "recovery", within_s=3, match={"executor_ids": [silent.id]}) is not None
        assert await world.until_status(silent, "GONE", within_s=3)

    history = run(played(body))
    frozen = next(event for event in history.of(Fault) if event.kind == "freeze")
    later = [event for event in history.events if event.n > frozen.n and isinstance(event, Frame) and event.conn == 0]
    assert later and all(event.by == "relay" for event in later), "a frozen executor says nothing"
    assert [event.by for event in history.events if isinstance(event, Closed) and event.conn == 0] == ["relay"]


def test_thawed_in_time_it_answers_what_waited(played: Played) -> None:
    async def body(world: World) -> None:
        executor = await world.executor(await world.app())
        await executor.freeze()
        assert await world.until_ping(executor, within_s=1) is False, "a frozen executor sees no ping"
        await executor.thaw()

    history = run(played(body, fault="keeps-socket"))
    thawed = next(event for event in history.of(Fault) if event.kind == "thaw")
    pongs = [event for event in history.of(Frame) if event.op == "pong" and event.n > thawed.n]
    assert len(pongs) >= 3, "one pong for each ping that waited"


def test_refused_pongs_end_the_connection(played: Played) -> None:
    async def body(world: World) -> None:
        executor = await world.executor(await world.app(), script=Script(pongs=False))
        assert await world.until_closed(executor, within_s=3)

    history = run(played(body))
    assert not [event for event in history.of(Frame) if event.op == "pong"]


def test_every_way_to_end_a_socket_is_recorded_as_the_executors_own(played: Played) -> None:
    async def body(world: World) -> None:
        app = await world.app()
        for how in ("rst", "fin", "close"):
            executor = await world.executor(app)
            assert await world.until_status(executor, "HEALTHY", within_s=5), "a reset may overtake the introduction"
            if how == "close":
                await executor.close(1001)
            else:
                await executor.drop(how)
            assert await world.until_status(executor, "DISCONNECTED", within_s=2), how

    history = run(played(body))
    ends = [(event.how, event.by) for event in history.events if isinstance(event, Closed)]
    assert ends == [("rst", "executor"), ("fin", "executor"), ("close", "executor")]


def test_redials_by_script(played: Played) -> None:
    async def body(world: World) -> None:
        executor = await world.executor(await world.app(), script=Script(redial_s=0.05))
        first = executor.conn
        await executor.drop("rst")
        assert await world.until_status(executor, "DISCONNECTED", "HEALTHY", within_s=2)
        assert await world.until_frame(executor, "executor_info", within_s=2, count=2) is not None
        assert executor.conn > first

    run(played(body))


def test_refusal_is_recorded_with_its_status(played: Played) -> None:
    async def body(world: World) -> None:
        app = await world.app()
        await world.executor(app, key="bad-key")

    history = run(played(body))
    assert [event.status for event in history.events if isinstance(event, Refused)] == [401]


def test_nobody_there_is_status_0(played: Played) -> None:
    async def body(world: World) -> None:
        app = await world.app()
        await world.relay.kill()
        await world.executor(app)
        await world.relay.start()
        again = await world.executor(app)
        assert await world.until_status(again, "HEALTHY", within_s=3)

    history = run(played(body, disturbs=True))
    assert [event.status for event in history.events if isinstance(event, Refused)] == [0]
    assert [event.what for event in history.events if isinstance(event, Relay)] == [
        "ready",
        "killing",
        "killed",
        "started",
        "ready",
    ]
    assert any(isinstance(event, Poll) and event.error for event in history.events), "a failed poll says so"


def test_fragments_with_a_control_frame_between_are_one_answer(played: Played) -> None:
    async def body(world: World) -> None:
        script = Script(replies={"executor_info": Reply(fragments=4)})
        executor = await world.executor(await world.app(), script=script)
        assert await world.until_status(executor, "HEALTHY", within_s=2)

    history = run(played(body))
    answers = [event for event in history.of(Frame) if event.by == "executor"]
    assert [event.data for event in answers if event.op == "pong"].count("between") == 3
    assert sum("executor_info" in event.data for event in answers) == 1


def test_secrets_stay_out_of_the_history(played: Played) -> None:
    async def body(world: World) -> None:
        await world.app()
        world.note("I know mini-key")

    history = run(played(body))
    notes = [event.text for event in history.events if isinstance(event, Note)]
    assert notes == ["I know <key:local>"]


def test_signals_become_notes_and_crashes_become_the_footer(tmp_path: Path) -> None:
    async def unsupported(world: World) -> None:
        raise Unsupported("no such thing")

    async def prerequisite(world: World) -> None:
        raise Prerequisite("never came")

    async def disobeyed(world: World) -> None:
        raise TargetError("[control] kill: 'false' ended with status 1")

    async def crash(world: World) -> None:
        raise ZeroDivisionError("a bug")

    async def background(world: World) -> None:
        world.spawn(crash(world))
        await world.sleep(0.05)

    async def hang(world: World) -> None:
        await world.sleep(60)

    async def ends() -> list[tuple[str, str]]:
        found = []
        for body in (unsupported, prerequisite, disobeyed, crash, background, hang):
            history = (await play(body, tmp_path, deadline_s=1.0)).history()
            note = next((event.text for event in history.events if isinstance(event, Note)), "")
            found.append((note, history.footer.error))
        return found

    (first, second, third, *crashed, last) = asyncio.run(ends())
    assert first == ("unsupported", "") and second == ("prerequisite", "")
    assert third == ("prerequisite", ""), "a relay that can't be killed is no fault of the harness"
    assert all("ZeroDivisionError: a bug" in error for _, error in crashed)
    assert "did not end within its deadline" in last[1]


def test_a_call_that_the_relay_lacks_ends_the_wait_for_what_it_would_cause(played: Played) -> None:
    async def body(world: World) -> None:
        app = await world.app()
        executor = await world.executor(app)
        call = world.spawn(world.control.workflow(app, "get", "wf-1"))
        await world.until_frame(executor, "get_workflow", within_s=15)
        await call

    history = run(played(body))  # the profile has no workflow operations
    assert [note.text for note in history.of(Note)] == ["unsupported"]
    assert history.end_ns < 5e9, "nobody waits for the frame"


def test_who_can_do_without_a_list_goes_on(played: Played) -> None:
    async def body(world: World) -> None:
        app = await world.app()
        assert not await look(world, app)
        world.note("went on")

    history = run(played(body, extra="list = false"))
    assert [note.text for note in history.of(Note)] == ["went on"]


def test_without_a_list_the_wire_shows_the_state(played: Played) -> None:
    async def body(world: World) -> None:
        app = await world.app(grace_s=1)
        dead, _ = await world.executor(app), await world.executor(app)
        assert await world.until_status(dead, "HEALTHY", within_s=1)
        await dead.drop()
        assert await world.until_status(dead, "DISCONNECTED", within_s=1)
        assert await world.until_status(dead, "DEAD", within_s=3)

    history = run(played(body, extra="list = false"))
    assert not list(history.of(Poll))


def test_a_half_closed_executor_hears_and_says_nothing(played: Played) -> None:
    async def body(world: World) -> None:
        executor = await world.executor(await world.app())
        await executor.half_close()
        await executor.pong(b"too late")
        assert await world.until_closed(executor, within_s=3)

    history = run(played(body, fault="keeps-socket"))
    closing = next(event for event in history.of(Fault) if event.kind == "half-close")
    assert not [event for event in history.of(Frame) if event.by == "executor" and event.n > closing.n]
