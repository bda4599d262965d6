"""Recoveries: who is asked about whom, when, how often, and what becomes of the record (REC)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from conductor.timing import Timing
from reference_relay.core.core import Core
from reference_relay.core.records import AppKey, Executor, ExecutorKey, Status
from simulator.clock import SECOND_NS, Clock, ns
from simulator.search.monitor.base import EARLY_NS, Asked, Conn, seconds
from simulator.search.monitor.liveness import Liveness


@dataclass(slots=True, eq=False)
class Ask:
    """One recovery request. ``end``: "", "success", "refused", "lost", "timeout", "crash"."""

    conn: Conn
    peer: ExecutorKey
    asked: Asked
    end: str = ""


@dataclass(slots=True, eq=False)
class Death:
    """One DEAD executor, until its record is gone or it returns."""

    key: ExecutorKey
    asks: list[Ask] = field(default_factory=list)
    round: list[ExecutorKey] = field(default_factory=list)  # asked since the round began
    rounds: int = 0
    idle_ns: int | None = None  # since when somebody could be asked and nobody was
    ended_ns: int = 0  # when something last ended
    ended_true_ns: int = 0  # the same in true time: a backoff is over then too, if the relay did not work meanwhile
    reset_ns: int = 0  # when somebody last joined, or settings changed
    success_ns: int | None = None  # a peer has acknowledged it
    checking: int = 0  # exist_pending_workflows requests without an answer
    checked: bool = False  # since the success
    left: bool | None = None  # the last answer
    alone_ns: int | None = None  # since when there has been nobody to ask
    told: bool = False  # its waiting was surfaced, perhaps by the relay's process before this one
    latest: list[ExecutorKey] = field(default_factory=list)  # of the latest version, asked


class Recoveries(Liveness):
    """A death begins where the list shows DEAD."""

    def __init__(self, clock: Clock, timing: Timing, *, stop: bool) -> None:
        super().__init__(clock, timing, stop=stop)
        self.deaths: dict[ExecutorKey, Death] = {}
        self.deleted: dict[ExecutorKey, int] = {}
        self.latest_told: dict[AppKey, str] = {}
        self.surfaced_ids: set[str] = set()  # by the audit log
        self.joined_ns: dict[AppKey, int] = {}  # when somebody last did

    def version_told(self, app: AppKey, version: str) -> None:
        """The latest one, which may start a new round of every recovery at once (REC-14)."""
        self.latest_told[app] = version
        for key, death in self.deaths.items():
            if key.application == app:
                death.reset_ns = self.worked

    # ---- candidates

    def candidates(self, dead: Executor) -> list[ExecutorKey]:
        """HEALTHY, same application, version and language."""
        info = dead.info
        return [
            key for key, record in self.shown.items()
            if record.status is Status.HEALTHY and key.application == dead.key.application and key != dead.key
            and record.info.application_version == info.application_version and record.info.language == info.language
        ]  # fmt: skip

    def reckon(self, joined: Collection[AppKey] = ()) -> None:
        """The list has changed, or something has ended: who could be asked about each death.

        ``joined``: applications in which somebody joined, or settings changed.
        """
        self.joined_ns.update(dict.fromkeys(joined, self.worked))
        for key, death in self.deaths.items():
            record = self.shown.get(key)
            if record is None:
                continue
            able, busy = bool(self.candidates(record)), self._busy(death)
            if key.application in joined:
                death.reset_ns = self.worked
                if not busy:  # one that is under way goes on in its round
                    death.round.clear()
                    death.rounds = 0
            death.alone_ns = None if able or busy else (death.alone_ns or self.worked)
            if not able or busy:
                death.idle_ns = None
            elif death.idle_ns is None:
                death.idle_ns = max(self.worked if not death.asks else death.ended_ns, death.ended_ns)
                if not death.asks or death.reset_ns > death.ended_ns:
                    death.idle_ns = self.worked

    def _busy(self, death: Death) -> bool:
        for ask in death.asks:
            if ask.end == "":
                if ask.conn.ended_ns is not None:
                    self._over(death, ask, "lost")
                elif self.worked >= ask.asked.due_ns:
                    self._over(death, ask, "timeout", ask.asked)
                else:
                    return True
        return death.checking > 0

    def _over(self, death: Death, ask: Ask, how: str, lapsed: Asked | None = None) -> None:
        ask.end = how
        self._ended(death, lapsed)

    def _ended(self, death: Death, lapsed: Asked | None = None) -> None:
        """Something did now, or a request at its deadline."""
        death.ended_ns = max(death.ended_ns, lapsed.due_ns if lapsed else self.worked)
        death.ended_true_ns = max(death.ended_true_ns, min(lapsed.lapses_ns, self.now) if lapsed else self.now)

    # ---- what the relay decides

    def recovery_decided(self, conn: Conn, asked: Asked) -> None:
        ids = asked.frame.get("executor_ids")
        if not isinstance(ids, list) or len(ids) != 1 or not isinstance(ids[0], str):
            self.broken("REC-1", "a recovery names exactly one executor", f"executor_ids is {str(ids)[:80]}")
            return
        key = ExecutorKey(*conn.app, ids[0])
        dead = self.shown.get(key)
        if dead is None:
            homes = [other for other in self.shown if other.executor_id == key.executor_id]
            clause = "REC-6" if key in self.deleted else "REC-1"
            if homes:
                clause = "REC-3" if homes[0].org == key.org else "REC-4"
            self.broken(clause, "a recovery names a DEAD executor of the application", f"it names {key.executor_id}")
            return
        if dead.status is not Status.DEAD:
            clause = "REC-26" if dead.status is Status.HEALTHY else "LIV-7"
            self.broken(clause, "a recovery names a DEAD executor", f"{key.executor_id} is {dead.status}")
            return
        peer = self.shown.get(conn.key) if conn.key is not None else None
        if conn.key is None or peer is None or peer.status is not Status.HEALTHY or conn.key == key:
            self.broken(
                "REC-5", "a HEALTHY peer is asked", f"asked was {conn.key.executor_id if conn.key else conn.number}"
            )
            return
        death = self.deaths.setdefault(key, Death(key))
        self._rightly_chosen(death, dead, conn.key, peer)
        asked.about = key
        self._in_time(death)
        death.asks.append(Ask(conn, conn.key, asked))
        death.round.append(conn.key)
        death.idle_ns = death.alone_ns = death.success_ns = None

    def _rightly_chosen(self, death: Death, dead: Executor, peer_key: ExecutorKey, peer: Executor) -> None:
        busy = self._busy(death)
        if busy and any(ask.end == "" and self.now < ask.asked.lapses_ns - EARLY_NS for ask in death.asks):
            self.broken("REC-10", "one recovery of an executor at a time", "a second peer is asked")
        able = self.candidates(dead)
        if peer_key not in able:
            self._of_another_kind(death, dead, peer_key, peer, able)
            return
        fresh = [key for key in able if key not in death.round]
        anew = self.worked - death.reset_ns <= ns(self.timing.backoff_first_s) + self.slack  # a round of its own
        if peer_key in death.round:
            if fresh and not anew:
                self.broken("REC-7", "who was not asked yet comes first", f"{peer_key.executor_id} is asked again")
            pause_ns = self.now - death.ended_true_ns
            least_ns = ns(self.timing.backoff_first_s)
            if pause_ns < least_ns - EARLY_NS and not anew:
                self.broken("REC-12", f"a new round after {seconds(least_ns)}", f"after {seconds(pause_ns)}")
            death.round.clear()
            death.rounds += 1
        among = fresh or able
        load = self._load(peer_key, self.worked + 1)  # what ends in this instant may have ended before, or not yet
        if peer_key in among and load > min(self._load(key, self.worked) for key in among):
            self.broken("REC-18", "recoveries are spread", f"{peer_key.executor_id} has {load} already")

    def _of_another_kind(
        self, death: Death, dead: Executor, peer_key: ExecutorKey, peer: Executor, able: list[ExecutorKey]
    ) -> None:
        version = peer.info.application_version
        if able:
            self.broken("REC-2", "a peer of the same version is preferred", f"asked was one of {version}")
        elif version == dead.info.application_version:
            self.broken("REC-23", f"a peer of language {dead.info.language}", f"asked was one of {peer.info.language}")
        elif not self.latest_allowed.get(dead.key.application):
            self.broken("REC-13", f"a peer of version {dead.info.application_version}", f"asked was one of {version}")
        elif peer_key in death.latest:
            self.broken("REC-14", "each of the latest version is asked once", f"{peer_key.executor_id} is asked again")
        else:
            versions = {
                r.info.application_version for r in self.shown.values() if r.key.application == dead.key.application
            }
            told = self.latest_told.get(dead.key.application)
            if told is not None and version != told and versions:
                self.broken("REC-14", f"only the latest version, {told}", f"asked was one of {version}")
            death.latest.append(peer_key)

    def _load(self, peer: ExecutorKey, since_ns: int) -> int:
        """Recoveries under way at it: requests and checks without an answer whose deadline is ``since_ns`` or later."""
        known = self.known.get(peer)
        if known is None or known.conn is None:
            return 0
        return sum(
            asked.about is not None and asked.due_ns >= since_ns  # also where the dead one has returned
            for asked in known.conn.asked.values()
        )

    def _in_time(self, death: Death) -> None:
        if death.idle_ns is None:
            return
        timing = self.timing
        record = self.shown[death.key]
        fresh = any(key not in death.round for key in self.candidates(record))
        pause_s = timing.backoff_first_s if fresh and not death.rounds else timing.backoff_cap_s
        since_ns = max(death.idle_ns, death.reset_ns)
        late_ns = self.worked - since_ns - ns(pause_s) - self.scan - self.slack
        if late_ns > 0:
            last = death.asks[-1].end if death.asks else ""
            clause = {"refused": "REC-7", "lost": "REC-8", "timeout": "REC-9", "success": "REC-12"}.get(last, "REC-1")
            if not death.asks and death.reset_ns:
                clause = "REC-11"
            self.broken(clause, "the next candidate is asked in time", f"{seconds(late_ns)} later, or never")

    def check_decided(self, conn: Conn, asked: Asked) -> None:
        """exist_pending_workflows leaves."""
        key = ExecutorKey(*conn.app, str(asked.frame.get("executor_id")))
        dead = self.shown.get(key)
        if dead is not None and dead.info.application_version != asked.frame.get("application_version"):
            self.broken(
                "MSG-exist_pending_workflows", f"version {dead.info.application_version}",
                f"it asks about {asked.frame.get('application_version')!r}",
            )  # fmt: skip
        death = self.deaths.get(key)
        if death is not None:
            asked.about = key
            death.checking += 1
            death.checked = True
            death.idle_ns = None

    # ---- what peers say

    def recovery_answered(self, asked: Asked, frame: dict[str, object]) -> None:
        death = self.deaths.get(asked.about) if asked.about is not None else None
        if death is None:
            return
        ask = next((each for each in death.asks if each.asked is asked), None)
        if ask is None or ask.end in ("success", "refused"):
            return
        good = frame.get("success") is True and not frame.get("error_message")
        if ask.end == "timeout" or self.worked >= asked.due_ns:
            if good:
                ask.end = "success"
                self._acknowledged(death)
            return
        self._over(death, ask, "success" if good else "refused")
        if good:
            self._acknowledged(death)

    def _acknowledged(self, death: Death) -> None:
        death.success_ns, death.left = self.worked, None
        death.checked = death.checking > 0

    def check_answered(self, asked: Asked, frame: dict[str, object]) -> None:
        death = self.deaths.get(asked.about) if asked.about is not None else None
        if death is None:
            return
        death.checking -= 1
        exist = frame.get("exist")
        death.left = exist if isinstance(exist, bool) and not frame.get("error_message") else None
        self._ended(death)
        if exist is True:  # beside an error, too: a yes may be taken for one
            death.success_ns = None
            death.rounds += 1  # the backoff grows, also while some were not asked yet

    def check_lost(self, asked: Asked) -> None:
        death = self.deaths.get(asked.about) if asked.about is not None else None
        if death is not None:
            death.checking -= 1
            self._ended(death)
            death.success_ns = None  # its peer is gone: somebody else is asked to check, or to recover

    # ---- the record

    def died(self, key: ExecutorKey) -> None:
        death = self.deaths[key] = Death(key)
        self.deleted.pop(key, None)
        joined_ns = self.joined_ns.get(key.application)
        if joined_ns is not None and self.worked - joined_ns <= ns(self.timing.backoff_first_s):
            death.reset_ns = joined_ns  # who joined just before it died starts a round of it too

    def returned(self, key: ExecutorKey) -> None:
        self.deaths.pop(key, None)
        self.deleted.pop(key, None)

    def removed(self, key: ExecutorKey, before: Executor) -> None:
        death = self.deaths.pop(key, None)
        self.deleted[key] = self.worked
        if (known := self.known.get(key)) is not None:
            known.lost_ns = None
        if before.status is not Status.DEAD or death is None:
            self.broken("REC-1", "only a DEAD executor's record goes", f"{key.executor_id} was {before.status}")
            return
        good = any(ask.end == "success" for ask in death.asks)
        if not good:
            refused = any(ask.end == "refused" for ask in death.asks)
            clause = "REC-7" if refused else "REC-6" if death.asks else "REC-11"
            self.broken(clause, "the record goes after success: true", f"{key.executor_id} is gone without one")
        elif death.left:
            self.broken("REC-6", "the record stays while work is left", f"{key.executor_id} is gone")
        elif not death.checked:
            self.broken("REC-21", "exist_pending_workflows is asked first", f"{key.executor_id} is gone unasked")

    # ---- what never came

    def look_at_recoveries(self, core: Core) -> None:
        self.reckon()
        cap_ns = ns(self.timing.backoff_cap_s)
        for key, death in self.deaths.items():
            record = self.shown.get(key)
            if record is None:
                continue
            self._in_time(death)
            most_ns = self.slack + 3 * ns(self.timing.request_deadline_s) + SECOND_NS
            if (
                death.success_ns is not None
                and self.worked - death.success_ns > most_ns
                and self.now > self.slow_until_ns
            ):
                late = any(ask.end == "success" and ask.asked.due_ns < death.success_ns for ask in death.asks)
                clause = "REC-24" if late else "REC-6"
                self.broken(clause, "the record goes after success: true", f"{key.executor_id} is still listed")
            alone_ns = death.alone_ns
            if alone_ns is not None and self.worked - alone_ns > cap_ns + self.slack + self.scan:
                told = death.told or key.executor_id in self.surfaced_ids
                if not told and all(each.key != key for each in core.surfaced(key.application)):
                    self.broken("REC-27", "a recovery that waits is surfaced", f"{key.executor_id} is not")
                death.alone_ns = self.worked
