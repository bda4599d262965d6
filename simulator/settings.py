"""An application's settings by the names of the management API, as the core keeps them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from reference_relay.core.records import Settings

_FIELDS = {
    "executorTimeoutSecs": "executor_timeout_s",
    "privateMode": "private_mode",
    "gcRowsThreshold": "gc_rows_threshold",
    "gcTimeThresholdMs": "gc_time_threshold_ms",
    "globalTimeoutMs": "global_timeout_ms",
}  # API document


class InvalidSettings(ValueError):
    """The relay would answer 422; the text names the field and what is allowed."""


def changed_settings(before: Settings | None, changes: Mapping[str, Any], names: Mapping[str, str]) -> Settings:
    """``before`` (None: the defaults) with these changes. ``names`` gives the name of the latest-version extension.

    Raises `InvalidSettings`.
    """
    fields = {**_FIELDS, names["latest_version_setting"]: "recover_to_latest_version"}
    unknown = [name for name in changes if name not in fields]
    if unknown:
        raise InvalidSettings(f"body.{unknown[0]}: unknown; give some of {', '.join(fields)}")
    merged = msgspec.to_builtins(before or Settings()) | {fields[name]: value for name, value in changes.items()}
    try:
        settings = msgspec.convert(merged, Settings)
    except msgspec.ValidationError as problem:
        raise InvalidSettings(f"body: {problem}") from problem
    if settings.executor_timeout_s < 1:
        raise InvalidSettings(
            f"body.executorTimeoutSecs is {settings.executor_timeout_s}: give whole seconds, 1 or more"
        )
    return settings
