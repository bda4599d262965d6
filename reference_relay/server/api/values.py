"""What executors send, as the API shows it: numbers come as text, absent and null are both null."""

from __future__ import annotations

from datetime import UTC, datetime

from msgspec import UNSET, UnsetType

from reference_relay.server.api.problems import Problem
from reference_relay.server.api.times import epoch_ms, rfc3339

__all__ = ["integer", "moment", "number", "present", "text", "time"]


def text(value: str | UnsetType | None) -> str | None:
    return None if value is UNSET else value


def integer(value: object, bits: int = 64) -> int | None:
    """A whole number, given as text or as one. Raises Problem 502 for anything else, and for one out of range."""
    if value is UNSET or value is None or value == "":
        return None
    try:
        found = int(str(value))
    except ValueError as error:
        raise Problem(502, "the executor's answer has text where a number belongs") from error
    if not -(2 ** (bits - 1)) <= found < 2 ** (bits - 1):
        raise Problem(502, f"the executor's answer has a number of more than {bits} bits")
    return found


def number(value: float | UnsetType | None) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def time(epoch: object) -> str | None:
    """Epoch milliseconds, as text or as a number. Raises Problem 502 for what is no time."""
    found = integer(epoch)
    try:
        return None if found is None else rfc3339(found)
    except ValueError as error:
        raise Problem(502, f"the executor's answer has an impossible time: {error}") from error


def moment(iso: str | UnsetType | None) -> str | None:
    """ISO 8601 text; without an offset it is UTC. Raises Problem 502 for what is no time."""
    if not iso:
        return None
    try:
        found = datetime.fromisoformat(iso)
        return rfc3339(epoch_ms(found if found.tzinfo else found.replace(tzinfo=UTC)))  # year 1 may become 0 in UTC
    except ValueError as error:
        raise Problem(502, "the executor's answer has text where a time belongs") from error


def present(value: object, bits: int = 64) -> int | UnsetType:
    """A number that is left out where there is none."""
    found = integer(value, bits)
    return UNSET if found is None else found
