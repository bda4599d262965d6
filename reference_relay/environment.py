"""Joins file, environment and command line. One table of variables serves code and documentation."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from conductor.timing import Timing
from reference_relay.config import Config, KeySpec, OrganisationSpec, Upkeep, parse, replace
from reference_relay.errors import ConfigError
from reference_relay.names import ORG_NAME

__all__ = ["PREFIX", "VARIABLES", "load"]

PREFIX = "RELAYPROOF_RELAY_"

VARIABLES: dict[str, str] = {
    "CONFIG": "path of the configuration file",
    "HOST": "host",
    "PORT": "port",
    "DATA": "data",
    "AUTH": "auth",
    "EXPOSE_WITHOUT_AUTH": "expose_without_auth",
    "BASE_PATH": "base_path",
    "LOG_LEVEL": "log_level",
    "ADMIN_KEY": "a key dbos_<organisation>_<secret> with all permissions",
    **{f"TIMING_{name.upper()}": f"timing.{name}" for name in Timing.__struct_fields__},
    **{f"UPKEEP_{name.upper()}": f"upkeep.{name}" for name in Upkeep.__struct_fields__},
}
"""Suffix of a variable -> what it sets."""

_TYPES: dict[str, type] = {"port": int, "expose_without_auth": bool}
_ADMIN_KEY = re.compile(rf"dbos_({ORG_NAME.pattern})_[A-Za-z0-9]{{16,}}")


def load(path: Path | None, environment: Mapping[str, str], options: Mapping[str, Any]) -> Config:
    """The configuration to start with. ``options`` are top-level keys of the right type; None is not given."""
    config = Config()
    if path is not None:
        if os.path.exists(path) and not os.path.isfile(path):  # noqa: PTH110, PTH113 - pathlib raises for too long a name
            raise ConfigError(str(path), "", "is no regular file: give the path of a relay.yaml")
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(str(path), "", f"can't be read ({error})") from error
        config = parse(text, str(path))
    config = _overrides(config, environment)
    given = {key: value for key, value in options.items() if value is not None}
    return replace(config, given, "command line") if given else config


def _overrides(config: Config, environment: Mapping[str, str]) -> Config:
    """Apply all variables with the prefix. An unknown one is an error: it is a typing mistake that would go unseen."""
    given = {name.removeprefix(PREFIX): value for name, value in environment.items() if name.startswith(PREFIX)}
    timing: dict[str, float] = {}
    upkeep: dict[str, float] = {}
    for suffix, value in sorted(given.items()):
        source = f"environment variable {PREFIX}{suffix}"
        if suffix not in VARIABLES:
            raise ConfigError(source, "", f"unknown; allowed are {', '.join(PREFIX + known for known in VARIABLES)}")
        key = VARIABLES[suffix]
        if suffix == "CONFIG":
            continue
        if suffix == "ADMIN_KEY":
            config = _with_admin_key(config, value, source)
        elif key.startswith("timing."):
            timing[key.removeprefix("timing.")] = _typed(value, float, source)
        elif key.startswith("upkeep."):
            name = key.removeprefix("upkeep.")
            upkeep[name] = _typed(value, int if name.endswith("_size") else float, source)
        else:
            config = replace(config, {key: _typed(value, _TYPES.get(key, str), source)}, source)
    if upkeep:
        merged = msgspec.structs.asdict(config.upkeep) | upkeep
        config = replace(config, {"upkeep": merged}, f"environment variables {PREFIX}UPKEEP_*")
    return _with_timing(config, timing) if timing else config


def _typed(value: str, kind: type, source: str) -> Any:
    try:
        return msgspec.convert(value, kind, strict=False)
    except msgspec.ValidationError as error:
        raise ConfigError(source, "", f"{error}: {value!r}") from error


def _with_timing(config: Config, changes: dict[str, float]) -> Config:
    try:
        timing = msgspec.structs.replace(config.timing, **changes)
    except ValueError as error:
        raise ConfigError(f"environment variables {PREFIX}TIMING_*", "timing", str(error)) from error
    return msgspec.structs.replace(config, timing=timing)


def _with_admin_key(config: Config, secret: str, source: str) -> Config:
    found = _ADMIN_KEY.fullmatch(secret)
    if found is None:
        raise ConfigError(source, "", "give dbos_<organisation>_<secret>, the secret of 16 or more letters and digits")
    key = KeySpec(name="environment", key=secret, permissions="all")
    before = config.organisations.get(found[1], OrganisationSpec())
    organisation = msgspec.structs.replace(before, keys=(*before.keys, key))
    return msgspec.structs.replace(config, organisations={**config.organisations, found[1]: organisation})
