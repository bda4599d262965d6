"""``relayproof gate``: whether a change to a relay may land."""

from __future__ import annotations

import asyncio
import shlex
import sys
import time
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from msgspec.structs import replace
from rich.console import Console

from evidence import run as evidence_run
from relayproof.durations import seconds
from relayproof.errors import INTERRUPTED
from relayproof.gate import plan as plans
from relayproof.gate import report
from relayproof.gate.parts import parts
from relayproof.gate.running import Ended, exit_code, run_all
from relayproof.relays import resolve
from scenarios.errors import UsageError
from scenarios.profile import Profile


def gate(
    *,
    relay: str = "builtin:reference",
    config: Path | None = None,
    budget: str | None = None,
    seed: int | None = None,
    results: Path = Path("results"),
) -> int:
    """Conformance on the wire, search in virtual time, chaos with real SDKs: one exit code, one page, one JUnit file.

    Exit code 0 pass, 1 fail, 2 unknown, 3 harness error (also: a canary that was not refuted), 64 wrong usage, 130
    interrupted: the reports are about the parts that had ended.

    Parameters
    ----------
    relay
        A profile's path, builtin:reference, url:http://host:port, image:NAME, or cmd:COMMAND with {port}.
    config
        gate.toml: parts, budgets, expected failures, canaries.
    budget
        For all parts together, such as 10m; theirs shrink in proportion.
    seed
        Of everything random.
    results
        Where the run's folder goes: report.html, report.md, junit.xml, and a folder for each part.
    """
    plan = plans.read(config)
    if budget is not None:
        plan = replace(plan, budget_s=seconds("--budget", budget))
    if seed is not None:
        plan = replace(plan, seed=seed)
    profile = resolve(relay)
    folder = evidence_run.new_folder(results, f"gate-{profile.name}")
    console = Console(stderr=True)

    def tell(line: str) -> None:
        console.print(line, highlight=False, markup=False, soft_wrap=True)

    began_s = time.monotonic()
    ended: list[Ended] = []
    code = INTERRUPTED
    with suppress(KeyboardInterrupt):
        chosen = list(parts(plan, relay, own=_offers_core(profile), docker=_no_docker))
        ended.extend(run_all(chosen, folder, tell, musts_fail=plan.musts_not_judged == "fail"))
        code = exit_code(ended)
    facts = [
        ("command", shlex.join(["relayproof", *sys.argv[1:]])),
        ("tool", f"relayproof {version('relayproof')}"),
        ("day", datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")),
        ("seed", str(plan.seed)),
        ("took", f"{time.monotonic() - began_s:.0f} s"),
        ("host", ", ".join(f"{name} {value}" for name, value in evidence_run.host_facts().items())),
    ]
    report.write(ended, code, relay, folder, facts)
    print(f"{report.WORDS[code]}: {sum(each.state == 'passed' for each in ended)} of {len(ended)} parts passed")
    for each in ended:
        if each.musts and plan.musts_not_judged == "count":
            print(f"{each.part.name}: {len(each.musts)} MUST clauses not judged: {', '.join(each.musts)}")
        if each.part.note:
            print(f"{each.part.name}: {each.part.note}")
    print(f"report {folder / 'report.html'}")
    return code


def _offers_core(profile: Profile) -> bool:
    """Whether the relay can run in virtual time: the reference, or a defect of its core."""
    from simulator.world import core_of

    try:
        core_of(profile)
    except UsageError:
        return False
    return True


def _no_docker() -> str:
    """Why no container can be run here; empty where one was."""
    try:
        from chaos.docker.engine import probe
    except ImportError as missing:
        return f"{missing.name} is not installed: pip install 'relayproof[chaos]'"
    found = asyncio.run(probe())
    return "" if found.proved else found.reason
