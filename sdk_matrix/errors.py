"""The error tree of this package."""

from __future__ import annotations

__all__ = ["BuildFailed", "ContractError", "LicenceRefused", "MatrixError", "MissingSdk", "UnknownLanguage"]


class MatrixError(Exception):
    """Root of all errors of this package."""


class MissingSdk(MatrixError):
    """A language's SDK can't be run here; the text says what is missing and how to get it."""


class BuildFailed(MatrixError):
    """An SDK's environment could not be made; the text has the command and the end of its output."""


class LicenceRefused(MatrixError):
    """A version of an SDK that is not MIT, or whose licence can't be read: it is never installed or run."""


class UnknownLanguage(MatrixError):
    """No worker program exists for the language, or no version is named; the text lists those that do, or tells how."""


class ContractError(MatrixError):
    """A worker said something that the contract doesn't know; the text quotes the line."""
