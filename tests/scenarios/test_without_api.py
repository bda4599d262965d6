"""A relay without a management API, with a few fixed applications: all that the wire shows is judged all the same."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from evidence.verdict import Verdict, exit_code
from scenarios.profile_loading import loads
from scenarios.runner import RunOptions, Silent, run

KEY = "dbos_local_0123456789abcdef"
APPLICATIONS = ["shop-1", "shop-2", "shop-3", "shop-4"]
TIMING = {
    "ping_interval_s": 0.5, "ping_wait_s": 2.5, "scan_s": 0.25, "slack_s": 0.5, "handshake_deadline_s": 2.5,
    "request_deadline_s": 2, "recovery_deadline_s": 2.5, "backoff_first_s": 0.25, "backoff_cap_s": 1, "redial_s": 0.25,
}  # fmt: skip
SELECTED = {
    "HSK-1/first-frame/answered": "HSK-1",
    "LIV-3/silent-socket": "LIV-3",
    "LIV-7/stays-away/rst": "LIV-7",
    "REC-1/dead-executor/fin": "REC-1",
    "REC-7/refused/false": "REC-7",
    "REC-11/no-peer": "REC-11",
}


def test_what_the_wire_shows_is_judged_and_the_rest_is_unsupported(tmp_path: Path) -> None:
    config = tmp_path / "relay.yaml"
    settings = "\n".join(f"  {name}: {value}" for name, value in TIMING.items())
    apps = "\n".join(f"      {name}:\n        executorTimeoutSecs: 2" for name in APPLICATIONS)
    config.write_text(
        f"organisations:\n  local:\n    keys:\n      - {{name: all, key: {KEY}, permissions: all}}\n"
        f"    applications:\n{apps}\ntiming:\n{settings}\n"
    )
    command = f"{sys.executable} -m reference_relay --config {config} --port {{port}} --data {{dir}}"
    timing = "\n".join(f"{name} = {value}" for name, value in TIMING.items())
    profile = loads(
        f'[relay]\nname = "bare"\ntarget = "cmd:{command}"\napi = "none"\n'
        f'[[tenancy.organisations]]\nname = "local"\nkey = "{KEY}"\napplications = {APPLICATIONS}\n'
        f"[timing]\ngrace_s = 2\ngrace_settable = false\n{timing}\n",
        "bare.toml",
    )
    only = [*SELECTED, "ENV-2/order/asked", "CON-3/*"]
    options = RunOptions(profile=profile, pace="fast", worlds=["wire"], results=tmp_path / "results", select=only)
    result = asyncio.run(run(options, Silent())).result
    verdicts = {scenario.scenario: scenario.clauses for scenario in result.scenarios}
    wrong = {id: found for id, found in verdicts.items() if set(found.values()) - {Verdict.OK, Verdict.UNSUPPORTED}}
    assert exit_code(result) == 0, wrong
    assert {id: verdicts[id][clause] for id, clause in SELECTED.items()} == dict.fromkeys(SELECTED, Verdict.OK)
    assert verdicts["ENV-2/order/asked"] == {"ENV-2": Verdict.UNSUPPORTED}
    assert "ENV-2" in result.musts_not_judged
    took_s = {scenario.scenario: scenario.duration_s for scenario in result.scenarios}
    assert took_s["ENV-2/order/asked"] < TIMING["request_deadline_s"], "nobody waits for what can't come"
