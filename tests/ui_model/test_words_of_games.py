"""Test what tables of bundled games say: options with their consequences, and results with their reasons."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from fair import get_question, read_preview
from full_table import create_match

from lusory.explain.styled_text_wrapping_and_values import to_text
from lusory.play.match import Match
from lusory.ui.model.look_and_why import explain_why_not
from lusory.ui.model.option_tree_and_choice_in_progress import begin
from lusory.ui.model.screen import Question
from lusory.ui.model.screen_builder import build_screen
from lusory.ui.model.screen_layout import Prompt, ScreenLayout, draw_page

NAMES = ("P1", "P2", "P3", "P4")


def play_to_questions(
    name: str, players: int, seed: int, limit: int = 200, prompts: tuple[str, ...] = ("",)
) -> Iterator[tuple[Match, Question]]:
    """Yield questions with one of ``prompts`` in their prompt, each with its match, from the first ``limit`` decisions
    of a game of random bots."""
    match = create_match(name, people=0, seed=seed, players=players)
    for _ in range(limit):
        if match.decision is None:
            return
        prompt = match.game.prompt(match.state, match.decision)
        if any(text in prompt for text in prompts):  # building a screen is slow
            question = get_question(match, match.decision.seat, NAMES[:players])
            yield match, question
        match.step()


def test_love_letter_warns_of_useless_and_losing_cards() -> None:
    expected = {
        "Play Princess (you would be out)",
        "Play Guard (nothing happens: all other players are safe)",
        "Play Guard",
        "Play Prince (you can only choose yourself)",
    }
    labels: set[str] = set()
    for seed in range(12):
        questions = [question for _, question in play_to_questions("love-letter", 2, seed, 60)]
        labels |= {option.words for question in questions for option in question.options}
        if expected <= labels:
            break
    assert expected <= labels and "Play Princess" not in labels
    assert not any(label.startswith(("Play Handmaid (", "Play Countess (")) for label in labels)


def test_empire_previews_gain_and_cost_of_a_sale() -> None:
    _, question = next(play_to_questions("nano-empire", 1, 3))
    previews = {option.words: read_preview(option) for option in question.options}
    sales = {label: preview for label, preview in previews.items() if label.startswith("Sell ")}
    assert sales
    for label, preview in sales.items():
        assert "Costs " in preview and "→" in preview
        assert ("Your Profit: 0 → " in preview) == ("(free) for Profit: " in label), label
        assert ("+" in preview) == ("(free) for Capital: " in label), label
        assert preview.endswith("The next kind of action costs 1 Capital."), preview


def test_empire_previews_the_whole_cost_of_a_building() -> None:
    previews = [
        (option.words, read_preview(option))
        for _, question in play_to_questions("nano-empire", 1, 3, prompts=("What next?",))
        for option in question.options
        if re.match(r"Build .*\(costs ", option.words)
    ]
    payments = [(label, preview) for label, preview in previews if "Which building pays " in preview]
    assert payments
    for label, preview in payments:
        # the cost of the card, and the price of the action
        capital = sum(int(n) for n in re.findall(r"(\d+)K", label))
        before, after = re.findall(r"Capital: (\d+) → (\d+)", preview)[0]
        assert int(before) - int(after) == capital, (label, preview)
        assert " Costs " not in preview, preview


def test_empire_highlights_a_purchase_before_the_end_of_the_turn() -> None:
    kinds = ("Sell", "Hire", "Move", "Build", "Produce")
    for match, question in play_to_questions("nano-empire", 1, 3, prompts=("What next?",)):
        labels = [option.words for option in question.options]
        if len(labels) > 1 and not any(label.startswith(kinds) for label in labels):
            choosing = begin(question)
            assert question.end not in choosing.entries[choosing.first_entry].options
            text = "\n".join(map(to_text, draw_page(build_screen(match, 0, NAMES[:1]), 80, 20)))
            assert "Managers 1K" in text, "prices stay when the table scrolls"
            return
    raise AssertionError("no such turn")


def test_empires_end_highlights_passing_before_the_disaster() -> None:
    """Passing costs a token and shows no effect, while taking the disaster gains tokens."""
    _, question = next(play_to_questions("empires-end", 2, 0, prompts=("Do you pay a token to pass",)))
    choosing = begin(question)
    (first,) = choosing.entries[choosing.first_entry].options
    assert question.options[first].words.startswith("Pass with ")


def test_empires_end_says_what_locations_do_on_a_narrow_screen() -> None:
    match, _ = next(play_to_questions("empires-end", 2, 0, prompts=("Do you pay a token to pass",)))
    assert match.decision is not None
    text = "\n".join(map(to_text, draw_page(build_screen(match, match.decision.seat, NAMES[:2]), 80, 24)))
    assert "Farm 3: +1 wheat. Farm 8: +1 axe. Farm 11: +1 hammer. Army: +2 strength." in text


@pytest.mark.slow
def test_empire_previews_what_happens_to_the_event() -> None:
    missing = {r"Event: .+ \(on .+\), .{10,}\.", r"No event \(.+: years \d+–\d+\)\."}
    for seed in (1, 3):
        for _, question in play_to_questions("nano-empire", 1, seed):
            previews = [option.preview for option in question.options if option.words.startswith("Build ")]
            sentences = [to_text(sentence) for preview in previews for sentence in preview]
            missing -= {form for form in missing if any(re.fullmatch(form, sentence) for sentence in sentences)}
            if not missing:
                return
    assert not missing


def test_empire_explains_events_below_the_row_only_on_wide_screens() -> None:
    match = create_match("nano-empire", seed=3, players=1)
    match.advance()
    screen = build_screen(match, 0, NAMES[:1])
    for columns, rows in ((80, None), (99, None), (100, None), (120, 40)):
        text = "\n".join(map(to_text, draw_page(screen, columns, rows)))
        # the table of a wide screen is narrower, but the width of the screen counts
        assert ("Savings Bank: Low Interest (0–12): gain 3 capital" in text) == (columns >= 100), columns
        assert ("The Factory loses a track with the fourth new building from now" in text) == (columns >= 100), columns


def test_empire_names_the_building_that_pays() -> None:
    questions = [
        question
        for seed in range(1, 5)
        for _, question in play_to_questions("nano-empire", 1, seed, prompts=("Which building pays ",))
        if to_text(question.prompt).startswith("Which building pays ")
    ]
    assert questions
    for question in questions:
        first, *labels = (option.words for option in question.options)
        assert first == "Let the game decide"
        for label in labels:
            payment = re.fullmatch(r"Pay (.+ from .+ \(\d+ → \d+\))( and .+ from .+ \(\d+ → \d+\))?", label)
            assert payment is not None and "nothing" not in label, label


def test_empire_previews_a_build_before_asking_who_pays() -> None:
    previews = [
        read_preview(option)
        for seed in range(1, 7)
        for _, question in play_to_questions("nano-empire", 1, seed, 60, prompts=("What next?",))
        for option in question.options
        if " build " in f" {option.words.lower()}"
    ]
    assert any("Which building pays" in preview for preview in previews)
    for preview in filter(None, previews):
        assert re.search(r"It has 1 of \d workers and is idle\. (Event|No event)", preview), preview
        assert "goes to the Industry" not in preview, "the label says where it goes"


def test_empire_names_what_a_building_lacks() -> None:
    match = create_match("nano-empire", seed=3, players=1)
    match.advance()
    screen = build_screen(match, 0, NAMES[:1])
    assert not any("You play as" in to_text(line) for line in screen.introduction), "nobody else plays"
    row = {f"{entity.kind}:{entity.name}" for entity in match.game.program.entities if entity.name != "factory"}
    parts = ScreenLayout(screen).lay_out(Prompt((), (), lambda columns, rows: [()] * 3), 60, 20, topics=row)
    assert parts["table"].first == 0, "the Factory and the heads of the columns come first"
    question = screen.question
    assert question is not None
    texts = [to_text(line) for line in explain_why_not("motor works", match.game, match.state, question, NAMES[:1])]
    assert texts[0].startswith("Build: needs 3 Materials, and there are 2")
    *reasons, card_text = texts
    assert all(": needs " in line for line in reasons) and card_text.startswith("Motor Works: Cost: 3 materials")
    (move_reason,) = explain_why_not("move to factory", match.game, match.state, question, NAMES[:1])
    assert "Move workers from a building along a rail" in to_text(move_reason), "the text of the action"


def test_empire_ends_with_grades_and_sources_of_profit() -> None:
    match = create_match("nano-empire", people=0, seed=1, players=1)
    match.play()
    text = [to_text(line) for line in draw_page(build_screen(match, 0, NAMES[:1]), 120, 40)]
    page = re.sub(r"[\s│]+", " ", " ".join(line[:81] for line in text))  # without the story on the right
    assert "Proprietor (up to 80)" in page and "P1" not in page.partition("The game is over")[2]
    parts = [
        int(line.split("│")[0].split()[-1]) for line in text if line.lstrip().startswith(("Sales and", "Staffed b"))
    ]
    total = next(line.split("│")[0].split()[-1] for line in text if re.match(r" +Profit +[0-9]", line))
    assert len(parts) == 2 and sum(parts) == int(total)


@pytest.mark.slow
def test_engines_of_war_previews_discards_and_targets() -> None:
    questions = [question for _, question in play_to_questions("engines-of-war", 2, 4, 150)]
    options = [option for question in questions for option in question.options]
    discards = [option for option in options if option.id.startswith("discard ")]
    fights = [option.words for option in options if " destroy P" in option.words or " backstab P" in option.words]
    payment = re.compile(r"You now have \d+ points? for Swarm cards or \d+ for Republic cards\.")
    assert discards and all(any(payment.fullmatch(to_text(line)) for line in option.preview) for option in discards)
    assert fights and all(re.search(r"'s [A-Z][^(]+ \(\d VP\)", label) for label in fights)


@pytest.mark.slow
def test_empires_end_asks_for_no_token_when_paid() -> None:
    prompts = "replace the disaster, or end", "Do you pay a token"
    questions = [question for seed in (1, 2) for _, question in play_to_questions("empires-end", 2, seed, 120, prompts)]
    bids = [question for question in questions if "replace the disaster, or end" in to_text(question.prompt)]
    passes = [question for question in questions if to_text(question.prompt).startswith("Do you pay a token")]
    assert bids and passes
    assert not any(option.words.startswith(("Pass ", "Take ")) for question in bids for option in question.options)
    assert all(any(option.words.startswith(("Pass ", "Take ")) for option in question.options) for question in passes)
