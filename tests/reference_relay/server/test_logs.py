"""No key in any line, and not a line a second for one cause."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from reference_relay.server.logs import RateLimitedLog, Redactor, configure

KEY = "dbos_acme_0123456789abcdef"


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    stream = io.StringIO()
    redactor = Redactor()
    redactor.learn("an-odd-key-from-the-file")
    configure("info", redactor, stream)
    yield stream
    root.handlers, root.level = handlers, level
    structlog.reset_defaults()


@pytest.mark.parametrize(
    "text",
    [
        KEY,
        f"GET /websocket/shop/{KEY} HTTP/1.1",
        "GET /base//websocket/shop/whatever-was-given?x=1 HTTP/1.1",
        "Authorization: Bearer whatever-was-given",
        "failed for an-odd-key-from-the-file",
    ],
)
def test_keys_are_taken_out_wherever_they_stand(lines: io.StringIO, text: str) -> None:
    log = structlog.get_logger("reference_relay")
    log.info(text, field=text, nested={"a": [text, {text: 1}]})
    logging.getLogger("uvicorn.error").error("from the library: %s", text)
    try:
        raise RuntimeError(text)
    except RuntimeError:
        logging.getLogger("asyncio").exception("with a traceback")
    written = lines.getvalue()
    assert len(written.splitlines()) == 3
    for secret in (KEY, "whatever-was-given", "an-odd-key-from-the-file"):
        assert secret not in written
    for line in written.splitlines():
        assert {"event", "level", "timestamp"} <= set(json.loads(line))


def test_one_line_for_a_cause_that_comes_back_each_second(lines: io.StringIO) -> None:
    now_s = 0.0
    limited = RateLimitedLog(period_s=300, now_s=lambda: now_s)
    for second in range(900):
        now_s = float(second)
        limited.warning("refused", address="a", reason="unknown key")
    limited.warning("refused", address="b", reason="unknown key")
    seen = [json.loads(line) for line in lines.getvalue().splitlines()]
    assert [(line["address"], line.get("suppressed", 0)) for line in seen] == [
        ("a", 0),
        ("a", 299),
        ("a", 299),
        ("b", 0),
    ]


def test_many_causes_do_not_fill_the_memory(lines: io.StringIO) -> None:
    limited = RateLimitedLog(causes=10)
    for number in range(1000):
        limited.warning("refused", address=str(number))
    assert len(limited._seen) == 10
