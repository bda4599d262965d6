"""All probes: importing their modules registers them."""

from __future__ import annotations

from sdk_matrix.probes import messages
from sdk_matrix.probes.registry import PROBES

__all__ = ["MODULES", "PROBES"]

MODULES = (messages,)
