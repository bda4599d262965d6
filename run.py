#!/usr/bin/env python3
"""Set up an environment of the project's own, then run relayproof in it.

    python3 run.py conform          prove the built-in reference relay
    python3 run.py test             run the project's tests
    python3 run.py setup            only set up the environment
    python3 run.py pytest ...       pytest in that environment (also with --relay-profile)
    python3 run.py broken_relays ...    a relay with one defect
    python3 run.py COMMAND ...      any other command of relayproof; --help lists them

Needs nothing but Python 3.11 or newer. The environment lives in .venv beside this file and is
built again whenever the pinned requirements change. Only the standard library is used here.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

OLDEST = (3, 11)
ROOT = Path(__file__).resolve().parent
VENV = Path(os.environ.get("RELAYPROOF_VENV", ROOT / ".venv"))
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
LOCK = ROOT / "requirements.lock"


def main(arguments: list[str]) -> int:
    if sys.version_info < OLDEST:
        return fail(
            f"relayproof needs Python {OLDEST[0]}.{OLDEST[1]} or newer; this is {sys.version.split()[0]}.\n"
            "Run this file with a newer interpreter, for example: python3.12 run.py conform"
        )
    problem = set_up()
    if problem:
        return fail(problem)
    if arguments[:1] == ["setup"]:
        return 0
    if arguments[:1] == ["test"]:
        command = [str(PYTHON), "-m", "pytest", *(arguments[1:] or ["-n", "2", "--dist", "worksteal"])]
    elif arguments[:1] in (["pytest"], ["broken_relays"]):
        command = [str(PYTHON), "-m", *arguments]
    else:
        if arguments[:1] in ([], ["--help"], ["-h"]):
            print(__doc__, flush=True)
        command = [str(PYTHON), "-m", "relayproof", *(arguments or ["--help"])]
    try:
        return subprocess.call(command, cwd=ROOT if arguments[:1] == ["test"] else None)
    except KeyboardInterrupt:
        return 130


def set_up() -> str:
    """Create or refresh the environment. Returns a problem in words, or nothing."""
    wanted = hashlib.sha256(LOCK.read_bytes() + (ROOT / "pyproject.toml").read_bytes() + str(ROOT).encode()).hexdigest()
    stamp = VENV / "relayproof-setup"
    if PYTHON.exists() and stamp.exists() and stamp.read_text() == wanted:
        return ""
    print(f"Setting up {VENV} (once: some 700 MB on disk, one to four minutes) ...", file=sys.stderr, flush=True)
    if not PYTHON.exists():
        made = subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=False, capture_output=True, text=True)
        if made.returncode != 0:
            return (
                f"Could not create {VENV}:\n{made.stdout}{made.stderr}\n"
                "On Debian and Ubuntu the venv module is a package of its own: apt-get install python3-venv"
            )
    pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    for step in (["--require-hashes", "-r", str(LOCK)], ["--no-deps", "--no-build-isolation", "-e", str(ROOT)]):
        if subprocess.call([*pip, *step]) != 0:
            return f"pip could not install the requirements (its message is above). To start afresh, remove {VENV}."
    stamp.write_text(wanted)
    return ""


def fail(message: str) -> int:
    print(message, file=sys.stderr)
    return 3


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
