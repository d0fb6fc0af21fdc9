"""TCP flags between text and bits."""

from __future__ import annotations

from functools import lru_cache

LETTERS = "FSRPAUEC"
"""FIN, SYN, RST, PSH, ACK, URG, ECE, CWR: the letter at place n is bit n."""

FLAGS_TEXT = tuple("".join(letter for place, letter in enumerate(LETTERS) if bits >> place & 1) for bits in range(256))
"""The text for each value of the flags byte, letters in the order of `LETTERS`."""


@lru_cache(256)
def flags_bits(text: str) -> int:
    """Give the flags byte for letters in any order ("PA" is 0x18); ValueError names an unknown letter."""
    bits = 0
    for letter in text:
        place = LETTERS.find(letter)
        if place < 0:
            raise ValueError(f"{letter!r} is not a TCP flag; the letters are {LETTERS}")
        bits |= 1 << place
    return bits
