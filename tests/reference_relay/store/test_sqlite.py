"""What the SQLite store promises beyond the contract."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from importlib.resources import files
from pathlib import Path

import msgspec
import pytest

from reference_relay.errors import DataInUse, ForeignData, NewerData, StoreError, StoreUnavailable
from reference_relay.store import AuditQuery, Clock, SaveRecord, SaveRule
from reference_relay.store.sqlite import APPLICATION_ID, SCHEMA_VERSION, SqliteStore
from tests.reference_relay.store.test_contract import APPLICATION, E1, EXECUTOR, RULE, SHOP, entry


def raw(folder: Path) -> sqlite3.Connection:
    return sqlite3.connect(folder / "relay.sqlite")


def test_the_audit_table_refuses_change_and_deletion(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    store.commit([entry(1)])
    db = raw(tmp_path)
    for statement in ("UPDATE audit SET operation = 'x'", "DELETE FROM audit"):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            db.execute(statement)
    db.close()
    store.close()


def test_a_commit_that_fails_leaves_nothing(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    store.commit([entry(1)])
    with pytest.raises(sqlite3.IntegrityError):
        store.commit([SaveRecord("applications", SHOP, APPLICATION), entry(1)])  # the id is there already
    assert list(store.load().applications) == []
    store.commit([SaveRecord("applications", SHOP, APPLICATION)])
    assert list(store.load().applications) == [APPLICATION]
    store.close()


def test_a_second_relay_on_the_same_data_is_told_who_has_it(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    lines = (
        "import sys, pathlib",
        "from reference_relay.store.sqlite import SqliteStore",
        "SqliteStore(pathlib.Path(sys.argv[1]))",
    )
    ended = subprocess.run(
        [sys.executable, "-c", ";".join(lines), str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert "DataInUse" in ended.stderr
    assert "in use by another relay (process" in ended.stderr
    with pytest.raises(DataInUse):
        SqliteStore(tmp_path)
    store.close()
    SqliteStore(tmp_path).close()


def test_a_file_of_an_older_release_is_brought_up_to_date(tmp_path: Path) -> None:
    schema = files("reference_relay.store").joinpath("schema.sql").read_text(encoding="utf-8")
    db = raw(tmp_path)
    db.executescript(f"{schema} PRAGMA application_id={APPLICATION_ID}; PRAGMA user_version=1;")
    values = (*SHOP, msgspec.json.encode(APPLICATION).decode())
    db.execute("INSERT INTO applications (org, app, record) VALUES (?, ?, ?)", values)
    db.commit()
    db.close()
    store = SqliteStore(tmp_path)
    assert list(store.load().applications) == [APPLICATION]
    store.commit([SaveRule(SHOP, RULE.id, RULE)])
    assert store.rules() == [RULE]
    store.close()
    db = raw(tmp_path)
    assert db.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
    db.close()


def test_newer_foreign_and_broken_files_are_refused_untouched(tmp_path: Path) -> None:
    SqliteStore(tmp_path).close()
    db = raw(tmp_path)
    db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(NewerData, match="schema 99"):
        SqliteStore(tmp_path)

    foreign = tmp_path / "foreign"
    foreign.mkdir()
    db = raw(foreign)
    db.execute("CREATE TABLE cats (name TEXT)")
    db.close()
    with pytest.raises(ForeignData, match="another program"):
        SqliteStore(foreign)
    assert raw(foreign).execute("SELECT count(*) FROM cats").fetchone() == (0,)

    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "relay.sqlite").write_bytes(b"no database at all" * 100)
    with pytest.raises(ForeignData, match="no database of this relay"):
        SqliteStore(broken)


def test_a_damaged_page_is_told_like_any_other_damage(tmp_path: Path) -> None:
    SqliteStore(tmp_path).close()
    path = tmp_path / "relay.sqlite"
    whole = path.read_bytes()
    for start, end in ((4096, len(whole)), (100, 4096)):  # all but the first page; what the first says of the others
        path.write_bytes(whole[:start] + b"\xff" * (end - start) + whole[end:])
        refused = pytest.raises(ForeignData, match=r"relay\.sqlite is (damaged|no database)")
        with refused, closing(SqliteStore(tmp_path)) as store:
            store.load()


def test_a_damaged_record_is_named(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    store.commit([SaveRecord("executors", E1, EXECUTOR)])
    store.close()
    db = raw(tmp_path)
    db.execute("UPDATE executors SET record = '{}'")
    db.commit()
    db.close()
    store = SqliteStore(tmp_path)
    with pytest.raises(ForeignData, match="table executors is damaged"):
        store.load()
    store.close()


def test_a_directory_that_can_not_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="choose another"):
        SqliteStore(tmp_path / "file" / "data")


def test_a_locked_database_is_unavailable_for_now(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    db = raw(tmp_path)
    db.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StoreUnavailable):
        store.commit([Clock(1)])
    db.rollback()
    db.close()
    store.commit([Clock(2)])
    assert store.load().clock_ns == 2
    store.close()


def test_commits_are_written_through(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    assert store._writer.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
    assert store._writer.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    store.close()


def test_metadata_as_deep_as_a_frame_can_be_stops_no_commit(tmp_path: Path) -> None:
    depth = 1
    deepest: dict[str, object] = {}
    while True:
        try:
            deepest = msgspec.json.decode(b'{"a":' * depth + b"1" + b"}" * depth)
        except RecursionError:
            break
        depth += 1
    info = msgspec.structs.replace(EXECUTOR.info, metadata=deepest)
    store = SqliteStore(tmp_path)
    store.commit([SaveRecord("executors", E1, msgspec.structs.replace(EXECUTOR, info=info)), entry(1)])
    assert [executor.key for executor in store.load().executors] == [E1]
    assert len(store.audit("acme", AuditQuery())) == 1
    store.close()
