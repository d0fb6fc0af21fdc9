"""A kernel to ask, or a reason to skip."""

from __future__ import annotations

import pytest

from rxviz.kernel.errors import KernelError
from rxviz.kernel.oracle import KernelGro, Setup


def kernel_or_skip(setup: Setup | None = None, mode: str = "") -> KernelGro:
    """Return a device that is known to work here; skip the test where there can be none."""
    try:
        with KernelGro(setup, mode=mode):
            pass
    except KernelError as reason:
        pytest.skip(str(reason))
    return KernelGro(setup, mode=mode)
