"""Everything that the `simulator` package raises of its own, in one tree."""

from __future__ import annotations


class SimulatorError(Exception):
    """The root. The text is one sentence that names the cause and the way out."""


class Stalled(SimulatorError):
    """Nothing is left to happen, but somebody still waits: a scenario awaits what no world ever gives it."""


class OutOfTime(SimulatorError):
    """A scenario went on past the session's limit of virtual time: a wait in it has no deadline."""


class RelayGone(SimulatorError):
    """The simulated relay is down, or died before it answered."""
