"""ALR-3 and ALR-4: what must not get lost."""

from __future__ import annotations

from scenarios.catalogue import scenario
from scenarios.catalogue.alerts.rules import (
    DEAD,
    FAILURES,
    FALSE,
    NOT_RECOVERED,
    TRUE,
    alerted,
    create,
    in_form,
    watched,
)
from scenarios.catalogue.envelope.calls import ready_executor
from scenarios.world import Reply, Script, World


@scenario(
    "ALR-3/nobody-takes-it",
    clauses=("ALR-3",),
    title="A dead executor that no peer takes is told as an alert",
    simulated=False,
    needs=("workflows",),
)
async def nobody_takes_it(world: World) -> None:
    app = await world.app()
    await ready_executor(world, app, version="v2")
    lost = await ready_executor(world, app, version="v1")
    receiver, told = await watched(world, FALSE)
    await create(world, app, NOT_RECOVERED, receiver=receiver)
    world.expect("ALR-3", "count", "an alert about it", executor=told.id, type="alert", at_least=1)
    await lost.drop("rst")
    alert = await alerted(world, told, stands_after=DEAD)
    named = alert is not None and lost.id in str(alert.get("metadata"))
    world.expect("ALR-3", "equal", "it names the executor", name="named", want=True, got=named)
    world.expect("ALR-3", "equal", "in the form of an alert", name="wrong", want=[], got=in_form(alert, NOT_RECOVERED))


@scenario(
    "ALR-4/refused",
    clauses=("ALR-4",),
    title="An alert that the receiving application does not take is sent again, and audited",
    simulated=False,
    needs=("workflows",),
    variants={
        "refusal": Reply(fields={"success": False}, times=1),
        "error": Reply(fields={"success": False, "error_message": "handler failed"}, times=1),
    },
)
async def refused(world: World, first: Reply) -> None:
    app, _ = await watched(world, TRUE)
    receiver = await world.app()
    told = await ready_executor(world, receiver, Script(replies={"alert": first}))
    world.expect("ALR-4", "count", "sent again", executor=told.id, type="alert", at_least=2)
    await create(world, app, FAILURES, receiver=receiver, min_interval_s=3600)
    await alerted(world, told, count=2)
    if not world.profile.can("audit"):
        return
    found: list[str] = []

    async def both() -> bool:
        entries = [each for each in await world.control.audit(receiver.org) if receiver.name in str(each)]
        found[:] = [str(each.get("status")) for each in entries if "attempt" in str(each.get("details"))]
        return len(found) >= 2

    await world.until(both, within_s=5)
    world.expect(
        "ALR-4", "equal", "each attempt is in the audit log", name="attempts", want=["failure", "success"],
        got=sorted(found),
    )  # fmt: skip
