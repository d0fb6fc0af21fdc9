"""The name of a frame: one letter, kept from the wire to the socket."""

from __future__ import annotations

LETTERS = 26


def frame_name(frame_id: int) -> str:
    """Return the letter of a frame, with the lap behind it once the alphabet is used up: A … Z, A1 … Z1, A2 …"""
    lap, place = divmod(frame_id, LETTERS)
    return chr(65 + place) + (str(lap) if lap else "")


def half_name(page_offset: int, half_size: int) -> str:
    """Return the name of the half (or, on pages that are walked, the region) that an offset lies in: A, B, C …

    With a rule switched off a write may go anywhere; an offset that is far outside of its page lies in half "?".
    """
    number = page_offset // half_size if half_size else 0
    return chr(65 + number) if 0 <= number < LETTERS else "?"


def page_words(segment: int) -> tuple[str, str]:
    """Return what pages that are offered again are called, and those that are let go: where they are walked by segments
    (of so many bytes, 0 where they are not) nobody asks whether a page may stay, it is used to its end.
    """
    return ("reposted", "used up") if segment else ("reused", "given up")
