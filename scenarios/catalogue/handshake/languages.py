"""HSK-8: languages that no SDK has."""

from __future__ import annotations

from scenarios.catalogue import scenario
from scenarios.world import World


@scenario(
    "HSK-8/unknown-language",
    clauses=("HSK-8",),
    title="A language outside the four: accepted or refused",
    simulated=False,
    variants={"other": "rust", "empty": "", "case": "Python", "absent": "<absent>", "null": None},
)
async def unknown_language(world: World, language: str | None) -> None:
    app = await world.app()
    executor = await world.executor(app, info={"language": language}, connect=False)
    await executor.connect(wait=False)
    taken = await world.until_status(executor, "HEALTHY", within_s=world.timing.handshake_deadline_s)
    world.expect(
        "HSK-8",
        "value",
        "what the relay makes of it",
        name=f"an executor whose language is {language!r}",
        value="accepted" if taken else "refused",
        unit="",
    )
