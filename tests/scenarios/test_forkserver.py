"""Relays whose imports are done once: processes of their own all the same, and gone when the suite is."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import signal
import socket
import subprocess
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest

from scenarios import targets
from scenarios.profile_loading import loads
from scenarios.targets import forking
from scenarios.targets.forking import Forked, fork
from scenarios.targets.forkserver import Start
from tests.scenarios.test_targets import until_gone

pytestmark = pytest.mark.skipif(not forking.AVAILABLE, reason="no fork server here: relays start the usual way")

PROGRAM = """
import json, os, sys, time
LOADED_BY = os.getpid()

def main(what, *rest):
    if "MARKS" in os.environ:
        open(os.path.join(os.environ["MARKS"], str(os.getpid())), "w").close()
    told = {"arguments": sys.argv[1:], "environment": dict(os.environ), "leads": os.getsid(0) == os.getpid(),
            "imported_by": sys.modules[__spec__.name].LOADED_BY if __spec__.name in sys.modules else None,
            "files": sorted(int(each) for each in os.listdir("/proc/self/fd"))}
    print(json.dumps(told), flush=True)
    print("complaint", file=sys.stderr, flush=True)
    if what == "raise":
        raise ValueError("nobody expects it")
    if what == "say":
        sys.exit("a last word")
    if what == "exit":
        sys.exit(int(rest[0]))
    time.sleep(60)

if __name__ == "__main__":
    main(*sys.argv[1:])
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a program; as it is what is imported beforehand, each test has a fork server of its own."""
    name = f"program_{tmp_path.name}"
    (tmp_path / f"{name}.py").write_text(PROGRAM)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), str(Path(__file__).parents[2])]))
    return name


async def started(module: str, *arguments: str, log: Path, environment: Mapping[str, str] | None = None) -> Forked:
    with log.open("ab") as stderr:
        process = await fork(module, arguments, preload=[module], environment=environment or {}, stderr=stderr)
    assert process is not None
    return process


async def told(process: Forked) -> dict[str, object]:
    line = await process.stdout.readline()
    said: dict[str, object] = json.loads(line)
    return said


def test_a_child_is_what_python_would_have_started(module: str, tmp_path: Path) -> None:
    async def main() -> None:
        process = await started(module, "exit", "7", log=tmp_path / "log", environment={"ONLY": "this"})
        said = await told(process)
        assert said["arguments"] == ["exit", "7"] and said["environment"] == {"ONLY": "this"} and said["leads"]
        assert said["files"] in ([0, 1, 2], [0, 1, 2, 3])  # the last is the one that lists them
        assert await process.wait() == 7 == process.returncode
        assert await process.stdout.read() == b""
        process.terminate()  # of one that has ended: nothing

    asyncio.run(main())
    assert (tmp_path / "log").read_text() == "complaint\n"


def test_imports_are_done_once_for_all_children(module: str, tmp_path: Path) -> None:
    async def main() -> None:
        one, two = [await started(module, "exit", "0", log=tmp_path / "log") for _ in range(2)]
        by = {(await told(each))["imported_by"] for each in (one, two)}
        assert len(by) == 1 and not by & {None, one.pid, two.pid, os.getpid()}
        assert await one.wait() == await two.wait() == 0

    asyncio.run(main())


def test_how_a_child_ended_is_heard(module: str, tmp_path: Path) -> None:
    async def main() -> None:
        raising = await started(module, "raise", log=tmp_path / "log")
        assert await raising.wait() == 1
        stopped, killed = [await started(module, "sleep", log=tmp_path / "log") for _ in range(2)]
        await told(stopped)
        await told(killed)
        stopped.terminate()
        os.killpg(killed.pid, signal.SIGKILL)
        assert (await stopped.wait(), await killed.wait()) == (-signal.SIGTERM, -signal.SIGKILL)

    asyncio.run(main())
    assert "ValueError: nobody expects it" in (tmp_path / "log").read_text()


def test_an_end_that_is_not_heard_of_yet_is_no_error(module: str, tmp_path: Path) -> None:
    async def main() -> None:
        process = await started(module, "sleep", log=tmp_path / "log")
        os.killpg(process.pid, signal.SIGKILL)
        assert until_gone(process.pid)  # and its server has reaped it, while this loop stood still
        process.terminate()
        assert await process.wait() == -signal.SIGKILL

    asyncio.run(main())


def test_a_last_word_is_in_the_log(module: str, tmp_path: Path) -> None:
    async def main() -> None:
        process = await started(module, "say", log=tmp_path / "log")
        assert await process.wait() == 1

    asyncio.run(main())
    assert (tmp_path / "log").read_text() == "complaint\na last word\n"


def test_an_environment_and_arguments_need_not_be_utf_8(module: str, tmp_path: Path) -> None:
    odd = os.fsdecode(b"\xff")

    async def main() -> None:
        process = await started(module, "exit", "0", odd, log=tmp_path / "log", environment={"ODD" + odd: odd})
        said = await told(process)
        assert said["arguments"] == ["exit", "0", odd] and said["environment"] == {"ODD" + odd: odd}
        assert await process.wait() == 0

    asyncio.run(main())


def test_a_start_that_is_cancelled_leaves_no_child(module: str, tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    marks.mkdir()
    slow = f"while not os.path.exists({str(tmp_path / 'go')!r}):\n    time.sleep(0.01)\n"
    (tmp_path / f"{module}.py").write_text(PROGRAM.replace("LOADED_BY", slow + "LOADED_BY", 1))

    async def main() -> None:
        environment = {"MARKS": str(marks)}
        start = asyncio.create_task(started(module, "sleep", log=tmp_path / "log", environment=environment))
        for _ in range(20):  # until it waits for the answer; the server still imports
            await asyncio.sleep(0)
        start.cancel()
        with pytest.raises(asyncio.CancelledError):
            await start
        (tmp_path / "go").touch()
        after = await started(module, "exit", "0", log=tmp_path / "log")  # requests are served in their order
        assert await after.wait() == 0

    asyncio.run(main())
    assert all(until_gone(int(mark.name)) for mark in marks.iterdir())


def test_a_start_that_fails_harms_no_other_child(module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise OSError(errno.EMSGSIZE, os.strerror(errno.EMSGSIZE))

    async def main() -> None:
        process = await started(module, "sleep", log=tmp_path / "log")
        with monkeypatch.context() as patch, (tmp_path / "log").open("ab") as log:
            patch.setattr(socket, "send_fds", refused)
            assert await fork(module, ["sleep"], preload=[module], environment={}, stderr=log) is None
        process.terminate()
        assert await process.wait() == -signal.SIGTERM

    asyncio.run(main())


def test_a_server_that_can_make_no_child_says_so_and_lives(tmp_path: Path) -> None:
    """As where no more processes or descriptors can be had; one file is missing from the request."""
    arguments = [sys.executable, "-m", "scenarios.targets.forkserver"]
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with (
        ours,
        theirs,
        (tmp_path / "log").open("wb") as log,
        subprocess.Popen(
            [*arguments, str(theirs.fileno()), "json"], pass_fds=[theirs.fileno()], cwd=Path(__file__).parents[2]
        ) as server,
    ):
        theirs.close()
        for files in ([], [log.fileno()] * 2):
            socket.send_fds(ours, [msgspec.msgpack.encode(Start("json.tool", [], {}))], files)
        hear, tell = socket.socketpair()
        with hear, tell:
            request = msgspec.msgpack.encode(Start("json.tool", [b"--help"], {}))
            socket.send_fds(ours, [request], [log.fileno(), log.fileno(), tell.fileno()])
            assert hear.recv(64).startswith(b"pid ")
        ours.close()
        assert server.wait(10) == 0


def test_a_server_that_is_gone_takes_its_children_and_is_replaced(module: str, tmp_path: Path) -> None:
    async def main() -> None:
        first = await started(module, "sleep", log=tmp_path / "log")
        server = (await told(first))["imported_by"]
        assert isinstance(server, int)
        os.kill(server, signal.SIGKILL)
        assert await first.wait() == -signal.SIGKILL
        assert until_gone(first.pid)
        second = await started(module, "exit", "0", log=tmp_path / "log")
        assert (await told(second))["imported_by"] not in (None, server)
        assert await second.wait() == 0

    asyncio.run(main())


def test_what_a_server_cannot_import_is_left_to_the_usual_start(tmp_path: Path) -> None:
    async def main() -> None:
        with (tmp_path / "log").open("ab") as log:
            assert await fork("nowhere", [], preload=["nowhere.at.all"], environment={}, stderr=log) is None

    asyncio.run(main())


def test_children_go_with_a_suite_that_is_killed(tmp_path: Path) -> None:
    script = textwrap.dedent(f"""
        import asyncio
        from pathlib import Path
        from scenarios import targets
        from scenarios.profile_loading import resolve

        async def main():
            profile = resolve("builtin:reference")
            target = targets.make(profile, profile.timing_at("fast"), Path({str(tmp_path)!r}), "one")
            await target.start()
            print(target._process.pid, flush=True)
            await asyncio.sleep(60)

        asyncio.run(main())
    """)
    arguments, root = [sys.executable, "-c", script], Path(__file__).parents[2]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, cwd=root) as suite:
        assert suite.stdout is not None
        relay = int(suite.stdout.readline())
        suite.kill()
        suite.wait(10)
    assert until_gone(relay)


def test_a_builtin_starts_the_usual_way_where_there_is_no_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forking, "AVAILABLE", False)
    profile = loads("[relay]\ntarget = 'builtin:broken/never-pings'\n", "p.toml")

    async def main() -> None:
        target = targets.make(profile, profile.timing_at("fast"), tmp_path, "one")
        await target.start()
        await target.stop()
        await target.close()

    asyncio.run(main())
