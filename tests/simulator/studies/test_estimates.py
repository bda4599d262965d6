"""Intervals hold what they promise: the true value lies inside in about 95 of 100 repetitions."""

from __future__ import annotations

from random import Random

import pytest

from simulator.studies.estimates import Estimate, brief, mean, proportion, quantile, rate

REPEATS = 400


def covered(estimates: list[Estimate], truth: float) -> float:
    return sum(each.low <= truth <= each.high for each in estimates) / len(estimates)


def test_a_rate_of_nothing_seen_has_the_rule_of_three() -> None:
    none = rate(0, 100.0)
    assert (none.value, none.low) == (0.0, 0.0)
    assert none.high == pytest.approx(3.69 / 100, rel=0.01)  # two-sided; one-sided it is 3 / n


def test_rates_cover() -> None:
    random = Random(1)

    def count() -> int:
        seen, at = 0, random.expovariate(1.0)
        while at < 5.0:
            seen, at = seen + 1, at + random.expovariate(1.0)
        return seen

    assert covered([rate(count(), 5.0) for _ in range(REPEATS)], 1.0) >= 0.94


def test_proportions_cover() -> None:
    random = Random(2)
    samples = [proportion(sum(random.random() < 0.3 for _ in range(50)), 50) for _ in range(REPEATS)]
    assert 0.91 <= covered(samples, 0.3) <= 0.99


def test_means_cover() -> None:
    random = Random(3)
    samples = [mean([random.gauss(10, 3) for _ in range(12)]) for _ in range(REPEATS)]
    assert 0.91 <= covered(samples, 10) <= 0.99


def test_quantiles_cover() -> None:
    random = Random(4)
    samples = [quantile([random.random() for _ in range(200)], 0.9) for _ in range(REPEATS)]
    assert covered(samples, 0.9) >= 0.91


def test_a_mean_of_what_is_never_negative_is_not_said_to_be() -> None:
    assert mean([0.0, 0.0, 60.0]).low == 0.0
    assert mean([-60.0, 0.0, 60.0]).low < 0


def test_one_value_has_no_interval() -> None:
    with pytest.raises(AssertionError):
        mean([4.0])


@pytest.mark.parametrize(
    ("value", "text"),
    [(12_345.6, "12,300"), (0.0, "0"), (0.07512, "0.0751"), (5.0, "5"), (99.97, "100"), (0.00049, "0.0005")],
)
def test_figures_are_brief(value: float, text: str) -> None:
    assert brief(value, 3) == text


def test_text() -> None:
    assert Estimate(12.345, 11.987, 12.789, 7).text() == "12.3 (12-12.8)"
