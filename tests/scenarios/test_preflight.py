"""Before a run: a relay that isn't there, a wrong key, an unknown application are the profile's mistakes."""

from __future__ import annotations

import asyncio
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from scenarios import preflight, targets
from scenarios.errors import ProfileError
from scenarios.profile import Profile
from scenarios.profile_loading import loads
from scenarios.wire.session import WireSession
from scenarios.worlds import SessionOptions

KEY = "dbos_local_0123456789abcdef"
CONFIG = f"""\
organisations:
  local:
    keys:
      - {{name: all, key: {KEY}, permissions: all}}
    applications:
      shop:
        executorTimeoutSecs: 2
"""


def a_profile(
    target: str, *, key: str = KEY, organisation: str = "local", api: str = "none", apps: str = ""
) -> Profile:
    return loads(
        f'[relay]\ntarget = "{target}"\napi = "{api}"\n'
        f'[[tenancy.organisations]]\nname = "{organisation}"\nkey = "{key}"\napplications = [{apps}]\n',
        "p.toml",
    )


@pytest.mark.parametrize(
    ("given", "parts"),
    [
        ({"apps": "'shop'"}, None),
        ({"api": "conductor-v2"}, None),
        ({"apps": "'shop', 'shpo'"}, ["applications of 'local'", "does not know 'shpo' (404)", "correct the names"]),
        ({"apps": "'shop'", "key": "k"}, ["key of 'local'", "no executor into 'shop' (401)", "give a key"]),
        ({"api": "conductor-v2", "key": "k"}, ["key of 'local'", "answers 401", "give a key"]),
        ({"api": "conductor-v2", "organisation": "lokal"}, ["name of 'lokal'", "no such organisation (404)"]),
        ({"api": "conductor-v2", "apps": "'shpo'"}, ["name of 'local'", "no application 'shpo'", "correct the name"]),
    ],
)
def test_what_the_relay_refuses_is_named_with_the_way_out(
    relay: str, given: dict[str, str], parts: list[str] | None, tmp_path: Path
) -> None:
    profile = a_profile(f"url:{relay}", **given)

    async def look() -> list[str]:
        await preflight.reach(profile)
        options = SessionOptions(profile=profile, timing=profile.timing_at("fast"), seed=1, folder=tmp_path)
        async with WireSession(options) as session:
            return await preflight.wrong_entries(session, profile)

    found = asyncio.run(look())
    if parts is None:
        assert found == []
    else:
        (sentence,) = found
        assert all(part in sentence for part in parts), sentence


def test_where_nothing_listens_is_told_at_once() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(ProfileError, match=r"can't be reached.*start the relay, or correct the address"):
        asyncio.run(preflight.reach(a_profile(f"url:http://127.0.0.1:{port}")))


def test_what_speaks_no_http_is_no_relay() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def greet() -> None:
            connection, _ = server.accept()
            with connection:
                connection.sendall(b"220 mail.example ready\r\n")

        greeting = threading.Thread(target=greet)
        greeting.start()
        with pytest.raises(ProfileError, match="no HTTP answer"):
            asyncio.run(preflight.reach(a_profile(f"url:http://127.0.0.1:{server.getsockname()[1]}")))
        greeting.join()


def test_nothing_to_show_is_warned_of() -> None:
    (warning,) = preflight.warnings(a_profile("url:http://127.0.0.1:1"))
    assert "no applications of local" in warning and "refuses_unknown = false" in warning
    assert preflight.warnings(a_profile("url:http://127.0.0.1:1", apps="'shop'")) == []
    assert preflight.warnings(a_profile("url:http://127.0.0.1:1", api="conductor-v2")) == []


@pytest.fixture(scope="module")
def relay(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a reference relay that knows one organisation and one application."""
    folder = tmp_path_factory.mktemp("relay")
    (folder / "relay.yaml").write_text(CONFIG)
    command = f"{sys.executable} -m reference_relay --config {folder / 'relay.yaml'} --port {{port}} --data {{dir}}"
    profile = a_profile(f"cmd:{command}")
    with _loop() as loop:
        target = targets.make(profile, profile.timing_at("fast"), folder, "shared")
        loop.run_until_complete(target.start())
        try:
            yield target.url
        finally:
            loop.run_until_complete(target.close())


@contextmanager
def _loop() -> Iterator[asyncio.AbstractEventLoop]:
    loop = asyncio.new_event_loop()
    try:
        yield loop
    finally:
        loop.close()
