"""Writes evidence/testdata/outcomes: one small history for each kind of finding about outcomes.

python -m tests.chaos.recorded_outcomes
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import evidence
from evidence import events
from evidence.cases import Case, Change, Checkpoint, Execution, Promise, record
from evidence.history import Recorder
from evidence.outcomes import LAUNCHED
from evidence.verdict import Verdict

FOLDER = Path(evidence.__file__).parent / "testdata" / "outcomes"
EXPECTED = FOLDER / "expected.json"
TIMING = {
    "i": 2.0, "w": 10.0, "g": 5.0, "scan": 0.5, "slack": 1.0, "handshake": 10.0, "request": 10.0, "recovery": 10.0,
    "backoff": 0.5, "backoff_cap": 4.0, "redial": 1.0,
}  # fmt: skip
RULES = {
    "OUT-1": "cases_end", "OUT-2": "cases_end_once", "OUT-3": "steps_once", "OUT-5": "zombies_change_nothing",
    "REC-1": "dead_are_recovered", "REC-2": "right_recoverer", "REC-3": "right_recoverer", "REC-23": "right_recoverer",
    "AUD-1": "adoption_audited", "REC-6": "dead_records_go",
}  # fmt: skip
PROMISE = Promise("plain", "SUCCESS", "[1]", ("a", "b"))


@dataclass
class Story:
    """e1 dies with workflow w in hand, e2 is asked to recover it and ends it; each test changes one thing of that."""

    clauses: tuple[str, ...] = ("OUT-1", "OUT-2", "OUT-3")
    changes: Sequence[Change] = ()
    checkpoints: Sequence[Checkpoint] = ()
    executions: Sequence[Execution] = ()
    promise: Promise | None = PROMISE
    fault: str = "kill"
    recovered: bool = True
    stranger: bool = False  # e1 never told the relay who it is
    acknowledged: bool = True
    audited: bool = True
    outage: bool = False  # of the database, while the workflow is under way
    dies_later: bool = False  # e1 is killed when all is over
    times: int = 1  # so many workflows alike
    shows: Sequence[str] | None = None  # whom the relay's list shows at the end; None: it was never asked for
    watched_s: float = 20.0  # from the evidence to that list
    left: bool | None = None  # what e2 says when it is asked whether e1 still has work
    back: bool = False  # the relay comes back at the end
    peer: Mapping[str, str] = field(default_factory=dict)

    def write(self, path: Path) -> None:
        clock = iter(range(0, 10**12, 10**8))
        made = Recorder(path, clock=lambda: next(clock))
        made.header(
            scenario="OUT-1/recorded", title=path.stem, clauses=self.clauses, world="chaos", relay="recorded",
            profile_digest="", timing=TIMING, capabilities={}, names={"recovery": "recovery"}, seed=1, started="",
            tool="relayproof",
        )  # fmt: skip
        made.add(events.App, org="org", app="app", grace_s=5.0)
        for number, label in enumerate(("e1", "e2")):
            about = {"language": "python", "sdk": "2.31.1", "app": "app", "version": "v1"}
            about |= self.peer if label == "e2" else {}
            detail = {"label": label, "executor": f"id-{label}", **about}
            detail |= {"wall_us": "-1500000"} if self.outage else {}
            detail |= {"wall_us": "0"} if self.dies_later else {}
            made.add(events.Note, text=LAUNCHED, detail=detail)
            made.add(
                events.Open, conn=number, org="org", app=about["app"], executor=f"id-{label}", version=about["version"]
            )
            made.add(events.Upgraded, conn=number)
            if self.stranger and label == "e1":
                continue
            self._says(made, number, "relay", type="executor_info", request_id=f"info-{number}")
            self._says(
                made, number, "executor", type="executor_info", request_id=f"info-{number}", executor_id=f"id-{label}"
            )
        if self.fault:
            made.add(events.Fault, kind=self.fault, conn=0, executor="id-e1")
            made.add(events.Closed, conn=0, by="executor", how="kill")
        if self.outage:
            made.add(events.Fault, kind="db-restart", conn=-1, executor="database")
        if self.recovered:
            self._says(made, 1, "relay", type="recovery", request_id="r1", executor_ids=["id-e1"])
            self._says(made, 1, "executor", type="recovery", request_id="r1", success=self.acknowledged)
        if self.left is not None:
            asked = {"type": "exist_pending_workflows", "request_id": "p1"}
            self._says(made, 1, "relay", **asked, executor_id="id-e1", application_version="v1")
            self._says(made, 1, "executor", **asked, exist=self.left)
        for clause in self.clauses:
            made.add(events.Expect, clause=clause, rule=RULES[clause])
        record(made, [self._case(number) for number in range(1, self.times + 1)])
        entries = ({"operation": "recovery", "dead": "id-e1", "peer": "id-e2"},) if self.audited else ()
        for _ in range(60):  # the log is read well after what it must hold
            made.add(events.Note, text="waiting")
        if self.dies_later:
            made.add(events.Fault, kind="kill", conn=0, executor="id-e1")
        if self.shows is not None:
            self._list(made, clock)
        made.add(events.AuditPage, org="org", asked=next(clock), entries=entries)
        made.close("complete")

    def _list(self, made: Recorder, clock: Iterator[int]) -> None:
        for _ in range(int(10 * self.watched_s)):
            made.add(events.Note, text="waiting")
        if self.back:
            made.add(events.Relay, what="ready")
        asked = next(clock)
        seen = tuple(events.Seen(each, "HEALTHY" if each == "id-e2" else "DEAD") for each in self.shows or ())
        made.add(events.Poll, org="org", app="app", asked=asked, executors=seen)

    def _case(self, number: int) -> Case:
        workflow = f"w-{number}"
        return Case(
            workflow, "app", self.promise, tuple(self.changes or taken_over()), tuple(self.checkpoints or saved()),
            tuple(self.executions or executed()),
        )  # fmt: skip

    @staticmethod
    def _says(made: Recorder, conn: int, by: str, **message: object) -> None:
        made.add(events.Frame, conn=conn, by=by, op="text", data=json.dumps(message))


def insert(seq: int = 1) -> Change:
    return Change(seq, seq * 1000, "insert", new="PENDING", new_executor="id-e1", attempts=1, version="v1", xid=seq)


def change(seq: int, old: str, new: str, owners: tuple[str, str] = ("id-e1", "id-e1"), **more: object) -> Change:
    fields: dict[str, object] = {"attempts": 1, "version": "v1", "xid": seq, "xmin": seq} | more
    return Change(seq, seq * 1000, "update", old, new, *owners, **fields)  # type: ignore[arg-type]


def orphaned() -> list[Change]:
    return [
        insert(),
        change(4, "PENDING", "ENQUEUED"),
        change(5, "ENQUEUED", "PENDING", ("id-e1", "id-e2"), attempts=2),
    ]


def taken_over() -> list[Change]:
    end = change(9, "PENDING", "SUCCESS", ("id-e2", "id-e2"), attempts=2, changed=True, output="[1]")
    return [*orphaned(), end]


def saved() -> list[Checkpoint]:
    return [Checkpoint(3, 3000, "a", 3), Checkpoint(8, 8000, "b", 8)]


def executed() -> list[Execution]:
    return [
        Execution("e1", "a", 1, 1500, 2500),
        Execution("e1", "b", 1, 3500),
        Execution("e2", "b", 1, 6000, 7000),
    ]


def ending(*more: Change) -> list[Change]:
    return [*taken_over(), *more]


TEN = 12

STORIES: Mapping[str, tuple[Story, Mapping[str, Verdict]]] = {
    "recovered": (Story((*RULES,)[:3]), {"OUT-1": Verdict.OK, "OUT-2": Verdict.OK, "OUT-3": Verdict.OK}),
    "lost-workflow": (Story(("OUT-1",), orphaned()), {"OUT-1": Verdict.FAILED}),
    "never-recovered": (
        Story(("OUT-1", "REC-1"), [insert()], recovered=False), {"OUT-1": Verdict.FAILED, "REC-1": Verdict.FAILED},
    ),
    "double-outcome": (
        Story(("OUT-2",), ending(change(10, "SUCCESS", "PENDING"), change(11, "PENDING", "SUCCESS", output="[1]"))),
        {"OUT-2": Verdict.FAILED},
    ),
    "rewritten-output": (
        Story(("OUT-2",), ending(change(10, "SUCCESS", "SUCCESS", output="[2]", changed=True))),
        {"OUT-2": Verdict.FAILED},
    ),
    "deleted-outcome": (
        Story(("OUT-2",), ending(Change(10, 10_000, "delete", "SUCCESS", "", "id-e2"))), {"OUT-2": Verdict.FAILED},
    ),
    "other-outcome": (
        Story(("OUT-2",), [*orphaned(), change(9, "PENDING", "ERROR", ("id-e2", "id-e2"), error="boom")]),
        {"OUT-2": Verdict.FAILED},
    ),
    "outcome-in-its-own-table": (
        Story(
            ("OUT-2",),
            [
                *orphaned(),
                Change(9, 9000, "outcome", output="[1]", xid=9),
                change(10, "PENDING", "SUCCESS", ("id-e2", "id-e2"), xid=9),
            ],
        ),
        {"OUT-2": Verdict.OK},
    ),
    "outcome-in-its-own-table-rewritten": (
        Story(
            ("OUT-2",),
            [
                *orphaned(),
                Change(9, 9000, "outcome", output="[1]", xid=9),
                change(10, "PENDING", "SUCCESS", ("id-e2", "id-e2"), xid=9),
                Change(11, 11_000, "outcome", output="[2]", changed=True, xid=11),
            ],
        ),
        {"OUT-2": Verdict.FAILED},
    ),
    "step-run-again-after-its-checkpoint": (
        Story(("OUT-3",), executions=[*executed(), Execution("e2", "a", 1, 6500, 6600)]), {"OUT-3": Verdict.FAILED},
    ),
    "step-run-again-by-an-older-claimant": (
        Story(
            ("OUT-3",),
            [insert(), change(2, "PENDING", "ENQUEUED"),
             change(3, "ENQUEUED", "PENDING", ("id-e1", "id-e2"), attempts=2),
             change(9, "PENDING", "SUCCESS", ("id-e2", "id-e2"), attempts=2, output="[1]")],
            checkpoints=[Checkpoint(4, 4000, "a", 4), Checkpoint(8, 8000, "b", 8)],
            executions=[*executed(), Execution("e2", "a", 1, 4500, 4600)],
        ),
        {"OUT-3": Verdict.OK},
    ),
    "step-run-again-by-a-second-recoverer-of-a-queued-row": (
        Story(
            ("OUT-3",),
            [insert(), change(2, "PENDING", "ENQUEUED"), change(3, "ENQUEUED", "ENQUEUED", ("id-e1", "id-e2")),
             change(9, "ENQUEUED", "SUCCESS", ("id-e2", "id-e2"), attempts=2, output="[1]")],
            checkpoints=[Checkpoint(4, 4000, "a", 4), Checkpoint(8, 8000, "b", 8)],
            executions=[*executed(), Execution("e2", "a", 1, 4500, 4600)],
        ),
        {"OUT-3": Verdict.OK},
    ),
    "step-checkpoint-not-yet-visible": (
        Story(
            ("OUT-3",),
            [insert(), change(4, "PENDING", "ENQUEUED"),
             change(5, "ENQUEUED", "PENDING", ("id-e1", "id-e2"), attempts=2, xmin=3),
             change(9, "PENDING", "SUCCESS", ("id-e2", "id-e2"), attempts=2, output="[1]")],
            executions=[*executed(), Execution("e2", "a", 1, 6500, 6600)],
        ),
        {"OUT-3": Verdict.OK},
    ),
    "step-never-executed": (Story(("OUT-3",), executions=executed()[:1]), {"OUT-3": Verdict.FAILED}),
    "step-checkpoint-written-over": (
        Story(("OUT-3",), checkpoints=[*saved(), Checkpoint(10, 10_000, "a", 10, "", True)]), {"OUT-3": Verdict.FAILED},
    ),
    "wrong-version": (Story(("REC-2",), peer={"version": "v2"}), {"REC-2": Verdict.FAILED}),
    "wrong-language": (Story(("REC-23",), peer={"language": "go"}), {"REC-23": Verdict.NON_STRICT}),
    "recovery-across-applications": (Story(("REC-3",), peer={"app": "other"}), {"REC-3": Verdict.FAILED}),
    "missing-audit-entry": (Story(("AUD-1",), audited=False), {"AUD-1": Verdict.FAILED}),
    "audited": (Story(("AUD-1",)), {"AUD-1": Verdict.OK}),
    "zombie-changes-nothing": (Story(("OUT-5",), fault="pause"), {"OUT-5": Verdict.OK}),
    "zombie-writes": (
        Story(
            ("OUT-5", "OUT-2"),
            ending(change(10, "SUCCESS", "SUCCESS", ("id-e2", "id-e1"), output="[2]", changed=True)),
            fault="pause",
        ),
        {"OUT-5": Verdict.FAILED, "OUT-2": Verdict.FAILED},
    ),
    "zombie-that-dies-later": (Story(("OUT-5",), fault="pause", dies_later=True), {"OUT-5": Verdict.OK}),
    "zombie-writes-under-its-adopters-name": (
        Story(
            ("OUT-5", "OUT-2"),
            ending(change(10, "SUCCESS", "SUCCESS", ("id-e2", "id-e2"), output="[2]", changed=True)),
            fault="pause",
        ),
        {"OUT-5": Verdict.FAILED, "OUT-2": Verdict.FAILED},
    ),
    "cut-off-executor-writes-late": (
        Story(
            ("OUT-2",),
            ending(change(10, "SUCCESS", "SUCCESS", ("id-e2", "id-e2"), output="[2]", changed=True)),
            fault="disconnect",
        ),
        {"OUT-2": Verdict.FAILED},
    ),
    "acknowledged-without-effect": (Story(("OUT-1",), [insert()]), {"OUT-1": Verdict.FAILED}),
    "acknowledged-without-effect-often": (Story(("OUT-1",), [insert()], times=TEN), {"OUT-1": Verdict.NON_STRICT}),
    "taken-back-and-stranded": (
        Story(
            ("OUT-1",), [*orphaned(), change(6, "PENDING", "PENDING", ("id-e2", "id-e1"), attempts=2)], times=TEN,
        ),
        {"OUT-1": Verdict.FAILED},
    ),
    "shutdown-writes-an-end": (
        Story(("OUT-2",), [insert(), change(2, "PENDING", "CANCELLED")], fault="stop"), {"OUT-2": Verdict.INFO},
    ),
    "database-outage-ends-work": (
        Story(("OUT-2",), [*orphaned(), change(9, "PENDING", "ERROR", ("id-e2", "id-e2"), error="EOF")], outage=True),
        {"OUT-2": Verdict.INFO},
    ),
    "record-gone": (Story(("REC-6",), shows=["id-e2"]), {"REC-6": Verdict.OK}),
    "record-stays": (Story(("REC-6",), shows=["id-e1", "id-e2"]), {"REC-6": Verdict.FAILED}),
    "record-stays-while-work-is-left": (
        Story(("REC-6",), [insert()], shows=["id-e1", "id-e2"], left=True), {"REC-6": Verdict.OK},
    ),
    "nobody-was-struck": (
        Story(("OUT-1",), fault="", recovered=False), {"OUT-1": Verdict.VACUOUS},
    ),
    "the-blow-hit-no-work": (
        Story(("OUT-1",), [insert(), change(9, "PENDING", "SUCCESS", output="[1]")], recovered=False),
        {"OUT-1": Verdict.VACUOUS},
    ),
    "no-workflow": (Story(("OUT-1",), times=0), {"OUT-1": Verdict.VACUOUS}),
}  # fmt: skip


def main(write: Callable[[str], object] = print) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, (story, _) in STORIES.items():
        story.write(FOLDER / f"{name}.jsonl")
    expected = {name: {clause: str(each) for clause, each in wanted.items()} for name, (_, wanted) in STORIES.items()}
    EXPECTED.write_text(json.dumps(expected, indent=2) + "\n")
    write(f"{len(STORIES)} histories in {FOLDER.name}")


if __name__ == "__main__":
    main()
