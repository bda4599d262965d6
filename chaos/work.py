"""Endless work for one fleet, drawn from a seed: workflows of every kind whose one lawful end is known beforehand."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from chaos.workload import QUEUE, Job
from sdk_matrix.contract import Child, Fail, GetEvent, Instruction, Recv, SendMessage, SetEvent, Sleep, Start, Step

__all__ = ["SHARES", "Order", "Work", "unsafe"]

SHARES = {
    "plain": 30, "queued": 25, "child": 12, "sleeping": 8, "receiving": 8, "waiting": 5, "retrying": 7, "failing": 5,
}  # fmt: skip
_NEEDS = {"receiving": ("instruction recv", "command send"), "waiting": ("instruction get_event",)}
_ONE_COPY = frozenset({
    "kill", "kill-all", "kill-at-step", "kill-after-ack", "restart", "stop", "upgrade", "relay-and-executor-kill",
    "db-restart", "db-terminate", "db-cut", "db-slow", "db-cut-during-recovery",
})  # fmt: skip
"""Faults after which no two living executors have one workflow in hand."""
_UNSAFE_TWICE = {
    "java": {
        "instruction recv": "of two copies one is given nothing for the message, and writes over the recorded end",
    }
}
"""What an SDK does wrong where two living executors have one workflow, which no relay can prevent (measured)."""
_WAIT_S = 120.0  # beyond every outage: a wait that times out would end otherwise than promised
_PAYLOADS = (0, 16, 2048, 65536)


@dataclass(frozen=True, slots=True)
class Order:
    """What is started together, in order, and the message that is then sent."""

    jobs: tuple[Job, ...]
    message: SendMessage | None = None


def unsafe(language: str, faults: Iterable[str]) -> Mapping[str, str]:
    """What is not asked of this SDK in a run with these faults, and why. The verdict is the relay's, not the SDK's."""
    return {} if _ONE_COPY.issuperset(faults) else _UNSAFE_TWICE.get(language, {})


class Work:
    """The same seed and name give the same orders. ``unsupported``: what the SDK lacks (`Ready.unsupported`)."""

    def __init__(self, seed: int, name: str, unsupported: Collection[str] = (), *, longest_s: float = 4.0) -> None:
        self._source = random.Random(f"work {name} {seed}")
        self._name = name
        self._number = 0
        self._longest_s = longest_s
        self._shares = {
            kind: share
            for kind, share in SHARES.items()
            if not any(need in unsupported for need in _NEEDS.get(kind, ()))
        }

    def next(self) -> Order:
        kind = self._source.choices(list(self._shares), list(self._shares.values()))[0]
        return self.make(kind)

    def make(self, kind: str) -> Order:
        """One order of this kind."""
        self._number += 1
        workflow = f"{self._name}-{kind}-{self._number}"
        if self._number % 17 == 0:
            workflow += "-é/?#ü"  # ids are free text
        job = Job(kind, Start(workflow=workflow, instructions=self._body(kind, workflow), queue=_queue(kind)))
        match kind:
            case "receiving":
                return Order((job,), SendMessage(to=workflow, topic="news", message=f"for {workflow}"))
            case "waiting":
                publisher = f"{self._name}-publishing-{self._number}"
                first = (*self._steps(1), SetEvent(key="ready", value=f"of {publisher}"), *self._steps(1, first=2))
                return Order((Job("publishing", Start(workflow=publisher, instructions=first)), job))
        return Order((job,))

    def _body(self, kind: str, workflow: str) -> tuple[Instruction, ...]:
        match kind:
            case "plain" | "queued":
                return self._steps(self._source.randint(2, 5))
            case "child":
                queue = QUEUE.name if self._source.random() < 0.3 else None
                return (*self._steps(1), Child(f"{workflow}-child", self._steps(2), queue), *self._steps(1, first=2))
            case "sleeping":
                nap_s = round(self._source.uniform(1.0, self._longest_s), 3)
                return (*self._steps(1), Sleep(nap_s), *self._steps(1, first=2))
            case "receiving":
                told = f"for {workflow}"
                return (*self._steps(1), Recv(topic="news", timeout_s=_WAIT_S, expects=told), *self._steps(1, first=2))
            case "waiting":
                publisher = f"{self._name}-publishing-{self._number}"
                value = f"of {publisher}"
                return (
                    GetEvent(workflow=publisher, key="ready", timeout_s=_WAIT_S, expects=value), *self._steps(1),
                )  # fmt: skip
            case "retrying":
                return (
                    *self._steps(1),
                    Step("step-2", self._duration_s(), 16, fails_times=1),
                    *self._steps(1, first=3),
                )
            case "failing":
                return (*self._steps(2), Fail(message=f"{workflow} fails as promised"))
        raise AssertionError(f"unknown kind {kind!r}")

    def _steps(self, count: int, first: int = 1) -> tuple[Instruction, ...]:
        return tuple(
            Step(f"step-{number}", self._duration_s(), self._source.choice(_PAYLOADS))
            for number in range(first, first + count)
        )

    def _duration_s(self) -> float:
        return round(self._source.uniform(0.1, 0.6), 3)


def _queue(kind: str) -> str | None:
    return QUEUE.name if kind == "queued" else None
