"""LIV-9: the grace period of an application that says nothing, and of one that the relay's configuration names."""

from __future__ import annotations

import math

from conductor.timing import DOCUMENTED
from scenarios.catalogue import scenario
from scenarios.catalogue.api.paths import app_path
from scenarios.catalogue.liveness.grace import TIMEOUT
from scenarios.catalogue.liveness.moments import DEAD_BY, DEAD_FROM, healthy, leave, patience, scripted
from scenarios.errors import Prerequisite, Unsupported
from scenarios.world import Reply, World

CONFIGURED = "configured_application"
"""A profile names by this an application that the relay's configuration gives a grace period of its own."""


def _default_s(world: World) -> int:
    """60 by the contract. The suite starts a builtin with the run's timing, whose grace period is its default then."""
    return math.ceil(DOCUMENTED.grace_s if world.profile.builtin is None else world.timing.grace_s)


@scenario(
    "LIV-9/default",
    clauses=("LIV-9",),
    title="An application that was made without settings has the default grace period",
    simulated=False,
    needs=("register", "settings"),
)
async def default(world: World) -> None:
    """As the API shows it: at documented timing waiting for it would show no more."""
    app = await world.app(register=False)
    made = await world.control.http("PUT", app_path(app), json={}, org=app.org)
    if made.status // 100 != 2:
        raise Prerequisite(f"application {app.name} can't be registered: status {made.status}")
    shown = await world.control.http("GET", app_path(app), org=app.org)
    world.expect(
        "LIV-9", "answer", "the default grace period", call=shown.call, status=[200],
        body={TIMEOUT: _default_s(world)},
    )  # fmt: skip


@scenario(
    "LIV-9/wins-over-the-file",
    clauses=("LIV-9",),
    title="A changed grace period wins over the configuration file, and still does after a restart",
    simulated=False,
    needs=("settings", "restart", "list"),
    disturbs=True,
)
async def wins_over_the_file(world: World) -> None:
    """Needs an application that the relay's configuration names: at its start the relay reads the file again."""
    own = world.profile.builtin is not None  # the suite writes the file of a builtin
    name = (world.profile.all_names() if own else world.profile.names).get(CONFIGURED)
    if name is None:
        raise Unsupported(f"the profile names no {CONFIGURED}: an application of the relay's configuration file")
    as_configured = await world.app(name=name, register=False)
    shown = await world.control.http("GET", app_path(as_configured), org=as_configured.org)
    configured_s = shown.body.get(TIMEOUT) if isinstance(shown.body, dict) else None
    grace_s = math.ceil(world.timing.grace_s)
    if configured_s in (None, grace_s):
        raise Prerequisite(f"the file gives {name} {configured_s} s: give it another grace period than {grace_s} s")
    app = await world.app(name=name)  # its settings are changed to the run's grace period
    await world.relay.kill()
    await world.relay.start()
    shown = await world.control.http("GET", app_path(app), org=app.org)
    world.expect(
        "LIV-9", "answer", "still the changed grace period", call=shown.call, status=[200], body={TIMEOUT: grace_s}
    )
    executor = await world.executor(app)
    peer = await world.executor(app, script=scripted(recovery=Reply(silent=True)))
    await healthy(world, executor, peer)
    left = await leave(world, executor)
    await world.until_status(executor, "DEAD", within_s=patience(world, DEAD_BY))
    world.expect(
        "LIV-9", "transition", "DEAD after the changed grace period, not the file's", executor=executor.id, to="DEAD",
        after=left, earliest=DEAD_FROM, latest=DEAD_BY,
    )  # fmt: skip
