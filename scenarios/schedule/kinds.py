"""The faults that a schedule may name: one `Kind` each, the same for every runtime that injects faults.

What a kind *does* is implemented once a runtime (`simulator/faults`, `chaos/faults`), under the kind's name.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from scenarios.schedule.errors import ScheduleError
from scenarios.schedule.kind import Arg, Kind, On, Value, near, words

__all__ = ["KINDS", "Arg", "Kind", "On", "Value", "find"]


def find(name: str) -> Kind:
    """Raises `ScheduleError` for a name that is none, with the nearest that is one."""
    if name not in KINDS:
        raise ScheduleError(f"no fault is called {name!r}{near(name, list(KINDS))}; there are {words(list(KINDS))}")
    return KINDS[name]


def _down(default_s: float) -> Arg:
    return Arg("down_s", "s", default_s, "from the end of the process to the start of the next one")


_UNSPOKEN: Final = {"chaos": "no SDK does it: scripted executors do, on the wire and in the simulator"}

_DIRECTION = Arg("direction", "", "both", "up leads to the relay", choices=("up", "down", "both"))

_ALL: Final[tuple[Kind, ...]] = (
    # ---- processes of executors
    Kind("kill", "SIGKILL: the process is gone, its kernel resets the connection; nobody starts it again.", "executor"),
    Kind("kill-all", "SIGKILL of every executor in the same instant.", "executor", (_down(5.0),), all=True),
    Kind(
        "kill-after-ack",
        "From then on, SIGKILL as soon as the executor has acknowledged a recovery: adopted work dies with the peer.",
        "executor",
    ),
    Kind(
        "kill-at-step",
        "From then on, SIGKILL when one of its workflows reaches a step, before its work or after its checkpoint.",
        "executor",
        (
            Arg("step", "", 1, "the step's number, from 1", 1),
            Arg("phase", "", "begin", "before the work or after the checkpoint", choices=("begin", "end")),
        ),
    ),
    Kind(
        "restart",
        "SIGKILL, then a fresh process of the same version under a new executor id.",
        "executor",
        (_down(2.0),),
    ),
    Kind("stop", "SIGTERM: the SDK shuts down in its own order and leaves its PENDING rows.", "executor"),
    Kind(
        "pause",
        "SIGSTOP, and SIGCONT in the end: neither computes nor reads, its sockets stay open.",
        "executor",
        heals=True,
    ),
    Kind(
        "upgrade",
        "A rolling upgrade of one member: SIGTERM, then a fresh process of another application version.",
        "executor",
        (Arg("version", "", "v2", "the new application version"), _down(2.0)),
    ),
    Kind(
        "starve",
        "The process gets only a share of a processor: everything that it does takes longer.",
        "executor",
        (Arg("share", "fraction", 0.05, "of one processor"),),
        heals=True,
    ),
    # ---- links between an executor and the relay
    Kind("disconnect", "Both ways silent, nobody is told: a pulled cable.", "link", heals=True),
    Kind("drop-to-relay", "What the executor sends is lost; what the relay sends arrives.", "link", heals=True),
    Kind("drop-from-relay", "What the relay sends is lost; what the executor sends arrives.", "link", heals=True),
    Kind(
        "loss",
        "Packets are lost at random and sent again by TCP: frames arrive late and in bursts.",
        "link",
        (Arg("rate", "fraction", 0.05, "of the packets, both ways"),),
        heals=True,
    ),
    Kind(
        "delay",
        "Every frame takes longer.",
        "link",
        (Arg("delay_s", "s", 0.3, "one way"), Arg("jitter_s", "s", 0.1, "either side of it")),
        heals=True,
    ),
    Kind(
        "freeze",
        "Bandwidth 0: what is sent waits on the way, and arrives in the end.",
        "link",
        (_DIRECTION,),
        heals=True,
    ),
    Kind("cut", "The connection ends in good order below WebSocket (FIN at both ends).", "link"),
    Kind("reset", "The connection is reset (RST at both ends).", "link"),
    Kind(
        "cut-after",
        "The connection is reset after a number of further bytes or frames, in the middle of whatever comes then.",
        "link",
        (
            Arg("bytes", "bytes", 0, "0: count frames instead"),
            Arg("frames", "frames", 1, "where bytes is 0"),
            _DIRECTION,
        ),
    ),
    Kind("half-open", "The executor's end is gone and it dials anew; the relay is never told.", "link"),
    Kind(
        "late-close",
        "The executor's end is gone and it dials anew; the relay learns of the first end only later.",
        "link",
        (Arg("late_s", "s", 5.0, "until the relay's end is told"),),
    ),
    Kind(
        "proxy-idle",
        "A proxy stands between, which ends a connection that was silent for a time.",
        "link",
        (Arg("idle_s", "s", 15.0, "of silence both ways"),),
        heals=True,
    ),
    # ---- the relay
    Kind("relay-kill", "SIGKILL of the relay, then a start on the same data, soon.", "relay", (_down(1.0),)),
    Kind("relay-pause", "SIGSTOP of the relay, and SIGCONT in the end.", "relay", heals=True),
    Kind("relay-away", "The relay is down for longer than the grace period.", "relay", (_down(90.0),)),
    Kind(
        "relay-and-executor-kill",
        "SIGKILL of the relay and of one executor in the same instant; only the relay starts again.",
        "executor",
        (_down(1.0),),
    ),
    # ---- the executors' system database
    Kind(
        "db-restart",
        "The database server restarts: every connection and transaction is lost.",
        "database",
        (_down(2.0),),
    ),
    Kind(
        "db-terminate", "Every connection to the database is terminated once; new ones are taken at once.", "database"
    ),
    Kind("db-cut", "Nobody reaches the database.", "database", heals=True),
    Kind(
        "db-slow",
        "Every statement takes longer.",
        "database",
        (Arg("delay_s", "s", 0.5, "added to each statement"),),
        heals=True,
    ),
    Kind(
        "db-cut-during-recovery",
        "The next recovery request that reaches an executor finds the database gone, for a time.",
        "database",
        heals=True,
    ),
    # ---- clocks
    Kind(
        "clock-skew",
        "The host's wall clock is off.",
        "host",
        (Arg("offset_s", "s", 3600.0, "ahead; negative: behind", None),),
        heals=True,
    ),
    Kind(
        "clock-drift",
        "The host's clocks run faster or slower.",
        "host",
        (Arg("ppm", "ppm", 500.0, "faster; negative: slower", -500_000.0),),
        heals=True,
    ),
    Kind(
        "clock-step",
        "The host's wall clock jumps once.",
        "host",
        (Arg("step_s", "s", -3600.0, "forward; negative: back", None),),
    ),
    Kind("suspend", "The whole host sleeps; its monotonic clock stands still meanwhile.", "host", heals=True),
    # ---- the relay's store
    Kind(
        "store-slow",
        "Every commit of the relay's store takes longer.",
        "relay",
        (Arg("delay_s", "s", 2.0, "added to each commit"),),
        heals=True,
    ),
    Kind("store-fail", "Every commit of the relay's store fails and is tried again.", "relay", heals=True),
    Kind(
        "crash-at-persist",
        "The relay is killed at a commit, right before or right after it is durable, and started again.",
        "relay",
        (
            Arg("nth", "", 1, "which commit, counted from then on", 1),
            Arg("when", "", "after", "it is durable", choices=("before", "after")),
            _down(1.0),
        ),
    ),
    # ---- recovery itself
    Kind(
        "duplicate-recovery",
        "The next recovery request is delivered a second time, to this executor too.",
        "executor",
        (Arg("after_s", "s", 0.5, "after the first"),),
    ),
    Kind(
        "lying-ack",
        "The executor answers success to recovery requests and does nothing (as one of another version does).",
        "executor",
        heals=True,
    ),
    # ---- what a peer may say; the four SDKs say most of it never, so that only scripted executors do
    Kind(
        "refuse-recovery",
        "The executor refuses recovery requests.",
        "executor",
        (Arg("how", "", "false", "success: false, or error_message set", choices=("false", "error")),),
        heals=True,
        absent=_UNSPOKEN,
    ),
    Kind("deaf", "The executor answers pings and no request.", "executor", heals=True, absent=_UNSPOKEN),
    Kind(
        "late-answer",
        "The executor answers every request late.",
        "executor",
        (Arg("after_s", "s", 65.0, "after the request"),),
        heals=True,
        absent=_UNSPOKEN,
    ),
    Kind(
        "wrong-answer",
        "The executor answers requests under another type, or with error_message set.",
        "executor",
        (Arg("how", "", "type", "what is wrong with them", choices=("type", "error")),),
        heals=True,
        absent=_UNSPOKEN,
    ),
    Kind(
        "stray",
        "The executor sends one frame that nobody asked for.",
        "executor",
        (
            Arg(
                "what",
                "",
                "answer",
                "an answer to nothing, its last answer again, an answer to what another was "
                "asked, pongs, malformed JSON, or a binary frame",
                choices=("answer", "again", "another", "pongs", "malformed", "binary"),
            ),
        ),
        absent=_UNSPOKEN,
    ),
    Kind(
        "bad-handshake",
        "Somebody dials in and answers executor_info unusably: not at all, under another id or type, with an error, "
        "without an executor_id.",
        "executor",
        (Arg("how", "", "silent", "what it answers", choices=("silent", "id", "type", "error", "nameless")),),
        absent=_UNSPOKEN,
    ),
    Kind(
        "twin",
        "The executor opens a second connection under the same id beside the first.",
        "executor",
        absent=_UNSPOKEN,
    ),
    Kind(
        "late-start",
        "The member's process is started only when this heals.",
        "executor",
        heals=True,
        absent={"chaos": "restart and kill place processes in time there"},
    ),
    # ---- what an administrator does
    Kind(
        "settings",
        "The application's settings are changed.",
        "executor",
        (
            Arg("grace_s", "s", 0, "executorTimeoutSecs; 0: as it is"),
            Arg("latest", "", "as-is", "recovery to the latest version", choices=("as-is", "on", "off")),
        ),
        absent={"chaos": "scenarios change settings there"},
    ),
)

KINDS: Final[Mapping[str, Kind]] = MappingProxyType({kind.name: kind for kind in _ALL})
"""Every fault by its name, in the order of the documentation."""
assert len(KINDS) == len(_ALL), "two kinds share a name"
