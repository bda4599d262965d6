"""Before an application of the profile's own is used again: whom the last scenario left behind is recovered.

Where none can be registered, a few applications serve all scenarios. Executors that died in one scenario wait for a
peer of their version; the first peers of the next scenario would be asked to recover them, amid what it wants to see.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from evidence.events import Base, Frame, Open
from evidence.window import evaluate
from scenarios.catalogue import Scenario
from scenarios.scripting import ABSENT
from scenarios.world import Executor, Script, World

DIES_WITHIN = "g + scan + 2*slack"  # LIV-7, after the end of its socket
ASKED_WITHIN = "slack + scan + backoff"  # REC-11, after a candidate joined
SETTLED_WITHIN = "2*slack"  # what follows the answer: verification, deletion


class Left(msgspec.Struct, frozen=True):
    """An executor as it introduced itself. ``asked``: its recovery had begun when the scenario ended."""

    id: str
    version: str
    language: str
    asked: bool = False


def left_behind(happened: Iterable[Base]) -> Mapping[tuple[str, str], Sequence[Left]]:
    """By organisation and application: whom the relay knows after these events of one scenario."""
    apps: dict[int, tuple[str, str]] = {}
    left: dict[tuple[str, str], dict[str, Left]] = {}
    for event in happened:
        if isinstance(event, Open):
            apps[event.conn] = event.org, event.app
        elif isinstance(event, Frame) and event.op == "text" and (said := _message(event)):
            known = left.setdefault(apps[event.conn], {})
            if event.by == "executor" and said.get("type") == "executor_info":
                id, version, language = (said.get(name) for name in ("executor_id", "application_version", "language"))
                if isinstance(id, str) and isinstance(version, str):
                    known[id] = Left(id, version, language if isinstance(language, str) else ABSENT)
            elif event.by == "relay" and said.get("type") == "recovery":
                for id in known.keys() & set(said.get("executor_ids") or ()):
                    known[id] = msgspec.structs.replace(known[id], asked=True)
    return {app: tuple(known.values()) for app, known in left.items()}


def _message(frame: Frame) -> Mapping[str, Any]:
    """Empty for what is no JSON object, or was cut short."""
    try:
        said = msgspec.json.decode(frame.data)
    except (msgspec.DecodeError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}


def clearing(org: str, name: str, left: Sequence[Left]) -> Scenario:
    """What is played between two scenarios that use the same application."""

    async def body(world: World) -> None:
        await _clear(world, org, name, left)

    return Scenario(id="CLR-1/turnover", title="Nobody is left for the next one", clauses=(), run=body)


async def _clear(world: World, org: str, name: str, left: Sequence[Left]) -> None:
    """Join as a peer of each kind, take over everybody, and leave as somebody whom no peer is a candidate for."""
    soon_s = evaluate(ASKED_WITHIN, world.timing.names())
    at_last_s = evaluate(DIES_WITHIN, world.timing.names()) + soon_s
    app = await world.app(org=org, name=name)
    redialling = Script(redial_s=world.timing.redial_s)  # the relay may be killed meanwhile
    peers: dict[tuple[str, str], Executor] = {}
    for each in left:
        kind = each.version, each.language
        if kind not in peers:
            peers[kind] = await world.executor(app, version=each.version, language=each.language, script=redialling)
    await asyncio.gather(
        *(
            world.until_frame(
                peers[each.version, each.language], "recovery", match={"executor_ids": [each.id]},
                within_s=soon_s if each.asked else at_last_s,
            )
            for each in left
        )
    )  # fmt: skip
    await world.sleep(evaluate(SETTLED_WITHIN, world.timing.names()))
    for (_, language), peer in peers.items():
        peer.script(Script())
        await world.executor(app, peer.id, version=peer.id, language=language)
