"""What a killed process left behind is removed by the next one; what somebody still uses stays."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from scenarios.targets.scratch import Scratch, sweep

OWNER = (
    "import sys, time\nfrom pathlib import Path\nfrom scenarios.targets.scratch import Scratch\n"
    "made = Scratch('relay', Path(sys.argv[1]))\nprint(made.path, flush=True)\ntime.sleep(100)\n"
)


def test_only_what_has_no_owner_left_is_swept(tmp_path: Path) -> None:
    owner = subprocess.Popen([sys.executable, "-c", OWNER, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    try:
        left = Path(owner.stdout.readline().strip())
        (left / "relay.sqlite").write_text("data")
        foreign = tmp_path / "relayproof-by-hand"
        foreign.mkdir()
        (tmp_path / "relayproof-link").symlink_to(left)
        with Scratch("relay", tmp_path) as own:
            assert sweep(tmp_path) == [], "its owner lives"
            owner.kill()
            owner.wait()
            assert sweep(tmp_path) == [left]
            assert own.path.exists() and foreign.exists() and not left.exists()
    finally:
        owner.kill()
        owner.wait()
        owner.stdout.close()
    assert not own.path.exists()


def test_the_first_folder_of_a_process_sweeps(tmp_path: Path) -> None:
    made = Scratch("relay", tmp_path)
    left = made.path
    leaving = "import sys\nfrom pathlib import Path\nfrom scenarios.targets.scratch import Scratch\n"
    command = [sys.executable, "-c", leaving + "Scratch('relay', Path(sys.argv[1]))", str(tmp_path)]
    subprocess.run(command, check=True)
    assert left.exists(), "it is held by this process"
    assert len(list(tmp_path.iterdir())) == 2
    subprocess.run(command, check=True)
    assert len(list(tmp_path.iterdir())) == 2, "the second has removed what the first left"
    made.remove()
    made.remove()
