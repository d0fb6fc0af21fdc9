"""The few system calls that Python has no name for."""

from __future__ import annotations

import ctypes
import os

CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWNET = 0x00020000, 0x10000000, 0x40000000
MS_REC, MS_PRIVATE = 0x4000, 1 << 18

_libc = ctypes.CDLL(None, use_errno=True)


def _check(result: int, what: str) -> None:
    if result:
        code = ctypes.get_errno()
        raise OSError(code, f"{what}: {os.strerror(code)}")


def unshare(flags: int) -> None:
    """Move this process into namespaces of its own."""
    _check(_libc.unshare(flags), "a network namespace")


def mount(source: str, target: str, kind: str | None, flags: int = 0) -> None:
    """Mount a file system, or change how one is shared."""
    _check(_libc.mount(source.encode(), target.encode(), kind and kind.encode(), flags, None), f"mount {target}")


def new_namespaces() -> None:
    """Give this process its own network and mounts; without privileges in a user namespace of its own."""
    if os.geteuid() == 0:
        unshare(CLONE_NEWNET | CLONE_NEWNS)
    else:
        _user_namespace()
    mount("none", "/", None, MS_REC | MS_PRIVATE)
    mount("sysfs", "/sys", "sysfs")


def _user_namespace() -> None:
    uid, gid = os.geteuid(), os.getegid()
    unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWNS)
    for name, text in (("setgroups", "deny"), ("uid_map", f"0 {uid} 1"), ("gid_map", f"0 {gid} 1")):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)
