"""Schemathesis against a running relay: its answers keep to its own OpenAPI document, whatever is asked.

All undocumented status codes fail, those of 500 and more included; 502 and 503 are documented where they may come.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.reference_relay.answering import answering
from tests.reference_relay.support import ADMIN, CONFIG, RelayProcess, healthy, relay_in

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]  # thousands of requests

SCHEMATHESIS = Path(sys.executable).with_name("schemathesis")
CHECKS = (
    "status_code_conformance,content_type_conformance,response_headers_conformance,response_schema_conformance,"
    "unsupported_method,allow_header_conformance"
)


@pytest.fixture
def relay(tmp_path: Path) -> Iterator[RelayProcess]:
    with relay_in(tmp_path, CONFIG) as process:
        yield process


def cases_of(relay: RelayProcess, folder: Path) -> int:
    """Run it on everything but the deletion of the application that all the rest needs; returns its cases."""
    config = folder / "schemathesis.toml"
    config.write_text('[parameters]\n"path.orgName" = "acme"\n"path.appName" = "shop"\n', encoding="utf-8")
    done = subprocess.run(
        [
            SCHEMATHESIS, "--config-file", config, "run", f"http://127.0.0.1:{relay.port}/openapi.json",
            "-H", f"Authorization: Bearer {ADMIN}", "--checks", CHECKS, "--exclude-operation-id", "deleteApp",
            "--phases", "coverage,fuzzing", "--max-examples", "3", "--seed", "1", "--workers", "1",
            "--continue-on-failure", "--warnings", "off",
        ],
        cwd=folder, capture_output=True, text=True, timeout=500, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    cases = re.search(r"(\d+) generated", done.stdout)
    assert cases is not None, done.stdout[-2000:]
    return int(cases[1])


@pytest.mark.skipif(not SCHEMATHESIS.exists(), reason="needs schemathesis")
@pytest.mark.parametrize("with_executor", [False, True], ids=["no-executor", "answering"])
def test_answers_keep_to_the_document(relay: RelayProcess, tmp_path: Path, with_executor: bool) -> None:
    with relay.client() as client:
        assert client.put("/v2/orgs/acme/apps/shop").status_code == 204
        executor = answering(relay, "shop") if with_executor else None
        if executor is not None:
            healthy(client, "shop", "e1")
        assert cases_of(relay, tmp_path) > 1000
        if executor is not None:
            healthy(client, "shop", "e1")
            assert len({request["type"] for request in executor.requests}) > 25
            executor.close()
    assert "Traceback" not in relay.log()
