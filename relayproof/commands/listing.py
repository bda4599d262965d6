"""``relayproof list`` and ``relayproof explain ID``: what is in the catalogue, and what a clause or a scenario is."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import Annotated

from cyclopts import Parameter
from rich.console import Console
from rich.table import Table

from scenarios import catalogue, worlds
from scenarios.catalogue import Scenario
from scenarios.errors import SelectionError, UnknownWorld
from spec import Clause, claimed_clauses, clauses

PIPED_WIDTH = 200
"""Columns where stdout is no terminal."""


def list_scenarios(
    *,
    select: Annotated[tuple[str, ...], Parameter(consume_multiple=True, negative="", show_default=False)] = (),
    skip: Annotated[tuple[str, ...], Parameter(consume_multiple=True, negative="", show_default=False)] = (),
    world: str | None = None,
    plain: bool = False,
) -> int:
    """Name the scenarios.

    Parameters
    ----------
    select
        Only those whose id or clause matches one of these globs.
    skip
        Not these.
    world
        Only those that run in this world: simulated, wire or real.
    plain
        Only ids, one a line.
    """
    if world is not None and world not in worlds.names():
        raise UnknownWorld(f"there is no world {world!r}; there are {', '.join(worlds.names())}")
    _every_world()
    chosen = catalogue.select(select, skip, world=world)
    if plain:
        print("\n".join(scenario.id for scenario in chosen))
        return 0
    table = Table("id", "clauses", "worlds", "title", box=None, pad_edge=False)
    table.columns[0].no_wrap = True
    for scenario in chosen:
        table.add_row(scenario.id, " ".join(scenario.clauses), " ".join(scenario.worlds), scenario.title)
    Console(width=None if sys.stdout.isatty() else PIPED_WIDTH).print(table)
    alone = sum(scenario.worlds == ("wire",) for scenario in chosen)
    print(f"{len(chosen)} scenarios, {alone} of them on the wire only")
    return 0


def explain(id: str, /) -> int:
    """Say what a clause demands, or what a scenario does.

    Parameters
    ----------
    id
        A clause such as LIV-3, or a scenario such as LIV-3/silent-socket.
    """
    _every_world()
    known = clauses().get(id)
    print(_clause(known) if known is not None else _scenario(_found(id)))
    return 0


def _every_world() -> None:
    """Worlds bring scenarios of their own; one that can't run here has none to show."""
    for name in worlds.names():
        with suppress(UnknownWorld):
            worlds.factory(name)


def _found(id: str) -> Scenario:
    try:
        return catalogue.find(id)
    except SelectionError as problem:
        raise SelectionError(f"{problem}; and no clause is called {id!r}") from problem


def _clause(clause: Clause) -> str:
    about = [scenario for scenario in catalogue.all() if clause.id in scenario.clauses]
    claimed = "claimed" if clause in claimed_clauses() else "not claimed by this suite"
    lines = [f"{clause.id}  {clause.level}  (source: {clause.source}; {claimed})", "", clause.text, ""]
    lines += [f"  {scenario.id}  {scenario.title}" for scenario in about] or ["  no scenario"]
    return "\n".join(lines)


def _scenario(scenario: Scenario) -> str:
    lines = [scenario.id, scenario.title, ""]
    if scenario.about:
        lines += [scenario.about, ""]
    lines += [f"  {id}: {clauses()[id].text}" for id in scenario.clauses]
    lines.append(f"  worlds: {', '.join(scenario.worlds)}")
    if scenario.needs:
        lines.append(f"  needs of the profile: {', '.join(scenario.needs)}")
    if scenario.faults:
        lines.append(f"  numbers of the fault map: {', '.join(map(str, scenario.faults))}")
    if scenario.disturbs:
        lines.append("  has a relay instance of its own")
    lines.append(f"  module: {scenario.module}")
    return "\n".join(lines)
