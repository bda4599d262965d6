"""The load test finds what it should on a real relay, and says what is wrong where it can't begin."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from conductor.timing import DOCUMENTED
from load import headless, place
from load.place import LoadError, Place
from relayproof.cli import run
from scenarios import targets
from scenarios.profile_loading import resolve

KINDS = {"handshake", "time to HEALTHY", "list executors", "list workflows", "get workflow"}


def test_executors_become_healthy_and_calls_are_answered(tmp_path: Path) -> None:
    async def loaded() -> list[headless.Row]:
        target = targets.make(resolve("builtin:reference"), DOCUMENTED, tmp_path, "load")
        try:
            await target.start()
            tenant = target.tenants[0]
            where = Place(target.url, tenant.name, "load", tenant.api_token, tenant.socket_key, pace_s=0.1)
            return await headless.run(where, executors=12, duration_s=6, folder=tmp_path)
        finally:
            await target.close()

    rows = {row.name: row for row in asyncio.run(loaded())}
    assert set(rows) == KINDS
    assert all(row.requests > 0 and row.failures == 0 for row in rows.values()), rows
    assert rows["handshake"].requests >= 12
    assert 0 < rows["handshake"].median_ms <= rows["time to HEALTHY"].median_ms


def test_a_relay_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    where = Place("http://127.0.0.1:9", "local", "load", "", "", pace_s=1.0)
    with pytest.raises(LoadError, match=r"no relay answers at http://127\.0\.0\.1:9"):
        asyncio.run(headless.run(where, executors=1, duration_s=3, folder=tmp_path))


@pytest.mark.parametrize(
    ("arguments", "said"), [(["--duration", "soon"], "30s or 2m"), (["--executors", "0"], "give 1 or more")]
)
def test_wrong_usage_names_the_way_out(capsys: pytest.CaptureFixture[str], arguments: list[str], said: str) -> None:
    assert run(["load", *arguments]) == 64
    assert said in capsys.readouterr().err


class TestPlace:
    def test_paths_are_escaped_and_the_base_path_is_kept(self) -> None:
        where = Place("https://relay.example/base", "my org", "a/b", "t", "k#", pace_s=1.0)
        assert where.app_path == "/v2/orgs/my%20org/apps/a%2Fb"
        assert where.socket_url == "wss://relay.example/base/websocket/a%2Fb/k%23"

    def test_without_a_host(self) -> None:
        with pytest.raises(LoadError, match="--host"):
            place.from_environment(None)

    def test_the_executors_key_is_the_token_unless_given(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("RELAYPROOF_LOAD_TOKEN", "dbos_a")
        assert place.from_environment("http://h/").key == "dbos_a"
        assert place.from_environment("http://h/").base == "http://h"
        monkeypatch.setenv("RELAYPROOF_LOAD_PACE_S", "fast")
        with pytest.raises(LoadError, match="PACE_S is 'fast'"):
            place.from_environment("http://h")
