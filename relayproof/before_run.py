"""Looks at a relay and its profile before a run, for every command that plays scenarios."""

from __future__ import annotations

from collections.abc import Sequence

from relayproof.errors import ContradictedClaim
from scenarios import claims, preflight, worlds
from scenarios.errors import ProfileError
from scenarios.profile import Pace, Profile
from scenarios.targets.scratch import Scratch
from scenarios.worlds import SessionOptions

REACHING = ("wire", "real")
"""The worlds that meet a relay of the profile's; the simulated one has its own."""


async def look(profile: Profile, pace: Pace, played: Sequence[str], given: str, seed: int = 0) -> None:
    """``given``: what --relay was given, to be named in errors.

    Raises `ProfileError` where the relay can't be reached or refuses a key or an application of the profile, and
    `ContradictedClaim` where something is there that the profile declares absent: a run without it would be no proof.
    """
    if profile.builtin is not None and not claims.declared_absent(profile):
        return
    if not set(REACHING) & set(played):
        return
    timing = profile.timing_at(pace)
    try:
        await preflight.reach(profile)
    except ProfileError as problem:
        raise ProfileError(f"{given}: {problem}") from problem
    with Scratch("look") as scratch:
        options = SessionOptions(profile=profile, timing=timing, seed=seed, folder=scratch.path)
        async with worlds.factory("wire")(options) as session:
            if refused := await preflight.wrong_entries(session, profile):
                raise ProfileError(f"{given}: {'; '.join(refused)}")
            contradicted = await claims.contradicted(session, profile, 60 + 4 * timing.grace_s)
    if contradicted:
        raise ContradictedClaim(f"the profile of {profile.name} claims what isn't so: {'; '.join(contradicted)}")
