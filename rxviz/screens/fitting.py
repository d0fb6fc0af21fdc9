"""What the moment changes about where parts go: a long story, an open menu, room for a legend."""

from __future__ import annotations

from rxviz.run.timeline import Moment
from rxviz.screens.layout import Places, kept
from rxviz.view import story
from rxviz.view.text import ELLIPSIS

MOST_STORY = 14
"""Lines of which no story has more."""


def with_legend(places: Places) -> Places:
    """Give a blank line under the track to its legend."""
    track, below = places.get("scrubber"), places.get("cpus", places.get("keys"))
    if track is not None and below is not None and track.height == 2 and track.y + track.height < below.y:
        places["scrubber"] = track._replace(height=3)
    return places


def with_story(places: Places, need: int) -> Places:
    """Make the story at least so high, as far as the panel above it can give way."""
    place = places["story"]
    above = next((key for key, at in places.items() if at.y + at.height == place.y and key not in ("tabs", "menu")), "")
    if above:
        more = max(min(need - place.height, places[above].height - kept(above)), 0)
        places[above] = places[above]._replace(height=places[above].height - more)
        places["story"] = place._replace(y=place.y - more, height=place.height + more)
    return places


def with_menu(places: Places) -> Places:
    """Put an open menu over the panels, so that the sentence and the track stay in sight."""
    menu, below = places.get("menu"), places.get("story")
    if menu is not None and below is not None:
        bottom = below.y if below.y - menu.height >= 1 else places["scrubber"].y
        places["menu"] = menu._replace(y=max(bottom - menu.height, 1))
    return places


def story_need(moment: Moment, width: int, least: int) -> int:
    """Return the lines from `least` on in which a story of a width is told in full."""
    for height in range(least, MOST_STORY):
        body = story.draw(moment, width, height).text().split("\n")[1:-1]
        if not any(ELLIPSIS in line for line in body):
            return height
    return MOST_STORY
