"""A relay in a container: started, reached, broken, swept. Needs an engine and the suite's own images."""

from __future__ import annotations

import asyncio
import io
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from conductor.timing import FAST
from evidence.verdict import Verdict
from relayproof.cli import run
from scenarios import targets
from scenarios.errors import TargetError
from scenarios.http import HttpClient
from scenarios.profile import Organisation, Profile, RelaySection, Tenancy, TimingSection
from scenarios.targets import builtin, image_engine
from scenarios.targets.image import ImageTarget
from scenarios.targets.image_sweep import sweep
from tests.chaos.docker.support import engine, left, relay_image

__all__ = ["engine", "relay_image"]
ROOT = Path(__file__).parents[2]


def profile(tag: str, environment: dict[str, str] | None = None) -> Profile:
    """The reference relay as a foreign one, with the short figures and a documented default of the grace period."""
    tenants = builtin.organisations()
    timing = msgspec.structs.replace(FAST, grace_s=60.0)
    settings = builtin.configuration(tenants, timing, "").decode()
    figures = {name: getattr(FAST, name) for name in TimingSection.__struct_fields__ if hasattr(FAST, name)}
    return Profile(
        relay=RelaySection(target=f"image:{tag}", environment={"RELAY_YAML": settings, **(environment or {})}),
        tenancy=Tenancy(organisations=tenants),
        timing=TimingSection(**{**figures, "grace_s": 60.0}),
    )


def make(found: Profile, folder: Path) -> ImageTarget:
    made = targets.make(found, found.timing_at("fast"), folder, "one")
    assert isinstance(made, ImageTarget)
    return made


async def status(url: str, tenant: Organisation, app: str, method: str = "GET") -> int:
    client = HttpClient()
    try:
        headers = {"Authorization": f"Bearer {tenant.api_token}"}
        path = f"{url}/v2/orgs/{tenant.name}/apps/{app}"
        answered = await client.request(method, path, headers=headers, content=b"{}" if method == "PUT" else None)
        return answered.status
    finally:
        client.close()


def test_a_killed_relay_is_found_again_with_its_data(engine: Any, relay_image: str, tmp_path: Path) -> None:
    async def main() -> str:
        target = make(profile(relay_image), tmp_path)
        await target.start()
        try:
            url, tenant = target.url, target.tenants[0]
            assert await status(url, tenant, "kept", "PUT") in (201, 204)
            for end in (target.kill, target.stop):
                await end()
                with pytest.raises(OSError):
                    await asyncio.open_connection(*url.removeprefix("http://").split(":"))
                await target.start()
                assert target.url == url
                assert await status(url, tenant, "kept") == 200
            assert target.waited_ns() > 0
            log = await target.log()
            assert "ready" in log and tenant.api_token not in log
            assert left(engine, target.placement.run)
        finally:
            await target.close()
        return target.placement.run

    assert not left(engine, asyncio.run(main()))


def test_a_paused_relay_answers_nothing_and_can_be_killed(engine: Any, relay_image: str, tmp_path: Path) -> None:
    async def main() -> None:
        target = make(profile(relay_image), tmp_path)
        await target.start()
        try:
            await target.pause()
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.3):
                    await status(target.url, target.tenants[0], "configured")
            await target.resume()
            assert await status(target.url, target.tenants[0], "configured") == 200
            await target.pause()
            await target.kill()
            await target.start()
            assert await status(target.url, target.tenants[0], "configured") == 200
        finally:
            await target.close()

    asyncio.run(main())


def test_one_that_ends_is_told_with_its_log_and_leaves_nothing(engine: Any, relay_image: str, tmp_path: Path) -> None:
    async def main() -> str:
        found = profile(relay_image, {"RELAYPROOF_RELAY_NONSENSE": "1"})
        target = make(found, tmp_path)
        try:
            with pytest.raises(TargetError, match=r"ended with status 64 before it was ready\n.*NONSENSE: unknown"):
                await target.start()
        finally:
            await target.close()
        return target.placement.run

    assert not left(engine, asyncio.run(main()))


def test_an_unknown_image_is_told_by_its_name(engine: Any, relay_image: str, tmp_path: Path) -> None:
    async def main() -> None:
        target = make(profile("relayproof/nowhere:0"), tmp_path)
        try:
            with pytest.raises(TargetError, match=r"container of relayproof/nowhere:0: .*[Nn]o such image"):
                await target.start()
        finally:
            await target.close()

    asyncio.run(main())


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_no_container_outlives_a_suite_that_is_killed(
    engine: Any, relay_image: str, tmp_path: Path, end: signal.Signals
) -> None:
    kept = tmp_path / "profile.json"
    kept.write_bytes(msgspec.json.encode(profile(relay_image)))
    script = textwrap.dedent(f"""
        import asyncio, pathlib, msgspec
        from scenarios import targets
        from scenarios.profile import Profile

        async def main():
            profile = msgspec.json.decode(pathlib.Path({str(kept)!r}).read_bytes(), type=Profile)
            target = targets.make(profile, profile.timing_at("fast"), pathlib.Path(), "one")
            await target.start()
            print(target.placement.run, flush=True)
            await asyncio.sleep(60)

        asyncio.run(main())
    """)
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, cwd=ROOT, stderr=2) as suite:
        assert suite.stdout is not None
        name = suite.stdout.readline().decode().strip()
        assert left(engine, name)
        os.kill(suite.pid, end)
        suite.wait(20)
    deadline_s = time.monotonic() + 30
    while left(engine, name):
        assert time.monotonic() < deadline_s, f"run {name} left its container behind"
        time.sleep(0.1)


def test_a_sweep_removes_what_has_the_label_and_nothing_else(engine: Any, relay_image: str) -> None:
    ours, other = image_engine.new_run(), image_engine.new_run()
    for name in (ours, other):
        engine.containers.create(
            relay_image, "reference_relay", labels=image_engine.labels(name), name=f"relayproof-{name}"
        )
        engine.volumes.create(f"relayproof-{name}", labels=image_engine.labels(name))
    engine.networks.create(f"relayproof-{ours}", labels=image_engine.labels(ours))
    try:
        swept = sweep(engine, ours)
        assert swept.containers == swept.networks == swept.volumes == [f"relayproof-{ours}"]
        assert not left(engine, ours)
        assert left(engine, other)
        assert not sweep(engine, ours)
    finally:
        sweep(engine, other)


def test_scenarios_tell_a_good_relay_in_an_image_from_a_broken_one(
    engine: Any, relay_image: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = f"relayproof/test-broken:{image_engine.new_run()}"
    recipe = f'FROM {relay_image}\nCMD ["broken_relays", "asks-something-else-first"]\n'
    engine.images.build(fileobj=io.BytesIO(recipe.encode()), tag=broken, rm=True)
    try:
        for tag, code in ((relay_image, 0), (broken, 1)):
            asked = tmp_path / "relay.toml"
            asked.write_bytes(msgspec.toml.encode(profile(tag)))
            arguments = ["conform", "--relay", str(asked), "--world", "wire", "--select", "HSK-1/*"]
            assert run([*arguments, "--results", str(tmp_path / "results")]) == code, capsys.readouterr().out
    finally:
        engine.images.remove(broken)
    assert Verdict.FAILED.name in capsys.readouterr().out
