from __future__ import annotations

from chaos import schedule, workload
from sdk_matrix.contract import Sleep, steps_of


def test_the_same_seed_gives_the_same_workload_and_strike() -> None:
    assert workload.jobs(7, each=3) == workload.jobs(7, each=3)
    assert workload.jobs(7, each=3) != workload.jobs(8, each=3)
    assert schedule.draw("kill", ["e1", "e2"], 7) == schedule.draw("kill", ["e1", "e2"], 7)


def test_every_executor_is_struck_by_some_seed() -> None:
    labels = ["e1", "e2", "e3"]
    strikes = [schedule.draw("kill", labels, seed) for seed in range(40)]
    assert {strike.victim for strike in strikes} == set(labels)
    assert all(schedule.LEAST_STEPS <= strike.steps <= schedule.MOST_STEPS for strike in strikes)


def test_a_workload_has_each_kind_as_often_and_unique_ids() -> None:
    jobs = workload.jobs(1, each=3)
    assert sorted(job.kind for job in jobs) == sorted(workload.KINDS * 3)
    rows = list(workload.expectations(jobs))
    ids = [row["workflow"] for row in rows]
    assert len(ids) == len(set(ids)) == 15  # three of them are children
    assert {row["workflow"]: row.get("parent") for row in rows}["wf-child-0-child"] == "wf-child-0"
    assert all(len(row["steps"]) == len(set(row["steps"])) for row in rows)


def test_queued_ones_go_through_the_queue_and_sleepers_outlast_the_fast_grace() -> None:
    for job in workload.jobs(1, each=2):
        assert (job.start.queue == workload.QUEUE.name) == (job.kind == "queued")
        sleeps = [each.duration_s for each in job.start.instructions if isinstance(each, Sleep)]
        assert (sleeps == [workload.SLEEP_S]) == (job.kind == "sleeping")
    assert workload.SLEEP_S > 2


def test_a_strike_finds_work_left_on_a_worker() -> None:
    """The victim has its direct workflows and one queued one in hand."""
    for seed in range(20):
        jobs = workload.jobs(seed, each=2)
        rows = [row for row in workload.expectations(jobs) if row["kind"] != "queued"]
        assert sum(len(row["steps"]) for row in rows) > schedule.MOST_STEPS
        assert all(steps_of(job.start.instructions) for job in jobs)
