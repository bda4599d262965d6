"""The relay under test as something that can be started, reached and broken.

``builtin:`` and ``cmd:`` are processes of the suite's own, ``image:`` a container, ``url:`` a relay that somebody else
runs and that only the profile's ``[control]`` commands can touch.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from conductor.timing import Timing
from scenarios.profile import Organisation, Profile
from scenarios.targets import builtin, image, process, remote

__all__ = ["Target", "make"]


class Target(Protocol):
    """One relay instance. `start` before anything else, `close` at the end whatever happened."""

    instance: str
    tenants: Sequence[Organisation]

    @property
    def url(self) -> str:
        """http(s)://host:port and the base path, without a trailing slash. Valid after `start`."""
        ...

    async def start(self) -> None:
        """Start it (again, on the same data and port); returns when it is ready. Raises `TargetError`."""
        ...

    async def stop(self) -> None:
        """In good order (SIGTERM). These four raise `Unsupported` where the profile gives no way."""
        ...

    async def kill(self) -> None:
        """SIGKILL: what was not durable is gone."""
        ...

    async def pause(self) -> None:
        """SIGSTOP: it holds its sockets and does nothing."""
        ...

    async def resume(self) -> None: ...

    def waited_ns(self) -> int:
        """How long its threads have waited for a processor so far; 0 where that can't be known."""
        ...

    async def log(self) -> str:
        """All that it logged so far. Raises `Unsupported`."""
        ...

    async def close(self) -> None:
        """Nothing of it is left running, and its data is removed."""
        ...


def make(profile: Profile, timing: Timing, folder: Path, instance: str) -> Target:
    """The target that the profile describes; ``folder`` takes its log. Raises `TargetError`."""
    kind, _, rest = profile.relay.target.partition(":")
    match kind:
        case "builtin":
            return builtin.target(profile, timing, folder, instance)
        case "cmd":
            return process.command_target(profile, rest, folder, instance)
        case "image":
            return image.ImageTarget(profile, rest, instance)
        case "url":
            return remote.RemoteTarget(profile, rest, instance)
    raise AssertionError(f"the profile was not checked: target {profile.relay.target!r}")
