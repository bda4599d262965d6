"""Figures with their uncertainty: 95 % confidence intervals and the number of observations behind them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
import numpy as np
from scipy import stats

__all__ = ["Estimate", "brief", "mean", "proportion", "quantile", "rate"]

_TAIL = 0.025


class Estimate(msgspec.Struct, frozen=True):
    """A value between ``low`` and ``high`` with 95 % confidence, from ``n`` observations."""

    value: float
    low: float
    high: float
    n: int

    def text(self, digits: int = 3) -> str:
        """Such as "12.3 (11.9-12.8)"."""
        return f"{brief(self.value, digits)} ({brief(self.low, digits)}-{brief(self.high, digits)})"


def brief(value: float, digits: int) -> str:
    """So many significant digits, never in powers of ten: 12,300 and not 1.23e+04; nothing below a thousandth."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    places = min(max(digits - 1 - math.floor(math.log10(abs(value))), 0), 4)
    text = f"{round(value, digits - 1 - math.floor(math.log10(abs(value)))):,.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def rate(count: int, exposure: float) -> Estimate:
    """Events per unit of exposure; the exact interval of a Poisson count (Garwood 1936)."""
    assert exposure > 0, "nothing was watched"
    low = stats.chi2.ppf(_TAIL, 2 * count) / 2 if count else 0.0
    high = stats.chi2.ppf(1 - _TAIL, 2 * (count + 1)) / 2
    return Estimate(count / exposure, float(low) / exposure, float(high) / exposure, count)


def proportion(count: int, n: int) -> Estimate:
    """A share; Wilson's interval."""
    assert 0 <= count <= n and n > 0
    interval = stats.binomtest(count, n).proportion_ci(method="wilson")
    return Estimate(count / n, float(interval.low), float(interval.high), n)


def mean(values: Sequence[float]) -> Estimate:
    """Student's interval, of two values at least; not below zero where no value is."""
    array = np.asarray(values, dtype=float)
    assert array.size > 1, "one value says nothing of how far the next one lies from it"
    centre = float(array.mean())
    half = float(stats.sem(array) * stats.t.ppf(1 - _TAIL, array.size - 1))
    low = centre - half if array.min() < 0 else max(0.0, centre - half)
    return Estimate(centre, low, centre + half, int(array.size))


def quantile(values: Sequence[float], share: float) -> Estimate:
    """The value below which ``share`` of all lie; an interval between order statistics, free of any distribution."""
    array = np.sort(np.asarray(values, dtype=float))
    assert array.size, "nothing was measured"
    low, high = (int(stats.binom.ppf(tail, array.size, share)) for tail in (_TAIL, 1 - _TAIL))
    last = array.size - 1
    return Estimate(
        float(np.quantile(array, share)), float(array[min(low, last)]), float(array[min(high, last)]), int(array.size)
    )
