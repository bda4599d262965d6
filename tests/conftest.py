"""What all tests share."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

# A busy machine is no failure of the code: no deadline. In CI the same examples each time: what a new one finds there
# would stop a change that did not cause it; developers' runs go on looking.
settings.register_profile("relayproof", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("relayproof")

REQUIRE_ALL = "RELAYPROOF_REQUIRE_ALL"


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A newcomer's machine may lack a part; where all of them are required, a skipped test is a failure."""
    if os.environ.get(REQUIRE_ALL) and _skipped(session.config) and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if os.environ.get(REQUIRE_ALL) and (count := _skipped(config)):
        terminalreporter.write_line(f"{REQUIRE_ALL} is set, and {count} tests were skipped: see above what is missing")


def _skipped(config: pytest.Config) -> int:
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    return len(reporter.stats.get("skipped", ())) if reporter is not None else 0
