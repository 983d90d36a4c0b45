"""Options in steps, and a choice under way: laws over real decisions of all games, and what each key does."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st
from programs import bundled, bundled_game

from lusory.game import Game
from lusory.play.match import Match
from lusory.play.players import Scripted
from lusory.ui.model.build import question_of, take
from lusory.ui.model.option_tree import Choosing, Entry, alone, asked_about, begin, cut, matching, tree, with_ranges
from lusory.ui.model.screen import Answer, Option, Question
from lusory.ui.model.text import Run, closed, plain
from lusory.ui.textual.choice_list import Chooser, listing

ROOT = Path(__file__).resolve().parents[2] / "rulesets"
RULESETS = sorted(path.parent for path in ROOT.rglob("ruleset.yaml"))
NAMES = ("Ann", "Bob", "Cleo", "Dan", "Eve", "Fay")

some = settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
games = st.sampled_from(RULESETS)


@cache
def game_of(folder: Path) -> Game:
    program = bundled(folder.name)
    return bundled_game(folder.name, max(program.min_players, min(2, program.max_players)))


def played(folder: Path, seed: int, decisions: int) -> Match | None:
    """A game after some random decisions; None where it is over by then."""
    game, random = game_of(folder), Random(seed)
    match = Match(game, [Scripted([]) for _ in range(game.players)], seed)
    for _ in range(decisions):
        if match.decision is None:
            return None
        match.take(random.randrange(len(match.decision.options)))
    return match if match.decision is not None else None


def asked(match: Match) -> Question:
    assert match.decision is not None
    question = question_of(match, match.game.view(match.state, match.decision.seat), NAMES)
    assert question is not None
    return question


def reached(choosing: Choosing, depth: int = 0) -> set[int]:
    """The numbers of all options that can be come to by opening groups."""
    assert depth < 9, "a group without end"
    found: set[int] = set()
    for entry in choosing.entries:
        if entry.is_group:
            opened = choosing.take(entry)
            assert isinstance(opened, Choosing)
            assert set(entry.options) == reached(opened, depth + 1), "a group holds what it says"
            assert opened.back().entries == choosing.entries, "back is where one was"
            found |= set(entry.options)
        else:
            assert len(entry.options) == 1, "what is no group is one option"
            found |= set(entry.options)
    return found


def families(entries: tuple[Entry, ...]) -> list[tuple[Entry, ...]]:
    return [entries, *(family for entry in entries if entry.is_group for family in families(entry.below))]


@some
@given(games, st.integers(0, 999), st.integers(0, 60), st.integers(3, 14))
@example(ROOT / "templates" / "market-day", 0, 1, 12)  # cards of which there are copies
def test_every_option_is_reached_and_few_are_shown(folder: Path, seed: int, decisions: int, rows: int) -> None:
    match = played(folder, seed, decisions)
    if match is None:
        return
    question = asked(match)
    choosing = begin(question, rows)
    copies = {number: one.like for number, one in enumerate(question.options) if one.like >= 0}
    assert reached(choosing) == set(range(len(question.options))) - set(copies), "every option, or one like it"
    for number, like in copies.items():
        copy, first = question.options[number], question.options[like]
        assert first.like < 0 and (copy.words, plain(copy.result)) == (first.words, plain(first.result))
    for family in families(choosing.every):
        shown = cut(question.options, family, rows)
        flat = [number for entry in family for number in entry.options]
        assert {number for entry in shown for number in entry.options} == set(flat)
        if len(shown) > rows:  # one group that can't be parted
            assert shown == family
        assert len({entry.words for entry in family if entry.is_group}) == sum(entry.is_group for entry in family)


@some
@given(games, st.integers(0, 999), st.integers(0, 60), st.data())
def test_each_option_can_be_typed_and_answers(folder: Path, seed: int, decisions: int, data: st.DataObject) -> None:
    match = played(folder, seed, decisions)
    if match is None or match.decision is None:
        return
    question = asked(match)
    assert question.several or [option.number for option in question.options] == list(range(len(question.options)))
    number = data.draw(st.integers(0, len(question.options) - 1))
    option = question.options[number]
    shown = number if option.like < 0 else option.like  # of copies the first is offered
    assert {shown, number} & {*matching(question.options, option.id)}, "by its own id a copy itself"
    words = data.draw(st.permutations(option.words.split()))
    by_words = {*matching(question.options, " ".join(words))}
    assert {shown, number} & by_words or not option.words.strip(" ?-–()[]:,.;")
    if question.several:
        most = data.draw(st.integers(question.least, question.most))
        picks = data.draw(st.permutations(range(len(question.options))))[:most]
        choosing: Choosing | Answer = begin(question)
        for pick in picks:
            assert isinstance(choosing, Choosing)
            choosing = choosing.choose(pick)
        assert isinstance(choosing, Choosing) and choosing.can_end
        answer = choosing.enter()
        wanted = picks if question.in_order else sorted(picks)
    else:
        answer = begin(question).choose(number)
        wanted = [number]
    assert isinstance(answer, tuple)
    before, ask = match.state, match.decision.site
    logged = len(match.log)
    take(match, question, answer)
    assert match.state is not before or not answer
    if question.several:  # the rules took what was picked, in this order
        picked = [event[4] for event in match.log[logged:] if event[0] == "choice" and event[2] == ask][: len(wanted)]
        labels = [label for event in picked for label in event]
        assert len(labels) == len(wanted)


# ---------------------------------------------------------------- by example


def option(number: int, label: str, *path: str) -> Option:
    steps = tuple(Run(step.partition(":")[2], of=step) for step in path)
    return Option(number, label.lower().replace(" ", "_"), (Run(label),), steps)


CARDS = ("elm", "oak", "ash", "fir", "yew")
OF_ASH = ["Swap elm and ash", "Swap oak and ash", "Swap ash and fir", "Swap ash and yew"]


def swaps() -> list[Option]:
    pairs = [(a, b) for n, a in enumerate(CARDS) for b in CARDS[n + 1 :]]
    options = [option(n, f"Swap {a} and {b}", "do:swap", f"Card:{a}", f"Card:{b}") for n, (a, b) in enumerate(pairs)]
    return [*options, option(len(options), "End your turn", "do:end")]


def shown(choosing: Choosing) -> list[str]:
    return [entry.words for entry in choosing.entries]


def opened(choosing: Choosing, words: str) -> Choosing:
    found = choosing.take(next(entry for entry in choosing.entries if entry.words == words))
    assert isinstance(found, Choosing)
    return found


def test_the_number_of_an_entry_stands_for_what_it_is_about() -> None:
    choosing = begin(Question((Run("?"),), tuple(swaps())), rows=20)

    assert asked_about(choosing, "why", "2") == "Swap elm and ash"
    assert asked_about(choosing, "look", " 2 --rules") == "ash --rules"
    assert asked_about(choosing, "look", "11") == "End your turn", "it is about nothing"
    assert [asked_about(choosing, "why", words) for words in ("0", "12", "2 ash")] == ["0", "12", "2 ash"]
    assert asked_about(choosing, "rules", "2") == "2"


def test_a_pair_without_order_is_found_under_both_ends() -> None:
    choosing = begin(Question((Run("?"),), tuple(swaps())), rows=6)
    assert shown(choosing) == ["Swap elm", "Swap oak", "Swap ash", "Swap fir", "Swap yew", "End your turn"]
    assert shown(opened(choosing, "Swap ash")) == [
        "Swap elm and ash",
        "Swap oak and ash",
        "Swap ash and fir",
        "Swap ash and yew",
    ]
    assert shown(begin(choosing.question, rows=4)) == ["Swap", "End your turn"]


def test_words_in_any_order_filter_what_is_shown() -> None:
    choosing = begin(Question((Run("?"),), tuple(swaps())), rows=6)
    assert shown(choosing.type("yew oak")) == ["Swap oak and yew"]
    assert choosing.type("yew oak").enter() == ("swap_oak_and_yew",)
    assert shown(choosing.type("as")) == [
        "Swap elm and ash",
        "Swap oak and ash",
        "Swap ash and fir",
        "Swap ash and yew",
    ]
    assert choosing.type("as").enter() == choosing.type("as"), "Enter does not choose among four"
    assert shown(choosing.type("as").back()) == shown(choosing)


def test_the_strictest_reading_under_which_there_is_any_counts() -> None:
    options = [option(n, label, f"Card:{n}") for n, label in enumerate(["Ash", "Crash", "Ash tree", "Old ash"])]
    assert matching(options, "ash") == [0], "the whole label"
    assert matching(options, "as") == [0, 2, 3], "words that begin so"
    assert matching(options, "ash old") == [3]
    assert matching(options, "ras") == [1], "somewhere"


def test_pointing_at_a_thing_lists_what_is_about_it() -> None:
    choosing = begin(Question((Run("?"),), tuple(swaps())), rows=6)
    pointed = choosing.point("Card:fir")
    assert isinstance(pointed, Choosing) and len(pointed.entries) == 4 and pointed.title is not None
    assert pointed.title.words == "fir"
    assert choosing.point("Card:none_such") == choosing
    alone = begin(Question((Run("?"),), tuple(swaps()[9:])))
    assert alone.point("Card:fir") == ("swap_fir_and_yew",)


def several(in_order: bool = False, least: int = 1, most: int = 2) -> Choosing:
    cards = [option(n, card, f"Card:{card}") for n, card in enumerate(CARDS)]
    return begin(Question((Run("?"),), tuple(cards), None, True, in_order, least, most))


def chosen(choosing: Choosing, *numbers: int) -> Choosing:
    for number in numbers:
        found = choosing.choose(number)
        assert isinstance(found, Choosing)
        choosing = found
    return choosing


def test_several_are_picked_in_any_order_and_put_back() -> None:
    choosing = several()
    assert choosing.enter() == choosing, "one must be picked"
    assert chosen(choosing, 3, 0).enter() == ("elm", "fir")
    assert chosen(choosing, 3).enter() == ("fir", "done")
    assert chosen(choosing, 3, 0, 3).enter() == ("elm", "done")
    assert chosen(choosing, 3, 0, 4).picks == (3, 0), "no more than two"
    assert chosen(several(in_order=True), 3, 0).enter() == ("fir", "elm")
    everything = several(in_order=True, least=len(CARDS), most=len(CARDS))
    last, *before = range(len(CARDS))
    assert chosen(everything, *before).picks == (*before, last), "nothing else is possible"
    assert chosen(everything, *before, last).picks == (*before, last), "to say so does not put it back"


@pytest.mark.parametrize(("usual", "answer"), [(None, None), (10, ("end_your_turn",))])
def test_enter_gives_the_usual_answer_the_second_time(usual: int | None, answer: Answer | None) -> None:
    choosing = begin(Question((Run("?"),), tuple(swaps()), usual), 3)
    once = choosing.enter()
    assert isinstance(once, Choosing)
    assert once.enter() == (choosing if answer is None else answer)
    opened = once.take(once.entries[0])
    assert isinstance(opened, Choosing)
    assert opened.usual is None, "who looks into a group is about to choose something of it"
    for other in (once.type("oak"), opened):
        assert other.back().enter() == once, "and is asked again"


def test_nothing_is_highlighted_where_enter_would_end_it() -> None:
    question = Question((Run("?"),), tuple(swaps()), 10)
    chooser = Chooser.of(question, 12)
    assert (chooser.cursor, chooser.enter()) == (None, None)
    assert chooser.enter() == ("end_your_turn",)
    chooser = Chooser.of(question, 12)
    chooser.digit("1")
    assert chooser.enter() == (question.options[0].id,), "what one went to is taken at once"
    chooser = Chooser.of(question, 12)
    chooser.type("end")
    assert chooser.enter() == ("end_your_turn",)
    assert Chooser.of(replace(question, usual=None), 12).cursor == 0


@pytest.mark.parametrize(
    ("folder", "label"),
    [("engines-of-war", "End your turn"), ("classics/demesne", "End the turn"), ("empire-engine", None)],
)
def test_what_only_goes_on_is_the_usual_answer(folder: str, label: str | None) -> None:
    match = played(ROOT / folder, seed=3, decisions=0)
    assert match is not None
    question = asked(match)
    assert (None if question.usual is None else question.options[question.usual].words) == label


def test_a_group_of_numbers_says_from_which_to_which() -> None:
    labels = ["Sell 1 Pony for 2 Gold", "Sell 2 Ponies for 4 Gold", "Sell 3 Ponies for 6 Gold"]
    assert with_ranges(labels) == "Sell 1–3 Ponies for 2–6 Gold"
    assert with_ranges(["Sell 1 Hen", "Sell 2 Hens"]) == "Sell 1–2 Hens"
    for other in ([labels[0]], ["Sell 1 Hen", "Sell 2 Cows"], ["Sell 1 Hen", "Sell 2 Hens now"], ["Go on", "Go back"]):
        assert with_ranges(other) == ""
    hens, cows = Run("hen", of="Animal:hen"), Run("cow", of="Animal:cow")
    options = [
        Option(
            3 * kind + n,
            f"{kind}{n}",
            (Run(f"Sell {n + 1} {word.text}s"),),
            (Run("sell", of="do:sell"), word, Run(f"{n}")),
        )
        for kind, word in enumerate((hens, cows))
        for n in range(3)
    ]
    assert [entry.words for entry in tree(options)] == ["Sell 1–3 hens", "Sell 1–3 cows"]


def test_what_begins_alike_is_told_apart() -> None:
    options = [
        option(n, f"{word} it {n}", f"do:{word}", f"Card:{n}") for n, word in enumerate(["hit", "hit", "mend", "mend"])
    ]
    alike = [Option(o.number, o.id, (Run(f"It {n}"),), o.path) for n, o in enumerate(options)]
    assert [entry.words for entry in tree(options)] == ["hit it", "mend it"]
    assert [entry.words for entry in tree(alike)] == ["hit: It", "mend: It"]


def test_typed_words_choose_what_they_begin_and_else_nothing() -> None:
    labels = ["Discard Clerk and go on", "Go on to the market", "Discard Baker and go on"]
    options = tuple(option(n, label, f"do:{n}") for n, label in enumerate(labels))
    choosing = begin(Question((Run("?"),), options))
    assert choosing.type("go on").enter() == ("go_on_to_the_market",), "the only one that begins so"
    assert choosing.type("baker").enter() == ("discard_baker_and_go_on",), "the only one"
    assert choosing.type("discard").enter() == choosing.type("discard"), "two begin so"


def test_the_first_of_several_that_fit_is_taken_by_the_second_enter() -> None:
    chooser = Chooser.of(Question((Run("?"),), tuple(swaps())), 12)
    chooser.type("as")
    assert chooser.is_unsure and chooser.enter() is None and chooser.cursor == 0
    assert chooser.enter() == ("swap_elm_and_ash",)
    chooser.type("end")
    assert chooser.enter() == ("end_your_turn",)


@pytest.mark.parametrize("typed", ["Done", "done, with 2"])
def test_the_end_of_picking_can_be_typed(typed: str) -> None:
    chooser = Chooser(chosen(several(in_order=True, most=3), 3, 0))
    chooser.type(typed)
    assert chooser.enter() == ("fir", "elm", "done")


def test_a_group_is_named_in_whole_words() -> None:
    sold = (
        ("Material", "Sell 2 Materials for 1 Gold"),
        ("Material", "Sell 2 Materials for 1 Fame"),
        ("Good", "Sell 1 Good"),
    )
    options = [option(n, label, "do:sell", f"Kind:{kind}", f"Int:{n}") for n, (kind, label) in enumerate(sold)]
    assert [entry.words for entry in tree(options)] == ["Sell 2 Materials", "Sell 1 Good"]


def test_what_lies_in_a_group_is_not_cut_inside_of_a_word() -> None:
    parts = [alone([option(0, "Sell 2 Materials", "do:sell")], 0)]
    group = Entry((Run("Sell 2 Material"),), (0, 1), (*parts, alone([option(0, "Sell 2 Material: all", "do:sell")], 0)))
    chooser = Chooser(replace(begin(Question((Run("?"),), tuple(swaps())), 12), entries=(group,)))
    (line,) = listing(chooser, 80, 9).lines
    assert plain(line).endswith("  Sell 2 Materials, all")


def test_a_bracket_closes_without_a_blank() -> None:
    assert plain(closed((Run("Build (cost "), Run("2M 1C "), Run(")")))) == "Build (cost 2M 1C)"
    assert plain(closed((Run("Build (cost 2M ), now"),))) == "Build (cost 2M), now"
