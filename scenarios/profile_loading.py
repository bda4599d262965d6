"""From what stands behind ``--relay`` to a `Profile`: a file, ``builtin:...``, or a bare ``url:`` or ``cmd:``."""

from __future__ import annotations

import math
import os
import re
import shlex
import shutil
import string
import sys
import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from conductor.errors import InvalidTiming
from scenarios.control import control_class
from scenarios.errors import ProfileError
from scenarios.profile import CAPABILITIES, NAMES, Organisation, Profile, RelaySection, Tenancy

TARGET_KINDS = {
    "builtin": "builtin:reference or builtin:broken/NAME",
    "url": "url:http://host:port",
    "cmd": "cmd:<command with {port} and {dir}>",
    "image": "image:<container image>",
}
_BARE_KEY = "env:RELAYPROOF_KEY"


def resolve(relay: str) -> Profile:
    """The profile behind a ``--relay`` argument. Raises `ProfileError`.

    A bare ``url:`` or ``cmd:`` stands for a profile with nothing else in it: documented timing, one organisation
    ``local`` whose key is read from the environment variable RELAYPROOF_KEY.
    """
    kind, colon, _ = relay.partition(":")
    if colon and kind in TARGET_KINDS and not os.path.exists(relay):  # noqa: PTH110 - pathlib raises for too long a name
        tenants = () if kind == "builtin" else (Organisation(name="local", key=_BARE_KEY),)
        bare = Profile(relay=RelaySection(target=relay), tenancy=Tenancy(organisations=tenants))
        return _usable(check(bare, f"--relay {relay}"), f"--relay {relay}")
    path = Path(relay)
    if not os.path.isfile(path):  # noqa: PTH113
        raise ProfileError(
            f"--relay {relay}: no such file; give a profile's path or one of {', '.join(TARGET_KINDS.values())}"
        )
    try:
        text = path.read_text(encoding="utf-8-sig")  # some editors begin a file with a byte order mark
    except (OSError, UnicodeDecodeError) as problem:
        raise ProfileError(f"--relay {relay}: can't be read as a profile, TOML in UTF-8: {problem}") from problem
    profile = loads(text, str(path))
    if profile.relay.api.startswith("python:") and str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))  # a class of the user's own may lie beside the profile
    return _usable(profile, str(path))


def _usable(profile: Profile, source: str) -> Profile:
    """Whatever is missing here is told before anything is started. Raises `ProfileError`."""
    try:
        control_class(profile)
        for tenant in profile.tenancy.organisations:
            tenant.require_keys()
    except ProfileError as problem:
        raise ProfileError(f"{source}: {problem}") from problem
    if profile.can("auth"):
        for tenant in profile.tenancy.organisations:
            _check_keys(profile, tenant, source)
    kind, _, rest = profile.relay.target.partition(":")
    if kind == "cmd" and shutil.which(program := shlex.split(rest)[0]) is None:
        raise ProfileError(f"{source}: [relay] target: there is no program {program!r}: give its path, or install it")
    return profile


def _check_keys(profile: Profile, tenant: Organisation, source: str) -> None:
    used = {"executor_key" if tenant.executor_key else "key": tenant.socket_key}
    if profile.relay.api == "conductor-v2":
        used["key"] = tenant.api_token
    for name, key in used.items():
        place = f"{source}: [[tenancy.organisations]] {name} of {tenant.name!r}"
        if not key:
            raise ProfileError(f"{place} is empty: give one, or say [capabilities] auth = false")
        if not key.isprintable() or " " in key:
            raise ProfileError(f"{place} holds a space or a line break: give the bare key")


def loads(text: str, source: str) -> Profile:
    """A profile from the text of its file; ``source`` is how errors name it. Raises `ProfileError`."""
    try:
        raw = tomllib.loads(text)
    except (ValueError, RecursionError) as problem:  # also a number of more than 4300 digits
        raise ProfileError(f"{source}: not TOML: {problem}") from problem
    try:
        profile = msgspec.convert(raw, Profile)
    except msgspec.ValidationError as problem:
        raise ProfileError(f"{source}: {_explained(str(problem), raw)}") from problem
    return check(profile, source)


def example() -> str:
    """The text of the complete, commented example."""
    return (files("scenarios") / "profile_example.toml").read_text(encoding="utf-8")


def check(profile: Profile, source: str) -> Profile:
    """What types alone can't say. Raises `ProfileError` naming the key and the allowed values."""
    _check_relay(profile.relay, source)
    _check_words(f"{source}: [capabilities]", profile.capabilities, CAPABILITIES)
    _check_words(f"{source}: [names]", profile.names, NAMES)
    _check_query(profile.names.get("surfaced_query", NAMES["surfaced_query"]), source)
    _check_figures(profile, source)
    for tenant in profile.tenancy.organisations:
        if len(set(tenant.applications)) < len(tenant.applications) or "" in tenant.applications:
            raise ProfileError(
                f"{source}: [[tenancy.organisations]] applications of {tenant.name!r}: give each name once, and no "
                f"empty one, in {', '.join(map(repr, tenant.applications))}"
            )
    names = [tenant.name for tenant in profile.tenancy.organisations]
    if len(set(names)) < len(names):
        raise ProfileError(f"{source}: [tenancy] organisations: two have the same name, of {', '.join(names)}")
    if profile.builtin is not None and names:
        raise ProfileError(f"{source}: [tenancy] a builtin relay makes its own organisations: leave the section out")
    if profile.builtin is None and not names:
        raise ProfileError(
            f"{source}: [tenancy] organisations: name at least one, such as [[tenancy.organisations]] name = 'local'"
        )
    for claim, way in (("restart", ("start", "kill")), ("pause", ("pause", "resume"))):
        missing = [command for command in way if not getattr(profile.control, command)]
        if profile.relay.target.startswith("url:") and profile.capabilities.get(claim) and missing:
            raise ProfileError(
                f"{source}: [capabilities] {claim}: a url target needs [control] {' and '.join(missing)}"
            )
    try:
        for grace_s in (profile.timing.grace_s, profile.timing.least_grace_s()):
            profile.timing.timing(grace_s)
    except InvalidTiming as problem:
        raise ProfileError(f"{source}: [timing] {problem}") from problem
    return profile


def _check_figures(profile: Profile, source: str) -> None:
    """Those that `Timing` doesn't know."""
    timing, ready_s = profile.timing, profile.control.ready_s
    for place, value in (("[timing] grace_min_s", timing.grace_min_s), ("[control] ready_s", ready_s)):
        if not math.isfinite(value) or value <= 0:
            raise ProfileError(f"{source}: {place} is {value:g}: give a finite number of seconds above 0")
    if timing.grace_settable and timing.grace_min_s > timing.grace_s:
        raise ProfileError(
            f"{source}: [timing] grace_min_s is {timing.grace_min_s:g}: give at most grace_s ({timing.grace_s:g})"
        )


def _check_query(query: str, source: str) -> None:
    try:
        fields = [field for _, field, *_ in string.Formatter().parse(query) if field is not None]
    except ValueError:
        fields = ["}"]
    if not query.startswith("/") or not {*fields} <= {"org", "app"}:
        raise ProfileError(
            f"{source}: [names] surfaced_query is {query!r}: give a path with no braces but {{org}} and {{app}}, "
            f"such as {NAMES['surfaced_query']}"
        )


def _check_relay(relay: RelaySection, source: str) -> None:
    kind, _, rest = relay.target.partition(":")
    if kind not in TARGET_KINDS or not rest:
        raise ProfileError(
            f"{source}: [relay] target is {relay.target!r}: give one of {', '.join(TARGET_KINDS.values())}"
        )
    if kind == "builtin" and rest != "reference" and not re.fullmatch(r"broken/[a-z0-9-]+", rest):
        raise ProfileError(f"{source}: [relay] target is {relay.target!r}: give {TARGET_KINDS['builtin']}")
    if "\0" in rest:
        raise ProfileError(f"{source}: [relay] target is {relay.target!r}: take the NUL out of it")
    if kind == "url" and not _is_url(rest):
        raise ProfileError(f"{source}: [relay] target is {relay.target!r}: give {TARGET_KINDS['url']}")
    if kind == "cmd" and "{port}" not in rest:
        raise ProfileError(f"{source}: [relay] target: the command must take its port from {{port}}")
    if kind == "cmd":
        try:
            shlex.split(rest)
        except ValueError as problem:
            raise ProfileError(f"{source}: [relay] target is {relay.target!r}: {problem}: mend the quotes") from problem
    for name, value in relay.environment.items():
        if not name or "=" in name or "\0" in name + value:
            raise ProfileError(
                f"{source}: [relay] environment: {name!r}: give a name that is not empty and has no =, and no NUL in "
                "name or value"
            )
    if relay.api not in ("conductor-v2", "none") and not re.fullmatch(r"python:[\w.]+:\w+", relay.api):
        raise ProfileError(
            f"{source}: [relay] api is {relay.api!r}: give 'conductor-v2', 'none' or 'python:<module>:<class>'"
        )
    if relay.base and not re.fullmatch(r"(/[^/\s]+)+", relay.base):
        raise ProfileError(
            f"{source}: [relay] base is {relay.base!r}: give a path without a trailing slash: '/conductor'"
        )


def _is_url(text: str) -> bool:
    if not re.fullmatch(r"https?://[^/\s@?#]+(/[^\s?#]*)?", text):
        return False
    try:
        parts = urlsplit(text)
        (parts.hostname or "").encode("idna")  # what a connection is made with
        return bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:  # a port beyond 65535, half an IPv6 address, a name that no DNS can hold
        return False


def _check_words(place: str, given: Mapping[str, object], known: Mapping[str, str]) -> None:
    for word in given:
        if word not in known:
            raise ProfileError(f"{place} {word}: unknown{_near(word, known)}; allowed: {', '.join(known)}")


def _explained(problem: str, raw: dict[str, Any]) -> str:
    """msgspec's sentence with the place as a person writes it, and the allowed keys for an unknown one."""
    text, _, place = problem.partition(" - at `$")
    place = place.rstrip("`").lstrip(".")
    if not (unknown := re.search(r"unknown field `(.+)`", text)):
        return f"[{place.replace('.', '] ', 1) if '.' in place else place + ']'}: {text}" if place else text
    word = unknown.group(1)
    fields = _fields_at(place)
    return f"[{place}] {word}: unknown key{_near(word, fields)}; allowed: {', '.join(fields)}"


def _fields_at(place: str) -> tuple[str, ...]:
    section: Any = Profile
    for step in filter(None, place.split(".")):
        name = step.partition("[")[0]
        if name == "organisations":
            return Organisation.__struct_fields__
        section = next(f.type for f in msgspec.structs.fields(section) if f.name == name)
    return tuple(section.__struct_fields__)


def _near(word: str, known: Mapping[str, str] | tuple[str, ...]) -> str:
    close = get_close_matches(word, list(known), n=1)
    return f" (did you mean {close[0]}?)" if close else ""
