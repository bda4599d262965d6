"""The job "scenarios": every scenario of the simulated world under many seeds, each judged in full."""

from __future__ import annotations

import hashlib
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from conductor.timing import DOCUMENTED, FAST
from evidence.judge import judge
from evidence.verdict import Verdict, worst
from relayproof.errors import WrongUsage
from relayproof.sweep.jobs import Job, Values
from scenarios import catalogue
from scenarios.profile_loading import resolve
from scenarios.worlds import SessionOptions
from simulator.world import SimulatedSession
from spec import clauses

__all__ = ["JOB"]

_TIMINGS = {"documented": DOCUMENTED, "fast": FAST}
_NUMBERS = {"seeds": 20, "first": 0, "size": 1}
_GOOD = (Verdict.OK, Verdict.INFO, Verdict.UNSUPPORTED)


def _cut(arguments: Values) -> list[dict[str, Any]]:
    """``seeds`` of them from ``first``, ``size`` a shard, on ``relay`` with ``timing``; ``select`` globs, or all."""
    timing = arguments.get("timing", "documented")
    if timing not in _TIMINGS:
        raise WrongUsage(f"timing={timing}: give {' or '.join(_TIMINGS)}")
    try:
        seeds, first, size = (
            int(arguments.get(name, more)) for name, more in (("seeds", 20), ("first", 0), ("size", 1))
        )
    except ValueError as problem:
        raise WrongUsage(f"seeds, first and size are whole numbers: {problem}") from problem
    if seeds < 1 or size < 1:
        raise WrongUsage(f"seeds={seeds} size={size}: give at least 1")
    select = str(arguments.get("select", "*")).split(",")
    catalogue.select(select)  # an unknown name is refused here and not in a worker
    relay = str(arguments.get("relay", "builtin:reference"))
    common = {"relay": relay, "timing": timing, "select": select}
    return [
        common | {"seeds": list(range(at, min(at + size, first + seeds)))} for at in range(first, first + seeds, size)
    ]


def _run(shard: Values) -> dict[str, Any]:
    profile, timing = resolve(shard["relay"]), _TIMINGS[shard["timing"]]
    nowhere = Path(tempfile.gettempdir())  # nothing is written: histories stay in memory
    chosen = [each for each in catalogue.select(shard["select"]) if "simulated" in each.worlds]
    contract = clauses()
    verdicts, bad, digest = Counter[str](), [], hashlib.sha256()
    for seed in shard["seeds"]:
        session = SimulatedSession(SessionOptions(profile=profile, timing=timing, seed=seed, folder=nowhere))
        for scenario in chosen:
            result = judge(session.simulate(scenario).history(), contract)
            verdict = worst(result.clauses.values()) if result.clauses else Verdict.HARNESS_ERROR
            verdicts[verdict] += 1
            digest.update(f"{seed} {scenario.id} {verdict}\n".encode())
            if verdict not in _GOOD:
                bad.append({"scenario": scenario.id, "seed": seed, "verdict": str(verdict)})
    return {"seeds": len(shard["seeds"]), "verdicts": dict(verdicts), "bad": bad, "digest": digest.hexdigest()}


def _join(results: Sequence[Values]) -> dict[str, Any]:
    verdicts = Counter[str]()
    for each in results:
        verdicts.update(each["verdicts"])
    digest = hashlib.sha256("".join(each["digest"] for each in results).encode()).hexdigest()
    bad = [one for each in results for one in each["bad"]]
    return {
        "seeds": sum(each["seeds"] for each in results),
        "verdicts": dict(sorted(verdicts.items())),
        "bad": bad,
        "digest": digest,
    }


JOB = Job(
    name="scenarios",
    purpose="every simulated scenario under many seeds (seeds, first, size, timing, select, relay)",
    cut=_cut,
    run=_run,
    join=_join,
    failed=lambda result: bool(result["bad"]),
)
