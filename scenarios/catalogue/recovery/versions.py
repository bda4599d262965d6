"""REC-13, REC-14, REC-15, REC-27: nobody of the dead executor's version."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scenarios.catalogue import scenario
from scenarios.catalogue.liveness.moments import (
    JOINED_ASKED_BY,
    die,
    expect_stays,
    gone,
    healthy,
    introduced,
    naming,
    patience,
    read_audit,
    scripted,
    seconds,
)
from scenarios.errors import Prerequisite
from scenarios.world import App, Executor, Reply, Script, World

WAITED = "scan + slack + 2*backoff"
ALLOWED_ASKED_BY = "slack + scan + backoff + request"  # the relay may have to ask for the versions first


def _knows(*versions: str, pending: bool = False) -> Script:
    """A peer whose system database lists these versions, the latest last; ``pending``: the dead one has rows."""
    output = [
        {"version_id": f"id-{name}", "version_name": name, "version_timestamp": 1_700_000_000_000 + at, "created_at": 1}
        for at, name in enumerate(versions)
    ]
    return scripted(
        list_application_versions=Reply(fields={"output": output}),
        exist_pending_workflows=Reply(fields={"exist": pending}),
    )


def _allowing(world: World, allowed: bool = True) -> Mapping[str, Any]:
    return {world.profile.all_names()["latest_version_setting"]: allowed}


async def _expect_waits(world: World, app: App, executor: Executor, peers: list[Executor], since: int) -> int:
    """Nothing is dispatched for a while. Number of the end of the watch."""
    await world.sleep(seconds(world, WAITED))
    until = world.note("waited for somebody who may do it")
    for peer in peers:
        world.expect(
            "REC-13", "no_frame", "a peer of another version is not asked", executor=peer.id, type="recovery",
            since=since, until=until,
        )  # fmt: skip
    expect_stays(
        world, "REC-13", "the relay waits", executor, "HEALTHY", "DISCONNECTED", "DEAD", since=since, until=until
    )
    await read_audit(world, app)
    return until


@scenario(
    "REC-13/other-version",
    clauses=("REC-13", "REC-15"),
    title="Peers of other versions are not asked; one of the dead executor's version is, when it joins",
    faults=(6,),
    variants={"older": "v0", "newer": "v2"},
)
async def other_version(world: World, version: str) -> None:
    app = await world.app()
    executor = await world.executor(app, version="v1")
    peers = [await world.executor(app, version=version, script=_knows(*sorted({"v1", version}))) for _ in range(2)]
    await healthy(world, executor, *peers)
    left = await die(world, executor)
    await _expect_waits(world, app, executor, peers, left)
    peer = await world.executor(app, version="v1")
    joined = introduced(world, peer)
    await world.until_frame(peer, "recovery", within_s=patience(world, JOINED_ASKED_BY), match=naming(executor))
    world.expect(
        "REC-15", "frame", "the peer of its version is asked when it joins", executor=peer.id, type="recovery",
        match=naming(executor), after=joined, latest=JOINED_ASKED_BY,
    )  # fmt: skip
    await gone(world, executor)
    if world.profile.can("surfaced"):
        recovered = world.note("recovered")
        await world.control.surfaced(app)
        world.expect("REC-15", "cleared", "what is over waits no more", executor=executor.id, since=recovered)
    await read_audit(world, app)


@scenario(
    "REC-27/surfaced",
    clauses=("REC-27",),
    title="A recovery that waits for a peer is surfaced",
    faults=(6,),
    variants={"other-version": True, "nobody": False},
)
async def surfaced(world: World, with_peer: bool) -> None:
    """By the audit log or by the profile's query, whichever the relay has."""
    if not (world.profile.can("audit") or world.profile.can("surfaced")):
        world.profile.require("surfaced")
    app = await world.app()
    executor = await world.executor(app, version="v1")
    await healthy(world, executor)
    if with_peer:
        await healthy(world, await world.executor(app, version="v2", script=_knows("v1", "v2")))
    left = await die(world, executor)
    await world.sleep(seconds(world, WAITED))
    if world.profile.can("surfaced"):
        await world.control.surfaced(app)
    await read_audit(world, app)
    world.expect(
        "REC-27", "surfaced", "the waiting is surfaced", executor=executor.id, since=left, until=world.note("looked")
    )


@scenario(
    "REC-14/latest-version",
    clauses=("REC-14",),
    title="With the setting allowed, only a peer of the latest version is asked, once, then it is surfaced",
    faults=(6,),
    needs=("latest_version",),
    variants={"by-name": ("v1", "v2", "v3"), "by-timestamp-alone": ("v1", "v3", "v2")},
)
async def latest_version(world: World, versions: tuple[str, ...]) -> None:
    """It answers success, as the SDKs do across versions, and the rows are still there: nothing was moved."""
    newest = versions[-1]
    script = _knows(*versions, pending=True)
    app = await world.app(settings=_allowing(world))
    executor = await world.executor(app, version="v1")
    peers = [await world.executor(app, version=version, script=script) for version in versions[1:] + versions[1:]]
    await healthy(world, executor, *peers)
    left = await die(world, executor)
    latest = [peer for index, peer in enumerate(peers) if (versions[1:] * 2)[index] == newest]
    others = [peer for peer in peers if peer not in latest]
    await world.gather(
        *(
            world.until_frame(peer, "recovery", within_s=patience(world, ALLOWED_ASKED_BY), match=naming(executor))
            for peer in latest
        )
    )
    await world.sleep(seconds(world, "request + backoff_cap"))
    if world.profile.can("surfaced"):
        await world.control.surfaced(app)
    await read_audit(world, app)
    until = world.note("watched beyond the backoff")
    world.expect(
        "REC-14", "count", "a peer of the latest version is asked", app=app.name, type="recovery",
        match=naming(executor), since=left, until=until, at_least=1, at_most=len(latest),
    )  # fmt: skip
    for peer in latest:
        world.expect(
            "REC-14", "count", "at most once a candidate", executor=peer.id, type="recovery",
            match=naming(executor), since=left, until=until, at_least=0, at_most=1,
        )  # fmt: skip
    for peer in others:
        world.expect(
            "REC-14", "no_frame", "nobody of another version is asked", executor=peer.id, type="recovery",
            since=left, until=until,
        )  # fmt: skip
    world.expect("REC-14", "surfaced", "then it is surfaced", executor=executor.id, since=left, until=until)


@scenario(
    "REC-15/setting-allowed",
    clauses=("REC-15", "REC-13"),
    title="While it waits, the setting being allowed leads to the dispatch",
    faults=(6,),
    needs=("latest_version",),
)
async def setting_allowed(world: World) -> None:
    app = await world.app()
    executor = await world.executor(app, version="v1")
    peer = await world.executor(app, version="v2", script=_knows("v1", "v2"))
    await healthy(world, executor, peer)
    left = await die(world, executor)
    await _expect_waits(world, app, executor, [peer], left)
    asked = world.note("the setting is changed")
    answer = await world.control.patch_settings(app, _allowing(world))
    if not 200 <= answer.status < 300:
        raise Prerequisite(f"the settings change was answered {answer.status}")
    await world.until_frame(peer, "recovery", within_s=patience(world, ALLOWED_ASKED_BY), match=naming(executor))
    world.expect(
        "REC-15", "frame", "the peer of the latest version is asked", executor=peer.id, type="recovery",
        match=naming(executor), after=asked, latest=ALLOWED_ASKED_BY,
    )  # fmt: skip
    await read_audit(world, app)


@scenario(
    "REC-2/before-the-latest",
    clauses=("REC-2",),
    title="With the setting allowed, the dead executor's own version still comes first",
    faults=(6,),
    needs=("latest_version",),
)
async def before_the_latest(world: World) -> None:
    app = await world.app(settings=_allowing(world))
    executor = await world.executor(app, version="v1")
    newer = await world.executor(app, version="v2", script=_knows("v1", "v2"))
    same = await world.executor(app, version="v1", script=_knows("v1", "v2"))
    await healthy(world, executor, newer, same)
    left = await die(world, executor)
    await world.until_frame(same, "recovery", within_s=patience(world, ALLOWED_ASKED_BY), match=naming(executor))
    await gone(world, executor)
    until = world.note("recovered by the peer of its version")
    world.expect(
        "REC-2", "frame", "the peer of its version is asked", executor=same.id, type="recovery",
        match=naming(executor), after=left, latest=f"g + scan + 2*slack + {ALLOWED_ASKED_BY}",
    )  # fmt: skip
    world.expect(
        "REC-2", "no_frame", "the peer of the latest version is not", executor=newer.id, type="recovery",
        match=naming(executor), since=left, until=until,
    )  # fmt: skip
    await read_audit(world, app)
