"""The relay without I/O: events and the time in, effects out. No clock, no await, no randomness."""
