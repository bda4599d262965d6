"""Builds the workers of all languages before the tests that need them: a first build takes minutes, a test two."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

from sdk_matrix.languages import LANGUAGES, parse


def build(language: str) -> str:
    began_s = time.monotonic()
    worker = parse(language)
    worker.build()
    worker.check()
    return f"{language} {worker.version}: {time.monotonic() - began_s:.0f} s"


with ThreadPoolExecutor(2) as pool:
    for line in pool.map(build, LANGUAGES):
        print(line, flush=True)
