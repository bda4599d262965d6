"""The relay's pages: self-contained HTML, no other file and no network needed."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader

__all__ = ["policy_of", "render"]

_INLINE = re.compile(r"<(script|style)>(.*?)</\1>", re.DOTALL)


@cache
def _templates() -> Environment:
    return Environment(
        loader=PackageLoader("reference_relay.server", "pages"), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )


def render(name: str, values: Mapping[str, Any]) -> str:
    return _templates().get_template(f"{name}.html.j2").render(values)


def policy_of(page: str) -> str:
    """A Content-Security-Policy that lets run what stands in the page, and nothing else."""
    hashes: dict[str, list[str]] = {"script": [], "style": []}
    for kind, text in _INLINE.findall(page):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        hashes[kind].append(f"'sha256-{digest}'")
    sources = "; ".join(f"{kind}-src {' '.join(found)}" for kind, found in hashes.items() if found)
    return f"default-src 'none'; connect-src 'self'; base-uri 'none'; form-action 'none'; {sources}"
