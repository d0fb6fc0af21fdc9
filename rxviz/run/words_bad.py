"""What is wrong with a frame, in words."""

from __future__ import annotations

BAD = {
    "crc": "its FCS does not match its bytes",
    "length": "its length field does not match its length",
    "symbol": "an error symbol came in the middle of it",
    "undersize": "it is shorter than 64 bytes, FCS included",
    "oversize": "it is longer than the MAC's limit",
}
