"""``relayproof serve``: run the reference relay."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import reference_relay.main
from relayproof.errors import WrongUsage


def serve(
    *, config: Path | None = None, host: str | None = None, port: int | None = None, data: str | None = None
) -> int:
    """Run the reference relay until it is told to stop (SIGTERM, Ctrl-C). Needs no configuration at all.

    Parameters
    ----------
    config
        Configuration file (relay.yaml); without one a temporary key is made and printed once.
    host
        Address to listen on; 127.0.0.1 unless the configuration says otherwise.
    port
        Port for executors and the management API; 8090 by default, 0 takes a free one.
    data
        Directory of the stored state, relay-data by default; ":memory:" keeps nothing.
    """
    options = {"--config": config, "--host": host, "--port": port, "--data": data}
    argv = [text for name, value in options.items() if value is not None for text in (name, str(value))]
    if config is not None and not os.path.isfile(config):  # noqa: PTH113 - pathlib raises for too long a name
        raise WrongUsage(f"--config {config}: no such file; give a relay.yaml, or leave it out")
    try:
        return reference_relay.main.run(argv)
    except RecursionError as problem:
        raise WrongUsage(f"--config {config}: nested too deeply to be a configuration; mend the file") from problem
    except (OSError, sqlite3.Error) as problem:
        raise WrongUsage(
            f"--data {data or 'relay-data'}: {problem}: move away what lies in the way, or give another directory"
        ) from problem
