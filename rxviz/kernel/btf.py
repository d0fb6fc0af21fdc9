"""A small reader of BTF, the kernel's own description of its types (Documentation/bpf/btf.rst).

Reads just enough for sizes of structs, offsets of members and lengths of arrays.
"""

from __future__ import annotations

from pathlib import Path
from struct import Struct, error
from typing import NamedTuple

from rxviz.kernel.errors import KernelError

VMLINUX = Path("/sys/kernel/btf/vmlinux")
_MAGIC = 0xEB9F
_MAX_SIZE = 256 << 20
_header = Struct("=HBBIIIII").unpack_from
_type = Struct("=III").unpack_from
_three = Struct("=III").unpack_from
_INT, _ARRAY, _STRUCT, _UNION, _ENUM = 1, 3, 4, 5, 6
_FUNC_PROTO, _VAR, _DATASEC, _DECL_TAG, _ENUM64 = 13, 14, 15, 17, 19
_FIXED = {_INT: 4, _ARRAY: 12, _VAR: 4, _DECL_TAG: 4}
_EACH = {_STRUCT: 12, _UNION: 12, _ENUM: 8, _FUNC_PROTO: 8, _DATASEC: 12, _ENUM64: 12}


class Member(NamedTuple):
    """A member of a struct or union: offset in bits, and the number of its type."""

    name: str
    bits: int
    type: int


class Btf:
    """The types of one kernel. Raises KernelError where the file is missing or is no BTF."""

    def __init__(self, path: Path = VMLINUX) -> None:
        try:
            if path.stat().st_size > _MAX_SIZE:
                raise KernelError(f"{path}: more than {_MAX_SIZE >> 20} MiB, too long for type information")
            self._data = path.read_bytes()
        except OSError as problem:
            raise KernelError(f"{path}: {problem.strerror}; this kernel does not tell its struct sizes") from None
        try:
            self._offsets, self._by_name = self._index(path)
        except (error, IndexError, ValueError):
            raise KernelError(f"{path}: the type information breaks off") from None

    def _index(self, path: Path) -> tuple[list[int], dict[str, int]]:
        data = self._data
        magic, _, _, size, types, types_length, strings, _ = _header(data, 0)
        if magic != _MAGIC:
            raise KernelError(f"{path}: byte 0: not BTF of this machine's byte order")
        self._strings = size + strings
        at, end = size + types, size + types + types_length
        offsets: list[int] = [0]
        by_name: dict[str, int] = {}
        while at < end:
            name, info, _ = _type(data, at)
            kind, count = info >> 24 & 31, info & 0xFFFF
            if kind in (_STRUCT, _UNION) and name:
                by_name.setdefault(self._text(name), len(offsets))
            offsets.append(at)
            at += 12 + _FIXED.get(kind, 0) + count * _EACH.get(kind, 0)
        return offsets, by_name

    def _text(self, offset: int) -> str:
        start = self._strings + offset
        return self._data[start : self._data.index(b"\0", start)].decode("ascii", "replace")

    def _find(self, name: str) -> int:
        if name not in self._by_name:
            raise KernelError(f"this kernel has no struct {name}")
        return self._offsets[self._by_name[name]]

    def size(self, name: str) -> int:
        """Return `sizeof(struct name)` in bytes."""
        return int(_type(self._data, self._find(name))[2])

    def members(self, name: str) -> dict[str, Member]:
        """Return a struct's members by name; those of unnamed structs and unions inside count as its own."""
        return {member.name: member for member in self._members(self._find(name), 0)}

    def _members(self, at: int, base: int) -> list[Member]:
        found = []
        _, info, _ = _type(self._data, at)
        for place in range(info & 0xFFFF):
            name, kind, offset = _three(self._data, at + 12 + place * 12)
            bits = base + (offset & 0xFFFFFF if info >> 31 else offset)
            if name:
                found.append(Member(self._text(name), bits, kind))
            else:
                inner = self._offsets[kind]
                if _type(self._data, inner)[1] >> 24 & 31 in (_STRUCT, _UNION):
                    found += self._members(inner, bits)
        return found

    def offset(self, struct: str, member: str) -> int:
        """Return `offsetof(struct, member)` in bytes."""
        return self._member(struct, member).bits // 8

    def array_length(self, struct: str, member: str) -> int:
        """Return how many elements an array member has."""
        at = self._offsets[self._member(struct, member).type]
        if _type(self._data, at)[1] >> 24 & 31 != _ARRAY:
            raise KernelError(f"{member} of struct {struct} is no array in this kernel")
        return int(_three(self._data, at + 12)[2])

    def _member(self, struct: str, member: str) -> Member:
        members = self.members(struct)
        if member not in members:
            raise KernelError(f"struct {struct} has no member {member} in this kernel")
        return members[member]

    def has(self, struct: str, member: str = "") -> bool:
        """Say whether a struct, or a member of it, exists."""
        return struct in self._by_name and (not member or member in self.members(struct))
