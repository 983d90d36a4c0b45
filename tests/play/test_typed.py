"""Test that typed lines return in the next game, and other lines don't."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from lusory.commands.handlers.play_and_resume import keep_input_history
from lusory.play import stored_results_settings_and_dataclass_json as stored

pytestmark = pytest.mark.usefixtures("user_folders")


def test_typed_lines_are_stored_without_repetitions_up_to_a_limit() -> None:
    assert stored.read_history() == []
    stored.add_to_history(["look rook", "1", "1", "", "  ", "x" * 999, "a\x1b[2J"])
    stored.add_to_history(["1", "why"])
    assert stored.read_history() == ["look rook", "1", "why"]
    stored.add_to_history(f"line {number}" for number in range(2 * stored.LINE_LIMIT))
    assert len(stored.read_history()) == stored.LINE_LIMIT
    assert stored.read_history()[-1] == f"line {2 * stored.LINE_LIMIT - 1}"


class Keyboard:
    """A local terminal that records the loaded history."""

    is_interactive = True

    def __init__(self) -> None:
        self.commands = ["look rook"]
        self.history: list[str] = []

    def load_history(self, lines: list[str]) -> None:
        self.history = lines


@pytest.mark.parametrize(("people", "expected"), [([0], ["why", "look rook"]), ([0, 1], ["why"])])
def test_lines_are_stored_only_for_one_person(people: list[int], expected: list[str]) -> None:
    stored.add_to_history(["why"])
    keyboard = Keyboard()
    with keep_input_history(cast(Any, SimpleNamespace(terminal=keyboard, people=people))):
        assert keyboard.history == (["why"] if len(people) == 1 else [])
    assert stored.read_history() == expected


def test_damaged_history_counts_as_empty() -> None:
    stored.add_to_history(["1"])
    stored.get_history_file().write_bytes(b"\xff\xfe")
    assert stored.read_history() == []
    stored.get_history_file().write_text("fine\n\x1b[2J\n")
    assert stored.read_history() == ["fine"]
    stored.get_history_file().chmod(0o666)
    assert stored.read_history() == []
