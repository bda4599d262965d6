"""What stops a benchmark."""


class BenchError(Exception):
    """The benchmark can't go on. The text names what is missing or what ended, and the way out."""
