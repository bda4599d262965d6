"""REC-1 to REC-5, REC-23: who is asked."""

from __future__ import annotations

from scenarios.catalogue import scenario
from scenarios.catalogue.liveness.moments import (
    ASKED_BY,
    ENDS,
    JOINED_ASKED_BY,
    SILENT_DEAD_BY,
    back,
    dead,
    die,
    expect_stays,
    fall_silent,
    gone,
    healthy,
    introduced,
    leave,
    naming,
    patience,
    read_audit,
    seconds,
)
from scenarios.catalogue.recovery.dispatches import HOLDS
from scenarios.world import App, Executor, World


async def _expect_asked(
    world: World, clause: str, peer: Executor, dead_one: Executor, after: int, *, earliest: str = "g",
    latest: str = ASKED_BY,
) -> None:  # fmt: skip
    await world.until_frame(peer, "recovery", within_s=patience(world, latest), match=naming(dead_one))
    world.expect(
        clause, "frame", f"{peer.id} is asked to recover exactly {dead_one.id}",
        executor=peer.id, type="recovery", match=naming(dead_one), after=after, earliest=earliest, latest=latest,
    )  # fmt: skip


@scenario(
    "REC-1/dead-executor",
    clauses=("REC-1",),
    title="A peer is asked to recover the dead executor, whatever the kind of its end",
    faults=(12, 26, 28, 74),
    variants=ENDS,
)
async def dead_executor(world: World, how: str) -> None:
    app = await world.app()
    executor, peer = await world.executor(app), await world.executor(app)
    await healthy(world, executor, peer)
    left = await leave(world, executor, how)
    await _expect_asked(world, "REC-1", peer, executor, left)
    await gone(world, executor)
    await read_audit(world, app)


@scenario(
    "REC-1/silent", clauses=("REC-1",), title="A peer is asked to recover the executor that fell silent", faults=(5,)
)
async def silent(world: World) -> None:
    app = await world.app()
    executor, peer = await world.executor(app), await world.executor(app)
    await healthy(world, executor, peer)
    last_life = await fall_silent(world, executor)
    await _expect_asked(
        world, "REC-1", peer, executor, last_life, earliest="w + g", latest=f"{SILENT_DEAD_BY} + recovery"
    )
    await gone(world, executor)
    await read_audit(world, app)


@scenario(
    "REC-2/same-version",
    clauses=("REC-2",),
    title="The candidate of the dead executor's version is asked first",
    faults=(6,),
    variants={"joined-last": ("v2", "v3", "v1"), "joined-first": ("v1", "v2", "v3")},
)
async def same_version(world: World, versions: tuple[str, ...]) -> None:
    app = await world.app()
    executor = await world.executor(app, version="v1")
    peers = {version: await world.executor(app, version=version) for version in versions}
    await healthy(world, executor, *peers.values())
    left = await leave(world, executor)
    await _expect_asked(world, "REC-2", peers["v1"], executor, left)
    await gone(world, executor)
    until = world.note("recovered by the peer of its version")
    for version in ("v2", "v3"):
        world.expect(
            "REC-2", "no_frame", f"nobody of {version} is asked", executor=peers[version].id, type="recovery",
            match=naming(executor), since=left, until=until,
        )  # fmt: skip
    await read_audit(world, app)


@scenario(
    "REC-3/other-application",
    clauses=("REC-3", "REC-11"),
    title="Nobody of another application of the organisation is asked",
    faults=(70,),
)
async def other_application(world: World) -> None:
    app, other = await world.app(), await world.app()
    await _expect_only_its_own(world, "REC-3", app, other)


@scenario(
    "REC-4/other-organisation",
    clauses=("REC-4", "REC-11"),
    title="Nobody of another organisation is asked, also where its application has the same name",
    faults=(70,),
    needs=("organisations",),
)
async def other_organisation(world: World) -> None:
    app = await world.app()
    namesake = await world.app(org="other", name=app.name)
    await _expect_only_its_own(world, "REC-4", app, namesake)


async def _expect_only_its_own(world: World, clause: str, app: App, other: App) -> None:
    """One dies in each, in turn; the strangers of the other application stand by. Then a peer of its own joins."""
    executor, stranger = await world.executor(app), await world.executor(other)
    victim = await world.executor(other)
    await healthy(world, executor, stranger, victim)
    left, victim_left = await leave(world, executor), await leave(world, victim)
    await _expect_asked(world, "REC-1", stranger, victim, victim_left)
    await dead(world, executor)
    await world.sleep(seconds(world, "scan + slack + 2*backoff"))
    peer = await world.executor(app)
    joined = introduced(world, peer)
    await _expect_asked(world, "REC-11", peer, executor, joined, earliest="0", latest=JOINED_ASKED_BY)
    await gone(world, executor)
    until = world.note("both were recovered by their own")
    for watched, lost in ((stranger, executor), (peer, victim)):
        world.expect(
            clause, "no_frame", "a stranger is not asked",
            executor=watched.id, type="recovery", match=naming(lost), since=left, until=until,
        )  # fmt: skip
    await read_audit(world, app)


@scenario(
    "REC-4/same-executor-id",
    clauses=("REC-4", "REC-1"),
    title="The same executor id in two organisations names two executors",
    faults=(70,),
    needs=("organisations",),
)
async def same_executor_id(world: World) -> None:
    """One dies, its namesake lives on: the namesake shields it from nothing and is asked for nothing."""
    app = await world.app()
    namesakes_app = await world.app(org="other", name=app.name)
    executor, peer = await world.executor(app), await world.executor(app)
    namesake, stranger = await world.executor(namesakes_app, executor.id), await world.executor(namesakes_app)
    left = await leave(world, executor)
    await _expect_asked(world, "REC-1", peer, executor, left)
    await world.sleep(seconds(world, "2*slack"))
    until = world.note("recovered")
    for watched in (namesake, stranger):
        world.expect(
            "REC-4", "no_frame", "nobody of the other organisation is asked",
            conn=watched.conn, type="recovery", since=left, until=until,
        )  # fmt: skip
        world.expect("REC-4", "open", "nor disturbed", conn=watched.conn, since=left, until=until)
    await read_audit(world, app)


@scenario(
    "REC-5/not-the-disconnected",
    clauses=("REC-5", "REC-1"),
    title="A peer that is DISCONNECTED or DEAD is not tried: the HEALTHY one is asked in time",
    faults=(45,),
    variants=("disconnected", "dead"),
)
async def not_the_disconnected(world: World, state: str) -> None:
    """Several such peers, so that a relay that tries them meets one before the healthy one."""
    app = await world.app()
    gone_peers = [await world.executor(app, f"{app.name}-{name}") for name in ("one", "two", "three")]
    executor, peer = await world.executor(app, f"{app.name}-dead"), await world.executor(app)
    await healthy(world, executor, peer, *gone_peers)
    if state == "dead":
        for lost in gone_peers:
            await leave(world, lost)
        await world.sleep(seconds(world, "slack"))
    left = await leave(world, executor)
    if state == "disconnected":
        await world.sleep(seconds(world, "0.7*g"))
        for lost in gone_peers:
            await leave(world, lost)
    latest = "g + 2*scan + 3*slack + backoff"
    await _expect_asked(world, "REC-5", peer, executor, left, latest=latest)
    await _expect_asked(world, "REC-1", peer, executor, left)
    await gone(world, executor)
    if world.profile.can("audit"):
        await world.control.audit(app.org)
        for lost in gone_peers:
            world.expect(
                "REC-5", "audited", "no dispatch to it is on record", org=app.org, operation="recovery",
                mentions=[executor.id, lost.id], at_least=0, at_most=0,
            )  # fmt: skip


@scenario(
    "REC-8/preferred-peer-leaves",
    clauses=("REC-8",),
    title="A peer that closes in the moment of the death costs no deadline",
    faults=(45,),
    variants={"just-before": "g - 2*slack", "in-the-moment": "g", "just-after": "g + scan"},
)
async def preferred_peer_leaves(world: World, when: str) -> None:
    """The dispatch may be written to its closing socket; the other candidate is asked at once all the same."""
    app = await world.app()
    executor = await world.executor(app)
    leaving, staying = await world.executor(app, script=HOLDS), await world.executor(app)
    await healthy(world, executor, leaving, staying)
    left = await leave(world, executor)
    await world.sleep(seconds(world, when))
    await leave(world, leaving)
    await _expect_asked(world, "REC-8", staying, executor, left, latest="g + 2*scan + 3*slack + backoff")
    await gone(world, executor)
    await read_audit(world, app)


@scenario(
    "REC-5/not-the-dead-one",
    clauses=("REC-5",),
    title="The dead executor is not asked to recover itself when it returns",
    faults=(10, 35),
)
async def not_the_dead_one(world: World) -> None:
    app = await world.app()
    executor = await world.executor(app)
    await healthy(world, executor)
    left = await die(world, executor)
    await back(world, executor)
    await world.sleep(seconds(world, "scan + slack + 2*backoff"))
    world.expect(
        "REC-5", "no_frame", "it is not asked to recover itself", executor=executor.id, type="recovery",
        match=naming(executor), since=left, until=world.note("held for two backoffs"),
    )  # fmt: skip
    await read_audit(world, app)


@scenario(
    "REC-23/other-language",
    clauses=("REC-23", "REC-27"),
    title="A peer of another language is not asked; one of the dead executor's own is, when it joins",
)
async def other_language(world: World) -> None:
    """Measured: an SDK that adopts another language's rows can't read their inputs and ends them in ERROR."""
    app = await world.app()
    executor = await world.executor(app)
    foreigner = await world.executor(app, language="typescript", sdk_version="4.27.6")
    await healthy(world, executor, foreigner)
    left = await die(world, executor)
    await world.sleep(seconds(world, "scan + slack + 2*backoff"))
    if world.profile.can("surfaced"):
        await world.control.surfaced(app)
    await read_audit(world, app)
    waited = world.note("waited for a peer of its language")
    world.expect(
        "REC-23", "no_frame", "the peer of another language is not asked", executor=foreigner.id, type="recovery",
        match=naming(executor), since=left, until=waited,
    )  # fmt: skip
    expect_stays(
        world, "REC-23", "the relay waits", executor, "HEALTHY", "DISCONNECTED", "DEAD", since=left, until=waited
    )
    world.expect("REC-27", "surfaced", "the waiting is surfaced", executor=executor.id, since=left, until=waited)
    peer = await world.executor(app)
    joined = introduced(world, peer)
    await _expect_asked(world, "REC-23", peer, executor, joined, earliest="0", latest=JOINED_ASKED_BY)
    await gone(world, executor)
    await read_audit(world, app)
