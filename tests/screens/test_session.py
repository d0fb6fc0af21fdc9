"""Standing in a run: moving, finding, and what-ifs that leave the run as it was."""

from __future__ import annotations

import pytest

from rxviz.errors import ScenarioError
from rxviz.run.digest import state_digest as digest
from rxviz.run.timeline import Timeline
from rxviz.run.what import resolve
from rxviz.screens.session import ZOOMS, Session


@pytest.fixture
def session() -> Session:
    timeline = Timeline(resolve(["first-flip"]))
    timeline.extend()
    return Session(timeline)


def test_forward_and_back_come_to_the_same_state(session: Session) -> None:
    session.seek(30)
    before = digest(session.moment.machine)
    assert session.forward()
    assert session.back()
    assert session.position == 30
    assert digest(session.moment.machine) == before


def test_the_ends_hold(session: Session) -> None:
    assert not session.back()
    assert session.seek(10**9)
    assert session.position == session.timeline.length
    assert not session.forward()


@pytest.mark.parametrize("zoom", ZOOMS)
def test_each_zoom_comes_to_the_end_and_back(session: Session, zoom: str) -> None:
    stops = [0]
    while session.forward(zoom):
        stops.append(session.position)
    assert stops == sorted(set(stops))
    assert stops[-1] == session.timeline.length
    while session.back(zoom):
        assert session.position in stops
    assert session.position == 0


def test_find_finds_the_nearest(session: Session) -> None:
    first = session.find(("page.flip",))
    assert first is not None
    session.seek(first)
    assert session.moment.step is not None
    assert session.moment.step.name == "page.flip"
    assert session.find(("page.flip",), back=True) is None
    second = session.find(("page.flip",))
    assert second is not None
    session.seek(second)
    assert session.find(("page.flip",), back=True) == first
    assert session.find(("skb.copy",)) is None
    assert session.find(("skb.copy", "page.flip"), start=0) == first


def test_finding_does_not_play_the_run_on() -> None:
    session = Session(Timeline(resolve(["ixgbe", "ring=8", "traffic=tcp:1514x1000"])))
    session.timeline.extend(until=20)
    known = session.timeline.length
    assert session.find(("skb.copy",)) is None
    assert session.timeline.length == known


def test_a_what_if_goes_its_own_way_and_comes_back(session: Session) -> None:
    session.seek(40)
    run, before = session.timeline, digest(session.moment.machine)
    session.fork("off")
    assert session.timeline is not run
    assert session.position == 40
    session.seek(10**9)
    read = [run.kinds.count(k) for k in set(run.kinds)]
    assert read != [session.timeline.kinds.count(k) for k in set(run.kinds)]
    session.seek(60)
    session.fork("slow")
    assert session.edit == "reader slow from step 60"
    assert session.come_back()
    assert (session.position, session.edit) == (60, "reader off from step 40")
    assert session.come_back()
    assert session.timeline is run
    assert (session.position, session.edit) == (40, "")
    assert digest(session.moment.machine) == before
    assert not session.come_back()


def test_a_what_if_that_cannot_be_leaves_everything(session: Session) -> None:
    run = session.timeline
    with pytest.raises(ScenarioError):
        session.fork("never")
    assert session.timeline is run
    assert session.left == []
