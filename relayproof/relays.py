"""What stands behind ``--relay``, as far as only this package can tell: `scenarios` imports no relay."""

from __future__ import annotations

from scenarios import profile_loading
from scenarios.errors import ProfileError
from scenarios.profile import Profile

__all__ = ["resolve"]


def resolve(relay: str) -> Profile:
    """As `scenarios.profile_loading.resolve`; a broken relay that there is not is told before anything starts, too.

    Raises `ProfileError`.
    """
    profile = profile_loading.resolve(relay)
    kind, _, name = (profile.builtin or "").partition("/")
    if kind == "broken":
        import broken_relays  # 1.5 s: only where it is asked for

        try:
            broken_relays.find(name)
        except broken_relays.DefectError as problem:
            raise ProfileError(f"--relay {relay}: {problem}") from problem
    return profile
