"""DEAD executors that wait: for a peer to join, or for the end of a backoff."""

from __future__ import annotations

from msgspec.structs import replace

from reference_relay.core.config import ns
from reference_relay.core.engine import Engine
from reference_relay.core.records import AppKey, Executor, ExecutorKey, Phase, Recovery, Status
from reference_relay.core.timers import Timer


class Waiting(Engine):
    """How a recovery stands, and what wakes it."""

    def _recovery_of(self, key: ExecutorKey) -> Recovery | None:
        executor = self.executors.get(key)
        return executor.recovery if executor is not None and executor.status is Status.DEAD else None

    def _progress(self, key: ExecutorKey, recovery: Recovery) -> None:
        """Not stored: after a restart every DEAD executor starts anew (REC-19)."""
        self._put_executor(key, replace(self.executors[key], recovery=recovery))

    def _wait_for_peer(self, executor: Executor, reason: str) -> None:
        """Nobody can be asked: stay DEAD, be visible, look again when somebody joins (REC-11, REC-13, REC-27)."""
        assert executor.recovery is not None
        recovery = replace(executor.recovery, phase=Phase.WAITING, due_ns=None, request_id=None, asked=())
        self._progress(executor.key, recovery)
        self._surface(executor.key, reason)

    def _surface(self, key: ExecutorKey, reason: str) -> None:
        """Into the audit log and the relay's log, once a reason."""
        recovery = self._recovery_of(key)
        if recovery is None or recovery.surfaced == reason:
            return
        self._progress(key, replace(recovery, surfaced=reason))
        self._audit("executor.wait_for_peer", key, success=False, reason=reason, attempt=recovery.attempt)
        self._log("warning", "recovery waits", org=key.org, app=key.app, executor=key.executor_id, reason=reason)

    def _back_off(self, key: ExecutorKey) -> None:
        """Every candidate was asked: a new round after a growing, bounded pause (REC-12)."""
        recovery = self._recovery_of(key)
        assert recovery is not None
        due_ns = self._now_ns + self._backoff_ns(recovery.rounds)
        self._progress(
            key,
            replace(
                recovery, phase=Phase.BACKOFF, rounds=recovery.rounds + 1, due_ns=due_ns, request_id=None, asked=()
            ),
        )
        self._arm(Timer.BACKOFF, key, due_ns)

    def _backoff_ns(self, rounds: int) -> int:
        timing = self.config.timing
        growth = timing.backoff_factor ** min(rounds, 64)
        return ns(min(timing.backoff_first_s * growth, timing.backoff_cap_s))

    def _seek_soon(self, app: AppKey, delay_ns: int) -> None:
        """Somebody joined, or a setting changed: the DEAD executors of the application look for a peer anew.

        A join waits one first backoff, so that after a partition those that are about to return are not recovered
        just because another one was faster.
        """
        if not self.dead.get(app):
            return
        application = self.applications[app]
        seek_ns = self._now_ns + delay_ns
        if application.seek_ns is None or application.seek_ns > seek_ns:
            self._put("applications", app, replace(application, seek_ns=seek_ns))
            self._arm(Timer.SEEK, app, seek_ns)

    def _seek_now(self, app: AppKey) -> None:
        self._put("applications", app, replace(self.applications[app], seek_ns=None))
        for executor_id in self.dead.get(app, ()):
            key = ExecutorKey(*app, executor_id)
            recovery = self._recovery_of(key)
            if recovery is not None and recovery.phase in (Phase.WAITING, Phase.BACKOFF):
                self._progress(key, replace(recovery, phase=Phase.WAITING, rounds=0, asked=(), due_ns=None))
                self._seek_peer(key)

    def _seek_peer(self, key: ExecutorKey) -> None:
        """Ask the next candidate, or wait."""
        raise NotImplementedError

    def _candidates(self, dead: Executor) -> tuple[ExecutorKey, ...]:
        """Who may take over its work."""
        raise NotImplementedError

    def _start_sweeping(self, app: AppKey) -> None:
        """Ask each grace period what remembered ids own (REC-25)."""
        raise NotImplementedError
