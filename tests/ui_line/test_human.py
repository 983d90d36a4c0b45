"""Test what typed lines mean, and what a person can do at the prompt."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from programs import BIDS, build_program, load_bundled, read_data, replace_texts
from rich.console import Console

from lusory.commands.handlers.play_and_resume import GameTable
from lusory.explain.event_sentences import tell_deeds
from lusory.explain.styled_text_wrapping_and_values import to_text
from lusory.game import Game
from lusory.play.match import Match
from lusory.play.player_interface_scripted_and_random_players import Person, ScriptedPlayer
from lusory.state.decisions_outcomes_and_faults import RulesetFault
from lusory.ui.line.line_session import COMMANDS, FileResult, LineSession
from lusory.ui.line.terminal_output_and_line_editing import Terminal
from lusory.ui.model.screen_builder import take
from lusory_dsl.pipeline import load_program

DATA = read_data(__file__)


# ---------------------------------------------------------------- whole sessions


class TypedSession:
    """A session whose lines are typed in advance, with line editing if ``has_editing`` is true."""

    def __init__(
        self, lines: Sequence[str], kinds: str = "hb", has_editing: bool = False, hides_secrets: bool = True
    ) -> None:
        self.out = StringIO()
        self.lines = iter(lines)
        self.saved: list[str | None] = []
        self.can_save = True
        console = Console(file=self.out, width=80, height=24, markup=False, highlight=False, force_terminal=has_editing)
        screen = Terminal(console, self.read, has_editing)
        game = Game(load_program(BIDS), len(kinds))
        names = ("Ann", "Bob")
        players = [
            Person(seat, names[seat]) if kind == "h" else ScriptedPlayer([0] * 9) for seat, kind in enumerate(kinds)
        ]
        self.match = Match(game, players, seed=1)
        self.line_session = LineSession(
            screen, self.match, names, lambda name: f"the rules of {name}", self, hides_secrets
        )
        self.line_session.replay_command = "lusory play again"

    def read(self, prompt: str) -> str:
        self.out.write(f"{prompt}\n")
        line = next(self.lines, None)
        if line is None:
            raise EOFError
        if line == "^C":
            raise KeyboardInterrupt
        return line

    def save(self, file: str | None) -> FileResult:
        self.saved.append(file)
        return FileResult(self.can_save, f"saved {file}")

    def record_result(self, match: Match) -> bool:
        """Store nothing."""
        return False

    def run(self) -> tuple[int, str]:
        return self.line_session.run(), self.out.getvalue()


@pytest.mark.parametrize("case", DATA["sessions"], ids=lambda case: case["test"])
def test_session(case: dict[str, Any]) -> None:
    kinds = case.get("kinds", "hb")
    session = TypedSession(case["typed"], kinds, case.get("interactive", False), case.get("secretive", True))
    if "rules" in case:
        rules = replace_texts(DATA[case["rules"]], case.get("change", ()))
        session.match = session.line_session.match = Match(Game(build_program(rules)), session.match.players, seed=1)
    code, output = session.run()
    assert code == case.get("code", 0)
    counts = {text: output.count(text) for text in case.get("counts", ())}
    assert counts == case.get("counts", {})
    assert [text for text in case.get("shown", ()) if text not in output] == []
    assert [text for text in case.get("lacks", ()) if text in output] == []
    assert session.saved == case.get("saved", session.saved)
    seats = [turn.seat for turn in session.match.turns]
    assert seats == case.get("seats", seats)


def test_bids_of_others_are_hidden_until_revealed() -> None:
    code, output = TypedSession(["2", "2"]).run()
    first_screens = output[: output.index("Showdown")] if "Showdown" in output else output
    assert code == 0
    assert "Bob bids 1" not in first_screens


def test_question_is_below_options_that_fill_the_screen() -> None:
    for height, times in ((24, 1), (3, 2)):
        session = TypedSession(["q"])
        session.line_session.terminal.console.height = height
        assert session.run()[1].count("How much do you bid?") == times


def test_passing_the_keyboard_shows_no_secrets() -> None:
    session = TypedSession(["", "2", "", "3", "", "1", "", "1"], kinds="hh", has_editing=True)
    code, output = session.run()
    assert code == 0
    screens = output.split("\x1b[2J\x1b[3J\x1b[H")
    handovers = [screen for screen in screens if "Pass the keyboard to" in screen]
    assert [screen.split("to ")[1].split(",")[0] for screen in handovers] == ["Ann", "Bob", "Ann", "Bob"]
    assert all("bid" not in screen for screen in handovers)


def test_secret_draw_stays_secret_at_a_shared_keyboard() -> None:
    """Every zone of both games is visible to all."""
    draws = load_program(BIDS.parents[1] / "testing" / "planted" / "secret-draw.yaml")
    for program, is_secretive in ((draws, True), (load_bundled("tic-tac-toe"), False)):
        table = GameTable(Terminal(Console(file=StringIO()), input, False), "", (), ["human", "human"], ["Ann", "Bob"])
        table.match = Match(Game(program), [ScriptedPlayer([]), ScriptedPlayer([])])
        assert table.is_secretive is is_secretive


def test_ruleset_fault_ends_and_saves_the_game() -> None:
    class Faulty(ScriptedPlayer):
        def pick(self, option_count: int) -> int:
            raise RulesetFault("division by zero", position="P2.hand = [ace]")

    session = TypedSession(["1"])
    session.match.players = (session.match.players[0], Faulty([]))
    code, output = session.run()
    assert (code, session.saved) == (1, [None])
    assert "fault: division by zero" in output
    assert "P2.hand" not in output


@given(
    lines=st.lists(
        st.sampled_from([*COMMANDS, "?", "1", "2", "bid", "", "why 9", ":undo", "[red]", "\x1b[2J", "é" * 90])
    )
)
@settings(max_examples=25, deadline=None)
def test_any_typed_lines_continue_or_end_a_session(lines: list[str]) -> None:
    code, output = TypedSession(lines, kinds="hh").run()
    assert code == 0
    assert "\x1b" not in output


PICKS = DATA["picks"]


ORDERED_PICKS = DATA["ordered"]


@pytest.mark.parametrize("lines", [["3 1 4 2"], ["3", "1 4 2"], ["3 1", "4", "2"], ["3", "1", "4", "2"]])
def test_order_can_be_typed_on_one_line(lines: list[str], tmp_path: Path) -> None:
    assert answer_with(ORDERED_PICKS, lines, tmp_path) == 314


@pytest.mark.parametrize(("lines", "expected"), DATA["several picks are one answer"])
def test_several_picks_are_one_answer(lines: list[str], expected: int, tmp_path: Path) -> None:
    assert answer_with(PICKS, lines, tmp_path) == expected


def answer_with(rules: str, lines: list[str], folder: Path) -> object:
    """Return the value of the first variable after the first player has typed all lines."""
    file = folder / "picks.yaml"
    file.write_text(rules, encoding="utf-8")
    remaining_lines = iter(lines)
    console = Console(file=StringIO(), width=80, height=24, markup=False, highlight=False)
    screen = Terminal(console, lambda prompt: next(remaining_lines), False)
    match = Match(Game(load_program(file)), [Person(0, "Ann"), ScriptedPlayer([0] * 9)], seed=1)
    session = LineSession(screen, match, ("Ann", "Bob"), str, TypedSession([]), False)
    while match.decision is not None and match.decision.seat == 0:
        take(match, *session.ask(match.decision))
    assert next(remaining_lines, None) is None
    return match.state.cells[0]


def test_tab_completes_and_nobody_sees_the_input_of_others() -> None:
    readline = pytest.importorskip("readline")
    console = Console(file=StringIO(), width=80, force_terminal=True)
    screen = Terminal(console, lambda prompt: "", is_interactive=True)
    screen.set_completions(["Sell the oak", "Sow", "help"])
    complete = readline.get_completer()
    assert [complete("se", n) for n in range(2)] == ["Sell the oak", None]
    assert [complete("S", n) for n in range(3)] == ["Sell the oak", "Sow", None]
    readline.add_history("sell oak")
    screen.clear_history()
    assert readline.get_current_history_length() == 0


def test_bot_decides_until_words_appear() -> None:
    session = TypedSession(["auto random until no such thing", "quit"])
    code, output = session.run()
    assert code == 0
    assert session.match.decision is None, "they never were"
    assert "The bot played to the end: “no such thing” never appeared." in output
    first = tell_deeds(session.match, 0, ("Ann", "Bob"))
    text = next(to_text(deed.line) for deed in first if deed.seat == 1)
    session = TypedSession([f"auto random until {text}", "quit"])
    session.run()
    assert sum(turn.seat == 0 for turn in session.match.turns) == 1, "they were at once"


def test_ctrl_c_stops_a_deciding_bot(monkeypatch: pytest.MonkeyPatch) -> None:
    """The decision that it was thinking about is dropped, and the person is asked again."""
    turns = list[int]()

    def prepare_and_interrupt(match: Match, kind: str) -> Any:
        def choose() -> tuple[int, int | None]:
            turns.append(len(match.turns))
            if len(turns) > 1:
                raise KeyboardInterrupt
            return 0, None

        return choose

    monkeypatch.setattr("lusory.ui.line.line_session.prepare_decision", prepare_and_interrupt)
    session = TypedSession(["auto game", "2"])
    code, output = session.run()
    assert code == 0
    assert turns == [0, 2]
    assert output.index("You decide again.") < output.index("the end")
    assert [turn.index for turn in session.match.turns if turn.seat == 0] == [0, 1]


def test_history_leaves_out_lines_the_terminal_cannot_show(monkeypatch: pytest.MonkeyPatch) -> None:
    """The locale has one byte for each letter, and earlier games were played in another."""
    history: list[str] = []

    def add(line: str) -> None:
        line.encode("ascii")
        history.append(line)

    readline = SimpleNamespace(clear_history=history.clear, add_history=add)
    monkeypatch.setitem(sys.modules, "readline", readline)
    Terminal(Console(file=StringIO()), input, True).load_history(["sell oak", "look Q♠", "pass"])
    assert history == ["sell oak", "pass"]
