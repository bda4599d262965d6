"""The gate turns red where it must, and says so when it can't be trusted."""

from __future__ import annotations

import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

from relayproof import cli
from relayproof.errors import INTERRUPTED, WrongUsage
from relayproof.gate import report, running
from relayproof.gate.parts import Part, parts
from relayproof.gate.plan import Canary, Chaos, Plan, read
from relayproof.gate.running import Ended

ONE = """
[simulate]
run = false
[chaos]
run = false
[conform]
select = ["REC-7/refused/false"]
{more}
"""
NO_CANARY = '[conform.canary]\nrelay = ""\n'
GREEN_CANARY = '[conform.canary]\nrelay = "builtin:reference"\nselect = ["REC-7/refused/false"]\n'


def gate(tmp_path: Path, relay: str, more: str = "", *arguments: str) -> tuple[int, Path]:
    config = tmp_path / "gate.toml"
    config.write_text(ONE.format(more=more))
    code = cli.run(
        ["gate", "--relay", relay, "--config", str(config), "--results", str(tmp_path / "results"), *arguments]
    )
    (folder,) = [path for path in (tmp_path / "results").glob("*-gate-*") if not path.is_symlink()]
    return code, folder


def cases(folder: Path) -> dict[str, list[str]]:
    """Each case of the gate's own suite with the tags in it."""
    suites = ElementTree.parse(folder / "junit.xml").getroot()
    own = next(suite for suite in suites if suite.get("name") == "gate")
    return {str(case.get("name")): [each.tag for each in case] for case in own}


def test_a_relay_that_passes_and_a_canary_that_is_refuted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, folder = gate(tmp_path, "builtin:reference")
    assert code == 0
    assert cases(folder) == {"conform-canary": [], "conform": []}
    assert "PASS: 2 of 2 parts passed" in capsys.readouterr().out
    page = (folder / "report.html").read_text()
    link = page.partition('href="conform/')[2].partition('"')[0]
    assert (folder / "conform" / link).exists()
    assert "REC-7" in (folder / "report.md").read_text()
    assert "refuted" in page and "PASS 1 scenario" in page and "relayproof conform --relay builtin:reference" in page


def test_a_broken_relay_fails(tmp_path: Path) -> None:
    code, folder = gate(tmp_path, "builtin:broken/deletes-on-a-refusal", NO_CANARY)
    assert code == 1
    assert cases(folder) == {"conform": ["failure"]}
    cases_of = {case.get("name"): case for case in ElementTree.parse(folder / "junit.xml").iter("testcase")}
    part, scenario = ("".join(cases_of[name].itertext()) for name in ("conform", "REC-7/refused/false"))
    assert "again: relayproof conform --relay builtin:broken/deletes-on-a-refusal --world wire --seed 0" in part
    assert "again: relayproof conform --relay builtin:broken/deletes-on-a-refusal --world wire" in scenario


def test_a_canary_that_stays_green_fails_the_gate_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, folder = gate(tmp_path, "builtin:reference", GREEN_CANARY)
    assert code == 3
    assert cases(folder)["conform-canary"] == ["error"]
    assert "was not refuted" in capsys.readouterr().err


def test_a_part_that_exceeds_its_budget_is_no_pass(tmp_path: Path) -> None:
    code, folder = gate(tmp_path, "builtin:reference", NO_CANARY, "--budget", "0.2s")
    assert code == 3
    assert cases(folder) == {"conform": ["error"]}


def test_musts_that_the_profile_can_not_show_fail_or_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    profile = tmp_path / "profile.toml"
    profile.write_text('[relay]\ntarget = "builtin:reference"\napi = "none"\n[tenancy]\n')
    more = "skip = []\n" + NO_CANARY
    plan = ONE.replace("REC-7/refused/false", "MSG-cancel/*")
    config = tmp_path / "gate.toml"
    for setting, expected in (("fail", 1), ("count", 0)):
        config.write_text(f'musts_not_judged = "{setting}"\n' + plan.format(more=more))
        code = cli.run(["gate", "--relay", str(profile), "--config", str(config), "--results", str(tmp_path / setting)])
        assert code == expected, capsys.readouterr()
    assert "MUST clauses not judged" in capsys.readouterr().out


def test_what_can_not_be_run_is_left_out_and_said() -> None:
    found = {part.name: part for part in parts(Plan(), "url:http://127.0.0.1:1", own=False, docker=lambda: "no engine")}
    assert found["simulate"].command == () and "does not offer its core" in found["simulate"].note
    assert "process" in found["chaos"].command and found["chaos"].note == "DOCKER NOT PROVED: no engine"
    assert "simulate-canary" not in found


def test_a_part_without_a_canary_is_said_to_be_unguarded() -> None:
    plan = Plan(chaos=Chaos(canary=Canary("")))
    found = {part.name: part for part in parts(plan, "builtin:reference", own=True, docker=lambda: "no engine")}
    assert "chaos-canary" not in found
    assert found["chaos"].note == "DOCKER NOT PROVED: no engine; UNGUARDED: no canary shows that it can fail"


def test_the_pages_of_every_part_are_linked_and_nothing_that_is_not_proved_is_lost(tmp_path: Path) -> None:
    page = tmp_path / "chaos" / "run" / "chaos.html"
    page.parent.mkdir(parents=True)
    page.with_suffix(".md").write_text("## the chaos part's own summary")
    part = Part("chaos", ("chaos",), 9.0, note="DOCKER NOT PROVED: no engine")
    chaos = Ended(part, "failed", 1, 3.0, "FAIL 2 of 9 | here", page, None, ("LIV-9",))
    left = Ended(Part("simulate", (), 0.0, note="it has no core"), "left out", None, 0.0)
    report.write([chaos, left], 1, "cmd:relay", tmp_path, [])
    html, markdown = ((tmp_path / name).read_text() for name in ("report.html", "report.md"))
    for text in (html, markdown):
        for said in ("FAIL 2 of 9", part.note, "1 MUST clauses not judged: LIV-9", "it has no core"):
            assert said in text
    assert 'href="chaos/run/chaos.html"' in html and "the chaos part's own summary" in markdown


def test_ctrl_c_leaves_reports_about_what_had_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What waits for the second part is interrupted, as by a terminal, once the first is over."""
    waited = running._wait
    calls: list[float] = []

    def interrupted(process: subprocess.Popen[bytes], budget_s: float) -> tuple[int, bool]:
        calls.append(budget_s)
        if len(calls) < 2:
            return waited(process, budget_s)
        process.kill()
        process.wait()
        raise KeyboardInterrupt

    monkeypatch.setattr(running, "_wait", interrupted)
    code, folder = gate(tmp_path, "builtin:reference")
    assert code == INTERRUPTED
    assert cases(folder) == {"conform-canary": []} and "INTERRUPTED" in (folder / "report.html").read_text()


def test_where_containers_run_chaos_runs_in_them() -> None:
    found = {part.name: part for part in parts(Plan(), "builtin:reference", own=True, docker=lambda: "")}
    assert "docker" in found["chaos"].command and found["chaos"].note == ""
    assert [part.canary for part in parts(Plan(), "builtin:reference", own=True, docker=lambda: "")] == [True] * 3 + [
        False
    ] * 3


def test_budgets_shrink_together() -> None:
    plan = Plan(budget_s=60)
    found = list(parts(plan, "builtin:reference", own=True, docker=lambda: ""))
    assert sum(part.budget_s for part in found if not part.canary) == pytest.approx(60)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("budget_s = 0", "budget_s = 0: give a number above zero"),
        ("[conform]\nspeed = 3", "unknown field `speed`"),
        ("[chaos]\nruntime = 'vm'", r"Invalid enum value 'vm'"),
        ("conform = 3", "Expected `object`"),
        ("= 3", "no TOML"),
        ("[conform]\nrun=false\n[simulate]\nrun=false\n[chaos]\nrun=false", "every part is switched off"),
    ],
)
def test_a_plan_that_can_not_be_used(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "gate.toml"
    path.write_text(text)
    with pytest.raises(WrongUsage, match=said):
        read(path)


def test_a_plan_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(WrongUsage, match="No such file"):
        read(tmp_path / "none.toml")
