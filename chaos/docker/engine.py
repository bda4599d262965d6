"""What this machine's container engine can do, as a recorded value: a run without one says so and says why."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec

from chaos.docker.builds import build
from chaos.docker.errors import DockerError, NotProved
from chaos.docker.recipes import NET
from scenarios.errors import TargetError
from scenarios.targets import image_engine

__all__ = ["NOT_PROVED", "Probe", "probe", "require"]

NOT_PROVED = "DOCKER NOT PROVED"

_TRIALS = {
    "nft": "nft add table inet t && nft add chain inet t o '{ type filter hook output priority 0; }'"
    " && nft add rule inet t o ip daddr 192.0.2.1 drop",
    "nft_random": "nft add table inet t && nft add chain inet t o '{ type filter hook output priority 0; }'"
    " && nft add rule inet t o numgen random mod 1000 '<' 50 drop",
    "netem": "tc qdisc add dev eth0 root netem delay 1ms",
}


class Probe(msgspec.Struct, frozen=True, kw_only=True):
    """What was tried and what came of it. ``reason`` says why not, where it can't run containers."""

    proved: bool  # it ran a container
    reason: str = ""
    version: str = ""
    api: str = ""
    kernel: str = ""
    cgroup: str = ""  # "1" or "2"
    storage: str = ""
    limits_cpu: bool = False
    refused: dict[str, str] = {}  # kind of rule -> what it said when it was tried in a container's network

    def can(self, what: str) -> bool:
        """``what``: a kind of rule, "nft", "nft_random" or "netem"."""
        assert what in _TRIALS, what
        return self.proved and what not in self.refused


async def probe(base: str | None = None) -> Probe:
    """Try it. Builds the smallest of the suite's images where it is missing. Never raises for what the engine lacks."""
    try:
        engine = await asyncio.to_thread(image_engine.client)
    except TargetError as problem:
        return Probe(proved=False, reason=str(problem))
    try:
        told = await image_engine.call("engine", engine.info)
        facts = {
            "version": str(told.get("ServerVersion", "")), "api": str(engine.version().get("ApiVersion", "")),
            "kernel": str(told.get("KernelVersion", "")), "cgroup": str(told.get("CgroupVersion", "1")),
            "storage": str(told.get("Driver", "")), "limits_cpu": bool(told.get("CpuCfsQuota", False)),
        }  # fmt: skip
        try:
            image = (await build([NET], wanted_base=base))["net"].tag
            await image_engine.call("a container that does nothing", lambda: _run(engine, image, "true"))
        except (DockerError, TargetError) as problem:
            return msgspec.convert({"proved": False, "reason": str(problem), **facts}, Probe)
        refused = {name: said for name, trial in _TRIALS.items() if (said := await _refused(engine, image, trial))}
        return msgspec.convert({"proved": True, "refused": refused, **facts}, Probe)
    finally:
        engine.close()


def require(found: Probe) -> None:
    """Raises `NotProved` unless it ran a container."""
    if not found.proved:
        raise NotProved(f"{NOT_PROVED}: {found.reason}")


async def _refused(engine: Any, image: str, trial: str) -> str | None:
    """What the trial said when it failed; None: it did not."""
    try:
        await image_engine.call("trial", lambda: _run(engine, image, trial))
    except TargetError as problem:
        return " ".join(str(problem).split())[-200:]
    return None


def _run(engine: Any, image: str, command: str) -> None:
    engine.containers.run(
        image, ["sh", "-c", command], cap_add=["NET_ADMIN"], remove=True, labels={image_engine.LABEL: "1"}, stderr=True
    )
