"""`matrix.json`: written for people to read, read back whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from sdk_matrix.errors import MatrixError
from sdk_matrix.matrix.model import FORMAT, Matrix

__all__ = ["BadMatrix", "encode", "json_schema", "read", "write"]


class BadMatrix(MatrixError):
    """A file that holds no matrix of this format; the text names the file and the place in it."""


def json_schema() -> dict[str, Any]:
    """Of the file."""
    return {"title": "relayproof matrix.json"} | msgspec.json.schema(Matrix)


def encode(matrix: Matrix) -> bytes:
    return msgspec.json.format(msgspec.json.encode(matrix), indent=1) + b"\n"


def write(matrix: Matrix, path: Path) -> None:
    path.write_bytes(encode(matrix))


def read(path: Path) -> Matrix:
    """Raises `BadMatrix`."""
    try:
        matrix = msgspec.json.decode(path.read_bytes(), type=Matrix)
    except OSError as problem:
        raise BadMatrix(f"{path}: {problem.strerror}; relayproof matrix writes such files") from None
    except msgspec.DecodeError as problem:
        raise BadMatrix(f"{path} is no matrix: {problem}; relayproof matrix writes such files") from None
    if matrix.format != FORMAT:
        raise BadMatrix(f"{path} has format {matrix.format}, this version reads {FORMAT}: measure anew")
    missing = [
        (row.id, c.sdk) for row in matrix.rows for c in matrix.columns if c.sdk not in matrix.cells.get(row.id, {})
    ]
    if missing:
        raise BadMatrix(f"{path} lacks the cell of {missing[0][0]} for {missing[0][1]}: measure anew")
    return matrix
