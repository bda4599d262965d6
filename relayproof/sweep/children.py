"""Processes that a coordinator starts on its own machine: workers, and on PostgreSQL a relay that watches them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from secrets import token_hex
from typing import Any

import yaml

from relayproof.errors import MissingPart
from relayproof.sweep.application import APPLICATION, DATABASE_VARIABLE, KEY_VARIABLE
from scenarios.targets.lifetime import die_with_parent

__all__ = ["Child", "Relay", "start_relay", "start_worker"]

GRACE_S = 10
"""A shard takes seconds, and a worker that was cut off for longer may compute it again without harm."""


class Child:
    """A process that says in one JSON line on its standard output when it is ready. It dies with this one."""

    def __init__(self, *arguments: str, log: Path, secrets: Mapping[str, str] | None = None) -> None:
        """``secrets`` go by the environment: a command line is everybody's to read.

        Raises `MissingPart` with the end of its log where it does not get ready.
        """
        with log.open("ab") as file:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "relayproof", *arguments],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=file,
                env=os.environ | dict(secrets or {}),
                preexec_fn=die_with_parent,  # noqa: PLW1509 - it calls one function of the C library
            )  # fmt: skip
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            self.process.wait()
            raise MissingPart(f"{arguments[0]} ended with {self.process.returncode}; its log {log} ends:\n{_end(log)}")
        self.ready: dict[str, Any] = json.loads(line)

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def stop(self) -> None:
        """SIGTERM, and SIGKILL for what does not listen within 10 s."""
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Relay(Child):
    """The reference relay, on data of the sweep's own."""

    def __init__(self, config: Path, key: str, log: Path) -> None:
        super().__init__("serve", "--config", str(config), log=log)
        self.key = key

    @property
    def url(self) -> str:
        return f"ws://{self.ready['host']}:{self.ready['port']}"


def start_relay(folder: Path) -> Relay:
    """Listens on loopback; the same key and data at each start, so that a resumed sweep knows its dead workers."""
    config = folder / "relay.yaml"
    if not config.exists():
        organisation = {
            "keys": [{"name": "workers", "key": f"dbos_{token_hex(24)}", "permissions": "all"}],
            "applications": {APPLICATION: {"executorTimeoutSecs": GRACE_S}},
        }
        settings = {"port": 0, "data": str(folder.absolute() / "relay"), "organisations": {"sweep": organisation}}
        config.touch(0o600)
        config.write_text(yaml.safe_dump(settings))
    key: str = yaml.safe_load(config.read_text())["organisations"]["sweep"]["keys"][0]["key"]
    return Relay(config, key, folder / "relay.log")


def start_worker(folder: Path, database: str, relay_url: str | None, key: str | None, processes: int) -> Child:
    """One worker on this machine. Raises `MissingPart` where it can't start (database away, SDK missing)."""
    arguments, secrets = ["sweep-worker", "--processes", str(processes)], {DATABASE_VARIABLE: database}
    if relay_url is not None and key is not None:
        arguments += ["--relay", relay_url]
        secrets[KEY_VARIABLE] = key
    return Child(*arguments, log=folder / "workers.log", secrets=secrets)


def _end(log: Path) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-5:])
