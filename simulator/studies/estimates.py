"""Figures with their uncertainty: 95 % confidence intervals and the number of observations behind them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from scipy import stats

__all__ = ["Estimate", "mean", "proportion", "quantile", "rate"]

_TAIL = 0.025


class Estimate(msgspec.Struct, frozen=True):
    """A value between ``low`` and ``high`` with 95 % confidence, from ``n`` observations."""

    value: float
    low: float
    high: float
    n: int

    def text(self, digits: int = 3) -> str:
        """Such as "12.3 (11.9-12.8)"."""
        return f"{self.value:.{digits}g} ({self.low:.{digits}g}-{self.high:.{digits}g})"


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
    """Student's interval: good enough for the means of many runs."""
    array = np.asarray(values, dtype=float)
    assert array.size, "nothing was measured"
    centre = float(array.mean())
    if array.size == 1:
        return Estimate(centre, centre, centre, 1)
    half = float(stats.sem(array) * stats.t.ppf(1 - _TAIL, array.size - 1))
    return Estimate(centre, centre - half, centre + half, int(array.size))


def quantile(values: Sequence[float], share: float) -> Estimate:
    """The value below which ``share`` of all lie; an interval between order statistics, free of any distribution."""
    array = np.sort(np.asarray(values, dtype=float))
    assert array.size, "nothing was measured"
    low, high = (int(stats.binom.ppf(tail, array.size, share)) for tail in (_TAIL, 1 - _TAIL))
    last = array.size - 1
    return Estimate(
        float(np.quantile(array, share)), float(array[min(low, last)]), float(array[min(high, last)]), int(array.size)
    )
