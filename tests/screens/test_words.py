"""The glossary on the screen: by its key from every place, and by name from the palette."""

from __future__ import annotations

from rxviz.screens.app import RxvizApp
from rxviz.screens.screens.words import WordsScreen
from rxviz.view.glossary import glossary
from tests.screens.support import text


async def test_the_words_are_one_key_away_and_lead_back() -> None:
    app = RxvizApp()
    async with app.run_test(size=(80, 24)) as pilot:
        home = app.screen
        await pilot.press("W")
        assert isinstance(app.screen, WordsScreen)
        assert "FCS" in text(app)
        await pilot.press("q")
        assert app.screen is home


async def test_a_word_that_was_asked_for_stands_first() -> None:
    app = RxvizApp()
    async with app.run_test(size=(80, 24)) as pilot:
        names = [command.title for command in app.get_system_commands(app.screen)]
        assert {f"What is: {word}" for word in glossary()} <= set(names)
        app.screen.do_words("truesize")  # type: ignore[attr-defined]
        await pilot.pause()
        first = next(line for line in text(app).splitlines()[1:] if line.strip())
        assert first.split()[0] == "truesize"
