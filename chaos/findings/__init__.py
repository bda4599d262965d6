"""What SDKs get wrong by themselves, measured: experiments that are played n times, and the record of their results.

A relay's verdict never depends on any of it. The contract asks for a reproduction rate, k of n with n of 10 or more,
wherever an outcome is laid at an SDK's door: `measure.reproduce` makes one, `record` keeps it, reports show it.
"""

from chaos.findings import experiments as experiments  # importing it registers them
from chaos.findings.experiment import EXPERIMENTS, Experiment, Finding, find
from chaos.findings.measure import reproduce
from chaos.findings.record import LEAST_TRIES, Measured, newest, published, read, write

__all__ = [
    "EXPERIMENTS", "LEAST_TRIES", "Experiment", "Finding", "Measured", "find", "newest", "published", "read",
    "reproduce", "write",
]  # fmt: skip
