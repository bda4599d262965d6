"""The management API: names, shapes and status codes of the public "Conductor API" 2.0.0 document.

One operation is one small function with an `operation` decorator in one of these modules. Extensions are documented in
docs/extensions.md.
"""
