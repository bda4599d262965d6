"""After a restart the application has the settings that it began with."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import Application


@defect(
    "forgets-settings-on-restart", clauses=("LIV-9",), where="core", summary="keeps changed settings in memory only"
)
class ForgetsSettingsOnRestart(Core):
    def _save_application(self, record: Application) -> None:
        if record.key in self.applications:
            self._put("applications", record.key, record)
        else:
            super()._save_application(record)
