"""Small helpers for runs that are given as lines."""

from __future__ import annotations

from rxviz.model.machine import Machine
from rxviz.model.steps import BY_NAME


def counted(m: Machine, kind: str) -> int:
    """How many steps of a kind a machine has taken."""
    return m.counts[BY_NAME[kind]]
