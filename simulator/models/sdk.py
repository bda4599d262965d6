"""How the four SDKs behave on the Conductor socket, as parameters. Times are seconds.

Source: measured with dbos 2.31.1 (Python, websockets 17.4) and 4.27.6 (TypeScript); Go and Java from their source.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import msgspec


class Sdk(msgspec.Struct, frozen=True, kw_only=True):
    """One SDK's client. ``None`` for a time-out: there is none."""

    language: str
    first_ping_s: float = 20.0  # after the upgrade
    ping_s: float = 20.0
    pong_wait_s: float  # after a ping that was not answered
    any_frame_is_life: bool = False  # ... or answered by any frame of the relay
    says_goodbye: bool = False  # a close frame when it gives a silent connection up
    handshake_s: float | None = 5.0
    redial_s: float = 1.0  # after an established connection ended
    backs_off: bool = False  # after a failed dial: 1, 2, 4 .. 30 s, each times 0.5 to 1.5; otherwise redial_s
    serial: bool = False  # one request at a time, in order
    deaf_while_busy: bool = False  # no pong while a handler runs
    pongs: int = 1  # to each ping
    recovers_directly: bool = False  # runs what it recovers at once; otherwise it is enqueued again
    waits_for_database: bool = True  # a request that finds the database gone is tried until it is back
    stop_code: int | None = 1000  # of the close frame of a graceful stop; None: the socket is aborted
    leaves_first: bool = False  # a graceful stop disconnects before running steps have ended


SDKS: Final[Mapping[str, Sdk]] = MappingProxyType(
    {
        "python": Sdk(language="python", pong_wait_s=20.0, says_goodbye=True, serial=True),
        "typescript": Sdk(
            language="typescript", pong_wait_s=15.0, any_frame_is_life=True, waits_for_database=False, stop_code=1005
        ),
        "go": Sdk(
            language="go",
            pong_wait_s=10.0,  # a read deadline of 30 s from the last pong on
            says_goodbye=True,
            handshake_s=10.0,
            redial_s=0.0,
            backs_off=True,
            serial=True,
            deaf_while_busy=True,
        ),
        "java": Sdk(
            language="java",
            first_ping_s=0.0,
            pong_wait_s=15.0,
            handshake_s=None,
            pongs=2,
            recovers_directly=True,
            stop_code=None,
            leaves_first=True,
        ),
    }
)
"""By the language of executor_info."""

BACKOFF_CAP_S: Final = 30.0
"""Go's longest pause between two failed dials, before jitter."""

POLL_S: Final = 1.0
"""How often an executor looks for enqueued work."""
