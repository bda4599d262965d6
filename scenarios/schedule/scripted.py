"""A schedule as a scenario: scripted executors in place of SDKs, in every world, against any relay.

What depends on the workload, on hosts or on the relay's store can't be expressed: `Unsupported` names it. Times are
stretched from the schedule's ping wait and grace to the world's own.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any

from msgspec.structs import replace

from scenarios.errors import Unsupported
from scenarios.schedule.file import FaultAt, Member, Schedule
from scenarios.world import App, Executor, Reply, Script, World

_REDIAL_S = 1.0


class Players:
    """The members of one schedule in one world: who runs under which label now."""

    def __init__(self, world: World, schedule: Schedule) -> None:
        timing, own = world.timing, schedule.timing_profile
        self.world = world
        self.schedule = schedule
        self.factor = (timing.ping_wait_s + timing.grace_s) / (own.ping_wait_s + own.grace_s)
        self.apps: dict[str, App] = {}
        self.playing: dict[str, Executor] = {}
        self.scripts: dict[str, Script] = {}
        self.living: set[str] = set()
        self._starts: dict[str, int] = {}

    async def begin(self) -> None:
        for member in self.schedule.executors:
            if member.app not in self.apps:
                org = "other" if "/" in member.app else None
                self.apps[member.app] = await self.world.app(org=org, settings=self.schedule.settings)
        for member in self.schedule.executors:
            await self.start(member)

    async def start(self, member: Member) -> None:
        """A fresh process: a new executor id."""
        number = self._starts[member.label] = self._starts.get(member.label, 0) + 1
        script = self.scripts.setdefault(member.label, Script(redial_s=_REDIAL_S * self.factor))
        self.playing[member.label] = await self.world.executor(
            self.apps[member.app], f"{member.label}.{number}", version=member.version, language=member.language,
            script=script,
        )  # fmt: skip
        self.living.add(member.label)

    def member(self, label: str) -> Member:
        return next(member for member in self.schedule.executors if member.label == label)

    def script(self, label: str, **changes: Any) -> None:
        self.scripts[label] = replace(self.scripts[label], **changes)
        self.playing[label].script(self.scripts[label])

    async def sleep(self, seconds: float) -> None:
        await self.world.sleep(seconds * self.factor)

    async def end(self, label: str, how: str) -> None:
        """The process is gone: nobody dials again under its id."""
        executor = self.playing[label]
        executor.script(replace(self.scripts[label], redial_s=None))
        self.living.discard(label)
        if how == "stop":
            await executor.close()
        else:
            await executor.drop("kill")


async def follow(world: World, schedule: Schedule) -> None:
    """Play the schedule, heal, and expect everybody who lives, and nobody else, on the list."""
    for fault in schedule.faults:
        if fault.fault not in _PLAYED:
            raise Unsupported(f"{fault.fault} can't be played by scripted executors: use relayproof chaos, or simulate")
    if schedule.calls:
        raise Unsupported("its calls go to a relay's core: relayproof conform --select 'MSG-*' makes them on the wire")
    players = Players(world, schedule)
    await players.begin()
    mark = world.note("the schedule begins", schedule=schedule.name)
    strikes = [world.spawn(_strike(players, fault)) for fault in schedule.faults]
    await players.sleep(schedule.duration_s)
    for strike in strikes:
        await strike
    for label, script in players.scripts.items():
        players.scripts[label] = Script(redial_s=script.redial_s)
        if label in players.living:
            players.playing[label].script(players.scripts[label])
    await _converged(world, players, mark)


async def _converged(world: World, players: Players, mark: int) -> None:
    t = world.timing
    longest_s = t.ping_wait_s + t.ping_interval_s + 2 * t.grace_s + t.recovery_deadline_s + 2 * t.backoff_cap_s + 5.0
    for name, app in players.apps.items():
        labels = sorted(label for label in players.living if players.member(label).app == name)
        wanted = {players.playing[label].id: "HEALTHY" for label in labels}
        groups = {(players.member(label).version, players.member(label).language) for label in labels}
        seen: dict[str, str] = {}

        await world.until(partial(_shown, world, app, seen, wanted), within_s=longest_s)
        # Whose version and language has nobody left stays DEAD: nobody may be asked about it (REC-13).
        kinds = {f"{label}.": players.member(label) for label in players.scripts}
        stays = {
            id: status for id, status in seen.items() if id not in wanted
            and not any(id.startswith(own) and (m.version, m.language) in groups for own, m in kinds.items())
        }  # fmt: skip
        world.expect(
            "REC-1", "equal", "after the healing the living are HEALTHY and the dead are recovered",
            name=f"the list of {name}", want=wanted,
            got={id: status for id, status in seen.items() if id not in stays}, events=(mark,),
        )  # fmt: skip
    for org in dict.fromkeys(app.org for app in players.apps.values()):
        await world.control.audit(org)


async def _shown(world: World, app: App, seen: dict[str, str], wanted: Mapping[str, str]) -> bool:
    """Whether the list is as wanted; ``seen`` becomes what it is."""
    seen.clear()
    seen.update({each.executor: each.status for each in await world.control.executors(app)})
    return seen == wanted


async def _strike(players: Players, fault: FaultAt) -> None:
    await players.sleep(fault.at_s)
    if fault.kind.on in ("executor", "link") and not fault.kind.all and fault.on not in players.living:
        return
    await _PLAYED[fault.fault](players, fault)


async def _for(players: Players, fault: FaultAt) -> None:
    rest_s = players.schedule.duration_s - fault.at_s
    await players.sleep(rest_s if fault.for_s is None else min(fault.for_s, rest_s))


async def _kill(players: Players, fault: FaultAt) -> None:
    await players.end(fault.on, "kill")


async def _stop(players: Players, fault: FaultAt) -> None:
    await players.end(fault.on, "stop")


async def _restart(players: Players, fault: FaultAt) -> None:
    await players.end(fault.on, "kill")
    await players.sleep(float(fault.values["down_s"]))
    await players.start(players.member(fault.on))


async def _kill_all(players: Players, fault: FaultAt) -> None:
    struck = sorted(players.living)
    for label in struck:
        await players.end(label, "kill")
    await players.sleep(float(fault.values["down_s"]))
    for label in struck:
        await players.start(players.member(label))


async def _silence(players: Players, fault: FaultAt) -> None:
    executor = players.playing[fault.on]
    conn = executor.conn
    await executor.freeze(conn=conn)
    await _for(players, fault)
    if fault.on in players.living and players.playing[fault.on] is executor:
        await executor.thaw(conn=conn)


async def _cut(players: Players, fault: FaultAt) -> None:
    await players.playing[fault.on].drop("fin")


async def _reset(players: Players, fault: FaultAt) -> None:
    await players.playing[fault.on].drop("rst")


async def _half_open(players: Players, fault: FaultAt) -> None:
    await players.playing[fault.on].freeze()
    await players.playing[fault.on].connect()


async def _late_close(players: Players, fault: FaultAt) -> None:
    executor = players.playing[fault.on]
    old = executor.conn
    await executor.freeze(conn=old)
    await executor.connect()
    await players.sleep(float(fault.values["late_s"]))
    await executor.drop("rst", conn=old)


async def _twin(players: Players, fault: FaultAt) -> None:
    await players.playing[fault.on].connect()


async def _relay_kill(players: Players, fault: FaultAt) -> None:
    await players.world.relay.restart(float(fault.values["down_s"]) * players.factor)


async def _both_killed(players: Players, fault: FaultAt) -> None:
    await players.end(fault.on, "kill")
    await _relay_kill(players, fault)


async def _settings(players: Players, fault: FaultAt) -> None:
    app = players.apps[players.member(fault.on).app]
    changes: dict[str, Any] = {}
    if fault.values["grace_s"]:
        changes["executorTimeoutSecs"] = max(1, round(float(fault.values["grace_s"]) * players.factor))
    if fault.values["latest"] != "as-is":
        changes["recoverToLatestVersion"] = fault.values["latest"] == "on"
    await players.world.control.patch_settings(app, changes)


def _saying(replies: Callable[[FaultAt, float], Mapping[str, Reply | Sequence[Reply]]]) -> _Played:
    """Answers requests in another way for a while."""

    async def say(players: Players, fault: FaultAt) -> None:
        players.script(fault.on, replies=replies(fault, players.factor))
        await _for(players, fault)
        if fault.on in players.living:
            players.script(fault.on, replies={})

    return say


def _refusal(fault: FaultAt, factor: float) -> dict[str, Reply]:
    error = fault.values["how"] == "error"
    fields = {"success": not error, **({"error_message": "no"} if error else {})}
    return {"recovery": Reply(fields=fields if error else {"success": False})}


_ASKED = ("recovery", "exist_pending_workflows", "get_workflow_aggregates", "list_application_versions")

_Played = Callable[[Players, FaultAt], Awaitable[None]]
_PLAYED: dict[str, _Played] = {
    "kill": _kill, "stop": _stop, "restart": _restart, "kill-all": _kill_all, "pause": _silence,
    "disconnect": _silence, "cut": _cut, "reset": _reset, "half-open": _half_open, "late-close": _late_close,
    "twin": _twin, "relay-kill": _relay_kill, "relay-away": _relay_kill, "relay-and-executor-kill": _both_killed,
    "settings": _settings, "refuse-recovery": _saying(_refusal),
    "lying-ack": _saying(lambda fault, factor: {"recovery": Reply(fields={"success": True})}),
    "deaf": _saying(lambda fault, factor: {type: Reply(silent=True) for type in _ASKED}),
    "late-answer": _saying(
        lambda fault, factor: {type: Reply(after_s=float(fault.values["after_s"]) * factor) for type in _ASKED}
    ),
}  # fmt: skip
"""What scripted executors can play, by the fault's name."""
