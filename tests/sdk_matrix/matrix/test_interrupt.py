"""A measurement that is told to stop leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from chaos.errors import MissingPostgres
from chaos.postgres import binaries
from relayproof.errors import INTERRUPTED
from sdk_matrix.languages import worker
from tests.reference_relay.support import until

pytestmark = pytest.mark.real


def test_sigterm_ends_workers_and_folders(tmp_path: Path) -> None:
    if (reason := worker("python").missing()) is not None:
        pytest.skip(reason)
    try:
        binaries()
    except MissingPostgres as problem:
        pytest.skip(str(problem))
    command = (sys.executable, "-m", "relayproof", "matrix", "--sdk", "python", "--rows", "liveness/ping_interval")
    process = subprocess.Popen(command, cwd=tmp_path, env={**os.environ, "TMPDIR": str(tmp_path)})
    until(lambda: next(tmp_path.glob("relayproof-matrix-*/*/*.log"), None) is not None, "a worker is launched", 60)
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == INTERRUPTED
    assert not list(tmp_path.glob("relayproof-matrix-*"))
    assert not list(tmp_path.glob("results*"))
