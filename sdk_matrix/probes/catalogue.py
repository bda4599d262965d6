"""All probes: importing their modules registers them."""

from __future__ import annotations

from sdk_matrix.probes import dials, frames, liveness, messages, recovery, shutdown, variants
from sdk_matrix.probes.registry import PROBES

__all__ = ["MODULES", "PROBES"]

MODULES = (messages, variants, frames, dials, liveness, recovery, shutdown)
