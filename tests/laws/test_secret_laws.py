"""Laws of what is kept secret: a seat learns nothing from what is said, asked or done around a secret.

That something is told at all can tell as much as its words. So each of these games is played twice, with another secret
answer or other cards where a seat can't see them: what it reads must be the same.
"""

from __future__ import annotations

import re
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from programs import ROOT, RULESETS, bundled_game, checked, player_numbers, read_data, read_rules

from lusory.explain.event_sentences import list_story_lines, tell_deeds
from lusory.explain.styled_text_wrapping_and_values import to_text
from lusory.game import ENGINES, Game
from lusory.play.match import Turn
from lusory.state.decisions_outcomes_and_faults import Decision, Option
from lusory.state.events_redaction_and_text import describe, redact_log
from lusory.state.setting_value_limits_builtins_and_names import ForcedChance
from lusory.state.state import State
from lusory.view.seat_view import format_information_state
from lusory_dsl.core import AskMany
from lusory_dsl.pipeline import check_text
from lusory_dsl.source.diagnostics import Diagnostics

DATA = read_data(__file__)


every_engine = pytest.mark.parametrize("engine", ENGINES)
few = settings(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck))

HEAD = read_rules("secret_laws")
DEAL = "set shown to 1\nshuffle deck\nby players.first: move take(deck, 2) to hand"
THEIRS = DEAL.replace("first", "last")


def game_of(engine: str, block: str, more: str = "") -> Game:
    lines = "\n".join(f"      {line}" for line in block.strip("\n").splitlines())
    return Game(checked(f"{HEAD}{more}\nphases:\n  - id: play\n    do: |\n{lines}\n"), 2, engine=engine)


class Played(NamedTuple):
    """A game after some answers."""

    game: Game
    state: State
    log: list[Any]
    turns: list[Turn]


def read_by(game: Game, seat: int, *answers: str, top: tuple[int, ...] = ()) -> tuple[list[str], str]:
    """The log and the story of a game as a seat reads them, and all that it knows, after these answers."""
    log: list[Any] = []
    turns: list[Turn] = []
    state = game.start(1, log, ForcedChance(shuffles=[top] if top else []))
    for answer in answers:
        decision = game.decision(state)
        assert decision is not None
        turns.append(Turn(state, decision.seat, game.option_ids(state, decision).index(answer), len(log)))
        state = game.apply(state, answer, log)
    told = [describe(event, game, seat) for event in redact_log(log, seat, game)]
    story = list_story_lines(tell_deeds(Played(game, state, log, turns), seat, ("P1", "P2")))
    return [*map(to_text, story), *filter(None, told)], format_information_state(game, game.view(state, seat), log)


# ---------------------------------------------------------------- the answer to a secret choice

CHOICES = DATA["choices"]


@every_engine
@pytest.mark.parametrize("done", CHOICES)
def test_what_comes_of_a_secret_answer_tells_nothing(done: str, engine: str) -> None:
    block = f"""
{DEAL}
by players.first:
  choose secret s in [left, right], prompt "secretly?":
    {CHOICES[done].replace(chr(10), chr(10) + "    ")}
  choose n in 1..2, prompt "n?": set shown to n
"""
    game = game_of(engine, block)
    found = [read_by(game, 1, *answers) for answers in ways(game, block)]
    assert len(found) > 1
    assert all(one == found[0] for one in found)
    assert "P1: ?" in found[0][0]


PILE = HEAD.replace("zones:\n", "zones:\n  pile: {label: pile, holds: Card, visible: {top: all, rest: nobody}}\n")


@every_engine
@pytest.mark.parametrize(("where", "has_happened"), [("bottom of pile", False), ("top of pile", True)])
def test_what_lies_below_the_top_is_not_told(where: str, has_happened: bool, engine: str) -> None:
    """Of two games one has another card below or on top of a pile."""
    block = f"""
      shuffle deck
      move take(deck, 1) to pile
      move take(deck, 1) to {where}
      announce "{{pile.top}}, {{pile}}"
      by players.first:
        choose n in 1..2, prompt "n?": set shown to n
"""
    game = Game(checked(f"{PILE}\nphases:\n  - id: play\n    do: |{block}"), 2, engine=engine)
    found = [[read_by(game, seat, top=top) for top in ((0, 1, 2, 3), (0, 2, 1, 3))] for seat in (0, 1)]
    assert [one != other for one, other in found] == [has_happened, has_happened]


def ways(game: Game, block: str) -> list[list[str]]:
    """Every way to answer up to the open choice."""

    def on(state: State, made: list[str]) -> list[list[str]]:
        decision = game.decision(state)
        if decision is None or game.prompt(state, decision) == "n?":
            return [made]
        return [way for id in game.option_ids(state, decision) for way in on(game.apply(state, id), [*made, id])]

    return on(game.start(1), [])


@every_engine
def test_how_many_are_picked_in_secret_is_not_told(engine: str) -> None:
    block = f"""
{DEAL}
by players.first:
  choose up to 2 secret c in hand, prompt "Which?"
  move c to bottom of hand
  choose n in 1..2, prompt "n?": set shown to n
"""
    game = game_of(engine, block)
    found = [read_by(game, 1, *answers) for answers in ways(game, block)]
    assert len(found) > 2
    assert all(one == found[0] for one in found)


# ---------------------------------------------------------------- what is answered without being asked


@every_engine
@pytest.mark.parametrize("choice", DATA["whether there was something to choose is not told"])
def test_whether_there_was_something_to_choose_is_not_told(choice: str, engine: str) -> None:
    """Of no, one or two cards that fit; nobody is asked where there is one."""
    block = f"""
{DEAL}
by players.first:
  {choice}
  choose n in 1..2, prompt "n?": set shown to n
"""
    game = game_of(engine, block)
    found = []
    for top in ((0, 1), (0, 2), (2, 3)):
        state = game.start(1, None, ForcedChance(shuffles=[top]))
        answers = []
        while game.prompt(state, decision := decision_of(game, state)) != "n?":
            answers.append(game.option_ids(state, decision)[-1])
            state = game.apply(state, answers[-1])
        found.append(read_by(game, 1, *answers, top=top)[0])
    assert found[0] == found[1] == found[2]


def decision_of(game: Game, state: State) -> Any:
    decision = game.decision(state)
    assert decision is not None
    return decision


WINDOW = DATA["window"]


@every_engine
@pytest.mark.parametrize("passes", ["each once", "until all pass, at_most: 4"])
def test_a_window_that_is_passed_tells_nothing(passes: str, engine: str) -> None:
    """Whether the other could have answered and did not, or could not."""
    block = f"""
{THEIRS}
by players.first:
  open reply()
  choose n in 1..2, prompt "n?": set shown to n
"""
    game = game_of(engine, block, WINDOW.replace("PASSES", passes))
    could, could_not = (read_by(game, 0, *answers, top=top)[0] for answers, top in ((["pass"], (2, 3)), ([], (0, 1))))
    assert could == could_not
    assert not any("ass" in line for line in could + could_not)
    assert any("Pass" in line for line in read_by(game, 1, "pass", top=(2, 3))[0])


# ---------------------------------------------------------------- what is said

SAID = DATA["said"]


@every_engine
def test_what_somebody_may_not_know_is_said_as_a_question_mark(engine: str) -> None:
    game = game_of(engine, f"{DEAL}\n{SAID}")
    mine, other = (read_by(game, seat, "left", "1", top=(0, 1))[0] for seat in (0, 1))
    assert "left for P1, ? in the dark, yes, on top ?" in mine
    assert "left for P1 alone" in mine
    assert "? for P1, ? in the dark, ?, on top ?" in other
    assert not any("left" in line or "7" in line for line in other)
    assert other[-1] == "The game is over: ? and 1 in ?"
    state = game.apply(game.start(1), "left")
    decision = decision_of(game, state)
    assert game.prompt(state, decision) == "Against ?, ?, no?"
    assert game.option_labels(state, decision) == ["1 against ?", "2 against ?"]


@every_engine
def test_a_reason_hides_in_every_way_to_play(engine: str) -> None:
    game = game_of(engine, f"{DEAL}\n{SAID}")
    log: list[Any] = []
    for told in (None, log):
        state = game.apply(game.apply(game.start(1), "left"), "1", told)
        outcome = game.outcome(state)
        assert outcome is not None
        assert outcome.reason == "? and 1 in ?"
    assert game.playout(lambda: 0.0, 1).reason == "? and 1 in ?"
    told_to_all = [event for event in log if event[0] == "announce"]
    assert told_to_all == []
    game.apply(game.start(1), "left", log)
    assert [event[1:] for event in log if event[0] == "announce"][:2] != []


@every_engine
def test_what_has_come_to_light_is_said(engine: str) -> None:
    """What was hidden and lies open now is named: it is read as it is seen when it is said."""
    block = f"""
{DEAL}
by players.first:
  let c = hand.top
  announce "{{c}} is kept"
  move c to table
  announce "{{c}} lies there"
  choose n in 1..2: set shown to n
"""
    mine, other = (read_by(game_of(engine, block), seat, top=(0, 1))[0] for seat in (0, 1))
    assert "Ace is kept" in mine
    assert "? is kept" in other
    assert "Ace lies there" in other


# ---------------------------------------------------------------- what can be chosen

UNSEEN = f"""
{THEIRS}
by players.first:
  choose c in players.last.hand, prompt "Which of theirs?", label "{{c}} worth {{c.worth}}": move c to MOVED
  choose n in 1..2, prompt "n?": set shown to n
"""


@every_engine
@pytest.mark.parametrize("number", ["1", "2"])
def test_a_card_that_is_chosen_by_its_number_is_not_told(number: str, engine: str) -> None:
    block = UNSEEN.replace("choose c in", "choose unseen c in").replace(', label "{c} worth {c.worth}"', "")
    block = block.replace("MOVED", "bottom of players.last.hand")
    made = HEAD + "\nphases:\n  - id: play\n    do: |\n"
    game = Game(checked(made + "".join(f"      {line}\n" for line in block.splitlines())), 2, engine=engine)
    read = [read_by(game, 0, number, top=top) for top in ((0, 1), (1, 0), (2, 3))]
    assert all(one == read[0] for one in read)
    assert f"P1: {number}" in read[0][0]


@every_engine
@pytest.mark.parametrize("hiding", ["", "secret "])
@pytest.mark.parametrize(
    "choice", ["choose {}c in hand", "choose up to 2 {}c in hand", "choose {}n in 1..3, card in hand"]
)
def test_those_who_choose_at_once_know_nothing_of_each_other(choice: str, hiding: str, engine: str) -> None:
    """Whatever the first picks, the second is asked the same, and has read the same."""
    made = HEAD
    block = f"""
      each player: move take(deck, 2) to hand
      each player at once:
        {choice.format(hiding)}:
          set shown to shown + 1
          move hand to table
"""
    game = Game(checked(f"{made}\nphases:\n  - id: play\n    do: |{block}"), 2, engine=engine)
    found = set()
    todo = [[]]
    while todo:
        answers = todo.pop()
        state = game.start(1)
        for answer in answers:
            state = game.apply(state, answer)
        decision = game.decision(state)
        assert decision is not None
        if decision.seat == 1:
            lines, known = read_by(game, 1, *answers)
            question = game.view(state, 1).question
            assert question is not None
            found.add((*lines, known, *question["options"]))
        else:
            todo += [[*answers, id] for id in game.option_ids(state, decision)]
    assert len(found) == 1


# ---------------------------------------------------------------- shipped rulesets


PAGE = (ROOT / "docs" / "design" / "secrets.md").read_text(encoding="utf-8")
PAGES_RULESETS = re.findall(r"^```yaml\n(game:.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("text", PAGES_RULESETS, ids=lambda text: text.split()[2].strip(","))
@few
@given(st.data())
def test_what_the_page_on_secrets_shows_is_safe(text: str, data: st.DataObject) -> None:
    diagnostics = Diagnostics()
    made = check_text(text, diagnostics)
    assert made is not None
    assert diagnostics.list_sorted() == []
    players = data.draw(st.integers(made.min_players, made.max_players))
    tells_no_more_than_the_table(Game(made, players), data)


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda path: path.name)
@few
@given(st.data())
def test_the_log_tells_no_more_than_the_table(ruleset: Path, data: st.DataObject) -> None:
    players = data.draw(st.sampled_from(player_numbers(ruleset.name)))
    tells_no_more_than_the_table(bundled_game(ruleset.name, players), data)


def tells_no_more_than_the_table(game: Game, data: st.DataObject) -> None:
    """Of two answers that differ in secret only: where the others see the same table after both, and the same was done
    in the open, they read the same. Of a large ruleset 20 decisions must do: its tables are large."""
    seed = data.draw(st.integers(0, 2**32))
    random, state = Random(seed), game.start(seed)
    for _ in range(20 if len(game.program.entities) > 500 else 60):
        decision = game.decision(state)
        if decision is None:
            return
        one = random.choice(decision.options)
        said = open_part(game, decision, one)
        other = random.choice([option for option in decision.options if open_part(game, decision, option) == said])
        if other == one:
            state = game.apply(state, one)
            continue
        logs: list[list[Any]] = [[], []]
        after = [game.apply(state, *made) for made in zip((one, other), logs, strict=True)]
        for seat in range(game.players):
            if seat == decision.seat or done_openly(game, logs[0], seat) != done_openly(game, logs[1], seat):
                continue
            tables = [game.view(position, seat).to_json() for position in after]
            if tables[0] == tables[1]:
                assert redact_log(logs[0], seat, game) == redact_log(logs[1], seat, game)
        state = after[0]


def done_openly(game: Game, log: list[Any], seat: int) -> list[Any]:
    """What is done before a seat's eyes, as it is declared: how many components move from where to where; what is set,
    moved, drawn and said for this seat; shuffles, phases, and what others choose in the open."""
    done: list[Any] = []
    for event in log:
        if event[0] in ("set", "move", "random", "announce"):
            done += [event[:-1]] if event[-1] >> seat & 1 else []
        elif event[0] == "cards":
            done += [(source, event[2], event[3]) for source in event[5] if source != (event[2], event[3])]
        elif event[0] == "choice":
            site, option = event[2], Option(0, *event[3:5])
            said = open_part(game, Decision(site, event[1], ()), option)
            done += [(event[1], site, said)] if said is not None and event[3:5] != (1, ()) else []
        else:
            done.append(event)
    return done


def open_part(game: Game, decision: Any, option: Any) -> Any:
    """What of an option everybody is told."""
    ask = game.setting.sites[decision.site]
    if decision.site in game.program.private_sites:
        return None
    if isinstance(ask, AskMany):
        return None if ask.is_secret else (option.alternative, option.values)
    variables = ask.alternatives[option.alternative].vars
    return option.alternative, [v for v, var in zip(option.values, variables, strict=True) if not var.is_secret]
