"""Colours: every role has one, words can be read, and nothing is told by colour alone where there is none."""

from __future__ import annotations

import pytest
from rich.color import ColorSystem
from rich.color_triplet import ColorTriplet
from rich.style import Style

from rxviz.screens import theme
from rxviz.view.cell import FRAME_ROLES, Role

ROLES = [str(role) for role in Role]
ROLES += [f"frame{i}{kind}" for i in range(FRAME_ROLES) for kind in ("", "_bytes")]
LINES = {Role.BORDER, Role.BORDER_ACCENT}


def luminance(rgb: ColorTriplet) -> float:
    parts = [c / 255 / 12.92 if c / 255 <= 0.03928 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in rgb]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def contrast(style: Style) -> float:
    assert style.color is not None
    assert style.bgcolor is not None
    ink, ground = (luminance(c.get_truecolor()) for c in (style.color, style.bgcolor))
    return (max(ink, ground) + 0.05) / (min(ink, ground) + 0.05)


@pytest.mark.parametrize("palette", theme.PALETTES.values(), ids=lambda palette: palette.name)
def test_every_role_has_a_look(palette: theme.Palette) -> None:
    assert set(ROLES) <= set(palette.styles)


@pytest.mark.parametrize("surface", theme.SURFACES)
@pytest.mark.parametrize("palette", [theme.DARK, theme.LIGHT], ids=lambda palette: palette.name)
def test_words_can_be_read(palette: theme.Palette, surface: str) -> None:
    poor = {role: contrast(palette.style(role, surface)) for role in ROLES if role not in LINES}
    assert {role: round(value, 2) for role, value in poor.items() if value < 4.5} == {}


@pytest.mark.parametrize("palette", [theme.DARK, theme.LIGHT], ids=lambda palette: palette.name)
def test_frames_have_colours_of_their_own(palette: theme.Palette) -> None:
    assert len({palette.style(f"frame{i}").bgcolor for i in range(FRAME_ROLES)}) == FRAME_ROLES


@pytest.mark.parametrize("palette", [theme.ANSI_DARK, theme.ANSI_LIGHT], ids=lambda palette: palette.name)
def test_sixteen_colours_are_enough(palette: theme.Palette) -> None:
    for role in ROLES:
        style = palette.style(role)
        for color in (style.color, style.bgcolor):
            assert color is None or color.downgrade(ColorSystem.STANDARD) == color, role


def test_no_colour_has_none_and_still_tells_frames_and_changes_apart() -> None:
    palette = theme.NO_COLOUR
    for role in ROLES:
        style = palette.style(role)
        assert (style.color, style.bgcolor) == (None, None), role
    assert palette.style("frame0").reverse
    assert palette.style(Role.CHANGED) != palette.style(Role.PLAIN)


def test_a_role_of_a_later_version_is_plain() -> None:
    assert theme.DARK.style("unheard of") == theme.DARK.style(Role.PLAIN)
