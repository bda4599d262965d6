"""REC-19: a relay that crashes between DEAD and the acknowledgement."""

from __future__ import annotations

from scenarios.catalogue import scenario
from scenarios.catalogue.liveness.moments import (
    JOINED_ASKED_BY,
    back,
    dead,
    gone,
    healthy,
    leave,
    naming,
    patience,
    read_audit,
    scripted,
    seconds,
)
from scenarios.catalogue.recovery.dispatches import HOLDS
from scenarios.errors import Prerequisite
from scenarios.world import App, Executor, Reply, Script, World


async def _restarted(world: World, app: App, executor: Executor, peer: Executor) -> None:
    """Start the relay, let the peer come back, and expect it to be asked."""
    await world.relay.start()
    peer.script(Script())
    joined = await back(world, peer)
    await world.until_frame(
        peer, "recovery", conn=peer.conn, within_s=patience(world, JOINED_ASKED_BY), match=naming(executor)
    )
    world.expect(
        "REC-19", "frame", "the recovery is resumed", conn=peer.conn, type="recovery", match=naming(executor),
        after=joined, latest=JOINED_ASKED_BY,
    )  # fmt: skip
    await gone(world, executor)
    if world.profile.can("list"):
        world.expect(
            "REC-19", "transition", "and comes to its end", executor=executor.id, to="GONE", after=joined,
            latest=f"{JOINED_ASKED_BY} + recovery + request",
        )  # fmt: skip
    await read_audit(world, app)


@scenario(
    "REC-19/dispatch-outstanding",
    clauses=("REC-19",),
    title="Killed while a peer works on the recovery, the relay resumes it after its restart",
    faults=(8, 28, 71),
    needs=("restart",),
    disturbs=True,
)
async def dispatch_outstanding(world: World) -> None:
    app = await world.app()
    executor, peer = await world.executor(app), await world.executor(app, script=HOLDS)
    await healthy(world, executor, peer)
    await leave(world, executor)
    request = await world.until_frame(
        peer, "recovery", within_s=patience(world, "g + scan + 2*slack + recovery"), match=naming(executor)
    )
    if request is None:
        raise Prerequisite("the peer was never asked")
    await world.relay.kill()
    await _restarted(world, app, executor, peer)


@scenario(
    "REC-19/in-backoff",
    clauses=("REC-19",),
    title="Killed while every candidate has refused, the relay goes on after its restart",
    faults=(9, 71),
    needs=("restart",),
    disturbs=True,
)
async def in_backoff(world: World) -> None:
    app = await world.app()
    executor = await world.executor(app)
    peer = await world.executor(app, script=scripted(recovery=Reply(fields={"success": False})))
    await healthy(world, executor, peer)
    await leave(world, executor)
    await world.until_frame(
        peer, "recovery", within_s=patience(world, "g + scan + 2*slack + 8*backoff"), match=naming(executor), count=3
    )
    await dead(world, executor)
    await world.relay.kill()
    await _restarted(world, app, executor, peer)


@scenario(
    "REC-19/acknowledged",
    clauses=("REC-19",),
    title="Killed in the moment of the acknowledgement, the relay ends the recovery or resumes it",
    faults=(8, 86),
    needs=("restart", "list"),
    disturbs=True,
    variants={"at-once": "0", "before-the-check-is-answered": "0.5*slack"},
)
async def acknowledged(world: World, delay: str) -> None:
    """Whether the record was already deleted is the crash's business; afterwards it is gone, one way or the other."""
    app = await world.app()
    executor = await world.executor(app)
    peer = await world.executor(app, script=scripted(recovery=Reply(), exist_pending_workflows=Reply(silent=True)))
    await healthy(world, executor, peer)
    await leave(world, executor)
    request = await world.until_frame(
        peer, "recovery", within_s=patience(world, "g + scan + 2*slack + recovery"), match=naming(executor)
    )
    if request is None:
        raise Prerequisite("the peer was never asked")
    await world.sleep(seconds(world, delay))
    await world.relay.kill()
    await world.relay.start()
    peer.script(Script())
    joined = await back(world, peer)
    await gone(world, executor, within=f"{JOINED_ASKED_BY} + recovery + request")
    world.expect(
        "REC-19", "transition", "the recovery comes to its end", executor=executor.id, to="GONE", after=joined,
        latest=f"{JOINED_ASKED_BY} + recovery + request",
    )  # fmt: skip
    await read_audit(world, app)
