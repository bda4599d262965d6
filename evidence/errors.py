"""The error tree of this package: everything that it raises on purpose derives from `EvidenceError`."""

from __future__ import annotations

__all__ = [
    "EvidenceError",
    "HistoryError",
    "MalformedHistory",
    "RecorderMisuse",
    "RuleMisuse",
    "TruncatedHistory",
    "UnknownFormat",
    "UnknownRule",
    "WindowError",
]


class EvidenceError(Exception):
    """Root of all errors of this package."""


class HistoryError(EvidenceError):
    """A history can't be used as evidence; the text names the file and the line."""


class TruncatedHistory(HistoryError):
    """The history ends before its footer: the run was cut off, or the file was."""


class MalformedHistory(HistoryError):
    """A line is no event of the vocabulary, or the events' numbers have a gap."""


class UnknownFormat(HistoryError):
    """The history was written in a format that this version doesn't read."""


class RecorderMisuse(HistoryError):
    """Something was recorded before the header, or a header was written twice."""


class RuleMisuse(EvidenceError):
    """An expectation gives its rule arguments that it can't use; the text names rule, argument and allowed values."""


class UnknownRule(RuleMisuse):
    """An expectation names a rule that nobody registered; the text lists the known ones."""


class WindowError(RuleMisuse):
    """A window text is no sum over the timing's short names; the text quotes it and lists the names."""
