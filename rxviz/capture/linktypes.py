"""Names of link types, and why only one of them can come out of an Ethernet NIC.

Numbers as in the public list of LINKTYPE values (draft-ietf-opsawg-pcaplinktype).
"""

from __future__ import annotations

ETHERNET = 1

_COOKED = "was taken above the cards on Linux, where the Ethernet header is already gone"
_BARE = "holds packets without any link header, so there is no Ethernet frame"
_RADIO = "comes from a wireless card, whose frames are of another kind"
_LOOP = "comes from a loopback that has no Ethernet header"
_SERIAL = "comes from a point-to-point line, which has no Ethernet frames"
_BUS = "comes from a bus or a device, not from a network card"
_TRACE = "holds messages of a program, not frames"
_OTHER_LAN = "comes from another kind of network than Ethernet"

# number -> name, why an Ethernet NIC never receives it
_TYPES: dict[int, tuple[str, str]] = {
    0: ("BSD loopback", _LOOP),
    6: ("IEEE 802.5 Token Ring", _OTHER_LAN),
    7: ("ARCNET", _OTHER_LAN),
    8: ("SLIP", _SERIAL),
    9: ("PPP", _SERIAL),
    10: ("FDDI", _OTHER_LAN),
    50: ("PPP in HDLC framing", _SERIAL),
    51: ("PPPoE session", _SERIAL),
    100: ("ATM with LLC", _OTHER_LAN),
    101: ("raw IP", _BARE),
    104: ("Cisco HDLC", _SERIAL),
    105: ("IEEE 802.11", _RADIO),
    107: ("Frame Relay", _SERIAL),
    108: ("OpenBSD loopback", _LOOP),
    113: ("Linux cooked", _COOKED),
    117: ("OpenBSD pflog", "comes from a firewall's log, not from a card"),
    119: ("IEEE 802.11 with Prism header", _RADIO),
    127: ("IEEE 802.11 radiotap", _RADIO),
    129: ("ARCNET, Linux", _OTHER_LAN),
    138: ("IP over IEEE 1394", _OTHER_LAN),
    147: ("private use 0", "means something only to whoever wrote the file"),
    162: ("private use 15", "means something only to whoever wrote the file"),
    163: ("IEEE 802.11 with AVS header", _RADIO),
    187: ("Bluetooth HCI", _RADIO),
    189: ("USB, Linux", _BUS),
    192: ("per-packet information", _RADIO),
    195: ("IEEE 802.15.4", _RADIO),
    201: ("Bluetooth HCI with direction", _RADIO),
    220: ("USB, Linux, padded", _BUS),
    227: ("CAN bus", _BUS),
    228: ("raw IPv4", _BARE),
    229: ("raw IPv6", _BARE),
    230: ("IEEE 802.15.4 without FCS", _RADIO),
    239: ("Linux netfilter log", "comes from the packet filter, far above the card"),
    242: ("IP over InfiniBand", _OTHER_LAN),
    247: ("InfiniBand", _OTHER_LAN),
    249: ("USBPcap", _BUS),
    251: ("Bluetooth low energy", _RADIO),
    252: ("upper protocol, as exported", _TRACE),
    253: ("Linux netlink", _TRACE),
    272: ("nRF sniffer", _RADIO),
    274: ("Ethernet mPacket", "holds pieces of frames below the card"),
    276: ("Linux cooked, version 2", _COOKED),
}


def name(link_type: int) -> str:
    """Return the name of a link type, as "IEEE 802.11 radiotap"."""
    if link_type == ETHERNET:
        return "Ethernet"
    return _TYPES.get(link_type, ("unknown", ""))[0]


def explain(link_type: int) -> str:
    """Return one sentence on why an Ethernet NIC cannot have received such a record (or that it can)."""
    if link_type == ETHERNET:
        return "link type 1 (Ethernet) is what an Ethernet NIC receives"
    known = _TYPES.get(link_type)
    if known is None:
        return f"link type {link_type} is not known here and not Ethernet: not an Ethernet NIC path"
    return f"link type {link_type} ({known[0]}) {known[1]}: not an Ethernet NIC path"
