"""The job "simulate": the search of ``relayproof simulate``, all of its schedules, in shards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from relayproof.errors import HARNESS
from relayproof.sweep.jobs import Job, Values, whole_number
from simulator.search.hunt import Hit, Tally, batch, keep, one_of_each, relay_core

__all__ = ["JOB"]


def _cut(arguments: Values) -> list[dict[str, Any]]:
    """``schedules`` of the search that ``seed`` begins, ``size`` a shard, on the core of ``relay``.

    A seed has a default here and none in ``relayproof simulate``: a sweep resumes by its arguments.
    """
    schedules = whole_number(arguments, "schedules", 20_000, least=1)
    size = whole_number(arguments, "size", 250, least=1)
    seed = whole_number(arguments, "seed", 0)
    relay = str(arguments.get("relay", "builtin:reference"))
    relay_core(relay)  # one that has no core here is refused now and not in a worker
    return [
        {"relay": relay, "seed": seed, "first": first, "count": min(size, schedules - first)}
        for first in range(0, schedules, size)
    ]


def _run(shard: Values) -> dict[str, Any]:
    tally = batch(shard["relay"], shard["seed"], shard["first"], shard["count"])
    return {"relay": shard["relay"], "seed": shard["seed"], "tally": msgspec.to_builtins(tally)}


def _join(results: Sequence[Values]) -> dict[str, Any]:
    whole = Tally()
    for each in results:
        whole.add(_tally(each["tally"]))
    return {
        "relay": results[0]["relay"],
        "seed": results[0]["seed"],
        "schedules": whole.played,
        "failed": len(whole.hits),
        "virtual_hours": round(whole.virtual_s / 3600, 1),
        "work": dict(sorted(whole.work.items())),
        "vacuous": whole.vacuous,
        "hits": msgspec.to_builtins(whole.hits),
    }


def _tally(bare: Values) -> Tally:
    hits = msgspec.convert(bare["hits"], list[Hit])
    return Tally(bare["played"], bare["virtual_s"], Counter(bare["work"]), hits)


def _exit_code(joined: Values) -> int:
    """As ``relayproof simulate``: 1 when a schedule broke the relay, 3 when all of them prove nothing."""
    if joined["hits"]:
        return 1
    return HARNESS if joined["vacuous"] else 0


def _keep(joined: Values, folder: Path) -> list[str]:
    """The first failing schedule of each clause, saved and shrunk below ``folder``."""
    hits = msgspec.convert(joined["hits"], list[Hit])
    found = [keep(hit, joined["relay"], folder / "schedules") for hit in one_of_each(hits)]
    return [f"{each.hit.clause}, shrunk to {each.size}: {each.path}" for each in found]


JOB = Job(
    name="simulate",
    purpose="a search for schedules of faults that break a relay's core",
    arguments=("schedules", "seed", "size", "relay"),
    cut=_cut,
    run=_run,
    join=_join,
    exit_code=_exit_code,
    keep=_keep,
)
