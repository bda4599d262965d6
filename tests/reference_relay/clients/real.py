"""A real executor behind the relay, as a process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.reference_relay.clients.every_call import APP
from tests.reference_relay.support import ADMIN, RelayProcess, statuses, until

PROGRAM = Path(__file__).with_name("executor.py")


@contextmanager
def real_executor(relay: RelayProcess, http: httpx.Client, folder: Path) -> Iterator[None]:
    """One of application `APP` with the workflows of executor.py, all of which are where they end up."""
    assert http.put(f"/v2/orgs/acme/apps/{APP}").status_code == 204
    command = [sys.executable, PROGRAM, f"ws://127.0.0.1:{relay.port}", ADMIN, folder / "shop.sqlite"]
    log = folder / "executor.log"
    with (
        log.open("wb") as stderr,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, text=True) as executor,
    ):
        try:
            assert executor.stdin is not None and executor.stdout is not None
            while (line := executor.stdout.readline()) != "ready\n":
                assert line, log.read_text()
            until(lambda: "HEALTHY" in statuses(http, APP).values(), "the executor", 60)
            yield
            executor.stdin.close()
            executor.wait(10)
        finally:
            executor.kill()
