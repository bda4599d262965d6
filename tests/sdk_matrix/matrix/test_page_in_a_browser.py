"""The matrix page in a real browser: its filters, and the frames behind a cell."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from relayproof import matrix_page
from sdk_matrix.matrix.model import Cell
from tests.reference_relay.browser import BROWSER, Page, browser
from tests.reference_relay.support import until
from tests.sdk_matrix.matrix.made import exits, matrix

pytestmark = pytest.mark.skipif(BROWSER is None, reason="needs Chromium")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    folder = tmp_path_factory.mktemp("page")
    lost = Cell("no database", measured=False)
    found = matrix(typescript_1=(exits(), Cell("none")), python_1=(Cell("error", notes=("a note",)), lost))
    (folder / "index.html").write_text(matrix_page.page(found))
    with browser(folder / "profile") as opened:
        opened.open((folder / "index.html").as_uri())
        until(lambda: rows(opened) == 2, "both rows", 20)
        yield opened


def rows(page: Page) -> int:
    return int(page.ask("document.querySelectorAll('#table tbody tr').length"))


def press(page: Page, chip: str) -> None:
    page.ask(f"document.querySelector('.chip[{chip}]').click()")


def text(page: Page) -> str:
    return str(page.ask("document.getElementById('table').textContent"))


@pytest.mark.parametrize(
    ("chip", "left"),
    [
        ('data-group="liveness"', ["liveness/ping_interval"]),
        ('data-kind="source"', []),
        ('data-kind="documents"', ["liveness/ping_interval"]),
        ('data-kind="languages"', ["misbehaviour/malformed_json"]),
        ('data-kind="unmeasured"', ["liveness/ping_interval"]),
    ],
)
def test_a_chip_leaves_the_rows_that_it_names(page: Page, chip: str, left: list[str]) -> None:
    press(page, chip)
    assert page.ask("[...document.querySelectorAll('#table tbody tr')].map((line) => line.id)") == left
    assert page.ask("document.getElementById('count').textContent") == f"{len(left)} of 2 rows"
    press(page, chip)
    assert rows(page) == 2


def test_an_sdk_can_be_left_out(page: Page) -> None:
    press(page, 'data-sdk="1"')
    assert "python==1" not in text(page) and "typescript==1" in text(page)
    press(page, 'data-sdk="1"')


def test_what_sources_say_is_shown_beside_what_was_seen(page: Page) -> None:
    assert "source: process exits 1" not in text(page)
    press(page, 'data-kind="declared"')
    assert "source: process exits 1" in text(page) and "source: not said" in text(page)
    assert rows(page) == 2
    press(page, 'data-kind="declared"')


def test_notes_stand_in_their_cell(page: Page) -> None:
    assert "a note" in text(page)


def test_a_search_looks_at_rows_and_values(page: Page) -> None:
    for sought, count in (("PINGS", 1), ("exits", 1), ("neither", 0), ("", 2)):
        page.ask(f"((box) => {{ box.value = '{sought}'; box.dispatchEvent(new Event('input')); }})(search)")
        assert rows(page) == count


def test_a_cell_opens_its_frames_as_text(page: Page) -> None:
    page.ask("document.querySelector('#table tbody td.cell button').click()")
    assert page.ask("document.getElementById('proof').open") is True
    assert page.ask("document.querySelectorAll('#proof tr.relay').length") == 1
    shown = page.ask("document.getElementById('proof').textContent")
    assert '</script><b>"' in shown and "process exits 1" in shown and "ENV-12" in shown
    page.ask("document.querySelector('#proof .close').click()")
    assert page.ask("document.getElementById('proof').open") is False


def test_a_cell_without_frames_says_where_it_was_seen(page: Page) -> None:
    page.ask("[...document.querySelectorAll('#table tbody td.cell button')].at(-1).click()")
    assert "not measured: no database" in page.ask("document.getElementById('proof').textContent")
    page.ask("document.getElementById('proof').close()")
