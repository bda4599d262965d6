"""What faults have made of an executor's manners: how it answers, until they heal."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Manner:
    """Belongs to the member, so that a fresh process behaves alike."""

    lying: bool = False  # success: true to a recovery, and nothing done
    refusing: str = ""  # "false" or "error": recoveries
    deaf: bool = False  # answers pings and no request
    late_ns: int = 0  # every answer
    wrong: str = ""  # "type" or "error": every answer but executor_info
    dies_after_ack: bool = False
    dies_at_step: tuple[int, str] | None = None
