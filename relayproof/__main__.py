"""``python -m relayproof``."""

import os
import signal
from types import FrameType
from typing import NoReturn


def _interrupted(number: int, frame: FrameType | None) -> NoReturn:
    """Ctrl-C before there is anything to tidy up. An exception could end in a traceback, or unseen in a callback."""
    os.write(2, b"relayproof: interrupted\n")
    os._exit(130)


if __name__ == "__main__":
    waiting = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # nohup ignores it
    if waiting:
        signal.signal(signal.SIGINT, _interrupted)

    from relayproof.cli import main  # half a second of imports

    if waiting:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    main()
