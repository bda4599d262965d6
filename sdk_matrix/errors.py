"""The error tree of this package."""

from __future__ import annotations

__all__ = ["ContractError", "MatrixError", "MissingSdk", "UnknownLanguage"]


class MatrixError(Exception):
    """Root of all errors of this package."""


class MissingSdk(MatrixError):
    """A language's SDK can't be run here; the text says what is missing and how to get it."""


class UnknownLanguage(MatrixError):
    """No worker program exists for the language; the text lists those that do."""


class ContractError(MatrixError):
    """A worker said something that the contract doesn't know; the text quotes the line."""
