"""ENV-10: the habits of the Java SDK, on every executor."""

from __future__ import annotations

import json

from scenarios.catalogue import scenario
from scenarios.catalogue.envelope.calls import (
    HELD,
    expect_served,
    expect_still_serving,
    found,
    ready_executor,
    request_of,
    workflow_record,
)
from scenarios.catalogue.envelope.raw_frames import CONTINUATION, PING, PONG, fragments, frame
from scenarios.catalogue.observing import look
from scenarios.world import Executor, Script, World

_JAVA_FRAGMENT_BYTES = 128 * 1024


def _expect_connected(world: World, executor: Executor, since: int) -> None:
    world.expect("ENV-10", "open", "nothing is closed", conn=executor.conn, since=since, until=None)
    world.expect("ENV-10", "stays", executor=executor.id, statuses=["HEALTHY"], since=since, until=None)


@scenario(
    "ENV-10/doubled-pongs",
    clauses=("ENV-10",),
    title="Pongs that come twice, or three times, close nothing",
    faults=(77,),
    variants={"twice": 2, "three-times": 3},
)
async def doubled_pongs(world: World, times: int) -> None:
    app = await world.app()
    executor = await ready_executor(world, app, Script(replies=HELD.replies, pong_repeat=times))
    since = world.note("every pong is doubled")
    for _ in range(3):
        await world.until_ping(executor, within_s=world.timing.ping_wait_s)
    await look(world, app)
    _expect_connected(world, executor, since)
    await expect_still_serving(world, app, "ENV-10", executor)


@scenario(
    "ENV-10/unsolicited-pongs",
    clauses=("ENV-10",),
    title="Pongs to no ping, with any payload, close nothing",
    faults=(77,),
)
async def unsolicited_pongs(world: World) -> None:
    app = await world.app()
    executor = await ready_executor(world, app, HELD)
    since = world.note("connected and HEALTHY")
    for payload in (b"", b"\0", b"unsolicited", b"x" * 125):
        await executor.pong(payload)
    await world.until_ping(executor, within_s=world.timing.ping_wait_s)
    await executor.pong(b"another payload")
    await world.until_ping(executor, within_s=world.timing.ping_wait_s)
    await look(world, app)
    _expect_connected(world, executor, since)
    await expect_still_serving(world, app, "ENV-10", executor)


_BETWEEN = {
    "plain": b"",
    "pongs": frame(PONG, b"") + frame(PONG, b"between"),
    "pings": frame(PING, b"between"),
}


@scenario(
    "ENV-10/fragments",
    clauses=("ENV-10",),
    title="An answer in fragments of 128 KiB, with control frames between them, is one answer",
    simulated=False,
    variants=_BETWEEN,
)
async def in_fragments(world: World, between: bytes) -> None:
    """The cuts fall within a character of several bytes: only the whole message is UTF-8."""
    app = await world.app()
    executor = await ready_executor(world, app, HELD)
    since = world.note("connected and HEALTHY")
    call = world.spawn(world.control.workflow(app, "get", "wf-1"))
    request = await request_of(world, executor, "get_workflow", match={"workflow_id": "wf-1"})
    record = workflow_record("wf-1", Output="ä€𐍈" * 50_000)
    payload = json.dumps(found(request, output=record), ensure_ascii=False).encode()
    await executor.send_raw(fragments(payload, _JAVA_FRAGMENT_BYTES, between))
    expect_served(world, "ENV-10", (await call).call, "wf-1", "one answer")
    await look(world, app)
    _expect_connected(world, executor, since)


@scenario(
    "ENV-10/tiny-fragments",
    clauses=("ENV-10",),
    title="An answer in fragments of a few bytes, empty ones too, is one answer",
    simulated=False,
    variants={"one-byte": 1, "seven-bytes": 7},
)
async def in_tiny_fragments(world: World, size: int) -> None:
    app = await world.app()
    executor = await ready_executor(world, app, HELD)
    call = world.spawn(world.control.workflow(app, "get", "wf-ä"))
    request = await request_of(world, executor, "get_workflow")
    payload = json.dumps(found(request), ensure_ascii=False).encode()
    await executor.send_raw(fragments(payload, size, frame(CONTINUATION, b"", fin=False)))
    expect_served(world, "ENV-10", (await call).call, "wf-ä", "one answer")
