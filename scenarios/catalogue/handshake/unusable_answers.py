"""HSK-4 and HSK-5: executor_info answers that register nobody."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from scenarios.catalogue import scenario
from scenarios.catalogue.handshake.answers import SILENT, asked_for_info, expect_nothing_registered, info_answer
from scenarios.world import World

_UNUSABLE: dict[str, Mapping[str, Any]] = {
    "empty": {"executor_id": ""},
    "number": {"executor_id": 17},
    "boolean": {"executor_id": True},
    "null": {"executor_id": None},
    "array": {"executor_id": ["e"]},
    "object": {"executor_id": {"id": "e"}},
    "error-message": {"error_message": "the executor is not ready"},
}


@scenario(
    "HSK-4/no-usable-id",
    clauses=("HSK-4",),
    title="An answer without a usable executor_id, or with error_message, registers nothing",
    variants={**_UNUSABLE, "absent": {}},
)
async def no_usable_id(world: World, changes: Mapping[str, Any]) -> None:
    app = await world.app()
    executor = await world.executor(app, script=SILENT, connect=False)
    asked = await asked_for_info(world, executor)
    answer = info_answer(executor.id, asked["request_id"], **changes)
    if not changes:
        del answer["executor_id"]
    await executor.send(answer)
    await expect_nothing_registered(world, app, executor, "HSK-4")
    await world.until_closed(executor, within_s=world.timing.handshake_deadline_s + 2 * world.timing.slack_s)
    world.expect(
        "HSK-4", "released", "a socket of nobody is given up by the handshake deadline", conn=executor.conn,
        after=world.last("upgraded", conn=executor.conn), latest="handshake + scan + slack",
    )  # fmt: skip


_OTHER_IDS: dict[str, Callable[[str], object]] = {
    "other": lambda id: "another-request",
    "empty": lambda id: "",
    "null": lambda id: None,
    "number": lambda id: 1,
    "longer": lambda id: id + "0",
    "shorter": lambda id: id[:-1],
    "array": lambda id: [id],
    "case": lambda id: id.swapcase() if id.swapcase() != id else " " + id,
}


@scenario(
    "HSK-5/other-request-id",
    clauses=("HSK-5",),
    title="An answer under another request_id registers nothing",
    variants={**_OTHER_IDS, "absent": None},
)
async def other_request_id(world: World, other: Callable[[str], object] | None) -> None:
    app = await world.app()
    executor = await world.executor(app, script=SILENT, connect=False)
    asked = await asked_for_info(world, executor)
    answer = info_answer(executor.id, other(asked["request_id"]) if other else None)
    if other is None:
        del answer["request_id"]
    await executor.send(answer)
    await expect_nothing_registered(world, app, executor, "HSK-5")


@scenario(
    "HSK-5/other-type",
    clauses=("HSK-5",),
    title="Whatever else comes first, nothing but the answer asked for registers",
    variants=("recovery", "alert", "unknown"),
)
async def other_type(world: World, type: str) -> None:
    """The id is that of no request on this connection; the fields are those of a good answer."""
    app = await world.app()
    executor = await world.executor(app, script=SILENT, connect=False)
    await asked_for_info(world, executor)
    await executor.send(info_answer(executor.id, "unasked", type=type))
    await expect_nothing_registered(world, app, executor, "HSK-5")
