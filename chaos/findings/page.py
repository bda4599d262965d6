"""The page docs/sdk-findings.md, made of the project's own record.

python -m chaos.findings.page > docs/sdk-findings.md
"""

from __future__ import annotations

from collections.abc import Sequence

from chaos.findings.experiment import EXPERIMENTS
from chaos.findings.record import LEAST_TRIES, Measured, newest, published

__all__ = ["markdown"]


def markdown(entries: Sequence[Measured]) -> str:
    """The whole page."""
    shown = newest(entries)
    lines = [
        "# What SDKs get wrong by themselves, measured",
        "",
        "Made by `python -m chaos.findings.page` from `chaos/findings/record.json`. No relay's verdict depends on it:",
        "where the judge lays an outcome at an SDK's door, this is the rate that belongs to it. Each try has fresh",
        "processes and a database of its own, in the process runtime, with the reference relay; a try counts where at",
        "least one workflow could have shown the fault. The interval is Wilson's, at 95 %.",
        f"Fewer than {LEAST_TRIES} tries are no rate.",
        "",
        "    relayproof chaos findings                                    # this table",
        "    relayproof chaos reproduce outage --sdk go --times 10        # measure again",
        "    relayproof chaos reproduce zombie --sdk java --record chaos/findings/record.json",
        "",
    ]
    for name in sorted({each.experiment for each in shown}):
        lines += _section(name, [each for each in shown if each.experiment == name])
    return "\n".join(lines)


def _section(name: str, entries: Sequence[Measured]) -> list[str]:
    experiment = EXPERIMENTS.get(name)
    lines = [f"## {name}: {experiment.about if experiment is not None else ''}", ""]
    for fault in dict.fromkeys(each.fault for each in entries):
        own = [each for each in entries if each.fault == fault]
        lines += [f"**`{fault}`** ({', '.join(own[0].clauses)}): {own[0].about}.", ""]
        lines += ["| SDK | database | tries | rate, 95 % | workflows | day |", "|---|---|---|---|---|---|"]
        lines += [_row(each) for each in own]
        lines.append("")
        proven = next((each for each in own if each.proof), None)
        if proven is not None:
            lines += [f"As it went in one try, {proven.language} {proven.sdk}:", "", "```", *proven.proof, "```", ""]
    return lines


def _row(each: Measured) -> str:
    low, high = each.rate
    few = "" if each.tries >= LEAST_TRIES else " (too few)"
    return (
        f"| {each.language} {each.sdk} | {each.database} | {each.seen} of {each.tries}{few} |"
        f" {100 * low:.0f} to {100 * high:.0f} % | {each.workflows} of {each.exposed} | {each.day} |"
    )


if __name__ == "__main__":
    print(markdown(published()), end="")
