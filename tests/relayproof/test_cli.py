"""The command line: exit codes, and messages that name the input and the way out."""

from __future__ import annotations

import errno
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from evidence import run as evidence_run
from relayproof.cli import COMMANDS, run
from scenarios.profile_loading import TARGET_KINDS
from tests.reference_relay.support import until
from tests.scenarios.conftest import MINI_RELAY
from tests.scenarios.mini_relay import TIMING

ROOT = Path(__file__).parents[2]
LONG = "a" * 300
"""Longer than any file's name."""


def mini_profile_file(folder: Path, fault: str = "", extra: str = "") -> str:
    command = f"cmd:{sys.executable} {MINI_RELAY} --port {{port}} --fault '{fault}'"
    absent = "".join(f"{name} = false\n" for name in ("audit", "surfaced", "latest_version", "workflows", "keys"))
    path = folder / "mini.toml"
    path.write_text(
        f'[relay]\nname = "mini"\ntarget = """{command}"""\n'
        '[[tenancy.organisations]]\nname = "local"\nkey = "mini-key"\n'
        f"{TIMING}[capabilities]\n{absent}{extra}"
    )
    return str(path)


def conform(relay: str, folder: Path, *more: str) -> int:
    return run(["conform", "--relay", relay, "--world", "wire", "--results", str(folder / "results"), *more])


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["confrom"], ["'confrom'", "did you mean conform?"]),
        (["conform", "--rely", "builtin:reference"], ["--rely", "--relay"]),
        (["conform", "--relay", "nowhere.toml"], ["nowhere.toml", "no such file", "builtin:reference"]),
        (["conform", "--relay", "builtin:other"], ["builtin:reference or builtin:broken/NAME"]),
        (["conform", "--relay", "builtin:broken/never-ping"], ["'never-ping'", "did you mean never-pings"]),
        (["conform", "--relay", "builtin:reference", "--world", "moon"], ["'moon'", "simulated, wire"]),
        (
            ["conform", "--relay", "builtin:reference", "--world", "wire", "--select", "NOPE"],
            ["'NOPE'", "relayproof list"],
        ),
        (["conform", "--relay", "builtin:reference", "--jobs", "0"], ["--jobs 0", "1 or more"]),
        (["conform", "--relay", "builtin:reference", "--timing", "slow"], ["slow", "fast"]),
        (["conform", "--relay", "builtin:reference", "--expected-failures", "gone.txt"], ["gone.txt", "can't be read"]),
        (["explain", "LIV-99"], ["LIV-99"]),
        (["list", "--world", "moon"], ["'moon'", "simulated, wire"]),
        (["conform", "--relay", "url:http://127.0.0.1:1"], ["RELAYPROOF_KEY"]),
        (["conform", "--world", "simulated", "--results", "/dev/null/x"], ["--results /dev/null/x", "can be written"]),
        (["conform", "--relay", LONG], [f"--relay {LONG}: no such file"]),
        (["conform", "--relay", f"cmd:no-such-program {{port}} {LONG}"], ["RELAYPROOF_KEY"]),
        (["conform", "--expected-failures", LONG], [f"--expected-failures {LONG}", "can't be read"]),
        (["serve", "--config", LONG], [f"--config {LONG}: no such file"]),
    ],
)
def test_wrong_usage_is_64_and_says_what_and_how(
    arguments: list[str],
    parts: list[str],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(arguments) == 64
    said = capsys.readouterr().err
    for part in parts:
        assert part in said
    assert "Traceback" not in said
    assert not list(tmp_path.iterdir()), "nothing was begun"


@pytest.mark.parametrize("command", ["conform", "probe"])
def test_a_relay_that_is_not_there_is_told_at_once(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RELAYPROOF_KEY", "k")
    assert run([command, "--relay", "url:http://127.0.0.1:1"]) == 64
    said = capsys.readouterr().err
    assert "http://127.0.0.1:1 can't be reached" in said and "start the relay" in said
    assert not list(tmp_path.iterdir()), "nothing was begun"


def test_a_profile_that_is_no_text_is_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "p.toml"
    path.write_bytes(b"\xff\xfe")
    assert conform(str(path), tmp_path) == 64
    assert "p.toml: can't be read as a profile" in capsys.readouterr().err


def test_a_full_disk_is_told_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(index: object, folder: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(evidence_run, "write_index", full)
    assert run(["conform", "--world", "simulated", "--select", "LIV-4/*", "--results", str(tmp_path / "r")]) == 3
    said = capsys.readouterr().err
    assert "No space left on device: make room or give another folder" in said and "Traceback" not in said


def test_results_that_somebody_removed_are_told_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write = evidence_run.write_index

    def removed(folder: Path, index: evidence_run.Index) -> None:
        shutil.rmtree(tmp_path / "r")
        write(folder, index)

    monkeypatch.setattr(evidence_run, "write_index", removed)
    assert run(["conform", "--world", "simulated", "--select", "LIV-4/*", "--results", str(tmp_path / "r")]) == 3
    said = capsys.readouterr().err
    assert f"--results {tmp_path / 'r'}: No such file or directory" in said and "Traceback" not in said


def test_every_command_is_there_and_helps(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--help"]) == 0
    said = capsys.readouterr().out
    for name in COMMANDS:
        assert name in said


@pytest.mark.parametrize("command", ["conform", "chaos", "gate"])
def test_the_help_names_every_kind_of_relay(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([command, "--help"]) == 0
    said = capsys.readouterr().out
    for kind in TARGET_KINDS:
        assert f"{kind}:" in said


def test_list_and_explain(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["list", "--select", "LIV-3", "--plain"]) == 0
    assert "LIV-3/silent-socket" in capsys.readouterr().out.splitlines()
    assert run(["explain", "LIV-3"]) == 0
    said = capsys.readouterr().out
    assert "MUST" in said and "LIV-3/silent-socket" in said
    assert run(["explain", "LIV-3/silent-socket"]) == 0
    assert "scenarios.catalogue.liveness" in capsys.readouterr().out


def test_a_good_relay_passes_and_a_broken_one_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = mini_profile_file(tmp_path)
    assert conform(good, tmp_path, "--select", "LIV-4/*", "--seed", "5") == 0
    said = capsys.readouterr().out
    assert "seed 5" in said
    assert (tmp_path / "results" / "latest" / "report.html").exists()
    broken = mini_profile_file(tmp_path, "never-pings")
    assert conform(broken, tmp_path, "--select", "LIV-1/idle") in (1, 2)
    early = mini_profile_file(tmp_path, "early-death")
    assert conform(early, tmp_path, "--select", "LIV-7/*") == 1


def test_known_failures_and_strictness_change_the_exit_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = mini_profile_file(tmp_path)
    (tmp_path / "known.txt").write_text("LIV-4  # this passes\n")
    assert conform(good, tmp_path, "--select", "LIV-4/*", "--expected-failures", str(tmp_path / "known.txt")) == 1
    assert conform(good, tmp_path, "--select", "AUD-2") == 0
    assert "MUST not judged (AUD-" in capsys.readouterr().out
    assert conform(good, tmp_path, "--select", "AUD-2", "--strict") == 1


def test_a_contradicted_claim_ends_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lying = mini_profile_file(tmp_path, extra="list = false\n")
    assert conform(lying, tmp_path, "--select", "LIV-4/*") == 1
    assert "list = false, but it was observed" in capsys.readouterr().err
    assert run(["probe", "--relay", lying]) == 1


def test_a_relay_that_does_not_start_is_a_harness_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "p.toml"
    path.write_text('[relay]\ntarget = "cmd:false {port}"\n[[tenancy.organisations]]\nname = "local"\nkey = "k"\n')
    assert conform(str(path), tmp_path, "--select", "LIV-4/*") == 3
    assert "ended with status 1 before it was ready" in capsys.readouterr().err


def test_ctrl_c_keeps_what_was_found_and_leaves_nothing_behind(tmp_path: Path) -> None:
    with _suite(tmp_path) as suite:
        suite.send_signal(signal.SIGINT)
        out, said = suite.communicate(timeout=20)
    assert suite.returncode == 130
    assert re.search(r"interrupted: this is about the \d+ of \d+ scenarios that had ended", out)
    assert "Ctrl-C again stops at once" in said
    assert (tmp_path / "results" / "latest" / "index.json").exists()
    assert _orphans() == []


def test_a_second_ctrl_c_stops_at_once_and_leaves_nothing_behind(tmp_path: Path) -> None:
    with _suite(tmp_path) as suite:
        suite.send_signal(signal.SIGINT)
        assert suite.stderr is not None
        while "Ctrl-C again" not in suite.stderr.readline():
            assert suite.poll() is None
        suite.send_signal(signal.SIGINT)
        _, said = suite.communicate(timeout=20)
    assert suite.returncode == 130
    assert "Traceback" not in said
    assert _orphans() == []


@pytest.mark.parametrize("command", [["probe"], ["load", "--duration", "60s", "--executors", "5"]])
def test_sigterm_ends_other_commands_too_and_leaves_nothing_behind(tmp_path: Path, command: list[str]) -> None:
    arguments = [sys.executable, "-m", "relayproof", *command, "--relay", mini_profile_file(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(arguments, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True) as suite:
        until(lambda: _running(str(MINI_RELAY), suite.pid), "the relay", 20)
        suite.terminate()
        _, said = suite.communicate(timeout=20)
    assert suite.returncode == 130
    assert "Traceback" not in said
    assert _orphans() == []


@contextmanager
def _suite(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """A run in which the first scenario has ended."""
    arguments = [sys.executable, "-m", "relayproof", "conform", "--relay", mini_profile_file(folder), "--world", "wire"]
    arguments += ["--results", str(folder / "results"), "--select", "LIV-4/*", "LIV-5/*"]
    with subprocess.Popen(arguments, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as suite:
        histories = folder / "results" / "latest" / "histories"
        end = time.monotonic() + 20
        while time.monotonic() < end and not any(b'"ev":"footer"' in path.read_bytes() for path in histories.glob("*")):
            time.sleep(0.1)
        try:
            yield suite
        finally:
            suite.kill()  # a run that does not end must fail the test, not hold it


def _running(word: str, *parents: int) -> list[str]:
    """Command lines with the word, of processes with one of these parents."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            line = entry.read_bytes().replace(b"\0", b" ").decode(errors="replace")
            parent = int((entry.parent / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            continue
        if word in line and parent in parents:
            found.append(line)
    return found


def _orphans() -> list[str]:
    return _running(str(MINI_RELAY), 1, os.getpid())


@pytest.mark.parametrize(
    "command", [["matrix", "--rows", "liveness/first_ping"], ["study", "windows", "--scale", "0.01"]]
)
def test_results_that_are_a_file_are_refused_before_anything_is_measured(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "file"
    place.write_text("")
    assert run([*command, "--results", str(place)]) == 64
    said = capsys.readouterr().err
    assert str(place) in said and "--results takes a folder" in said


def test_a_folder_that_can_be_none_is_no_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "loop").symlink_to("loop")
    for name in (LONG, "loop"):
        for command in ("recheck", "report"):
            assert run([command, str(tmp_path / name)]) == 3
            assert "is no run: it has no index.json" in capsys.readouterr().err


def test_output_that_goes_nowhere_is_no_traceback() -> None:
    shell = f'{sys.executable} -m relayproof list --plain --select "LIV-3*"'
    closed = subprocess.run(f"{shell} >&-", shell=True, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (closed.returncode, closed.stderr) == (0, "")
    if Path("/dev/full").exists():
        full = subprocess.run(f"{shell} >/dev/full", shell=True, cwd=ROOT, capture_output=True, text=True, check=False)
        assert full.returncode == 3 and full.stderr.startswith("relayproof: the output can't be written")
        assert full.stderr.count("\n") == 1


def test_ctrl_c_while_all_is_imported_is_an_interrupt_too(tmp_path: Path) -> None:
    (tmp_path / "cyclopts.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    path = os.pathsep.join([str(tmp_path), str(ROOT)])
    ended = subprocess.run(
        [sys.executable, "-m", "relayproof", "list"], cwd=tmp_path, env={**os.environ, "PYTHONPATH": path},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (ended.returncode, ended.stderr) == (130, "relayproof: interrupted\n")


def test_a_command_line_need_not_be_utf_8(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results = str(tmp_path / os.fsdecode(b"r\xff"))
    asked = ["conform", "--select", "LIV-3/silent-socket", "--world", "simulated", "--results", results]
    monkeypatch.setattr(sys, "argv", ["relayproof", *asked])
    assert run(asked) == 0
    assert r"r\xff" in evidence_run.read_index(Path(results) / "latest").command
    assert run(["recheck", f"{results}/latest"]) == 0
