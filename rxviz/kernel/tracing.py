"""What no socket shows: each frame's verdict and layout, and how polls were cut, from the kernel's tracepoints.

A tracefs instance is the machine's, not the namespace's: it is named after this process, removed at the end, and one
left over by a process that was killed is removed by the next.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from typing import NamedTuple

from rxviz.kernel import syscalls

_ROOT = "/sys/kernel/tracing"
_PREFIX = "rxviz-"
_EVENTS = {
    "napi/napi_poll": "dev_name",
    "net/napi_gro_receive_entry": "name",
    "net/napi_gro_receive_exit": None,
}
_LINE = re.compile(r": (napi_poll|napi_gro_receive_entry|napi_gro_receive_exit): (.*)")
_WORK = re.compile(r"work (\d+)")
_FIELD = re.compile(r"(\w+)=(\S+)")


class Layout(NamedTuple):
    """An skb as it went into GRO: lengths behind the MAC header, memory, checksum state, hash, stripped tag."""

    len: int
    data_len: int
    truesize: int
    nr_frags: int
    ip_summed: int
    hash: int
    tag: int


class Events(NamedTuple):
    """What the tracepoints said: work of each poll that did any, layouts and verdicts in order."""

    polls: list[int]
    layouts: list[Layout]
    verdicts: list[int]


def _tag(fields: dict[str, str]) -> int:
    if fields["vlan_tagged"] == "0":
        return 0
    return int(fields["vlan_proto"], 16) << 16 | int(fields["vlan_tci"], 16)


class Tracing:
    """A trace instance for the poll thread of one device."""

    def __init__(self, device: str, thread: int) -> None:
        if not os.path.isdir(f"{_ROOT}/instances"):
            syscalls.mount("tracefs", _ROOT, "tracefs")
        self._remove_leftovers()
        self._place = f"{_ROOT}/instances/{_PREFIX}{os.getpid()}"
        os.mkdir(self._place)
        self._pipe = -1
        try:
            for event, name in _EVENTS.items():
                if name is not None:
                    self._write(f"events/{event}/filter", f'{name}=="{device}"')
                self._write(f"events/{event}/enable", "1")
            self._write("set_event_pid", str(thread))
            self._pipe = os.open(f"{self._place}/trace_pipe", os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except BaseException:
            self.close()
            raise

    def _write(self, name: str, text: str) -> None:
        with open(f"{self._place}/{name}", "w") as file:
            file.write(text)

    @staticmethod
    def _remove_leftovers() -> None:
        for name in os.listdir(f"{_ROOT}/instances"):
            pid = name.removeprefix(_PREFIX)
            if name.startswith(_PREFIX) and pid.isdigit() and not os.path.exists(f"/proc/{pid}"):
                with suppress(OSError):
                    os.rmdir(f"{_ROOT}/instances/{name}")

    def read(self) -> Events:
        """Return all that was traced since the last time."""
        raw = bytearray()
        with suppress(BlockingIOError):
            while chunk := os.read(self._pipe, 1 << 16):
                raw += chunk
        events = Events([], [], [])
        for kind, text in _LINE.findall(raw.decode(errors="replace")):
            if kind == "napi_poll":
                work = _WORK.search(text)
                if work and int(work[1]):
                    events.polls.append(int(work[1]))
                continue
            fields = dict(_FIELD.findall(text))
            if kind == "napi_gro_receive_exit":
                events.verdicts.append(int(fields["ret"]))
            else:
                numbers = [int(fields[name]) for name in ("len", "data_len", "truesize", "nr_frags", "ip_summed")]
                events.layouts.append(Layout._make([*numbers, int(fields["hash"], 16), _tag(fields)]))
        return events

    def close(self) -> None:
        """Stop tracing and remove the instance."""
        if self._pipe >= 0:
            os.close(self._pipe)
            self._pipe = -1
        for event in _EVENTS:
            with suppress(OSError):
                self._write(f"events/{event}/enable", "0")
        with suppress(OSError):
            os.rmdir(self._place)
