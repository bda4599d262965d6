"""Scenarios of the ALR clauses."""
