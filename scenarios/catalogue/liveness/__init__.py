"""LIV: who is alive, who is gone, and for how long the relay waits before it says so."""
