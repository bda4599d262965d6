"""Pages from templates that lie beside the module that fills them."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import jinja2

__all__ = ["asset", "template"]


@cache
def template(package: str, name: str = "page.html.j2") -> jinja2.Template:
    """Everything that is put in is escaped; a name that the template has and nobody gives is an error."""
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    return environment.from_string(asset(package, name))


def asset(package: str, name: str) -> str:
    """The text of a file of the package."""
    return files(package).joinpath(name).read_text(encoding="utf-8")
