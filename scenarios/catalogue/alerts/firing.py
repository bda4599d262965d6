"""ALR-1, ALR-2, ALR-5: when a rule speaks, to whom, and what it says."""

from __future__ import annotations

from scenarios.catalogue import scenario
from scenarios.catalogue.alerts.rules import (
    ABSENT,
    CHECKED_IN_VAIN_S,
    FAILURES,
    FALSE,
    SLOW,
    TRUE,
    UNRESPONSIVE,
    Rule,
    alerted,
    create,
    in_form,
    watched,
)
from scenarios.catalogue.envelope.calls import ready_executor
from scenarios.world import World

_LONG_S = 3600


@scenario(
    "ALR-1/condition",
    clauses=("ALR-1", "ALR-2", "MSG-alert"),
    title="A rule whose condition sets in tells the receiving application, once within its minimum interval",
    simulated=False,
    needs=("workflows",),
    variants={"workflow-failure": FAILURES, "slow-queue": SLOW},
)
async def condition(world: World, rule: Rule) -> None:
    app, source = await watched(world, TRUE)
    receiver, told = await watched(world, FALSE)
    await create(world, app, rule, receiver=receiver, min_interval_s=_LONG_S)
    alert = await alerted(world, told)
    world.expect(
        "ALR-1", "count", "an executor of the receiving application is told", executor=told.id, type="alert",
        at_least=1, match={"name": rule.type},
    )  # fmt: skip
    for clause in ("ALR-1", "MSG-alert"):
        world.expect(
            clause, "equal", "name, message, metadata of texts", name="wrong", want=[], got=in_form(alert, rule)
        )
    world.expect("ALR-1", "count", "and nobody else", executor=source.id, type="alert", at_most=0)
    await world.sleep(CHECKED_IN_VAIN_S)
    world.expect(
        "ALR-2", "count", "fired on its condition, and not again within the interval", executor=told.id, type="alert",
        at_least=1, at_most=1,
    )  # fmt: skip


@scenario(
    "ALR-1/unresponsive",
    clauses=("ALR-1", "ALR-2", "MSG-alert"),
    title="An application whose last executor left is reported to another application",
    simulated=False,
    needs=("workflows",),
)
async def unresponsive(world: World) -> None:
    app, last = await watched(world, FALSE)
    receiver, told = await watched(world, FALSE)
    await create(world, app, UNRESPONSIVE, receiver=receiver, min_interval_s=_LONG_S)
    await world.sleep(CHECKED_IN_VAIN_S)
    left = world.note("the last executor leaves")
    await last.close()
    alert = await alerted(world, told, stands_after=ABSENT)
    world.expect("ALR-2", "no_frame", "not while somebody is there", executor=told.id, type="alert", until=left)
    world.expect("ALR-2", "count", "fired", executor=told.id, type="alert", since=left, at_least=1)
    world.expect("ALR-1", "count", "the other application is told", executor=told.id, type="alert", at_least=1)
    for clause in ("ALR-1", "MSG-alert"):
        wrong = in_form(alert, UNRESPONSIVE)
        world.expect(clause, "equal", "name, message, metadata of texts", name="wrong", want=[], got=wrong)


@scenario(
    "ALR-2/false-condition",
    clauses=("ALR-2",),
    title="Rules whose conditions do not hold say nothing",
    simulated=False,
    needs=("workflows",),
)
async def false_condition(world: World) -> None:
    """A rule beside them, whose condition holds, shows that the relay has looked."""
    app, executor = await watched(world, FALSE)
    control, told = await watched(world, TRUE)
    for rule in (FAILURES, SLOW):
        await create(world, app, rule)
    await create(world, control, FAILURES)
    await alerted(world, told)
    await world.sleep(CHECKED_IN_VAIN_S)
    world.expect("ALR-2", "count", "the relay does look", executor=told.id, type="alert", at_least=1)
    world.expect("ALR-2", "no_frame", "nothing to say", executor=executor.id, type="alert")


@scenario(
    "ALR-5/again",
    clauses=("ALR-5",),
    title="While its condition stands, a rule fires again when the minimum interval is over",
    simulated=False,
    needs=("workflows",),
)
async def again(world: World) -> None:
    app = await world.app()
    executor = await ready_executor(world, app)
    receiver, told = await watched(world, FALSE)
    await executor.close()
    await create(world, app, UNRESPONSIVE, receiver=receiver, min_interval_s=2)
    await alerted(world, told, stands_after=ABSENT)
    await alerted(world, told, count=2)
    world.expect("ALR-5", "count", "once more, at least", executor=told.id, type="alert", at_least=2)
