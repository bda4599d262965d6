"""Who may come in: API keys, their organisations, scopes and permissions.

Only hashes are kept. A key carries no meaning besides its prefix: what it may do stands in its record.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Callable, Iterable
from urllib.parse import unquote_to_bytes

import msgspec

from reference_relay.config import LOCAL_ORG, Config, KeySpec
from reference_relay.core.records import AppKey
from reference_relay.names import PERMISSIONS, WEBSOCKET_CONNECT
from reference_relay.store import KeyRecord

__all__ = ["Admitted", "Gate", "Refused", "Subject", "decode_segment"]


class Admitted(msgspec.Struct, frozen=True):
    application: AppKey
    key_name: str  # of the organisation's key; empty in no-auth mode


class Refused(msgspec.Struct, frozen=True):
    """``status`` is an HTTP status; ``reason`` never holds the key."""

    status: int
    reason: str


class Subject(msgspec.Struct, frozen=True):
    """Who makes a management call."""

    org: str
    name: str
    permissions: frozenset[str]
    applications: frozenset[str] | None  # None: all
    kind: str = "api_key"  # or "user", as the audit log has it

    def may(self, permission: str) -> bool:
        return permission in self.permissions

    def reaches(self, app: str | None) -> bool:
        """An application, or with None what belongs to the whole organisation."""
        return self.applications is None or app in self.applications


_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_NOBODY_IN_PARTICULAR = Subject(LOCAL_ORG, LOCAL_ORG, frozenset(PERMISSIONS), None, "user")


class Gate:
    """``known`` tells whether an application exists."""

    def __init__(self, config: Config, stored: Iterable[KeyRecord], known: Callable[[AppKey], bool]) -> None:
        self.open = config.auth == "none"
        self._known = known
        self._by_hash: dict[str, KeyRecord] = {}
        self._by_name: dict[tuple[str, str], KeyRecord] = {}
        self._fixed: set[tuple[str, str]] = set()
        for record in stored:
            self.add(record)
        for org, spec in config.organisations.items():
            for key in spec.keys:
                self._fixed.add((org, key.name))
                self.add(record_of(org, key))

    # ---- executors

    def admit(self, app_segment: str, key_segment: str) -> Admitted | Refused:
        """Judge an upgrade by its two path segments, still percent-encoded (CON-1 to CON-5)."""
        app, key = decode_segment(app_segment), decode_segment(key_segment)
        if not app or not key:
            return Refused(400, "the application name or the key is empty, or no valid percent-encoding of UTF-8")
        admitted = self._admit_open(app) if self.open else self._admit_key(app, key)
        if isinstance(admitted, Admitted) and not self._known(admitted.application):
            return Refused(404, "no such application: register it first")
        return admitted

    def _admit_open(self, app: str) -> Admitted | Refused:
        return Admitted(AppKey(LOCAL_ORG, app), "")

    def _admit_key(self, app: str, key: str) -> Admitted | Refused:
        record = self._find(key)
        if record is None:
            return Refused(401, "unknown or revoked key")
        if WEBSOCKET_CONNECT not in record.permissions:
            return Refused(403, f"the key lacks the permission {WEBSOCKET_CONNECT}")
        if record.applications is not None and app not in record.applications:
            return Refused(403, "the key is not for this application")
        return Admitted(AppKey(record.org, app), record.name)

    # ---- management

    def caller(self, authorization: str | None) -> Subject | None:
        """Who sends this Authorization header; None: nobody that is known (401)."""
        if self.open:
            return _NOBODY_IN_PARTICULAR
        scheme, _, token = (authorization or "").partition(" ")
        record = self._find(token.strip()) if scheme.lower() == "bearer" else None
        if record is None:
            return None
        apps = None if record.applications is None else frozenset(record.applications)
        return Subject(record.org, record.name, frozenset(record.permissions), apps)

    # ---- keys

    def keys(self, org: str) -> list[KeyRecord]:
        return sorted((k for k in self._by_name.values() if k.org == org), key=lambda k: (k.created_ms, k.name))

    def key(self, org: str, name: str) -> KeyRecord | None:
        return self._by_name.get((org, name))

    def is_fixed(self, org: str, name: str) -> bool:
        """Whether the key comes from the configuration: it can't be revoked while the relay runs."""
        return (org, name) in self._fixed

    def add(self, record: KeyRecord) -> None:
        """Also in place of a key of the same name."""
        self.remove(record.org, record.name)
        self._by_hash[record.sha256] = record
        self._by_name[record.org, record.name] = record

    def remove(self, org: str, name: str) -> KeyRecord | None:
        record = self._by_name.pop((org, name), None)
        if record is not None:
            self._by_hash.pop(record.sha256, None)
        return record

    def _find(self, key: str) -> KeyRecord | None:
        # The look-up is by hash: how long it takes tells nothing about the key.
        return self._by_hash.get(digest(key))


def digest(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def make_secret(org: str) -> str:
    """A new key; 160 random bits."""
    return f"dbos_{org}_{secrets.token_hex(20)}"


def record_of(org: str, spec: KeySpec) -> KeyRecord:
    sha256 = spec.sha256 or digest(spec.key or "")
    permissions = PERMISSIONS if spec.permissions == "all" else tuple(spec.permissions)
    applications = None if spec.applications == "all" else tuple(spec.applications)
    return KeyRecord(org, spec.name, sha256, permissions, applications, 0)


def decode_segment(segment: str) -> str | None:
    """Percent-decode one path segment, once. None: not the percent-encoding of UTF-8 text (CON-5)."""
    if _BAD_ESCAPE.search(segment):
        return None
    try:
        return unquote_to_bytes(segment).decode("utf-8")
    except UnicodeDecodeError:
        return None
