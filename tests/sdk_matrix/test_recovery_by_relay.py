"""Each language once against the reference relay: SIGKILL in the middle of a step, and a peer has it to itself."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sdk_matrix.contract import Child, Start, Started, Step, expected_outcome, workflows_of
from tests.sdk_matrix.rig import Rig, until

KEY = "dbos_acme_5d1f0c7a9b3e4c2d8f60"
CONFIG = {
    "port": 0,
    "data": ":memory:",
    "organisations": {
        "acme": {"keys": [{"name": "all", "key": KEY, "permissions": "all"}], "applications": {"contract-app": {}}}
    },
    "timing": {"grace_s": 2},
}


@contextlib.contextmanager
def reference_relay(folder: Path) -> Iterator[str]:
    """Its URL for executors."""
    config = folder / "relay.yaml"
    config.write_text(json.dumps(CONFIG))  # JSON is YAML
    command = (sys.executable, "-m", "reference_relay", "--config", str(config))
    with (
        (folder / "relay.log").open("wb") as log,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log) as process,
    ):
        assert process.stdout is not None
        try:
            ready = json.loads(process.stdout.readline() or "{}")
            assert ready.get("event") == "ready", (folder / "relay.log").read_text()
            yield f"ws://127.0.0.1:{ready['port']}"
        finally:
            process.kill()


@pytest.mark.slow
def test_a_peer_takes_over_what_a_killed_worker_ran(rig: Rig, tmp_path: Path) -> None:
    command = Start(
        workflow="killed", instructions=(Step("before"), Step("hit", 3.0, 10), Child("its-child", (Step("in-child"),)))
    )
    with reference_relay(tmp_path) as url:
        victim = rig.driver(relay_url=url, key=KEY)
        dead = victim.ready().executor_id
        peer = rig.driver(relay_url=url, key=KEY).ready().executor_id
        assert isinstance(victim.ask(command), Started)
        until(lambda: len(rig.steps("killed")) == 3, "the second step has begun")
        victim.kill()
        for workflow, instructions in workflows_of(command):
            assert rig.outcome(workflow) == expected_outcome(instructions)
        begun = [(step, about["executor_id"]) for step, _, phase, about in rig.steps("killed") if phase == "begin"]
        assert begun == [("before", dead), ("hit", dead), ("hit", peer)]
