"""What a defect is, and how one registers itself.

    @defect("never-pings", clauses=("LIV-1",), faults=(53,), where="core", summary="sends no pings at all")
    class NeverPings(Core): ...

The class derives from one part of the reference relay and overrides one small thing in it; which part
it replaces follows from what it derives from.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from reference_relay.core.core import Core
from reference_relay.main import Parts
from reference_relay.server.api.app import Api
from reference_relay.server.connection import Connection
from reference_relay.server.gate import Gate
from reference_relay.server.hub import Hub
from reference_relay.store.sqlite import SqliteStore

Where = Literal["core", "server"]

REPLACEABLE: dict[str, type[Any]] = {
    "core": Core,
    "hub": Hub,
    "connection": Connection,
    "gate": Gate,
    "api": Api,
    "store": SqliteStore,
}
"""The parts of a relay by the name of their field in `Parts`."""

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")

Part = TypeVar("Part", bound=type[Any])


class DefectError(Exception):
    """A defect that can't be registered or found; the text names it and the way out."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Defect:
    """One broken relay. ``clauses``: each of them is broken; ``faults``: numbers of the fault map of its kind."""

    name: str
    clauses: tuple[str, ...]
    faults: tuple[int, ...]
    where: Where
    summary: str
    part: str  # field of `Parts`
    replacement: type[Any]

    @property
    def core(self) -> type[Core]:
        """The core that runs in it; the reference's own for a defect of the server."""
        return self.replacement if self.where == "core" else Core

    @property
    def parts(self) -> Parts:
        """What `reference_relay.main.run` needs to start it."""
        replaced: dict[str, Any] = {self.part: self.replacement}
        return Parts(**replaced)


REGISTERED: dict[str, Defect] = {}


def defect(
    name: str, *, clauses: Iterable[str], where: Where, summary: str, faults: Iterable[int] = ()
) -> Callable[[Part], Part]:
    """Register the decorated class. ``where``: "core" runs in the simulated world too, "server" on the wire only.

    Raises `DefectError` for a malformed or double name, for no clause, and for a class that replaces nothing.
    """

    def register(replacement: Part) -> Part:
        part = next((field for field, base in REPLACEABLE.items() if issubclass(replacement, base)), None)
        if not _NAME.fullmatch(name):
            raise DefectError(f"defect {name!r}: give lower-case words with hyphens between them: never-pings")
        if part is None or (part == "core") != (where == "core"):
            raise DefectError(
                f"defect {name!r}: where={where!r} does not fit a class that replaces {part or 'nothing'}"
            )
        if isinstance(clauses, str) or not (broken := tuple(clauses)):
            raise DefectError(f"defect {name!r}: clauses must be a tuple with at least one clause id: ('LIV-1',)")
        known = REGISTERED.get(name)
        if known is not None and known.replacement.__module__ != replacement.__module__:
            raise DefectError(
                f"defect {name!r} is declared twice: in {known.replacement.__module__} and {replacement.__module__}"
            )
        REGISTERED[name] = Defect(
            name=name, clauses=broken, faults=tuple(faults), where=where, summary=summary, part=part,
            replacement=replacement,
        )  # fmt: skip
        return replacement

    return register
