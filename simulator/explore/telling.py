"""A counter-example in words, step by step."""

from __future__ import annotations

from collections.abc import Iterator

from reference_relay.core import Core
from reference_relay.core.config import NS
from reference_relay.core.effects import Audit, CallDone, Close, Effect, Log, Save, Send
from reference_relay.core.records import Executor
from simulator.explore.actions import Action
from simulator.explore.errors import Violation
from simulator.explore.machine import START_NS, Machine
from simulator.explore.model import Model
from simulator.explore.search import Counterexample


def tell(model: Model, found: Counterexample, core: type[Core] = Core) -> Iterator[str]:
    """One line a step, indented below it what the relay does, and what is wrong at the end."""
    machine = Machine(model, core)
    machine.story = []
    yield f"model {model.name}: {model.text}"
    for number, (action, crash) in enumerate(found.steps, 1):
        words = in_words(machine, action)
        wrong = None
        try:
            machine.do(action, crash)
            if number == len(found.steps):
                machine.check()
        except Violation as violation:
            wrong = violation
        at_s = (machine.outside.now_ns - START_NS) / NS
        where = f"; the relay dies {crash}" if crash else ""
        yield f"{number:3}. {at_s:5g} s  {words}{where}"
        for _, effects in machine.story:
            for effect in effects:
                if (line := _effect(machine, effect)) is not None:
                    yield f"               {line}"
        if wrong is not None:
            yield f"     BROKEN  {wrong}"
            return
    yield f"     BROKEN  {found.clause}: {found.text}"


def in_words(machine: Machine, action: Action) -> str:
    """What is about to happen."""
    out, model, (verb, args) = machine.outside, machine.model, action
    match verb:
        case "tick":
            return "time passes"
        case "die":
            return "the relay dies and starts again"
        case "dial":
            return f"{model.members[args[0]].id} dials"
        case "answer":
            frame = out.frames[args[0]]
            about = f" about {frame.about.executor_id}" if frame.about is not None and frame.about.executor_id else ""
            return f"{out.conns[frame.conn].member.id} answers {frame.type}{about}: {args[1]}"
        case "drop":
            return f"the connection of {out.conns[args[0]].member.id} ends"
        case "silence":
            return f"{out.conns[args[0]].member.id} falls silent"
        case "stray":
            return f"{out.conns[args[0]].member.id} sends an answer that nobody asked for"
        case "binary":
            return f"{out.conns[args[0]].member.id} sends a binary message"
        case "ping" | "part":
            return f"{out.conns[args[0]].member.id} sends a {verb if verb == 'ping' else 'part of a message'}"
        case "revoke":
            return f"the key of {out.conns[args[0]].member.id} is revoked"
        case "settings":
            return f"{model.applications[args[0]].app} is set to {model.settings[args[1]]}"
        case "remove":
            return f"{model.applications[args[0]].app} is deleted"
        case "tell":
            return f"the latest version of {model.applications[args[0]].app} is said to be {args[1]}"
        case "call":
            return f"an administrator lists the workflows of {model.applications[args[0]].app}"
        case _:
            return f"{verb} {args}"


def _effect(machine: Machine, effect: Effect) -> str | None:
    match effect:
        case Send(conn, type_, request_id, data):
            peer = machine.outside.conns.get(conn)
            detail = f" {data.decode()}" if type_ in ("recovery", "exist_pending_workflows") else ""
            return f"-> {peer.member.id if peer else conn}: {type_} ({request_id}){detail}"
        case Close(conn, code, reason):
            return f"closes connection {conn}: {code} {reason}"
        case Save(key, record, table):
            what = record.status.value if isinstance(record, Executor) else "deleted" if record is None else "kept"
            return f"stores {table} {key[-1]}: {what}"
        case Audit(_, operation, _, _, details):
            told = ", ".join(f"{name} {value}" for name, value in details.items() if name != "applicationVersion")
            return f"audits {operation}: {told}"
        case CallDone(call_id, outcome):
            return f"call {call_id} ends: {outcome.value}"
        case Log(_, event, _):
            return f"logs: {event}"
        case _:
            return None
