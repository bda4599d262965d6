"""A worker without an SDK: it does on the socket what a test wants to see measured.

With ``--jitter`` it waits after a refusal for another time at each refusal, and dials at once after a drop.
"""

from __future__ import annotations

import itertools
import json
import sys
import threading
import time
from pathlib import Path

from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

REDIAL_S = 0.2
JITTER_S = 0.7
GOLDEN = 0.618


def serve(connection: ClientConnection) -> None:
    for text in connection:
        message = json.loads(text)  # what is no JSON ends the process, as in one real SDK
        answer = {name: message[name] for name in ("type", "request_id") if name in message}
        match message.get("type"):
            case "executor_info":
                connection.send(json.dumps({**answer, "executor_id": "x"}))
            case "alert":
                continue
            case "retention":
                threading.Timer(5.0, connection.send, (json.dumps(answer),)).start()
            case "cancel":
                connection.close(1011, "bad request")
            case "resume":
                connection.socket.close()
            case "list_workflows":
                connection.send(json.dumps({**answer, "error_message": "Traceback\n  deep\nValueError: no"}))
            case _:
                connection.send(json.dumps({**answer, "error_message": "Unknown message type"}))


def commands() -> None:
    for _ in sys.stdin:
        print(json.dumps({"event": "stopped"}), flush=True)


def main() -> None:
    numbers = itertools.count()
    jitter = "--jitter" in sys.argv
    config = json.loads(Path(sys.argv[-1]).read_text())
    threading.Thread(target=commands, daemon=True).start()
    ready = {"contract": 2, "language": "python", "sdk_version": "0.1", "executor_id": "x", "pid": 1}
    print(json.dumps({"event": "ready", **ready}), flush=True)
    while True:
        try:
            url = f"{config['relay_url']}/websocket/{config['application']}/{config['key']}"
            with connect(url, ping_interval=None, proxy=None) as connection:
                serve(connection)
        except InvalidStatus:
            # Spread as draws are, and the same in every run.
            time.sleep(next(numbers) * GOLDEN % 1 * JITTER_S if jitter else REDIAL_S)
        except (ConnectionClosed, OSError):
            time.sleep(0.0 if jitter else REDIAL_S)


main()
