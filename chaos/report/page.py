"""The HTML page: one file with styles and drawing inside, nothing from the network, nothing that runs."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import jinja2

from chaos.report.summary import Summary, outcome
from chaos.report.timeline import svg
from evidence.history import History
from evidence.verdict import FAILING, RunResult, Verdict

__all__ = ["page"]

_TONES = {Verdict.OK: "good", Verdict.INFO: "info", Verdict.UNSUPPORTED: "mute", Verdict.EXPECTED: "mute"}


def page(run: RunResult, history: History | None, summary: Summary | None) -> str:
    """``history`` None: none was written to its end; the page then says why instead of drawing."""
    return _template().render(
        run=run, summary=summary, drawing=svg(history) if history is not None else "",
        findings=[finding for each in run.scenarios for finding in each.findings], levels=run.levels, tone=_tone,
        outcome=outcome(run),
        notes=[each.note for each in run.scenarios if each.note], css=_asset("page.css"),
    )  # fmt: skip


def _tone(verdict: Verdict) -> str:
    return _TONES.get(verdict, "bad" if verdict in FAILING else "warn")


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    return environment.from_string(_asset("page.html.j2"))


def _asset(name: str) -> str:
    return files("chaos.report").joinpath(name).read_text(encoding="utf-8")
