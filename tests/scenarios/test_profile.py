"""Profiles: the example is complete, mistakes are named with file, key and allowed values, the rest follows."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import msgspec
import pytest

from conductor.timing import DOCUMENTED, FAST
from scenarios.errors import ProfileError, Unsupported
from scenarios.profile import CAPABILITIES, NAMES, ControlSection, Organisation, Profile, RelaySection, TimingSection
from scenarios.profile_loading import example, loads, resolve

BASE = "[relay]\ntarget = 'url:http://127.0.0.1:8090'\n[[tenancy.organisations]]\nname = 'local'\nkey = 'k'\n"


def test_the_example_is_valid_and_shows_every_key() -> None:
    loads(example(), "example.toml")
    raw = tomllib.loads(example())
    shown = {section: set(raw[section]) for section in ("relay", "timing", "control", "names", "capabilities")}
    assert shown["relay"] == set(RelaySection.__struct_fields__)
    assert shown["timing"] == set(TimingSection.__struct_fields__)
    assert shown["control"] == set(ControlSection.__struct_fields__)
    assert shown["names"] == set(NAMES)
    assert shown["capabilities"] == set(CAPABILITIES)
    assert set(raw["tenancy"]["organisations"][0]) == set(Organisation.__struct_fields__)


def test_the_example_shows_the_defaults() -> None:
    raw = tomllib.loads(example())
    bare = msgspec.to_builtins(TimingSection())
    bare["handshake_deadline_s"] = bare["ping_wait_s"]
    assert raw["timing"] == pytest.approx(bare)
    assert raw["names"] == dict(NAMES)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("[relay]\ntarget = 'x'\n", ["[relay] target is 'x'", "builtin:reference", "url:http://host:port"]),
        ("[relay]\ntarget = 'cmd:run'\n", ["[relay] target", "{port}"]),
        ("[relay]\ntarget = 'builtin:other'\n", ["builtin:reference or builtin:broken/NAME"]),
        ("[relay]\ntarget = 'url:localhost'\n", ["url:http://host:port"]),
        ("[relay]\n", ["[relay]", "target"]),
        ("[relay]\ntarget = 'url:http://h:1'\n", ["[tenancy] organisations", "at least one"]),
        (BASE + "key2 = 1\n", ["[tenancy.organisations[0]] key2", "allowed: name, key"]),
        (BASE + "[timing]\nping_intervall_s = 1\n", ["[timing] ping_intervall_s", "did you mean ping_interval_s?"]),
        (BASE + "[timing]\ngrace_s = 'x'\n", ["[timing] grace_s", "float"]),
        (BASE + "[timing]\nslack_s = 20\n", ["[timing] slack_s is 20", "give at most"]),
        (BASE + "[capabilities]\nrestrat = true\n", ["[capabilities] restrat", "did you mean restart?"]),
        (BASE + "[capabilities]\nrestart = true\n", ["[capabilities] restart", "[control] start and kill"]),
        (BASE + "[names]\nrecovry = 'x'\n", ["[names] recovry", "did you mean recovery?"]),
        (BASE.replace("[[", "api = 'v3'\n[[", 1), ["[relay] api is 'v3'", "python:<module>:<class>"]),
        ("[relay", ["not TOML"]),
        ("x = " + "[" * 5000, ["not TOML"]),
        ("x = " + "1" * 5000, ["not TOML"]),
        (BASE.replace(":8090", ":99999"), ["[relay] target is 'url:http://127.0.0.1:99999'", "url:http://host:port"]),
        (BASE.replace("127.0.0.1", "[::1"), ["url:http://host:port"]),
        (BASE + "[timing]\ngrace_min_s = 90\n", ["[timing] grace_min_s is 90", "at most grace_s (60)"]),
        (BASE + "[timing]\ngrace_min_s = nan\n", ["[timing] grace_min_s is nan", "above 0"]),
        (BASE + "[control]\nready_s = -1\n", ["[control] ready_s is -1", "above 0"]),
        (BASE + "[names]\nsurfaced_query = '/v2/{orgs}'\n", ["[names] surfaced_query", "{org} and {app}"]),
        (BASE + "[names]\nsurfaced_query = '/v2/{'\n", ["[names] surfaced_query", "{org} and {app}"]),
        (BASE + "applications = ['a', 'a']\n", ["applications of 'local'", "each name once"]),
        ('[relay]\ntarget = "cmd:run \'x {port}"\n', ["[relay] target", "mend the quotes"]),
        ('[relay]\ntarget = "cmd:run {port} \\u0000"\n', ["[relay] target", "take the NUL out"]),
        (BASE.replace("127.0.0.1", "a..b"), ["[relay] target is 'url:http://a..b:8090'", "url:http://host:port"]),
        (BASE.replace("127.0.0.1", "a" * 64), ["url:http://host:port"]),
        (BASE.replace("[[", 'environment = { "A=B" = "c" }\n[[', 1), ["[relay] environment: 'A=B'", "no ="]),
        (BASE.replace("[[", 'environment = { "" = "c" }\n[[', 1), ["[relay] environment: ''", "not empty"]),
        (BASE.replace("[[", 'environment = { A = "\\u0000" }\n[[', 1), ["[relay] environment: 'A'", "no NUL"]),
    ],
)
def test_mistakes_name_file_key_and_way_out(text: str, parts: list[str]) -> None:
    with pytest.raises(ProfileError) as caught:
        loads(text, "mine.toml")
    assert str(caught.value).startswith("mine.toml")
    for part in parts:
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            BASE.replace("'k'", "'env:NO_SUCH_KEY'"),
            ["organisation 'local'", "set the environment variable NO_SUCH_KEY"],
        ),
        (BASE.replace("'k'", "''"), ["key of 'local' is empty", "auth = false"]),
        (BASE.replace("'k'", '"k\\n"'), ["key of 'local'", "line break"]),
        (BASE.replace("[[", "api = 'python:nowhere:C'\n[[", 1), ["[relay] api", "nowhere", "PYTHONPATH"]),
        (BASE.replace("[[", "api = 'python:json:JSONDecoder'\n[[", 1), ["[relay] api", "it lacks patch_settings"]),
        (BASE.replace("url:http://127.0.0.1:8090", "cmd:no-such-program {port}"), ["no program 'no-such-program'"]),
    ],
)
def test_what_is_missing_here_is_told_before_anything_starts(text: str, parts: list[str], tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(ProfileError) as caught:
        resolve(str(path))
    assert str(caught.value).startswith(str(path))
    for part in parts:
        assert part in str(caught.value)


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(BASE, encoding="utf-8-sig")
    assert resolve(str(path)).relay.target == "url:http://127.0.0.1:8090"


def test_a_control_class_may_lie_beside_the_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "beside_the_profile.py").write_text("class Mine:\n    def __getattr__(self, name):\n        ...\n")
    path = tmp_path / "mine.toml"
    path.write_text(BASE.replace("[[", "api = 'python:beside_the_profile:Mine'\n[[", 1))
    assert resolve(str(path)).relay.api == "python:beside_the_profile:Mine"


def test_what_stands_behind_relay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert resolve("builtin:reference").builtin == "reference"
    assert resolve("builtin:broken/never-pings").builtin == "broken/never-pings"
    monkeypatch.delenv("RELAYPROOF_KEY", raising=False)
    with pytest.raises(ProfileError, match="RELAYPROOF_KEY"):
        resolve("url:http://127.0.0.1:1")
    monkeypatch.setenv("RELAYPROOF_KEY", "a-key")
    assert resolve("url:http://127.0.0.1:1").tenancy.organisations[0].name == "local"
    (tmp_path / "p.toml").write_text(BASE)
    assert resolve(str(tmp_path / "p.toml")).relay.target == "url:http://127.0.0.1:8090"
    with pytest.raises(ProfileError, match=r"no such file.*builtin:reference"):
        resolve(str(tmp_path / "missing.toml"))


def test_paces() -> None:
    assert resolve("builtin:reference").timing_at("fast") == FAST
    assert resolve("builtin:reference").timing_at("documented") == DOCUMENTED
    foreign = loads(BASE + "[timing]\nping_interval_s = 8\ngrace_min_s = 3\n", "p.toml")
    assert (foreign.timing_at("fast").ping_interval_s, foreign.timing_at("fast").grace_s) == (8, 3)
    assert foreign.timing_at("documented").grace_s == 60
    wide = loads(BASE + "[timing]\nslack_s = 0.9\n", "p.toml")
    assert wide.timing_at("fast").grace_s == 4, "a grace period holds four slacks, in whole seconds"
    fixed = loads(BASE + "[timing]\ngrace_s = 30\ngrace_settable = false\n", "p.toml")
    assert fixed.timing_at("fast").grace_s == 30
    assert not fixed.can("settings")


def test_capabilities_follow_unless_claimed() -> None:
    bare = loads(BASE, "p.toml")
    assert not bare.can("restart") and not bare.can("organisations") and not bare.can("surfaced")
    started = loads(BASE + "[control]\nstart = 'a'\nkill = 'b'\n[names]\nsurfaced_query = '/x'\n", "p.toml")
    assert started.can("restart") and started.can("surfaced")
    silent = loads(BASE.replace("[[", "api = 'none'\n[[", 1), "p.toml")
    assert not silent.can("list") and silent.can("auth")
    with pytest.raises(Unsupported, match="executors with their states"):
        silent.require("list")
    assert loads(BASE + "[capabilities]\nlist = false\n", "p.toml").all_capabilities()["list"] is False


def test_digest_knows_no_keys() -> None:
    one, other = loads(BASE, "a"), loads(BASE.replace("'k'", "'secret'"), "b")
    assert one.digest == other.digest
    assert one.digest != loads(BASE + "[timing]\nscan_s = 0.5\n", "c").digest


def test_keys_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    profile: Profile = loads(BASE.replace("'k'", "'env:SOME_KEY'"), "p.toml")
    (tenant,) = profile.tenancy.organisations
    monkeypatch.delenv("SOME_KEY", raising=False)
    with pytest.raises(ProfileError, match="set the environment variable SOME_KEY"):
        _ = tenant.api_token
    monkeypatch.setenv("SOME_KEY", "value")
    assert (tenant.api_token, tenant.socket_key) == ("value", "value")
