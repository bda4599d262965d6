"""Schedules of faults, in files that every runtime reads: the simulator and the real world."""

from scenarios.schedule.call import CallAt
from scenarios.schedule.errors import ScheduleError
from scenarios.schedule.file import FaultAt, Member, Schedule, read, write
from scenarios.schedule.kinds import KINDS, Arg, Kind

__all__ = ["KINDS", "Arg", "CallAt", "FaultAt", "Kind", "Member", "Schedule", "ScheduleError", "read", "write"]
