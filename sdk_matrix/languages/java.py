"""Java: each version of the SDK packed by Maven into one jar, from the artifacts that dependencies.lock pins."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import zipfile
from pathlib import Path
from xml.etree import ElementTree

from sdk_matrix.errors import BuildFailed, LicenceRefused
from sdk_matrix.languages.base import WORKERS_FOLDER, Environment, Language, Worker, digest, run

__all__ = ["JAVA_SDK", "LANGUAGE"]

JAVA_SDK = "1.1.0-m6"
_ARTIFACT = "dev.dbos:transact"
_JDK = 17  # what the SDK is compiled for
_PROGRAM = WORKERS_FOLDER / "java"
_LOCK = _PROGRAM / "dependencies.lock"
_MVN = ("mvn", "--quiet", "--batch-mode")
LICENCE_COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy"  # the version of pom.xml
_CLIENT = "dev/dbos/transact/conductor/Conductor.class"
_MIT = ("mit", "mit license", "the mit license")
# A small heap and the quick compiler: a dozen of these share a machine, each lives for minutes.
_JVM = ("java", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")


def make(version: str | None = None) -> Worker:
    """None: the pinned version. Raises `LicenceRefused` for what is no version."""
    version = version or JAVA_SDK
    if re.fullmatch(r"\d+\.\d+[\w.-]*", version) is None:
        raise LicenceRefused(f"{_ARTIFACT}: {version!r} is no version: write it as in java=={JAVA_SDK}")
    environment = Environment(f"java-{version}-{digest(_PROGRAM / 'src', _PROGRAM / 'pom.xml', _LOCK)}")
    jar = environment.folder / "worker.jar"

    def fill(folder: Path) -> None:
        pom = folder / f"transact-{version}.pom"
        run((*_MVN, LICENCE_COPY, f"-Dartifact={_ARTIFACT}:{version}:pom", f"-DoutputDirectory={folder}"), cwd=folder)
        require_mit_pom(pom)
        shutil.copytree(_PROGRAM / "src", folder / "src")
        shutil.copy(_PROGRAM / "pom.xml", folder)
        loose = () if version == JAVA_SDK else (f"-Dtransact.version={version}", "-Denforcer.skip")
        run((*_MVN, "package", *loose), cwd=folder)
        libraries = folder / "target" / "lib"
        require_client(libraries / f"transact-{version}.jar")
        if version == JAVA_SDK:
            require_locked(_LOCK, libraries)
        (folder / "target" / "worker.jar").rename(jar)
        shutil.rmtree(folder / "target")

    def missing() -> str | None:
        if (reason := _missing_java(building=not environment.built)) is not None:
            return reason
        return None if environment.built else f"{_ARTIFACT} {version} is not built yet: call build()"

    return Worker(
        language="java",
        command=(*_JVM, "-jar", str(jar)),
        databases=("postgresql",),
        forks=False,
        missing=missing,
        version=version,
        build=lambda: environment.build(fill),
    )


def require_mit_pom(pom: Path) -> None:
    """Read what a release declares of itself; its jar has no licence file. Raises `LicenceRefused` unless MIT alone."""
    root = ElementTree.parse(pom).getroot()
    names = [(name.text or "").strip() for name in root.findall("{*}licenses/{*}license/{*}name")]
    if not names or any(name.lower() not in _MIT for name in names):
        said = ", ".join(names) or "no licence"
        raise LicenceRefused(f"{pom.stem} declares {said}: only releases under the MIT licence alone are run")


def require_client(jar: Path) -> None:
    """Raises `LicenceRefused` where the release has no Conductor client of its own."""
    with zipfile.ZipFile(jar) as archive:
        if _CLIENT not in archive.namelist():
            raise LicenceRefused(f"{jar.stem} has no Conductor client of its own: choose another version")


def require_locked(lock: Path, libraries: Path) -> None:
    """Compare all jars that went in with the digests of the lock. Raises `BuildFailed` and names those that differ."""
    wanted = {tuple(line.split()) for line in lock.read_text().splitlines() if line and not line.startswith("#")}
    found = {(hashlib.sha256(jar.read_bytes()).hexdigest(), jar.name) for jar in libraries.glob("*.jar")}
    if differing := sorted({name for _, name in wanted ^ found}):
        raise BuildFailed(f"not as {lock.name} has it: {', '.join(differing)}")


def _missing_java(*, building: bool) -> str | None:
    how = f"install a JDK {_JDK} or newer and Maven 3.8 or newer (packages of the distribution: default-jdk, maven)"
    for program in ("java", "javac", "mvn") if building else ("java",):
        if shutil.which(program) is None:
            return f"{program} is not on the PATH: {how}"
    said = subprocess.run(("java", "-version"), capture_output=True, text=True, check=False).stderr
    found = re.search(r'version "(\d+)', said)
    if found is None or int(found[1]) < _JDK:
        return f"this Java is older than what the SDK takes ({said.splitlines()[0] if said else 'no answer'}): {how}"
    return None


LANGUAGE = Language(name="java", versions=(JAVA_SDK,), make=make)
