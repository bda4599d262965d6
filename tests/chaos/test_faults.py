from __future__ import annotations

import ast
from pathlib import Path

import pytest

from chaos import faults, table
from chaos.errors import FaultRefused, UnknownFault, UnknownVictim
from chaos.faults import kill_all
from chaos.processes import ProcessRuntime
from chaos.site import Site
from conductor.timing import FAST
from scenarios.schedule import KINDS, FaultAt
from tests.chaos.support import fleet, recorder


def site(folder: Path, store: str = "sqlite") -> Site:
    made = recorder()
    return Site((fleet("ws://127.0.0.1:1", ProcessRuntime(), folder, made),), made, FAST, 1.0, store=store)


def test_every_file_registers_the_fault_of_its_name() -> None:
    files = set(Path(faults.__file__).parent.glob("[a-z]*.py"))
    registered = {entry.name for entry in faults.entries() if entry.act.__module__.startswith("chaos.faults.")}
    assert registered == {path.stem.replace("_", "-") for path in files} <= set(KINDS)


def test_every_fault_says_what_it_is() -> None:
    for path in Path(faults.__file__).parent.glob("*.py"):
        assert ast.get_docstring(ast.parse(path.read_text())), path


def test_sqlite_has_no_fault_that_stops_a_process_or_breaks_a_server() -> None:
    on_sqlite = set(faults.names("process", "sqlite"))
    assert {"kill", "stop", "restart", "kill-all", "kill-after-ack", "kill-at-step", "upgrade"} <= on_sqlite
    assert not on_sqlite & {"pause", "starve", "freeze", "db-restart", "db-cut"}
    assert on_sqlite < set(faults.names("process", "postgresql"))


async def test_an_unknown_fault_is_named_with_the_known(tmp_path: Path) -> None:
    with pytest.raises(UnknownFault, match="duplicate-recovery, kill"):
        faults.check("melt", "process", "sqlite")


async def test_a_fault_that_sqlite_lacks_is_refused_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(FaultRefused, match="write lock"):
        await faults.apply(FaultAt("pause", 0.0, "e1"), site(tmp_path))


async def test_a_fault_of_another_runtime_is_refused_with_its_name() -> None:
    with pytest.raises(FaultRefused, match="process runtime can"):
        faults.check("loss", "nowhere", "postgresql")


async def test_a_victim_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownVictim, match="e9"):
        await faults.apply(FaultAt("kill", 0.0, "e9"), site(tmp_path))


async def test_a_relay_that_is_not_the_runs_own_is_not_broken(tmp_path: Path) -> None:
    with pytest.raises(FaultRefused, match="may not stop the relay"):
        await faults.apply(FaultAt("relay-kill", 0.0, "relay"), site(tmp_path))


class Life:
    """A worker that only can be killed."""

    executor = "id"

    def __init__(self, label: str) -> None:
        self.label = label
        self.alive = True

    def kill(self) -> None:
        self.alive = False


async def test_kill_all_waits_for_whoever_is_still_dialling_and_spares_whom_no_relay_knows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = site(tmp_path)
    here.healing.set()  # nothing is held
    (team,) = here.fleets
    lives = {name: Life(name) for name in ("known", "late", "stranger")}
    team.lives.update(lives)  # type: ignore[arg-type]  # no whole worker is needed
    looks: list[str] = []

    def known(label: str) -> bool:
        looks.append(label)
        return label == "known" or (label == "late" and looks.count("late") > 2)

    relaunched: list[str] = []

    async def relaunch(slot: str, *, version: str | None = None) -> None:
        relaunched.append(slot)

    monkeypatch.setattr(kill_all, "_KNOWN_S", 0.2)
    monkeypatch.setattr(team.tap, "known", known)
    monkeypatch.setattr(team, "relaunch", relaunch)
    await faults.apply(FaultAt("kill-all", 0.0, "all"), here)
    assert {name: life.alive for name, life in lives.items()} == {"known": False, "late": False, "stranger": True}
    assert relaunched == ["known", "late"]


def test_the_table_of_faults_is_what_is_registered() -> None:
    made = table.markdown()
    assert Path("docs/faults.md").read_text(encoding="utf-8") == made
    assert all(f"| `{name}` |" in made for name in KINDS)
