"""What is read off an SDK's package."""

from __future__ import annotations

from pathlib import Path

import pytest

from conductor.catalogue import CATALOGUE
from sdk_matrix.languages import worker
from sdk_matrix.languages.base import Worker
from sdk_matrix.matrix.packages import declared_types


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
