"""Which worker programs exist and how each is built and launched: one file a language (docs/add-a-language.md)."""

from __future__ import annotations

import functools

from sdk_matrix.errors import UnknownLanguage
from sdk_matrix.languages import go, java, python, typescript
from sdk_matrix.languages.base import Language, Worker
from sdk_matrix.languages.python import PYTHON_SDK

__all__ = ["LANGUAGES", "PYTHON_SDK", "WORKERS", "Language", "Worker", "parse", "worker"]

LANGUAGES = {
    language.name: language
    for language in (
        python.LANGUAGE,
        typescript.LANGUAGE,
        go.LANGUAGE,
        java.LANGUAGE,
    )
}  # fmt: skip
WORKERS = {name: language.make(None) for name, language in LANGUAGES.items()}
"""By language, the worker with the version that is launched unless told otherwise."""


def worker(language: str, version: str | None = None) -> Worker:
    """The worker of a language. Raises `UnknownLanguage`, and `LicenceRefused` for a version that is not MIT."""
    if language not in LANGUAGES:
        known = ", ".join(sorted(LANGUAGES))
        raise UnknownLanguage(f"there is no worker for {language!r}: choose among {known}")
    return WORKERS[language] if version is None else _made(language, version)


def parse(text: str) -> Worker:
    """The worker that ``python`` or ``typescript==5.2.11`` names. Raises as `worker` does."""
    language, named, version = (part.strip() for part in text.partition("=="))
    if named and not version:
        raise UnknownLanguage(
            f"{text.strip()!r} names no version: write it as in python=={PYTHON_SDK}, or python alone"
        )
    return worker(language, version or None)


@functools.cache
def _made(language: str, version: str) -> Worker:
    return LANGUAGES[language].make(version)
