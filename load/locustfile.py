"""Load test of a relay: executors that connect, answer and reconnect, and clients of the management API.

    RELAYPROOF_LOAD_TOKEN=dbos_... locust -f load/locustfile.py --host http://127.0.0.1:8090

The statistics hold the handshake, the time until the relay lists an executor as HEALTHY, and the
latency of each kind of request. `relayproof load` runs the same headless against any profile.
"""

from __future__ import annotations

import os
from typing import Any

import gevent
from locust import events, task

from load.calls import ApiUser, prepare
from load.executors import ExecutorUser
from load.place import PREFIX, LoadError, from_environment

__all__ = ["ApiUser", "Executor"]


class Executor(ExecutorUser):
    """Locust runs the classes that it finds here; the one task is a whole connection."""

    @task
    def connection(self) -> None:
        self.connect_once()


ExecutorUser.abstract = True
ApiUser.fixed_count = int(os.environ.get(f"{PREFIX}API_USERS", "0"))  # 0: by weight


def register_application(environment: Any, **_: Any) -> None:
    """Before the first user: the application must be there."""
    try:
        prepare(from_environment(environment.host))
    except LoadError as error:
        environment.process_exit_code = 3
        print(f"load: {error}", flush=True)
        environment.runner.quit()


# gevent's idea of now is as old as its last turn, and imports have taken their time since: without this the run-time
# limit, which Locust arms next, would come early by that much.
gevent.get_hub().loop.update_now()
events.test_start.add_listener(register_application)  # type: ignore[no-untyped-call]
