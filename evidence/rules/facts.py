"""Rules about facts that the scenario itself worked out from what it saw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evidence.events import Expect
from evidence.history import History
from evidence.rules import STALLED, rule
from evidence.rules.base import covers, finding
from evidence.verdict import Finding, Verdict


@rule("value")
def value(
    history: History, expect: Expect, *, name: str, value: Any, unit: str = "", events: Sequence[int] = ()
) -> Finding:
    """A measurement: reported, never judged."""
    measured_s = float(value) if unit == "s" and isinstance(value, int | float) else None
    seen = f"{name}: {value} {unit}".rstrip()
    return finding(
        expect, Verdict.INFO, expected=f"{name} is measured", seen=seen, measured_s=measured_s, events=events
    )


@rule("equal", doubt=STALLED)
def equal(history: History, expect: Expect, *, name: str, want: Any, got: Any, events: Sequence[int] = ()) -> Finding:
    """Two recorded values are equal."""
    good = covers(want, got) and covers(got, want)
    return finding(
        expect,
        Verdict.OK if good else Verdict.FAILED,
        expected=f"{name} is {want!r}",
        seen=f"{name} is {got!r}",
        events=events,
    )
