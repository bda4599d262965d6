"""The Docker runtime: relay, PostgreSQL and workers as containers, and the faults that only containers can have."""
