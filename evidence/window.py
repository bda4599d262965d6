"""Windows of time: texts over the timing's short names, and intervals judged against them.

A window's end is a number of seconds or a text such as ``"w + i + scan + 2*slack"``. The names are those of
`conductor.timing.Timing.names`: ``i w g scan slack handshake request recovery backoff backoff_cap redial``.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from functools import lru_cache

import msgspec

from evidence.errors import WindowError
from evidence.verdict import Verdict

__all__ = ["NS_PER_S", "Span", "Window", "evaluate", "judge_span"]

NS_PER_S = 1_000_000_000

_OPERATORS: dict[type[ast.AST], Callable[..., float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.USub: operator.neg,
}
_FUNCTIONS: dict[str, Callable[..., float]] = {"min": min, "max": max}


def evaluate(text: str | float, names: Mapping[str, float]) -> float:
    """Seconds of a window text. Raises `WindowError`, which quotes it, for anything but sums over the names."""
    if isinstance(text, int | float) and not isinstance(text, bool):
        return float(text)
    if not isinstance(text, str):
        raise WindowError(f"window {text!r}: give seconds, or a text over {', '.join(names)}")
    try:
        return _value(_parsed(text.strip()), names)
    except (SyntaxError, ZeroDivisionError, _Unusable) as problem:
        raise WindowError(
            f"window {text!r}: {problem}; it may use numbers, + - * /, min, max and {', '.join(names)}"
        ) from problem


class _Unusable(Exception):
    pass


@lru_cache
def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _value(node: ast.expr, names: Mapping[str, float]) -> float:
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return float(value)
        case ast.Name(id=name) if name in names:
            return names[name]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_value(left, names), _value(right, names))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, names)
        case ast.Call(func=ast.Name(id=function), args=[_, *_] as args, keywords=[]) if function in _FUNCTIONS:
            return _FUNCTIONS[function](*(_value(each, names) for each in args))
    raise _Unusable(f"{ast.unparse(node)!r} is not allowed")


class Span(msgspec.Struct, frozen=True):
    """When something happened, as far as it is known: after ``low_ns``, at or before ``high_ns``."""

    low_ns: int
    high_ns: int

    @classmethod
    def at(cls, moment_ns: int) -> Span:
        return cls(moment_ns, moment_ns)

    def since(self, start: Span) -> tuple[float, float]:
        """Least and greatest distance from ``start``, in seconds."""
        return (self.low_ns - start.high_ns) / NS_PER_S, (self.high_ns - start.low_ns) / NS_PER_S


class Window(msgspec.Struct, frozen=True):
    """The lawful time of an event after a reference, seconds; ``latest_s`` None: no upper end."""

    earliest_s: float
    latest_s: float | None

    def as_pair(self) -> tuple[float, float | None]:
        return self.earliest_s, self.latest_s

    def text(self) -> str:
        if self.latest_s is None:
            return f"{self.earliest_s:.3f} s or later"
        return f"between {self.earliest_s:.3f} and {self.latest_s:.3f} s"


def judge_span(span: Span, start: Span, window: Window, jitter_ns: int) -> Verdict:
    """EARLY or LATE only if the whole span lies outside; UNKNOWN if by less than the host's own jitter."""
    least_s, most_s = span.since(start)
    jitter_s = jitter_ns / NS_PER_S
    if most_s < window.earliest_s:
        return Verdict.UNKNOWN if window.earliest_s - most_s < jitter_s else Verdict.EARLY
    if window.latest_s is not None and least_s > window.latest_s:
        return Verdict.UNKNOWN if least_s - window.latest_s < jitter_s else Verdict.LATE
    return Verdict.OK
