from __future__ import annotations

from pathlib import Path

import pytest

from chaos import faults
from chaos.errors import FaultRefused, UnknownFault
from chaos.processes import ProcessRuntime
from tests.chaos.support import fleet, recorder


def test_every_file_registers_the_fault_of_its_name() -> None:
    files = {path.stem.replace("_", "-") for path in Path(faults.__file__).parent.glob("*.py")} - {"--init--"}
    assert set(faults.names()) == files == {"duplicate-recovery", "kill", "kill-after-ack", "stop"}


async def test_an_unknown_fault_is_named_with_the_known(tmp_path: Path) -> None:
    with pytest.raises(UnknownFault, match="duplicate-recovery, kill"):
        await faults.apply("melt", fleet("ws://127.0.0.1:1", ProcessRuntime(), tmp_path, recorder()), "e1")


async def test_a_fault_that_the_runtime_lacks_is_refused_with_the_reason(tmp_path: Path) -> None:
    runtime = ProcessRuntime()
    runtime.faults = ("stop",)
    with pytest.raises(FaultRefused, match="write lock"):
        await faults.apply("kill", fleet("ws://127.0.0.1:1", runtime, tmp_path, recorder()), "e1")
