"""A PostgreSQL server of the harness's own: a temporary cluster on loopback that may be killed, stopped and cut.

Made from the binaries of the distribution, without a service. Durable against a crash of the server, not of the host:
the operating system keeps what was written, so nothing is flushed. Clients need no password.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import os
import pwd
import shutil
import signal
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from chaos.errors import DatabaseGone, MissingPostgres
from scenarios.targets.lifetime import die_with_parent
from scenarios.targets.process import free_port

__all__ = ["PostgresServer", "binaries"]

_READY_S = 60.0
_GONE_S = 10.0
_LOOK_S = 0.01
_PLACES = "/usr/lib/postgresql"  # Debian and Ubuntu: one folder a major version
_SETTINGS = {
    "fsync": "off", "full_page_writes": "off", "synchronous_commit": "on", "shared_buffers": "64MB",
    "max_connections": "600", "listen_addresses": "127.0.0.1", "unix_socket_directories": "", "jit": "off",
    "autovacuum_naptime": "1h", "max_wal_size": "4GB", "logging_collector": "off", "log_min_messages": "fatal",
    "restart_after_crash": "on",
    "dynamic_shared_memory_type": "mmap",  # in the cluster's own folder: what is in /dev/shm outlives a kill
}  # fmt: skip
_SIGNALS = {"fast": signal.SIGINT, "immediate": signal.SIGQUIT}

_groups: set[int] = set()


@atexit.register
def _kill_all() -> None:
    for group in tuple(_groups):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(group, signal.SIGKILL)


def binaries() -> Path:
    """The folder of ``initdb`` and ``postgres``, the newest version's. Raises `MissingPostgres`."""
    if (found := shutil.which("initdb")) is not None and shutil.which("postgres") is not None:
        return Path(found).resolve().parent
    versions = sorted(Path(_PLACES).glob("*/bin/postgres"), key=lambda path: float(path.parts[-3]))
    if not versions:
        raise MissingPostgres(
            f"PostgreSQL is not installed: no initdb on the PATH and none in {_PLACES}/*/bin; install it"
            " (Debian: apt-get install postgresql), or use Python on SQLite, which needs no server"
        )
    return versions[-1].parent


class PostgresServer:
    """One cluster. ``async with PostgresServer() as server`` starts it; the end removes all of it."""

    user = "postgres"

    def __init__(self, folder: Path | None = None) -> None:
        """``folder`` takes cluster and log and must not hold a cluster yet; None: a temporary one."""
        self._binaries = binaries()
        self._parent = folder
        self._folder: Path | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._databases: set[str] = set()
        self.port = 0

    async def __aenter__(self) -> Self:
        self._folder = Path(tempfile.mkdtemp(prefix="relayproof-postgres-", dir=self._parent or _memory_folder()))
        if os.geteuid() == 0:  # the server refuses to run as root
            shutil.chown(self._folder, *self._account())
        try:
            await self._initialize()
            self.port = free_port()
            await self.start()
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.returncode is None

    def url(self, database: str, *, port: int | None = None, scheme: str = "postgresql") -> str:
        """For a client's configuration. ``port``: of a proxy in between."""
        return f"{scheme}://{self.user}@127.0.0.1:{port or self.port}/{database}"

    async def start(self) -> None:
        """Start it (again, on the same port and data); returns when it takes connections. Raises `DatabaseGone`."""
        assert self._folder is not None, "enter the server first"
        settings = [part for name, value in _SETTINGS.items() for part in ("-c", f"{name}={value}")]
        with (self._folder / "server.log").open("ab") as log:
            self._process = await self._run(
                "postgres", "-D", str(self._data), "-p", str(self.port), *settings, output=log.fileno()
            )
        _groups.add(self._process.pid)
        deadline_s = time.monotonic() + _READY_S
        while not self._ready():
            if self._process.returncode is not None or time.monotonic() > deadline_s:
                raise DatabaseGone(f"PostgreSQL did not start: {self._log_end()}")
            await asyncio.sleep(_LOOK_S)

    async def stop(self, mode: Literal["fast", "immediate"] = "fast") -> None:
        """``immediate``: every backend quits at once, as in a crash; the next start recovers from the log."""
        process = self._process
        if process is None or process.returncode is not None:
            return
        process.send_signal(_SIGNALS[mode])
        await process.wait()
        _groups.discard(process.pid)

    async def restart(self, mode: Literal["fast", "immediate"] = "immediate", down_s: float = 0.0) -> None:
        await self.stop(mode)
        await asyncio.sleep(down_s)
        await self.start()

    async def pause(self) -> None:
        """SIGSTOP of every process of the server: connections stay open, nothing is answered."""
        self._signal(signal.SIGSTOP)

    async def resume(self) -> None:
        self._signal(signal.SIGCONT)

    async def create(self, database: str) -> None:
        """A fresh, empty database. The name is the harness's own (letters, digits, underscore)."""
        assert database.isidentifier(), database
        await self.execute("postgres", f'CREATE DATABASE "{database}"')
        self._databases.add(database)

    async def terminate(self, database: str, *, but: Sequence[str] = ()) -> int:
        """End every connection to the database except those of these application names; how many there were."""
        rows = await self.execute(
            "postgres",
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = %s AND pid <> pg_backend_pid() AND NOT application_name = ANY(%s)",
            (database, list(but)),
        )
        return len(rows)

    async def execute(self, database: str, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """One statement on a connection of its own, autocommit; its rows. Raises `DatabaseGone`."""
        import psycopg

        try:
            async with await psycopg.AsyncConnection.connect(self.url(database), autocommit=True) as connection:
                cursor = await connection.execute(statement.encode(), values or None)
                return await cursor.fetchall() if cursor.description else []
        except psycopg.OperationalError as problem:
            raise DatabaseGone(f"PostgreSQL on port {self.port} does not answer: {problem}") from problem

    async def close(self) -> None:
        """Nothing of it is left: neither process nor file."""
        process = self._process
        if process is not None and process.returncode is None:
            self._signal(signal.SIGCONT)  # a stopped backend would not see its postmaster end
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
            _groups.discard(process.pid)
        deadline_s = time.monotonic() + _GONE_S
        while self._folder is not None and self._folder.exists() and time.monotonic() < deadline_s:
            await asyncio.to_thread(shutil.rmtree, self._folder, True)
            await asyncio.sleep(_LOOK_S)  # a backend that still ends may have written once more

    @property
    def _data(self) -> Path:
        assert self._folder is not None
        return self._folder / "data"

    async def _initialize(self) -> None:
        process = await self._run(
            "initdb", "-D", str(self._data), "-U", self.user, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8",
            "--no-sync", "--no-instructions", output=asyncio.subprocess.PIPE,
        )  # fmt: skip
        output, _ = await process.communicate()
        if process.returncode != 0:
            raise DatabaseGone(f"initdb failed: {output.decode(errors='replace')[-800:]}")

    async def _run(self, program: str, *arguments: str, output: int) -> asyncio.subprocess.Process:
        account: dict[str, Any] = {}
        if os.geteuid() == 0:
            user, group = self._account()
            account = {"user": user, "group": group, "extra_groups": []}
        return await asyncio.create_subprocess_exec(
            str(self._binaries / program), *arguments, stdin=asyncio.subprocess.DEVNULL, stdout=output,
            stderr=asyncio.subprocess.STDOUT, start_new_session=True, preexec_fn=die_with_parent, cwd=self._folder,
            env={"PATH": os.environ.get("PATH", ""), "LC_ALL": "C.UTF-8", "TZ": "UTC"}, **account,
        )  # fmt: skip

    @staticmethod
    def _account() -> tuple[int, int]:
        """User and group that the server runs as where the harness is root. Raises `MissingPostgres`."""
        try:
            entry = pwd.getpwnam("postgres")
        except KeyError:
            raise MissingPostgres(
                "PostgreSQL refuses to run as root and there is no user postgres: run as another user, or add it"
            ) from None
        return entry.pw_uid, entry.pw_gid

    def _ready(self) -> bool:
        """By the server's own state file: its eighth line (PostgreSQL's pidfile.h)."""
        with contextlib.suppress(OSError, IndexError):
            lines = (self._data / "postmaster.pid").read_text().splitlines()
            return self._process is not None and lines[0] == str(self._process.pid) and lines[7].strip() == "ready"
        return False

    def _signal(self, number: signal.Signals) -> None:
        """To the postmaster and its backends: each backend leads a process group of its own."""
        assert self._process is not None
        pids = [self._process.pid]
        with contextlib.suppress(OSError):
            children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text()
            pids += [int(pid) for pid in children.split()]
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def _log_end(self) -> str:
        assert self._folder is not None
        return (self._folder / "server.log").read_text(errors="replace")[-800:]


def _memory_folder() -> Path | None:
    """Where no disk's queue delays a commit. None: the usual place for temporary files."""
    shared_memory = Path("/dev/shm")
    return shared_memory if shared_memory.is_dir() and os.access(shared_memory, os.W_OK) else None
