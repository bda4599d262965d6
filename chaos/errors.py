"""The error tree of this package."""

from __future__ import annotations

__all__ = [
    "BadRecord", "ChaosError", "CommandRefused", "DatabaseGone", "FaultRefused", "LaunchFailed", "MissingPostgres",
    "NotAWebSocket", "NotAtWork", "UnknownExperiment", "UnknownFault", "UnknownTest", "UnknownVictim", "WorkerGone",
]  # fmt: skip


class ChaosError(Exception):
    """Root of all errors of this package. They are the harness's own: none of them says anything about the relay."""


class LaunchFailed(ChaosError):
    """A worker did not become ready; the text carries the end of its log."""


class WorkerGone(ChaosError):
    """A command was given to a worker that has ended, or that did not report in time; the text names it."""


class CommandRefused(ChaosError):
    """A worker's SDK raised at a command, or lacks it; the text says which and why."""


class UnknownVictim(ChaosError):
    """A fault names an executor that is not there; the text lists those that are."""


class UnknownFault(ChaosError):
    """No fault of this name is registered; the text lists those that are."""


class FaultRefused(ChaosError):
    """The runtime or the database does not allow this fault; the text says why and what does."""


class NotAtWork(ChaosError):
    """The workflows did not get under way in time: a strike now would prove nothing."""


class NotAWebSocket(ChaosError):
    """Bytes on a tapped connection are no HTTP upgrade or no WebSocket frame."""


class MissingPostgres(ChaosError):
    """There is no PostgreSQL server to start here; the text says how to get it."""


class DatabaseGone(ChaosError):
    """The harness's own PostgreSQL server does not start or does not answer; the text carries its last words."""


class UnknownTest(ChaosError):
    """No test has this name; the text lists those that there are."""


class UnknownExperiment(ChaosError):
    """No experiment has this name; the text lists those that there are."""


class BadRecord(ChaosError):
    """A file is no record of findings; the text names it."""
