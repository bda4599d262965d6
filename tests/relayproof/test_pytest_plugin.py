"""``pytest --relay-profile``: items, verdicts, selection; and nothing at all without the option."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from evidence.run import read_index
from tests.relayproof.test_cli import mini_profile_file


def pytest_in(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", "-rs", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=100, check=False)


def test_scenarios_are_items_that_pass_fail_and_skip(tmp_path: Path) -> None:
    relay = mini_profile_file(tmp_path, "early-death")
    done = pytest_in(
        tmp_path, "-v", "--relay-profile", relay, "--relay-select", "LIV-4", "--relay-select", "LIV-7",
        "--relay-select", "AUD-2", "--junitxml", "out.xml",
    )  # fmt: skip
    assert "relay::LIV-4/" in done.stdout and "PASSED" in done.stdout
    assert "FAILED" in done.stdout and "EARLY" in done.stdout
    assert "SKIPPED" in done.stdout and "the audit log can be read" in done.stdout
    assert done.returncode == 1
    assert '<property name="LIV-4" value="OK"' in (tmp_path / "out.xml").read_text()


def test_only_what_k_leaves_is_played(tmp_path: Path) -> None:
    relay = mini_profile_file(tmp_path)
    done = pytest_in(tmp_path, "--relay-profile", relay, "--relay-select", "LIV-4", "-k", "fin")
    assert done.returncode == 0, done.stdout
    assert read_index(tmp_path / "results" / "latest").target == relay, "what is played again has the same profile"
    played = [path.name for path in (tmp_path / "results" / "latest" / "histories").iterdir()]
    assert played and all("fin" in name for name in played)


def test_a_wrong_profile_is_a_usage_error(tmp_path: Path) -> None:
    done = pytest_in(tmp_path, "--relay-profile", "nowhere.toml")
    assert done.returncode == 4
    assert "nowhere.toml: no such file" in done.stderr


def test_a_relay_that_is_not_there_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(
        "[relay]\ntarget = 'url:http://127.0.0.1:1'\n[[tenancy.organisations]]\nname = 'local'\nkey = 'k'\n"
    )
    done = pytest_in(tmp_path, "--relay-profile", "p.toml")
    assert done.returncode == 4
    assert "p.toml: [relay] target: http://127.0.0.1:1 can't be reached" in done.stderr


def test_the_help_names_every_kind_of_relay(tmp_path: Path) -> None:
    said = " ".join(pytest_in(tmp_path, "--help").stdout.split())
    assert "builtin:..., url:..., cmd:... or image:..." in said


def test_without_the_option_nothing_of_the_suite_is_imported(tmp_path: Path) -> None:
    (tmp_path / "test_own.py").write_text(
        "import sys\n\ndef test_own():\n    assert not {'scenarios', 'evidence', 'conductor'} & set(sys.modules)\n"
    )
    done = pytest_in(tmp_path)
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout
