"""The benchmark's statistics, its judgement of noise, its table, and one short run of both servers."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import threading
import time
from pathlib import Path

import msgspec
import pytest

from load.bench import accept, dispatch, memory, proc, rounds, samples, syscalls, table
from load.bench.client import masked
from load.bench.errors import BenchError
from load.bench.measures import Measure
from load.bench.rounds import Verdict
from load.bench.samples import Sample
from load.bench.stage import AGAIN, REFERENCE, RELAY, Pins, Side, stage
from relayproof.cli import run
from relayproof.commands.bench import FAILED, PASSED, TOO_NOISY


async def nothing_taken(side: Side, pinned: Pins, round_: int) -> Sample:
    raise AssertionError("these tests bring their samples with them")


MEASURE = Measure("dispatch", "dispatch, 7 executors", "CPU us/op", 1.5, nothing_taken)


def taken(reference: list[float], relay: list[float], again: list[float]) -> list[Sample]:
    sides = ((REFERENCE, reference), (RELAY, relay), (AGAIN, again))
    return [
        Sample("dispatch", side.name, at, value, 1000.0 * at, {"frames": 1.0})
        for side, values in sides
        for at, value in enumerate(values, 1)
    ]


def test_rounds_go_forth_and_back_so_that_a_drift_hits_all_sides() -> None:
    order = [side.name for _, side in rounds.order(4)]
    names = [side.name for side in rounds.SIDES]
    assert order == [*names, *reversed(names), *names, *reversed(names)]
    assert [round_ for round_, _ in rounds.order(2)] == [1, 1, 1, 2, 2, 2]


def test_ratios_are_of_medians_and_an_outlier_moves_neither() -> None:
    outcome = rounds.outcome(MEASURE, taken([10, 10, 90], [14, 13, 99], [10, 11, 10]))
    lines = {line.side: line for line in outcome.lines}
    relay = lines[RELAY.name]
    assert (relay.median, relay.lowest, relay.highest) == (14, 13, 99)
    assert relay.ratio == pytest.approx(1.4)
    assert relay.rate == 2000.0 and relay.counts == {"frames": 1.0}
    assert outcome.rounds == 3 and outcome.verdict is Verdict.REACHED


@pytest.mark.parametrize(
    ("relay", "again", "verdict"),
    [
        (15.0, 11.4, Verdict.REACHED),
        (15.1, 8.6, Verdict.MISSED),
        (10.0, 11.6, Verdict.TOO_NOISY),
        (10.0, 8.4, Verdict.TOO_NOISY),
        (99.0, 11.6, Verdict.TOO_NOISY),
    ],
)
def test_a_reference_that_differs_from_itself_by_more_than_15_percent_judges_nobody(
    relay: float, again: float, verdict: Verdict
) -> None:
    assert rounds.outcome(MEASURE, taken([10.0], [relay], [again])).verdict is verdict


def test_samples_of_another_measure_are_left_out() -> None:
    mine = taken([10], [12], [10])
    other = [msgspec.structs.replace(sample, measure="accept", value=1000.0) for sample in mine]
    assert rounds.outcome(MEASURE, [*mine, *other]) == rounds.outcome(MEASURE, mine)


def test_the_table_names_sides_goal_and_verdict() -> None:
    text = "\n".join(table.table(rounds.outcome(MEASURE, taken([10, 12], [14, 18], [11, 11]))))
    assert re.search(r"dispatch, 7 executors, 2 rounds +CPU us/op \(min-max\) +x reference +goal", text)
    assert re.search(r"bare picows \+ uvloop +11\.0 \(10\.0-12\.0\) +1\.00 +- +1,500", text)
    assert re.search(r"again \(A/A\) +11\.0 \(11\.0-11\.0\) +1\.00 +0\.85-1\.15", text)
    assert re.search(r"relay +16\.0 \(14\.0-18\.0\) +1\.45 +<= 1\.5 +1,500 +ok", text)
    assert "frames: relay 1.00, reference 1.00" in text
    noisy = "\n".join(table.table(rounds.outcome(MEASURE, taken([10], [14], [20]))))
    assert "too noisy to judge" in noisy and " ok" not in noisy and "missed" not in noisy


def test_the_header_says_what_ran_where() -> None:
    head = "\n".join(table.header(Pins(0, 1)))
    for word in ("server on cpu 0, client on cpu 1", "uvloop", "picows", "compression off", "malloc", "CPython"):
        assert word in head
    assert "unpinned" in "\n".join(table.header(Pins()))


def test_the_report_says_where_system_calls_were_not_counted() -> None:
    report = table.text([], [], {"relay": 2.013, "reference": None})
    assert "relay 2.01, reference not counted" in report


def test_samples_come_back_from_their_file(tmp_path: Path) -> None:
    some = taken([1.5], [2.5], [3.5])
    samples.write(some, tmp_path / "samples.jsonl")
    assert samples.read(tmp_path / "samples.jsonl") == some


def test_straces_calls_are_summed_without_its_own_total() -> None:
    summary = (
        "    calls syscall\n--------- ----------\n     5432 write\n     5400 read\n--------- ----\n    10832 total\n"
    )
    assert syscalls.total_calls(summary) == 10832


def test_client_frames_are_masked_and_whole() -> None:
    assert masked(1, b"hi") == b"\x81\x82\0\0\0\0hi"
    long = masked(1, b"x" * 300)
    assert long[:4] == b"\x81\xfe\x01\x2c" and len(long) == 8 + 300


def test_cpu_is_what_all_threads_used() -> None:
    done = threading.Event()

    def busy() -> None:
        end_s = time.thread_time() + 0.1
        while time.thread_time() < end_s:
            pass
        done.set()
        leave.wait()

    leave = threading.Event()
    began_ns = proc.cpu_ns(os.getpid())
    threads = [threading.Thread(target=busy), threading.Thread(target=leave.wait)]
    for thread in threads:
        thread.start()
    assert done.wait(30)
    used_ns = proc.cpu_ns(os.getpid()) - began_ns
    leave.set()
    for thread in threads:
        thread.join()
    assert 0.09e9 < used_ns < 1e9


def test_a_process_that_is_gone_is_said_so() -> None:
    with pytest.raises(BenchError, match="no scheduler statistics"):
        proc.cpu_ns(2**22 + 1)


def test_a_server_that_ends_is_named_with_its_last_words() -> None:
    async def started() -> None:
        async with stage(Side("none", "load.floors.none", "/"), Pins()):
            raise AssertionError("there is no such server")

    with pytest.raises(BenchError, match=r"the server ended at its start: .*No module named load\.floors\.none"):
        asyncio.run(started())


@pytest.mark.slow
def test_a_short_run_measures_both_sides(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("picows")
    code = run(["bench", "--short", "--executors", "5", "--rounds", "1", "--results", str(tmp_path)])
    assert code in (PASSED, TOO_NOISY)
    (folder,) = tmp_path.iterdir()
    taken_now = samples.read(folder / "samples.jsonl")
    assert {(sample.measure, sample.side) for sample in taken_now} == {
        (measure, side.name) for measure in ("dispatch", "accept", "memory") for side in rounds.SIDES
    }
    assert all(sample.value > 0 for sample in taken_now)
    frames = [sample.counts[name] for sample in taken_now for name in sample.counts if name.startswith("frames")]
    assert frames == [pytest.approx(1.0, abs=0.001)] * 6
    shown = capsys.readouterr().out
    assert (folder / "table.txt").read_text() in shown
    if shutil.which("strace"):
        assert "system calls per dispatch" in shown


def test_a_missed_goal_fails_a_strict_run_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def given(measure: Measure, times: int, pinned: Pins, tell: object) -> list[Sample]:
        return [msgspec.structs.replace(sample, measure=measure.name) for sample in taken([10], [90], [10])]

    async def uncounted(*_: object, **__: object) -> None:
        return None

    monkeypatch.setattr(rounds, "run", given)
    monkeypatch.setattr(syscalls, "per_dispatch", uncounted)
    arguments = ["bench", "--rounds", "1", "--results", str(tmp_path)]
    assert run(arguments) == PASSED
    assert run([*arguments, "--strict"]) == FAILED


@pytest.mark.parametrize("option", ["--executors", "--rounds"])
def test_nothing_to_measure_is_wrong_usage(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", option, "0"]) == 64
    assert f"{option} 0: give 1 or more" in capsys.readouterr().err


def test_the_goals_are_those_of_the_documentation() -> None:
    assert (dispatch.GOAL, accept.GOAL, memory.GOAL) == (1.5, 2.5, 0.8)
