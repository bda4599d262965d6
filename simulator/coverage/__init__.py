"""Which events the core was given in which states and phases, seen from outside: see docs/exploration.md."""
