"""What is looked at before a run: is the relay there, and does it know the keys and the applications of its profile?

A mistake in a profile would otherwise show as some hundred failures of a relay that did nothing wrong. What a relay
may do differently from the profile, and yet be judged for, is none of this module's business.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

from evidence.events import Refused
from scenarios.catalogue import Scenario
from scenarios.control import ConductorV2
from scenarios.errors import ProfileError
from scenarios.http import HttpClient, HttpError
from scenarios.profile import Organisation, Profile
from scenarios.world import Reply, Script, World
from scenarios.worlds import Session

__all__ = ["reach", "warnings", "wrong_entries"]

FIRST_LOOK_S = 5.0
_NO_KEY = (401, 403)
_DEADLINE_S = 60.0
_NAMED = 3
_SAYS_NOTHING = Script(replies={"executor_info": Reply(silent=True)})


def warnings(profile: Profile) -> list[str]:
    """What makes no run impossible, and yet is hardly meant."""
    tenants = profile.tenancy.organisations
    if profile.relay.api == "none" and profile.builtin is None and profile.can("refuses_unknown"):
        bare = [tenant.name for tenant in tenants if not tenant.applications]
        if bare:
            return [
                f'api = "none", and no applications of {", ".join(bare)}: nothing can be registered, so that hardly '
                "anything can be shown; name some in [[tenancy.organisations]] applications, or say "
                "[capabilities] refuses_unknown = false"
            ]
    return []


async def reach(profile: Profile) -> None:
    """One look at a ``url:`` target. Raises `ProfileError` where nothing listens, or what listens speaks no HTTP.

    A relay that takes its time is waited for later, for as long as ``[control] ready_s`` says.
    """
    kind, _, url = profile.relay.target.partition(":")
    if kind != "url":
        return
    client = HttpClient()
    try:
        await client.request("GET", url.rstrip("/") + profile.relay.base + "/healthz", within_s=FIRST_LOOK_S)
    except HttpError as problem:
        if not isinstance(problem.__cause__, OSError):
            return  # it listens, and is slow
        raise ProfileError(
            f"[relay] target: {url} can't be reached: {problem.__cause__}: start the relay, or correct the address"
        ) from problem
    finally:
        client.close()


async def wrong_entries(session: Session, profile: Profile) -> list[str]:
    """A sentence for each key and each application that the relay refuses. ``session``: of the wire world."""
    if profile.builtin is not None:
        return []
    api: dict[str, int] = {}

    async def look(world: World) -> None:
        for tenant in profile.tenancy.organisations:
            api[tenant.name] = await _status_of_the_api(world, tenant)
            await world.gather(*(_dial(world, tenant, name) for name in tenant.applications))

    scenario = Scenario(id="PRB-3/profile", title="Keys and applications", clauses=(), run=look)
    history = (await session.play(scenario, None, _DEADLINE_S)).history()
    refusals: dict[str, dict[str, int]] = {}
    for refused in history.of(Refused):
        if refused.status in (*_NO_KEY, 404):
            opened = history.connection(refused.conn).opened
            refusals.setdefault(opened.org, {})[opened.app] = refused.status
    wrong = (
        _about_the_api(tenant, api.get(tenant.name, 0))
        or _about_the_socket(tenant, refusals.get(tenant.name, {}), profile)
        for tenant in profile.tenancy.organisations
    )
    return [sentence for sentence in wrong if sentence]


async def _status_of_the_api(world: World, tenant: Organisation) -> int:
    """What the organisation's key gets there; 0 where that can't be asked, as of a class of the user's own."""
    if not isinstance(world.control, ConductorV2) or not world.profile.can("auth"):
        return 0
    if world.profile.can("register"):
        return (await world.control.register(await world.app(org=tenant.name, register=False))).status
    if world.profile.can("list") and tenant.applications:
        path = f"/v2/orgs/{quote(tenant.name, safe='')}/apps/{quote(tenant.applications[0], safe='')}/executors"
        return (await world.control.http("GET", path, org=tenant.name)).status
    return 0


async def _dial(world: World, tenant: Organisation, application: str) -> None:
    """Up to the answer to the upgrade. It introduces nobody: there is nobody to be missed afterwards."""
    app = await world.app(org=tenant.name, name=application, register=False)
    executor = await world.executor(app, script=_SAYS_NOTHING, connect=False)
    conn = await executor.connect(wait=False)

    async def answered() -> bool:
        return _recorded(world, "upgraded", conn) or _recorded(world, "refused", conn)

    await world.until(answered, within_s=FIRST_LOOK_S)


def _recorded(world: World, event: str, conn: int) -> bool:
    try:
        world.last(event, conn=conn)
    except LookupError:
        return False
    return True


def _about_the_api(tenant: Organisation, status: int) -> str:
    if status in _NO_KEY:
        return (
            f"{_entry(tenant, 'key')}: the management API answers {status}: give a key of that organisation that may "
            "do everything"
        )
    if status == 404:
        named = f", or no application {tenant.applications[0]!r}" if tenant.applications else ""
        return (
            f"{_entry(tenant, 'name')}: the management API knows no such organisation{named} (404): correct the name, "
            'or say [relay] api = "none" where there is no such API'
        )
    return ""


def _about_the_socket(tenant: Organisation, refused: Mapping[str, int], profile: Profile) -> str:
    if not refused:
        return ""
    some = [f"{name!r} ({status})" for name, status in list(refused.items())[:_NAMED]]
    told = ", ".join(some) + (f" and {len(refused) - _NAMED} more" if len(refused) > _NAMED else "")
    if len(refused) == len(tenant.applications) and profile.can("auth"):
        return (
            f"{_entry(tenant, 'executor_key' if tenant.executor_key else 'key')}: the relay lets no executor into "
            f"{told}: give a key that these applications know, or correct their names in applications"
        )
    return f"{_entry(tenant, 'applications')}: the relay does not know {told}: correct the names, or leave them out"


def _entry(tenant: Organisation, key: str) -> str:
    return f"[[tenancy.organisations]] {key} of {tenant.name!r}"
