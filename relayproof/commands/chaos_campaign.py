"""What ``relayproof chaos`` was asked for, as a campaign; refused in a sentence where it can't be had."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from chaos import faults, from_file
from chaos.campaign import FAMILIES, Campaign
from relayproof.durations import seconds
from relayproof.errors import WrongUsage
from scenarios import schedule as schedules
from scenarios.schedule import Schedule
from sdk_matrix.languages import Worker, parse

__all__ = ["GRACE_S", "again", "campaign", "names", "refuse_beside"]

GRACE_S = 5.0
"""Of a builtin relay, where neither the command nor a schedule file says another."""


def campaign(
    *, sdk: Sequence[str], runtime: str, database: str | None, duration_s: float, executors: int, seed: int,
    asked: Sequence[str], file: Path | None, rate: float | None, grace: str | None,
) -> tuple[Campaign, float]:  # fmt: skip
    """And the grace period in seconds. Raises `WrongUsage`, `UnknownFault`, `FaultRefused`, `MatrixError`."""
    if executors < 2:
        raise WrongUsage(f"--executors {executors}: give 2 or more: a lone executor has nobody to recover it")
    if rate is not None and rate <= 0:
        raise WrongUsage(f"--rate {rate}: give a number above 0")
    if runtime == "docker":
        import chaos.docker.faults  # noqa: F401 - registers what only containers can have
    grace_s = seconds("--grace", grace) if grace is not None else GRACE_S
    schedule = None
    if file is not None:
        schedule = _played_by(schedules.read(file), names(sdk))
        grace_s = grace_s if grace is not None else schedule.timing_profile.grace_s
    workers = _workers(sdk, schedule, runtime)
    wanted = [at.fault for at in schedule.faults] if schedule is not None else names(asked)
    store = database or _store(workers, wanted, runtime)
    if store == "sqlite" and [each.language for each in workers] != ["python"]:
        raise WrongUsage("--database sqlite: only the Python SDK runs on SQLite; take postgresql for the others")
    if schedule is not None and (problems := from_file.obstacles(schedule, runtime, store)):
        raise WrongUsage("\n  ".join([f"{file}: real executors can't play this schedule:", *problems]))
    made = Campaign(
        workers=workers, executors=executors, duration_s=duration_s, seed=seed,
        faults=_faults(wanted, runtime, store), store=store, rate_per_s=rate or min(4.0, 8.0 / len(workers)),
        runtime=runtime,
    )  # fmt: skip
    return (made if schedule is None else _of_file(made, schedule, grace_s)), grace_s


def _of_file(made: Campaign, schedule: Schedule, grace_s: float) -> Campaign:
    """Its executors, duration and timing instead of what the command says."""
    counts = [sum(member.language == each for member in schedule.executors) for each in made.languages]
    timing = from_file.fitted(schedule.timing_profile, grace_s)
    return replace(made, executors=max(counts), duration_s=schedule.duration_s, schedule=schedule, timing=timing)


def _played_by(schedule: Schedule, sdks: Sequence[str]) -> Schedule:
    """With the SDK that was asked for. Several: each for its own language."""
    languages = [name.partition("==")[0] for name in sdks]
    if len(languages) == 1:
        return from_file.with_language(schedule, languages[0])
    for member in schedule.executors:
        if languages and member.language not in languages:
            raise WrongUsage(
                f"--sdk {','.join(sdks)}: the schedule has executors of {member.language} too: name it, or one for all"
            )
    return schedule


def _workers(sdk: Sequence[str], schedule: Schedule | None, runtime: str) -> tuple[Worker, ...]:
    wanted = names(sdk) or ["python"]
    if schedule is not None:
        versions = {name.partition("==")[0]: name for name in wanted}
        languages = dict.fromkeys(member.language for member in schedule.executors)
        wanted = [versions.get(language, language) for language in languages]
    workers = tuple(parse(name) for name in wanted)
    for each in workers if runtime == "process" else ():  # images have what they need inside
        each.build()
        each.check()
    return workers


def _store(workers: Sequence[Worker], asked: Sequence[str], runtime: str) -> str:
    """SQLite where it is enough: it needs no server."""
    if runtime != "process" or [each.language for each in workers] != ["python"]:
        return "postgresql"
    possible = set(faults.names("process", "sqlite"))
    return "sqlite" if all(name in possible for name in asked) else "postgresql"


def _faults(asked: Sequence[str], runtime: str, store: str) -> tuple[str, ...]:
    if not asked:
        return ("kill", "stop") if store == "sqlite" else ("kill", "kill-at-step", "pause", "stop")
    names: list[str] = []
    for name in asked:
        if name == "all":
            names += faults.names(runtime, store)
        elif name in FAMILIES:
            names += [each for each in FAMILIES[name] if each in faults.names(runtime, store)]
        else:
            names.append(faults.check(name, runtime, store).name)
    return tuple(dict.fromkeys(names))


def again(relay: str, seed: int, **given: object) -> str:
    """A line for a shell that runs `relayproof chaos` with what was given, and the seed that was drawn."""
    words = ["relayproof", "chaos", "--relay", relay, "--seed", str(seed)]
    for name, value in given.items():
        if not _given(value):
            continue
        words.append(_option(name))
        if value is not True:
            words.append(",".join(names(value)) if isinstance(value, tuple) else str(value))
    return shlex.join(words)


def refuse_beside(option: str, why: str, **given: object) -> None:
    """Raises `WrongUsage` for whatever was given and would mean nothing beside that option."""
    told = [_option(name) for name, value in given.items() if _given(value)]
    if told:
        listed = ", ".join(told)
        raise WrongUsage(f"{listed} beside {option}: {why}: leave {listed} or {option} out")


def _given(value: object) -> bool:
    return value is not None and value is not False and value != ()


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def names(texts: Sequence[str]) -> list[str]:
    """Separated by spaces or by commas."""
    return [name.strip() for text in texts for name in text.split(",") if name.strip()]
