"""``python -m broken_relays NAME``: start one broken relay; every other option is the reference relay's."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from broken_relays import DefectError, all_defects, find
from reference_relay.main import WRONG_USAGE, run

USAGE = """\
usage: python -m broken_relays NAME [options of python -m reference_relay, such as --port N]
       python -m broken_relays --list [--long]

A relay with one defect. --list names them, one a line; --long adds the clauses that each breaks, and how.
"""


def main(argv: Sequence[str]) -> int:
    """Returns the relay's exit code; 64 for a name or an option that there is not."""
    name, options = (argv[0], list(argv[1:])) if argv else ("", [])
    if name in ("-h", "--help"):
        print(USAGE, end="")
        return 0
    if name == "--list" and set(options) <= {"--long"}:
        _list(long="--long" in options)
        return 0
    if not name or name.startswith("-"):
        print(USAGE, end="", file=sys.stderr)
        return WRONG_USAGE
    try:
        defect = find(name)
    except DefectError as error:
        print(f"broken_relays: {error}", file=sys.stderr)
        return WRONG_USAGE
    if not {"-h", "--help"}.isdisjoint(options):
        print(f"{defect.name}: {defect.summary}; breaks {', '.join(defect.clauses)}. Else as:\n")
    return run(options, defect.parts)


def _list(*, long: bool) -> None:
    for defect in all_defects():
        print(f"{defect.name:36} {','.join(defect.clauses):24} {defect.summary}" if long else defect.name)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
