"""What the parts of one running relay share."""

from __future__ import annotations

from dataclasses import dataclass, field

from reference_relay.config import Config, Limits
from reference_relay.server.gate import Gate
from reference_relay.server.hub import Hub
from reference_relay.server.logs import RateLimitedLog, Redactor
from reference_relay.server.rules import Rules


@dataclass(frozen=True, kw_only=True)
class Context:
    """Built by `reference_relay.main`; read by connections and the API."""

    config: Config
    hub: Hub
    gate: Gate
    redactor: Redactor
    refused: RateLimitedLog
    rules: Rules = field(default_factory=Rules)

    @property
    def limits(self) -> Limits:
        return self.config.limits
