"""Relays that are broken on purpose, one defect each: proof that the scenarios see what they claim to see.

    python -m broken_relays --list
    python -m broken_relays never-pings --port 8090

`all_defects` and `find` give them to the kill matrix and to the simulator.
"""

from __future__ import annotations

import importlib
import pkgutil
from difflib import get_close_matches
from fnmatch import fnmatchcase

from broken_relays import defects
from broken_relays.defect import REGISTERED, Defect, DefectError

__all__ = ["Defect", "DefectError", "all_defects", "find", "select"]


def all_defects() -> list[Defect]:
    """Every defect, by name: imports the whole package of defects."""
    for module in pkgutil.walk_packages(defects.__path__, prefix=f"{defects.__name__}."):
        importlib.import_module(module.name)
    return [REGISTERED[name] for name in sorted(REGISTERED)]


def find(name: str) -> Defect:
    """The defect of this name. Raises `DefectError` with the nearest names."""
    known = {each.name: each for each in all_defects()}
    if name not in known:
        near = get_close_matches(name, known, n=3) or [each for each in known if name.lower() in each][:3]
        hint = f"did you mean {', '.join(near)}?" if near else "--list names them"
        raise DefectError(f"there is no broken relay {name!r}; {hint}")
    return known[name]


def select(pattern: str) -> list[Defect]:
    """Those whose name, or one of whose clauses, matches the shell glob. Raises `DefectError` where none does."""
    found = [each for each in all_defects() if any(fnmatchcase(text, pattern) for text in (each.name, *each.clauses))]
    if not found:
        raise DefectError(f"no broken relay matches {pattern!r}; python -m broken_relays --list names them")
    return found
