"""REC-25: a recovered executor that owns work again."""

from __future__ import annotations

from scenarios.catalogue import scenario
from scenarios.catalogue.liveness.moments import (
    back,
    gone,
    healthy,
    leave,
    naming,
    patience,
    read_audit,
    scripted,
    seconds,
)
from scenarios.errors import Prerequisite
from scenarios.world import App, Executor, Reply, Script, World

AGGREGATES = "get_workflow_aggregates"
LOOKED_BY = "2*g + request + scan + 2*slack"  # once every g, whenever the first look falls
WATCHED = "g + scan + slack"  # sees one look, and two where both ends meet one


def _owning(executor: Executor) -> Script:
    """A peer in whose database this executor has PENDING rows again, whichever way the relay asks."""
    row = {
        "group": {"status": "PENDING", "executor_id": executor.id, "application_version": "v1"},
        "count": 1, "min_created_at": None, "max_queue_wait_ms": None, "max_total_latency_ms": None,
    }  # fmt: skip
    return scripted(
        get_workflow_aggregates=Reply(fields={"output": [row]}),
        exist_pending_workflows=Reply(fields={"exist": True}),
    )


async def _recovered(world: World) -> tuple[App, Executor, Executor]:
    """An executor that was recovered and deleted, and the peer that did it."""
    app = await world.app()
    executor, peer = await world.executor(app, version="v1"), await world.executor(app, version="v1")
    await healthy(world, executor, peer)
    await leave(world, executor)
    within_s = patience(world, "g + scan + 2*slack + recovery")
    if await world.until_frame(peer, "recovery", within_s=within_s, match=naming(executor)) is None:
        raise Prerequisite("the peer was never asked")
    if not await gone(world, executor):
        raise Prerequisite("the recovered executor's record was not deleted")
    return app, executor, peer


async def _expect_recovered_again(world: World, app: App, executor: Executor, peer: Executor, since: int) -> None:
    await world.until_frame(
        peer, "recovery", conn=peer.conn, within_s=patience(world, LOOKED_BY), match=naming(executor)
    )
    world.expect(
        "REC-25", "frame", "it is recovered again", conn=peer.conn, type="recovery", match=naming(executor),
        after=since, latest=LOOKED_BY,
    )  # fmt: skip
    await read_audit(world, app)


@scenario(
    "REC-25/owns-work-again",
    clauses=("REC-25",),
    title="A recovered executor that owns work again is recovered again, at most once a grace period",
    faults=(5, 43),
)
async def owns_work_again(world: World) -> None:
    """Measured with real SDKs: a falsely dead executor that wins one checkpoint owns its rows again (8 of 8 runs)."""
    app, executor, peer = await _recovered(world)
    before = world.note("it owns work again from now on")
    peer.script(_owning(executor))
    asked = await world.until_frame(
        peer, "recovery", within_s=patience(world, LOOKED_BY), match=naming(executor), count=2
    )
    peer.script(Script())  # the second recovery has moved the work
    world.expect(
        "REC-25", "frame", "it is recovered again", executor=peer.id, type="recovery", match=naming(executor),
        after=before, latest=LOOKED_BY,
    )  # fmt: skip
    if asked is not None:
        await gone(world, executor)
        peer.script(Script(replies={AGGREGATES: _owning(executor).replies[AGGREGATES]}))  # each recovery moves it all
        since = world.note("and again")
        await world.sleep(seconds(world, WATCHED))
        await world.until_frame(peer, "recovery", within_s=patience(world, "g"), match=naming(executor), count=3)
        world.expect(
            "REC-25", "count", "at most once a grace period", app=app.name, type="recovery", match=naming(executor),
            since=since, until=world.note("a grace period later"), at_least=1, at_most=2,
        )  # fmt: skip
    await read_audit(world, app)


@scenario(
    "REC-25/connected",
    clauses=("REC-25", "REC-26"),
    title="A recovered executor that is connected again is not recovered, whatever it owns",
    faults=(10,),
)
async def connected(world: World) -> None:
    app, executor, peer = await _recovered(world)
    await back(world, executor)
    await healthy(world, executor)
    since = world.note("it is back and owns work")
    peer.script(_owning(executor))
    executor.script(_owning(executor))
    await world.sleep(seconds(world, f"{WATCHED} + request"))
    until = world.note("a grace period later")
    for clause in ("REC-25", "REC-26"):
        world.expect(
            clause, "no_frame", "nobody is asked to recover it", app=app.name, type="recovery", match=naming(executor),
            since=since, until=until,
        )  # fmt: skip
    await read_audit(world, app)


@scenario(
    "REC-25/survives-a-restart",
    clauses=("REC-25",),
    title="Recovered ids are remembered through a crash",
    faults=(8, 41),
    needs=("restart",),
    disturbs=True,
)
async def survives_a_restart(world: World) -> None:
    app, executor, peer = await _recovered(world)
    await world.relay.kill()
    await world.relay.start()
    peer.script(_owning(executor))
    since = await back(world, peer)
    await _expect_recovered_again(world, app, executor, peer, since)
