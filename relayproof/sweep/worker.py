"""A worker of a sweep: takes shards off the queue and computes them in a pool of processes."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

from dbos import DBOS, DBOSConfig, Queue

from relayproof.sweep import jobs
from relayproof.sweep.application import APPLICATION, QUEUE, WORKFLOW, code_version

__all__ = ["work"]

POLL_S = 0.2
"""Between two looks at the queue: a shard takes seconds."""


def work(*, database: str, relay_url: str | None, key: str | None, processes: int) -> int:
    """Compute shards until SIGTERM or Ctrl-C, or until the coordinator that started it has gone.

    With ``relay_url`` (ws://host:port) and ``key`` the relay watches this worker and has its shards recovered by
    others when it dies. Writes one JSON line when it is ready.
    """
    pool = ProcessPoolExecutor(processes, mp_context=get_context("spawn"), initializer=_follow, initargs=(os.getpid(),))

    @DBOS.step(name="compute")
    def compute(job: str, shard: Mapping[str, Any]) -> dict[str, Any]:
        return pool.submit(jobs.compute, job, shard, code_version()).result()

    @DBOS.workflow(name=WORKFLOW)
    def run(job: str, shard: Mapping[str, Any]) -> dict[str, Any]:
        result: dict[str, Any] = compute(job, shard)
        return result

    config = DBOSConfig(
        name=APPLICATION,
        system_database_url=database,
        application_version=code_version(),
        log_level="ERROR",
        run_admin_server=False,
    )
    if relay_url is not None and key is not None:
        config["conductor_url"], config["conductor_key"] = relay_url, key
    DBOS(config=config)
    Queue(QUEUE, worker_concurrency=processes, polling_interval_sec=POLL_S)
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    DBOS.launch()
    ready = json.dumps({"event": "ready", "executor": DBOS.executor_id, "version": code_version(), "pid": os.getpid()})
    print(ready, flush=True)
    print(ready, file=sys.stderr, flush=True)  # for whoever reads the log: which worker is which executor
    ended.wait()
    pool.shutdown(wait=False, cancel_futures=True)
    sys.stdout.flush()
    os._exit(0)  # a shard in hand is nothing to wait for: whoever comes next computes it again


def _follow(parent: int) -> None:
    """In a process of the pool: end when the worker has gone, however it ended. Ctrl-C is the worker's to answer."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
