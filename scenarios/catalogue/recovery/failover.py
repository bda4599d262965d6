"""REC-7 to REC-10: from one candidate to the next."""

from __future__ import annotations

from scenarios.catalogue import scenario
from scenarios.catalogue.liveness.moments import (
    expect_stays,
    gone,
    healthy,
    leave,
    naming,
    patience,
    read_audit,
    scripted,
    seconds,
)
from scenarios.catalogue.recovery.dispatches import (
    HOLDS,
    Dispatch,
    Dispatches,
    Part,
    accept,
    answer,
    fail,
    hold,
    lost_by,
    refuse,
)
from scenarios.errors import Prerequisite
from scenarios.world import Reply, World

AFTER_REFUSAL = "backoff + slack"  # REC-7
AFTER_LOSS = "slack + scan"  # REC-8
AFTER_TIMEOUT = "recovery + backoff + slack"  # REC-9


async def _no_success_field(world: World, dispatch: Dispatch) -> None:
    """Java answers so when its handler failed before its body ran: to be read as false (protocol page)."""
    await answer(world, dispatch, error_message="java.lang.IllegalStateException")


async def _success_with_error(world: World, dispatch: Dispatch) -> None:
    await answer(world, dispatch, success=True, error_message="the database was away")


async def _wrong_type(world: World, dispatch: Dispatch) -> None:
    """An old client that knows no recovery; its answer must not count as a success."""
    await answer(world, dispatch, type="unknown", error_message="unknown message type")


REFUSALS: dict[str, Part] = {
    "false": refuse,
    "error-message": fail,
    "no-success-field": _no_success_field,
    "success-with-error": _success_with_error,
}


async def _failover(world: World, clause: str, part: Part, *, latest: str, from_frame: bool = False) -> None:
    """Two candidates: the first plays the part, the other is asked next, in its time, and accepts."""
    app = await world.app()
    executor = await world.executor(app)
    peers = [await world.executor(app, script=HOLDS) for _ in range(2)]
    await healthy(world, executor, *peers)
    dispatches = Dispatches(world, executor, peers, [part, accept])
    left = await leave(world, executor)
    first = await dispatches.first()
    (other,) = dispatches.others(first, peers)
    followed = await dispatches.until(2, within=latest)
    until = dispatches.seen[1].frame if followed else world.note("it is too late")
    await gone(world, executor)
    world.expect(
        clause, "frame", "the next candidate is asked in time",
        executor=other.id, type="recovery", match=naming(executor), latest=latest,
        after=first.frame if from_frame else first.end,
    )  # fmt: skip
    expect_stays(
        world, clause, "the record stays", executor, "HEALTHY", "DISCONNECTED", "DEAD", since=left, until=until
    )
    world.expect("REC-10", "sequential", "one at a time", executor=executor.id)
    await read_audit(world, app)


@scenario(
    "REC-7/refused",
    clauses=("REC-7", "REC-10"),
    title="After a refusal the next candidate is asked within the backoff",
    faults=(9, 26),
    variants=REFUSALS,
)
async def refused(world: World, part: Part) -> None:
    await _failover(world, "REC-7", part, latest=AFTER_REFUSAL)


@scenario(
    "REC-8/peer-lost",
    clauses=("REC-8", "REC-10"),
    title="When the asked peer is lost, the next candidate is asked at once",
    faults=(13, 45),
    variants=("close-1000", "fin", "rst"),
)
async def peer_lost(world: World, how: str) -> None:
    await _failover(world, "REC-8", lost_by(how), latest=AFTER_LOSS)


@scenario(
    "REC-8/peer-freezes",
    clauses=("REC-8", "REC-10"),
    title="When the asked peer falls silent, the next candidate is asked once the ping wait is over",
    faults=(40, 52),
)
async def peer_freezes(world: World) -> None:
    """Its loss is known at the end of the ping wait (LIV-3), or its deadline passes first (REC-9)."""
    latest = f"min(w + i + scan + 2*slack + {AFTER_LOSS}, {AFTER_TIMEOUT} + slack)"
    await _failover(world, "REC-8", lost_by("freeze"), latest=latest)


@scenario(
    "REC-9/deaf-peer",
    clauses=("REC-9", "REC-10"),
    title="When the asked peer does not answer in time, the next candidate is asked",
    faults=(2, 19, 40, 52),
)
async def deaf_peer(world: World) -> None:
    """It answers pings and no request."""
    await _failover(world, "REC-9", hold, latest=AFTER_TIMEOUT, from_frame=True)


@scenario(
    "REC-9/answers-under-another-type",
    clauses=("REC-9", "REC-10"),
    title="An answer of another type is none: the next candidate is asked, at the deadline at the latest",
    faults=(26,),
)
async def answers_under_another_type(world: World) -> None:
    await _failover(world, "REC-9", _wrong_type, latest=AFTER_TIMEOUT, from_frame=True)


@scenario(
    "REC-10/round",
    clauses=("REC-10", "REC-7"),
    title="Four candidates are asked one after the other, each once before any is asked again",
    faults=(48, 80),
)
async def whole_round(world: World) -> None:
    """Three refuse after a while, the last agrees: never two requests out at once."""

    async def refuse_later(world: World, dispatch: Dispatch) -> None:
        await world.sleep(seconds(world, "slack"))
        await refuse(world, dispatch)

    app = await world.app()
    executor = await world.executor(app)
    peers = [await world.executor(app, script=HOLDS) for _ in range(4)]
    await healthy(world, executor, *peers)
    dispatches = Dispatches(world, executor, peers, [refuse_later, refuse_later, refuse_later, accept])
    await leave(world, executor)
    await dispatches.first()
    await dispatches.until(4, within="4*(slack + backoff_cap)")
    await gone(world, executor)
    world.expect("REC-10", "sequential", "one at a time", executor=executor.id)
    for before, after in zip(dispatches.seen, dispatches.seen[1:], strict=False):
        world.expect(
            "REC-7", "frame", "the next one is asked within the backoff", executor=after.peer.id, type="recovery",
            match=naming(executor), after=before.end, latest=AFTER_REFUSAL,
        )  # fmt: skip
    await read_audit(world, app)


@scenario(
    "REC-10/slow-answer",
    clauses=("REC-10",),
    title="While a peer works on a recovery within its deadline, nobody else is asked",
    faults=(2, 19),
)
async def slow_answer(world: World) -> None:
    """It takes most of its deadline: a Python peer was measured to need half a minute for 5,000 rows."""
    app = await world.app()
    executor = await world.executor(app)
    script = scripted(recovery=Reply(after_s=seconds(world, "recovery - 2*slack")))
    peers = [await world.executor(app, script=script) for _ in range(3)]
    await healthy(world, executor, *peers)
    left = await leave(world, executor)

    async def somebody_was_asked() -> bool:
        for peer in peers:
            if await world.until_frame(peer, "recovery", within_s=0, match=naming(executor)) is not None:
                return True
        return False

    if not await world.until(somebody_was_asked, within_s=patience(world, "g + scan + 2*slack")):
        raise Prerequisite(f"nobody was asked to recover {executor.id}")
    await world.sleep(seconds(world, "recovery - slack"))
    await gone(world, executor)
    world.expect("REC-10", "sequential", "one at a time", executor=executor.id)
    world.expect(
        "REC-10", "count", "one request is enough", app=app.name, type="recovery", match=naming(executor),
        since=left, until=world.note("recovered"), at_least=1, at_most=1,
    )  # fmt: skip
    await read_audit(world, app)
