"""Repetitions of one measurement: how many it takes, and when two runs say the same.

Delays of SDKs come in two kinds. A steady one is the same each time but for what the host adds, and a host only adds:
the least of five is that delay unless all five were held up. A jittered one is drawn anew each time (Go: the delay
times 0.5 to 1.5): its median needs many. Two runs agree where their medians are within `slack_s` of each other, or each
median lies within the other's range, which of jittered ones leaves out the least and the greatest; steady ones also
where the least of both are within `slack_s`. Of jittered ones the rule holds whatever the delays are drawn from: a
median of 32 lies beyond the range of another run of the same SDK in fewer than 6 of 100,000 pairs of runs
(`false_difference`). docs/add-a-probe.md has the reasons, `tests/sdk_matrix/matrix/test_timings.py` draws both.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from statistics import median

import msgspec

__all__ = [
    "JITTERED",
    "PILOT",
    "STEADY",
    "Timing",
    "alike",
    "contains",
    "false_difference",
    "is_jittered",
    "slack_s",
    "timing",
]

STEADY = 5
"""Repetitions of a delay that is the same each time."""
JITTERED = 32
"""Repetitions of one that is drawn anew each time."""
PILOT = 15
"""Repetitions that tell which of the two it is."""
_SLACK_S = 0.2  # what a busy host adds to a median of five, at most
_SLACK_RATIO = 0.05
_JITTER_S = 0.3  # a second times 0.5 to 1.5 is spread wider than that, a steady one on a busy host less


class Timing(msgspec.Struct, frozen=True):
    """Repetitions of one measurement, in seconds. Their range: of `JITTERED` or more without the two outermost."""

    median_s: float
    low_s: float
    high_s: float
    samples: int


def timing(samples_s: Sequence[float]) -> Timing:
    """Median and range of at least one sample. One that the host held up is not the range of many."""
    assert samples_s, "a timing needs a sample"
    ordered_s, cut = sorted(samples_s), _cut(len(samples_s))
    found_s = (median(ordered_s), ordered_s[cut], ordered_s[-1 - cut])
    middle_s, low_s, high_s = (round(each_s, 3) for each_s in found_s)
    return Timing(middle_s, low_s, high_s, len(samples_s))


def slack_s(one_s: float, other_s: float) -> float:
    """By how much two medians may differ without a cause in the SDK."""
    return _SLACK_S + _SLACK_RATIO * max(one_s, other_s)


def contains(taken: Timing, seconds_s: float) -> bool:
    """Whether a duration is within the range of the repetitions, or near their median."""
    near = abs(taken.median_s - seconds_s) <= slack_s(taken.median_s, seconds_s)
    return near or taken.low_s <= seconds_s <= taken.high_s


def alike(one: Timing, other: Timing) -> bool:
    """Whether two runs measured the same. Symmetric."""
    steady = max(one.samples, other.samples) < JITTERED
    if steady and abs(one.low_s - other.low_s) <= slack_s(one.low_s, other.low_s):
        return True
    return contains(one, other.median_s) and contains(other, one.median_s)


def is_jittered(samples_s: Sequence[float]) -> bool:
    """Whether repetitions of a delay of a second or more are drawn anew each time. It takes `PILOT` to tell.

    Without a tenth at either end, one at least: what a busy host adds to a few does not count.
    """
    assert len(samples_s) >= PILOT, "so few tell nothing"
    ordered_s = sorted(samples_s)
    cut = max(1, len(ordered_s) // 10)
    return ordered_s[-1 - cut] - ordered_s[cut] > _JITTER_S


def false_difference(samples: int) -> float:
    """Upper bound of the chance that two runs of one SDK differ, whatever the delays are drawn from.

    A median lies above another run's range only if the upper half of its run does: then, of both runs in order, the
    uppermost are that half and no more of the other run than its range leaves out. All orders are equally likely: that
    is counted below; as often a median lies below the range, and as often the other run's.
    """
    left_out = _cut(samples)
    top = (samples + 1) // 2 + left_out
    ways = sum(comb(samples, top - other) * comb(samples, other) for other in range(left_out + 1))
    return 4 * ways / comb(2 * samples, top)


def _cut(samples: int) -> int:
    """How many the range leaves out at either end."""
    return 1 if samples >= JITTERED else 0
