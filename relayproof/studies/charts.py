"""Charts of a study's answer: lines with bands of 95 % confidence, as SVG and PNG."""

from __future__ import annotations

import io
from collections.abc import Sequence

from matplotlib import rc_context
from matplotlib.figure import Figure

from simulator.studies.study import Chart

__all__ = ["png", "svg"]

_COLOURS = ("#0b6bcb", "#c2410c", "#0f766e", "#7c3aed", "#a16207", "#be185d", "#475569", "#15803d")
_DASHES: Sequence[str] = ("-", "--", ":", "-.")


def svg(chart: Chart) -> str:
    """A self-contained SVG element; the same chart gives the same text."""
    return _rendered(chart, "svg").decode().partition("<svg")[2].join(("<svg", ""))


def png(chart: Chart) -> bytes:
    return _rendered(chart, "png")


def _rendered(chart: Chart, kind: str) -> bytes:
    # The Figure alone, without pyplot: no global state, no display.
    figure = Figure(figsize=(9, 5), layout="constrained")
    axes = figure.add_subplot()
    for number, line in enumerate(chart.lines):
        colour, dash = _COLOURS[number % len(_COLOURS)], _DASHES[number // len(_COLOURS) % len(_DASHES)]
        axes.plot(line.x, [y.value for y in line.y], dash, color=colour, marker="o", markersize=4, label=line.label)
        axes.fill_between(line.x, [y.low for y in line.y], [y.high for y in line.y], color=colour, alpha=0.15)
    axes.set_xlabel(chart.x_label)
    axes.set_ylabel(chart.y_label)
    axes.set_title(chart.title)
    if chart.log_x:
        axes.set_xscale("log")
    if chart.log_y:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
    axes.grid(alpha=0.25)
    if len(chart.lines) > 1:
        axes.legend(fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5))
    out = io.BytesIO()
    # The day is on the page, not in the picture; and ids in an SVG come from its content.
    unsaid = dict.fromkeys(("Date", "Creator", "Format", "Type")) if kind == "svg" else {}
    with rc_context({"svg.hashsalt": chart.title}):
        figure.savefig(out, format=kind, dpi=120, metadata=unsaid)
    return out.getvalue()
