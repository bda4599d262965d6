"""The other lawful reading of the ping wait, as a core."""

from __future__ import annotations

from reference_relay.core.core import Core
from reference_relay.core.records import Connection

__all__ = ["FromTheUnansweredPing"]


class FromTheUnansweredPing(Core):
    """The wait begins at the first ping that nothing answered, not at the last frame."""

    def _silent_at_ns(self, connection: Connection) -> int:
        unanswered = (connection.next_ping_ns - connection.last_frame_ns - 1) // self._interval_ns
        return connection.next_ping_ns - unanswered * self._interval_ns + self._wait_ns
