"""A picture of a run's page, for the documentation: needs Chromium.

python -m relayproof.report.screenshot results/latest docs/images/report.png --open LIV-3/silent-socket
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
_QUIET = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--virtual-time-budget=3000",
)  # fmt: skip


def opened(html: str, scenario: str) -> str:
    """The page with one scenario unfolded and moved to the top. Raises LookupError where the page lacks it."""
    start, name = r'<details class="scenario"(?:(?!</details>).)*?', f'<span class="id">{re.escape(scenario)}</span>'
    folded = re.compile(rf"{start}{name}.*?</details>\n", re.DOTALL)
    found = folded.search(html)
    if found is None:
        raise LookupError(f"the page has no scenario {scenario!r}")
    first = html.index('<details class="scenario"')
    whole = found.group().replace('<details class="scenario"', '<details open class="scenario"', 1)
    return html[:first] + whole + html[first : found.start()] + html[found.end() :]


def take(page: Path, picture: Path, *, size: str = "1280,1500", dark: bool = False) -> None:
    """Photograph a page in a headless browser. Raises LookupError without one, CalledProcessError if it fails."""
    browser = next((path for name in _BROWSERS if (path := shutil.which(name))), None)
    if browser is None:
        raise LookupError(f"no browser: install one of {', '.join(_BROWSERS)}")
    with tempfile.TemporaryDirectory() as profile:
        scheme = ["--blink-settings=preferredColorScheme=0"] if dark else []
        command = [browser, *_QUIET, *scheme, f"--user-data-dir={profile}", f"--window-size={size}"]
        command += [f"--screenshot={picture.resolve()}", page.resolve().as_uri()]
        subprocess.run(command, check=True, timeout=120, capture_output=True)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m relayproof.report.screenshot", description=__doc__)
    parser.add_argument("folder", type=Path, help="a run's folder with report.html")
    parser.add_argument("picture", type=Path, help="the PNG to write")
    parser.add_argument("--open", default="", help="id of a scenario to unfold")
    parser.add_argument("--size", default="1280,1500", help="width,height in pixels")
    parser.add_argument("--dark", action="store_true", help="in dark colours")
    options = parser.parse_args(arguments)
    html = (options.folder / "report.html").read_text(encoding="utf-8")
    options.picture.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        page.write_text(opened(html, options.open) if options.open else html, encoding="utf-8")
        take(page, options.picture, size=options.size, dark=options.dark)
    print(options.picture)
    return 0


if __name__ == "__main__":
    sys.exit(main())
