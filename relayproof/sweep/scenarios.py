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
from relayproof.sweep.jobs import Job, Values, whole_number
from scenarios import catalogue
from scenarios.profile_loading import resolve
from scenarios.worlds import SessionOptions
from simulator.world import SimulatedSession, core_of
from spec import clauses

__all__ = ["JOB"]

_TIMINGS = {"documented": DOCUMENTED, "fast": FAST}
_GOOD = (Verdict.OK, Verdict.INFO, Verdict.UNSUPPORTED)


def _cut(arguments: Values) -> list[dict[str, Any]]:
    """``seeds`` of them from ``first``, ``size`` a shard, on ``relay`` with ``timing``; ``select`` globs, or all."""
    timing = arguments.get("timing", "documented")
    if timing not in _TIMINGS:
        raise WrongUsage(f"timing={timing}: give {' or '.join(_TIMINGS)}")
    seeds = whole_number(arguments, "seeds", 20, least=1)
    size = whole_number(arguments, "size", 1, least=1)
    first = whole_number(arguments, "first", 0)
    select = str(arguments.get("select", "*")).split(",")
    catalogue.select(select)  # an unknown name is refused here and not in a worker
    relay = str(arguments.get("relay", "builtin:reference"))
    core_of(resolve(relay))  # so is a relay that has no core
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
    purpose="every simulated scenario under many seeds",
    arguments=("seeds", "first", "size", "timing", "select", "relay"),
    cut=_cut,
    run=_run,
    join=_join,
    exit_code=lambda joined: 1 if joined["bad"] else 0,
)
