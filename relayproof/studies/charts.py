"""Charts of a study's answer: lines with 95 % confidence intervals, as SVG and PNG."""

from __future__ import annotations

import io
from collections.abc import Sequence

from matplotlib import rc_context
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullFormatter, NullLocator

from simulator.studies.study import Chart

__all__ = ["inline", "png", "svg"]

_COLOURS = ("#3b82f6", "#ea580c", "#0d9488", "#8b5cf6", "#b77b00", "#db2777", "#64748b", "#16a34a")
"""Each at least 3 to 1 against white and against the page's dark ground."""
_MARKERS = "os^Dv*Xp"
_DASHES: Sequence[str] = ("-", "--", ":", "-.")
_INK = "#1c1e22"  # of no line; on a page it becomes the page's own
_MANY = 8  # values on the x axis that are still all named


def svg(chart: Chart) -> str:
    """A self-contained SVG element on white; the same chart gives the same text."""
    return _element(_rendered(chart, "svg", ground="white"))


def inline(chart: Chart) -> str:
    """The same without a ground, in the colour of the text around it: for pages that may be dark."""
    return _element(_rendered(chart, "svg", ground="none")).replace(_INK, "currentColor")


def png(chart: Chart) -> bytes:
    return _rendered(chart, "png", ground="white")


def _element(document: bytes) -> str:
    return "<svg" + document.decode().partition("<svg")[2]


def _rendered(chart: Chart, kind: str, *, ground: str) -> bytes:
    # Ids in an SVG come from its content, and the day is on the page, not in the picture.
    unsaid = dict.fromkeys(("Date", "Creator", "Format", "Type")) if kind == "svg" else {}
    out = io.BytesIO()
    with rc_context(
        {
            "svg.hashsalt": chart.title, "legend.framealpha": 0, "text.color": _INK, "axes.edgecolor": _INK,
            "axes.labelcolor": _INK, "xtick.color": _INK, "ytick.color": _INK,
        }
    ):  # fmt: skip
        _figure(chart).savefig(out, format=kind, dpi=110, metadata=unsaid, facecolor=ground)
    return out.getvalue()


def _figure(chart: Chart) -> Figure:
    # The Figure alone, without pyplot: no global state, no display.
    figure = Figure(figsize=(8, 4.6 + 0.22 * (len(chart.lines) // 2)), layout="constrained")
    axes = figure.add_subplot(facecolor="none")
    for number, line in enumerate(chart.lines):
        # What is drawn later is thinner: a line below one that is equal to it can still be seen.
        width = 1.4 + 2.4 * (len(chart.lines) - 1 - number) / len(chart.lines)
        middle = [y.value for y in line.y]
        axes.errorbar(
            line.x, middle, yerr=[[y.value - y.low for y in line.y], [y.high - y.value for y in line.y]],
            color=_COLOURS[number % len(_COLOURS)], linestyle=_DASHES[number // len(_COLOURS) % len(_DASHES)],
            marker=_MARKERS[number % len(_MARKERS)], markersize=5, linewidth=width, elinewidth=1.2, capsize=4,
            label=line.label,
        )  # fmt: skip
    axes.set(xlabel=chart.x_label, ylabel=chart.y_label, title=chart.title)
    _scale(axes.xaxis, sorted({x for line in chart.lines for x in line.x}), log=chart.log_x)
    if chart.log_y:
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0), numticks=30))
        axes.yaxis.set_minor_formatter(NullFormatter())
    else:
        axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(FuncFormatter(_plain))
    axes.grid(alpha=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    if len(chart.lines) > 1:
        figure.legend(loc="outside lower center", ncols=2, fontsize="small")
    return figure


def _scale(axis: Axis, values: Sequence[float], *, log: bool) -> None:
    """Ticks where something was measured, as far as they can be told apart."""
    if log:
        axis.axes.set_xscale("log")
        axis.set_minor_locator(NullLocator())
    if len(values) <= _MANY:
        axis.set_major_locator(FixedLocator(values))
    axis.set_major_formatter(FuncFormatter(_plain))


def _plain(value: float, _: int | None) -> str:
    return f"{value:,.6g}"
