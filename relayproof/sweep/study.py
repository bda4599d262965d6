"""The job "study": a study of `simulator.studies` with as many runs as one likes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import msgspec

from relayproof.errors import WrongUsage
from relayproof.sweep.jobs import Job, Values
from simulator.studies.grid import GridError
from simulator.studies.study import STUDIES, Effort, find

__all__ = ["JOB"]


def _cut(arguments: Values) -> list[dict[str, Any]]:
    """``name`` of the study, ``ask`` as for ``relayproof study``, ``scale``, ``seed``; a run is a shard."""
    name = str(arguments.get("name", ""))
    if name not in STUDIES:
        raise WrongUsage(f"name={name}: choose among {', '.join(STUDIES)}")
    try:
        scale, seed = float(arguments.get("scale", 1)), int(arguments.get("seed", 0))
        if not 0 < scale < math.inf:
            raise WrongUsage(f"scale={scale}: give a number above zero")
        tasks = find(name).tasks(str(arguments.get("ask", "")), Effort(scale, seed))
    except (ValueError, GridError) as problem:
        raise WrongUsage(f"study {name}: {problem}") from problem
    return [{"name": name, "task": task} for task in tasks]


def _run(shard: Values) -> dict[str, Any]:
    return {"name": shard["name"], "task": shard["task"], "result": find(shard["name"]).run(shard["task"])}


def _join(results: Sequence[Values]) -> dict[str, Any]:
    study = find(results[0]["name"])
    answer = study.answer([each["task"] for each in results], [each["result"] for each in results])
    joined: dict[str, Any] = msgspec.to_builtins(answer)
    return joined


JOB = Job(
    name="study",
    purpose="a study with as many runs as one likes",
    arguments=("name", "ask", "scale", "seed"),
    cut=_cut,
    run=_run,
    join=_join,
    exit_code=lambda joined: 0,
)
