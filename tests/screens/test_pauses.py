"""Garbage is searched for when nobody waits."""

from __future__ import annotations

import gc

import pytest

from rxviz.screens import pauses


def test_one_search_in_each_quiet_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now, searches = [0.0], []
    monkeypatch.setattr(pauses, "monotonic", lambda: now[0])
    monkeypatch.setattr(gc, "collect", lambda: searches.append(now[0]))
    tidy = pauses.Tidy()
    assert not tidy.look()
    now[0] = 2.0
    assert tidy.look()
    assert not tidy.look()
    tidy.moved()
    now[0] = 2.5
    assert not tidy.look()
    now[0] = 3.5
    assert tidy.look()
    assert searches == [2.0, 3.5]


def test_seldom_searches_and_none_through_what_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    done = []
    monkeypatch.setattr(gc, "freeze", lambda: done.append("freeze"))
    monkeypatch.setattr(gc, "set_threshold", lambda *numbers: done.append(numbers))
    pauses.calm()
    assert done == ["freeze", pauses.THRESHOLDS]
