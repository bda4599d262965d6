"""HSK-2 and HSK-3: what an executor says about itself is what the list says about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scenarios.catalogue import scenario
from scenarios.catalogue.handshake.answers import SILENT, asked_for_info, info_answer, until_listed
from scenarios.catalogue.observing import recorded
from scenarios.world import App, Executor, World

_METADATA = {"zone": "eu-1", "weight": 3, "flags": {"canary": True, "tags": ["a", "ä/ö"]}}


async def _expect_listed(world: World, app: App, executor: Executor, clause: str, **fields: Any) -> None:
    """Look at the list until it shows these fields, or until it is late for that."""
    wanted = {"status": "HEALTHY", **fields}
    await until_listed(world, app, executor, wanted)
    let_in = recorded(world, "upgraded", conn=executor.conn)
    world.expect(
        clause,
        "listed",
        "HEALTHY with what it reported",
        executor=executor.id,
        after=world.last("upgraded" if let_in else "open", conn=executor.conn),  # refused, it registers nothing
        fields=wanted,
        latest="handshake",
    )


@scenario(
    "HSK-2/reported-fields",
    clauses=("HSK-2",),
    title="A registered executor is HEALTHY with all that it reported",
    variants=("python", "typescript", "go", "java"),
)
async def reported_fields(world: World, language: str) -> None:
    app = await world.app()
    executor = await world.executor(
        app, version="v-2.1+b7", language=language, hostname="pod-7.example", sdk_version="9.8.7", metadata=_METADATA
    )
    await _expect_listed(
        world,
        app,
        executor,
        "HSK-2",
        version="v-2.1+b7",
        hostname="pod-7.example",
        language=language,
        sdk_version="9.8.7",
        metadata=_METADATA,
    )


@scenario(
    "HSK-2/reported-anew",
    clauses=("HSK-2",),
    title="What an executor reports at its next connection replaces what it reported before",
)
async def reported_anew(world: World) -> None:
    app = await world.app()
    executor = await world.executor(app, script=SILENT, connect=False)
    for version, hostname, round_ in (("v1", "before", 1), ("v2", "after", 2)):
        asked = await asked_for_info(world, executor)
        metadata = {"round": round_}
        answer = info_answer(
            executor.id, asked["request_id"], application_version=version, hostname=hostname, executor_metadata=metadata
        )
        await executor.send(answer)

        await _expect_listed(world, app, executor, "HSK-2", version=version, hostname=hostname, metadata=metadata)
        await executor.close()


_OPTIONAL: dict[str, Mapping[str, Any]] = {
    "null": {"hostname": None, "executor_metadata": None},
    "absent": {"hostname": "<absent>", "executor_metadata": "<absent>"},
    "no-hostname": {"hostname": "<absent>", "executor_metadata": {"zone": "eu-1"}},
    "no-metadata": {"executor_metadata": "<absent>"},
    "empty-metadata": {"executor_metadata": {}},
    "no-error-message": {"error_message": "<absent>"},
}


@scenario(
    "HSK-3/optional-fields",
    clauses=("HSK-3",),
    title="hostname and executor_metadata may be absent or null",
    variants=_OPTIONAL,
)
async def optional_fields(world: World, info: Mapping[str, Any]) -> None:
    app = await world.app()
    executor = await world.executor(app, info=info)
    hostname = info.get("hostname", "host")
    await _expect_listed(world, app, executor, "HSK-3", hostname=None if hostname == "<absent>" else hostname)


_EXTRA: dict[str, Mapping[str, Any]] = {
    "scalars": {"executor_pid": 17, "started": 1.5, "draining": False, "nothing": None, "region": "eu"},
    "nested": {"capabilities": {"rewind": [1, 2, {"deep": True}]}, "status": "DEAD", "app_id": "another"},
    "names-of-the-list": {"executorId": "another", "appVersion": "v9", "updatedAt": "2001-01-01T00:00:00Z"},
}


@scenario(
    "HSK-3/extra-fields",
    clauses=("HSK-3",),
    title="Unknown extra fields of the executor_info answer are ignored",
    variants=_EXTRA,
)
async def extra_fields(world: World, extra: Mapping[str, Any]) -> None:
    app = await world.app()
    executor = await world.executor(app, info=extra)
    await _expect_listed(world, app, executor, "HSK-3", version="v1")
