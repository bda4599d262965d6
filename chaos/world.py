"""Makes the real world known to the runner, and its scenarios to the catalogue.

In it executors are processes of real SDKs, on any relay that the wire world can reach. On SQLite there are only faults
that end a process: a stopped one would hold the file's write lock (measured with dbos 2.31.1).
"""

from __future__ import annotations

from chaos import scenarios as scenarios  # importing it fills the catalogue
from chaos.real import RealWorld
from chaos.session import RealSession, real_timing
from scenarios.worlds import register

__all__ = ["RealSession", "RealWorld", "real_timing", "scenarios"]

register("real", RealSession)
