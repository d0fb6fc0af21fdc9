"""The states of a half, one after the other."""

from __future__ import annotations

import pytest

from rxviz.model.halves import Half, State, halves
from rxviz.model.machine import Machine
from rxviz.model.steps import KINDS
from tests.model.harness import PATHS, at_once, free_first, machine, settle, sized

ON_THE_RING = {State.WAITING, State.POSTED, State.FILLED}


def states(m: Machine, page_id: int = 0) -> list[State]:
    return [half.state for half in halves(m, m.memory.pages[page_id])]


@pytest.mark.parametrize(("kernel", "path"), PATHS)
def test_the_life_of_a_page(kernel: str, path: str) -> None:
    m = machine(f"ixgbe kernel={kernel} path={path} ring=64 reader=off", sized([1514] * 200))
    assert states(m) == [State.POSTED, State.SPARE]
    seen: list[tuple[str, list[State]]] = []

    def watch(kind: int, frame: object, slot: int, page: object, *_: object) -> None:
        now = states(m)
        if not seen or seen[-1][1] != now:
            seen.append((KINDS[kind].name, now))

    m.watch = watch
    settle(m, 1)
    m.watch = None
    attached = "skb.build" if path == "build_skb" else "skb.frag"
    last = ("page.reuse", [State.IN_HAND, State.WAITING]), ("socket.queue", [State.STACK, State.WAITING])
    assert [state for _, state in seen[-2:]] == [state for _, state in last]
    assert ("nic.writeback", [State.FILLED, State.SPARE]) in seen
    assert any(name == attached and state[0] is State.IN_HAND for name, state in seen)
    assert ("socket.queue", [State.STACK, State.WAITING]) in seen
    settle(m, 16)
    assert states(m) == [State.STACK, State.POSTED]
    free_first(m)
    assert states(m) == [State.SPARE, State.POSTED]
    settle(m, 63)
    assert states(m) == [State.SPARE, State.POSTED]
    # The 64th frame takes the page's other half, and ends a batch: the first is posted again.
    settle(m, 64)
    assert states(m) == [State.POSTED, State.STACK]


@pytest.mark.parametrize(("kernel", "path"), PATHS)
def test_a_page_given_up(kernel: str, path: str) -> None:
    m = machine(f"ixgbe kernel={kernel} path={path} ring=4 refill=1 reader=off", sized([1514] * 4))
    settle(m, 4)
    assert states(m) == [State.STACK, State.STACK]
    free_first(m)
    assert states(m) == [State.GONE, State.STACK]


def test_a_half_tells_whose_bytes_it_holds() -> None:
    m = machine("ixgbe ring=8 reader=off itr=100", at_once([1514, 60]))
    while m.nic.received < 2:
        m.tick()
    filled = [halves(m, m.memory.pages[i])[0] for i in (0, 1)]
    assert [(half.state, half.frame.id if half.frame else None, half.slot) for half in filled] == [
        (State.FILLED, 0, 0),
        (State.FILLED, 1, 1),
    ]
    m.run()
    first, second = halves(m, m.memory.pages[0])
    assert first == Half(0, 2048, State.STACK, m.socket.queue[0].frame, 0)
    assert (second.start, second.size, second.state, second.frame, second.slot) == (2048, 2048, State.POSTED, None, 7)


@pytest.mark.parametrize(("kernel", "path"), PATHS)
def test_walked_pages_show_the_regions_in_use(kernel: str, path: str) -> None:
    line = f"ixgbe kernel={kernel} path={path} page_size=8192 ring=4 refill=1 reader=off"
    m = machine(line, sized([1514] * 9))
    settle(m, 6)
    shown = halves(m, m.memory.pages[0])
    assert [half.state for half in shown] == [State.STACK, State.STACK, State.POSTED]
    assert shown[0].start == 0
    assert sum(half.size for half in shown) == 8192
    assert [half.start for half in shown] == sorted(half.start for half in shown)


@pytest.mark.parametrize(("kernel", "path"), PATHS)
@pytest.mark.parametrize("mtu", [1500, 9000])
@pytest.mark.parametrize("reader", ["off", "fast", "5000"])
def test_at_most_one_half_of_a_page_is_ever_on_the_ring(kernel: str, path: str, mtu: int, reader: str) -> None:
    size = 1514 if mtu == 1500 else 9014
    line = f"ixgbe kernel={kernel} path={path} mtu={mtu} ring=6 reader={reader}"
    m = machine(line, sized([size, 60, 300] * 6, apart=2_500))

    def watch(*_: object) -> None:
        for page in m.memory.pages.values():
            if page.kind == "rx":
                assert sum(half.state in ON_THE_RING for half in halves(m, page)) <= 1

    m.watch = watch
    m.run()
    assert m.socket.delivered + m.socket.rcvbuf_errors == 18
