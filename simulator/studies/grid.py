"""Points in the space of timing parameters, and how they are written: ``grace=30 ping_interval=10,20 loss=0%..2%/1%``.

A value is a number with an optional unit; several are a list with commas or a range ``from..to/step``. Every
combination of the given values is a point.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType
from typing import Final

from conductor.errors import InvalidTiming
from conductor.timing import DOCUMENTED, Timing

__all__ = [
    "FIELD",
    "SDK_NAMES",
    "GridError",
    "Parameter",
    "Parameters",
    "Point",
    "fixed",
    "parse",
    "points",
    "timing_of",
    "usual",
    "varied",
]

Point = Mapping[str, float | str]
_MOST_POINTS = 2000
SDK_NAMES: Final = ("python", "typescript", "go", "java")


class GridError(ValueError):
    """The parameters can't be read. The text names the input and the way out."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """``unit``: "s", "fraction", "/day", "/s" or "" (a whole number); ``choices`` make it a word."""

    name: str
    unit: str
    default: float | str
    text: str
    least: float = 0.0
    most: float = 1e6
    choices: tuple[str, ...] = ()

    def show(self, value: float | str) -> str:
        """With its unit."""
        if isinstance(value, str):
            return value
        if self.unit == "fraction":
            return f"{value * 100:g} %"
        return f"{value:,.10g}{self.unit}" if self.unit.startswith("/") else f"{value:,.10g} {self.unit}".strip()


Parameters = Mapping[str, Parameter]

_FIELD = (
    Parameter("ping_interval", "s", DOCUMENTED.ping_interval_s, "of the relay (documented: 10 and 20)", 0.1),
    Parameter("ping_wait", "s", DOCUMENTED.ping_wait_s, "silence after which an executor is DISCONNECTED", 0.1),
    Parameter("grace", "s", DOCUMENTED.grace_s, "DISCONNECTED until DEAD: executorTimeoutSecs", 1),
    Parameter("scan", "s", DOCUMENTED.scan_s, "how often the relay looks at its deadlines", 0.001),
    Parameter("sdk", "", "python", "whose keep-alive and redial the executors have", choices=SDK_NAMES),
    Parameter("latency", "s", 0.0005, "of the network, one way", 0, 60),
    Parameter("loss", "fraction", 0.0, "of packets, both ways; TCP repeats them after 0.2 s, doubling", 0, 0.9),
    Parameter(
        "pauses", "/day", 4.0, "pauses of a process a day: garbage collection, a starved or suspended host", 0, 10_000
    ),
    Parameter("pause", "s", 5.0, "median length of a pause; log-normal, a twentieth is 7 times as long", 0.001),
    Parameter("outages", "/day", 2.0, "silent network outages a day and executor", 0, 10_000),
    Parameter("outage", "s", 10.0, "median length of an outage; log-normal, a twentieth is 7 times as long", 0.001),
    Parameter("cuts", "/day", 6.0, "connections reset a day and executor", 0, 10_000),
)
FIELD: Final[Parameters] = MappingProxyType({each.name: each for each in _FIELD})
"""Of studies of a fleet that keeps its connections while chance strikes."""

CALM: Final[Mapping[str, Sequence[float | str]]] = MappingProxyType(
    {"pauses": (0.0,), "outages": (0.0,), "cuts": (0.0,)}
)
"""Nothing happens by chance."""

_UNITS: Final[Mapping[str, Mapping[str, float]]] = MappingProxyType(
    {
        "s": {"ms": 0.001, "s": 1.0, "min": 60.0, "m": 60.0, "h": 3600.0, "": 1.0},
        "fraction": {"%": 0.01, "": 1.0},
        "/day": {"/day": 1.0, "/h": 24.0, "": 1.0},
        "/s": {"/s": 1.0, "k/s": 1000.0, "": 1.0},
        "": {"k": 1000.0, "": 1.0},
    }
)
"""By what a parameter is measured in: what may stand behind its numbers, and how much of it that is."""
_NUMBER = re.compile(r"([0-9]*\.?[0-9]+(?:e-?[0-9]+)?)([a-z/%]*)")


def parse(text: str, parameters: Parameters) -> dict[str, list[float | str]]:
    """``name=values`` separated by blanks. Raises `GridError`."""
    axes: dict[str, list[float | str]] = {}
    for word in text.split():
        name, sign, values = word.partition("=")
        if not (sign and values):
            raise GridError(f"{word!r} is not name=value; write for instance grace=30 loss=0%..2%/1%")
        if name not in parameters:
            near = get_close_matches(name.lower(), parameters, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(parameters)}"
            raise GridError(f"there is no parameter {name!r}; {hint}")
        if name in axes:
            raise GridError(f"{name} is given twice; write all its values once, with commas")
        if not all(values.split(",")):
            raise GridError(
                f"{word}: a value is missing; write several with commas and without blanks, as in grace=5,10"
            )
        axes[name] = _values(parameters[name], values)
    return axes


def points(axes: Mapping[str, Sequence[float | str]], parameters: Parameters) -> list[Point]:
    """Every combination, defaults filled in. Raises `GridError` where there are too many."""
    names = list(axes)
    count = 1
    for values in axes.values():
        count *= len(values)
    if count > _MOST_POINTS:
        raise GridError(f"that is {count} points: give at most {_MOST_POINTS} at once")
    defaults = {each.name: each.default for each in parameters.values()}
    return [defaults | dict(zip(names, chosen, strict=True)) for chosen in itertools.product(*axes.values())]


def usual(seen: Sequence[Point], parameters: Parameters) -> Point:
    """The point with the most defaults, the first of several: what most readers have."""
    return max(seen, key=lambda point: sum(point[name] == each.default for name, each in parameters.items()))


def fixed(point: Point, parameters: Parameters, but: Sequence[str] = ()) -> str:
    """What a point has in common with all others, in words."""
    return ", ".join(f"{name} {parameters[name].show(value)}" for name, value in point.items() if name not in but)


def varied(seen: Sequence[Point], parameters: Parameters) -> list[str]:
    """The parameters that differ between points; the first one where none does."""
    return [name for name in parameters if len({point[name] for point in seen}) > 1] or list(parameters)[:1]


def timing_of(point: Point) -> Timing:
    """The relay's timing at this point. Raises `GridError` for one that contradicts itself."""
    given = {name: float(point[name]) for name in ("ping_interval", "ping_wait", "grace", "scan")}
    if given["ping_interval"] > given["ping_wait"]:
        raise GridError(
            f"ping_interval={given['ping_interval']:g} ping_wait={given['ping_wait']:g}: give a ping interval of at"
            " most the ping wait, or the living fall silent between two pings (LIV-1)"
        )
    try:
        return Timing(
            ping_interval_s=given["ping_interval"],
            ping_wait_s=given["ping_wait"],
            grace_s=given["grace"],
            scan_s=min(given["scan"], given["ping_interval"]),
            slack_s=min(DOCUMENTED.slack_s, given["ping_wait"] / 4, given["grace"] / 4),
        )
    except InvalidTiming as problem:
        raise GridError(f"{' '.join(f'{name}={value:g}' for name, value in given.items())}: {problem}") from problem


def _values(parameter: Parameter, text: str) -> list[float | str]:
    if parameter.choices:
        for each in text.split(","):
            if each not in parameter.choices:
                raise GridError(f"{parameter.name}={each}: give {', '.join(parameter.choices)}")
        return list(dict.fromkeys(text.split(",")))
    return list(dict.fromkeys(value for part in text.split(",") for value in _span(parameter, part)))


def _span(parameter: Parameter, text: str) -> Iterator[float]:
    begin, dots, rest = text.partition("..")
    if not dots:
        yield _number(parameter, begin)
        return
    end, slash, step = rest.rpartition("/")
    if not slash or not (step[:1].isdigit() or step[:1] == "."):
        raise GridError(f"{parameter.name}={text}: a range has a step, as in {begin}..{rest}/5")
    low, high, by = _number(parameter, begin), _number(parameter, end), _number(parameter, step, bounded=False)
    if by <= 0 or high < low:
        raise GridError(f"{parameter.name}={text}: a range rises, and its step is above zero")
    count = int((high - low) / by + 1e-9) + 1
    if count > _MOST_POINTS:
        raise GridError(f"{parameter.name}={text}: that is {count} values, give at most {_MOST_POINTS}")
    for number in range(count):
        yield round(low + number * by, 9)


def _number(parameter: Parameter, text: str, *, bounded: bool = True) -> float:
    units = _UNITS[parameter.unit]
    match = _NUMBER.fullmatch(text)
    if match is None or match[2] not in units:
        named = " or ".join(filter(None, [", ".join(unit for unit in units if unit), "without a unit"]))
        raise GridError(f"{parameter.name}={text}: give a number ({named}), such as {parameter.default:g}")
    value = float(match[1]) * units[match[2]]
    if bounded and not parameter.least <= value <= parameter.most:
        least, most = parameter.show(parameter.least), parameter.show(parameter.most)
        raise GridError(f"{parameter.name}={text}: give {least} to {most}")
    if not parameter.unit and value != int(value):
        raise GridError(f"{parameter.name}={text}: give a whole number")
    return value
