"""What goes wrong with schedule files."""

from __future__ import annotations

from scenarios.errors import UsageError


class ScheduleError(UsageError):
    """A schedule is malformed: the text names the file, the key and what is allowed."""
