"""The status page in a real browser: it follows the relay by itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.reference_relay.answering import answering
from tests.reference_relay.browser import BROWSER, Page, browser
from tests.reference_relay.support import ADMIN, CONFIG, TIMING, healthy, relay_in, until

pytestmark = pytest.mark.skipif(BROWSER is None, reason="needs Chromium")

OPEN = {
    "port": 0, "auth": "none", "timing": TIMING,
    "organisations": {"local": {"applications": {"shop": {"executorTimeoutSecs": 600}}}},
}  # fmt: skip


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    with browser(tmp_path / "profile") as opened:
        yield opened


def row(page: Page, executor: str) -> str | None:
    """What the page shows as the state of an executor; None: it shows no such executor."""
    found = page.ask(f"document.querySelector('tr[data-executor=\"{executor}\"]')?.dataset.status ?? null")
    return None if found is None else str(found)


def test_a_kill_is_seen_as_disconnected_dead_and_gone(tmp_path: Path, page: Page) -> None:
    with relay_in(tmp_path, OPEN) as relay, relay.client(None) as client:
        staying = answering(relay, "shop", "staying")
        killed = answering(relay, "shop", "killed")
        killed_row = lambda: row(page, "killed")  # noqa: E731
        page.open(f"http://127.0.0.1:{relay.port}/")
        until(lambda: killed_row() == row(page, "staying") == "HEALTHY", "both HEALTHY", 20)
        staying.answers["exist_pending_workflows"] = lambda _: None  # the recovery stays in flight
        killed.close()
        until(lambda: killed_row() == "DISCONNECTED", "DISCONNECTED", 20)
        assert client.patch("/v2/orgs/local/apps/shop", json={"executorTimeoutSecs": 2}).status_code == 204
        until(lambda: killed_row() == "DEAD", "DEAD", 20)
        until(lambda: "killed" in page.ask("document.getElementById('recoveries').textContent"), "the recovery", 20)
        del staying.answers["exist_pending_workflows"]
        until(lambda: page.ask("!!document.querySelector('[data-executor]')") and killed_row() is None, "gone", 20)
        assert row(page, "staying") == "HEALTHY"
        until(lambda: "executor.recover" in page.ask("document.getElementById('audit').textContent"), "the audit", 20)
        assert client.get("/v2/orgs/local/status").json()["applications"][0]["healthy"] == 1
        relay.kill()
        until(lambda: "does not answer" in page.ask("document.getElementById('stale').textContent"), "stale", 20)
        staying.close()


def test_with_keys_it_asks_for_one_and_shows_nothing_before(tmp_path: Path, page: Page) -> None:
    with relay_in(tmp_path, CONFIG) as relay, relay.client() as client:
        assert client.put("/v2/orgs/acme/apps/shop").status_code == 204
        executor = answering(relay, "shop", "e1")
        healthy(client, "shop", "e1")
        page.open(f"http://127.0.0.1:{relay.port}/")
        until(lambda: page.ask("document.getElementById('key')?.hidden") is False, "the form", 20)
        assert page.ask("document.getElementById('page').hidden") is True
        fill(page, "acme", "dbos_acme_wrong")
        until(lambda: page.ask("document.getElementById('stale').textContent").startswith("401"), "a refusal", 20)
        fill(page, "acme", ADMIN)
        until(lambda: row(page, "e1") == "HEALTHY", "the executor", 20)
        assert ADMIN not in page.ask("document.documentElement.outerHTML")
        executor.close()


def test_the_page_of_the_operations_opens(tmp_path: Path, page: Page) -> None:
    with relay_in(tmp_path, OPEN) as relay:
        page.open(f"http://127.0.0.1:{relay.port}/docs")
        assert page.ask("!!document.getElementById('getWorkflow')")
        assert page.ask("document.querySelectorAll('details[id]').length") > 90


def fill(page: Page, org: str, key: str) -> None:
    page.ask(
        f"(form => {{ form.elements.org.value = '{org}'; form.elements.key.value = '{key}'; form.requestSubmit(); }})"
        "(document.getElementById('key'))"
    )
