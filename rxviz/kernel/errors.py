"""Why the kernel of this machine cannot be asked."""

from __future__ import annotations

from rxviz.errors import RxvizError


class KernelError(RxvizError):
    """This machine's kernel cannot be asked; the sentence says what is missing."""
