from __future__ import annotations

import pytest

from rxviz.capture import linktypes


@pytest.mark.parametrize("number", [0, 9, 101, 105, 113, 127, 228, 276])
def test_the_common_ones_have_names(number: int) -> None:
    assert linktypes.name(number) not in ("unknown", "Ethernet")
    assert linktypes.explain(number).startswith(f"link type {number} ({linktypes.name(number)}) ")


def test_every_explanation_is_one_sentence_part() -> None:
    for number in range(300):
        sentence = linktypes.explain(number)
        assert "\n" not in sentence
        assert not sentence.endswith(".")
        assert sentence.endswith("not an Ethernet NIC path") == (number != linktypes.ETHERNET)


def test_unknown_and_ethernet() -> None:
    assert linktypes.name(1) == "Ethernet"
    assert linktypes.name(65_000) == "unknown"
    assert linktypes.explain(65_000).startswith("link type 65000 is not known here")
