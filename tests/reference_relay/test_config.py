"""Errors name the source, the key and the way out; precedence is defaults, file, environment, command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from reference_relay.config import Config, parse
from reference_relay.core.records import Settings
from reference_relay.environment import VARIABLES, load
from reference_relay.errors import ConfigError

DOCS = Path(__file__).parents[2] / "docs" / "relay-configuration.md"
ADMIN = "dbos_acme_0123456789abcdef"


@pytest.mark.parametrize(
    ("text", "key", "problem"),
    [
        ("prot: 1", "prot", "allowed here: host, port"),
        ("port: x", "port", "Expected `int`"),
        ("port: 2024-01-45", "", "none of its kind"),
        ("port: !!bool x", "", "none of its kind"),
        ("port: !!timestamp x", "", "none of its kind"),
        ("false", "", "expected a mapping, got bool"),
        ("[]", "", "expected a mapping, got list"),
        ('host: "a\\0b"', "host", "no such name can hold"),
        ('data: "a\\0b"', "data", "no such name can hold"),
        ("organisations: {acme: {keys: 5}}", "organisations.acme.keys", "expected a list, got int"),
        ("port: 70000", "port", "<= 65535"),
        ("auth: maybe", "auth", "keys, none"),
        ("log_level: loud", "log_level", "debug, info, warning, error"),
        ("base_path: conductor/", "base_path", "such as /conductor"),
        ("base_path: /a b", "base_path", "A-Z a-z 0-9"),
        ("base_path: /a?b", "base_path", "A-Z a-z 0-9"),
        ("base_path: /a//b", "base_path", "such as /conductor"),
        ("base_path: /a/..", "base_path", "such as /conductor"),
        ("limits: {write_deadline_s: .inf}", "limits.write_deadline_s", "<= "),
        ("auth: none\nhost: 0.0.0.0", "auth", "loopback"),
        ("organisations: [acme]", "organisations", "mapping"),
        ("organisations: {Acme: {}}", "organisations.Acme", "a-z0-9_"),
        ("organisations: {acme: {apps: {}}}", "organisations.acme.apps", "allowed here: keys, applications"),
        ("organisations: {acme: {keys: [{name: a}]}}", "organisations.acme.keys[0]", "either `key` or `sha256`"),
        ("organisations: {acme: {keys: [{name: a, key: short}]}}", "organisations.acme.keys[0]", "16 to 256"),
        ("organisations: {acme: {keys: [{name: a, sha256: zz}]}}", "organisations.acme.keys[0]", "64"),
        (
            f"organisations: {{acme: {{keys: [{{name: a, key: {ADMIN}, permissions: [fly]}}]}}}}",
            "organisations.acme.keys[0]",
            "websocket.connect",
        ),
        (
            "organisations: {acme: {applications: {shop: {executorTimeoutSecs: 0}}}}",
            "organisations.acme.applications.shop.executorTimeoutSecs",
            ">= 1",
        ),
        (
            "organisations: {acme: {applications: {shop: {executorTimeout: 1}}}}",
            "organisations.acme.applications.shop.executorTimeout",
            "executorTimeoutSecs",
        ),
        ("timing: {x: 1}", "timing.x", "ping_interval_s"),
        ("timing: {ping_wait_s: 1}", "timing", "slack_s is 0.5: give at most 0.25"),
        ("limits: {write_deadline_s: 0}", "limits.write_deadline_s", "> 0"),
        ("[", "", "is no YAML"),
        ("port: 1\nhost: 127.0.0.1\nport: 2", "", "the key port is there twice"),
        ("timing: {scan_s: 1, scan_s: 2}", "", "the key scan_s is there twice"),
        ("[1]: 2", "", "is no YAML"),
        ("a: " + "[" * 100_000, "", "nests too deeply"),
        ("host: ''", "host", "must not be empty"),
        ("upkeep: {alert_period_s: 0}", "upkeep.alert_period_s", ">= 0.1"),
        ("upkeep: {alerts: 0}", "upkeep.alerts", "alert_period_s"),
        ("- a", "", "expected a mapping"),
    ],
)
def test_errors_name_file_key_and_way_out(text: str, key: str, problem: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(text, "relay.yaml")
    assert caught.value.key == key
    assert str(caught.value).startswith("relay.yaml: ")
    assert problem in str(caught.value)


def test_merge_keys_may_be_overridden() -> None:
    config = parse("timing: {<<: {scan_s: 0.25, slack_s: 0.1}, scan_s: 0.5}", "relay.yaml")
    assert (config.timing.scan_s, config.timing.slack_s) == (0.5, 0.1)


def test_no_error_repeats_a_key() -> None:
    with pytest.raises(ConfigError) as caught:
        parse(f"organisations: {{acme: {{keys: [{{name: a, key: '{ADMIN}!'}}]}}}}", "relay.yaml")
    assert ADMIN not in str(caught.value)


def test_empty_means_defaults() -> None:
    assert parse("", "relay.yaml") == Config()


def test_the_documented_example_is_valid() -> None:
    example = DOCS.read_text(encoding="utf-8").split("```yaml\n")[1].split("```")[0]
    config = parse(example, "relay-configuration.md")
    assert config.organisations["acme"].applications["shop"].gc_rows_threshold == 1_000_000
    assert config.timing == Config().timing
    assert config.limits == Config().limits


def test_every_variable_is_documented() -> None:
    text = DOCS.read_text(encoding="utf-8")
    for suffix in VARIABLES:
        assert f"`RELAYPROOF_RELAY_{suffix}`" in text or suffix.startswith(("TIMING_", "UPKEEP_")), suffix


def test_precedence(tmp_path: Path) -> None:
    path = tmp_path / "relay.yaml"
    path.write_text("port: 1\nhost: '127.0.0.2'\ndata: here\ntiming: {scan_s: 0.5}\n", encoding="utf-8")
    variables = {
        "RELAYPROOF_RELAY_PORT": "2",
        "RELAYPROOF_RELAY_HOST": "127.0.0.3",
        "RELAYPROOF_RELAY_TIMING_REDIAL_S": "3",
        "OTHER": "x",
    }
    config = load(path, variables, {"port": 3, "host": None})
    assert (config.port, config.host, config.data) == (3, "127.0.0.3", "here")
    assert (config.timing.scan_s, config.timing.redial_s) == (0.5, 3.0)


@pytest.mark.parametrize(
    ("name", "value", "problem"),
    [
        ("PROT", "1", "unknown; allowed are RELAYPROOF_RELAY_CONFIG"),
        ("PORT", "many", "Expected `int`"),
        ("HOST", "\udcff", "no such name can hold"),
        ("ADMIN_KEY", "secret", "dbos_<organisation>_<secret>"),
        ("TIMING_SCAN_S", "99", "ping_interval_s"),
    ],
)
def test_errors_name_the_variable(name: str, value: str, problem: str) -> None:
    with pytest.raises(ConfigError, match="RELAYPROOF_RELAY_") as caught:
        load(None, {f"RELAYPROOF_RELAY_{name}": value}, {})
    assert problem in str(caught.value)


def test_a_name_that_no_file_can_have_is_named() -> None:
    with pytest.raises(ConfigError, match=f"^{'a' * 300}: can't be read"):
        load(Path("a" * 300), {}, {})


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"absent\.yaml: can't be read"):
        load(tmp_path / "absent.yaml", {}, {})


def test_an_admin_key_from_the_environment_makes_its_organisation() -> None:
    config = load(None, {"RELAYPROOF_RELAY_ADMIN_KEY": ADMIN}, {})
    (key,) = config.organisations["acme"].keys
    assert (key.key, key.permissions, key.name) == (ADMIN, "all", "environment")


def test_grace_of_an_application_that_says_nothing() -> None:
    config = parse("timing: {grace_s: 2.5}\norganisations: {acme: {applications: {shop: }}}", "relay.yaml")
    shop = config.organisations["acme"].applications["shop"]
    assert shop.settings(config.default_settings) == Settings(executor_timeout_s=3)
