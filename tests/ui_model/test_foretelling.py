"""Test the preview of an option: its cost and effect, by example and as laws over positions of all games."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest
from fair import create_match, get_question, read_preview
from programs import RULESETS, build_program, create_bundled_game, load_bundled, read_data

from lusory.evaluator.option_preview import predict_option
from lusory.explain.styled_text_wrapping_and_values import to_text
from lusory.game import Game
from lusory.play.match import Match
from lusory.play.player_interface_scripted_and_random_players import Person, ScriptedPlayer
from lusory.state.events_redaction_and_text import UNHEARD, Announced, redact
from lusory.state.state import State
from lusory.ui.model.option_preview_sentences import find_outcome, introduce_text
from lusory.ui.model.option_tree_and_choice_in_progress import ROWS, Choosing, Entry, begin
from lusory.ui.model.screen import Question
from lusory.ui.model.screen_builder import build_question, build_screen
from lusory_dsl.core import Ask

DATA = read_data(__file__)

NAMES = ("Ann", "Bob", "Cleo", "Dan")


USES = DATA["uses"]


def test_printed_effects_and_known_outcomes_need_no_remark() -> None:
    """The effect of a card with a text is known. The text of a guessed card is no part of the preview."""
    game = create_bundled_game("love-letter")
    match = Match(game, [ScriptedPlayer([]), ScriptedPlayer([])], 1)
    question = get_question(match, 0, NAMES)
    for option in question.options:
        assert option.is_mention and not option.text and "not known" not in read_preview(option)
    match.take(0)
    question = get_question(match, 1, NAMES)
    for option in question.options:
        assert option.text and not option.is_mention and "not known" not in read_preview(option)
    rules = USES.replace("label: Keep it,", "label: Keep it (you will gain it at the end),")
    question = get_question(Match(Game(build_program(rules)), [ScriptedPlayer([]), ScriptedPlayer([])], 1), 0, NAMES)
    previews = {option.words: read_preview(option) for option in question.options}
    assert previews["Keep it (you will gain it at the end)"] == "You will gain it at the end."
    for remark in ("(nothing happens)", "(ends this step)", "(no gain; the card goes)"):
        program = build_program(rules.replace("(you will gain it at the end)", remark))
        question = get_question(Match(Game(program), [ScriptedPlayer([]), ScriptedPlayer([])], 1), 0, NAMES)
        assert [option.words for option in question.options if not option.has_gain] == ["Mend it", f"Keep it {remark}"]
    label = "Play Priest (nothing happens: all other players are safe)"
    assert find_outcome(label) == "Nothing happens: all other players are safe."
    assert find_outcome("Discard your own card (you would be out)") == "You would be out."
    assert find_outcome("Build a mill (costs 2)") == "" == find_outcome("Pass")


def test_option_that_is_only_a_place_previews_its_effect() -> None:
    """The label of an option to place a stone is the place. Other previews don't repeat what their label says."""
    match = Match(create_bundled_game("hex"), [ScriptedPlayer([]), ScriptedPlayer([])], 1)
    question = get_question(match, 0, NAMES)
    assert question.options[0].words == "a1"
    assert read_preview(question.options[0]) == "You place a stone on a1. Bob may take over this stone."


def test_giving_up_a_card_is_no_gain() -> None:
    """Answering no doesn't end the turn."""
    match = Match(create_bundled_game("engines-of-war", 2), [ScriptedPlayer([]), ScriptedPlayer([])], 1)
    question = get_question(match, 0, NAMES)
    assert question.ends_turn
    assert {option.has_gain for option in question.options if option.words.startswith("Discard ")} == {False}
    second = get_question(create_match('choose:\n  option act: set mood to 7\n  option rest: announce "No"'), 0, NAMES)
    assert second.end == 1 and not second.ends_turn and second.options[0].has_gain


def test_locals_that_an_engine_drops_are_not_none() -> None:
    best = "let best = if mood > 3 then oak else none"
    match = create_match(f'{best}\nchoose:\n  option act: announce "{{best}}"\n  option rest: set round to 2')
    view = match.game.view(match.state, 0)
    assert isinstance(view.ask, Ask) and view.decision is not None
    option = view.decision.options[0]
    assert not predict_option(view.redacted_state, view.ask, option, [None] * len(view.slots), 1).events


def test_only_what_the_seat_cannot_know_ends_an_announcement() -> None:
    """A question mark of the rules stands for nothing hidden."""
    for text, hint in {"{hand.top}?": "Oak?", "Is it {wood.top}": None}.items():
        match = create_match(f'choose:\n  option act: announce "{text}" to me\n  option rest: set round to 2')
        view = match.game.view(match.state, 0)
        assert view.decision is not None
        prediction = match.game.predict_consequences(view, view.decision.options[0])
        assert [event.text for event in prediction.events if isinstance(event, Announced)] == ([hint] if hint else [])
        assert prediction.is_complete == (hint is not None)


# ---------------------------------------------------------------- laws

DECISIONS = 60
TRIED = 6


@cache
def play_random_positions(name: str) -> tuple[Game, tuple[State, ...]]:
    """Yield the positions of a random game with several options."""
    program = load_bundled(name)
    game, random = create_bundled_game(name, max(program.min_players, min(2, program.max_players))), Random(name)
    states: list[State] = []
    state = game.start(7)
    for _ in range(DECISIONS):
        decision = game.decision(state)
        if decision is None:
            break
        states.append(state)
        state = game.apply(state, random.randrange(len(decision.options)))
    return game, tuple(states)


@pytest.mark.parametrize("name", [folder.name for folder in RULESETS])
def test_preview_matches_the_start_of_the_log(name: str) -> None:
    game, states = play_random_positions(name)
    random = Random(1)
    for state in states:
        decision = game.decision(state)
        assert decision is not None
        view = game.view(state, decision.seat)
        assert view.decision is not None
        for option in random.sample(view.decision.options, min(TRIED, len(decision.options))):
            prediction = game.predict_consequences(view, option)
            log: list[tuple[object, ...]] = []
            game.apply(state, option.index, log)
            heard = [event for row in log[1:] if (event := redact(row, decision.seat, game)) != UNHEARD]
            assert list(prediction.events) == heard[: len(prediction.events)]


GROUPS = DATA["groups"]
"""Games with lists of more than a dozen entries. Their options form one group and differ in one value alone."""


def list_entries(choosing: Choosing) -> list[tuple[Entry, ...]]:
    """Yield each list of entries of a choice."""
    lists = [choosing.entries]
    for entry in choosing.entries:
        if entry.is_group:
            inner = choosing.take_entry(entry)
            assert isinstance(inner, Choosing)
            lists += list_entries(inner)
    return lists


def is_one_group(question: Question, entries: tuple[Entry, ...]) -> bool:
    """Return whether the entries are single options that differ in one value alone, so that nothing can group them."""
    paths = [question.options[entry.options[0]].path for entry in entries]
    kinds = {path[-1].of.partition(":")[0] for path in paths}
    return not any(entry.is_group for entry in entries) and len(kinds) == 1 and len({path[:-1] for path in paths}) == 1


@pytest.mark.parametrize("name", [folder.name for folder in RULESETS])
def test_no_list_has_more_than_a_dozen_entries(name: str) -> None:
    game, states = play_random_positions(name)
    has_long_list = False
    for state in states:
        decision = game.decision(state)
        assert decision is not None
        question = build_question(game.view(state, decision.seat), NAMES)
        assert question is not None
        for entries in list_entries(begin(question)):
            if len(entries) > ROWS:
                has_long_list = True
                assert is_one_group(question, entries), [entry.words for entry in entries]
    assert has_long_list == (name in GROUPS)


def test_preview_leaves_out_later_effects_of_a_card() -> None:
    """Buying a card doesn't play it. Playing a card shows only its own effects."""
    spend_all = 0
    match = Match(create_bundled_game("demesne"), [ScriptedPlayer([]), ScriptedPlayer([])], 1)
    match.take(spend_all)
    question = get_question(match, 0, NAMES)
    purchases = [option for option in question.options if option.id.startswith("buy")]
    texts = {option.id.split()[1]: to_text(option.text) for option in purchases}
    assert texts["hamlet"] == "Hamlet, when you play it: Draw a card. You may play 2 more deeds."
    assert texts["copper"] == "Copper: Play it for 1 coin."
    love_match = Match(create_bundled_game("love-letter"), [ScriptedPlayer([]), ScriptedPlayer([])], 1)
    love_question = get_question(love_match, 0, NAMES)
    assert not any(", when you play it" in to_text(option.text) for option in love_question.options)


def test_preview_and_story_name_all_parts_of_an_automatic_split() -> None:
    rules = DATA["preview and story name all parts of an automatic split"]
    match = Match(Game(build_program(rules), 1), [Person(0, "Ann")], seed=1)
    match.advance()
    question = get_question(match, 0, NAMES)
    option = next(option for option in question.options if option.words == "Let the game decide")
    assert read_preview(option) == (
        "Costs 2 Ores from north (2 → 0), 2 Ores from south (2 → 0) and 1 Ore from west (2 → 1)."
    )
    match.take(option.number)
    match.advance()
    story = " ".join(to_text(deed.line) for deed in build_screen(match, 0, NAMES).story)
    assert "decide" not in story and "1 Ore goes from west" in story, story


def test_preview_has_the_destination_and_text_of_a_prompted_card() -> None:
    game = create_bundled_game("empires-end", 2)
    match = Match(game, [ScriptedPlayer([]), ScriptedPlayer([])], 2)
    assert match.decision is not None
    labels = game.option_labels(match.state, match.decision)
    match.take(next(index for index, label in enumerate(labels) if label.startswith("Take it")))
    question = get_question(match, 0, NAMES)
    option = question.options[0]
    assert read_preview(option).startswith("You put Flood 6 (refresh beside it) under Road 14, beside")
    assert option.subject == "Disaster:flood_6"
    assert to_text(option.text).startswith("Flood 6 (refresh beside it): Industry: refresh")


def test_text_that_names_its_use_has_no_introduction() -> None:
    card = "Lamp"
    text = "Play: gain 1 oil."
    assert introduce_text(card, "play", text) == "Lamp: Play: gain 1 oil."
    assert introduce_text(card, "light", "Night, with 2 Lamps: Gain 1 oil.") == "Lamp: Night, with 2 Lamps: Gain 1 oil."
    assert introduce_text(card, "play", "Gain 1 oil.") == "Lamp, when you play it: Gain 1 oil."
    assert introduce_text(card, "", "Gain 1 oil.") == "Lamp: Gain 1 oil."
    assert introduce_text(card, "play", "Players gain 1 oil.") == "Lamp, when you play it: Players gain 1 oil."


def test_later_questions_of_an_option_can_be_left() -> None:
    block = DATA["later questions of an option can be left"]
    for picks, is_continuation in (([], False), ([0], True), ([0, 1], True), ([0, 1, 1], False)):
        question = get_question(create_match(block, picks), 0, ())
        assert question.is_continuation is is_continuation, picks


def test_choosing_none_is_no_gain() -> None:
    question = get_question(create_match('choose tree in [none] union [oak], label "{tree}": set last to tree'), 0, ())
    assert [option.has_gain for option in question.options] == [False, True]


def test_place_without_an_owner_keeps_its_whole_name() -> None:
    match = Match(Game(build_program(DATA["lair"]), 1), [ScriptedPlayer([])], 1)
    previews = [read_preview(option) for option in get_question(match, 0, ("Ann",)).options]
    assert previews == ["+2 coins in dragon's lair (0 → 2).", "+1 coin in chest (0 → 1)."]
