"""HSK-6 and HSK-9: a connection that never says who it is."""

from __future__ import annotations

from scenarios.catalogue import scenario
from scenarios.catalogue.handshake.answers import SILENT, asked_for_info, info_answer
from scenarios.catalogue.liveness.moments import seconds
from scenarios.catalogue.observing import TRIES, look, too_slow
from scenarios.errors import Prerequisite
from scenarios.world import Script, World


@scenario(
    "HSK-6/never-answers",
    clauses=("HSK-6", "HSK-9"),
    title="A connection that never answers executor_info is never HEALTHY and is closed in time, not at once",
    faults=(46, 69),
    variants={
        "answers-pings": SILENT,
        "no-pongs": Script(replies=SILENT.replies, pongs=False),
        "pings-itself": Script(replies=SILENT.replies, client_ping_s=0.2),
    },
)
async def never_answers(world: World, script: Script) -> None:
    app = await world.app()
    executor = await world.executor(app, script=script, connect=False)
    opened = world.note("nobody is connected yet")
    await asked_for_info(world, executor)
    timing = world.timing
    await world.until_status(executor, "HEALTHY", within_s=timing.handshake_deadline_s / 2)
    await world.until_closed(executor, within_s=timing.handshake_deadline_s + timing.scan_s + 2 * timing.slack_s)
    await look(world, app)
    world.expect(
        "HSK-9",
        "closed",
        "closed by the handshake deadline, but not at once",
        conn=executor.conn,
        after=world.last("upgraded", conn=executor.conn),
        earliest="slack",
        latest="handshake + scan + slack",
    )
    world.expect("HSK-6", "not_listed", executor=executor.id, since=opened, until=None, statuses=["HEALTHY"])


@scenario(
    "HSK-6/known-executor-dials-again",
    clauses=("HSK-6",),
    title="An executor that was HEALTHY and leaves executor_info unanswered at its next dial is not HEALTHY by that",
    faults=(69,),
)
async def known_executor_dials_again(world: World) -> None:
    app = await world.app()
    executor = await world.executor(app)
    await world.until_status(executor, "HEALTHY", within_s=world.timing.handshake_deadline_s)
    await executor.close()
    await world.until_status(executor, "DISCONNECTED", "DEAD", "GONE", within_s=world.timing.handshake_deadline_s)
    away = world.note("it is known to be away")
    executor.script(SILENT)
    await asked_for_info(world, executor)
    await world.until_closed(executor, within_s=world.timing.handshake_deadline_s + world.timing.slack_s)
    await look(world, app)
    world.expect("HSK-6", "not_listed", executor=executor.id, since=away, until=None, statuses=["HEALTHY"])


@scenario(
    "LIV-3/silent-after-late-handshake",
    clauses=("LIV-3",),
    title="An executor that answers executor_info late and then falls silent is found like any other",
    faults=(69,),
    variants={"half": "0.5*handshake", "late": "0.7*handshake", "last-moment": "handshake - slack"},
)
async def silent_after_late_handshake(world: World, moment: str) -> None:
    """Only the upper bound is judged: whether the answer itself counts as a sign of life is left open (LIV-17)."""
    app = await world.app()
    timing = world.timing
    executor = await world.executor(app, script=SILENT, connect=False)
    for _ in range(TRIES):
        dialled_ns = world.now_ns()
        asked = await asked_for_info(world, executor)
        await world.sleep(seconds(world, moment))
        await executor.send(info_answer(executor.id, asked["request_id"]))
        answered_s = (world.now_ns() - dialled_ns) / 1e9
        if await world.until_status(executor, "HEALTHY", within_s=timing.slack_s + 2 * timing.scan_s):
            break
        if answered_s < timing.handshake_deadline_s - timing.slack_s / 2:
            raise Prerequisite("an answer before the handshake deadline did not register the executor")
    else:
        return too_slow(world, f"the answer left {answered_s:.3f} s after the dial, past the handshake deadline")
    await executor.freeze()
    frozen = world.last("fault", kind="freeze")
    silence_s = timing.ping_wait_s + timing.ping_interval_s + timing.scan_s + 2 * timing.slack_s
    await world.until_status(executor, "DISCONNECTED", within_s=silence_s + timing.slack_s)
    world.expect(
        "LIV-3",
        "transition",
        "its timer was armed",
        executor=executor.id,
        to="DISCONNECTED",
        after=frozen,
        latest="w + i + scan + 2*slack",
    )
