"""Why the kernel of this machine cannot be asked."""

from __future__ import annotations

from errno import EACCES, EPERM

from rxviz.errors import RxvizError


class KernelError(RxvizError):
    """This machine's kernel cannot be asked; the sentence says what is missing."""


def reason(error: OSError) -> str:
    """Return what the kernel refused, and where."""
    place = f" ({error.filename})" if error.filename else ""
    return f"{error.strerror or error}{place}"


def refusal(error: OSError) -> str:
    """Return why it could not be asked, and what to do about it."""
    remedy = "run it as root" if error.errno in (EACCES, EPERM) else "it needs a kernel with tun and network namespaces"
    return f"the kernel cannot be asked: {reason(error)}; {remedy}"
