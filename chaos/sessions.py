"""Which session a runtime has."""

from __future__ import annotations

from chaos.arena import ChaosSession

__all__ = ["session_class"]


def session_class(runtime: str) -> type[ChaosSession]:
    """Of the runtime "process" or "docker"; the latter is imported only where it is asked for: its SDK is an extra."""
    if runtime != "docker":
        return ChaosSession
    from chaos.docker.session import DockerSession

    return DockerSession
