"""Somebody who dials in and answers executor_info in a way that must register nobody (HSK-4 to HSK-6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from evidence.history import Recorder
from reference_relay.core.records import AppKey
from simulator.clock import ns
from simulator.models.client import Client
from simulator.models.path import Path
from simulator.models.sdk import SDKS

if TYPE_CHECKING:
    from simulator.models.fleet import Fleet
    from simulator.models.place import Place


class Stranger:
    """Implements `simulator.models.client.Owner`. Answers pings, so that only its handshake is wrong; never redials."""

    def __init__(self, fleet: Fleet, place: Place, how: str) -> None:
        self.id = "" if how == "nameless" else f"stranger-{how}"
        self.app: AppKey = place.app
        self.version = place.version
        self.sdk = SDKS["typescript"]
        self.path: Path = place.path
        self.busy = False
        self._fleet = fleet
        self._how = how

    @property
    def recorder(self) -> Recorder | None:
        return self._fleet.recorder

    def dial(self) -> None:
        client = Client(self)
        self._fleet.note("bad-handshake", "", conn=client.conn, how=self._how)

    def at(self, delay_ns: int, function: Any, *args: Any) -> None:
        self._fleet.clock.call(delay_ns, function, *args)

    def run(self, function: Any, *args: Any) -> None:
        function(*args)

    def next_conn(self) -> int:
        return self._fleet.next_conn()

    def knock(self, client: Client) -> None:
        self._fleet.knock(client, self.app)

    def request(self, client: Client, frame: Mapping[str, Any], data: bytes) -> None:
        if frame.get("type") != "executor_info" or self._how == "silent":
            return
        answer: dict[str, Any] = {
            "type": "executor_info", "request_id": frame.get("request_id"), "executor_id": self.id,
            "application_version": self.version, "language": self.sdk.language, "hostname": "somewhere",
        }  # fmt: skip
        if self._how == "id":
            answer["request_id"] = "another"
        elif self._how == "type":
            answer["type"] = "alert"
        elif self._how == "error":
            answer["error_message"] = "not ready"
        self._fleet.clock.call(ns(0.001), client.send, msgspec.json.encode(answer))

    def opened(self, client: Client) -> None:
        """Nothing hangs on it."""

    def ended(self, client: Client, *, established: bool) -> None:
        """It stays away."""

    def quiet(self, client: Client) -> bool:
        return False
