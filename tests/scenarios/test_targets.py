"""Targets: started, ready, killed with all their children, and never left behind."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from scenarios import targets
from scenarios.errors import TargetError, Unsupported
from scenarios.profile_loading import loads
from scenarios.targets import Target
from tests.scenarios.conftest import MINI_RELAY, mini_profile

TENANT = "[[tenancy.organisations]]\nname = 'local'\nkey = 'k'\n"


def command_target(command: str, folder: Path, ready_s: float = 10) -> Target:
    text = f'[relay]\ntarget = """cmd:{command}"""\n{TENANT}[control]\nready_s = {ready_s}\n'
    profile = loads(text, "p.toml")
    return targets.make(profile, profile.timing_at("fast"), folder, "one")


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return not Path(f"/proc/{pid}/stat").exists() or Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"


def until_gone(pid: int) -> bool:
    end = time.monotonic() + 5
    while alive(pid) and time.monotonic() < end:
        time.sleep(0.02)
    return not alive(pid)


def test_a_command_is_ready_when_it_answers_and_gone_with_its_children(tmp_path: Path) -> None:
    # The shell stays the parent of the relay: the whole group must go.
    shell = f"sh -c '{sys.executable} {MINI_RELAY} --port {{port}} & echo $! > {tmp_path}/pid; wait'"

    async def main() -> int:
        target = command_target(shell, tmp_path)
        await target.start()
        child = int((tmp_path / "pid").read_text())
        assert alive(child)
        await target.close()
        return child

    assert until_gone(asyncio.run(main()))


def test_a_killed_relay_starts_again_on_its_port(tmp_path: Path) -> None:
    async def main() -> None:
        profile = mini_profile()
        target = targets.make(profile, profile.timing_at("fast"), tmp_path, "one")
        await target.start()
        url = target.url
        await target.kill()
        await target.start()
        assert target.url == url
        await target.pause()
        await target.resume()
        assert target.waited_ns() >= 0
        await target.close()

    asyncio.run(main())


def test_one_that_ends_or_hangs_is_told_with_the_end_of_its_log(tmp_path: Path) -> None:
    async def start(command: str, ready_s: float) -> None:
        target = command_target(command, tmp_path, ready_s)
        try:
            await target.start()
        finally:
            await target.close()

    with pytest.raises(TargetError, match="ended with status 3 before it was ready") as caught:
        asyncio.run(start("sh -c 'echo no licence for {port}; exit 3'", 10))
    assert "no licence for" in str(caught.value)
    with pytest.raises(TargetError, match=r"did not answer at \S+ within 0\.3 s"):
        asyncio.run(start("sleep 60{port}", 0.3))
    with pytest.raises(TargetError, match="can't be started: /nowhere/relay: No such file"):
        asyncio.run(start("/nowhere/relay {port}", 1))


def test_the_end_of_an_endless_log_is_read_alone(tmp_path: Path) -> None:
    async def start() -> None:
        target = command_target(f"{sys.executable} -c 'pass' {{port}}", tmp_path)
        log = tmp_path / "relays" / "one.log"
        log.parent.mkdir()
        with log.open("wb") as endless:
            endless.truncate(1 << 40)  # a hole; nobody's memory holds it
            endless.seek(0, os.SEEK_END)
            endless.write(b"\nlast words\n")
        try:
            with pytest.raises(TargetError) as told:
                await target.start()
            assert told.value.log.endswith("last words")
        finally:
            await target.close()

    asyncio.run(start())


def test_a_builtin_announces_its_port_and_has_two_organisations(tmp_path: Path) -> None:
    profile = loads("[relay]\ntarget = 'builtin:reference'\n", "p.toml")

    async def main() -> None:
        target = targets.make(profile, profile.timing_at("fast"), tmp_path, "one")
        await target.start()
        first = target.url
        await target.kill()
        await target.start()
        assert target.url == first and not first.endswith(":0")
        assert [tenant.name for tenant in target.tenants] == ["proof", "neighbour"]
        assert len({tenant.api_token for tenant in target.tenants}) == 2
        log = await target.log()
        assert not any(tenant.api_token in log for tenant in target.tenants)
        await target.close()

    asyncio.run(main())


def remote(control: str, url: str = "http://127.0.0.1:1") -> Target:
    profile = loads(f"[relay]\ntarget = 'url:{url}'\n{TENANT}[control]\nready_s = 0.2\n{control}", "p.toml")
    return targets.make(profile, profile.timing_at("fast"), Path(), "shared")


def test_a_remote_relay_is_touched_only_by_its_commands(tmp_path: Path) -> None:
    async def main() -> None:
        with pytest.raises(TargetError, match="nothing answers at"):
            await remote("").start()
        for act in (remote("").kill, remote("kill = 'true'\n").kill, remote("").log, remote("pause = 'true'\n").pause):
            with pytest.raises(Unsupported, match=r"\[control\]"):
                await act()
        await remote(f"start = 'true'\nkill = 'touch {tmp_path}/killed'\n").kill()
        assert (tmp_path / "killed").exists()
        with pytest.raises(TargetError, match="ended with status 7"):
            await remote("stop = 'exit 7'\n").stop()

    asyncio.run(main())


def test_a_relay_that_leaves_its_process_group_is_killed_and_paused_all_the_same(tmp_path: Path) -> None:
    """Such as one below a supervisor that makes a session for each of its children."""
    relay = f"{sys.executable} {MINI_RELAY} --port {{port}} & echo $! > {tmp_path}/pid; wait"
    leaver = 'import subprocess, sys; subprocess.run(["setsid", "sh", "-c", sys.argv[1]])'
    command = f"{sys.executable} -c '{leaver}' '{relay}'"

    async def main() -> None:
        target = command_target(command, tmp_path)
        await target.start()
        first = int((tmp_path / "pid").read_text())
        await target.pause()
        assert state(first) == "T"
        await target.resume()
        assert state(first) in "SR"
        await target.kill()
        assert until_gone(first)
        await target.start()  # on the same port, which nobody holds any more
        second = int((tmp_path / "pid").read_text())
        assert second != first and alive(second)
        await target.close()
        assert until_gone(second)

    asyncio.run(main())


def state(pid: int) -> str:
    """As proc(5) has it: T stopped, S sleeping, R running."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def test_no_relay_outlives_a_suite_that_is_killed_by_a_signal(tmp_path: Path) -> None:
    """Ctrl-C in the middle: the relay's process group goes with the suite."""
    command = f"sh -c '{sys.executable} {MINI_RELAY} --port {{port}} & echo $! > {tmp_path}/pid; wait'"
    script = textwrap.dedent(f"""
        import asyncio
        from pathlib import Path
        from tests.scenarios.test_targets import command_target

        async def main():
            await command_target({command!r}, Path({str(tmp_path)!r})).start()
            print("ready", flush=True)
            await asyncio.sleep(60)

        asyncio.run(main())
    """)
    arguments, root = [sys.executable, "-c", script], Path(__file__).parents[2]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=root) as suite:
        assert suite.stdout is not None
        assert suite.stdout.readline() == b"ready\n"
        relay = int((tmp_path / "pid").read_text())
        assert alive(relay)
        suite.send_signal(signal.SIGINT)
        suite.wait(10)
    assert until_gone(relay)
