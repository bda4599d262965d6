"""A real executor with a little of everything: python executor.py RELAY KEY DATABASE. Ends with its standard input."""

from __future__ import annotations

import os
import sys
import time

from dbos import DBOS, DBOSConfig, Queue

jobs = Queue("jobs", worker_concurrency=2)


@DBOS.step()
def pay(amount: int) -> int:
    return amount * 2


@DBOS.workflow()
def order(amount: int) -> int:
    DBOS.set_event("state", "paid")
    DBOS.write_stream("log", "line 1")
    return pay(amount)


@DBOS.step()
def refuse() -> None:
    raise ValueError("out of stock")


@DBOS.workflow()
def failing() -> None:
    refuse()


@DBOS.workflow()
def waiting() -> str:
    return str(DBOS.recv("topic", timeout_seconds=600))


@DBOS.workflow()
def nightly(at: object, context: object) -> None:
    """Started by its schedule only."""


def main() -> None:
    relay, key, database = sys.argv[1:]
    config: DBOSConfig = {
        "name": "shop", "system_database_url": f"sqlite:///{database}", "conductor_url": relay, "conductor_key": key,
        "application_version": "v1", "run_admin_server": False,
    }  # fmt: skip
    DBOS(config=config)
    DBOS.launch()
    DBOS.create_schedule(schedule_name="nightly", workflow_fn=nightly, schedule="0 0 1 1 *", context={"a": 1})
    from dbos import SetWorkflowID

    with SetWorkflowID("order/1?x#y é"):
        assert order(21) == 42
    for name in ("failing-1", "failing-2"):
        with SetWorkflowID(name):
            DBOS.start_workflow(failing)
    for name in ("waiting-1", "waiting-2", "waiting-3"):
        with SetWorkflowID(name):
            jobs.enqueue(waiting)
    DBOS.send("waiting-3", "hello", topic="other")
    while any(DBOS.get_workflow_status(f"failing-{n}").status != "ERROR" for n in (1, 2)):  # type: ignore[union-attr]
        time.sleep(0.05)
    print("ready", flush=True)
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
