"""Servers to measure: a bare one, which is the reference, and the whole reference relay. Both are driven alike."""
