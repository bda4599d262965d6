"""The catalogue's own rules: ids, variants, selection, and that every file of it is imported."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from scenarios import catalogue
from scenarios.catalogue import Scenario, scenario, select
from scenarios.errors import CatalogueError, SelectionError
from scenarios.profile import CAPABILITIES
from scenarios.world import World
from spec import clauses


async def nothing(world: World) -> None:
    """Nothing."""


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    catalogue.all()
    before = dict(catalogue._registered)
    yield
    catalogue._registered.clear()
    catalogue._registered.update(before)


def test_variants_are_scenarios_of_their_own() -> None:
    seen: list[object] = []

    @scenario("TST-1/kinds", clauses=("LIV-1",), title="kinds", variants={"a": 1, "b": 2})
    async def kinds(world: World, value: int) -> None:
        seen.append(value)

    for id in ("TST-1/kinds/a", "TST-1/kinds/b"):
        with pytest.raises(StopIteration):
            catalogue.find(id).run(None).send(None)
    assert seen == [1, 2]
    assert catalogue.find("TST-1/kinds/a").slug == "TST-1.kinds.a"


@pytest.mark.parametrize("id", ["LIV-1", "liv-1/x", "LIV-1/X", "LIV-1/a b", "LIV1/x"])
def test_malformed_ids_are_refused(id: str) -> None:
    with pytest.raises(CatalogueError, match="LIV-3/silent-socket"):
        scenario(id, clauses=("LIV-1",), title="t")(nothing)


def test_double_ids_and_missing_clauses_are_refused() -> None:
    scenario("TST-1/once", clauses=("LIV-1",), title="t")(nothing)
    with pytest.raises(CatalogueError, match="declared twice"):
        scenario("TST-1/once", clauses=("LIV-1",), title="another")(nothing)
    with pytest.raises(CatalogueError, match="at least one clause"):
        scenario("TST-1/none", clauses=(), title="t")
    with pytest.raises(CatalogueError, match="must be a tuple"):
        scenario("TST-1/text", clauses="LIV-1", title="t")


def test_selection_by_id_glob_clause_and_world() -> None:
    scenario("TST-1/one", clauses=("LIV-1",), title="t")(nothing)
    scenario("TST-1/two", clauses=("LIV-2",), title="t", simulated=False, variants=("x", "y"))(nothing)

    def ids(*patterns: str, **more: object) -> list[str]:
        return [each.id for each in select(patterns, **more) if each.id.startswith("TST")]  # type: ignore[arg-type]

    assert ids("TST-*") == ["TST-1/one", "TST-1/two/x", "TST-1/two/y"]
    assert ids("TST-1/two") == ["TST-1/two/x", "TST-1/two/y"]
    assert ids("LIV-2") == ["TST-1/two/x", "TST-1/two/y"]
    assert ids("TST-*", skip=["*/x"]) == ["TST-1/one", "TST-1/two/y"]
    assert ids("TST-*", world="simulated") == ["TST-1/one"]
    with pytest.raises(SelectionError, match="no scenario matches 'NOPE'"):
        select(["NOPE"])


def test_numbers_sort_as_numbers() -> None:
    ids = [each.id for each in catalogue.all()]
    assert ids.index("LIV-3/silent-socket") < next(at for at, id in enumerate(ids) if id.startswith("LIV-12/"))


def test_find_names_the_near_ones() -> None:
    with pytest.raises(SelectionError, match=r"did you mean.*LIV-3/silent-socket"):
        catalogue.find("silent-socket")


def test_every_file_of_the_catalogue_is_imported() -> None:
    entries = catalogue.all()
    root = Path(importlib.import_module("scenarios.catalogue").__path__[0])
    for path in root.rglob("*.py"):
        name = ".".join(("scenarios", "catalogue", *path.relative_to(root).with_suffix("").parts))
        assert name.removesuffix(".__init__") in sys.modules, f"{name} is in no package"
    assert entries


def test_entries_speak_of_known_clauses_and_capabilities() -> None:
    for entry in catalogue.all():
        assert isinstance(entry, Scenario)
        assert set(entry.clauses) <= set(clauses()), entry.id
        assert set(entry.needs) <= set(CAPABILITIES), entry.id
        assert entry.title and set(entry.worlds) <= {"simulated", "wire", "real", "chaos"}, entry.id
