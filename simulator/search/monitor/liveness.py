"""Connections and statuses: handshakes, pings, silence, the grace period, restarts (HSK, LIV)."""

from __future__ import annotations

from reference_relay.core.records import AppKey, Executor, ExecutorKey, Settings, Status
from simulator.clock import SECOND_NS, ns
from simulator.search.monitor.base import EARLY_NS, Base, Conn, Known, Unsaved, seconds


class Liveness(Base):
    """Compares the list with what the relay was told."""

    # ---- what the relay was told

    def introduced(self, conn: Conn, frame: dict[str, object]) -> None:
        """A lawful answer to executor_info has reached the relay."""
        key = ExecutorKey(*conn.app, str(frame["executor_id"]))
        conn.key, conn.info = key, frame
        known = self.known.get(key)
        if known is None:
            known = self.known[key] = Known(key)
        if known.conn is not None and known.conn is not conn and known.conn.ended_ns is None:
            known.conn.superseded_ns = self.worked
        known.conn, known.registered_ns, known.seen = conn, self.worked, False

    def ended(self, conn: Conn) -> None:
        if conn.ended_ns is None:
            conn.ended_ns = self.worked

    def rests(self, number: int, heard_ns: int | None) -> None:
        """See `simulator.models.heartbeats.Heartbeats.told`."""
        conn = self.conns.get(number)
        if conn is None:
            return
        conn.resting = heard_ns is None
        if heard_ns is not None:
            conn.heard_ns = max(conn.heard_ns, heard_ns)
            conn.pinged_ns = self.worked  # it was pinged as it should be

    # ---- what the relay does

    def pinged(self, conn: Conn) -> None:
        gap_ns = self.worked - conn.pinged_ns
        if gap_ns > self.i + self.slack:
            self.broken("LIV-1", f"a ping every {seconds(self.i)}", f"none for {seconds(gap_ns)}")
        conn.pinged_ns = self.worked
        conn.silent_pings += 1

    def closes(self, conn: Conn) -> None:
        """The relay ends a connection of its own accord."""
        silent_ns = self.now - conn.heard_ns
        lawful = conn.offended or conn.superseded_ns is not None or silent_ns >= self.w - EARLY_NS
        if not lawful and conn.key is None:
            lawful = self.now - conn.opened_ns >= ns(self.timing.handshake_deadline_s) - EARLY_NS
        if not lawful:
            clause = "LIV-5" if conn.silent_pings < 2 else "LIV-3"
            self.broken(clause, "a connection stays while it is heard", f"closed {seconds(silent_ns)} after it spoke")
        self.ended(conn)

    # ---- the list

    def changed(self, key: ExecutorKey, before: Executor | None, after: Executor | None) -> None:
        known = self.known.get(key)
        was = before.status if before else None
        now = after.status if after else None
        if known is None:
            self.broken("HSK-4", "only who introduced itself is listed", f"{key.executor_id} is listed {now}")
            return
        if after is not None and now is Status.HEALTHY:
            self._healthy(known, after)
        elif now is Status.DISCONNECTED and was is not Status.DISCONNECTED:
            self._disconnected(known, was)
        elif now is Status.DEAD and was is not Status.DEAD:
            self._dead(known, was)

    def _healthy(self, known: Known, record: Executor) -> None:
        conn = known.conn
        if conn is None or conn.key != known.key or (conn.ended_ns is not None and self.worked - conn.ended_ns > 0):
            self.broken("HSK-6", "HEALTHY needs a handshake", f"{known.key.executor_id} is listed HEALTHY without one")
            return
        said, listed = conn.info, record.info
        facts = (
            ("application_version", listed.application_version), ("hostname", listed.hostname),
            ("language", listed.language), ("dbos_version", listed.dbos_version),
            ("executor_metadata", listed.metadata),
        )  # fmt: skip
        for name, value in facts:
            if said.get(name) != value:
                self.broken("HSK-2", f"{name} is {said.get(name)!r}", f"listed as {value!r}")
        known.seen, known.lost_ns, known.restarts = True, None, 0

    def _disconnected(self, known: Known, was: Status | None) -> None:
        conn = known.conn
        if was is Status.DEAD:
            self.broken("LIV-7", "DEAD is left for HEALTHY only", "it is listed DISCONNECTED again")
        if conn is not None and conn.ended_ns is None and was is Status.HEALTHY and not conn.offended:
            silent_ns = self.now - conn.heard_ns
            if silent_ns < self.w - EARLY_NS:
                clause = "LIV-3" if conn.silent_pings > 1 else "LIV-11" if known.losses else "LIV-5"
                self.broken(
                    clause, f"HEALTHY until {seconds(self.w)} of silence",
                    f"{known.key.executor_id} is listed DISCONNECTED {seconds(silent_ns)} after it was heard",
                )  # fmt: skip
        elif conn is not None and conn.ended_ns is not None and self.worked - conn.ended_ns > self.slack:
            self.broken("LIV-4", f"DISCONNECTED within {seconds(self.slack)}", seconds(self.worked - conn.ended_ns))
        self.lost(known)

    def lost(self, known: Known) -> None:
        """Its grace begins."""
        known.lost_ns, known.lost_worked_ns = self.now, self.worked
        known.least_grace_ns = known.most_grace_ns = self.grace_ns[known.key.application]
        known.spent_ns = (0, 0)
        known.losses += 1

    def settings_told(self, app: AppKey, settings: Settings) -> None:
        """They count from now on, and after a crash if they were durable by then."""
        if app in self.grace_ns:
            before = self.unsaved.get(app)
            self.unsaved[app] = before or Unsaved(self.now, self.grace_ns[app], self.latest_allowed[app])
        self.grace_ns[app] = ns(settings.executor_timeout_s)
        self.latest_allowed[app] = settings.recover_to_latest_version

    def unsaved_settings_are_lost(self) -> None:
        """A crash came before their commit; a relay that had time for one has to know them."""
        for app, unsaved in self.unsaved.items():
            if self.now <= max(unsaved.at_ns + self.slack, self.slow_until_ns):
                self.grace_ns[app], self.latest_allowed[app] = unsaved.grace_ns, unsaved.latest_allowed
        self.unsaved.clear()

    def grace_changed(self) -> None:
        """LIV-10: a period that runs may take the new length or keep its own. What is spent of it counts in both."""
        for known in self.known.values():
            if known.lost_ns is not None:
                grace_ns = self.grace_ns[known.key.application]
                least_spent_ns, most_spent_ns = known.spent_ns
                known.least_grace_ns = min(known.least_grace_ns, max(0, grace_ns - most_spent_ns))
                known.most_grace_ns = max(known.most_grace_ns, grace_ns - least_spent_ns)

    def _dead(self, known: Known, was: Status | None) -> None:
        if known.lost_ns is None:
            if was is not None:
                self.broken("LIV-7", "DEAD comes after DISCONNECTED", f"{known.key.executor_id} is DEAD from {was}")
            return  # an id that was recovered and owns work again
        clause = "LIV-15" if known.restarts else "LIV-8" if known.losses > 1 else "LIV-7"
        elapsed_ns = self.now - known.lost_ns
        if elapsed_ns < known.least_grace_ns - EARLY_NS:
            self.broken(clause, f"DEAD after {seconds(known.least_grace_ns)}", f"after {seconds(elapsed_ns)}")
        self._not_late(known, clause)

    def _not_late(self, known: Known, clause: str) -> None:
        late_ns = self.worked - known.lost_worked_ns - known.most_grace_ns - self.scan - self.slack
        if known.restarts:  # the clock is written down each second: each crash may have taken one along
            late_ns -= (1 + known.restarts) * SECOND_NS
        if late_ns > 0:
            self.broken(clause, f"DEAD by {seconds(known.most_grace_ns)}", f"{seconds(late_ns)} later than it may be")

    # ---- what never came

    def look_at_states(self) -> None:
        deadline_ns = ns(self.timing.handshake_deadline_s)
        longest_ns = self.w + self.i + self.scan + 2 * self.slack
        worked = self.worked
        for conn in self.open_conns():
            if conn.superseded_ns is not None and worked - conn.superseded_ns > self.slack:
                self.broken("LIV-18", "the older socket is closed", "it is open beside the newer one")
            if conn.key is None and worked - conn.opened_ns > deadline_ns + self.slack and not conn.offended:
                self.broken("HSK-9", "closed by the handshake's deadline", "open without a handshake")
            if conn.resting:
                continue
            if worked - max(conn.heard_ns, 0) > longest_ns:
                self.broken("LIV-3", f"closed after {seconds(longest_ns)} of silence", "still open")
            if worked - conn.pinged_ns > self.i + self.slack:
                self.broken("LIV-1", f"a ping every {seconds(self.i)}", f"none for {seconds(worked - conn.pinged_ns)}")
        for key, record in self.shown.items():
            known = self.known.get(key)
            if known is None:
                continue
            newest = known.conn
            if record.status is Status.DISCONNECTED and known.lost_ns is not None:
                self._not_late(known, "LIV-15" if known.restarts else "LIV-7")
            over = newest is not None and newest.ended_ns is not None and worked - newest.ended_ns > self.slack
            if record.status is Status.HEALTHY and over:
                self.broken("LIV-4", "DISCONNECTED when its socket has ended", f"{key.executor_id} is HEALTHY")
        for known in self.known.values():
            newest = known.conn
            if known.seen or newest is None or newest.ended_ns is not None or newest.superseded_ns is not None:
                continue
            if worked - known.registered_ns > self.slack:
                listed = self.shown.get(known.key)
                clause = "LIV-13" if listed and listed.status is Status.DEAD else "LIV-6" if listed else "HSK-3"
                self.broken(clause, "HEALTHY after its handshake", f"listed {listed.status if listed else 'nowhere'}")
