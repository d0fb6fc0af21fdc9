"""How many datagrams a socket of a given SO_RCVBUF takes when nobody reads: this machine's kernel beside the model."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rxviz.kernel.compare import version_of
from rxviz.kernel.errors import KernelError
from rxviz.run.kernels import core_rules

PAYLOADS = (64, 256, 512, 1024, 1472)
_TIMEOUT = 60


@dataclass(frozen=True, slots=True)
class Taken:
    """One measurement: SO_RCVBUF as given, the limit the kernel made of it, a datagram's payload and truesize in bytes,
    and how many datagrams each took."""

    rcvbuf: int
    limit: int
    layout: str
    payload: int
    truesize: int
    kernel: int
    model: int

    @property
    def ok(self) -> bool:
        """Whether they agree."""
        return self.kernel == self.model


def model_count(limit: int, truesize: int, rule: str) -> int:
    """Return how many datagrams of `truesize` bytes a limit admits, by the rule of a kernel (core.toml, udp_admission).

    The rule is asked before each datagram, as `rxviz.model.socket.Socket` does.
    """
    if rule == "charged > limit":
        return limit // truesize + 1
    if rule == "charged >= limit":
        return -(-limit // truesize)
    return max(1, limit // truesize)


def measure(rcvbuf: int, payloads: tuple[int, ...] = PAYLOADS) -> list[Taken]:
    """Ask the kernel for both ways in which a tap lays out a frame. Raises KernelError where that is not possible."""
    if sys.platform != "linux":
        raise KernelError("only a Linux kernel can be asked what its sockets take; this is " + sys.platform)
    place = str(Path(__file__).resolve().parents[2])
    path = os.pathsep.join(filter(None, (place, os.environ.get("PYTHONPATH", ""))))
    try:
        done = subprocess.run(
            [sys.executable, "-m", "rxviz.kernel.rcvbuf_worker"],
            input=json.dumps({"rcvbuf": rcvbuf, "payloads": list(payloads)}),
            capture_output=True,
            text=True,
            timeout=_TIMEOUT,
            env={**os.environ, "PYTHONPATH": path},
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise KernelError(f"the kernel gave no answer in {_TIMEOUT} s; try again on a machine less busy") from None
    if not done.stdout:
        raise KernelError("the helper in the network namespace ended without an answer; try again")
    answer: dict[str, Any] = json.loads(done.stdout)
    if "error" in answer:
        raise KernelError(answer["error"])
    rule = core_rules(version_of(platform.release())).udp_admission
    return [
        Taken(rcvbuf, limit, layout, payload, truesize, count, model_count(limit, truesize, rule))
        for limit, layout, payload, truesize, count in answer["taken"]
    ]
