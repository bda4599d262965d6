"""Writes evidence/testdata: one small history for each kind of verdict. ``python -m tests.evidence.recorded``."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import evidence
from evidence import events
from evidence.verdict import Verdict
from tests.evidence.evidence_play import Play

FOLDER = Path(evidence.__file__).parent / "testdata"
EXPECTED = FOLDER / "expected.json"


def death(path: Path, dead_s: float, *, jitter_s: float = 0.0) -> Play:
    """e1 is reset at 1 s; e2 is asked to recover it when it is listed DEAD, and agrees."""
    play = Play("LIV-7", path=path, scenario="LIV-7/edge", title="DEAD after the grace period")
    play.app()
    conn, peer = play.dial("e1"), play.dial("e2")
    play.polls(0.2, 1.0, 0.1, pinged=(conn, peer), e1="HEALTHY", e2="HEALTHY")
    play.add(events.Fault, kind="drop", conn=conn, executor="e1")
    after = play.at(1.0).end(conn, how="rst")
    play.polls(1.05, dead_s, 0.1, pinged=(peer,), e1="DISCONNECTED", e2="HEALTHY")
    play.at(dead_s).poll(e1="DEAD", e2="HEALTHY")
    if jitter_s:
        play.add(events.Jitter, worst=round(jitter_s * 1e9))
    ask = play.at(dead_s + 0.01).recover(peer, "e1")
    play.at(dead_s + 0.02).reply(peer, ask, success=True)
    play.at(dead_s + 0.1).poll(e2="HEALTHY")
    play.expect("LIV-7", "transition", executor="e1", to="DEAD", after=after, earliest="g", latest="g + scan + slack")
    return play


def upgrade(path: Path, status: int | None) -> Play:
    play = Play("CON-8", path=path, scenario="CON-8/status", title="A bad key is refused with 401 or 403")
    conn = play.dial("e1", upgrade=False)
    if status is not None:
        play.add(events.Refused, conn=conn, status=status)
    play.expect("CON-8", "refused", conn=conn, status=[401, 403])
    return play


def measured(path: Path) -> Play:
    play = Play("LIV-10", path=path, scenario="LIV-10/patch", title="A settings change while a grace period runs")
    play.expect("LIV-10", "value", name="applied to the running period", value=True)
    return play


def noted(path: Path, note: str, clause: str) -> Play:
    play = Play(clause, path=path, scenario=f"{clause}/noted", title="What the scenario could not show")
    play.add(events.Note, text=note, detail={"reason": "the executor never became HEALTHY"})
    return play


def idle(path: Path) -> Play:
    play = Play("REC-10", path=path, scenario="REC-10/idle", title="Nobody died")
    play.dial("e1")
    play.expect("REC-10", "sequential", executor="e1")
    return play


def confused(path: Path) -> Play:
    play = Play("LIV-7", path=path, scenario="LIV-7/confused", title="An expectation that no rule can judge")
    play.expect("LIV-7", "transition", executor="e1", to="DEAD", after=0, latest="until the cows come home")
    return play


def hasty(path: Path) -> Play:
    play = Play("HSK-1", path=path, scenario="HSK-1/first-frame", title="The first text frame is executor_info")
    conn = play.dial("e1", shake=False)
    play.recover(conn, "e9")
    play.expect("HSK-1", "first_frame", conn=conn)
    return play


HISTORIES: Mapping[str, tuple[Callable[[Path], Play], dict[str, Verdict]]] = {
    "ok": (lambda path: death(path, 3.1), {"LIV-7": Verdict.OK}),
    "early": (lambda path: death(path, 2.6), {"LIV-7": Verdict.EARLY}),
    "late": (lambda path: death(path, 3.9), {"LIV-7": Verdict.LATE}),
    "unknown": (lambda path: death(path, 2.6, jitter_s=0.8), {"LIV-7": Verdict.UNKNOWN}),
    "failed": (hasty, {"HSK-1": Verdict.FAILED, "HSK-7": Verdict.FAILED}),
    "non-strict": (lambda path: upgrade(path, 404), {"CON-8": Verdict.NON_STRICT}),
    "info": (measured, {"LIV-10": Verdict.INFO}),
    "vacuous": (idle, {"REC-10": Verdict.VACUOUS}),
    "unsupported": (lambda path: noted(path, "unsupported", "LIV-9"), {"LIV-9": Verdict.UNSUPPORTED}),
    "not-testable": (lambda path: noted(path, "prerequisite", "LIV-9"), {"LIV-9": Verdict.NOT_TESTABLE}),
    "harness-error": (confused, {"LIV-7": Verdict.HARNESS_ERROR}),
}
"""Name -> how its history is made, and the verdict of each clause."""


def write(folder: Path) -> None:
    """Write every history, one that is cut off, and the table of verdicts."""
    folder.mkdir(exist_ok=True)
    for name, (make, _) in HISTORIES.items():
        make(folder / f"{name}.jsonl").history()
    whole = (folder / "ok.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "truncated.jsonl").write_bytes(b"".join(whole[: len(whole) // 2]))
    verdicts = {name: clauses for name, (_, clauses) in HISTORIES.items()}
    (folder / EXPECTED.name).write_text(json.dumps(verdicts, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write(FOLDER)
