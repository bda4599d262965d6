"""The fast invariants of a search: what can be told of a relay while it runs, without a history.

They look where a user could: at the frames, at the executors list, at the audit log, at the answers to calls. What they
find is a fact for the judge, who decides on the whole history of the same schedule.
"""

from simulator.search.monitor.base import Violation
from simulator.search.monitor.monitor import Monitor

__all__ = ["Monitor", "Violation"]
