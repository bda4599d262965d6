"""The models that are explored. Each puts one part of the core into all of its states."""

from __future__ import annotations

from difflib import get_close_matches

from msgspec.structs import replace

from reference_relay.core.records import AppKey, Settings
from simulator.explore.answers import MALFORMED, WRONG_TYPE
from simulator.explore.errors import UnknownModel
from simulator.explore.model import LATTICE, YES_NO, Member, Model

MODELS: dict[str, Model] = {}


def add(model: Model) -> Model:
    """Register a model by its name."""
    assert model.name not in MODELS, f"two models are called {model.name}"
    MODELS[model.name] = model
    return model


def find(name: str) -> Model:
    """Raises `UnknownModel` with the nearest name."""
    if name not in MODELS:
        near = get_close_matches(name, MODELS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(MODELS)}"
        raise UnknownModel(f"there is no model {name!r}; {hint}")
    return MODELS[name]


A, B = Member("a"), Member("b")
PEER = Member("peer", mortal=False)
TWO_S = Settings(executor_timeout_s=2)

PAIR = add(
    Model(
        name="pair",
        text="two executors that die, return, fall silent and recover one another; the relay dies at every point",
        members=(A, B),
        inside=True,
    )
)
RECOVERY = add(
    Model(
        name="recovery",
        text="two executors that die and return, and one peer that may recover them; the relay dies at every point",
        members=(A, B, PEER),
    )
)
add(
    Model(
        name="late",
        text="recovery answers in time, late and never, and a backoff that grows",
        members=(A, PEER),
        timing=replace(LATTICE, recovery_deadline_s=2, backoff_cap_s=2, backoff_factor=2),
        silent=0,
        crashes=False,
        overdue=1,
        most_rounds=2,
    )
)
add(
    Model(
        name="answers",
        text="errors, answers of another type, and broken frames in answer to every request of a recovery",
        members=(A, PEER),
        answers={
            **YES_NO,
            "recovery": ("true", "error", WRONG_TYPE, MALFORMED),
            "exist_pending_workflows": ("no", "yes", "error", WRONG_TYPE),
        },
        silent=0,
        crashes=False,
    )
)
HANDSHAKE = add(
    Model(
        name="handshake",
        text="unusable answers, two sockets of one executor, strangers, strays and broken frames",
        members=(A,),
        timing=replace(LATTICE, handshake_deadline_s=2),
        answers={**YES_NO, "executor_info": ("ok", "no id", "error", WRONG_TYPE, MALFORMED)},
        sockets=2,
        silent=2,
        silent_strangers=True,
        stray=True,
        binary=True,
        inside=True,
    )
)
add(
    Model(
        name="versions",
        text="a dead executor of an older version, peers of the latest, and a setting that allows them",
        members=(A, Member("new", version="v2", mortal=False)),
        settings=(TWO_S, replace(TWO_S, recover_to_latest_version=True)),
        answers={**YES_NO, "list_application_versions": ("v1", "v2", "error")},
        silent=0,
        told_versions=("v2",),
    )
)
add(
    Model(
        name="languages",
        text="executors of two languages in one application, and settings that change under a running grace period",
        members=(A, Member("go", language="go")),
        settings=(TWO_S, Settings(executor_timeout_s=1)),
        silent=0,
    )
)
add(
    Model(
        name="administration",
        text="settings that change and an application that is deleted, in every phase of a recovery",
        members=(A, PEER),
        settings=(TWO_S, Settings(executor_timeout_s=1)),
        silent=0,
        crashes=False,
        removal=True,
    )
)
add(
    Model(
        name="latest",
        text="a peer of the latest version that answers late, about one that has died again",
        members=(A, Member("new", version="v2", mortal=False)),
        timing=replace(LATTICE, recovery_deadline_s=2),
        settings=(Settings(executor_timeout_s=1, recover_to_latest_version=True), Settings(executor_timeout_s=1)),
        silent=0,
        crashes=False,
        overdue=1,
    )
)
add(
    Model(
        name="sweep",
        text="a recovered id that is remembered, owns work again, and is recovered again",
        members=(A, PEER),
        timing=replace(LATTICE, remember_s=4),
        answers={
            **YES_NO,
            "exist_pending_workflows": ("no", "yes"),
            "get_workflow_aggregates": ("nobody", "owners", "error"),
        },
        silent=0,
    )
)
add(
    Model(
        name="calls",
        text="calls of the management API while executors come and go",
        members=(A, PEER),
        answers={
            **YES_NO,
            "recovery": ("true",),
            "exist_pending_workflows": ("no",),
            "list_workflows": ("ok", "error", WRONG_TYPE),
        },
        silent=0,
        crashes=False,
        calls=1,
    )
)
add(
    Model(
        name="tenants",
        text="two applications of one name, of two organisations, and a third beside them",
        members=(
            A,
            Member("twin", application=AppKey("other", "app")),
            Member("next", application=AppKey("local", "b"), mortal=False),
        ),
        silent=0,
        crashes=False,
    )
)
