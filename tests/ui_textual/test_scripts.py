"""Test the full screen with scripts: each case of ``scripts.yaml`` opens a table, presses keys and reads the screen.

A case is a list of steps, each a name and a value:

- ``press`` presses keys, ``type`` types letters, and ``run`` types a command and Enter.
- ``play`` presses a key until a fact is true, and ``wait`` waits until a fact is true.
- The name of a part of the screen asserts that words are there, and ``no PART`` that they aren't. ``PART starts`` or
  ``PART ends`` asserts that the part starts or ends with them.
- The name of a fact asserts its value.
- ``keep`` stores a part or a fact; ``same`` and ``other`` compare it with the stored value.

A name that its step already has takes ``again`` behind it. ``went`` holds how the table must be left.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
import yaml
from full_table import LARGE, SMALL, AtTable, load_test_program, play_at_table

from lusory.explain.styled_text_wrapping_and_values import to_text
from lusory.ui.model.game_introduction_page import SetUps
from lusory.ui.model.option_tree_and_choice_in_progress import list_keys
from lusory.ui.textual import terminal_and_signal_handling
from lusory.ui.textual.scrollable_lines_and_cursor_movement import Sheet

CASES: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("scripts.yaml").read_text(encoding="utf-8"))
SIZES = {"small": SMALL, "large": LARGE, "tiny": (60, 20), "huge": (200, 60)}


def read_dialog(table: AtTable) -> str:
    """Return the name of the dialog that covers the table, or ``table``."""
    return type(table.app.screen).__name__ if len(table.app.screen_stack) > 1 else "table"


def is_empty(table: AtTable) -> bool:
    """Return whether the table behind the dialog is blank."""
    lines = [line for sheet in table.app.screen_stack[0].query(Sheet) for line in sheet.lines]
    return not "".join(map(to_text, lines)).strip()


FACTS: dict[str, Callable[[AtTable], Any]] = {
    "screen": read_dialog,
    "empty": is_empty,
    "seats": lambda table: [turn.seat for turn in table.match.turns],
    "taken": lambda table: [turn.index for turn in table.match.turns if turn.seat == 0],
    "over": lambda table: table.match.decision is None,
    "left": lambda table: table.app.return_value is not None,
    "saved": attrgetter("files.file_names"),
    "described": lambda table: bool(table.app.description),
    "heading": attrgetter("app.screen.heading"),
    "on board": attrgetter("app.is_on_board"),
    "marked": attrgetter("app.target"),
    "under": attrgetter("app.subject"),
    "typed": attrgetter("app.chooser.query"),
    "digits": attrgetter("app.chooser.digits"),
    "cursor": attrgetter("app.chooser.cursor"),
    "entries": attrgetter("app.chooser.entries"),
    "numbers": lambda table: list_keys(table.chooser.choosing) if table.chooser else (),
    "highlighted": attrgetter("app.chooser.highlighted.words"),
    "picks": lambda table: list(table.chooser.choosing.picks) if table.chooser else [],
    "lit": lambda table: "".join(run.text for run in chain(*table.app.get_sheet("options").lines) if run.reverse),
    "continued": attrgetter("app.chooser.question.is_continuation"),
    "recap": attrgetter("app.recap.is_open"),
    "more recap": lambda table: bool(table.app.recap.lines_below),
    "mode": attrgetter("app.recap.mode"),
    "starts hidden": lambda table: table.app.screen.query_one("#starts").region.bottom >= table.app.size.height,
    "title cut": lambda table: table.app.get_sheet("title").size.height < len(table.app.get_sheet("title").lines),
    "options rows": lambda table: table.app.get_sheet("options").size.height,
    "table cut": lambda table: table.app.get_sheet("table").size.height < len(table.app.get_sheet("table").lines),
}


def read(table: AtTable, name: str) -> Any:
    """Return a fact, or the text of a part of the screen."""
    return FACTS[name](table) if name in FACTS else table.read_text(name)


def check(table: AtTable, name: str, value: Any) -> None:
    """Compare a fact with a value, or search a part of the screen for words."""
    if name in FACTS:
        assert read(table, name) == value, name
        return
    for text in value if isinstance(value, list) else [value]:
        match name.split():
            case ["no", region]:
                assert text not in table.read_text(region)
            case [region, "starts"]:
                assert table.read_text(region).startswith(text), table.read_text(region)
            case [region, "ends"]:
                assert table.read_text(region).endswith(text), table.read_text(region)
            case _:
                assert text in table.read_text(name), table.read_text(name)


async def wait_for(table: AtTable, fact: str, key: str | None) -> None:
    """Wait until the fact is true. Press the key meanwhile, if there is one."""
    for _ in range(200):
        if read(table, fact):
            return
        await (table.press(key) if key else table.pilot.pause(0.02))
    raise AssertionError(f"{fact} never came")


async def run_steps(table: AtTable, steps: list[dict[str, Any]]) -> None:
    values: dict[str, object] = {}
    for name, value in (pair for step in steps for pair in step.items()):
        match word := name.removesuffix(" again"):
            case "press":
                await table.press(*value.split())
            case "type":
                await table.type(value)
            case "run":
                await table.type(value)
                await table.press("enter")
            case "play":
                key, _, fact = value.partition(" until ")
                await wait_for(table, fact, key)
            case "wait":
                await wait_for(table, value, None)
            case "click":
                await table.click(*value.split())
            case "mark":
                table.app.target = value
            case "resize":
                await table.pilot.resize_terminal(*SIZES.get(value, (50, 15)))
                await table.wait_until_settled()
            case "keep":
                values[value] = read(table, value)
            case "same":
                assert read(table, value) == values[value], value
            case "other":
                assert read(table, value) != values[value], value
            case _:
                check(table, word, value)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["test"])
def test_script(case: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal_and_signal_handling, "HASTY", case.get("hasty", 0.0))
    settings = {key: case[key] for key in case.keys() - {"test", "game", "size", "starts", "hasty", "went", "steps"}}
    for game in case["game"].split():
        page = load_test_program(game).printed_texts.start_page
        if "starts" in case and page is not None:
            settings["set_ups"] = SetUps(page.recommended_games, *case["starts"])
        for size in case.get("size", "small").split():
            table = play_at_table(lambda table: run_steps(table, case["steps"]), game, SIZES[size], **settings)
            result = table.app.return_value
            assert {name: attrgetter(name)(result) for name in case.get("went", ())} == case.get("went", {})
