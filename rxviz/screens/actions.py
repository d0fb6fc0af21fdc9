"""Everything that a key can do: the one place from which keys, the bar, the help and the command palette come."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rxviz.model import steps
from rxviz.view.scrubber import LEGEND

HOME, BENCH, PAGE, LIST = "home", "bench", "page", "list"
COURSE, LESSON = "course", "lesson"
"""The screens that have keys of their own; a page is text to read, a list has lines to pick from, the course is the
map of the lessons."""
LANES, BREAK, WHY, DRIVER_LIST, PATCHES = "lanes", "break", "why", "drivers", "patches"
"""Two lanes side by side; the rules that can be broken; two frames and the questions of GRO, to be picked; the drivers
that can be chosen."""


@dataclass(frozen=True, slots=True)
class Action:
    """One thing to do. `keys` are Textual's names; `shown` is how help writes them; `name` is done by `do_<name>`.

    `footer` is the word in the bar ("" leaves it out, `rank` 1 goes first), `palette` the entry in the command palette.
    """

    name: str
    keys: tuple[str, ...]
    shown: str
    help: str
    group: str
    screens: tuple[str, ...]
    footer: str = ""
    rank: int = 9
    palette: str = ""
    argument: str = ""


def _panels() -> list[Action]:
    return [
        Action("panel", (str(n),), str(n), f"Panel {n}", "Panels", (BENCH,), argument=str(n - 1)) for n in range(1, 10)
    ]


def _picks() -> list[Action]:
    return [Action("pick", (str(n),), str(n), f"Line {n}", "Open", (LIST,), argument=str(n - 1)) for n in range(1, 10)]


def _digits() -> list[Action]:
    told = "So 1 to 9, 0: an option, a step of an order, a digit; in a task the knob of that number"
    return [
        Action("digit", (str(n),), str(n), told if n == 1 else f"The same with {n}", "Answering", (LESSON,),
               argument=str(n))
        for n in range(10)
    ]  # fmt: skip


ACTIONS: tuple[Action, ...] = (
    # ------------------------------------------------------------------------------------------------------- why not?
    Action("later", ("right", "l"), "→ l", "The next frame, or packet, in the row that is marked", "Picking", (WHY,),
           "another frame", 3),
    Action("earlier", ("left", "h"), "← h", "The one before it", "Picking", (WHY,)),
    Action("ten_later", ("right_square_bracket",), "]", "Ten on", "Picking", (WHY,)),
    Action("ten_earlier", ("left_square_bracket",), "[", "Ten back", "Picking", (WHY,)),
    Action("other", ("tab",), "Tab", "The next row: the frame, what it is held against, the packets that are held now",
           "Picking", (WHY,), "other row", 3),
    Action("as_asked", ("r",), "r", "Back to the two that the page opened with", "Picking", (WHY,), "as opened", 4),
    # -------------------------------------------------------------------------------------------------------- lessons
    Action("go_on", ("enter", "space"), "Enter space", "Go on; take what was picked or typed", "Going on", (LESSON,)),
    Action("forward", ("right", "l", "full_stop"), "→ l .", "One step forward; turn a knob up", "Going on", (LESSON,)),
    Action("back", ("left", "comma"), "← ,", "One step back; turn a knob down", "Going on", (LESSON,)),
    Action("down", ("down", "j"), "↓ j", "The next option; in a task to where the next frame's trip ends", "Going on",
           (LESSON,)),
    Action("up", ("up", "k"), "↑ k", "The option before; in a task to where the last frame's trip ended", "Going on",
           (LESSON,)),
    Action("start", ("home", "g"), "Home g", "To the start of the run", "Going on", (LESSON,)),
    Action("end", ("end", "G"), "End G", "To the end of the run", "Going on", (LESSON,)),
    Action("next_of", ("n",), "n", "In a task, then a letter: to the next copy, flip, drop …", "Going on", (LESSON,)),
    Action("skip", ("pagedown",), "PgDn", "Skip to the next part; what is open stays open", "Going on", (LESSON,),
           palette="Skip to the next part of the lesson"),
    Action("skip_back", ("pageup",), "PgUp", "Back to the part before", "Going on", (LESSON,),
           palette="Back to the part before"),
    *_digits(),
    Action("next_place", ("tab",), "Tab", "The next place on the picture, the next option", "Answering", (LESSON,)),
    Action("previous_place", ("shift+tab",), "Shift+Tab", "The place before", "Answering", (LESSON,)),
    Action("undo", ("backspace",), "Backspace", "Take back what was picked or typed last", "Answering", (LESSON,)),
    Action("again", ("r",), "r", "Try again: the same question with other numbers", "Answering", (LESSON,),
           palette="Ask again with other numbers"),
    Action("answer", ("a",), "a", "In a task: give its number, or choose its answer", "The task", (LESSON,)),
    Action("hint", ("h",), "h", "A hint, and the next one; they can be read again", "The task", (LESSON,),
           palette="A hint for the task"),
    Action("solution", ("s",), "s", "One way to do it, as a run to step through, after one try of yours", "The task",
           (LESSON,), palette="Show a solution of the task"),
    Action("free_play", ("f",), "f", "Free play: the workbench on this run; Esc leads back here", "Elsewhere",
           (LESSON,), palette="Free play with this run"),
    Action("begin_again", ("A",), "A", "Begin this lesson again", "Elsewhere", (LESSON,),
           palette="Begin this lesson again"),
    Action("open_lesson", ("enter", "space"), "Enter space", "Open the lesson", "Lessons", (COURSE,), "open", 1),
    Action("down", ("down", "j"), "↓ j", "The next lesson", "Lessons", (COURSE,), "choose", 2),
    Action("up", ("up", "k"), "↑ k", "The lesson before", "Lessons", (COURSE,)),
    Action("cheat_sheet", ("c",), "c", "The cheat sheet: one line of every lesson that is done", "Lessons",
           (COURSE, LESSON), "cheat sheet", 3, "The cheat sheet"),
    Action("reset", ("R",), "R", "Begin the course anew; asks once, and keeps the old log beside", "Lessons", (COURSE,),
           "reset", 4, "Begin the course anew"),
    # ------------------------------------------------------------------------------------------------- breaking rules
    Action("take", ("enter", "space"), "Enter space", "Switch the rule off, and run the scene without it", "Rules",
           (BREAK,), "switch off", 1),
    Action("down", ("down", "j"), "↓ j", "The next rule", "Rules", (BREAK,), "choose", 2),
    Action("up", ("up", "k"), "↑ k", "The rule before", "Rules", (BREAK,)),
    Action("take", ("enter", "space"), "Enter space", "Open this scene with the chosen driver", "Drivers",
           (DRIVER_LIST,), "open", 1),
    Action("down", ("down", "j"), "↓ j", "The next one", "Drivers", (DRIVER_LIST,), "choose", 2),
    Action("up", ("up", "k"), "↑ k", "The one before", "Drivers", (DRIVER_LIST,)),
    Action("smallest", ("s",), "s", "The smallest scene in which a lamp goes on without this rule", "Rules", (BREAK,),
           "smallest scene", 3),
    Action("find", ("slash",), "/", "Type a few letters: only lines that have them stay; Esc shows all again", "Lists",
           (BREAK, DRIVER_LIST, PATCHES), "find", 3),
    Action("next_group", ("tab",), "Tab", "The next group", "Lists", (BREAK, DRIVER_LIST), "group", 4),
    Action("previous_group", ("shift+tab",), "Shift+Tab", "The group before", "Lists", (BREAK, DRIVER_LIST)),
    # -------------------------------------------------------------------------------------------------------- patches
    Action("take", ("enter", "space"), "Enter space", "Apply the patch, or revert it, and run the scene again",
           "Patches", (PATCHES,), "apply or revert", 1),
    Action("down", ("down", "j"), "↓ j", "The next patch", "Patches", (PATCHES,), "choose", 2),
    Action("up", ("up", "k"), "↑ k", "The patch before", "Patches", (PATCHES,)),
    Action("all", ("a",), "a", "Apply all twenty", "Patches", (PATCHES,), "all", 3),
    Action("none", ("n",), "n", "Revert all twenty", "Patches", (PATCHES,), "none", 4),
    Action("lanes", ("v",), "v", "Two lanes: this scene before the series, and as it is now", "Patches", (PATCHES,),
           "two lanes", 5),
    # -------------------------------------------------------------------------------------------------------- reading
    Action("line_down", ("down", "j", "space"), "↓ j", "Read on", "Reading", (PAGE, LIST, WHY), "read on", 1),
    Action("line_up", ("up", "k"), "↑ k", "Back a line", "Reading", (PAGE, LIST, WHY)),
    Action("page_down", ("pagedown",), "PgDn", "A page on", "Reading", (PAGE, LIST, BREAK, WHY, DRIVER_LIST, PATCHES)),
    Action("page_up", ("pageup",), "PgUp", "A page back", "Reading", (PAGE, LIST, BREAK, WHY, DRIVER_LIST, PATCHES)),
    Action("top", ("home", "g"), "Home g", "To the top", "Reading", (PAGE, LIST, BREAK, WHY, DRIVER_LIST, PATCHES)),
    Action("bottom", ("end", "G"), "End G", "To the end", "Reading", (PAGE, LIST, BREAK, WHY, DRIVER_LIST, PATCHES)),
    *_picks(),
    # ------------------------------------------------------------------------------------------------ walking in time
    Action(
        "forward", ("right", "l", "full_stop"), "→ l .", "One stop forward: a step, or what zoom says", "Time",
        (BENCH,), "step", 1, "Step forward",
    ),
    Action("back", ("left", "h", "comma"), "← h ,", "One stop back", "Time", (BENCH,), palette="Step back"),
    Action("play", ("space",), "space", "Play, and pause", "Time", (BENCH,), "play", 2, "Play or pause"),
    Action("faster", ("plus", "equals_sign", "right_square_bracket"), "+ ]", "Play faster", "Time", (BENCH,),
           palette="Play faster"),
    Action("slower", ("minus", "left_square_bracket"), "- [", "Play slower", "Time", (BENCH,), palette="Play slower"),
    Action("next_frame", ("down", "j"), "↓ j", "To where the next frame's trip ends", "Time", (BENCH,), "frame", 3,
           "Next frame"),
    Action("previous_frame", ("up", "k"), "↑ k", "To where the last frame's trip ended", "Time", (BENCH,),
           palette="Previous frame"),
    Action("next_poll", ("pagedown",), "PgDn", "To the end of the next poll", "Time", (BENCH,), palette="Next poll"),
    Action("previous_poll", ("pageup",), "PgUp", "To the end of the last poll", "Time", (BENCH,),
           palette="Previous poll"),
    Action("next_of", ("n",), "n", "Then a letter: to the next copy, flip, drop … (n again: the same once more)",
           "Time", (BENCH,), "next…", 4, "Jump to the next step of a kind"),
    Action("previous_of", ("N",), "N", "Then a letter: back to the last one of a kind", "Time", (BENCH,),
           palette="Jump back to the last step of a kind"),
    Action("start", ("home", "g"), "Home g", "To the start of the run", "Time", (BENCH,), palette="Go to the start"),
    Action("end", ("end", "G"), "End G", "To the end of the run", "Time", (BENCH,), palette="Go to the end"),
    Action("zoom", ("z",), "z", "What arrows and play stop at: each step, each frame, each poll", "Time", (BENCH,),
           "zoom", 5, "Zoom: step, frame, poll"),
    # --------------------------------------------------------------------------------------------------------- looking
    *_panels(),
    Action("follow", ("0",), "0", "Small windows: again the panel that the step is about (so does a panel's number)",
           "Panels", (BENCH,), palette="Panel: the one of the step"),
    Action("next_panel", ("tab",), "Tab", "The next panel", "Panels", (BENCH,), "panel", 7, "Next panel"),
    Action("previous_panel", ("shift+tab",), "Shift+Tab", "The panel before", "Panels", (BENCH,)),
    Action("deeper", ("enter",), "Enter", "The bytes of what is in focus: a descriptor, a half, an skb", "Panels",
           (BENCH,), "bytes", 6, "Look at the bytes"),
    Action("bytes_down", ("J",), "J", "On in the bytes (the mouse wheel does it, too)", "Panels", (BENCH,)),
    Action("bytes_up", ("K",), "K", "Back in the bytes", "Panels", (BENCH,)),
    # ------------------------------------------------------------------------------------------------------- asking
    Action("why", ("w",), "w", "Why not? What GRO asks about this frame, and what would let it merge", "Asking",
           (BENCH,), "why not", 6, "Why not? What GRO asks about this frame"),
    Action("why", ("w",), "w", "Why not? What GRO asks about this frame, and what would let it merge", "Lesson",
           (LESSON,), palette="Why not? What GRO asks about this frame"),
    Action("break", ("b",), "b", "Break a rule: switch one off, run the scene again, see what falls", "Asking",
           (BENCH,), "break a rule", 6, "Break a rule"),
    Action("cpus", ("c",), "c", "Who runs when? Rows for interrupt and CPUs, under the track; again: without", "Asking",
           (BENCH,), "CPUs", 6, "CPUs: who runs when"),
    Action("driver", ("D",), "D", "Choose a driver: this scene with another driver, kernel or path", "Asking",
           (BENCH,), "driver", 6, "Choose a driver, a kernel, a path"),
    Action("patches", ("P",), "P", "Patches: apply or revert each of the twenty that brought build_skb", "Asking",
           (BENCH,), "patches", 6, "Patches: apply or revert each of the series"),
    Action("what_if", ("x",), "x", "What if the program at the socket were off, slow or fast from here on?", "Asking",
           (BENCH,), "what if", 5, "What if … from here on"),
    Action("lanes", ("v",), "v", "Two lanes: the same frames the legacy way and with build_skb, side by side", "Asking",
           (BENCH,), "two lanes", 6, "Two lanes: legacy and build_skb"),
    Action("come_back", ("X",), "X", "Leave the what-if: back to the run that was left, at the same step", "Asking",
           (BENCH,), palette="Leave the what-if"),
    Action("leaves_out", ("m",), "m", "What the model leaves out", "Asking",
           (HOME, BENCH, LIST, LANES, COURSE, LESSON, BREAK, DRIVER_LIST, PATCHES), "model", 8,
           "What the model leaves out"),
    Action("words", ("W",), "W", "Words: what NAPI, truesize, prepaid and the others mean", "Asking",
           (HOME, BENCH, LIST, LANES, COURSE, LESSON, BREAK, DRIVER_LIST, PATCHES), palette="Words: what they mean"),
    # ------------------------------------------------------------------------------------------------------- two lanes
    Action("forward", ("right", "l", "full_stop"), "→ l .", "One frame on in both lanes; among steps one step", "Lanes",
           (LANES,), "frame", 1, "Next frame"),
    Action("back", ("left", "h", "comma"), "← h ,", "One frame back, or one step", "Lanes", (LANES,),
           palette="Previous frame"),
    Action("into", ("down", "j"), "↓ j", "Into the steps of this frame, in both lanes", "Lanes", (LANES,), "steps", 2,
           "Into the steps of this frame"),
    Action("out", ("up", "k"), "↑ k", "Back from steps to whole frames", "Lanes", (LANES,), palette="Whole frames"),
    Action("next_difference", ("N", "n"), "N n", "To the next frame that differs in a new way, or the next such step",
           "Lanes", (LANES,), "next difference", 3, "Next difference"),
    Action("previous_difference", ("P", "p"), "P p", "Back to the last such difference", "Lanes", (LANES,),
           palette="Previous difference"),
    Action("start", ("home", "g"), "Home g", "To the first frame, or the first step", "Lanes", (LANES,),
           palette="First frame"),
    Action("end", ("end", "G"), "End G", "To the last frame, or the last step", "Lanes", (LANES,),
           palette="Last frame"),
    Action("play", ("space",), "space", "Play, and pause", "Lanes", (LANES,), "play", 5, "Play or pause"),
    Action("faster", ("plus", "equals_sign", "right_square_bracket"), "+ ]", "Play faster", "Lanes", (LANES,),
           palette="Play faster"),
    Action("slower", ("minus", "left_square_bracket"), "- [", "Play slower", "Lanes", (LANES,), palette="Play slower"),
    Action("next_part", ("tab",), "Tab", "The bill, where it is not in sight, and back; else the other lane", "Lanes",
           (LANES,), "bill, lane", 4, "The bill, or the other lane"),
    Action("lane", ("1",), "1", "Choose the left lane (or press it)", "Lanes", (LANES,), argument="0"),
    Action("lane", ("2",), "2", "Choose the right lane", "Lanes", (LANES,), argument="1"),
    Action("open_lane", ("enter",), "Enter", "Open the chosen lane alone in the workbench; Esc comes back", "Lanes",
           (LANES,), "one lane", 6, "Open the chosen lane alone"),
    Action("swap", ("s",), "s", "Let the lanes change places", "Lanes", (LANES,), "swap", 5, "Swap the lanes"),
    # ------------------------------------------------------------------------------------------------------------ home
    Action("learn", ("1",), "1", "Learn: short lessons that ask before they tell", "Open", (HOME,),
           palette="Learn: the course"),
    Action("first_steps", ("2",), "2", "The first flip: ten frames through a small ring", "Open", (HOME,),
           palette="First steps"),
    Action("captures", ("3",), "3", "A real capture", "Open", (HOME,), palette="Open a real capture"),
    Action("legacy", ("4",), "4", "The same frames, the legacy way", "Open", (HOME,), palette="The legacy path"),
    Action("scenarios", ("5",), "5", "More small runs, each with its point", "Open", (HOME,), palette="More runs"),
    Action("open", ("o",), "o", "A capture of your own", "Open", (HOME,), palette="Open a capture by its path"),
    # ------------------------------------------------------------------------------------------------------ everywhere
    Action("theme", ("t",), "t", "Dark or light", "Everywhere",
           (HOME, BENCH, PAGE, LIST, LANES, COURSE, LESSON, BREAK, WHY, DRIVER_LIST, PATCHES), palette="Dark or light"),
    Action("help", ("question_mark", "f1"), "? F1", "Every key, every sign", "Everywhere",
           (HOME, BENCH, LIST, LANES, COURSE, LESSON, BREAK, WHY, DRIVER_LIST, PATCHES), "help", 7, "Help"),
    Action("escape", ("escape",), "Esc", "Back", "Everywhere", (HOME, BENCH, LANES, COURSE, LESSON)),
    Action("escape", ("escape",), "Esc", "Back", "Everywhere", (PAGE, LIST, BREAK, WHY, DRIVER_LIST, PATCHES), "back",
           2),
    Action("leave", ("q",), "q", "Back, and from the first screen out", "Everywhere",
           (HOME, BENCH, PAGE, LIST, LANES, COURSE, BREAK, WHY, DRIVER_LIST, PATCHES), "quit", 9, "Quit"),
    Action("leave", ("q",), "q", "Back to the map of the lessons", "Everywhere", (LESSON,)),
)  # fmt: skip

EVERYWHERE = (
    ("ctrl+p", "Command palette: find any of these by name"),
    ("ctrl+q", "Quit, from anywhere"),
    ("ctrl+z", "Into the background; fg brings it back"),
)
"""Keys that the app itself has, for the help."""


def for_screen(screen: str) -> list[Action]:
    """Return the actions of a screen, in the order of the help."""
    return [action for action in ACTIONS if screen in action.screens]


def by_key(screen: str) -> dict[str, Action]:
    """Return what each key does on a screen; a key with two meanings is an error."""
    keys: dict[str, Action] = {}
    for action in for_screen(screen):
        for key in action.keys:
            if key in keys:
                raise ValueError(f"{key} means {keys[key].name} and {action.name} on {screen}")
            keys[key] = action
    return keys


def footer(screen: str) -> list[Action]:
    """Return what the bar of a screen names, the most useful first."""
    return sorted((action for action in for_screen(screen) if action.footer), key=lambda action: action.rank)


# ------------------------------------------------------------------------------------------------------------ choices
@dataclass(frozen=True, slots=True)
class Choice:
    """One line of a small menu: a letter and what it picks."""

    key: str
    word: str
    value: tuple[str, ...]


def _jumps() -> Iterable[Choice]:
    for letter, word in LEGEND.items():
        yield Choice(letter, word, tuple(kind.name for kind in steps.KINDS if kind.glyph == letter))


JUMPS = tuple(_jumps())
"""The letters of the track with its words, in the order of its legend; `n` itself repeats the last jump."""
WHAT_IFS = (
    Choice("o", "reader off: nobody reads the socket", ("off",)),
    Choice("s", "reader slow: 20 µs for each skb", ("slow",)),
    Choice("f", "reader fast: 0.5 µs for each skb", ("fast",)),
)
