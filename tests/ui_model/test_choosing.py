"""Test options in steps and a choice in progress: laws over decisions of all games, and the effect of each key."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st
from programs import ROOT, RULESETS, create_bundled_game, is_large, load_bundled, read_data

from lusory.explain.styled_text_wrapping_and_values import Run, close_brackets, to_text
from lusory.game import Game
from lusory.play.bot_kinds_python_players_and_recordings import create_bot
from lusory.play.match import Match
from lusory.play.player_interface_scripted_and_random_players import ScriptedPlayer
from lusory.ui.model.look_and_why import describe_options
from lusory.ui.model.option_rows import describe_group, fit_groups, list_entries
from lusory.ui.model.option_tree_and_choice_in_progress import (
    Choosing,
    Entry,
    _flatten_tree,
    _merge_ranges,
    begin,
    build_tree,
    expand_topic,
    find_common_words,
    list_keys,
    match_options,
)
from lusory.ui.model.screen import Answer, Option, Question
from lusory.ui.model.screen_builder import build_question, number_equal_labels, take
from lusory.ui.textual.choice_input_state_preview_and_key_hints import (
    Chooser,
    lay_out_chooser as asked_of,
    write_hidden,
)
from lusory.ui.textual.scrollable_lines_and_cursor_movement import list_rows

DATA = read_data(__file__)

NAMES = ("Ann", "Bob", "Cleo", "Dan", "Eve", "Fay")

few_examples = settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
games = st.sampled_from(RULESETS)


@cache
def load_game(folder: Path) -> Game:
    program = load_bundled(folder.name)
    engine = "evaluator" if is_large(folder.name) else "compiled"  # compiling a large one takes seconds
    return create_bundled_game(folder.name, max(program.min_players, min(2, program.max_players)), engine)


def play_random_decisions(folder: Path, seed: int, decisions: int) -> Match | None:
    """Return a game after some random decisions, or None if it is over by then."""
    game, random = load_game(folder), Random(seed)
    match = Match(game, [ScriptedPlayer([]) for _ in range(game.players)], seed)
    for _ in range(decisions):
        if match.decision is None:
            return None
        match.take(random.randrange(len(match.decision.options)))
    return match if match.decision is not None else None


def get_choice(match: Match) -> Question:
    assert match.decision is not None
    question = build_question(match.game.view(match.state, match.decision.seat), NAMES)
    assert question is not None
    return question


def list_reachable(choosing: Choosing, depth: int = 0) -> set[int]:
    """Return the numbers of all options that opening groups leads to."""
    assert depth < 9, "a group without end"
    numbers: set[int] = set()
    for entry in choosing.entries:
        if entry.is_group:
            inner = choosing.take_entry(entry)
            assert isinstance(inner, Choosing)
            assert set(entry.options) == list_reachable(inner, depth + 1), "a group holds what it says"
            assert inner.go_back().entries == choosing.entries, "back is where one was"
            numbers |= set(entry.options)
        else:
            assert len(entry.options) == 1, "what is no group is one option"
            numbers |= set(entry.options)
    return numbers


def list_families(entries: tuple[Entry, ...]) -> list[tuple[Entry, ...]]:
    return [entries, *(family for entry in entries if entry.is_group for family in list_families(entry.below))]


def test_offer_without_gain_is_not_suggested() -> None:
    game = create_bundled_game("engines-of-war", 2)
    match = Match(game, [create_bot("random", 5, seat) for seat in range(2)], 5)
    offers, gifts = 0, 0
    for _ in range(400):
        assert match.decision is not None
        ids = game.option_ids(match.state, match.decision)
        question = get_choice(match)
        if "send" in ids or "send_for_nothing" in ids:
            offers += 1
            assert question.end is not None and not question.ends_turn
            if {*ids} == {"send", "drop"}:
                first_entry = Chooser.begin(question).highlighted
                assert first_entry is not None and first_entry.words == "Send the offer", "not to drop it"
        if "accept_for_nothing" in ids:
            gifts += 1
            entry = Chooser.begin(question).highlighted
            assert entry is not None and entry.words == "Refuse the offer"
        match.step()
    assert offers and gifts


def test_group_is_described_by_title_and_whole_names() -> None:
    group = Entry((Run("Build"),), tuple(range(9)), tuple(Entry((Run(f"Build Mill {n}"),), (n,)) for n in range(9)))
    assert to_text(describe_group(group, 200)).startswith("Build: Mill 0, Mill 1, ") and "more" not in to_text(
        describe_group(group, 200)
    )
    assert to_text(describe_group(group, 48)) == "Build: Mill 0, Mill 1, Mill 2 and 6 more."
    assert to_text(describe_group(group, 1)) == "Build: Mill 0 and 8 more."
    short = Entry(
        (Run("Buy"),), (0, 1, 2), tuple(Entry((Run(name),), (n,)) for n, name in enumerate(("Mill", "Oak", "A")))
    )
    assert to_text(describe_group(short, 20)) == "Buy: Mill, Oak, A.", "the last name is shorter than “and 1 more”"
    assert to_text(describe_group(short, 19)) == "Buy: Mill and 2 more."
    two = Entry((Run("Swap"),), (0, 1, 2), (Entry((Run("Swap Mill"),), (0, 1), group.below[:2]), group.below[2]))
    assert to_text(describe_group(two, 200)) == "Swap: Mill, Build Mill 2 (3 ways)."
    sales = tuple(Entry((Run(f"Sell: gain {n} for {n}"),), (n,)) for n in (1, 2))
    assert to_text(describe_group(Entry((Run("Sell: gain 1–2 for 1–2"),), (1, 2), sales), 200)) == (
        "Sell: gain 1–2 for 1–2: 1 for 1, 2 for 2."
    )


@few_examples
@given(games, st.integers(0, 999), st.integers(0, 60), st.integers(3, 14))
@example(ROOT / "rulesets" / "templates" / "market-day", 0, 1, 12)  # two copies of a card
def test_every_option_is_reachable_and_few_are_shown(folder: Path, seed: int, decisions: int, rows: int) -> None:
    match = play_random_decisions(folder, seed, decisions)
    if match is None:
        return
    question = get_choice(match)
    choosing = begin(question, rows)
    copies = {number: option.like for number, option in enumerate(question.options) if option.like >= 0}
    assert list_reachable(choosing) == set(range(len(question.options))) - set(copies), "every option, or one like it"
    for number, like in copies.items():
        copy, first = question.options[number], question.options[like]
        assert first.like < 0 and (copy.words, copy.preview) == (first.words, first.preview)
    for family in list_families(choosing.top_entries):
        entries = _flatten_tree(question.options, family, rows)
        flat = [number for entry in family for number in entry.options]
        assert {number for entry in entries for number in entry.options} == set(flat)
        if len(entries) > rows:  # one group that can't be split
            assert entries == family
        assert len({entry.words for entry in family if entry.is_group}) == sum(entry.is_group for entry in family)


@few_examples
@given(games, st.integers(0, 999), st.integers(0, 60), st.data())
def test_each_option_can_be_typed(folder: Path, seed: int, decisions: int, data: st.DataObject) -> None:
    match = play_random_decisions(folder, seed, decisions)
    if match is None or match.decision is None:
        return
    question = get_choice(match)
    numbers = [option.number for option in question.options]
    assert question.takes_several or numbers == list(range(len(question.options)))
    number = data.draw(st.integers(0, len(question.options) - 1))
    option = question.options[number]
    first_copy = number if option.like < 0 else option.like  # the first of several copies is offered
    assert {first_copy, number} & {*match_options(question.options, option.id)}, "by its own id a copy itself"
    words = data.draw(st.permutations(option.words.split()))
    by_words = {*match_options(question.options, " ".join(words))}
    assert {first_copy, number} & by_words or not option.words.strip(" ?-–()[]:,.;")
    if question.takes_several:
        most = data.draw(st.integers(question.least, question.most))
        picks = data.draw(st.permutations(range(len(question.options))))[:most]
        choosing: Choosing | Answer = begin(question)
        for pick in picks:
            assert isinstance(choosing, Choosing)
            choosing = choosing.choose(pick)
        assert isinstance(choosing, Choosing) and choosing.can_end
        answer = choosing.answer
        expected = picks if question.is_ordered else sorted(picks)
    else:
        answer = begin(question).choose(number)
        # The end of a turn must be confirmed.
        answer = answer.choose(number) if isinstance(answer, Choosing) else answer
        expected = [number]
    assert isinstance(answer, tuple)
    before, ask = match.state, match.decision.site
    start = len(match.log)
    take(match, question, answer)
    assert match.state is not before or not answer
    if question.takes_several:  # the rules received the picks in this order
        events = [event[4] for event in match.log[start:] if event[0] == "choice" and event[2] == ask][: len(expected)]
        labels = [label for event in events for label in event]
        assert len(labels) == len(expected)


# ---------------------------------------------------------------- by example


def make_option(number: int, label: str, *path: str) -> Option:
    steps = tuple(Run(step.partition(":")[2], of=step) for step in path)
    return Option(number, label.lower().replace(" ", "_"), (Run(label),), steps)


CARDS = ("elm", "oak", "ash", "fir", "yew")
OF_ASH = ["Swap elm and ash", "Swap oak and ash", "Swap ash and fir", "Swap ash and yew"]


def create_swaps() -> list[Option]:
    options = [
        make_option(n, f"Swap {card} and {other}", "do:swap", f"Card:{card}", f"Card:{other}")
        for n, (card, other) in enumerate(combinations(CARDS, 2))
    ]
    return [*options, make_option(len(options), "End your turn", "do:end")]


def list_labels(choosing: Choosing) -> list[str]:
    return [entry.words for entry in choosing.entries]


def open_group(choosing: Choosing, label: str) -> Choosing:
    inner = choosing.take_entry(next(entry for entry in choosing.entries if entry.words == label))
    assert isinstance(inner, Choosing)
    return inner


@pytest.mark.parametrize(
    ("query", "labels"), [("a1", ("Move a1 to a10", "Move a10 to b1")), ("1", ("Bid 1", "Bid 111"))]
)
def test_number_at_the_end_of_a_name_is_whole(query: str, labels: tuple[str, ...]) -> None:
    options = [replace(make_option(n, label, "do:it"), preview=((Run("Yes."),),)) for n, label in enumerate(labels)]
    lines = describe_options(query, create_question(options))
    assert [to_text(line) for line in lines] == ["", f"Now: {labels[0]}. Yes."]


def test_number_of_an_entry_takes_its_subject() -> None:
    choosing = begin(Question((Run("?"),), tuple(create_swaps())), rows=20)

    assert expand_topic(choosing, "why", "2") == "Swap elm and ash"
    assert expand_topic(choosing, "look", " 2 --rules") == "ash --rules"
    assert expand_topic(choosing, "look", "2   --rules") == "ash --rules", "blanks don't count"
    assert expand_topic(choosing, "look", "11") == "End your turn", "it is about nothing"
    assert [expand_topic(choosing, "why", query) for query in ("0", "12", "2 ash")] == ["0", "12", "2 ash"]
    assert expand_topic(choosing, "rules", "2") == "2"

    play, end = make_option(0, "Play ash", "do:play", "Card:ash#1"), make_option(2, "End your turn", "do:end")
    copy = replace(make_option(1, "Play ash", "do:play"), like=0)
    choosing = begin(Question((Run("?"),), (play, copy, end), end=2), rows=20)
    assert list_labels(choosing)[0] == "Play ash (×2)"
    assert [expand_topic(choosing, "why", key) for key in "1Ee"] == ["Play ash", "End your turn", "End your turn"]


def test_unordered_pair_is_listed_under_both_ends() -> None:
    choosing = begin(Question((Run("?"),), tuple(create_swaps())), rows=6)
    assert list_labels(choosing) == ["Swap elm", "Swap oak", "Swap ash", "Swap fir", "Swap yew", "End your turn"]
    assert list_labels(open_group(choosing, "Swap ash")) == OF_ASH
    assert list_labels(begin(choosing.question, rows=4)) == ["Swap", "End your turn"]


def test_unordered_pair_is_listed_once_among_open_groups() -> None:
    cards = (*CARDS, "bay", "box")
    swaps = [(way, *pair) for way in ("now", "later") for pair in combinations(cards, 2)]
    options = [
        make_option(n, f"Swap {way} {card} and {other}", "do:swap", f"Card:{card}", f"Way:{way}", f"Card:{other}")
        for n, (way, card, other) in enumerate(swaps)
    ]
    entries = _flatten_tree(options, build_tree(options), 40)
    singles = [entry.options[0] for entry in entries if not entry.is_group]
    assert len(singles) == len(set(singles)) == 12, "one card is opened, the others stay closed"
    assert {number for entry in entries for number in entry.options} == set(range(len(options)))


def test_words_in_any_order_filter_options() -> None:
    choosing = begin(Question((Run("?"),), tuple(create_swaps())), rows=6)
    assert list_labels(choosing.type("yew oak")) == ["Swap oak and yew"]
    assert choosing.type("yew oak").matching_entry == choosing.type("yew oak").entries[0]
    assert list_labels(choosing.type("as")) == OF_ASH
    assert choosing.type("as").matching_entry is None, "four options have these words"
    assert list_labels(choosing.type("as").go_back()) == list_labels(choosing)


def test_filter_uses_the_strictest_match() -> None:
    options = [make_option(n, label, f"Card:{n}") for n, label in enumerate(["Ash", "Crash", "Ash tree", "Old ash"])]
    assert match_options(options, "ash") == [0], "the whole label"
    assert match_options(options, "as") == [0, 2, 3], "words that begin so"
    assert match_options(options, "ash old") == [3]
    assert match_options(options, "ras") == [1], "somewhere"


def test_pointing_at_a_thing_lists_its_options() -> None:
    choosing = begin(Question((Run("?"),), tuple(create_swaps())), rows=6)
    inner = choosing.point("Card:fir")
    assert isinstance(inner, Choosing) and len(inner.entries) == 4 and inner.open_group is not None
    assert inner.open_group.words == "fir"
    assert choosing.point("Card:none_such") == choosing
    last_choice = begin(Question((Run("?"),), tuple(create_swaps()[9:])))
    assert last_choice.point("Card:fir") == ("swap_fir_and_yew",)


def test_pointing_at_a_thing_lists_options_that_do_the_same_once() -> None:
    moves = [make_option(n, f"Move to {n // 2}", f"Card:axe-{n % 2}", f"Space:{n // 2}") for n in range(4)]
    moves = [replace(move, like=n - 1 if n % 2 else -1) for n, move in enumerate(moves)]
    choosing = begin(Question((Run("?"),), tuple(moves)), rows=20)
    assert choosing.point("Space:1") == ("move_to_1",)
    assert isinstance(group := choosing.point("Card:axe-1"), Choosing) and len(group.entries) == 2


def create_multiple_choice(is_ordered: bool = False, least: int = 1, most: int = 2) -> Choosing:
    cards = [make_option(n, card, f"Card:{card}") for n, card in enumerate(CARDS)]
    return begin(Question((Run("?"),), tuple(cards), None, True, is_ordered, least, most))


def pick_numbers(choosing: Choosing, *numbers: int) -> Choosing:
    for number in numbers:
        inner = choosing.choose(number)
        assert isinstance(inner, Choosing)
        choosing = inner
    return choosing


def test_picks_are_added_and_removed_in_any_order() -> None:
    choosing = create_multiple_choice()
    assert not choosing.can_end, "one must be picked"
    assert pick_numbers(choosing, 3, 0).answer == ("elm", "fir")
    assert pick_numbers(choosing, 3).answer == ("fir", "done")
    assert pick_numbers(choosing, 3, 0, 3).answer == ("elm", "done")
    assert pick_numbers(choosing, 3, 0, 4).picks == (3, 0), "no more than two"
    assert pick_numbers(create_multiple_choice(is_ordered=True), 3, 0).answer == ("fir", "elm")
    full_choice = create_multiple_choice(is_ordered=True, least=len(CARDS), most=len(CARDS))
    *before, _ = range(len(CARDS))
    assert pick_numbers(full_choice, *before).picks == tuple(before), "the last pick is not filled in"


def test_end_needs_confirmation_while_another_option_is_useful() -> None:
    question = Question((Run("?"),), tuple(create_swaps()), 10)
    unconfirmed = begin(question).choose(10)
    assert isinstance(unconfirmed, Choosing) and unconfirmed.to_confirm == 10
    assert unconfirmed.choose(10) == ("end_your_turn",)
    assert unconfirmed.go_back() == begin(question)
    assert unconfirmed.choose(0) == (question.options[0].id,), "another option needs no confirmation"
    no_use = tuple(replace(option, is_useful=False) for option in question.options)
    assert begin(replace(question, options=no_use)).choose(10) == ("end_your_turn",)


def test_end_needs_no_confirmation_if_nothing_is_lost() -> None:
    """A plain no needs none, nor does the end of a turn that could only give up one more card."""
    options = tuple(replace(option, has_gain=False) for option in create_swaps())
    assert isinstance(begin(Question((Run("?"),), options, 10)).choose(10), Choosing), "several can pay for another"
    assert begin(Question((Run("?"),), options[9:], 1)).choose(1) == ("end_your_turn",)
    assert begin(Question((Run("?"),), tuple(create_swaps()), 10, ends_turn=False)).choose(10) == ("end_your_turn",)


def test_end_asks_once_about_the_same_options() -> None:
    """Options that only give up cards count as one action, so other cards are nothing new."""
    question = Question((Run("?"),), tuple(create_swaps()), 10)
    undone_ids = begin(question).undone_ids
    assert len(undone_ids) == 10
    assert begin(question, declined_ids=undone_ids).choose(10) == ("end_your_turn",)
    assert isinstance(begin(question, declined_ids=[*undone_ids][1:]).choose(10), Choosing)
    options = tuple(replace(option, has_gain=False) for option in create_swaps())
    undone_ids = begin(Question((Run("?"),), options, 10)).undone_ids
    assert len(undone_ids) == 1
    other_options = tuple(replace(option, id=f"other_{option.id}") for option in options)
    assert isinstance(begin(Question((Run("?"),), other_options, 10), declined_ids=undone_ids).choose(10), tuple)


def test_option_without_effect_needs_confirmation() -> None:
    options = (replace(create_swaps()[0], is_useful=False), *create_swaps()[1:])
    unconfirmed = begin(Question((Run("?"),), options)).choose(0)
    assert isinstance(unconfirmed, Choosing) and unconfirmed.to_confirm == 0
    assert unconfirmed.choose(0) == (options[0].id,)


def test_group_beside_only_the_end_is_open() -> None:
    options = (*create_swaps()[:10], make_option(10, "End", "do:end"))
    assert len(begin(Question((Run("?"),), options, 10), rows=3).entries) > 3


def test_options_of_a_group_share_a_row() -> None:
    choosing = fit_groups(begin(Question((Run("?"),), tuple(create_sale_options()))), 70, 6)
    lines = list_entries(choosing, 1, 70, 6)
    assert [to_text(line).rstrip() for line in lines] == [
        "Sell a hen for  1 Gold    2 Fame    3 Silver",
        "Sell a cow for  4 Gold    5 Fame    6 Silver",
    ]
    assert [run.text for run in lines[0] if run.reverse] == ["2 ", "Fame"]
    narrow = fit_groups(choosing, 30, 2)
    assert [entry.is_group for entry in narrow.entries] == [True, True]


def create_sale_options() -> list[Option]:
    pairs = [(animal, price) for animal in ("hen", "cow") for price in ("Gold", "Fame", "Silver")]
    return [
        make_option(n, f"Sell a {animal} for {price}", "do:sell", f"Animal:{animal}", f"Price:{price}")
        for n, (animal, price) in enumerate(pairs)
    ]


@pytest.mark.parametrize(
    ("folder", "label"),
    [("engines-of-war", "End your battle turn"), ("classics/demesne", "End the turn"), ("empire-engine", None)],
)
def test_option_to_go_on_is_the_end(folder: str, label: str | None) -> None:
    match = play_random_decisions(ROOT / "rulesets" / folder, seed=3, decisions=0)
    assert match is not None
    question = get_choice(match)
    assert (None if question.end is None else question.options[question.end].words) == label


def test_group_of_numbers_names_its_range() -> None:
    labels = ["Sell 1 Pony for 2 Gold", "Sell 2 Ponies for 4 Gold", "Sell 3 Ponies for 6 Gold"]
    assert _merge_ranges(labels) == "Sell 1–3 Ponies for 2–6 Gold"
    assert _merge_ranges(["Sell 1 Hen", "Sell 2 Hens"]) == "Sell 1–2 Hens"
    assert _merge_ranges(["Gain 1 for 2C", "Gain 3 for 6C"]) == "Gain 1–3 for 2–6C"
    assert _merge_ranges(["Sell 1 hen", "sell 2 Hen"]) == "Sell 1–2 hen"  # the first of equally long words
    assert _merge_ranges(["Sell 1 Hen", "Sell 2 hens", "Sell 3 Hens"]) == "Sell 1–3 hens"
    for case in ([labels[0]], ["Sell 1 Hen", "Sell 2 Cows"], ["Sell 1 Hen", "Sell 2 Hens now"], ["Go on", "Go back"]):
        assert _merge_ranges(case) == ""


def test_shared_words_end_without_punctuation() -> None:
    assert find_common_words(["Build: Mill a1", "Build Mill b2"]) == "Build: Mill"
    for mark in (":", " –", " —", " -", " ("):
        assert find_common_words([f"Pay{mark} 3", f"Pay{mark} 4"]) == "Pay"
    assert find_common_words(["Pay", "Sell"]) == find_common_words([]) == ""


@pytest.mark.parametrize(
    ("values", "label", "title"),
    [
        (("Mill", "Inn"), "Take {} from Millers of {}", "Take Mill"),
        (("a", "b"), "Swap {} and {}", "Swap a"),
        (("Farm", "Mill"), "Sell 2 {}s to {}", "Sell 2 Farms"),
    ],
)
def test_title_of_a_group_ends_with_its_value(values: tuple[str, str], label: str, title: str) -> None:
    """The same letters may come again inside a later word."""
    options = [
        Option(n, f"m{n}", (Run(label.format(first, second)),), (Run("do", of="do:take"), Run(first), Run(second)))
        for n, (first, second) in enumerate((first, second) for first in values for second in ("c", "e"))
    ]
    assert build_tree(options)[0].words == title


def test_groups_of_equal_names_show_their_differences() -> None:
    """The name of the action is hidden from players and tells nothing apart."""
    options = [
        Option(n, f"m{n}", (Run(f"Baker ({mill}) goes {way}"),), (Run("march", of="do:march"), baker, Run(way, of=way)))
        for n, (baker, mill, way) in enumerate(
            (Run("Baker", of=f"Card:{mill}"), mill, way) for mill in ("Mill", "Inn") for way in ("left", "right")
        )
    ]
    assert [entry.words for entry in build_tree(options)] == ["Baker (Mill)", "Baker (Inn)"]
    copies = [
        replace(option, number=4 + n, path=(option.path[0], Run("Baker", of="Card:other"), option.path[2]))
        for n, option in enumerate(options[:2])
    ]
    assert [entry.words for entry in build_tree([*options, *copies])] == [
        "Baker (Mill) goes (1 of 2)",
        "Baker (Inn)",
        "Baker (Mill) goes (2 of 2)",
    ], "not with the name of the action, which is the same"
    chooser = Chooser.begin(Question((Run("?"),), tuple(options)))
    chooser.choosing = begin(chooser.question, 2)
    inner = chooser.choosing.take_entry(chooser.choosing.entries[0])
    assert isinstance(inner, Choosing)
    chooser.choosing = inner
    assert asked_of(chooser, ()).notes == (), "the list repeats the title of the open group"


def test_long_description_is_cut_and_not_left_out() -> None:
    options = tuple(make_option(n, f"Baker {n}", "do:pick", f"Card:{n}") for n in range(2))
    text = ((Run("Baker 0: " + "Brew beer for all who work here. " * 6),),)
    preview = asked_of(Chooser.begin(Question((Run("?"),), options, None, True, most=2)), text).preview
    assert preview is not None and to_text(preview(79)[1][-1]).endswith(" … F4")


def test_closing_bracket_has_no_blank_before_it() -> None:
    assert to_text(close_brackets((Run("Build (cost "), Run("2M 1C "), Run(")")))) == "Build (cost 2M 1C)"
    assert to_text(close_brackets((Run("Build (cost 2M ), now"),))) == "Build (cost 2M), now"
    assert close_brackets(()) == (), "an empty line"


def test_typed_words_never_change_the_number_of_an_option() -> None:
    """A player who mistypes a letter and then types a number gets the option that had this number."""
    choosing = begin(Question((Run("?"),), tuple(create_swaps())), 12)
    before = dict(zip(list_keys(choosing), (entry.options for entry in choosing.entries), strict=True))
    for query in ("yew", "oak", "swap", "as yew", "do"):
        matches = choosing.type(query)
        keys = list_keys(matches)
        assert len(set(keys)) == len(keys)
        for key, entry in zip(keys, matches.entries, strict=True):
            assert before.get(key, entry.options) == entry.options


def create_chooser(case: dict[str, Any], before: Chooser | None = None) -> Chooser:
    """Create a chooser. Each option is a label, or a label with the values of other fields."""
    options = create_swaps()
    if "options" in case:
        rows = [row if isinstance(row, dict) else {"label": row} for row in case["options"]]
        options = [
            replace(make_option(n, row["label"], f"do:{row['label']}"), **{**row, "label": (Run(row["label"]),)})
            for n, row in enumerate(rows)
        ]
    prompt, is_again = case.get("prompt", "?"), case.get("again", False)
    question = Question((Run(prompt),), tuple(options), case.get("end"), is_asked_again=is_again)
    return Chooser.begin(question, previous=before)


@pytest.mark.parametrize("case", DATA["choosers"], ids=lambda case: case["test"])
def test_chooser(case: dict[str, Any]) -> None:
    """Each step presses keys or compares the state of the chooser, in order."""
    chooser = create_chooser(case)
    for step in case["steps"]:
        for name, value in step.items():
            match name:
                case "type" | "type_digit":
                    getattr(chooser, name)(value)
                case "arrow":
                    chooser.move(value, [[0], [1]])
                case "erase":
                    chooser.erase()
                case "enter" | "go_back":
                    assert getattr(chooser, name)() == (tuple(value) if isinstance(value, list) else value)
                case "ask":
                    chooser = create_chooser(value, chooser)
                case "highlighted":
                    assert (chooser.highlighted.words if chooser.highlighted else None) == value
                case "unconfirmed":
                    assert chooser.choosing.to_confirm == value
                case "entries":
                    assert [entry.words for entry in chooser.entries] == value
                case "numbers":
                    assert list_keys(chooser.choosing) == value
                case "is_digit":
                    assert {digit: chooser.is_digit(digit) for digit in value} == value
                case "hidden":
                    assert {names: write_hidden(chooser, set(names.split())) for names in value} == value
                case _:
                    assert getattr(chooser, name) == value


def create_step(path: str | list[str]) -> Run:
    """Create a step of a path or a part of a label from its text and subject, or from one text that is both."""
    return Run(path[0], of=path[1]) if isinstance(path, list) else Run(path.partition(":")[2], of=path)


@pytest.mark.parametrize("case", DATA["lists"], ids=lambda case: case["test"])
def test_list(case: dict[str, Any]) -> None:
    """A case names a list of options, and its lines, group titles or keys."""
    options = []
    for number, (label, *path) in enumerate(case["options"]):
        parts = [run if isinstance(run, list) else [run, ""] for run in ([label] if isinstance(label, str) else label)]
        name = case["ids"][number] if "ids" in case else f"option_{number}"
        options.append(Option(number, name, tuple(map(create_step, parts)), tuple(map(create_step, path))))
    if "words" in case:
        groups = build_tree(options)
        assert [entry.words for entry in groups] == case["words"]
        labels = [entry.words for entry in groups[0].below]
        assert labels == case.get("below", labels)
    elif "keys" in case:
        assert list_keys(begin(create_question(options))) == case["keys"]
    else:
        columns, rows = case.get("columns", 79), case.get("rows", 8)
        page = list_entries(fit_groups(begin(create_question(options)), columns, rows), None, columns, rows)
        assert list(map(to_text, page)) == case["lines"]


def create_question(options: list[Option]) -> Question:
    return Question((Run("?"),), tuple(options))


def test_open_group_has_a_long_title_above_its_options() -> None:
    ways = [
        (mill, side)
        for mill in ("Mill", "Farm")
        for side in ("north of the old stone road", "south of the old stone road")
    ]
    options = [
        make_option(n, f"Build {card} for 2 gold beside {mill}: {side}", "do:build", f"Card:{card}", f"Mill:{mill}")
        for card in ("House", "Barn")
        for n, (mill, side) in enumerate(ways, 4 * (card == "Barn"))
    ]
    inner = begin(create_question([*options, make_option(8, "Go on", "do:go_on")]), 2)
    for _ in range(2):
        inner = inner.take_entry(inner.entries[0])
        assert isinstance(inner, Choosing)
    assert isinstance(inner, Choosing) and [entry.is_group for entry in inner.entries] == [False] * 4
    lines = [to_text(line) for line in list_entries(fit_groups(inner, 50, 5), None, 50, 5)]
    assert lines == DATA["opened group"]
    house = [*(replace(option, moved_card="Card:House") for option in options[:4]), make_option(4, "Go on", "do:go_on")]
    chooser = Chooser(begin(create_question(house), 3), cursor=0)
    assert chooser.entries[0].of == "Mill:Mill" and chooser.subject == "Card:House", (
        "what is built, not what it is beside"
    )


def test_options_with_equal_labels_show_their_differences() -> None:
    laws = [make_option(n, "Law 5/3/4", "do:attack", f"Card:Law {n}") for n in range(3)]
    options = number_equal_labels([laws[0], replace(laws[1], like=0), laws[2], make_option(3, "Nobody", "do:pass")])
    labels = [option.words for option in options]
    assert labels == ["Law 5/3/4 (1 of 2)", "Law 5/3/4 (1 of 2)", "Law 5/3/4 (2 of 2)", "Nobody"]


def create_boost_options(*tools: str) -> list[Option]:
    """Create options with two values: the tool, and whether it is boosted."""
    results = ("Dig", "Wait (wasted unless you also have a horse)", "Sow", "Reap")
    return [
        make_option(2 * i + j, f"Use the {tool}, {way}: {results[(i + j) % 4]}", "do:use", f"Tool:{tool}", f"Way:{way}")
        for i, tool in enumerate(tools)
        for j, way in enumerate(("without a boost", "boosted with a coin"))
    ]


def test_groups_with_equal_values_form_a_matrix() -> None:
    options = [*create_boost_options("spade", "plough", "scythe"), make_option(6, "Go on", "do:go_on")]
    page = list_entries(fit_groups(begin(create_question(options)), 60, 12), 3, 60, 12)
    assert [to_text(line) for line in page] == DATA["matrix"]
    assert list_rows(page) == [[0, 1], [2, 3], [4, 5], [6]]
    references = {run.of for line in page for run in line if run.reverse and run.text.strip()}
    assert references == {"#3"}
    narrow = list_entries(begin(create_question(options)), None, 34, 12)
    assert "Use the spade" in to_text(narrow[0]), "with few columns there is no matrix"


def test_neighbouring_groups_share_lines_in_a_long_list() -> None:
    labels = [
        f"{verb} {tree}"
        for verb in ("Sell", "Move", "Hire an able worker for", "Mend")
        for tree in ("Oak", "Elm", "Ash")
    ]
    options = [make_option(n, text, f"do:{text[:4]}", f"Tree:{n}") for n, text in enumerate([*labels, "End your turn"])]
    choosing = begin(Question((Run("?"),), tuple(options), len(labels)), 5)
    lines = [to_text(line) for line in list_entries(choosing, None, 60, 5)]
    assert lines[:2] == ["1 Sell … 3 ways", "2 Move … 3 ways"] and lines[-1] == "E End your turn" and len(lines) == 5
    page = list_entries(choosing, None, 44, 4)
    assert [to_text(line) for line in page] == DATA["shared lines"]
    assert list_rows(page) == [[0, 1], [2], [3], [4]]


def test_option_that_does_everything_is_highlighted_first() -> None:
    """It keeps its place in the list. An option that ends the turn is never highlighted first."""
    random = Random(7)
    match = play_random_decisions(ROOT / "rulesets" / "empire-city", 7, 0)
    while match is not None and match.decision is not None:
        question = get_choice(match)
        if to_text(question.prompt).startswith("Start Step") and len(question.options) > 1:
            break
        match.take(random.randrange(len(match.decision.options)))
    assert question.all_at_once == len(question.options) - 1 and question.end is None
    choosing = begin(question)
    assert choosing.entries[choosing.first_entry].options == (question.all_at_once,)


def test_typed_words_find_things_outside_the_open_group() -> None:
    options = [
        Option(n, f"{verb} {pet}", (Run(f"{verb} {pet}"),), (Run(verb, of=f"do:{verb}"), Run(pet, of=f"Card:{pet}")))
        for n, (verb, pet) in enumerate([("Buy", "cat"), ("Buy", "cow"), ("Sell", "dog"), ("Sell", "hen")])
    ]
    choosing = begin(Question((), tuple(options)))
    group = replace(choosing, open_groups=(choosing.top_entries[0],))
    assert group.find_entry("Card:dog") is None
    entry = group.type("dog").find_entry("Card:dog")
    assert entry is not None and entry.words == "Sell dog"
