"""Roles become colours here, and nowhere else: dark, light, the terminal's own 16 colours, and none at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rich.style import Style
from textual.theme import BUILTIN_THEMES, Theme

from rxviz.view.cell import FRAME_ROLES, Role

SURFACES = ("ground", "panel", "bar")
"""What lies under the text: the screen, a panel on it, the bars at the top and the bottom."""


@dataclass(frozen=True)
class Palette:
    """One theme: the colour of each surface, and a Rich style for each role. `""` is the terminal's own colour."""

    name: str
    dark: bool
    text: str
    surfaces: Mapping[str, str]
    styles: Mapping[str, str]
    ansi: bool = False
    accent: str = ""
    _made: dict[tuple[str, str], Style] = field(default_factory=dict, compare=False, repr=False)

    def style(self, role: str, surface: str = "panel") -> Style:
        """Return how a role looks on a surface; a role of a later version looks plain."""
        made = self._made.get((role, surface))
        if made is None:
            base = Style(color=self.text or None, bgcolor=self.surfaces[surface] or None)
            made = self._made[role, surface] = base + Style.parse(self.styles.get(role, ""))
        return made

    def as_theme(self) -> Theme:
        """Return the same for Textual's own widgets: the command palette, inputs, toasts."""
        default = "ansi_default"
        # A theme in the terminal's own colours has to define variables that Textual keeps for those alone.
        like = BUILTIN_THEMES["ansi-dark" if self.dark else "ansi-light"]
        return Theme(
            name=self.name,
            dark=self.dark,
            ansi=self.ansi,
            primary=self.accent if not self.ansi else "ansi_blue",
            accent=self.accent if not self.ansi else "ansi_yellow",
            warning="#e69f00" if not self.ansi else "ansi_yellow",
            error="#ff7a45" if self.dark and not self.ansi else "ansi_red" if self.ansi else "#a3270a",
            success="#2cc295" if self.dark and not self.ansi else "ansi_green" if self.ansi else "#046a4e",
            foreground=self.text or default,
            background=self.surfaces["ground"] or default,
            surface=self.surfaces["panel"] or default,
            panel=self.surfaces["bar"] or default,
            boost=default if self.ansi else None,
            variables=dict(like.variables) if self.ansi else {},
        )


def _frames(solid: tuple[str, ...], letters: tuple[str, ...], ink: str) -> dict[str, str]:
    """Return the styles of the frames' roles: `ink` on each solid colour, and each letter colour for their bytes.

    Ink of the terminal's own colours is never bold: many terminals make bold black a grey that is hard to read.
    """
    weight = "bold " if ink.startswith("#") else ""
    both = {f"frame{i}": f"{weight}{ink} on {colour}" for i, colour in enumerate(solid)}
    return both | {f"frame{i}_bytes": colour for i, colour in enumerate(letters)}


def _shared(roles: Mapping[Role, str]) -> dict[str, str]:
    return {str(role): style for role, style in roles.items()}


_DARK_FRAMES = ("#d9893b", "#56b4e9", "#2cc295", "#a8d65c", "#7fa8ff", "#ff7a45", "#f08cc8", "#c3a6ff")
_LIGHT_FRAMES = ("#e89a3c", "#4fb3ee", "#25b98c", "#a5d64a", "#86a8ff", "#ff8552", "#f07fc0", "#b896ff")
_LIGHT_LETTERS = ("#7a4a00", "#005a8f", "#00604a", "#3d5c00", "#1f3fb0", "#a3270a", "#96105f", "#5a2ca8")
assert len(_DARK_FRAMES) == len(_LIGHT_FRAMES) == len(_LIGHT_LETTERS) == FRAME_ROLES

DARK = Palette(
    "rxviz-dark",
    True,
    "#d3dee6",
    {"ground": "#0e1318", "panel": "#131a21", "bar": "#18222b"},
    _shared(
        {
            Role.PLAIN: "",
            Role.REST: "#7f909e",
            Role.STRONG: "bold #f1f6fa",
            Role.ACCENT: "bold #ffd166",
            Role.CHANGED: "bold #ffd166 on #3c3a2d",
            Role.BORDER: "#33414d",
            Role.BORDER_ACCENT: "#ffd166",
            Role.TITLE: "bold #e6edf2",
            Role.NIC: "#7fb8ff",
            Role.DRIVER: "#d3dee6",
            Role.FREE: "#9be9a8",
            Role.STACK: "#d2a8ff",
            Role.GOOD: "#9be9a8",
            Role.BAD: "bold #ff8a5c",
            Role.LEGACY: "#e69f00",
            Role.BUILD: "#56b4e9",
            Role.HEADER_ETH: "#e6edf2 on #3a4651",
            Role.HEADER_IP: "#e6edf2 on #4a5864",
            Role.HEADER_L4: "#e6edf2 on #3a4651",
            Role.HEADER_TUNNEL: "#e6edf2 on #55626d",
            Role.UNKNOWN: "#7f909e",
            Role.READER: "#8fd3e8",
            Role.SHINFO: "#d2a8ff",
            Role.KEY: "bold #ffd166",
            Role.BADGE: "#8fa1af",
        }
    )
    | _frames(_DARK_FRAMES, _DARK_FRAMES, "#0e1318"),
    accent="#ffd166",
)

LIGHT = Palette(
    "rxviz-light",
    False,
    "#14212b",
    {"ground": "#e6ebef", "panel": "#ffffff", "bar": "#d5dde3"},
    _shared(
        {
            Role.PLAIN: "",
            Role.REST: "#4d5b66",
            Role.STRONG: "bold #000000",
            Role.ACCENT: "bold #8a3c00",
            Role.CHANGED: "bold #5a2600 on #ffe19a",
            Role.BORDER: "#a9b5be",
            Role.BORDER_ACCENT: "#b35900",
            Role.TITLE: "bold #000000",
            Role.NIC: "#0a4f9e",
            Role.DRIVER: "#14212b",
            Role.FREE: "#0b6136",
            Role.STACK: "#66309a",
            Role.GOOD: "#0b6136",
            Role.BAD: "bold #a3200a",
            Role.LEGACY: "#7a4a00",
            Role.BUILD: "#005a8f",
            Role.HEADER_ETH: "#14212b on #ccd5db",
            Role.HEADER_IP: "#14212b on #b9c5ce",
            Role.HEADER_L4: "#14212b on #ccd5db",
            Role.HEADER_TUNNEL: "#14212b on #a9b8c2",
            Role.UNKNOWN: "#4d5b66",
            Role.READER: "#07586e",
            Role.SHINFO: "#66309a",
            Role.KEY: "bold #8a3c00",
            Role.BADGE: "#4d5b66",
        }
    )
    | _frames(_LIGHT_FRAMES, _LIGHT_LETTERS, "#14212b"),
    accent="#8a3c00",
)

_NO_SURFACES = {"ground": "", "panel": "", "bar": ""}
_ANSI_FRAMES = (
    "cyan", "green", "bright_magenta", "bright_green", "bright_blue", "bright_red", "magenta", "bright_cyan"
)  # fmt: skip


def _ansi(dark: bool) -> dict[str, str]:
    """Return the styles in the terminal's own colours; bright ones are not to be read on a light ground."""
    rest = "bright_black" if dark else ""
    bright = "bright_" if dark else ""
    look = f"bold {bright}yellow" if dark else "bold red"
    return _shared(
        {
            Role.PLAIN: "",
            Role.REST: rest or "dim",
            Role.STRONG: "bold",
            Role.ACCENT: look,
            Role.CHANGED: f"{look} reverse",
            Role.BORDER: rest or "dim",
            Role.BORDER_ACCENT: look,
            Role.TITLE: "bold",
            Role.NIC: f"{bright}blue",
            Role.DRIVER: "",
            Role.FREE: f"{bright}green",
            Role.STACK: f"{bright}magenta",
            Role.GOOD: f"{bright}green",
            Role.BAD: f"bold {bright}red",
            Role.LEGACY: "yellow",
            Role.BUILD: "cyan",
            Role.HEADER_ETH: "reverse",
            Role.HEADER_IP: "reverse",
            Role.HEADER_L4: "reverse",
            Role.HEADER_TUNNEL: "reverse",
            Role.UNKNOWN: rest or "dim",
            Role.READER: f"{bright}cyan",
            Role.SHINFO: f"{bright}magenta",
            Role.KEY: look,
            Role.BADGE: rest or "dim",
        }
    ) | _frames(
        _ANSI_FRAMES,
        _ANSI_FRAMES if dark else ("cyan", "green", "magenta", "green", "blue", "red", "magenta", "cyan"),
        "black",
    )


ANSI_DARK = Palette("rxviz-ansi-dark", True, "", _NO_SURFACES, _ansi(True), ansi=True)
ANSI_LIGHT = Palette("rxviz-ansi-light", False, "", _NO_SURFACES, _ansi(False), ansi=True)

NO_COLOUR = Palette(
    "rxviz-no-colour",
    True,
    "",
    _NO_SURFACES,
    _shared(
        dict.fromkeys(Role, "")
        | {
            Role.REST: "dim",
            Role.STRONG: "bold",
            Role.ACCENT: "bold",
            Role.CHANGED: "bold underline",
            Role.BORDER: "dim",
            Role.BORDER_ACCENT: "bold",
            Role.TITLE: "bold",
            Role.BAD: "bold",
            Role.HEADER_ETH: "underline",
            Role.HEADER_IP: "",
            Role.HEADER_L4: "underline",
            Role.HEADER_TUNNEL: "",
            Role.UNKNOWN: "dim",
            Role.KEY: "bold",
            Role.BADGE: "dim",
        }
    )
    | {f"frame{i}": "bold reverse" for i in range(FRAME_ROLES)}
    | {f"frame{i}_bytes": "" for i in range(FRAME_ROLES)},
    ansi=True,
)

PALETTES = {palette.name: palette for palette in (DARK, LIGHT, ANSI_DARK, ANSI_LIGHT, NO_COLOUR)}
OTHER = {
    DARK.name: LIGHT.name,
    LIGHT.name: DARK.name,
    ANSI_DARK.name: ANSI_LIGHT.name,
    ANSI_LIGHT.name: ANSI_DARK.name,
    NO_COLOUR.name: NO_COLOUR.name,
}
"""Where the key for dark and light leads from each theme."""


def palette_of(theme: str) -> Palette:
    """Return the palette of a theme's name; a theme that is not ours gets the dark one."""
    return PALETTES.get(theme, DARK)
