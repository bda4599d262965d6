"""What struck whom: the names of faults as a schedule gives them, and what a tour was for and never did."""

from __future__ import annotations

from evidence.events import Fault, Note
from evidence.history import History
from evidence.outcomes import weigh

__all__ = ["EVERYBODY", "name_of", "never_struck"]

EVERYBODY = ("relay", "database")
"""Instead of an executor: the fault strikes every SDK of the run."""
_BESIDE = frozenset({"added-request", "stand-in"})
"""What the harness did for a fault that has an event of its own."""


def name_of(event: Fault) -> str | None:
    """As in the schedule: a process that was killed for another fault's sake counts there. None: it is no blow."""
    if event.kind.endswith("-over") or event.kind in _BESIDE:
        return None
    return str(event.detail.get("cause") or event.kind)


def never_struck(history: History) -> tuple[str, ...]:
    """Of a tour, what it was for and did not do: "fault SDK" each. Empty for any other run.

    A fault that has struck executors has struck their SDKs, also where the relay had its part in it.
    """
    wanted = [name for note in history.of(Note) if note.text == "schedule" for name in note.detail.get("every", ())]
    if not wanted:
        return ()
    processes = weigh(history).processes
    languages = sorted({process.language for process in processes.values()})
    victims: dict[str, set[str]] = {}
    for event in history.of(Fault):
        if (name := name_of(event)) is not None:
            struck = victims.setdefault(name, set())
            if event.executor in processes:
                struck.add(processes[event.executor].language)
    did = {name: struck or set(languages) for name, struck in victims.items()}
    return tuple(f"{name} {language}" for name in wanted for language in languages if language not in did.get(name, ()))
