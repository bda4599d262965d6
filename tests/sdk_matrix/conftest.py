"""A PostgreSQL server for all tests of the package, and the SDKs that they run on."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import psycopg
import pytest

from chaos.errors import MissingPostgres
from chaos.postgres import PostgresServer
from sdk_matrix.errors import MissingSdk
from sdk_matrix.languages import LANGUAGES, parse
from tests.sdk_matrix.rig import Relay, Rig

SDKS = "RELAYPROOF_TEST_SDKS"
"""Environment: which SDKs to try, such as ``python==3.2.0,typescript``; unset: every language at its usual version."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "rig" in metafunc.fixturenames:
        metafunc.parametrize("rig", os.environ.get(SDKS, ",".join(LANGUAGES)).split(","), indirect=True, scope="module")


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    with asyncio.Runner() as runner:
        try:
            server = PostgresServer()
        except MissingPostgres as problem:
            pytest.skip(str(problem))
        runner.run(server.__aenter__())
        yield server
        runner.run(server.close())


@pytest.fixture(scope="module")
def rig(request: pytest.FixtureRequest, postgres: PostgresServer, tmp_path_factory: Any) -> Iterator[Rig]:
    """A worker's surroundings, for one SDK after another; its environment is built where that is not done yet."""
    try:
        worker = parse(request.param)
        worker.build()
        worker.check()
    except MissingSdk as problem:  # a build that fails is another matter: the worker does not compile
        pytest.skip(str(problem))
    prefix = "".join(letter if letter.isalnum() else "_" for letter in request.param)
    ledger = files("chaos").joinpath("evidence/step_runs.sql").read_text()
    with psycopg.connect(postgres.url("postgres"), autocommit=True) as connection:
        for name in (f"{prefix}_system", f"{prefix}_evidence"):
            connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'.encode())
            connection.execute(f'CREATE DATABASE "{name}"'.encode())
    with psycopg.connect(postgres.url(f"{prefix}_evidence"), autocommit=True) as connection:
        connection.execute(ledger.encode())
    folder: Path = tmp_path_factory.mktemp(prefix)
    with Relay().running() as relay:
        made = Rig(worker, postgres.url, prefix, relay, folder)
        try:
            yield made
        finally:
            made.close()
