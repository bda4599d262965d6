"""Every state of the relay's core within small bounds, breadth-first: see docs/exploration.md."""
