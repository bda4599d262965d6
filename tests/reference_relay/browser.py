"""A headless Chromium, driven by its DevTools protocol: open a page, ask it something, photograph it."""

from __future__ import annotations

import base64
import itertools
import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

from tests.reference_relay.support import until

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
BROWSER = next((path for name in NAMES if (path := shutil.which(name))), None)
_QUIET = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
    "--remote-debugging-port=0",
)  # fmt: skip


class Page:
    """One tab."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)

    def command(self, method: str, **params: Any) -> dict[str, Any]:
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            answer = json.loads(self._socket.recv(timeout=30))
            if answer.get("id") == number:
                assert "error" not in answer, answer
                found: dict[str, Any] = answer["result"]
                return found

    def open(self, url: str) -> None:
        """Go there, and wait until the whole page is there: a navigation is answered before its page was read."""
        self.command("Page.navigate", url=url)
        until(lambda: self.ask("location.href") == url and self.ask("document.readyState") == "complete", url, 30)

    def ask(self, expression: str) -> Any:
        """The value of a JavaScript expression."""
        result = self.command("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def photograph(self, picture: Path) -> None:
        data = self.command("Page.captureScreenshot", format="png", captureBeyondViewport=True)["data"]
        picture.write_bytes(base64.b64decode(data))


@contextmanager
def browser(profile: Path, size: str = "1280,1100") -> Iterator[Page]:
    """A browser with a profile of its own and one empty page."""
    assert BROWSER is not None, f"install one of {', '.join(NAMES)}"
    command = [BROWSER, *_QUIET, f"--user-data-dir={profile}", f"--window-size={size}", "about:blank"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            line = next(text for text in process.stderr if "DevTools listening on " in text)
            root = line.split("DevTools listening on ")[1].strip()
            with connect(root, max_size=None, proxy=None) as control:
                targets = Page(control).command("Target.getTargets")["targetInfos"]
            target = next(found for found in targets if found["type"] == "page")
            address = f"{root.split('/devtools')[0]}/devtools/page/{target['targetId']}"
            with connect(address, max_size=None, proxy=None) as socket:
                yield Page(socket)
        finally:
            process.kill()
