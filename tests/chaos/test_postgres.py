"""The harness's own PostgreSQL: it starts, breaks as asked, and leaves nothing behind."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from chaos import postgres
from chaos.errors import DatabaseGone, MissingPostgres
from chaos.postgres import PostgresServer

psycopg = pytest.importorskip("psycopg", reason="no PostgreSQL client: pip install 'relayproof[chaos]'")


@pytest.fixture(autouse=True)
def _needs_a_server() -> Iterator[None]:
    try:
        postgres.binaries()
    except MissingPostgres as problem:
        pytest.skip(str(problem))
    yield


async def test_one_cluster_breaks_in_every_way_and_leaves_nothing() -> None:
    async with PostgresServer() as server:
        folder = server._folder
        await server.create("python")
        await server.execute("python", "CREATE TABLE kept (id int)")
        await server.execute("python", "INSERT INTO kept VALUES (1)")
        port = server.port
        await server.restart("immediate")
        assert server.port == port and server.running
        assert await server.execute("python", "SELECT id FROM kept") == [(1,)]

        async with await psycopg.AsyncConnection.connect(server.url("python"), autocommit=True) as connection:
            assert await server.terminate("python") == 1
            with pytest.raises(psycopg.OperationalError):
                await connection.execute("SELECT 1")

        await server.pause()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(server.execute("python", "SELECT 1"), 0.5)
        await server.resume()
        assert await server.execute("python", "SELECT 2") == [(2,)]

        await server.stop()
        with pytest.raises(DatabaseGone, match="does not answer"):
            await server.execute("python", "SELECT 1")
        await server.start()
        await server.pause()  # the end comes all the same
    assert folder is not None and not folder.exists()
    assert not server.running


async def test_a_missing_server_is_told_with_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres, "_PLACES", "/nowhere")
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(MissingPostgres, match="apt-get install postgresql"):
        PostgresServer()


async def test_a_killed_server_leaves_no_shared_memory() -> None:
    async with PostgresServer() as server:
        (kind,) = await server.execute("postgres", "SHOW dynamic_shared_memory_type")
        folder = server._folder
        assert kind == ("mmap",) and folder is not None and any((folder / "data" / "pg_dynshmem").iterdir())
    assert not folder.exists()
