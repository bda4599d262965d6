"""LIV-13, LIV-19: an executor that returns after it was declared DEAD."""

from __future__ import annotations

from scenarios.catalogue import scenario
from scenarios.catalogue.liveness.moments import (
    back,
    die,
    expect_stays,
    healthy,
    introduced,
    naming,
    patience,
    read_audit,
    scripted,
    seconds,
)
from scenarios.errors import Prerequisite
from scenarios.world import Executor, Reply, Script, World

NOT_LOCKED_OUT_BY = "recovery + w + i + 2*slack + redial"  # "not for good": the longest that a dispatch can hold it up
HELD = "g + scan + 2*slack"


async def _expect_lives_again(world: World, executor: Executor, returned: int) -> None:
    executor.script(Script(redial_s=world.timing.redial_s))
    at_once = await world.until_status(executor, "HEALTHY", within_s=patience(world, "slack"))
    if not at_once:
        await world.until_status(executor, "HEALTHY", within_s=patience(world, NOT_LOCKED_OUT_BY))
    for clause, latest in (("LIV-19", "2*slack"), ("LIV-13", NOT_LOCKED_OUT_BY)):
        world.expect(
            clause, "listed", "HEALTHY again", executor=executor.id, after=returned,
            fields={"status": "HEALTHY"}, latest=latest,
        )  # fmt: skip


@scenario(
    "LIV-13/only-executor",
    clauses=("LIV-13", "LIV-19"),
    title="The only executor of an application returns after it was declared DEAD",
    faults=(35,),
    needs=("list",),
)
async def only_executor(world: World) -> None:
    app = await world.app()
    executor = await world.executor(app)
    await healthy(world, executor)
    await die(world, executor)
    returned = await back(world, executor)
    await _expect_lives_again(world, executor, returned)
    since = world.note("lives again")
    await world.sleep(seconds(world, HELD))
    until = world.note("a grace period later")
    expect_stays(world, "LIV-13", "and stays so", executor, "HEALTHY", since=since, until=until)
    world.expect("LIV-13", "open", "its socket stays open", conn=executor.conn, since=since, until=until)
    await read_audit(world, app)


@scenario(
    "LIV-13/late-acknowledgement",
    clauses=("LIV-13", "LIV-19"),
    title="A recovery acknowledged after the executor's return deletes no live record",
    faults=(10, 35),
    needs=("list",),
    variants={
        "success": {"success": True},
        "refusal": {"success": False},
        "error": {"success": False, "error_message": "the database was away"},
    },
)
async def late_acknowledgement(world: World, fields: dict[str, object]) -> None:
    app = await world.app()
    executor = await world.executor(app)
    peer = await world.executor(app, script=scripted(recovery=Reply(silent=True)))
    await healthy(world, executor, peer)
    await die(world, executor)
    dispatch = await world.until_frame(peer, "recovery", within_s=patience(world, "recovery"), match=naming(executor))
    if dispatch is None:
        raise Prerequisite("the peer was never asked to recover the dead executor")
    returned = await back(world, executor)
    await _expect_lives_again(world, executor, returned)
    since = world.note("the peer answers now")
    await peer.send({"type": "recovery", "request_id": dispatch["request_id"], **fields})
    await world.sleep(seconds(world, "request + " + HELD))
    until = world.note("held long enough for a deletion")
    expect_stays(world, "LIV-13", "the live record stays", executor, "HEALTHY", since=since, until=until)
    world.expect("LIV-13", "open", "its socket stays open", conn=executor.conn, since=since, until=until)
    await read_audit(world, app)


@scenario(
    "LIV-13/crossing",
    clauses=("LIV-13",),
    title="The acknowledgement crosses the executor's return",
    faults=(10, 35),
    needs=("list",),
)
async def crossing(world: World) -> None:
    """Whichever comes first at the relay: in the end the connected executor is HEALTHY and nothing takes that away.

    A relay that asks whether work is left gets its answer only once the executor is back.
    """
    app = await world.app()
    executor = await world.executor(app)
    late = Reply(fields={"exist": False}, after_s=seconds(world, "request / 2"))
    peer = await world.executor(app, script=scripted(recovery=Reply(silent=True), exist_pending_workflows=late))
    await healthy(world, executor, peer)
    await die(world, executor)
    dispatch = await world.until_frame(peer, "recovery", within_s=patience(world, "recovery"), match=naming(executor))
    if dispatch is None:
        raise Prerequisite("the peer was never asked to recover the dead executor")
    executor.script(Script(redial_s=world.timing.redial_s))
    answer = {"type": "recovery", "request_id": dispatch["request_id"], "success": True}
    await world.gather(peer.send(answer), executor.connect())
    returned = introduced(world, executor)
    await world.until_status(executor, "HEALTHY", within_s=patience(world, NOT_LOCKED_OUT_BY))
    world.expect(
        "LIV-13", "listed", "HEALTHY again", executor=executor.id, after=returned,
        fields={"status": "HEALTHY"}, latest=NOT_LOCKED_OUT_BY,
    )  # fmt: skip
    since = world.note("it is listed HEALTHY")
    # A deletion that was under way comes to its end in this time.
    await world.sleep(seconds(world, f"request + {HELD}"))
    until = world.note("a grace period later")
    expect_stays(world, "LIV-13", "and stays so", executor, "HEALTHY", since=since, until=until)
    await read_audit(world, app)


@scenario(
    "LIV-13/fleet",
    clauses=("LIV-13",),
    title="A whole fleet cut off for longer than the grace period comes back one by one",
    faults=(35,),
    needs=("list",),
)
async def fleet(world: World) -> None:
    """The first one back may be asked to recover the others; each that is back is HEALTHY and stays so."""
    app = await world.app()
    executors = [await world.executor(app) for _ in range(4)]
    await healthy(world, *executors)
    for executor in executors:
        await executor.drop("rst")
    for executor in executors:
        await world.until_status(executor, "DEAD", "GONE", within_s=patience(world, "g + scan + 2*slack"))
    returned = [await back(world, executor) for executor in reversed(executors)][::-1]
    for executor, moment in zip(executors, returned, strict=True):
        await world.until_status(executor, "HEALTHY", within_s=patience(world, NOT_LOCKED_OUT_BY))
        world.expect(
            "LIV-13", "listed", "HEALTHY again", executor=executor.id, after=moment,
            fields={"status": "HEALTHY"}, latest=NOT_LOCKED_OUT_BY,
        )  # fmt: skip
    await world.sleep(seconds(world, "request"))
    settled = world.note("the dust has settled")
    await world.sleep(seconds(world, HELD))
    until = world.note("a grace period later")
    for executor in executors:
        expect_stays(world, "LIV-13", "and stays so", executor, "HEALTHY", since=settled, until=until)
    await read_audit(world, app)
