"""The relays that come with the suite, started as anybody would start them: as processes, never imported."""

from __future__ import annotations

import math
import secrets
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from conductor.timing import Timing
from scenarios.profile import NAMES, Organisation, Profile
from scenarios.targets.process import ProcessTarget

ORGANISATIONS = ("proof", "neighbour")
"""The scenarios' own organisation and the other tenant."""
OWN = "own-"
"""How instances are called that one scenario has alone. They collect metrics, which elsewhere would come in between."""
_ALERTS = {"alert_period_s": 0.5, "alert_retry_s": 0.25}
_METRICS = {"metrics_period_s": 2.0}


def target(profile: Profile, timing: Timing, folder: Path, instance: str) -> ProcessTarget:
    """A reference relay, or a broken one, with two organisations, an admin key for each, and this timing."""
    assert profile.builtin is not None
    kind, _, defect = profile.builtin.partition("/")
    module = ["-m", "reference_relay"] if kind == "reference" else ["-m", "broken_relays", defect]
    preload = ["reference_relay.main"] if kind == "reference" else ["broken_relays.defects.*"]
    tenants = organisations()

    def command(port: int, data: Path) -> Sequence[str]:
        config = data / "relay.yaml"
        config.write_bytes(configuration(tenants, timing, profile.relay.base, collecting=instance.startswith(OWN)))
        store = data / "data"
        return [sys.executable, *module, "--config", str(config), "--port", str(port), "--data", str(store)]

    return ProcessTarget(
        instance=instance,
        command=command,
        log_path=folder / "relays" / f"{instance}.log",
        base=profile.relay.base,
        ready_s=profile.control.ready_s,
        tenants=tenants,
        environment=profile.relay.environment,
        announces=True,
        preload=preload,
    )


def organisations() -> tuple[Organisation, ...]:
    """Fresh tenants, each with an admin key that nobody else knows."""
    return tuple(Organisation(name=name, key=f"dbos_{name}_{secrets.token_hex(16)}") for name in ORGANISATIONS)


def configuration(tenants: Sequence[Organisation], timing: Timing, base: str, *, collecting: bool = False) -> bytes:
    """The text of a relay.yaml with these tenants. ``collecting``: metrics are asked for every other second."""
    # The file's own grace period for one application, which a PATCH must outlive (LIV-9).
    configured = {NAMES["configured_application"]: {"executorTimeoutSecs": 3 * math.ceil(timing.grace_s)}}
    config: dict[str, Any] = {
        "base_path": base,
        "organisations": {
            tenant.name: {
                "keys": [{"name": "proof-admin", "key": tenant.key, "permissions": "all"}],
                "applications": configured,
            }
            for tenant in tenants
        },
        "timing": msgspec.to_builtins(timing),
        "upkeep": {**_ALERTS, **(_METRICS if collecting else {})},
    }
    return msgspec.yaml.encode(config)
