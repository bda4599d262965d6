"""``pytest --relay-profile P``: the scenarios as pytest items. Without the option the plugin does nothing."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("relayproof", "prove a DBOS Conductor relay")
    group.addoption("--relay-profile", metavar="P", help="a relay's profile (file, builtin:..., url:..., cmd:...)")
