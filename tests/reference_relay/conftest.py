"""One relay for all tests of a module that do not disturb it; each test has an application of its own."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import httpx
import pytest

from tests.reference_relay.support import RelayProcess, relay_in

_numbers = itertools.count(1)


@pytest.fixture(scope="module")
def relay(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RelayProcess]:
    with relay_in(tmp_path_factory.mktemp("relay")) as process:
        yield process
        assert process.process.poll() is None, f"the relay ended: {process.log()}"


@pytest.fixture
def client(relay: RelayProcess) -> Iterator[httpx.Client]:
    with relay.client() as opened:
        yield opened


@pytest.fixture
def app(client: httpx.Client) -> str:
    name = f"app-{next(_numbers)}"
    assert client.put(f"/v2/orgs/acme/apps/{name}").status_code == 204
    return name
