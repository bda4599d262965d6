"""What belongs to the machine that builds and to nothing else: proxies, registries, certificates.

They reach a build through build arguments, and through a file in the base image; never through the source.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

__all__ = ["BUNDLE", "arguments", "bundle"]

BUNDLE = "/etc/ssl/machine.pem"
"""Where the base image has the machine's own certificates, if it has any."""

_BUNDLES = ("PIP_CERT", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE")
_PASSED = (
    "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
    "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_TRUSTED_HOST",
)  # fmt: skip


def bundle(environment: Mapping[str, str] = os.environ) -> bytes | None:
    """The certificates that this machine is told to trust; None: the usual ones."""
    for variable in _BUNDLES:
        path = Path(environment.get(variable) or "/nowhere")
        if path.is_file():
            return path.read_bytes()
    return None


def arguments(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Build arguments. An engine ignores those that a Dockerfile does not declare."""
    passed = {name: environment[name] for name in _PASSED if environment.get(name)}
    if bundle(environment) is not None:
        passed["PIP_CERT"] = BUNDLE
    return passed
