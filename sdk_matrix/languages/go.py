"""Go: each version of the SDK compiled into a program of its own, from the modules that go.sum pins."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from sdk_matrix.errors import LicenceRefused
from sdk_matrix.languages.base import (
    WORKERS_FOLDER,
    Environment,
    Language,
    Worker,
    digest,
    refuse_from,
    require_mit,
    run,
)

__all__ = ["GO_SDK", "LANGUAGE"]

GO_SDK = "1.6.0"
_MODULE = "github.com/dbos-inc/dbos-transact-golang"
_PROPRIETARY = (1, 7)
_GO = (1, 25)  # what the SDK's go.mod asks for
_PROGRAM = WORKERS_FOLDER / "go"
_ENV = {
    "GOTOOLCHAIN": "local",
    "GOWORK": "off",
}  # the compiler that is here, and nothing of a surrounding workspace


def make(version: str | None = None) -> Worker:
    """None: the pinned version; with or without the leading v. Raises `LicenceRefused`."""
    version = (version or GO_SDK).removeprefix("v")
    refuse_from(_MODULE, version, _PROPRIETARY)
    sources = sorted(file for file in _PROGRAM.iterdir() if file.suffix == ".go" or file.name in ("go.mod", "go.sum"))
    environment = Environment(f"go-{version}-{digest(*sources)}")
    program = environment.folder / "worker"

    def fill(folder: Path) -> None:
        source = folder / "source"
        source.mkdir()
        for file in sources:
            shutil.copy(file, source)
        if version != GO_SDK:
            run(("go", "get", f"{_MODULE}@v{version}"), cwd=source, env=_ENV)
            run(("go", "mod", "tidy"), cwd=source, env=_ENV)
        run(("go", "mod", "download", _MODULE), cwd=source, env=_ENV)
        module = run(("go", "list", "-m", "-f", "{{.Dir}}", _MODULE), cwd=source, env=_ENV).strip()
        require_client(version, Path(module))
        run(("go", "build", "-trimpath", "-o", str(program), "."), cwd=source, env=_ENV)
        shutil.rmtree(source)

    def missing() -> str | None:
        if environment.built:
            return None
        return _missing_go() or f"{_MODULE} {version} is not built yet: call build()"

    return Worker(
        language="go",
        command=(str(program),),
        databases=("postgresql",),
        forks=False,
        missing=missing,
        version=version,
        build=lambda: environment.build(fill),
    )


def require_client(version: str, module: Path) -> None:
    """Read the module's own licence and look for the client in it, before anything of it is compiled.

    Raises `LicenceRefused`.
    """
    require_mit(f"{_MODULE} {version}", module / "LICENSE")
    if not (module / "dbos" / "conductor.go").exists():
        raise LicenceRefused(f"{_MODULE} {version} has no Conductor client of its own: choose another version")


def _missing_go() -> str | None:
    how = f"install Go {_GO[0]}.{_GO[1]} or newer (https://go.dev/dl, or a package of the distribution)"
    if shutil.which("go") is None:
        return f"go is not on the PATH: {how}"
    said = subprocess.run(("go", "env", "GOVERSION"), capture_output=True, text=True, check=False).stdout.strip()
    found = re.match(r"go(\d+)\.(\d+)", said)
    if found is None or (int(found[1]), int(found[2])) < _GO:
        return f"{said or 'this go'} is older than what the SDK takes: {how}"
    return None


LANGUAGE = Language(name="go", versions=(GO_SDK, "1.5.0"), make=make)
