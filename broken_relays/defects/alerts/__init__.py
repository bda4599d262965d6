"""Defects of this family of clauses."""
