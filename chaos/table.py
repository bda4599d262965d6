"""The table of faults in docs/faults.md, made of the kinds and of what each runtime registers.

python -m chaos.table > docs/faults.md
"""

from __future__ import annotations

import importlib

from chaos import faults
from chaos.from_file import WHY_NOT
from scenarios.schedule import KINDS, Kind
from simulator.faults import faults as simulated

__all__ = ["RUNTIMES", "markdown"]

RUNTIMES = ("simulator", "process", "docker")


def markdown() -> str:
    """The whole page."""
    importlib.import_module("chaos.docker.faults")  # registers what only containers have
    lines = [
        "# Faults",
        "",
        "Made by `python -m chaos.table`. One name means the same everywhere: in the simulator, with real SDKs as",
        "processes, and in containers. Schedule files (docs/schedules.md) use these names, `relayproof chaos --faults`",
        "takes those of its runtime. SQLite has only what ends a process, and the faults of the relay.",
        "",
        "| fault | hits | what it does | arguments | simulator | process | docker | on SQLite |",
        "|---|---|---|---|---|---|---|---|",
    ]
    lines += [_row(kind) for kind in KINDS.values()]
    absent = {name: why for name, why in WHY_NOT.items() if not _runtimes(name) & {"process", "docker"}}
    lines += ["", "## Why some are only simulated", ""]
    lines += [f"- `{name}`: {why}." for name, why in absent.items()]
    return "\n".join([*lines, ""])


def _row(kind: Kind) -> str:
    arguments = ", ".join(f"`{arg.name}` {arg.default}{' ' + arg.unit if arg.unit else ''}" for arg in kind.args)
    heals = "; lasts `for_s`" if kind.heals else ""
    marks = ["yes" if runtime in _runtimes(kind.name) else "-" for runtime in RUNTIMES]
    sqlite = "yes" if kind.name in faults.names("process", "sqlite") else "-"
    cells = [f"`{kind.name}`", kind.on, kind.text, (arguments or "-") + heals, *marks, sqlite]
    return f"| {' | '.join(cells)} |"


def _runtimes(name: str) -> set[str]:
    found = {"simulator"} if name in simulated() else set()
    return found | {runtime for runtime in RUNTIMES[1:] if name in faults.names(runtime, "postgresql")}


if __name__ == "__main__":
    print(markdown(), end="")
