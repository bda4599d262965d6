"""The relay's configuration: `relay.yaml`, environment variables, command line, in growing order of precedence.

Every error is a `ConfigError` that names the source, the key as a dotted path, and what is allowed.
"""

from __future__ import annotations

import ipaddress
import math
import re
from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

import msgspec
import yaml
from msgspec import Meta, Struct

from conductor.timing import DOCUMENTED, Timing
from reference_relay.core.records import Settings
from reference_relay.errors import ConfigError
from reference_relay.names import APP_NAME, ORG_NAME, PERMISSIONS

__all__ = ["ApplicationSpec", "Config", "KeySpec", "Limits", "OrganisationSpec", "Upkeep", "parse", "replace"]

LOCAL_ORG = "local"
_SHA256 = re.compile(r"[0-9a-f]{64}")
_SECRET = re.compile(r"[A-Za-z0-9._~-]{16,256}")
_BASE_PATH = re.compile(r"(/(?!\.{1,2}(/|$))[A-Za-z0-9._~-]+)+")
_LONGEST_S = 366 * 86400.0
T = TypeVar("T")


class KeySpec(Struct, frozen=True, kw_only=True):
    """A fixed API key, in clear (for tests) or as its SHA-256. It can't be revoked through the API."""

    name: Annotated[str, Meta(min_length=1)]
    key: str | None = None
    sha256: str | None = None
    permissions: tuple[str, ...] | str = ("websocket.connect",)
    applications: tuple[str, ...] | str = "all"

    def __post_init__(self) -> None:
        if (self.key is None) == (self.sha256 is None):
            raise ValueError("give either `key` or `sha256`")
        if self.key is not None and not _SECRET.fullmatch(self.key):
            raise ValueError("`key`: give 16 to 256 characters of A-Z a-z 0-9 . _ ~ -")
        if self.sha256 is not None and not _SHA256.fullmatch(self.sha256):
            raise ValueError("`sha256`: give 64 lower-case hexadecimal digits")
        unknown = [] if self.permissions == "all" else sorted(set(self.permissions) - set(PERMISSIONS))
        if unknown or (isinstance(self.permissions, str) and self.permissions != "all"):
            raise ValueError(f"`permissions`: give `all`, or a list of {', '.join(PERMISSIONS)}")
        if isinstance(self.applications, str) and self.applications != "all":
            raise ValueError("`applications`: give `all`, or a list of application names")


class ApplicationSpec(Struct, frozen=True, kw_only=True, rename="camel"):
    """An application that exists from the start. Its settings have the names of the PATCH operation."""

    executor_timeout_secs: Annotated[int, Meta(ge=1, le=2**31)] | None = None
    recover_to_latest_version: bool = False
    private_mode: bool = False
    gc_rows_threshold: Annotated[int, Meta(ge=0)] | None = None
    gc_time_threshold_ms: Annotated[int, Meta(ge=0)] | None = None
    global_timeout_ms: Annotated[int, Meta(ge=0)] | None = None

    def settings(self, default: Settings) -> Settings:
        return Settings(
            executor_timeout_s=self.executor_timeout_secs or default.executor_timeout_s,
            recover_to_latest_version=self.recover_to_latest_version,
            private_mode=self.private_mode,
            gc_rows_threshold=self.gc_rows_threshold,
            gc_time_threshold_ms=self.gc_time_threshold_ms,
            global_timeout_ms=self.global_timeout_ms,
        )


class OrganisationSpec(Struct, frozen=True, kw_only=True):
    keys: tuple[KeySpec, ...] = ()
    applications: dict[str, ApplicationSpec] = {}


class Limits(Struct, frozen=True, kw_only=True):
    """What one connection may cost. Sizes are bytes (ENV-11)."""

    handshake_frame_bytes: Annotated[int, Meta(ge=1024)] = 64 * 1024
    frame_bytes: Annotated[int, Meta(ge=1024)] = 100 * 1024 * 1024
    send_buffer_bytes: Annotated[int, Meta(ge=65536)] = 128 * 1024 * 1024
    body_bytes: Annotated[int, Meta(ge=1024)] = 1024 * 1024
    write_deadline_s: Annotated[float, Meta(gt=0, le=_LONGEST_S)] = 5.0
    header_deadline_s: Annotated[float, Meta(gt=0, le=_LONGEST_S)] = 10.0
    close_deadline_s: Annotated[float, Meta(ge=0, le=_LONGEST_S)] = 0.25


class Upkeep(Struct, frozen=True, kw_only=True):
    """What the relay does of its own accord. All but the batch size are seconds."""

    metrics_period_s: Annotated[float, Meta(ge=1, le=_LONGEST_S)] = 300.0
    metrics_keep_s: Annotated[float, Meta(ge=1, le=_LONGEST_S)] = 7 * 86400.0
    retention_period_s: Annotated[float, Meta(ge=0.1, le=_LONGEST_S)] = 600.0
    gc_batch_size: Annotated[int, Meta(ge=1, le=2**31)] = 10_000
    alert_period_s: Annotated[float, Meta(ge=0.1, le=_LONGEST_S)] = 10.0
    alert_retry_s: Annotated[float, Meta(ge=0.1, le=_LONGEST_S)] = 1.0


class Config(Struct, frozen=True, kw_only=True):
    """Everything that a relay is started with. ``port`` 0 takes a free one; ``data`` ":memory:" keeps nothing."""

    host: str = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65535)] = 8090
    data: str = "relay-data"
    auth: str = "keys"
    expose_without_auth: bool = False
    base_path: str = ""
    log_level: str = "info"
    organisations: dict[str, OrganisationSpec] = {}
    timing: Timing = DOCUMENTED
    limits: Limits = Limits()
    upkeep: Upkeep = Upkeep()

    def __post_init__(self) -> None:
        for name, allowed in (("auth", ("keys", "none")), ("log_level", ("debug", "info", "warning", "error"))):
            if getattr(self, name) not in allowed:
                raise ValueError(f"`{name}`: give one of {', '.join(allowed)}")
        for name in ("host", "data"):
            if not getattr(self, name).strip():
                raise ValueError(f"`{name}`: must not be empty")
        if not self.host.isprintable() or "\0" in self.data:  # a path need not be UTF-8
            raise ValueError(f"`{'data' if self.host.isprintable() else 'host'}`: holds what no such name can hold")
        if self.base_path and not _BASE_PATH.fullmatch(self.base_path):
            raise ValueError(
                "`base_path`: give a path with a leading and no trailing slash, such as /conductor, "
                "of segments with A-Z a-z 0-9 . _ ~ -"
            )
        if self.auth == "none" and not self.expose_without_auth and not _is_loopback(self.host):
            raise ValueError(
                "`auth`: none serves loopback only; give a loopback `host`, or set `expose_without_auth: true`"
            )

    @property
    def default_settings(self) -> Settings:
        """Of an application that says nothing: its grace is the timing's, in whole seconds."""
        return Settings(executor_timeout_s=max(1, math.ceil(self.timing.grace_s)))


class _UniqueKeys(yaml.SafeLoader):
    """YAML forbids equal keys in one mapping; the library takes the last of them without a word."""


def _mapping_of_unique_keys(loader: _UniqueKeys, node: yaml.MappingNode) -> dict[Any, Any]:
    seen: set[str] = set()
    for key_node, _ in node.value:
        if isinstance(key_node, yaml.ScalarNode):  # before merge keys are resolved: those may be overridden
            if key_node.value in seen:
                problem = f"the key {key_node.value} is there twice"
                raise yaml.constructor.ConstructorError(None, None, problem, key_node.start_mark)
            seen.add(key_node.value)
    return loader.construct_mapping(node, deep=True)


_UniqueKeys.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping_of_unique_keys)


def parse(text: str, source: str) -> Config:
    """Read the text of a `relay.yaml`; ``source`` names it in errors."""
    try:
        raw = yaml.load(text, _UniqueKeys)
    except RecursionError as error:
        raise ConfigError(source, "", "nests too deeply to be read") from error
    except yaml.YAMLError as error:
        raise ConfigError(source, "", f"is no YAML: {error}".replace("\n", " ")) from error
    except (ValueError, LookupError, AttributeError) as error:  # what the library lets through of a value's own
        problem = f"holds a value that is none of its kind, such as the 45th day of a month: {error}"
        raise ConfigError(source, "", problem) from error
    return _config({} if raw is None else raw, source)


def replace(config: Config, changes: Mapping[str, Any], source: str) -> Config:
    """The configuration with some keys changed, checked again as a whole."""
    values = {name: getattr(config, name) for name in config.__struct_fields__} | dict(changes)
    try:
        return msgspec.convert(values, Config, from_attributes=True)
    except msgspec.ValidationError as error:
        raise _explained(error, source, "") from error


def _config(raw: object, source: str) -> Config:
    """Piece by piece, so that an error in a mapping names the key and not just the kind."""
    top = dict(_mapping(raw, Config, source, ""))
    organisations = {}
    for org, spec in _entries(top.get("organisations"), ORG_NAME, source, "organisations"):
        path = f"organisations.{org}"
        body = dict(_mapping(spec, OrganisationSpec, source, path))
        apps = _entries(body.get("applications"), APP_NAME, source, f"{path}.applications")
        body["applications"] = {
            app: _convert(settings or {}, ApplicationSpec, source, f"{path}.applications.{app}")
            for app, settings in apps
        }
        if not isinstance(body.get("keys"), list | tuple | None):
            raise ConfigError(source, f"{path}.keys", f"expected a list, got {type(body['keys']).__name__}")
        for at, key in enumerate(body.get("keys") or ()):
            _mapping(key, KeySpec, source, f"{path}.keys[{at}]")
        organisations[org] = _convert(body, OrganisationSpec, source, path)
    top["organisations"] = organisations
    for name, kind in (("timing", Timing), ("limits", Limits), ("upkeep", Upkeep)):
        if top.get(name) is not None:
            top[name] = _convert(top[name], kind, source, name)
        else:
            top.pop(name, None)
    return _convert(top, Config, source, "")


def _entries(raw: object, names: re.Pattern[str], source: str, path: str) -> list[tuple[str, object]]:
    if raw is None:
        return []
    if not isinstance(raw, dict):
        raise ConfigError(source, path, f"expected a mapping from names, got {type(raw).__name__}")
    for name in raw:
        if not isinstance(name, str) or not names.fullmatch(name):
            raise ConfigError(source, f"{path}.{name}", f"the name must match {names.pattern}")
    return list(raw.items())


def _mapping(raw: object, kind: type[Struct], source: str, path: str) -> dict[str, Any]:
    if isinstance(raw, kind):
        return {name: getattr(raw, name) for name in kind.__struct_fields__}
    if not isinstance(raw, dict):
        raise ConfigError(source, path, f"expected a mapping, got {type(raw).__name__}")
    for key in raw:
        if key not in kind.__struct_encode_fields__:
            allowed = ", ".join(kind.__struct_encode_fields__)
            raise ConfigError(source, f"{path}.{key}".lstrip("."), f"unknown key; allowed here: {allowed}")
    return raw


def _convert(raw: object, kind: type[T], source: str, path: str) -> T:
    assert issubclass(kind, Struct)
    _mapping(raw, kind, source, path)
    try:
        return msgspec.convert(raw, kind, from_attributes=True)
    except msgspec.ValidationError as error:
        raise _explained(error, source, path) from error


def _explained(error: msgspec.ValidationError, source: str, path: str) -> ConfigError:
    """msgspec ends its message with the place: move it in front of the message."""
    problem, _, place = str(error).partition(" - at `$")
    key = (path + place.rstrip("`")).lstrip(".")
    named = re.match(r"`(\w+)`: ", problem)
    if named and not place:
        key, problem = f"{key}.{named[1]}".lstrip("."), problem[named.end() :]
    return ConfigError(source, key, problem)


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
