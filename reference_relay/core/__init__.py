"""The relay without I/O: events and the time in, effects out. No clock, no await, no randomness."""

from reference_relay.core.config import CoreConfig
from reference_relay.core.core import Core, Stored

__all__ = ["Core", "CoreConfig", "Stored"]
