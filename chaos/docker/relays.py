"""The relay under test as a container of a run."""

from __future__ import annotations

from pathlib import Path

from conductor.timing import Timing
from scenarios import targets
from scenarios.profile import Profile
from scenarios.targets import Target, builtin
from scenarios.targets.image import ImageTarget, Placement

__all__ = ["relay_target"]


def relay_target(
    profile: Profile, timing: Timing, folder: Path, instance: str, tag: str, placement: Placement
) -> Target:
    """A builtin relay, from the image ``tag``, with tenants of its own and this timing; an ``image:`` as it is.

    Relays that are processes, or that somebody else runs, stay what they are: the harness is between.
    """
    kind, _, rest = profile.relay.target.partition(":")
    if kind == "image":
        return ImageTarget(profile, rest, instance, placement)
    if profile.builtin is None:
        return targets.make(profile, timing, folder, instance)
    name, _, defect = profile.builtin.partition("/")
    tenants = builtin.organisations()
    settings = builtin.configuration(tenants, timing, profile.relay.base).decode()
    built = Placement(
        run=placement.run,
        network=placement.network,
        environment={"RELAY_YAML": settings},
        command=("reference_relay",) if name == "reference" else ("broken_relays", defect),
    )
    return ImageTarget(profile, tag, instance, built, tenants)
