"""``python -m broken_relays``."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request

import pytest

import broken_relays
from broken_relays.__main__ import main

SERVER = [each.name for each in broken_relays.all_defects() if each.where == "server"]


def test_list_names_every_relay_one_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list"]) == 0
    assert capsys.readouterr().out.split("\n")[:-1] == [each.name for each in broken_relays.all_defects()]


def test_the_long_list_says_what_each_breaks(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list", "--long"]) == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("never-pings "))
    assert "LIV-1" in line
    assert broken_relays.find("never-pings").summary in line


def test_the_help_of_one_says_what_is_wrong_with_it(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["never-pings", "--help"])
    assert f"never-pings: {broken_relays.find('never-pings').summary}; breaks LIV-1" in capsys.readouterr().out


def test_an_unknown_name_is_wrong_usage_and_names_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["never-pingz", "--port", "0"]) == 64
    assert "did you mean never-pings" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["--lists"], ["--list", "--longer"]])
def test_no_name_is_wrong_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 64
    assert "usage" in capsys.readouterr().err


def test_an_option_of_the_relay_that_is_wrong_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["never-pings", "--no-such-option"]) == 64
    assert "--no-such-option" in capsys.readouterr().err


@pytest.mark.parametrize("name", [*SERVER, "never-pings"])
def test_it_starts_and_answers(name: str, tmp_path: object) -> None:
    """Those of the server replace a class that only a real start puts in its place; one stands for all cores."""
    command = [sys.executable, "-m", "broken_relays", name, "--port", "0", "--data", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        try:
            assert process.stdout is not None
            ready = json.loads(process.stdout.readline())
            with urllib.request.urlopen(f"http://127.0.0.1:{ready['port']}/healthz", timeout=10) as answer:
                assert answer.status == 200
        finally:
            process.terminate()
        assert process.wait(timeout=10) == 0
