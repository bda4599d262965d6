"""Puts the parts of one relay together and runs them."""

from __future__ import annotations

import asyncio
import contextlib
import json
import resource
import secrets
import signal
import socket
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import structlog
import uvicorn
from msgspec.structs import replace

from reference_relay.config import LOCAL_ORG, Config
from reference_relay.core.config import CoreConfig
from reference_relay.core.core import Core
from reference_relay.core.events import PutApplication
from reference_relay.core.records import AppKey, Settings
from reference_relay.errors import RelayError
from reference_relay.server.api.app import Api
from reference_relay.server.connection import Connection
from reference_relay.server.context import Context
from reference_relay.server.gate import Gate
from reference_relay.server.http import HttpProtocol
from reference_relay.server.hub import Hub
from reference_relay.server.logs import RateLimitedLog, Redactor
from reference_relay.server.rules import Rules
from reference_relay.server.upkeep.schedule import Schedule
from reference_relay.store import Store
from reference_relay.store.sqlite import SqliteStore

STORE_FAILED = 70
GRACEFUL_S = 2  # how long management calls may go on after SIGTERM

log = structlog.get_logger("reference_relay")


@dataclass(frozen=True, kw_only=True)
class Parts:
    """The classes that a relay is made of; a broken relay replaces one of them."""

    core: type[Core] = Core
    hub: type[Hub] = Hub
    connection: type[Connection] = Connection
    gate: type[Gate] = Gate
    api: type[Api] = Api
    upkeep: type[Schedule] = Schedule
    store: Callable[[Path], Store] = SqliteStore


class Relay:
    """One relay process. `serve` returns its exit code."""

    def __init__(self, config: Config, store: Store, parts: Parts, redactor: Redactor) -> None:
        self._config = config
        self._store = store
        self._parts = parts
        self._redactor = redactor
        for spec in config.organisations.values():
            for key in spec.keys:
                if key.key is not None:
                    redactor.learn(key.key)
        self._exit_code = 0

    async def serve(self) -> int:
        """Raises RelayError where the relay can't start."""
        _allow_many_files()
        listener = self._listen()
        self._loop = asyncio.get_running_loop()
        stored = self._store.load()
        patched = self._store.patched()
        core = self._parts.core(CoreConfig(timing=self._config.timing, request_prefix=secrets.token_hex(4)))
        self._hub = hub = self._parts.hub(core, self._store, self._store_failed, self._redactor)
        gate = self._parts.gate(self._config, self._store.keys(), lambda key: key in core.applications)
        context = Context(
            config=self._config,
            hub=hub,
            gate=gate,
            redactor=self._redactor,
            refused=RateLimitedLog(),
            rules=Rules.stored(self._store),
        )
        self._server = _Server(self._http(context), self._ready)
        self._upkeep = self._parts.upkeep(context)
        hub.start(stored)
        self._put_configured(patched)
        await hub.settled()
        self._upkeep.start()
        for number in (signal.SIGTERM, signal.SIGINT):
            self._loop.add_signal_handler(number, self._stop)
        try:
            await self._server.serve(sockets=[listener])
        finally:
            hub.stop()
            if not hub.close():
                log.critical("the store did not take the last changes in time")
                self._exit_code = STORE_FAILED
        log.info("stopped")
        return self._exit_code

    def _listen(self) -> socket.socket:
        host, port = self._config.host, self._config.port
        try:
            family = socket.AF_INET6 if ":" in host else socket.AF_INET
            return socket.create_server((host, port), family=family)
        except (OSError, UnicodeError) as error:
            problem = getattr(error, "strerror", None) or error
            raise RelayError(
                f"can't listen on {host} port {port}: {problem}; choose another --host or --port"
            ) from error

    def _http(self, context: Context) -> uvicorn.Config:
        http = partial(
            HttpProtocol,
            connect=partial(self._parts.connection, context),
            header_deadline_s=self._config.limits.header_deadline_s,
            body_bytes=self._config.limits.body_bytes,
        )
        return uvicorn.Config(
            self._parts.api(context),
            http=http,  # type: ignore[arg-type]
            ws=self._parts.connection,
            loop="none",
            lifespan="off",
            interface="asgi3",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=GRACEFUL_S,
        )

    def _put_configured(self, patched: dict[AppKey, frozenset[str]]) -> None:
        """Applications of the configuration: what a PATCH once set stays (LIV-9), the rest is as the file says."""
        default = self._config.default_settings
        for org, spec in self._config.organisations.items():
            for app, given in spec.applications.items():
                key = AppKey(org, app)
                before = self._hub.core.applications.get(key)
                settings: Settings = given.settings(default)
                if before is not None:
                    kept = {name: getattr(before.settings, name) for name in patched.get(key, ())}
                    settings = replace(settings, **kept)
                if before is None or before.settings != settings:
                    app_id = before.app_id if before else str(uuid.uuid4())
                    self._hub.feed(PutApplication(key, app_id, settings))

    def _ready(self, port: int) -> None:
        organisations = sorted({*self._config.organisations, *([LOCAL_ORG] if self._config.auth == "none" else [])})
        ready = {
            "event": "ready",
            "host": self._config.host,
            "port": port,
            "base_path": self._config.base_path,
            "auth": self._config.auth,
            "organisations": organisations,
        }
        print(json.dumps(ready), flush=True)
        log.info("ready", port=port)

    def _stop(self) -> None:
        """Executors stay as they are for the next start: their close frames are no news to the core."""
        self._upkeep.stop()
        self._hub.stop()
        self._server.should_exit = True

    def _store_failed(self, failure: BaseException) -> None:
        """Called in the writer's thread. Without a store nothing can be promised any more."""
        log.critical("the store failed, so the relay stops", failure=str(failure))
        self._exit_code = STORE_FAILED
        self._loop.call_soon_threadsafe(self._stop)


class _Server(uvicorn.Server):
    """uvicorn's server without its signal handlers, which end the process by the signal instead of an exit code."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[int], None]) -> None:
        super().__init__(config)
        self._ready = ready

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        assert sockets, "the relay binds its own socket"
        self._ready(sockets[0].getsockname()[1])


def _allow_many_files() -> None:
    """One file per connection: take what the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < hard:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
