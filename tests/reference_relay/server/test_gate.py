"""Admission and permissions, without a socket."""

from __future__ import annotations

import pytest

from reference_relay.config import Config, KeySpec, OrganisationSpec
from reference_relay.core.records import AppKey
from reference_relay.server.gate import Admitted, Gate, Refused, decode_segment, digest, make_secret
from reference_relay.store import KeyRecord

SHOP_KEY = "dbos_acme_shop0123456789"
ADMIN_KEY = "dbos_acme_admin0123456789"
READER_KEY = "dbos_acme_reader0123456789"
OTHER_KEY = "dbos_globex_other0123456789"
KNOWN = {AppKey("acme", "shop"), AppKey("acme", "till"), AppKey("globex", "shop"), AppKey("local", "shop")}


def gate(auth: str = "keys", stored: tuple[KeyRecord, ...] = ()) -> Gate:
    acme = (
        KeySpec(name="admin", key=ADMIN_KEY, permissions="all"),
        KeySpec(name="shop", sha256=digest(SHOP_KEY), applications=("shop",)),
        KeySpec(name="reader", key=READER_KEY, permissions=("application.read",)),
    )
    globex = (KeySpec(name="other", key=OTHER_KEY),)
    organisations = {"acme": OrganisationSpec(keys=acme), "globex": OrganisationSpec(keys=globex)}
    return Gate(Config(auth=auth, organisations=organisations), stored, KNOWN.__contains__)


def test_a_key_opens_its_own_organisation_only() -> None:
    assert gate().admit("shop", ADMIN_KEY) == Admitted(AppKey("acme", "shop"), "admin")
    assert gate().admit("shop", OTHER_KEY) == Admitted(AppKey("globex", "shop"), "other")


@pytest.mark.parametrize(
    ("app", "key", "status"),
    [
        ("shop", "dbos_acme_unknown0123456789", 401),
        ("shop", "x", 401),
        ("shop", ADMIN_KEY.upper(), 401),
        ("till", SHOP_KEY, 403),
        ("shop", READER_KEY, 403),
        ("nowhere", ADMIN_KEY, 404),
        ("till", OTHER_KEY, 404),
        ("", ADMIN_KEY, 400),
        ("shop", "", 400),
        ("shop", "%zz", 400),
        ("shop", "%ff%fe", 400),
        ("shop%2", ADMIN_KEY, 400),
        ("sh%2Fop", ADMIN_KEY, 404),
        ("%2573hop", ADMIN_KEY, 404),
    ],
)
def test_refusals(app: str, key: str, status: int) -> None:
    refused = gate().admit(app, key)
    assert isinstance(refused, Refused)
    assert refused.status == status
    assert not key or key not in refused.reason


def test_segments_are_decoded_once() -> None:
    assert gate().admit("%73hop", ADMIN_KEY.replace("_", "%5F")) == Admitted(AppKey("acme", "shop"), "admin")
    assert decode_segment("a%2Fb%253F%C3%A9") == "a/b%3Fé"


def test_without_authentication_everybody_is_local() -> None:
    opened = gate("none")
    assert opened.admit("shop", "anything") == Admitted(AppKey("local", "shop"), "")
    subject = opened.caller(None)
    assert subject is not None
    assert (subject.org, subject.kind) == ("local", "user")


@pytest.mark.parametrize("header", [None, "", "Bearer", "Bearer x", f"Basic {ADMIN_KEY}", ADMIN_KEY])
def test_nobody_calls_without_a_bearer_token(header: str | None) -> None:
    assert gate().caller(header) is None


def test_what_a_caller_may() -> None:
    subject = gate().caller(f"bearer {READER_KEY}")
    assert subject is not None
    assert subject.may("application.read")
    assert not subject.may("application.write")
    scoped = gate().caller(f"Bearer {SHOP_KEY}")
    assert scoped is not None
    assert (scoped.reaches("shop"), scoped.reaches("till"), scoped.reaches(None)) == (True, False, False)


def test_keys_come_and_go() -> None:
    secret = make_secret("acme")
    assert secret.startswith("dbos_acme_")
    record = KeyRecord("acme", "ci", digest(secret), ("websocket.connect",), None, 7)
    opened = gate(stored=(record,))
    assert isinstance(opened.admit("shop", secret), Admitted)
    assert not opened.is_fixed("acme", "ci")
    assert opened.is_fixed("acme", "admin")
    assert opened.remove("acme", "ci") == record
    assert isinstance(opened.admit("shop", secret), Refused)
    assert opened.key("acme", "ci") is None


def test_a_key_of_the_configuration_takes_the_place_of_a_stored_one() -> None:
    stored = KeyRecord("acme", "admin", digest("dbos_acme_former0123456789"), ("websocket.connect",), None, 7)
    assert isinstance(gate(stored=(stored,)).admit("shop", "dbos_acme_former0123456789"), Refused)
