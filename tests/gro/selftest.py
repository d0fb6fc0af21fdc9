"""The test cases of the kernel's own GRO selftest, restated: which packets, and which payload lengths must come out.

Packets are of 100 bytes, sequence number 100, window 65535, TTL 8, DF, ID 0; a case is a list of changes to that. The
bare FIN that ends a case is left out, as it is no part of what the selftest compares.
"""

from __future__ import annotations

from typing import Any

from rxviz.kernel.fields import Ip, Segment, build
from tests.gro.flow import ACK, CWR, PSH, RST, SYN, URG

Case = tuple[list[dict[str, Any]], list[int]]

FAMILIES = ("ipv4", "ipv6", "ipip")
_KINDS = {"ipv4": "tcp4", "ipv6": "tcp6", "ipip": "ipip"}
V4 = ("ipv4", "ipip")


def _options(word: int, order: int = 0) -> bytes:
    option = b"\x08\x0a" + word.to_bytes(4, "big") + bytes(4)
    return (b"\1\1" + option, b"\1" + option + b"\1", option + b"\1\1")[order]


def _flagged(flag: int) -> list[dict[str, Any]]:
    return [{}, {"at": 100}, {"at": 0, "size": 0, "flags": ACK | flag}, {"at": 300}, {"at": 400}]


def _large(family: str, rest: int) -> list[dict[str, Any]]:
    mss = 4056 if family == "ipv4" else 4036
    packets: list[dict[str, Any]] = [{"at": n * mss, "size": mss} for n in range(16)]
    return [*packets, {"at": 16 * mss, "size": rest}, {"at": 17 * mss, "size": rest}]


def cases(family: str) -> dict[str, Case]:
    """Return the cases of a family, with what kernel 6.18 makes of them."""
    found: dict[str, Case] = {
        "data_same": ([{}, {"at": 100}], [200]),
        "data_lrg_sml": ([{}, {"at": 100, "size": 50}], [150]),
        "data_lrg_1byte": ([{}, {"at": 100, "size": 1}], [101]),
        "data_sml_lrg": ([{"size": 50}, {"at": 50}], [50, 100]),
        "single": ([{}], [100]),
        "ack": ([{"size": 0}, {"size": 0}, {"size": 0, "ack": 101}], [0, 0, 0]),
        "flags_psh": ([{}, {"at": 100}, {"at": 200, "flags": ACK | PSH}, {"at": 300}, {"at": 400}], [300, 200]),
        "flags_syn": (_flagged(SYN), [200, 0, 200]),
        "flags_rst": (_flagged(RST), [200, 0, 200]),
        "flags_urg": (_flagged(URG), [200, 0, 200]),
        "flags_cwr": (
            [{"at": n * 100, "flags": ACK | (CWR if n in (1, 2) else 0)} for n in range(5)],
            [100, 100, 100, 200],
        ),
        "tcp_csum": ([{}, {"at": 100, "sum_delta": -1}], [100, 100]),
        "tcp_seq": ([{}, {"at": 101}], [100, 100]),
        "tcp_ts": (
            [
                {"options": _options(1)},
                {"at": 100, "options": _options(1)},
                {"at": 200, "options": _options(2)},
                {"at": 300, "options": _options(2, 1)},
                {"at": 400, "options": _options(2, 2)},
            ],
            [200, 100, 100, 100],
        ),
        "tcp_opt": (
            [{"options": _options(1)}, {"at": 100, "options": _options(1)}, {"at": 200, "options": b"\1\1\1\0"}],
            [200, 100],
        ),
        "ip_ecn": ([{}, {"at": 100, "tos": 2}], [100, 100]),
        "ip_tos": ([{}, {"at": 100, "tos": 0xF0}], [100, 100]),
        "large_max": _case(_large(family, 599 if family == "ipv4" else 899), family),
        "large_rem": _case(_large(family, 600 if family == "ipv4" else 900), family, whole=False),
    }
    if family in V4:
        found |= _ipv4_cases()
    else:
        options = ((60, b"\1\4\0\0\0\0"),)
        other = ((60, b"\1\4\0\0\0\1"),)
        found["ip_v6ext_same"] = ([{"extensions": options}, {"at": 100, "extensions": options}], [200])
        found["ip_v6ext_diff"] = ([{"extensions": options}, {"at": 100, "extensions": other}], [100, 100])
        found["ip_frag6"] = ([{}, {"at": 100, "extensions": ((44, b"\0\0\0\0\0\1"),)}, {"at": 200}], [100, 100, 100])
    return found


def _case(packets: list[dict[str, Any]], family: str, whole: bool = True) -> Case:
    mss, rest = packets[0]["size"], packets[-1]["size"]
    return packets, [16 * mss + rest, rest] if whole else [16 * mss, rest, rest]


def _ipv4_cases() -> dict[str, Case]:
    def ids(flags: int, *numbers: int) -> list[dict[str, Any]]:
        return [{"at": n * 100, "ip_id": number, "ip_flags": flags} for n, number in enumerate(numbers)]

    df = 0x4000
    stamp = b"\x44\x28\x05\x00" + bytes(36)
    return {
        "ip_ttl": ([{}, {"at": 100, "ttl": 7}], [100, 100]),
        "ip_opt": ([{}, {"at": 100, "ip_options": stamp}, {"at": 200}], [100, 100, 100]),
        "ip_frag4": ([{}, {"at": 100, "ip_flags": 0x6000}], [100, 100]),
        "ip_id_df1_inc": (ids(df, 8, 9), [200]),
        "ip_id_df1_fixed": (ids(df, 8, 8), [200]),
        "ip_id_df0_inc": (ids(0, 8, 9), [200]),
        "ip_id_df0_fixed": (ids(0, 8, 8), [200]),
        "ip_id_df1_inc_fixed": (ids(df, 8, 9, 9), [200, 100]),
        "ip_id_df1_fixed_inc": (ids(df, 8, 8, 9), [200, 100]),
    }


def frame_of(family: str, changes: dict[str, Any]) -> bytes:
    """Build one packet of a case; what is changed in an IPv4 header is changed in both of an ipip packet."""
    v6 = family == "ipv6"
    pair = ("fdaa::2", "fdaa::1") if v6 else ("192.168.1.200", "192.168.1.100")
    outer, inner = Ip(v6=v6, addresses=pair, ttl=8), Ip(addresses=pair, ttl=8)
    spec = Segment(_KINDS[family], outer=outer, inner=inner, seq=100, ack=100, window=65535, payload=b"a" * 100)
    names = {"ip_flags": "flags", "ip_options": "options", "tos": "tos", "ttl": "ttl", "ip_id": "ip_id"}
    for name, value in changes.items():
        if name == "at":
            spec.seq = 100 + value
        elif name == "size":
            spec.payload = b"a" * value
        elif name in names or name == "extensions":
            for header in (outer, inner):
                setattr(header, names.get(name, name), value)
        else:
            setattr(spec, name, value)
    return build(spec)
