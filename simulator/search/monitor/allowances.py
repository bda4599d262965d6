"""What an allowed setting must lead to: a recovery that waits goes on (REC-15)."""

from __future__ import annotations

from dataclasses import dataclass

from conductor.timing import Timing
from reference_relay.core.records import AppKey, ExecutorKey, Status
from simulator.clock import Clock, ns
from simulator.search.monitor.recovery import Death, Recoveries


@dataclass(frozen=True, slots=True)
class Allowance:
    """Recovery to the latest version was allowed while ``death`` waited; ``able`` could be asked then."""

    death: Death
    at_ns: int
    due_ns: int
    able: frozenset[ExecutorKey]
    asks: int  # about it, until then


class Allowances(Recoveries):
    """Who waits when the setting is allowed has somebody asked about it, or about which version is the latest."""

    def __init__(self, clock: Clock, timing: Timing, *, stop: bool) -> None:
        super().__init__(clock, timing, stop=stop)
        self._allowances: list[Allowance] = []
        self._versions_asked_ns: dict[AppKey, int] = {}

    def versions_asked(self, app: AppKey) -> None:
        self._versions_asked_ns[app] = self.worked

    def allowed(self, app: AppKey) -> None:
        """The setting was off until now."""
        open_ = [conn for conn in self.open_conns() if conn.app == app]
        if any(asked.type == "list_application_versions" for conn in open_ for asked in conn.asked.values()):
            return  # its answer leads to the rest
        due_ns = self.worked + ns(self.timing.backoff_first_s) + self.scan + self.slack
        for key, death in self.deaths.items():
            able = self._able(death) if key.application == app else frozenset()
            if able:
                self._allowances.append(Allowance(death, self.worked, due_ns, able, len(death.asks)))

    def forget_allowances(self) -> None:
        """The relay was killed: it begins anew."""
        self._allowances.clear()

    def _able(self, death: Death) -> frozenset[ExecutorKey]:
        """Of the latest version and not asked yet; anybody, where nobody has told which one that is."""
        app, dead = death.key.application, self.shown.get(death.key)
        if dead is None or dead.status is not Status.DEAD or self.candidates(dead) or self._busy(death):
            return frozenset()
        told = self.latest_told.get(app)
        return frozenset(
            key for key, record in self.shown.items()
            if record.status is Status.HEALTHY and key.application == app and key not in death.latest
            and (told is None or (record.info.application_version, record.info.language) == (told, dead.info.language))
        )  # fmt: skip

    def look_at_allowances(self) -> None:
        due = [each for each in self._allowances if each.due_ns < self.worked]
        if not due:
            return
        self._allowances = [each for each in self._allowances if each not in due]
        for each in due:
            death, app = each.death, each.death.key.application
            moved = len(death.asks) > each.asks or self._versions_asked_ns.get(app, -1) >= each.at_ns
            stands = self.deaths.get(death.key) is death and self.latest_allowed.get(app) and self._able(death)
            if not moved and stands and each.able & self._able(death):
                self.broken(
                    "REC-15", "the setting being allowed leads to the dispatch", f"nobody is asked about {death.key}"
                )
