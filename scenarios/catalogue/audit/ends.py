"""AUD-1, AUD-2: every end of a dispatch, and the deletion.

The audit log of an organisation is shared and its fields are the relay's own: the executors have names that occur in
no other application's entries and in no other role.
"""

from __future__ import annotations

from scenarios.catalogue import scenario
from scenarios.catalogue.liveness.moments import gone, healthy, leave, seconds
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
from scenarios.world import App, Executor, World

ENDS: dict[str, tuple[Part, str]] = {
    "refusal": (refuse, "backoff + slack"),
    "error": (fail, "backoff + slack"),
    "timeout": (hold, "recovery + backoff + slack"),
    "peer-lost": (lost_by("rst"), "slack + scan"),
}
"""What becomes of the first dispatch, and until when the second one follows."""


def _expect_dispatch(world: World, app: App, executor: Executor, peer: Executor, status: str) -> None:
    """Its end, the dead executor, the peer and the application, whatever the fields are called."""
    world.expect(
        "AUD-1", "audited", f"the dispatch to {peer.id} and its end ({status})", org=app.org, operation="recovery",
        match={"status": status}, mentions=[executor.id, peer.id],
    )  # fmt: skip


def _expect_deletion(world: World, app: App, executor: Executor) -> None:
    world.expect(
        "AUD-2", "audited", "the deletion of the record", org=app.org, operation="deletion",
        mentions=[executor.id], at_least=1, at_most=1,
    )  # fmt: skip


@scenario(
    "AUD-1/success",
    clauses=("AUD-1", "AUD-2"),
    title="A recovery that succeeded and the deletion that follows are in the audit log",
    faults=(8, 48),
    needs=("audit",),
)
async def success(world: World) -> None:
    app = await world.app()
    executor = await world.executor(app, f"{app.name}-dead")
    peer = await world.executor(app, f"{app.name}-peer", script=HOLDS)
    await healthy(world, executor, peer)
    dispatches = Dispatches(world, executor, [peer], [accept])
    await leave(world, executor)
    await dispatches.first()
    await gone(world, executor)
    await world.control.audit(app.org)
    _expect_dispatch(world, app, executor, peer, "success")
    _expect_deletion(world, app, executor)


@scenario(
    "AUD-1/failure",
    clauses=("AUD-1", "AUD-2"),
    title="A dispatch that came to nothing is in the audit log beside the one that succeeded",
    faults=(19, 48),
    needs=("audit",),
    variants=ENDS,
)
async def failure(world: World, end: tuple[Part, str]) -> None:
    part, latest = end
    app = await world.app()
    executor = await world.executor(app, f"{app.name}-dead")
    peers = [await world.executor(app, f"{app.name}-{name}", script=HOLDS) for name in ("one", "other")]
    await healthy(world, executor, *peers)
    dispatches = Dispatches(world, executor, peers, [part, accept])
    await leave(world, executor)
    first = await dispatches.first()
    await dispatches.until(2, within=latest)
    await gone(world, executor)
    await world.control.audit(app.org)
    _expect_dispatch(world, app, executor, first.peer, "failure")
    for dispatch in dispatches.seen[1:2]:
        _expect_dispatch(world, app, executor, dispatch.peer, "success")
    _expect_deletion(world, app, executor)


@scenario(
    "AUD-1/late-success",
    clauses=("AUD-1",),
    title="Both ends of two dispatches are recorded, also where the first answered late",
    faults=(19,),
    needs=("audit",),
)
async def late_success(world: World) -> None:
    app = await world.app()
    executor = await world.executor(app, f"{app.name}-dead")
    peers = [await world.executor(app, f"{app.name}-{name}", script=HOLDS) for name in ("one", "other")]
    await healthy(world, executor, *peers)

    async def accept_after_the_other(world: World, dispatch: Dispatch) -> None:
        await answer(world, dispatches.seen[0], success=True)
        await world.sleep(seconds(world, "0.5*slack"))
        await accept(world, dispatch)

    dispatches = Dispatches(world, executor, peers, [hold, accept_after_the_other, accept])
    await leave(world, executor)
    await dispatches.first()
    await dispatches.until(2, within="recovery + backoff + slack")
    await gone(world, executor)
    await world.sleep(seconds(world, "slack"))
    await world.control.audit(app.org)
    for dispatch in dispatches.seen[:2]:
        world.expect(
            "AUD-1", "audited", f"the dispatch to {dispatch.peer.id} and its end", org=app.org, operation="recovery",
            mentions=[executor.id, dispatch.peer.id],
        )  # fmt: skip
    _expect_deletion(world, app, executor)


@scenario(
    "AUD-2/each-deletion",
    clauses=("AUD-2", "AUD-1"),
    title="Each of several deletions has its own entry, and who lives has none",
    faults=(48,),
    needs=("audit",),
)
async def each_deletion(world: World) -> None:
    app = await world.app()
    victims = [await world.executor(app, f"{app.name}-{name}") for name in ("first", "second", "third")]
    peer = await world.executor(app, f"{app.name}-peer")
    returning = await world.executor(app, f"{app.name}-back", version="v2")  # no candidate: no entry names it
    await healthy(world, *victims, peer, returning)
    for executor in victims:
        await leave(world, executor)
    await leave(world, returning)
    await world.sleep(seconds(world, "0.5*g"))
    await returning.connect()
    for executor in victims:
        await world.until_status(executor, "GONE", within_s=seconds(world, "g + recovery + request + 4*slack"))
    await world.control.audit(app.org)
    for executor in victims:
        _expect_deletion(world, app, executor)
        world.expect("AUD-1", "audited", "its recovery", org=app.org, operation="recovery", mentions=[executor.id])
    world.expect(
        "AUD-2", "audited", "no deletion of a live record", org=app.org, operation="deletion",
        mentions=[returning.id], at_least=0, at_most=0,
    )  # fmt: skip
