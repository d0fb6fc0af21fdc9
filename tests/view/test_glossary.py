"""The glossary: every word has one plain line, and the words that the steps and panels use are in it."""

from __future__ import annotations

import pytest

from rxviz.view.glossary import glossary


def test_each_word_has_one_line_that_fits_two_rows_of_80() -> None:
    for word, line in glossary().items():
        assert len(word) <= 16
        assert line.endswith((".", ".)"))
        assert len(line) <= 120, word


@pytest.mark.parametrize(
    "word",
    ["NAPI", "softirq", "budget", "RDH", "RDT", "next_to_use", "next_to_clean", "next_to_alloc", "DD", "EOP", "FCS",
     "prepaid", "refs", "shared info", "head", "fragment", "truesize", "sync", "map", "top up", "DMA",
     "GRO", "held", "merge", "gso_size", "frag_list", "unmap", "owner bit", "LRO", "bridge"],
)  # fmt: skip
def test_words_of_the_screen_are_explained(word: str) -> None:
    assert word in glossary()
