"""Nothing of the machine is in the evidence."""

from __future__ import annotations

import re
import socket
from pathlib import Path

from sdk_matrix.matrix import file
from sdk_matrix.matrix.model import Cell, Frame
from sdk_matrix.matrix.scrub import scrubbed

COMMITTED = Path(__file__).parents[3] / "docs" / "sdk-matrix.json"


def test_folders_and_the_name_of_the_host_are_left_out() -> None:
    text = f'{{"hostname": "{socket.gethostname()}-x", "error": "{Path.home()}/a/b.py, {__file__}"}}'
    cell = scrubbed(Cell("error", detail=f"{Path.home()}/x", frames=(Frame(0.1, "executor", "text", text),)))
    assert cell.detail == "~/x"
    assert cell.frames[0].text == (
        '{"hostname": "host", "error": "~/a/b.py, relayproof/tests/sdk_matrix/matrix/test_scrub.py"}'
    )
    assert scrubbed(cell) == cell


def test_values_and_notes_stay_but_a_reason_is_cleaned() -> None:
    reason = scrubbed(Cell(f"no {Path.home()}/x", measured=False))
    assert reason.value == "no ~/x"
    assert scrubbed(Cell("error", notes=("absent: x",))).notes == ("absent: x",)


def test_the_committed_evidence_names_no_folder_of_a_machine() -> None:
    found = file.read(COMMITTED)
    texts = [frame.text for cells in found.cells.values() for cell in cells.values() for frame in cell.frames]
    assert texts
    assert not [text for text in texts if re.search(r"(?<![\w~.])/(home|root|Users|work)/", text)]
