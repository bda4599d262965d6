"""ROB-2: everybody back at once."""

from __future__ import annotations

from scenarios.catalogue import scenario
from scenarios.catalogue.observing import look
from scenarios.world import Script, World

_EXECUTORS = 50


@scenario(
    "ROB-2/fifty",
    clauses=("ROB-2",),
    title="Fifty executors that reconnect at once after a restart are HEALTHY within the grace period",
    simulated=False,
    disturbs=True,
    needs=("restart",),
    faults=(32, 46),
)
async def fifty(world: World) -> None:
    app = await world.app()
    script = Script(redial_s=world.timing.redial_s)
    executors = [await world.executor(app, script=script) for _ in range(_EXECUTORS)]
    await world.relay.kill()
    since = world.note("the relay is killed")
    await world.relay.start()
    ready = world.last("relay", what="ready")
    for executor in executors:
        if not await world.until_status(executor, "HEALTHY", within_s=app.grace_s):
            break  # then it is too late for the others as well
    for executor in executors:
        world.expect(
            "ROB-2",
            "listed",
            "back within g",
            executor=executor.id,
            after=ready,
            fields={"status": "HEALTHY"},
            latest="g",
        )
    await world.sleep(app.grace_s)  # what a relay would wrongly recover, it recovers now
    await look(world, app)
    world.expect("ROB-2", "no_frame", "nobody is recovered", app=app.name, type="recovery", since=since, until=None)
