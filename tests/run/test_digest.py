"""The digest sees all that a machine is, to the last bit of its memory."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import pytest

from rxviz.model.machine import Machine
from rxviz.run.digest import state_digest
from rxviz.run.engine import make_machine
from rxviz.run.scenario import parse_line
from tests.model.harness import rx_ring


def middle(path: str = "build_skb") -> Machine:
    """A machine in the middle of a run, with frames on the ring, in the stack and still to come."""
    m = make_machine(parse_line(f"ixgbe kernel=4.19 path={path} ring=8 reader=slow traffic=tcp:1514x40"))
    while m.socket.delivered < 9:
        assert m.tick()
    return m


def flip_a_bit_of_a_page(m: Machine) -> None:
    page = next(page for page in m.memory.pages.values() if page.users)
    page.data[-1] ^= 1


def flip_a_bit_of_a_descriptor(m: Machine) -> None:
    m.ring.desc[5] ^= 1


def change_a_count(m: Machine) -> None:
    next(iter(m.memory.pages.values())).refcount += 1


def change_a_bias(m: Machine) -> None:
    rx_ring(m).rx_buffer_info[rx_ring(m).next_to_clean].pagecnt_bias += 1


def move_a_cursor(m: Machine) -> None:
    rx_ring(m).next_to_clean += 1


def move_the_tail(m: Machine) -> None:
    m.nic.rdt += 1


def charge_a_byte(m: Machine) -> None:
    m.socket.charged += 1


def turn_the_queue(m: Machine) -> None:
    m.socket.queue.rotate(1)


def let_a_ns_pass(m: Machine) -> None:
    m.now += 1


def light_a_lamp(m: Machine) -> None:
    m.lamps.light("bytes_intact")


def bill_a_byte(m: Machine) -> None:
    m.ledger.bytes_copied += 1


def shorten_an_skb(m: Machine) -> None:
    m.socket.queue[0].truesize -= 1


CHANGES: list[Callable[[Machine], None]] = [
    *(flip_a_bit_of_a_page, flip_a_bit_of_a_descriptor, change_a_count, change_a_bias, move_a_cursor, move_the_tail),
    *(charge_a_byte, turn_the_queue, let_a_ns_pass, light_a_lamp, bill_a_byte, shorten_an_skb),
]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("path", ["legacy", "build_skb"])
def test_the_digest_tells_any_change(change: Callable[[Machine], None], path: str) -> None:
    m = middle(path)
    before = state_digest(m)
    assert state_digest(middle(path)) == before
    change(m)
    assert state_digest(m) != before


def test_a_copy_has_the_same_digest_and_goes_the_same_way() -> None:
    m = middle()
    copy: Machine = pickle.loads(pickle.dumps(m))
    copy.source = m.source
    assert state_digest(copy) == state_digest(m)
    m.run()
    copy.run()
    assert state_digest(copy) == state_digest(m)


def test_a_digest_is_the_same_everywhere() -> None:
    """Neither the watcher nor the address of anything is part of it."""
    m = middle()
    plain = state_digest(m)
    m.watch = lambda *_: None
    assert state_digest(m) == plain
    assert len(plain) == 16
    assert int(plain, 16) >= 0
