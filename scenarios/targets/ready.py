"""Waiting until a relay answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from scenarios.http import HttpClient, HttpError

LOOK_AGAIN_S = 0.05
ONE_LOOK_S = 2.0


async def wait_until_ready(url: str, *, gone: Callable[[], None] = lambda: None) -> None:
    """Returns when ``/healthz`` gives any answer: a relay without it answers 404, and is there all the same.

    ``gone`` may raise when waiting has become useless. The caller sets the deadline.
    """
    client = HttpClient()
    try:
        while True:
            gone()
            try:
                if (await client.request("GET", url + "/healthz", within_s=ONE_LOOK_S)).status < 500:
                    return
            except HttpError:
                pass  # not there yet
            await asyncio.sleep(LOOK_AGAIN_S)
    finally:
        client.close()
