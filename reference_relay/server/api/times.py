"""Times between the API (RFC 3339), the executors (epoch milliseconds or their one text form), and the store."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from msgspec import Meta

from reference_relay.server.api.problems import unfit

__all__ = ["DateTime", "epoch_ms", "portable", "rfc3339"]

DateTime = Annotated[datetime, Meta(tz=True)]
"""A date-time with its offset, as request bodies and query parameters have it."""


def rfc3339(epoch_ms: int) -> str:
    """Raises ValueError for a time outside the years 1 to 9999."""
    seconds, milliseconds = divmod(epoch_ms, 1000)  # not by a float, which rounds
    try:
        moment = datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, OSError) as error:
        raise ValueError(f"{epoch_ms} ms is no time of this calendar") from error
    return f"{moment.replace(tzinfo=None).isoformat(timespec='seconds')}.{milliseconds:03d}Z"


def portable(moment: datetime) -> str:
    """`YYYY-MM-DDTHH:MM:SS.mmm+00:00`, the one form that all four SDKs read (measured).

    Raises Problem 422 for the first and last hours of the calendar where UTC has no name for them.
    """
    try:
        return moment.astimezone(UTC).isoformat(timespec="milliseconds")
    except OverflowError as error:
        raise unfit("body", f"{moment.isoformat()} lies outside the years 1 to 9999 of UTC") from error


def epoch_ms(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)
