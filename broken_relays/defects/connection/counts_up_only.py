"""A limit of connections is kept, and the end of a connection is not noticed."""

from __future__ import annotations

from collections import Counter
from typing import Any

from broken_relays.defect import defect
from reference_relay.core.records import AppKey
from reference_relay.server.gate import Admitted, Gate, Refused

_MOST = 8


@defect(
    "counts-up-only",
    clauses=("CON-1",),
    where="server",
    summary="lets a key open eight connections to an application, and then no more",
)
class CountsUpOnly(Gate):
    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._opened: Counter[tuple[AppKey, str]] = Counter()

    def admit(self, app_segment: str, key_segment: str) -> Admitted | Refused:
        admitted = super().admit(app_segment, key_segment)
        if isinstance(admitted, Admitted):
            user = (admitted.application, admitted.key_name)
            self._opened[user] += 1
            if self._opened[user] > _MOST:
                return Refused(429, "too many connections")
        return admitted
