"""Lists searched by time say what a walk over all of them says."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evidence.events import Poll, Seen
from evidence.lists import Lists
from evidence.views import GONE, Sight

MOMENTS = st.integers(0, 30)
STATUSES = st.lists(st.sampled_from(["HEALTHY", "dead", "DISCONNECTED"]), max_size=2)


@st.composite
def polls(draw: st.DrawFn) -> list[Poll]:
    """In order of their answers; several may be under way at once, so that their askings are in any order."""
    answered = sorted(draw(st.lists(MOMENTS, max_size=12)))
    made: list[Poll] = []
    for n, at_ns in enumerate(answered, start=1):
        asked_ns = draw(st.integers(0, at_ns))
        unchanged: bool = draw(st.booleans())
        if made and unchanged:
            made.append(Poll(n=n, t=at_ns, org="o", app="a", asked=asked_ns, same=True))
        else:
            statuses: list[str] = draw(STATUSES)
            seen = tuple(Seen(executor="e", status=status) for status in statuses)
            made.append(Poll(n=n, t=at_ns, org="o", app="a", asked=asked_ns, executors=seen))
    return made


@given(polls(), MOMENTS, MOMENTS)
def test_a_search_finds_what_a_walk_finds(made: list[Poll], moment_ns: int, asked_after_ns: int) -> None:
    lists = Lists(made)
    before = [each for each in lists.all if each.at_ns < moment_ns and each.asked_ns > asked_after_ns]
    after = [each for each in lists.all if each.asked_ns > moment_ns]
    lost = [each.asked_ns for each in lists.all if each.at_ns > moment_ns and not {"HEALTHY"} & set(each.statuses("e"))]
    assert _n(lists.before(moment_ns, asked_after_ns=asked_after_ns)) == (before[-1].poll.n if before else None)
    assert _n(lists.after(moment_ns)) == (after[0].poll.n if after else None)
    assert lists.lost_ns("e", moment_ns) == min(lost, default=None)


@given(polls())
def test_an_unchanged_list_shows_what_the_one_before_it_showed(made: list[Poll]) -> None:
    shown: tuple[Seen, ...] = ()
    for poll, sight in zip(made, Lists(made).all, strict=True):
        shown = shown if poll.same else poll.executors
        assert sight.executors == shown
        assert sight.statuses("e") == (tuple(each.status.upper() for each in shown) or (GONE,))
        assert sight.statuses("nobody") == (GONE,)


def _n(sight: Sight | None) -> int | None:
    return None if sight is None else sight.poll.n
