"""The SDK matrix: its rows, its cells, and what becomes of them (docs/sdk-matrix.md)."""
