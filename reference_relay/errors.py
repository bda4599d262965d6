"""The error tree of the relay: everything that it raises on purpose derives from `RelayError`."""

from __future__ import annotations

__all__ = ["ConfigError", "DataInUse", "ForeignData", "NewerData", "RelayError", "StoreError", "StoreUnavailable"]


class RelayError(Exception):
    """Root of all errors of this package."""


class ConfigError(RelayError):
    """The configuration can't be used; the text names the file or variable, the key, and the allowed values."""

    def __init__(self, source: str, key: str, problem: str) -> None:
        super().__init__(f"{source}: {key}: {problem}" if key else f"{source}: {problem}")
        self.source = source
        self.key = key


class StoreError(RelayError):
    """The stored data can't be used as it is."""


class DataInUse(StoreError):
    """Another relay has the data directory."""


class ForeignData(StoreError):
    """The database file was written by another program, or is damaged."""


class NewerData(StoreError):
    """The database file was written by a newer release."""


class StoreUnavailable(StoreError):
    """A read or commit failed for now (disk full, database away); the same call may succeed later."""
