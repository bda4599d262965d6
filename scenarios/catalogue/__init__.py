"""The catalogue: every scenario registers itself here when its module is imported.

    @scenario("LIV-3/silent-socket", clauses=("LIV-3",), title="A silent executor is disconnected after the ping wait")
    async def silent_socket(world: World) -> None: ...

Kinds of one scenario are variants; each is a scenario of its own, ``<id>/<variant>``, whose
coroutine gets the variant's name (or, from a mapping, its value) as second argument:

    @scenario("LIV-11/stale-close", clauses=("LIV-11",), title="...", variants=("fin", "rst"))
    async def stale_close(world: World, how: str) -> None: ...

Ids are ``<CLAUSE>/<slug>[/<variant>]`` and unique over the whole process, whatever the world.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
import re
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, TypeVar

from scenarios.errors import CatalogueError, SelectionError

Body = TypeVar("Body", bound=Callable[..., Coroutine[Any, Any, None]])

_ID = re.compile(r"[A-Z]{2,4}-[A-Za-z0-9_*]+(/[a-z0-9][a-z0-9._+-]*)+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Scenario:
    """One entry of the catalogue: what it is about, and the coroutine that plays it on a world."""

    id: str
    title: str
    clauses: tuple[str, ...]  # the clauses that it must show something about
    run: Callable[[Any], Coroutine[Any, Any, None]]
    worlds: tuple[str, ...] = ("simulated", "wire")
    faults: tuple[int, ...] = ()  # numbers of the fault map (spec)
    disturbs: bool = False  # needs a relay instance of its own
    needs: tuple[str, ...] = ()  # capabilities of the profile without which it is UNSUPPORTED
    documented_s: float | None = None  # how long at documented timing, where beyond 200 s
    module: str = ""
    about: str = ""  # the coroutine's docstring

    @property
    def slug(self) -> str:
        """The id as a file name without a directory."""
        return self.id.replace("/", ".")

    @property
    def family(self) -> str:
        """The letters of its clause: LIV, REC, ..."""
        return self.id.partition("-")[0]


_registered: dict[str, Scenario] = {}


def scenario(
    id: str,
    *,
    clauses: Iterable[str],
    title: str,
    faults: Iterable[int] = (),
    simulated: bool = True,
    worlds: Iterable[str] | None = None,
    disturbs: bool = False,
    needs: Iterable[str] = (),
    variants: Mapping[str, Any] | Iterable[str] = (),
    documented_s: float | None = None,
) -> Callable[[Body], Body]:
    """Register the decorated coroutine. ``simulated=False``: wire only; ``worlds`` overrides both.

    Raises `CatalogueError` for a malformed or double id and for a scenario without a clause.
    """
    if isinstance(clauses, str) or not (named := tuple(clauses)):
        raise CatalogueError(f"scenario {id!r}: clauses must be a tuple with at least one clause id: ('LIV-3',)")
    where = tuple(worlds) if worlds is not None else (("simulated", "wire") if simulated else ("wire",))

    def register(body: Body) -> Body:
        kinds = variants if isinstance(variants, Mapping) else {name: name for name in variants}
        for name, value in kinds.items() if kinds else [("", None)]:
            _add(
                Scenario(
                    id=f"{id}/{name}" if name else id,
                    title=f"{title} ({name})" if name else title,
                    clauses=named,
                    run=_bind(body, value) if name else body,
                    worlds=where,
                    faults=tuple(faults),
                    disturbs=disturbs,
                    needs=tuple(needs),
                    documented_s=documented_s,
                    module=body.__module__,
                    about=(body.__doc__ or "").strip(),
                )
            )
        return body

    return register


def _bind(body: Callable[..., Coroutine[Any, Any, None]], value: Any) -> Callable[[Any], Coroutine[Any, Any, None]]:
    return lambda world: body(world, value)


def _add(entry: Scenario) -> None:
    if not _ID.fullmatch(entry.id):
        raise CatalogueError(f"scenario id {entry.id!r}: must be <CLAUSE>/<slug>, such as LIV-3/silent-socket")
    known = _registered.get(entry.id)
    if known is not None and known.module != entry.module:
        raise CatalogueError(f"scenario id {entry.id!r} is declared twice: in {known.module} and in {entry.module}")
    if known is not None and (known.title, known.clauses) != (entry.title, entry.clauses):
        raise CatalogueError(f"scenario id {entry.id!r} is declared twice in {entry.module}")
    _registered[entry.id] = entry


def all() -> list[Scenario]:
    """Every scenario: imports the whole package; those that worlds above registered are included. Sorted by id."""
    for module in pkgutil.walk_packages(__path__, prefix=f"{__name__}."):
        importlib.import_module(module.name)
    return [_registered[id] for id in sorted(_registered, key=_natural)]


def find(id: str) -> Scenario:
    """The scenario of this id. Raises `SelectionError` with the nearest ids."""
    entries = {entry.id: entry for entry in all()}
    if id not in entries:
        raise SelectionError(f"no scenario has the id {id!r}{_hint(id, list(entries))}")
    return entries[id]


def select(patterns: Sequence[str] = (), skip: Sequence[str] = (), *, world: str | None = None) -> list[Scenario]:
    """Those whose id or one of whose clauses matches one of the patterns (none: all), without the skipped ones.

    Patterns are shell globs over whole ids, case-sensitive; ``LIV-*`` takes the ``/slug`` along, and a bare clause id
    such as ``LIV-3`` takes every scenario that declares the clause.
    Raises `SelectionError` with the nearest ids for a pattern that matches nothing.
    """
    entries = all()
    for pattern in [*patterns, *skip]:
        if not any(_matches(entry, pattern) for entry in entries):
            names = [*(entry.id for entry in entries), *sorted({each for entry in entries for each in entry.clauses})]
            raise SelectionError(f"no scenario matches {pattern!r}{_hint(pattern, names)}")
    return [
        entry
        for entry in entries
        if (world is None or world in entry.worlds)
        and (not patterns or any(_matches(entry, pattern) for pattern in patterns))
        and not any(_matches(entry, pattern) for pattern in skip)
    ]


def _hint(wanted: str, names: Sequence[str]) -> str:
    """The names that contain the text, else those that are spelled much like it."""
    near = [name for name in names if wanted.lower() in name.lower()][:5]
    near = near or difflib.get_close_matches(wanted, names, n=3)
    return f"; did you mean {', '.join(near)}?" if near else "; `relayproof list` names them"


def _matches(entry: Scenario, pattern: str) -> bool:
    names = (entry.id, *entry.clauses)
    return any(fnmatchcase(name, pattern) or fnmatchcase(name, f"{pattern}/*") for name in names)


def _natural(id: str) -> list[tuple[int, int, str]]:
    """LIV-3 before LIV-12."""
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"(\d+)", id) if part]
