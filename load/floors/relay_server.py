"""The whole reference relay as it is served: registry, store, audit, metrics. Its dispatcher calls the hub."""

from __future__ import annotations

import asyncio
import os
import signal
import sys

from load.floors.control import REQUEST_FIELDS, Control, arguments
from reference_relay.core import Stored
from reference_relay.core.effects import Outcome
from reference_relay.core.events import Call
from reference_relay.core.records import AppKey
from reference_relay.main import Parts, run
from reference_relay.server.hub import Hub

APPLICATION = AppKey("bench", "bench")
KEY = "dbos_bench_0000000000000000000000000000000000000000"
CONFIG = f"""
port: 0
organisations:
  bench:
    keys:
      - name: executors
        key: {KEY}
    applications:
      bench: {{}}
"""


class DrivenHub(Hub):
    """The relay's hub, under the benchmark's control from its start."""

    def start(self, stored: Stored) -> None:
        super().start(stored)
        self._commands = asyncio.get_running_loop().create_task(self._serve_commands())

    def registered(self) -> int:
        return len(self.core.ready.get(APPLICATION, ()))

    async def ask(self, worker: int) -> bool:
        done = await self.call(_request)
        return done.outcome is Outcome.ANSWERED

    async def _serve_commands(self) -> None:
        await Control(self).serve()
        os.kill(os.getpid(), signal.SIGTERM)


def _request(call_id: int) -> Call:
    return Call(call_id, APPLICATION, "list_workflows", REQUEST_FIELDS)


if __name__ == "__main__":
    given = arguments("The reference relay, for the benchmark.")
    sys.exit(run(["--config", given.config], Parts(hub=DrivenHub)))
