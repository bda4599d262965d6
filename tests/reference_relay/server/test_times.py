"""Times between epoch milliseconds and text."""

from __future__ import annotations

import pytest

from reference_relay.server.api.times import rfc3339


@pytest.mark.parametrize(
    ("epoch_ms", "text"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (1_700_000_000_001, "2023-11-14T22:13:20.001Z"),
        (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
    ],
)
def test_every_millisecond_keeps_its_name(epoch_ms: int, text: str) -> None:
    assert rfc3339(epoch_ms) == text


@pytest.mark.parametrize("epoch_ms", [2**62, -(2**62), 253_402_300_800_000])
def test_what_is_no_time(epoch_ms: int) -> None:
    with pytest.raises(ValueError, match=r"time|year"):
        rfc3339(epoch_ms)
