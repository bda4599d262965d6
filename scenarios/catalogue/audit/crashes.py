"""AUD-3, AUD-5: the audit log through kill -9."""

from __future__ import annotations

from scenarios.catalogue import scenario
from scenarios.catalogue.liveness.moments import JOINED_ASKED_BY, back, gone, healthy, leave, naming, patience
from scenarios.catalogue.recovery.dispatches import HOLDS, Dispatches, accept, refuse
from scenarios.errors import Prerequisite
from scenarios.world import App, World

CRASHES = 4


async def _killed(world: World, app: App) -> None:
    await world.relay.kill()
    await world.relay.start()
    await world.control.audit(app.org)


@scenario(
    "AUD-3/completed",
    clauses=("AUD-3", "AUD-1", "AUD-2"),
    title="A recovery that was over is in the audit log after a crash",
    faults=(8, 86),
    needs=("audit", "restart", "list"),
    disturbs=True,
)
async def completed(world: World) -> None:
    """One refusal, one success, the deletion seen in the list; then kill -9 at once."""
    app = await world.app()
    executor = await world.executor(app, f"{app.name}-dead")
    peers = [await world.executor(app, f"{app.name}-{name}", script=HOLDS) for name in ("one", "other")]
    await healthy(world, executor, *peers)
    dispatches = Dispatches(world, executor, peers, [refuse, accept])
    await leave(world, executor)
    await dispatches.first()
    await dispatches.until(2, within="backoff + slack")
    if not await gone(world, executor):
        raise Prerequisite("the recovered executor's record was not deleted")
    await _killed(world, app)
    for clause in ("AUD-3", "AUD-1"):
        for dispatch, status in zip(dispatches.seen, ("failure", "success"), strict=False):
            world.expect(
                clause, "audited", f"the dispatch to {dispatch.peer.id} is on record", org=app.org,
                operation="recovery", match={"status": status}, mentions=[executor.id, dispatch.peer.id],
            )  # fmt: skip
    for clause in ("AUD-3", "AUD-2"):
        world.expect(clause, "audited", "so is the deletion", org=app.org, operation="deletion", mentions=[executor.id])


@scenario(
    "AUD-3/check-seen",
    clauses=("AUD-3",),
    title="An end that the relay has acted upon is on record after a crash",
    faults=(86,),
    needs=("audit", "restart", "exist_pending"),
    disturbs=True,
)
async def check_seen(world: World) -> None:
    """The question after a success shows that the relay has taken it: killed at that very frame."""
    app = await world.app()
    executor, peer = await world.executor(app, f"{app.name}-dead"), await world.executor(app, f"{app.name}-peer")
    await healthy(world, executor, peer)
    await leave(world, executor)
    question = await world.until_frame(
        peer, "exist_pending_workflows", within_s=patience(world, "g + scan + recovery"),
        match={"executor_id": executor.id},
    )  # fmt: skip
    if question is None:
        raise Prerequisite("the relay never asked exist_pending_workflows")
    await _killed(world, app)
    world.expect(
        "AUD-3", "audited", "the success is on record", org=app.org, operation="recovery",
        match={"status": "success"}, mentions=[executor.id, peer.id],
    )  # fmt: skip


@scenario(
    "AUD-5/before-the-frame",
    clauses=("AUD-5",),
    title="The entry of a dispatch is durable before its frame leaves",
    faults=(86,),
    needs=("audit", "restart"),
    disturbs=True,
)
async def before_the_frame(world: World) -> None:
    """The relay is killed the moment the peer has the frame: whatever was not durable by then is gone.

    The first dispatch comes with the death itself, whose record has to be stored anyway; the later ones come when the
    peer joins again, with nothing else to store. Several, since an entry that is late may be in time by luck.
    """
    app = await world.app()
    executor = await world.executor(app, f"{app.name}-dead")
    peer = await world.executor(app, f"{app.name}-peer", script=HOLDS)
    await healthy(world, executor, peer)
    await leave(world, executor)
    within_s = patience(world, "g + scan + 2*slack + recovery")
    for number in range(1, CRASHES + 1):
        asked = await world.until_frame(peer, "recovery", conn=peer.conn, within_s=within_s, match=naming(executor))
        if asked is None:
            raise Prerequisite("the peer was never asked" if number == 1 else "the recovery was not resumed")
        await world.relay.kill()
        await world.relay.start()
        if number < CRASHES:
            await back(world, peer)
            within_s = patience(world, JOINED_ASKED_BY)
    await world.control.audit(app.org)
    world.expect(
        "AUD-5", "audited", "each dispatch is on record", org=app.org, operation="dispatch",
        mentions=[executor.id, peer.id], at_least=CRASHES,
    )  # fmt: skip
