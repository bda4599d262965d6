"""What is read off an SDK's package."""

from __future__ import annotations

from pathlib import Path

import pytest

from conductor.catalogue import CATALOGUE
from sdk_matrix.languages import worker
from sdk_matrix.languages.base import Worker
from sdk_matrix.matrix.packages import declared_constants_s, declared_types


def worker_of(language: str, program: Path) -> Worker:
    return Worker(language, ("node", str(program)), ("postgresql",), False, lambda: None)


def test_the_installed_python_package_names_all_but_the_late_one() -> None:
    python = worker("python")
    if python.missing() is not None:
        pytest.skip("the Python SDK is not installed")
    assert declared_types(python) == tuple(kind for kind in CATALOGUE if kind != "rewind_workflow")


def test_a_type_counts_where_it_stands_in_quotes_by_itself(tmp_path: Path) -> None:
    source = tmp_path / "node_modules/@dbos-inc/dbos-sdk/dist/src/conductor/protocol.js"
    source.parent.mkdir(parents=True)
    source.write_text("""A["ALERT"] = "alert"; B = 'cancel'; // "restarted" resume""")
    assert declared_types(worker_of("typescript", tmp_path / "worker.mjs")) == ("cancel", "alert")


def test_a_package_without_its_source_declares_nothing(tmp_path: Path) -> None:
    assert declared_types(worker_of("typescript", tmp_path / "worker.mjs")) is None
    assert declared_types(worker_of("cobol", tmp_path / "worker")) is None


def test_the_installed_python_package_tells_its_durations() -> None:
    python = worker("python")
    if python.missing() is not None:
        pytest.skip("the Python SDK is not installed")
    found = declared_constants_s(python)
    assert (found["ping_interval_s"], found["pong_deadline_s"], found["handshake_s"]) == (20.0, 15.0, 5.0)
    assert found["reconnect_1_s"] == found["reconnect_8_s"] == 1.0


def test_durations_are_read_in_their_units_and_grow_up_to_their_cap(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "node_modules/@dbos-inc/dbos-sdk/dist/src/conductor/conductor.js"
    source.parent.mkdir(parents=True)
    source.write_text("pingPeriodMs = 20000; // reconnectDelayMs\nx = { handshakeTimeout: 500 }")
    read = declared_constants_s(worker_of("typescript", tmp_path / "worker.mjs"))
    assert read == {"ping_interval_s": 20.0, "handshake_s": 0.5}

    module = tmp_path / "github.com/dbos-inc/dbos-transact-golang@v1.2.3/dbos"
    module.mkdir(parents=True)
    constants = {"PING_INTERVAL": 20, "PING_TIMEOUT": 30, "INITIAL_RECONNECT_WAIT": 1, "MAX_RECONNECT_WAIT": 5}
    module.joinpath("conductor.go").write_text("\n".join(f"_{k}  = {v} * time.Second" for k, v in constants.items()))
    program = tmp_path / "go"
    program.write_text(f"#!/bin/sh\necho {tmp_path}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    go = Worker("go", ("worker",), ("postgresql",), False, lambda: None, "v1.2.3")
    found = declared_constants_s(go)
    assert found["pong_deadline_s"] == 10.0  # from the ping on
    assert [found[f"reconnect_{n}_s"] for n in (1, 2, 3, 4, 8)] == [1.0, 2.0, 4.0, 5.0, 5.0]


def test_a_package_without_its_source_declares_no_durations(tmp_path: Path) -> None:
    assert declared_constants_s(worker_of("typescript", tmp_path / "worker.mjs")) == {}
    assert declared_constants_s(worker_of("cobol", tmp_path / "worker")) == {}
