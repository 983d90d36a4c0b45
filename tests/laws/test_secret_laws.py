"""Laws of secrets: a seat learns nothing from the texts, questions and changes around a secret.

Even the fact that a message appears can reveal a secret. So each game is played several times, with different secret
answers or hidden cards: the other seat must read the same each time.
"""

from __future__ import annotations

import re
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from programs import (
    ROOT,
    RULESETS,
    build_program,
    create_bundled_game,
    format_information_state,
    list_player_numbers,
    read_data,
    read_rules,
)

from lusory.explain.event_sentences import list_story_lines, tell_deeds
from lusory.explain.styled_text_wrapping_and_values import to_text
from lusory.game import ENGINES, Game
from lusory.play.match import Turn
from lusory.state.decisions_outcomes_and_faults import Decision, Option
from lusory.state.events_redaction_and_text import describe, redact_log
from lusory.state.setting_value_limits_builtins_and_names import ForcedChance
from lusory.state.state import State
from lusory_dsl.core import AskMany
from lusory_dsl.pipeline import check_text
from lusory_dsl.source.diagnostics import Diagnostics

DATA = read_data(__file__)


every_engine = pytest.mark.parametrize("engine", ENGINES)
few_examples = settings(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck))

HEAD = read_rules("secret_laws")
DEAL_TO_FIRST = "set shown to 1\nshuffle deck\nby players.first: move take(deck, 2) to hand"
DEAL_TO_LAST = DEAL_TO_FIRST.replace("first", "last")


def create_game(engine: str, block: str, more: str = "") -> Game:
    lines = "\n".join(f"      {line}" for line in block.strip("\n").splitlines())
    return Game(build_program(f"{HEAD}{more}\nphases:\n  - id: play\n    do: |\n{lines}\n"), 2, engine=engine)


class Played(NamedTuple):
    """A game after some answers."""

    game: Game
    state: State
    log: list[Any]
    turns: list[Turn]


def read_as(game: Game, seat: int, *answers: str, top: tuple[int, ...] = ()) -> tuple[list[str], str]:
    """Play these answers, and return what a seat then reads (story and log) and its information state.

    ``top`` lists the cards that the first shuffle puts on top of the deck.
    """
    log: list[Any] = []
    turns: list[Turn] = []
    state = game.start(1, log, ForcedChance(shuffles=[top] if top else []))
    for answer in answers:
        decision = game.decision(state)
        assert decision is not None
        turns.append(Turn(state, decision.seat, game.option_ids(state, decision).index(answer), len(log)))
        state = game.apply(state, answer, log)
    events = [describe(event, game, seat) for event in redact_log(log, seat, game)]
    story = list_story_lines(tell_deeds(Played(game, state, log, turns), seat, ("P1", "P2")))
    return [*map(to_text, story), *filter(None, events)], format_information_state(game, game.view(state, seat), log)


# ---------------------------------------------------------------- the answer to a secret choice

SECRET_CHOICES = DATA["changes after a secret choice"]


@every_engine
@pytest.mark.parametrize("change", SECRET_CHOICES)
def test_consequences_of_a_secret_answer_reveal_nothing(change: str, engine: str) -> None:
    block = f"""
{DEAL_TO_FIRST}
by players.first:
  choose secret s in [left, right], prompt "secretly?":
    {SECRET_CHOICES[change].replace(chr(10), chr(10) + "    ")}
  choose n in 1..2, prompt "n?": set shown to n
"""
    game = create_game(engine, block)
    readings = [read_as(game, 1, *answers) for answers in list_answers(game, block)]
    assert len(readings) > 1
    assert all(reading == readings[0] for reading in readings)
    assert "P1: ?" in readings[0][0]


PILE = HEAD.replace("zones:\n", "zones:\n  pile: {label: pile, holds: Card, visible: {top: all, rest: nobody}}\n")


@every_engine
@pytest.mark.parametrize(("where", "is_visible"), [("bottom of pile", False), ("top of pile", True)])
def test_a_card_below_the_top_is_not_revealed(where: str, is_visible: bool, engine: str) -> None:
    """Plays two deals that differ in one card of a pile, below its top or on top."""
    block = f"""
      shuffle deck
      move take(deck, 1) to pile
      move take(deck, 1) to {where}
      announce "{{pile.top}}, {{pile}}"
      by players.first:
        choose n in 1..2, prompt "n?": set shown to n
"""
    game = Game(build_program(f"{PILE}\nphases:\n  - id: play\n    do: |{block}"), 2, engine=engine)
    readings = [[read_as(game, seat, top=top) for top in ((0, 1, 2, 3), (0, 2, 1, 3))] for seat in (0, 1)]
    assert [first != second for first, second in readings] == [is_visible, is_visible]


def list_answers(game: Game, block: str) -> list[list[str]]:
    """Return all sequences of answers that lead to the public choice "n?"."""

    def extend(state: State, answers: list[str]) -> list[list[str]]:
        decision = game.decision(state)
        if decision is None or game.prompt(state, decision) == "n?":
            return [answers]
        return [
            path for id in game.option_ids(state, decision) for path in extend(game.apply(state, id), [*answers, id])
        ]

    return extend(game.start(1), [])


@every_engine
def test_the_number_of_secretly_chosen_cards_is_not_revealed(engine: str) -> None:
    block = f"""
{DEAL_TO_FIRST}
by players.first:
  choose up to 2 secret c in hand, prompt "Which?"
  move c to bottom of hand
  choose n in 1..2, prompt "n?": set shown to n
"""
    game = create_game(engine, block)
    readings = [read_as(game, 1, *answers) for answers in list_answers(game, block)]
    assert len(readings) > 2
    assert all(reading == readings[0] for reading in readings)


# ---------------------------------------------------------------- choices that are made automatically


@every_engine
@pytest.mark.parametrize("choice", DATA["secret choices from few cards"])
def test_a_secret_choice_does_not_reveal_whether_there_were_options(choice: str, engine: str) -> None:
    """The deals have no, one and two fitting cards. With one, the player isn't asked."""
    block = f"""
{DEAL_TO_FIRST}
by players.first:
  {choice}
  choose n in 1..2, prompt "n?": set shown to n
"""
    game = create_game(engine, block)
    readings = []
    for top in ((0, 1), (0, 2), (2, 3)):
        state = game.start(1, None, ForcedChance(shuffles=[top]))
        answers = []
        while game.prompt(state, decision := get_decision(game, state)) != "n?":
            answers.append(game.option_ids(state, decision)[-1])
            state = game.apply(state, answers[-1])
        readings.append(read_as(game, 1, *answers, top=top)[0])
    assert readings[0] == readings[1] == readings[2]


def get_decision(game: Game, state: State) -> Any:
    decision = game.decision(state)
    assert decision is not None
    return decision


WINDOW = DATA["window"]


@every_engine
@pytest.mark.parametrize("passes", ["each once", "until all pass, at_most: 4"])
def test_passing_in_a_window_reveals_nothing(passes: str, engine: str) -> None:
    """The other seat reads the same whether the player declined to respond or could not respond."""
    block = f"""
{DEAL_TO_LAST}
by players.first:
  open reply()
  choose n in 1..2, prompt "n?": set shown to n
"""
    game = create_game(engine, block, WINDOW.replace("PASSES", passes))
    able, unable = (read_as(game, 0, *answers, top=top)[0] for answers, top in ((["pass"], (2, 3)), ([], (0, 1))))
    assert able == unable
    assert not any("ass" in line for line in able + unable)
    assert any("Pass" in line for line in read_as(game, 1, "pass", top=(2, 3))[0])


# ---------------------------------------------------------------- texts

TEXTS = DATA["texts"]


@every_engine
def test_hidden_values_in_texts_are_question_marks(engine: str) -> None:
    game = create_game(engine, f"{DEAL_TO_FIRST}\n{TEXTS}")
    chooser, opponent = (read_as(game, seat, "left", "1", top=(0, 1))[0] for seat in (0, 1))
    assert "left for P1, ? in the dark, yes, on top ?" in chooser
    assert "left for P1 alone" in chooser
    assert "? for P1, ? in the dark, ?, on top ?" in opponent
    assert not any("left" in line or "7" in line for line in opponent)
    assert opponent[-1] == "The game is over: ? and 1 in ?"
    state = game.apply(game.start(1), "left")
    decision = get_decision(game, state)
    assert game.prompt(state, decision) == "Against ?, ?, no?"
    assert game.option_labels(state, decision) == ["1 against ?", "2 against ?"]


@every_engine
def test_the_reason_for_the_end_hides_secrets_in_step_by_step_play_and_playouts(engine: str) -> None:
    game = create_game(engine, f"{DEAL_TO_FIRST}\n{TEXTS}")
    log: list[Any] = []
    for event_log in (None, log):
        state = game.apply(game.apply(game.start(1), "left"), "1", event_log)
        outcome = game.outcome(state)
        assert outcome is not None
        assert outcome.reason == "? and 1 in ?"
    assert game.playout(lambda: 0.0, 1).reason == "? and 1 in ?"
    announcements = [event for event in log if event[0] == "announce"]
    assert announcements == []
    game.apply(game.start(1), "left", log)
    assert [event[1:] for event in log if event[0] == "announce"][:2] != []


@every_engine
def test_texts_name_cards_that_have_been_revealed(engine: str) -> None:
    """A text names a card if the reader sees it at the time of the announcement."""
    block = f"""
{DEAL_TO_FIRST}
by players.first:
  let c = hand.top
  announce "{{c}} is kept"
  move c to table
  announce "{{c}} lies there"
  choose n in 1..2: set shown to n
"""
    owner, opponent = (read_as(create_game(engine, block), seat, top=(0, 1))[0] for seat in (0, 1))
    assert "Ace is kept" in owner
    assert "? is kept" in opponent
    assert "Ace lies there" in opponent


# ---------------------------------------------------------------- options

UNSEEN = f"""
{DEAL_TO_LAST}
by players.first:
  choose c in players.last.hand, prompt "Which of theirs?", label "{{c}} worth {{c.worth}}": move c to MOVED
  choose n in 1..2, prompt "n?": set shown to n
"""


@every_engine
@pytest.mark.parametrize("number", ["1", "2"])
def test_choosing_an_unseen_card_does_not_reveal_it(number: str, engine: str) -> None:
    block = UNSEEN.replace("choose c in", "choose unseen c in").replace(', label "{c} worth {c.worth}"', "")
    block = block.replace("MOVED", "bottom of players.last.hand")
    rules = HEAD + "\nphases:\n  - id: play\n    do: |\n"
    game = Game(build_program(rules + "".join(f"      {line}\n" for line in block.splitlines())), 2, engine=engine)
    readings = [read_as(game, 0, number, top=top) for top in ((0, 1), (1, 0), (2, 3))]
    assert all(reading == readings[0] for reading in readings)
    assert f"P1: {number}" in readings[0][0]


@every_engine
@pytest.mark.parametrize("hiding", ["", "secret "])
@pytest.mark.parametrize(
    "choice", ["choose {}c in hand", "choose up to 2 {}c in hand", "choose {}n in 1..3, card in hand"]
)
def test_simultaneous_choices_reveal_nothing_to_each_other(choice: str, hiding: str, engine: str) -> None:
    """The second player reads the same and has the same question for every pick of the first."""
    block = f"""
      each player: move take(deck, 2) to hand
      each player at once:
        {choice.format(hiding)}:
          set shown to shown + 1
          move hand to table
"""
    game = Game(build_program(f"{HEAD}\nphases:\n  - id: play\n    do: |{block}"), 2, engine=engine)
    readings = set()
    todo = [[]]
    while todo:
        answers = todo.pop()
        state = game.start(1)
        for answer in answers:
            state = game.apply(state, answer)
        decision = game.decision(state)
        assert decision is not None
        if decision.seat == 1:
            lines, knowledge = read_as(game, 1, *answers)
            question = game.view(state, 1).question
            assert question is not None
            readings.add((*lines, knowledge, *question["options"]))
        else:
            todo += [[*answers, id] for id in game.option_ids(state, decision)]
    assert len(readings) == 1


# ---------------------------------------------------------------- shipped rulesets


PAGE = (ROOT / "docs" / "design" / "secrets.md").read_text(encoding="utf-8")
PAGE_RULESETS = re.findall(r"^```yaml\n(game:.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("text", PAGE_RULESETS, ids=lambda text: text.split()[2].strip(","))
@few_examples
@given(st.data())
def test_examples_of_the_page_on_secrets_reveal_nothing(text: str, data: st.DataObject) -> None:
    diagnostics = Diagnostics()
    program = check_text(text, diagnostics)
    assert program is not None
    assert diagnostics.list_sorted() == []
    players = data.draw(st.integers(program.min_players, program.max_players))
    check_log_reveals_nothing(Game(program, players), data)


@pytest.mark.parametrize("ruleset", RULESETS, ids=lambda path: path.name)
@few_examples
@given(st.data())
def test_the_log_reveals_no_more_than_the_table(ruleset: Path, data: st.DataObject) -> None:
    players = data.draw(st.sampled_from(list_player_numbers(ruleset.name)))
    check_log_reveals_nothing(create_bundled_game(ruleset.name, players), data)


def check_log_reveals_nothing(game: Game, data: st.DataObject) -> None:
    """Check, in a random game, that the log reveals no more than the table.

    Compares two answers that differ only in secret parts. A seat that sees the same table and the same public events
    after both must read the same log. Plays only 20 decisions of a large ruleset, because its tables are large.
    """
    seed = data.draw(st.integers(0, 2**32))
    random, state = Random(seed), game.start(seed)
    for _ in range(20 if len(game.program.entities) > 500 else 60):
        decision = game.decision(state)
        if decision is None:
            return
        first = random.choice(decision.options)
        part = get_public_part(game, decision, first)
        second = random.choice([reply for reply in decision.options if get_public_part(game, decision, reply) == part])
        if second == first:
            state = game.apply(state, first)
            continue
        logs: list[list[Any]] = [[], []]
        after = [game.apply(state, *step) for step in zip((first, second), logs, strict=True)]
        for seat in range(game.players):
            public_events = [list_public_events(game, log, seat) for log in logs]
            if seat == decision.seat or public_events[0] != public_events[1]:
                continue
            tables = [game.view(position, seat).to_json() for position in after]
            if tables[0] == tables[1]:
                assert redact_log(logs[0], seat, game) == redact_log(logs[1], seat, game)
        state = after[0]


def list_public_events(game: Game, log: list[Any], seat: int) -> list[Any]:
    """Return the events of a log that a seat may see, according to the declarations.

    These are its visible changes, moves, random results and announcements, the number of components that move between
    places, shuffles, phases, and public choices.
    """
    events: list[Any] = []
    for event in log:
        if event[0] in ("set", "move", "random", "announce"):
            events += [event[:-1]] if event[-1] >> seat & 1 else []
        elif event[0] == "cards":
            events += [(source, event[2], event[3]) for source in event[5] if source != (event[2], event[3])]
        elif event[0] == "choice":
            site, option = event[2], Option(0, *event[3:5])
            public_part = get_public_part(game, Decision(site, event[1], ()), option)
            events += [(event[1], site, public_part)] if public_part is not None and event[3:5] != (1, ()) else []
        else:
            events.append(event)
    return events


def get_public_part(game: Game, decision: Any, option: Any) -> Any:
    """Return the public part of an option, or None if all of it is secret."""
    ask = game.setting.sites[decision.site]
    if decision.site in game.program.private_sites:
        return None
    if isinstance(ask, AskMany):
        return None if ask.is_secret else (option.alternative, option.values)
    variables = ask.alternatives[option.alternative].vars
    return option.alternative, [value for value, var in zip(option.values, variables, strict=True) if not var.is_secret]
