"""The command line: read the configuration, open the store, run one relay until it is told to stop."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn

from msgspec.structs import replace

from reference_relay.config import LOCAL_ORG, Config, KeySpec, OrganisationSpec
from reference_relay.environment import PREFIX, load
from reference_relay.errors import ConfigError, RelayError
from reference_relay.server.gate import make_secret
from reference_relay.server.logs import Redactor, configure
from reference_relay.server.relay import Parts, Relay
from reference_relay.store.memory import MemoryStore

__all__ = ["Parts", "run"]

MEMORY = ":memory:"
WRONG_USAGE = 64


class _Parser(argparse.ArgumentParser):
    """A wrong option is a wrong configuration like any other: argparse's own exit code is 2."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        raise ConfigError("command line", "", message)


def run(argv: Sequence[str] | None = None, parts: Parts | None = None) -> int:
    """Run a relay until SIGTERM or SIGINT. Returns 0 when it stopped in order, 64 when it can't start like this, 70
    when its store failed for good."""
    parts = parts or Parts()
    try:
        config = _configuration(argv)
        store = MemoryStore() if config.data == MEMORY else parts.store(Path(config.data))
        redactor = Redactor()
        configure(config.log_level, redactor)
        try:
            relay = Relay(config, store, parts, redactor)
            with asyncio.Runner(loop_factory=_loop_factory()) as runner:
                return runner.run(relay.serve())
        finally:
            store.close()
    except RelayError as error:
        print(f"reference_relay: {error}", file=sys.stderr)
        return WRONG_USAGE


def _configuration(argv: Sequence[str] | None) -> Config:
    parser = _Parser(prog="python -m reference_relay", description="The reference relay.")
    parser.add_argument("--config", help="configuration file (relay.yaml); without one a temporary key is made")
    parser.add_argument("--host", help="address to listen on (127.0.0.1)")
    parser.add_argument("--port", type=int, help="port to listen on (8090); 0 takes a free one")
    parser.add_argument("--data", help=f"directory of the stored state (relay-data); {MEMORY} keeps nothing")
    arguments = parser.parse_args(argv)
    path = arguments.config or os.environ.get(f"{PREFIX}CONFIG")
    options = {name: getattr(arguments, name) for name in ("host", "port", "data")}
    return _with_some_key(load(Path(path) if path else None, os.environ, options))


def _with_some_key(config: Config) -> Config:
    """Without any configured key one is made that is valid until the relay stops, and shown this once."""
    if config.auth == "none" or any(spec.keys for spec in config.organisations.values()):
        return config
    org = next(iter(config.organisations), LOCAL_ORG)
    secret = make_secret(org)
    print(f"temporary key of organisation {org}, valid until this relay stops: {secret}", file=sys.stderr, flush=True)
    before = config.organisations.get(org, OrganisationSpec())
    key = KeySpec(name="temporary", key=secret, permissions="all")
    organisation = replace(before, keys=(*before.keys, key))
    return replace(config, organisations={**config.organisations, org: organisation})


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """uvloop where there is one; asyncio's own loop can cost three times as much per read (measured)."""
    try:
        import uvloop
    except ImportError:
        return None
    return uvloop.new_event_loop
