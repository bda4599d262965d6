"""ROB-3: the relay killed at any moment."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from scenarios.catalogue import scenario
from scenarios.catalogue.connection.dialing import dial
from scenarios.catalogue.envelope.calls import HELD, ready_executor
from scenarios.catalogue.handshake.answers import SILENT
from scenarios.catalogue.observing import look
from scenarios.errors import TargetError
from scenarios.world import App, Executor, Reply, Script, World


async def _idle(world: World, app: App) -> None:
    await ready_executor(world, app)


async def _amid_handshakes(world: World, app: App) -> None:
    for number in range(20):
        executor = await world.executor(app, script=SILENT if number % 2 else None, connect=False)
        await executor.connect(wait=False)


async def _amid_calls(world: World, app: App) -> None:
    executor = await ready_executor(world, app, HELD)
    for number in range(5):
        world.spawn(world.control.workflow(app, "get", f"wf-{number}"))
    await world.until_frame(executor, "get_workflow", within_s=world.timing.request_deadline_s)


async def _amid_writes(world: World, app: App) -> None:
    for number in range(40):
        world.spawn(world.control.patch_settings(app, {"executorTimeoutSecs": 30 + number}))
    await look(world, app)


async def _amid_recovery(world: World, app: App) -> None:
    peer = await ready_executor(world, app, Script(replies={"recovery": Reply(silent=True)}))
    mortal = await ready_executor(world, app)
    await mortal.drop("rst")
    timing = world.timing
    await world.until_frame(peer, "recovery", within_s=app.grace_s + timing.backoff_first_s + 5)


_MOMENTS: dict[str, Callable[[World, App], Awaitable[None]]] = {
    "idle": _idle,
    "amid-handshakes": _amid_handshakes,
    "amid-calls": _amid_calls,
    "amid-writes": _amid_writes,
    "amid-recovery": _amid_recovery,
}


@scenario(
    "ROB-3/killed",
    clauses=("ROB-3",),
    title="Killed at this moment, the relay starts again on its own data and serves",
    simulated=False,
    disturbs=True,
    needs=("restart",),
    faults=(67,),
    variants=_MOMENTS,
)
async def killed(world: World, moment: Callable[[World, App], Awaitable[None]]) -> None:
    """Its own data: the application and its key are known after the restart without being made again."""
    app = await world.app()
    await moment(world, app)
    if await _killed_and_started(world):
        await _expect_serving(world, app)


@scenario(
    "ROB-3/killed-again-and-again",
    clauses=("ROB-3",),
    title="Killed five times, at once after each start, the relay starts again on its own data",
    simulated=False,
    disturbs=True,
    needs=("restart",),
)
async def killed_again_and_again(world: World) -> None:
    app = await world.app()
    resident = await world.executor(app, script=Script(redial_s=world.timing.redial_s))
    for _ in range(5):
        if not await _killed_and_started(world):
            return
    await world.until_status(resident, "HEALTHY", within_s=world.timing.handshake_deadline_s + app.grace_s)
    await _expect_serving(world, app)


async def _killed_and_started(world: World) -> bool:
    """SIGKILL and start; whether it came up is what the clause asks first."""
    await world.relay.kill()
    try:
        await world.relay.start()
    except TargetError as problem:
        world.expect("ROB-3", "equal", "it starts again", name="start", want="ready", got=str(problem)[:500])
        return False
    return True


async def _expect_serving(world: World, app: App) -> None:
    executor = await world.executor(app, connect=False)
    conn, accepted = await _dial_until_let_in(world, executor)
    world.expect("ROB-3", "accepted", "its application and key are known again", conn=conn)
    if not accepted:
        return
    await world.until_status(executor, "HEALTHY", within_s=world.timing.handshake_deadline_s)
    await look(world, app)
    world.expect(
        "ROB-3",
        "listed",
        "and the executor registers",
        executor=executor.id,
        after=world.last("upgraded", conn=conn),
        fields={"status": "HEALTHY"},
        latest="handshake",
    )


async def _dial_until_let_in(world: World, executor: Executor) -> tuple[int, bool]:
    """As any executor does: refused, it dials again. A relay that lets few in at a time after a start is ROB-2's."""
    end_ns = world.now_ns() + int(world.timing.handshake_deadline_s * 1e9)
    while True:
        conn, accepted = await dial(world, executor)
        if accepted or world.now_ns() >= end_ns:
            return conn, accepted
        await world.sleep(world.timing.redial_s)
