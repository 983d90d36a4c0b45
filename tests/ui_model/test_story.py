"""Test the sentences of the story, with the changes that each names, and those of the end."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import full_table
import pytest
from fair import RULES, create_match
from programs import create_bundled_game, read_data, replace_texts

from lusory.explain.event_sentences import Deed, list_story_lines, tell_deeds
from lusory.explain.styled_text_wrapping_and_values import Line, to_text
from lusory.play.bot_kinds_python_players_and_recordings import RANDOM, create_bot
from lusory.play.match import Match
from lusory.state.decisions_outcomes_and_faults import Outcome
from lusory.state.events_redaction_and_text import redact
from lusory.ui.model.game_result_and_score_history import write_verdict
from lusory.ui.model.screen import Question
from lusory.ui.model.screen_builder import build_screen, find_story_start, take
from lusory.ui.model.screen_layout import ScreenLayout

DATA = read_data(__file__)

NAMES = ("Ann", "Bob")


def list_texts(deeds: tuple[Deed, ...]) -> list[str]:
    """Return deeds as texts with their details."""
    return [" | ".join([to_text(deed.line), *map(to_text, deed.details)]) for deed in deeds if not deed.heading]


@pytest.mark.parametrize("case", DATA["stories"], ids=lambda case: case["test"])
def test_story(case: dict[str, Any]) -> None:
    """A case names the sentences that each viewer reads."""
    rules = replace_texts(RULES, case.get("rules", ()))
    match = create_match(case["block"], case.get("picks", ()), case.get("others", ()), rules)
    seats = {"Ann": 0, "Bob": 1}
    for viewer, texts in case["told"].items():
        assert list_texts(tell_deeds(match, seats.get(viewer), NAMES, 0, tells_hidden=viewer == "all")) == texts


def list_story(match: Match, seat: int | None, start: int = 0) -> list[str]:
    return list_texts(tell_deeds(match, seat, NAMES, start))


def test_picks_form_one_sentence() -> None:
    texts = list_story(
        create_match("choose:\n  option buy_all_of with n in 2..3: set round to n\n  option go: set round to 1", [0]), 1
    )
    assert texts[-1] == "Ann buys all of 2"
    match = create_match("choose up to 2 cards in [oak, elm, fir]", [1, 2])
    assert list_story(match, 1)[-1] == "Ann chooses Oak and Fir"
    assert list_story(create_match("choose up to 2 cards in [oak, elm, fir]", [0]), 0)[-1] == "You choose nothing"
    assert find_story_start(match, 0) == find_story_start(
        create_match("choose up to 2 cards in [oak, elm, fir]", [1]), 0
    )


@pytest.mark.slow
def test_headings_name_the_player_of_a_turn_without_choice() -> None:
    """A heading without the name would reveal that the player had no choice."""
    rules = DATA["headings name the player of a turn without choice"]
    match = create_match("", [0, 0], [0, 0], rules)
    headings = [to_text(deed.line) for deed in tell_deeds(match, 0, NAMES) if deed.heading]
    assert headings[:-1] == ["Turn of Ann", "Turn of Bob", "Turn of Ann", "Turn of Bob", "Turn of Ann"]


def test_headings_name_the_player_of_the_turn() -> None:
    match = full_table.create_match("empire-city", people=0, seed=5)
    for _ in range(40):
        match.step()
    deeds = tell_deeds(match, 0, ("Ann", "Bob"))
    headings = [to_text(deed.line) for deed in deeds if deed.heading]
    assert any(heading.startswith("Turn of Ann") for heading in headings)
    assert not any("you" in heading.lower().split() for heading in headings)


def test_forced_options_are_marked() -> None:
    match = create_match("choose n in 1..1: set mood to n\nchoose n in 1..2: set mood to n", [0])
    deed = next(deed for deed in tell_deeds(match, 0, NAMES) if deed.seat == 0)
    assert deed.forced and to_text(deed.line) == "You choose: N 1 (the only choice)", "a value is no action"
    assert [deed.forced for deed in tell_deeds(match, 1, NAMES) if deed.seat == 0] == [False]  # no news of another
    alone = create_match("choose:\n  option rest: set mood to 1\nchoose n in 1..2: set mood to n", [0])
    # There is never another option.
    assert [deed.forced for deed in tell_deeds(alone, 0, NAMES) if deed.seat == 0] == [False]


@pytest.mark.parametrize("block", ["choose n in 1..1: set mood to n", "choose 2 cards in [oak, elm]"])
def test_forced_options_of_others_are_not_marked(block: str) -> None:
    match = create_match(f"{block}\nchoose n in 1..2: set mood to n", [0])  # every later seat is forced, too
    by_seat = {seat: {deed.seat for deed in tell_deeds(match, seat, NAMES) if deed.forced} for seat in (0, 1, None)}
    assert by_seat == {0: {0}, 1: {1}, None: set()}
    assert not any(deed.forced for deed in tell_deeds(match, None, NAMES, tells_hidden=True))
    events = [redact(event, 1, match.game) for event in match.log if event[0] == "choice"]
    assert [event[-1] for event in events if event[1] == 0 and event[2] == 0] == [None] * (1 + block.count("2"))


def test_headings_use_current_labels_and_appear_once() -> None:
    rules = RULES.replace("label: Play\n", 'label: "Mood {mood}"\n    while: mood < 8\n    at_most: 9\n')
    rules = rules.replace("{id: quiet, label: Quiet, do", "{id: quiet_part, do")
    block = "choose:\n  option rest: set round to 2\n  option rise: set mood to mood + 1"
    match = create_match(block, [1, 0, 0], [0, 0, 0], rules=rules)
    heads = [to_text(deed.line) for deed in tell_deeds(match, 0, NAMES) if deed.heading]
    assert heads == ["Deal", "Mood 5", "Mood 6"]  # not once for each iteration
    rules = rules.replace('do: "set round to round + 1"', 'do: announce "deal"').replace("id: deal", "id: first_deal")
    rules = rules.replace('  - {id: quiet_part, do: announce "deal"}\n', "")
    rules = rules.replace("  - id: first_deal", '  - {id: quiet_part, do: announce "deal"}\n  - id: first_deal')
    texts = [to_text(deed.line) for deed in tell_deeds(create_match(block, [], rules=rules), 0, NAMES)]
    assert texts[0] == "Deal" and "deal" not in texts[1:]


def test_parts_without_events_have_no_heading() -> None:
    match = create_match('choose n in 1..2: announce "all is {n}"', [0])
    heads = [to_text(deed.line) for deed in tell_deeds(match, 0, NAMES) if deed.heading]
    assert heads == ["Deal", "Play"]
    assert list_story(match, 0)[-1] == "All is 1"


def test_action_of_a_hidden_card_names_the_card() -> None:
    game = create_bundled_game("demesne")
    match = Match(game, [create_bot(RANDOM, 5, seat) for seat in range(2)], 3)
    starts = ("play levy", "spend_all", "buy levy", "finish")
    while not any(ids := [name for name in list_option_ids(match) if name.startswith("play levy")]):
        option_ids = list_option_ids(match)
        match.take(next((i for start in starts for i, name in enumerate(option_ids) if name.startswith(start)), 0))
    assert match.decision is not None
    chooser = match.decision.seat
    match.take(list_option_ids(match).index(ids[0]))
    texts = [to_text(line) for line in list_story_lines(tell_deeds(match, 1 - chooser, NAMES))]
    assert f"{NAMES[chooser]} plays Levy" in texts and not any("?" in line for line in texts)


def test_announcement_behind_a_hidden_label_names_the_move_before_it() -> None:
    match = Match(create_bundled_game("demesne"), [create_bot(RANDOM, 5, seat) for seat in range(2)], 3)
    match.take(list_option_ids(match).index("spend_all"))
    texts = [[to_text(deed.line) for deed in tell_deeds(match, seat, NAMES)] for seat in (0, 1)]
    assert re.fullmatch(r"You play [34] Copper for [34] coins", texts[0][-1]), texts[0]
    assert re.fullmatch(r"Ann plays [34] Copper for [34] coins", texts[1][-1]), texts[1]
    assert not any(
        " to your cards in play" in line or " to their cards in play" in line for lines in texts for line in lines
    )


def test_announcement_after_a_cost_appears_once() -> None:
    match = Match(create_bundled_game("engines-of-war"), [create_bot(RANDOM, 5, seat) for seat in range(2)], 3)
    while match.outcome is None and len(match.turns) < 150:
        match.step()
    texts = list_texts(tell_deeds(match, None, NAMES))
    assert any(" uses " in line and "(discard" not in line for line in texts)
    assert not any(": destroy" in line and "other card" not in line for line in texts), texts


def list_option_ids(match: Match) -> list[str]:
    assert match.decision is not None
    return list(match.game.view(match.state, match.decision.seat).option_ids())


def test_end_reveals_everything_and_names_the_points() -> None:
    match = create_match("choose n in 0..1: move n coin from purse to bank", [1], [0])
    screen = build_screen(match, 0, NAMES)
    assert screen.ending is not None
    assert [to_text(line) for line in screen.ending.hidden_information] == ["Wood: Fir, Yew", "Bob's hand: Elm"]
    assert [(column.title, column.values) for column in screen.ending.table] == [("Coins", (2, 3))]
    assert to_text(screen.ending.verdict) == "Bob wins. Coins: 3 to 2."
    before = create_match("choose n in 0..1: move n coin from purse to bank", [1])
    with pytest.raises(ValueError, match="secrets are kept"):
        before.game.reveal_table(before.state, 0)


def test_answer_has_the_picks_and_no_more() -> None:
    """The rules receive picks in their order, and take the only option themselves."""
    for picks, ids in (([0, 2], ("oak", "fir")), ([1], ("elm", "done")), ([], ("done",))):
        match = create_match("choose up to 2 cards in [oak, elm, fir]\nset mood to count(cards)", [])
        question = build_screen(match, 0, NAMES).question
        assert isinstance(question, Question) and question.takes_several
        take(match, question, ids)
        assert match.decision is not None and match.decision.seat == 1
        assert match.state.cells[match.game.layout.places["mood"].at(())] == len(picks)


@pytest.mark.parametrize(
    ("winners", "sentence"),
    [((0,), "Ann wins."), ((0, 2), "Ann and Cy share the win."), ((0, 1, 2), "A draw."), ((), "Nobody wins.")],
)
def test_verdict_is_a_sentence(winners: tuple[int, ...], sentence: str) -> None:
    end = Outcome(None, ((0,),) * 3, winners, (1, 1, 1), (0, 0, 0), ())
    assert to_text(write_verdict(end, ["Ann", "Bo", "Cy"])) == sentence


@pytest.mark.parametrize(
    ("reason", "sentence"), [(None, "The game is over."), ("P1 is out", "Ann is out."), ("time's up!", "Time's up!")]
)
def test_verdict_of_a_solo_game_has_the_reason(reason: str | None, sentence: str) -> None:
    assert to_text(write_verdict(Outcome(reason, ((0,),), (0,), (1,), (0,), ()), ["Ann"])) == sentence


def test_reason_of_the_end_addresses_the_player() -> None:
    match = create_match('end game because "{me} has gone home"', [])
    assert to_text(tell_deeds(match, 0, NAMES)[-1].line) == "The game is over: you have gone home"
    assert to_text(tell_deeds(match, 1, NAMES)[-1].line) == "The game is over: Ann has gone home"


def test_spectators_read_the_last_round() -> None:
    block = DATA["spectators read the last round"]
    match = create_match(block, [0, 0, 0], [0])
    texts = [to_text(deed.line) for deed in build_screen(match, None, NAMES).story if deed.seat is not None]
    assert texts == ["Ann rests 3", "Bob rests 1"]
    match.take(0)
    match.take(0)
    texts = [to_text(deed.line) for deed in build_screen(match, None, NAMES).story if deed.seat is not None]
    assert len(texts) == 6, "of a game that is over everything"


def test_gained_and_lost_counters_are_no_housekeeping() -> None:
    """A recap leaves out the viewer's own housekeeping, but shows losses, even between two places of one player."""
    rules = RULES.replace("purse: {", "lost: {label: lost purse, per: [Player], holds: Resource}\n  purse: {", 1)
    deeds = tell_deeds(
        create_match("move 2 coin from purse to lost\nchoose n in 1..2: set round to n", rules=rules), 0, NAMES
    )
    own = [deed for deed in deeds if to_text(deed.line).startswith("You move 2 Coins from your purse to your ")]
    assert own and not any(deed.is_housekeeping for deed in own)


def test_own_secret_picks_are_named() -> None:
    """Other callers of the effect may pass cards that the chooser can't see, but a card in the own hand has a name."""
    block = DATA["two offers of the own secret picks"]
    offer = DATA["own secret picks are named"]
    match = create_match(block, [1, 0], [1, 0], RULES.replace("phases:", offer, 1))
    choices = [line.removeprefix("You choose ") for line in list_story(match, 0) if line.startswith("You choose ")]
    assert choices[0].partition(" ")[0] in ("Oak", "Elm", "Fir", "Yew"), choices


def test_housekeeping_of_a_player_is_one_sentence() -> None:
    rules = RULES.replace("visible: nobody}", "per: [Player], visible: nobody}").replace("start: all Card, ", "")
    rules = rules.replace('do: "each player: move take(wood, 1) to hand"', 'do: "move Card to players.first.wood"')
    block = DATA["housekeeping of a player is one sentence"]
    (deed,) = (deed for deed in tell_deeds(create_match(block, rules=rules), 0, NAMES) if deed.is_housekeeping)
    assert to_text(deed.line).startswith("You draw ") and " and move Oak from your hand to your stall" in to_text(
        deed.line
    )


def test_shuffle_is_between_collecting_and_dealing() -> None:
    game = create_bundled_game("love-letter")
    match, rnd = Match(game, [create_bot(RANDOM, 5, seat) for seat in range(2)], 5), Random(5)
    while match.decision is not None and match.state.cells[game.layout.places["round"].at(())] < 2:
        match.take(rnd.randrange(len(match.decision.options)))
    texts = [to_text(line) for line in list_story_lines(tell_deeds(match, 0, ("P1", "P2")))]
    texts = texts[texts.index("— Round 2 · Deal —") :]
    shuffle = next(index for index, line in enumerate(texts) if line.endswith(" cards are shuffled into the Deck"))
    assert not any(" to the Deck" in line for line in texts)
    assert any(line.startswith("You draw") for line in texts[shuffle:])


def test_earlier_events_fill_free_rows_before_the_story() -> None:
    match = full_table.create_match("love-letter", people=0, players=2, seed=5)
    for _ in range(8):
        match.step()
    assert match.decision is not None
    screen = build_screen(match, match.decision.seat, NAMES)
    deeds = tell_deeds(match, match.decision.seat, NAMES)
    texts = [to_text(deed.line) for deed in (*screen.history, *screen.story)]
    assert screen.history and texts == [to_text(deed.line) for deed in deeds][-len(texts) :]
    wide, narrow = (list_plain_lines(ScreenLayout(screen).lay_out_story(columns)) for columns in (38, 80))
    assert len(wide) > len(narrow) and not build_screen(create_match("choose n in 1..2"), 0, NAMES).history


def list_plain_lines(sentences: list[list[Line]]) -> list[str]:
    return [to_text(line) for sentence in sentences for line in sentence]


def test_forced_choice_of_a_hidden_card_is_not_told() -> None:
    match = Match(create_bundled_game("engines-of-war", 2), [create_bot(RANDOM, 5, seat) for seat in range(2)], 5)
    for _ in range(100):
        match.step()

    texts = [line for line in list_story(match, 1) if line.startswith("You choose ")]
    assert not any("?" in line.partition(" (")[0] for line in texts)
    assert not any(line.startswith("Bob chooses") for line in list_story(match, 0))


def test_turn_with_only_a_draw_is_told_to_others() -> None:
    rules = DATA["turn with only a draw is told to others"]
    match = create_match("", [0], [], rules)
    for seat, is_news in ((0, True), (1, False)):
        draws = [deed for deed in tell_deeds(match, seat, NAMES) if deed.line[0].of == "Player:P2"]
        assert [(deed.seat, deed.is_housekeeping) for deed in draws] == [(1, False) if is_news else (None, True)]
