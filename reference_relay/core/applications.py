"""Applications and their settings, and what the management API wants to see of the state."""

from __future__ import annotations

from msgspec.structs import replace

from reference_relay.core.effects import Applied, Save
from reference_relay.core.events import PutApplication
from reference_relay.core.handshake import Shaking
from reference_relay.core.records import AppKey, Application, Executor, ExecutorKey, Status


class Managing(Shaking):
    """What an administrator changes, and views for the management API."""

    def _put_application(self, event: PutApplication) -> None:
        before = self.applications.get(event.application)
        if before is None:
            application = Application(event.application, event.app_id, event.settings)
        else:
            application = replace(before, settings=event.settings)
        self._save_application(application)
        if before is not None and before.settings.executor_timeout_s != event.settings.executor_timeout_s:
            self._grace_changed(application)
        if before is not None and before.settings != event.settings:
            self._seek_soon(event.application, 0)
        self._emit(Applied(event.application))

    def _grace_changed(self, application: Application) -> None:
        """LIV-10: a running grace period takes the new length, from its own beginning."""
        for executor in self.executors_of(application.key):
            if executor.status is Status.DISCONNECTED and executor.disconnected_ns is not None:
                dead_at_ns = executor.disconnected_ns + self._grace_ns(application.key)
                changed = replace(executor, dead_at_ns=max(dead_at_ns, self._now_ns))
                self._save_executor(changed)
                self._arm_grace(changed)

    def _delete_application(self, app: AppKey) -> None:
        """Its connections are closed; each record that goes has its audit entry (AUD-2)."""
        if app in self.applications:
            for conn in self.connections_of(app):
                self._close(self.connections[conn], 1008, "the application was deleted")
            self._go_on_without_answers()
            for executor in self.executors_of(app):
                if executor.recovery is not None:
                    self._call_off_recovery(executor)
                self._audit("executor.delete", executor.key, reason="application deleted")
                self._put_executor(executor.key, None)
                self._emit(Save(executor.key, None, "executors"))
            for executor_id in self.remembered_ids.get(app, ()):
                self._save_remembered(ExecutorKey(*app, executor_id), None)
            self._put("applications", app, None)
            self._emit(Save(app, None, "applications"))
        self._emit(Applied(app))

    # ---- views for the management API

    def executors_of(self, app: AppKey) -> list[Executor]:
        """All records of an application, oldest registration first."""
        found = [self.executors[ExecutorKey(*app, executor_id)] for executor_id in self.members.get(app, ())]
        return sorted(found, key=lambda executor: (executor.created_ms, executor.key))

    def connections_of(self, app: AppKey) -> list[int]:
        """Numbers of the open connections of an application, ascending."""
        return sorted(conn for conn, connection in self.connections.items() if connection.application == app)

    def surfaced(self, app: AppKey) -> list[Executor]:
        """DEAD executors that wait, and for which that was said aloud (REC-27)."""
        dead = (self.executors[ExecutorKey(*app, executor_id)] for executor_id in self.dead.get(app, ()))
        return [executor for executor in dead if executor.recovery is not None and executor.recovery.surfaced]

    def someone_disconnected(self) -> bool:
        """Whether a grace period runs, so that the clock is worth storing each second (LIV-15)."""
        return any(executor.status is Status.DISCONNECTED for executor in self.executors.values())
