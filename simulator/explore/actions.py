"""What may happen next to a machine: the same list for every way of searching it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from reference_relay.core import Core
from simulator.explore.model import Model
from simulator.explore.outside import Outside


class Action(NamedTuple):
    """A verb of `simulator.explore.machine.Machine` and its arguments."""

    verb: str
    args: tuple[Any, ...] = ()


TICK = Action("tick")
DIE = Action("die")


def possible(model: Model, core: Core, outside: Outside) -> Iterator[Action]:
    """In an order that depends on the state alone."""
    if core.next_due_ns is not None and _may_pass(model, core.next_due_ns, outside):
        yield TICK
    for index, member in enumerate(model.members):
        if len(outside.conns_of(member)) < model.sockets:
            yield Action("dial", (index,))
    for frame in outside.frames.values():
        if not outside.conns[frame.conn].silent:
            for kind in model.answers.get(frame.type, ("ok",)):
                yield Action("answer", (frame.request_id, kind))
    silent = sum(conn.silent for conn in outside.conns.values())
    for conn in outside.conns.values():
        if conn.member.mortal:
            yield Action("drop", (conn.number,))
            if silent < model.silent and not conn.silent and (conn.introduced or model.silent_strangers):
                yield Action("silence", (conn.number,))
        if model.stray and not conn.silent:
            yield Action("stray", (conn.number,))
        if model.binary and not conn.silent:
            yield Action("binary", (conn.number,))
            yield Action("ping", (conn.number,))
            yield Action("part", (conn.number,))
            yield Action("revoke", (conn.number,))
    yield from _management(model, outside)
    if model.crashes:
        yield DIE


def _management(model: Model, outside: Outside) -> Iterator[Action]:
    for index, application in enumerate(model.applications):
        there = outside.settings.get(application)
        for number, settings in enumerate(model.settings):
            if settings != there and (there is not None or number == 0):
                yield Action("settings", (index, number))
        if there is not None:
            if model.removal:
                yield Action("remove", (index,))
            for version in model.told_versions:
                if outside.latest.get(application) != version:
                    yield Action("tell", (index, version))
        if len(outside.calls) < model.calls:
            yield Action("call", (index,))
    for call_id in outside.calls:
        yield Action("abandon", (call_id,))


def _may_pass(model: Model, due_ns: int, outside: Outside) -> bool:
    """Time may pass unless more recovery frames than the model allows would then be late and still be answerable."""
    late = 0
    for frame in outside.frames.values():
        if frame.type == "recovery" and frame.due_ns <= due_ns and not outside.conns[frame.conn].silent:
            late += 1
    return late <= model.overdue
