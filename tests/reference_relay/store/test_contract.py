"""What every store must do, whatever database is behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec import structs

from reference_relay.core.records import (
    AppKey,
    Application,
    Executor,
    ExecutorInfo,
    ExecutorKey,
    Phase,
    Recovery,
    Remembered,
    Settings,
    Status,
)
from reference_relay.store import (
    AuditEntry,
    AuditQuery,
    Clock,
    DropMetrics,
    ForgetApplication,
    KeyRecord,
    MarkPatched,
    MetricPoint,
    PolicyRecord,
    RuleRecord,
    SaveKey,
    SavePolicy,
    SaveRecord,
    SaveRule,
    Store,
)
from reference_relay.store.memory import MemoryStore
from reference_relay.store.sqlite import SqliteStore

SHOP = AppKey("acme", "shop")
E1 = ExecutorKey("acme", "shop", "e1")
APPLICATION = Application(SHOP, "id-1", Settings(executor_timeout_s=7, recover_to_latest_version=True))
EXECUTOR = Executor(
    key=E1,
    info=ExecutorInfo("e1", "v1", "host", "python", "2.31.1", {"a": [1, {"b": None}]}),
    status=Status.DEAD,
    conn=None,
    created_ms=1,
    updated_ms=2,
    disconnected_ns=3,
    recovery=Recovery(Phase.BACKOFF, attempt=2, due_ns=9, asked=("e2", "e3"), surfaced="no peer"),
)
REMEMBERED = Remembered(E1, "v1", "python", 10**18)
KEY = KeyRecord("acme", "ci", "ab" * 32, ("websocket.connect",), ("shop",), 5)

RULE = RuleRecord(
    application=SHOP, id="r1", type="SlowQueue", metadata={"a": [1, None]}, receiver="other", min_interval_s=5,
    created_ms=1, last_fired_ms=2,
)  # fmt: skip
POLICY = PolicyRecord(application=SHOP, queue="q", has_rollout=True, max_old_versions=0, max_old_executors=None)
OTHER = AppKey("acme", "other")

Open = Callable[[], Store]


def point(app: AppKey, bucket_ms: int, name: str = "w", value: int = 1) -> MetricPoint:
    return MetricPoint(
        application=app, type="workflow_count", name=name, granularity_s=300, bucket_ms=bucket_ms, value=value
    )


@pytest.fixture(params=["memory", "sqlite"])
def reopen(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """Each call closes the store and opens it again on the same data."""
    memory = MemoryStore()
    opened: list[Store] = []

    def again() -> Store:
        if opened:
            opened.pop().close()
        opened.append(memory if request.param == "memory" else SqliteStore(tmp_path))
        return opened[0]

    yield again
    for store in opened:
        store.close()


def entry(number: int, *, operation: str = "executor.recover", emit_ms: int = 1000, app: str = "shop") -> AuditEntry:
    return AuditEntry(
        id=f"entry-{number}", org="acme", emit_ms=emit_ms, operation=operation, success=number % 2 == 0,
        subject_type="user", subject_id="relay", subject_display="The Relay", target_type="application",
        target_id=f"target-{number}", source_ip="", application=app, details={"number": number, "deep": [{}]},
    )  # fmt: skip


def test_an_empty_store_gives_nothing(reopen: Open) -> None:
    store = reopen()
    stored = store.load()
    assert (list(stored.applications), list(stored.executors), list(stored.remembered)) == ([], [], [])
    assert (stored.clock_ns, store.keys(), store.patched(), store.audit("acme", AuditQuery())) == (0, [], {}, [])


def test_records_come_back_as_they_were(reopen: Open) -> None:
    reopen().commit(
        [
            SaveRecord("applications", SHOP, APPLICATION),
            SaveRecord("executors", E1, EXECUTOR),
            SaveRecord("remembered", E1, REMEMBERED),
            Clock(123_456_789_012),
        ]
    )
    stored = reopen().load()
    assert list(stored.applications) == [APPLICATION]
    assert list(stored.executors) == [EXECUTOR]
    assert list(stored.remembered) == [REMEMBERED]
    assert stored.clock_ns == 123_456_789_012


def test_saving_again_replaces_and_none_removes(reopen: Open) -> None:
    store = reopen()
    store.commit([SaveRecord("applications", SHOP, APPLICATION), SaveRecord("executors", E1, EXECUTOR)])
    other = Application(SHOP, "id-1", Settings())
    store.commit([SaveRecord("applications", SHOP, other), SaveRecord("executors", E1, None)])
    stored = reopen().load()
    assert list(stored.applications) == [other]
    assert list(stored.executors) == []


def test_writes_of_one_commit_apply_in_order(reopen: Open) -> None:
    reopen().commit([SaveRecord("executors", E1, EXECUTOR), SaveRecord("executors", E1, None), Clock(1), Clock(2)])
    stored = reopen().load()
    assert (list(stored.executors), stored.clock_ns) == ([], 2)


def test_patched_fields_add_up_and_survive_a_save_of_the_application(reopen: Open) -> None:
    store = reopen()
    store.commit([SaveRecord("applications", SHOP, APPLICATION), MarkPatched(SHOP, ("private_mode",))])
    store.commit([MarkPatched(SHOP, ("executor_timeout_s",)), SaveRecord("applications", SHOP, APPLICATION)])
    assert reopen().patched() == {SHOP: frozenset({"private_mode", "executor_timeout_s"})}


def test_patched_fields_go_with_their_application(reopen: Open) -> None:
    store = reopen()
    store.commit([SaveRecord("applications", SHOP, APPLICATION), MarkPatched(SHOP, ("private_mode",))])
    store.commit([SaveRecord("applications", SHOP, None)])
    store.commit([SaveRecord("applications", SHOP, APPLICATION)])
    assert reopen().patched() == {}


def test_keys_come_back_and_go(reopen: Open) -> None:
    store = reopen()
    store.commit([SaveKey("acme", "ci", KEY)])
    assert reopen().keys() == [KEY]
    reopen().commit([SaveKey("acme", "ci", None)])
    assert reopen().keys() == []


def test_audit_entries_come_back_newest_first(reopen: Open) -> None:
    store = reopen()
    store.commit([entry(1), entry(2, emit_ms=3000), entry(3)])
    rows = reopen().audit("acme", AuditQuery())
    assert [row.entry for row in rows] == [entry(2, emit_ms=3000), entry(3), entry(1)]
    assert reopen().audit("globex", AuditQuery()) == []


@pytest.mark.parametrize(
    ("query", "numbers"),
    [
        (AuditQuery(start_ms=2000), [4, 3]),
        (AuditQuery(end_ms=2000), [2, 1]),
        (AuditQuery(start_ms=1000, end_ms=1001), [2, 1]),
        (AuditQuery(operation="executor.delete"), [4]),
        (AuditQuery(subject="relay", limit=1), [4]),
        (AuditQuery(subject="The Relay", offset=3), [1]),
        (AuditQuery(subject="nobody"), []),
        (AuditQuery(target="target-2"), [2]),
        (AuditQuery(application="till"), [3]),
        (AuditQuery(limit=2, offset=1), [3, 2]),
    ],
)
def test_audit_filters(reopen: Open, query: AuditQuery, numbers: list[int]) -> None:
    store = reopen()
    store.commit([entry(1), entry(2)])
    store.commit([entry(3, emit_ms=2000, app="till"), entry(4, emit_ms=2000, operation="executor.delete")])
    rows = store.audit("acme", query)
    assert [row.entry.details and row.entry.details["number"] for row in rows] == numbers


def test_an_empty_commit_is_no_error(reopen: Open) -> None:
    reopen().commit([])


def test_rules_and_policies(reopen: Open) -> None:
    changed = structs.replace(RULE, last_fired_ms=3)
    reopen().commit([SaveRule(SHOP, "r1", RULE), SaveRule(SHOP, "r2", RULE), SavePolicy(SHOP, POLICY)])
    reopen().commit([SaveRule(SHOP, "r1", changed), SaveRule(SHOP, "r2", None), SaveRule(OTHER, "r9", None)])
    assert reopen().rules() == [changed]
    assert reopen().policies() == [POLICY]
    reopen().commit([SavePolicy(SHOP, None), SavePolicy(OTHER, None)])
    assert reopen().policies() == []


def test_metrics(reopen: Open) -> None:
    reopen().commit([point(SHOP, 20), point(SHOP, 10, "b"), point(SHOP, 10, "a"), point(OTHER, 10)])
    reopen().commit([point(SHOP, 20, value=7)])  # in place of the first
    assert reopen().metrics(SHOP, 10, 20) == [point(SHOP, 10, "a"), point(SHOP, 10, "b")]
    assert reopen().metrics(SHOP, 20, 21) == [point(SHOP, 20, value=7)]
    reopen().commit([DropMetrics(20)])
    assert reopen().metrics(SHOP, 0, 100) == [point(SHOP, 20, value=7)]
    assert reopen().metrics(OTHER, 0, 100) == []


def test_what_belongs_to_an_application_goes_with_it(reopen: Open) -> None:
    of_other = structs.replace(RULE, application=OTHER)
    writes = [SaveRule(SHOP, "r1", RULE), SaveRule(OTHER, "r1", of_other), SavePolicy(SHOP, POLICY)]
    reopen().commit([*writes, point(SHOP, 1), point(OTHER, 1), ForgetApplication(SHOP)])
    store = reopen()
    assert (store.rules(), store.policies()) == ([of_other], [])
    assert (store.metrics(SHOP, 0, 9), store.metrics(OTHER, 0, 9)) == ([], [point(OTHER, 1)])
