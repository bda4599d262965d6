"""The contract: clauses, which of them this project claims to test, and where reported faults are covered."""

from spec.contract import Clause, Level, SpecError, claimed, claimed_clauses, clause, clauses, faults

__all__ = ["Clause", "Level", "SpecError", "claimed", "claimed_clauses", "clause", "clauses", "faults"]
