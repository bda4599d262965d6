"""What goes wrong between the suite and an engine. All of it is the harness's own and says nothing about a relay."""

from __future__ import annotations

from chaos.errors import ChaosError

__all__ = ["BaseUnavailable", "BuildFailed", "DockerError", "NotProved", "UnknownImage"]


class DockerError(ChaosError):
    """Root of this package's errors."""


class NotProved(DockerError):
    """No engine that could run containers was found; the text begins with DOCKER NOT PROVED and gives the reason."""


class BaseUnavailable(DockerError):
    """There is no base image, and none can be had; the text says what was tried and what would help."""


class BuildFailed(DockerError):
    """A Dockerfile did not build; the text carries the end of its output."""


class UnknownImage(DockerError):
    """There is no image of this name among the suite's own; the text lists them."""
