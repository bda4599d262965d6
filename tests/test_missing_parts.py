"""Where all parts are required, a skipped test fails the run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).with_name("conftest.py")


@pytest.mark.parametrize(("required", "code"), [("", 0), ("1", 1)])
@pytest.mark.parametrize(
    "how", ["pytest.skip('no such part', allow_module_level=True)", "def test_it(): pytest.skip('no part')"]
)
def test_a_skip_counts_where_all_parts_are_required(tmp_path: Path, how: str, required: str, code: int) -> None:
    shutil.copy(CONFTEST, tmp_path)
    (tmp_path / "test_part.py").write_text(f"import pytest\n{how}\n", encoding="utf-8")
    (tmp_path / "test_other.py").write_text("def test_it(): pass\n", encoding="utf-8")
    environment = {**os.environ, "RELAYPROOF_REQUIRE_ALL": required}
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rs", "--rootdir", str(tmp_path), str(tmp_path)],
        env=environment, capture_output=True, text=True, cwd=tmp_path, check=False,
    )  # fmt: skip
    assert ran.returncode == code, ran.stdout
    assert ("RELAYPROOF_REQUIRE_ALL is set" in ran.stdout) is bool(required)
