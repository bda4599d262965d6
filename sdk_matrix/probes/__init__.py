"""Probes: what a running SDK is asked over a real socket, one function for a few rows (docs/add-a-probe.md)."""
