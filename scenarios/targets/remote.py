"""A relay that somebody else runs: reached by its URL, touched only through the profile's commands."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from scenarios.errors import TargetError, Unsupported
from scenarios.profile import Organisation, Profile
from scenarios.targets.ready import wait_until_ready

COMMAND_DEADLINE_S = 60.0


class RemoteTarget:
    """See `scenarios.targets.Target`. The first `start` only looks whether it is there."""

    def __init__(self, profile: Profile, url: str, instance: str) -> None:
        self.instance = instance
        self.tenants: Sequence[Organisation] = profile.tenancy.organisations
        self._url = url.rstrip("/") + profile.relay.base
        self._control = profile.control
        self._away = False  # the suite stopped or killed it and owes it a start

    @property
    def url(self) -> str:
        return self._url

    async def start(self) -> None:
        if self._away:
            await self._run("start")
        try:
            async with asyncio.timeout(self._control.ready_s):
                await wait_until_ready(self._url)
        except TimeoutError:
            raise TargetError(f"nothing answers at {self._url} within {self._control.ready_s:g} s") from None
        self._away = False

    async def stop(self) -> None:
        await self._run("stop")
        self._away = True

    async def kill(self) -> None:
        self._command("start")  # never take down what can't be brought back
        await self._run("kill")
        self._away = True

    async def pause(self) -> None:
        self._command("resume")
        await self._run("pause")

    async def resume(self) -> None:
        await self._run("resume")

    def waited_ns(self) -> int:
        return 0

    async def log(self) -> str:
        return await self._run("log")

    async def close(self) -> None:
        if self._away:
            await self.start()

    def _command(self, name: str) -> str:
        command: str = getattr(self._control, name)
        if not command:
            raise Unsupported(f"the profile has no [control] {name}: this relay can't be touched that way")
        return command

    async def _run(self, name: str) -> str:
        command = self._command(name)
        process = await asyncio.create_subprocess_shell(
            command, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
        )
        try:
            async with asyncio.timeout(COMMAND_DEADLINE_S):
                output, _ = await process.communicate()
        except TimeoutError:
            process.kill()
            await process.wait()
            raise TargetError(f"[control] {name}: {command!r} did not end within {COMMAND_DEADLINE_S:g} s") from None
        text = output.decode("utf-8", "replace")
        if process.returncode:
            raise TargetError(f"[control] {name}: {command!r} ended with status {process.returncode}", text)
        return text
