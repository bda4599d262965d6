"""REC-6, REC-21: what a success is worth."""

from __future__ import annotations

from scenarios.catalogue import scenario
from scenarios.catalogue.liveness.moments import (
    gone,
    healthy,
    leave,
    naming,
    patience,
    read_audit,
    scripted,
    seconds,
)
from scenarios.catalogue.observing import look
from scenarios.catalogue.recovery.dispatches import HOLDS, Dispatch, Dispatches, accept
from scenarios.world import Executor, Reply, World

YES, NO = Reply(fields={"exist": True}), Reply(fields={"exist": False})


def _about(executor: Executor) -> dict[str, object]:
    return {"executor_id": executor.id, "application_version": "v1"}


@scenario(
    "REC-6/deleted",
    clauses=("REC-6",),
    title="After a success the dead executor's record is gone, and not before",
    faults=(8, 48),
    needs=("list",),
)
async def deleted(world: World) -> None:
    """The list is looked at before the peer answers: until then the record stays."""

    async def accept_later(world: World, dispatch: Dispatch) -> None:
        await world.sleep(seconds(world, "slack"))
        await look(world, app)
        await accept(world, dispatch)

    app = await world.app()
    executor, peer = await world.executor(app, version="v1"), await world.executor(app, version="v1", script=HOLDS)
    await healthy(world, executor, peer)
    dispatches = Dispatches(world, executor, [peer], [accept_later])
    await leave(world, executor)
    first = await dispatches.first()
    await gone(world, executor, within="2*slack + request")
    world.expect(
        "REC-6", "stays", "kept until the answer", executor=executor.id, statuses=["DEAD"], since=first.frame,
        until=first.end,
    )  # fmt: skip
    world.expect(
        "REC-6", "transition", "gone after it", executor=executor.id, to="GONE", after=first.end,
        latest="slack + request",
    )  # fmt: skip
    await read_audit(world, app)


@scenario(
    "REC-6/exactly-once",
    clauses=("REC-6",),
    title="A recovered executor is recovered once and stays gone",
    faults=(48,),
)
async def exactly_once(world: World) -> None:
    app = await world.app()
    executor, peer = await world.executor(app), await world.executor(app)
    await healthy(world, executor, peer)
    left = await leave(world, executor)
    await world.until_frame(peer, "recovery", within_s=patience(world, "g + recovery"), match=naming(executor))
    await gone(world, executor)
    deleted_at = world.note("recovered")
    await world.sleep(seconds(world, "g + scan + slack"))
    until = world.note("a grace period later")
    world.expect(
        "REC-6", "count", "asked once", app=app.name, type="recovery", match=naming(executor), since=left,
        until=until, at_least=1, at_most=1,
    )  # fmt: skip
    if world.profile.can("list"):
        world.expect("REC-6", "not_listed", "it stays gone", executor=executor.id, since=deleted_at, until=until)
    await read_audit(world, app)


@scenario(
    "REC-21/pending-left",
    clauses=("REC-21", "REC-6"),
    title="While rows are left after a success, the record is kept, retried and surfaced",
    faults=(1, 9, 26),
    needs=("exist_pending", "list"),
)
async def pending_left(world: World) -> None:
    """A peer that adopts some of the rows and says true, as Python does when its database restarts under it."""
    app = await world.app()
    executor = await world.executor(app, version="v1")
    peer = await world.executor(app, version="v1", script=scripted(exist_pending_workflows=[YES] * 4 + [NO]))
    await healthy(world, executor, peer)
    left = await leave(world, executor)
    asked_s = patience(world, "g + scan + recovery + request")
    await world.until_frame(peer, "exist_pending_workflows", within_s=asked_s, match=_about(executor))
    yes = world.note("the first yes")
    await look(world, app)
    await world.until_frame(peer, "exist_pending_workflows", within_s=asked_s, match=_about(executor), count=2)
    kept = world.note("the second yes")
    if world.profile.can("surfaced"):
        await world.control.surfaced(app)
    await world.until_frame(peer, "exist_pending_workflows", within_s=asked_s, match=_about(executor), count=5)
    no = world.note("the first no")
    await gone(world, executor)
    await read_audit(world, app)
    for clause in ("REC-6", "REC-21"):
        world.expect(
            clause, "stays", "kept while rows are left", executor=executor.id, statuses=["DEAD"], since=yes, until=kept
        )
    world.expect(
        "REC-6", "transition", "gone after the no", executor=executor.id, to="GONE", after=no,
        latest="slack + request",
    )  # fmt: skip
    world.expect(
        "REC-21", "count", "the recovery is retried", app=app.name, type="recovery", match=naming(executor),
        since=left, until=no, at_least=2,
    )  # fmt: skip
    world.expect("REC-21", "surfaced", "and surfaced", executor=executor.id, since=left)


@scenario(
    "REC-21/asks-before-deleting",
    clauses=("REC-21",),
    title="After a success the relay asks for pending rows of the dead executor and its version",
    faults=(1, 26),
    needs=("exist_pending",),
    variants={"answered": NO, "failed": Reply(fields={"exist": False, "error_message": "no database"}, times=1)},
)
async def asks_before_deleting(world: World, reply: Reply) -> None:
    """A look-up that failed says ``exist: false`` with an error_message: how often it is asked then is measured."""
    app = await world.app()
    executor = await world.executor(app, version="v1")
    peer = await world.executor(app, version="v1", script=scripted(exist_pending_workflows=reply))
    await healthy(world, executor, peer)
    left = await leave(world, executor)
    await world.until_frame(
        peer, "exist_pending_workflows", within_s=patience(world, "g + scan + recovery"), match=_about(executor)
    )
    await gone(world, executor, within="2*request + recovery + backoff_cap")
    until = world.note("recovered")
    world.expect(
        "REC-21", "count", "asked for the dead executor and its version", app=app.name,
        type="exist_pending_workflows", match=_about(executor), since=left, until=until, at_least=1,
    )  # fmt: skip
    if reply is not NO:
        again = await world.until_frame(peer, "exist_pending_workflows", within_s=0, match=_about(executor), count=2)
        world.expect(
            "REC-21", "value", "after a look-up that failed", name="a failed look-up is asked again",
            value=again is not None,
        )  # fmt: skip
    await read_audit(world, app)
