"""What SDKs themselves get wrong: known faults, and how often a run reproduced each. Apart from any relay's verdict."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping

import msgspec

from evidence.history import History
from evidence.outcomes import Weighed, weigh

__all__ = ["HARMLESS", "KNOWN", "PREVENTABLE", "SdkFinding", "exposed", "interval", "track_record"]

PREVENTABLE: Mapping[str, str] = {
    "ack-without-effect": "REC-21",
    "other-language": "REC-23",
    "taken-back": "REC-25",
}
"""Faults of SDKs that a relay can work around, and the SHOULD clause that says how."""

HARMLESS = frozenset({"shutdown-writes-end", "outage-ends-work"})
"""One terminal status, once: the contract's words are kept, and no relay could mend it."""

KNOWN: Mapping[str, str] = {
    "ack-without-effect": "a recovery was acknowledged and rows stayed PENDING under the dead executor",
    "taken-back": "a falsely dead executor won a checkpoint, took its row back, and died with it",
    "late-copy-writes": "a copy of the workflow that woke up late wrote over its recorded end",
    "shutdown-writes-end": "a shutdown in good order wrote a terminal status for work that was still running",
    "outage-ends-work": "an error of the database, which was away for a while, became the workflow's own end",
    "other-language": "a worker took rows of another language and ended or stranded them",
}


class SdkFinding(msgspec.Struct, frozen=True, kw_only=True):
    """One known fault of one SDK in one run: seen ``times`` of ``exposed`` occasions."""

    fault: str
    about: str
    language: str
    sdk: str  # version
    times: int
    exposed: int
    rate: tuple[float, float]  # 95 % interval (Wilson)
    workflows: tuple[str, ...]  # the first few
    events: tuple[int, ...]  # the faults and frames that show it


def track_record(history: History) -> list[SdkFinding]:
    """Each known fault that this run shows, by SDK and version."""
    found = weigh(history)
    seen: dict[tuple[str, str], list[str]] = {}
    for defect in found.defects:
        if defect.sdk:
            seen.setdefault((defect.sdk, defect.app), []).append(defect.workflow)
    return [_finding(found, fault, app, workflows) for (fault, app), workflows in sorted(seen.items())]


def _finding(found: Weighed, fault: str, app: str, workflows: list[str]) -> SdkFinding:
    language, sdk = _language(found, app)
    times = len(workflows)
    of = max(times, exposed(found, fault, app))
    struck = [event for executor, event in found.struck.items() if _home(found, executor) == app]
    return SdkFinding(
        fault=fault, about=KNOWN[fault], language=language, sdk=sdk, times=times, exposed=of, rate=interval(times, of),
        workflows=tuple(workflows[:5]), events=tuple(sorted(struck)[:5]),
    )  # fmt: skip


def exposed(found: Weighed, fault: str, app: str = "") -> int:
    """How many workflows could have shown it; of one application, or of all."""

    def own(counts: Counter[str]) -> int:
        return sum(count for executor, count in counts.items() if app in ("", _home(found, executor)))

    match fault:
        case "shutdown-writes-end":
            stopped = Counter(
                {executor: count for executor, count in found.orphans.items() if executor in found.stopped}
            )
            return own(stopped) + sum(defect.sdk == fault and app in ("", defect.app) for defect in found.defects)
        case "outage-ends-work":
            return sum(count for name, count in found.in_outage.items() if app in ("", name))
        case "late-copy-writes" | "taken-back":
            return own(found.taken_alive)
        case _:
            return own(found.orphans)


def _home(found: Weighed, executor: str) -> str:
    process = found.processes.get(executor)
    return process.app if process is not None else ""


def interval(times: int, of: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a proportion; (0, 1) where nothing was tried."""
    if not of:
        return 0.0, 1.0
    z, rate = 1.96, times / of
    middle = (rate + z * z / (2 * of)) / (1 + z * z / of)
    half = z * math.sqrt(rate * (1 - rate) / of + z * z / (4 * of * of)) / (1 + z * z / of)
    return max(0.0, middle - half), min(1.0, middle + half)


def _language(found: Weighed, app: str) -> tuple[str, str]:
    counts = Counter((each.language, each.sdk) for each in found.processes.values() if each.app == app)
    return counts.most_common(1)[0][0] if counts else ("", "")
