"""What must hold of every defect, looked at without running any."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

import broken_relays
from broken_relays import Defect, DefectError, defects
from broken_relays.defect import REGISTERED, REPLACEABLE, defect
from reference_relay.core.core import Core
from reference_relay.server.gate import Gate
from spec import claimed_clauses, clauses, faults

ALL = broken_relays.all_defects()


def modules() -> list[str]:
    return [
        module.name
        for module in pkgutil.walk_packages(defects.__path__, prefix=f"{defects.__name__}.")
        if not module.ispkg
    ]


@pytest.mark.parametrize("module", modules())
def test_a_file_registers_the_one_defect_that_it_is_named_after(module: str) -> None:
    importlib.import_module(module)
    registered = [each.name for each in ALL if each.replacement.__module__ == module]
    assert registered == [module.rpartition(".")[2].replace("_", "-")]


@pytest.mark.parametrize("broken", ALL, ids=lambda each: each.name)
def test_a_defect_overrides_something_of_the_part_that_it_replaces(broken: Defect) -> None:
    base = REPLACEABLE[broken.part]
    own = {name for name, value in vars(broken.replacement).items() if callable(value)}
    assert {name for name in own if getattr(base, name, None) is not None}
    assert broken.parts != type(broken.parts)()


@pytest.mark.parametrize("broken", ALL, ids=lambda each: each.name)
def test_a_defect_names_clauses_of_the_contract_and_says_what_it_does(broken: Defect) -> None:
    assert set(broken.clauses) <= set(clauses())
    assert all(clauses()[clause].level != "INFO" for clause in broken.clauses)
    assert broken.summary and not broken.summary.endswith(".")
    assert importlib.import_module(broken.replacement.__module__).__doc__
    assert set(broken.faults) <= set(faults())


def test_every_claimed_must_is_broken_by_a_defect() -> None:
    broken = {clause for each in ALL for clause in each.clauses}
    musts = {clause.id for clause in claimed_clauses() if clause.level == "MUST"}
    assert musts <= broken


def test_every_kind_of_fault_that_scenarios_show_and_a_relay_can_have_has_a_defect() -> None:
    others = {
        14,  # a matter of the SDK: its shutdown writes the end
        17,  # a matter of the SDK: its paused copy writes the end
        46,  # a matter of how many there are: the crowd scenarios have it, no single method does
        61,  # a matter of the SDK that is asked
    }
    shown = {number for number, fault in faults().items() if fault.scenarios}
    assert shown - {number for each in ALL for number in each.faults} <= others


def test_a_name_that_is_nearly_right_is_told() -> None:
    with pytest.raises(DefectError, match="did you mean never-pings"):
        broken_relays.find("never-ping")


def test_a_glob_that_matches_nothing_is_an_error() -> None:
    with pytest.raises(DefectError, match="no-such-\\*"):
        broken_relays.select("no-such-*")


def test_a_glob_takes_names_and_clauses() -> None:
    assert {each.name for each in broken_relays.select("never-p*")} >= {"never-pings", "never-pongs"}
    assert {each.name for each in broken_relays.select("LIV-1")} >= {"never-pings", "pings-rarely"}


@pytest.mark.parametrize(
    ("options", "base", "message"),
    [
        ({"name": "Bad Name", "clauses": ("LIV-1",), "where": "core"}, Core, "lower-case words"),
        ({"name": "no-clause", "clauses": (), "where": "core"}, Core, "at least one clause"),
        ({"name": "text-clause", "clauses": "LIV-1", "where": "core"}, Core, "must be a tuple"),
        ({"name": "wrong-place", "clauses": ("LIV-1",), "where": "server"}, Core, "does not fit"),
        ({"name": "wrong-place", "clauses": ("CON-1",), "where": "core"}, Gate, "does not fit"),
        ({"name": "no-part", "clauses": ("CON-1",), "where": "server"}, object, "replaces nothing"),
        ({"name": "never-pings", "clauses": ("LIV-1",), "where": "core"}, Core, "declared twice"),
    ],
)
def test_a_defect_that_makes_no_sense_is_refused(options: dict[str, object], base: type, message: str) -> None:
    before = dict(REGISTERED)
    with pytest.raises(DefectError, match=message):
        defect(summary="a test", **options)(type("Broken", (base,), {}))  # type: ignore[arg-type]
    assert before == REGISTERED
