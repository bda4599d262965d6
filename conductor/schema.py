"""JSON Schema of all messages and records, made from the classes that the codec uses."""

from __future__ import annotations

from typing import Any, get_args

import msgspec

from conductor import messages
from conductor.messages import Request, Response

__all__ = ["json_schema"]


def json_schema() -> dict[str, Any]:
    """The protocol as one JSON Schema (2020-12).

    `$defs` holds every message, body and record by its class name, plus `Request` and `Response`; the root takes
    either. Unknown fields are allowed, as the protocol page asks. The schema says what is read; what may be sent is
    narrower, see `conductor.sendable`.
    """
    groups = {"Request": get_args(Request), "Response": get_args(Response)}
    classes = [*groups["Request"], *groups["Response"]]
    _, components = msgspec.json.schema_components(classes, ref_template="#/$defs/{name}")
    definitions = dict(sorted(components.items()))
    for name, members in groups.items():
        definitions[name] = {
            "title": name,
            "description": getattr(messages, f"{name}Base").__doc__.splitlines()[0],
            "oneOf": [{"$ref": f"#/$defs/{member.__name__}"} for member in members],
            "discriminator": {
                "propertyName": "type",
                "mapping": {member.__struct_config__.tag: f"#/$defs/{member.__name__}" for member in members},
            },
        }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "DBOS Conductor wire protocol",
        "description": "One JSON text frame, either way: requests from the relay, responses from the executor.",
        "anyOf": [{"$ref": "#/$defs/Request"}, {"$ref": "#/$defs/Response"}],
        "$defs": definitions,
    }
