"""Waiting until a relay answers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import httpx

LOOK_AGAIN_S = 0.05


async def wait_until_ready(url: str, *, gone: Callable[[], None] = lambda: None) -> None:
    """Returns when ``/healthz`` gives any answer: a relay without it answers 404, and is there all the same.

    ``gone`` may raise when waiting has become useless. The caller sets the deadline.
    """
    async with httpx.AsyncClient(timeout=2.0) as client:
        while True:
            gone()
            try:
                answer = await client.get(url + "/healthz")
            except httpx.HTTPError:
                await asyncio.sleep(LOOK_AGAIN_S)
                continue
            if answer.status_code < 500:
                return
            await asyncio.sleep(LOOK_AGAIN_S)
