"""How often a fault that a run has shown was reproduced apart from it: what a report says beside its own count."""

from __future__ import annotations

from chaos.findings.experiment import EXPERIMENTS
from chaos.findings.record import Measured, newest, published

__all__ = ["rate_of"]


def rate_of(fault: str, language: str, sdk: str) -> str:
    """A text for people: the published rates of this SDK version, or how to measure one."""
    own = [
        each
        for each in newest(published())
        if (each.fault, each.language, each.sdk) == (fault, language, sdk) and each.tries
    ]
    if own:
        return f"{', '.join(map(_told, own))}, {max(each.day for each in own)}"
    names = [each.name for each in EXPERIMENTS.values() if any(finding.fault == fault for finding in each.findings)]
    again = f": relayproof chaos reproduce {names[0]} --sdk {language}=={sdk}" if names else ""
    return f"not measured yet{again}"


def _told(each: Measured) -> str:
    low, high = each.rate
    return f"{each.seen} of {each.tries} tries on {each.database} ({100 * low:.0f} to {100 * high:.0f} %)"
