"""Test the full screen with keys, mouse clicks, terminal sizes and random input."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import replace
from threading import Event

import pytest
from full_table import LARGE, SMALL, AtTable, create_match, find_position, play_at_table
from programs import run_with
from textual import events

from lusory.explain.styled_text_wrapping_and_values import Line, Run, measure, to_text
from lusory.play.bot_takeover_and_pacing import AutoPlay
from lusory.play.match import Match
from lusory.ui.model import screen_layout
from lusory.ui.model.option_tree_and_choice_in_progress import END, list_keys
from lusory.ui.model.screen import Option, Panel
from lusory.ui.session.messages import Ask, Told
from lusory.ui.session.same_process_link import LocalLink
from lusory.ui.session.seat_requests_and_screens import MatchService
from lusory.ui.textual import terminal_and_signal_handling
from lusory.ui.textual.choice_input_and_key_hints import Chooser, lay_out_chooser
from lusory.ui.textual.dialogs_start_page_and_descriptions import Page, Question, describe_company
from lusory.ui.textual.scrollable_lines_and_cursor_movement import Sheet
from lusory.view.query_breakdowns_and_component_summaries import list_visible_components


@run_with(play_at_table, "kuhn-poker")
async def test_working_sign_moves_until_the_next_screen(at: AtTable) -> None:
    shown = at.app.frame
    assert shown is not None
    assert shown.screen.waiting == shown.screen.seat
    at.app._show_working()
    at.app._show_working()
    assert "Working" not in at.text("keys"), "the table waits for the player"
    at.app.is_busy = True
    at.app._show_working()
    at.app._show_working()
    first = at.text("keys")
    at.app._show_working()
    assert "Working ." in first and "Working ." in at.text("keys") and first != at.text("keys")
    at.app.show(shown)
    assert "Working" not in at.text("keys")


@run_with(play_at_table, "engines-of-war")
async def test_page_is_headed_by_the_name_of_its_subject(at: AtTable) -> None:
    card, *_ = next(list_visible_components(at.match.game.view(at.match.state, 0)))
    for words, title in ((f"Card:{card.name}", card.label), (card.label, card.label), ("Faction:swarm", "Swarm")):
        at.app.descriptions.ask("look", words, "page")
        await at.wait_until_settled()
        page = at.app.screen
        assert isinstance(page, Page) and page.heading == title, page
        await at.press("escape")


def test_word_typed_as_the_game_ends_is_no_key() -> None:
    """Keys of the end page work again once the word is cleared."""

    async def steps(at: AtTable) -> None:
        await at.type("au")
        at.app.takeover.begin("game")
        await at.wait_until_settled()
        for _ in range(200):
            if at.match.decision is None:
                break
            await at.pilot.pause(0.02)
        assert at.app.chooser is None and at.app.letters.text == "au"
        await at.type("to gr")
        assert at.app.return_value is None and "auto gr" in at.text("keys")
        at.app.letters.pause = 0.05
        await at.press("escape")
        await at.type("rules")
        await at.pilot.pause(0.1)
        assert at.app.return_value is None
        await at.press("enter")
        at.app.letters.begin("")
        await at.type("q")
        await at.pilot.pause(0.1)
        assert at.app.return_value is None, "nobody can have seen the page yet"
        await at.press("backspace", "q")
        await at.pilot.pause(0.1)

    went = play_at_table(steps, "kuhn-poker").app.return_value
    assert went is not None and went.how == "over"


def test_typed_word_is_cleared_after_a_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Until then no letter is a key."""
    monkeypatch.setattr(terminal_and_signal_handling, "WORD_PAUSE", 0.05)

    async def steps(at: AtTable) -> None:
        at.app.takeover.begin("game")
        for _ in range(200):
            if at.match.decision is None:
                break
            await at.pilot.pause(0.02)
        await at.type("a")
        await at.pilot.pause(0.2)
        assert at.app.letters.text == "" and "> a" not in at.text("keys")
        await at.press("q")

    went = play_at_table(steps, "kuhn-poker").app.return_value
    assert went is not None and went.how == "over"


@pytest.mark.parametrize("size", [(60, 20), SMALL, (200, 60)])
@pytest.mark.parametrize("name", ["empires-end", "nano-empire"])
def test_parts_do_not_overlap_at_any_size(name: str, size: tuple[int, int]) -> None:
    """Title, question, options and keys are all visible."""

    async def steps(at: AtTable) -> None:
        for _ in range(2):
            top = 0
            for part in ("head", "players", "table", "title", "options", "keys"):
                region = at.app.screen.query_one(f"#{part}").region
                if not at.app.get_sheet(part).display:
                    assert part == "players", part
                    continue
                assert region.height and region.y >= top, part
                top = region.bottom
            assert top == size[1]
            assert at.text("title").strip()
            await at.press("enter")

    play_at_table(steps, name, size)


@run_with(play_at_table, "empires-end")
async def test_end_of_the_story_stays_visible_after_resizing(at: AtTable) -> None:
    for size in ((200, 60), SMALL):
        await at.pilot.resize_terminal(*size)
        await at.wait_until_settled()
    story = at.app.get_sheet("story")
    assert story.scroll_offset.y == story.max_scroll_y > 0


@run_with(play_at_table, "empires-end", LARGE)
async def test_longer_preview_hides_the_oldest_lines_of_the_story(at: AtTable) -> None:
    await at.press(*["enter"] * 8)
    before = at.app.get_sheet("story").size.height
    at.app.describe(tuple((Run(f"Line {number}."),) for number in range(40)))
    await at.wait_until_settled()
    story = at.app.get_sheet("story")
    assert story.size.height < before and story.scroll_offset.y == story.max_scroll_y > 0


@run_with(play_at_table, "kuhn-poker")
async def test_preview_names_the_option_that_enter_takes_on_the_board(at: AtTable) -> None:
    """No entry of the list stands for this place alone."""
    chooser = at.chooser
    options = chooser.question.options
    path = (Run("", of="do:go"), Run("Oak", of="Tree:oak"))
    at.app.chooser = Chooser.begin(replace(chooser.question, options=tuple(replace(o, path=path) for o in options)))
    at.chooser.go_to("Tree:oak")
    title, lines = lay_out_chooser(at.chooser, ()).preview(80)
    assert title and to_text(lines[0]).strip().startswith(f"Oak: {to_text(options[0].label)}")
    assert at.chooser.point("Tree:oak") is None and not at.match.turns


@pytest.mark.parametrize("size", [(60, 20), SMALL, LARGE])
def test_picking_moves_no_number(size: tuple[int, int]) -> None:
    """Adding the end option to the list moves no number either."""

    def list_number_positions(at: AtTable) -> list[tuple[int, int]]:
        lines = at.text("options").splitlines()
        numbers = [f"{number:>2} [" for number in range(1, 14)]
        return [(row, line.find(number)) for number in numbers for row, line in enumerate(lines) if number in line]

    async def steps(at: AtTable) -> None:
        before = list_number_positions(at)
        assert len(before) == 13
        await at.press("space", "space", "space")
        assert "3 of 3 picked" in at.text("title")
        assert list_number_positions(at) == before

    play_at_table(steps, "hearts", size)


@pytest.mark.parametrize("has_touch", [False, True])
@pytest.mark.parametrize("sheet, of, index", [("table", "Square:c1", 2), ("options", "#3", 3)])
def test_click_selects_and_enter_or_double_click_takes(sheet: str, of: str, index: int, has_touch: bool) -> None:
    async def steps(at: AtTable) -> None:
        for method in ("enter", "foot", "double"):
            decision_count = len(at.match.turns)
            offset = find_position(at, sheet, of)
            await at.pilot.click(f"#{sheet}", offset=offset, times=2 if method == "double" else 1)
            await at.wait_until_settled()
            if method != "double":
                assert len(at.match.turns) == decision_count
                assert at.chooser.cursor == index
                if method == "enter":
                    await at.press("enter")
                else:
                    await at.click("keys", "enter")
            assert at.match.turns[decision_count].index == index
            await at.click("keys", "ctrl+z")
            assert len(at.match.turns) == decision_count

    play_at_table(steps, "tic-tac-toe", LARGE, has_touch=has_touch)


PHONE = (40, 46)
LANDSCAPE = (87, 21)


@pytest.mark.parametrize("size", [PHONE, LANDSCAPE])
@pytest.mark.parametrize("name", ["love-letter", "hearts", "nano-empire"])
def test_touch_targets_are_large(name: str, size: tuple[int, int]) -> None:
    """Each target has three rows of its own (54 pixels) over the whole width of its entry."""

    async def steps(at: AtTable) -> None:
        for sheet in ("options", "keys"):
            assert at.app.get_sheet(sheet).region.height >= 3
            targets: dict[str, list[tuple[int, int]]] = {}
            for row, line in enumerate(at.app.get_sheet(sheet).lines):
                for run in line:
                    if run.of:
                        targets.setdefault(run.of, []).append((row, measure((run,))))
            assert len(targets) >= (2 if sheet == "keys" else len(at.chooser.entries))
            for of, runs in targets.items():
                rows = {row for row, _ in runs}
                assert len(rows) == 3 and max(rows) - min(rows) == 2, of
                assert all(sum(w for y, w in runs if y == row) * 9.6 >= 44 for row in rows), of
        assert measure(at.app.get_sheet("keys").lines[1]) <= size[0]

    play_at_table(steps, name, size, has_touch=True)


@pytest.mark.parametrize("has_touch", [False, True])
def test_clicks_scroll_and_close_pages_and_never_pass_through(has_touch: bool) -> None:
    async def steps(at: AtTable) -> None:
        for key in ("f1", "f2", "f3", "f5"):
            await at.press(key)
            page = at.app.screen
            assert isinstance(page, Page)
            page.post_message(Sheet.Pointed(page.words, 0, "Square:c1", True))
            await at.wait_until_settled()
            assert at.app.screen is page and not at.match.turns
            if page.words.max_scroll_y:
                await at.click("keys", "pagedown")
                assert page.words.scroll_offset.y > 0
            await at.click("keys", "escape")
            assert len(at.app.screen_stack) == 1
        await at.press("f1")
        await at.click("keys", "ctrl+q")
        assert isinstance(at.app.screen, Question)
        await at.click("words", "b")
        assert len(at.app.screen_stack) == 1

    play_at_table(steps, "tic-tac-toe", PHONE if has_touch else SMALL, has_touch=has_touch)


@pytest.mark.parametrize("size", [SMALL, LARGE])
def test_word_under_the_mouse_is_explained(size: tuple[int, int]) -> None:
    async def steps(at: AtTable) -> None:
        link = at.app.link
        assert isinstance(link, LocalLink)
        link.service.explain_name = lambda name: "Ready: what is there." if name == "Ready" else None
        row, line = next(
            (y, to_text(x)) for y, x in enumerate(at.app.get_sheet("players").lines) if "Ready" in to_text(x)
        )
        for words, is_term in (("Ready", True), ("(you)", False)):
            row, line = next(
                (y, to_text(x)) for y, x in enumerate(at.app.get_sheet("players").lines) if words in to_text(x)
            )
            await at.press("escape")
            await at.pilot.hover("#players", offset=(line.index(words) + 1, row))
            await at.pilot.pause(0.2)
            await at.wait_until_settled()
            shown = " ".join(at.text("keys").split())
            assert ("what is there" in shown) or not is_term
            await at.pilot.click("#players", offset=(line.index(words) + 1, row))
            await at.wait_until_settled()
            assert isinstance(at.app.screen, Page) == is_term
            await at.press("escape")

    play_at_table(steps, "empire-engine", size)


@pytest.mark.parametrize("is_own", [True, False])
def test_only_the_local_player_sees_places_in_the_rules(is_own: bool) -> None:
    match = create_match("leduc-poker")
    lines = MatchService(match, ("P1", "P2"), str).explain(0, "why", "fold --rules", is_remote=not is_own)
    text = "\n".join(map(to_text, lines))
    assert ("ruleset.yaml" in text) is is_own
    assert "--rules" not in text


@pytest.mark.parametrize("seat", [0, None])
@run_with(play_at_table, "tic-tac-toe")
async def test_leaving_gives_only_a_seat_to_a_bot(
    at: AtTable, seat: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert at.app.frame is not None
    at.app.frame = replace(at.app.frame, screen=replace(at.app.frame.screen, seat=seat))
    monkeypatch.setattr(LocalLink, "is_own", False)
    await at.press("ctrl+q")
    assert ("a bot takes the seat" in at.text("words")) is (seat is not None)


def test_guest_cannot_switch_to_plain_output(monkeypatch: pytest.MonkeyPatch) -> None:
    async def steps(at: AtTable) -> None:
        monkeypatch.setattr(LocalLink, "is_own", False)
        await at.type("plain")
        await at.press("enter")
        assert "Only at the keyboard of the game" in at.text("keys")

    assert play_at_table(steps, "tic-tac-toe").app.return_value is None


NONSENSE = ("tab", "up", "left", "down", "enter", "escape", "backspace", "space", "x", "1", "7", "?", "f2", "f4", "f6")
NONSENSE += ("pageup", "shift+down", "ctrl+z", "ctrl+y", "ctrl+a", "delete", "f12", "é", ":")


@pytest.mark.parametrize("name", ["leduc-poker", "empires-end"])
def test_random_keys_and_sizes_break_nothing(name: str) -> None:
    """The question stays visible, and nothing is raised."""

    async def steps(at: AtTable) -> None:
        chance = random.Random(5)
        for _ in range(40):
            key = chance.choice(NONSENSE)
            at.app.post_message(events.Key(key, key if len(key) == 1 else " " if key == "space" else None))
            if chance.random() < 0.1:
                await at.pilot.resize_terminal(chance.randrange(60, 140), chance.randrange(20, 50))
            await at.wait_until_settled()
        while len(at.app.screen_stack) > 1:
            await at.press("escape")
        assert at.text("title").strip()

    assert play_at_table(steps, name).app.return_value is None


def test_own_part_of_the_table_stays_visible_with_fewer_rows() -> None:
    async def steps(at: AtTable) -> None:
        await at.press("1", "enter")
        table = at.app.get_sheet("table")
        top = int(table.scroll_offset.y)
        visible = table.lines[top : top + table.size.height]
        assert top == at.app.top and any(run.of == "Player:P1" for line in visible for run in line)

    picks_to_a_low_ward = (0, 0, 5, 1, 0, 2, 0, 3, 0, 1, 1, 1, 0, 2, 2, 0)
    play_at_table(steps, "empire-city", seed=1, picks=picks_to_a_low_ward)


def test_typing_moves_nothing_and_repeats_no_layout(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer entries match, but the list keeps its rows and the table its place. No widget is added or removed."""
    calls: list[object] = []

    async def steps(at: AtTable) -> None:
        parts = [at.app.get_sheet(name) for name in ("head", "players", "table", "title", "options", "keys")]
        regions = [part.region for part in parts]
        widgets = list(at.app.screen.query("*"))
        monkeypatch.setattr(screen_layout, "lay_out_panel", lambda *args: calls.append(args))
        before = at.text("options")
        await at.type("c3")
        assert at.text("options") != before
        assert [part.region for part in parts] == regions
        assert list(at.app.screen.query("*")) == widgets

    play_at_table(steps, "tic-tac-toe")
    assert not calls


def test_resizing_back_reuses_the_first_layout(monkeypatch: pytest.MonkeyPatch) -> None:
    """The terminal is resized while a dialog covers the table."""
    calls: list[int] = []
    lay_out = screen_layout.lay_out_panel

    def count_and_lay_out(panel: Panel, columns: int, rows: int | None = None) -> list[Line]:
        calls.append(columns)
        return lay_out(panel, columns, rows)

    async def steps(at: AtTable) -> None:
        table = at.text("table")
        await at.press("f1")
        await at.pilot.resize_terminal(*LARGE)
        await at.wait_until_settled()
        await at.press("escape")
        keys = at.app.get_sheet("keys")
        assert measure(keys.lines[0]) == LARGE[0]
        call_count = len(calls)
        await at.pilot.resize_terminal(*SMALL)
        await at.wait_until_settled()
        assert measure(keys.lines[0]) == SMALL[0]
        assert at.text("table") == table
        assert len(calls) == call_count

    monkeypatch.setattr(screen_layout, "lay_out_panel", count_and_lay_out)
    play_at_table(steps, "tic-tac-toe")


@pytest.mark.parametrize("key", ["f1", "ctrl+q"])
@run_with(play_at_table, "tic-tac-toe")
async def test_repeated_keys_close_a_dialog_once(at: AtTable, key: str) -> None:
    """A held key or a slow connection sends several keys at once."""
    await at.press(key)
    dialog = at.app.screen
    for _ in range(3):
        dialog.post_message(events.Key("escape", None))
    await at.wait_until_settled()
    assert at.app.is_running and len(at.app.screen_stack) == 1


@run_with(play_at_table, "tic-tac-toe")
async def test_bot_decides_until_a_key(at: AtTable) -> None:
    await at.type("auto random")
    await at.press("enter")
    assert [turn.seat for turn in at.match.turns] == [0, 1]
    assert to_text(at.app.note) == "You decide again."
    at.app.takeover.bot = AutoPlay("random", "game")
    at.app.key("x", "x")
    assert at.app.takeover.bot is None
    assert to_text(at.app.note) == "You decide again."
    await at.type("auto random until P2")
    await at.press("enter")
    assert [turn.seat for turn in at.match.turns] == [0, 1, 0, 1]
    await at.type("auto random until no such thing")
    await at.press("enter")
    assert at.match.decision is None
    assert to_text(at.app.note) == "The bot played to the end: “no such thing” never appeared."
    await at.press("q")


def test_key_stops_a_thinking_bot(monkeypatch: pytest.MonkeyPatch) -> None:
    """The decision that the bot is thinking about is still taken; the person makes the next."""
    is_thinking, may_stop = Event(), Event()

    def prepare_slowly(match: Match, kind: str) -> Callable[[], tuple[int, int | None]]:
        def think() -> tuple[int, int | None]:
            is_thinking.set()
            may_stop.wait(60)
            return 0, None

        return think

    monkeypatch.setattr("lusory.ui.session.seat_requests_and_screens.prepare_decision", prepare_slowly)

    async def steps(at: AtTable) -> None:
        await at.type("auto game")
        at.app.key("enter", None)
        while not is_thinking.is_set():
            await asyncio.sleep(0.01)
        at.app.key("x", "x")
        assert to_text(at.app.note) == "You decide again."
        may_stop.set()
        await at.wait_until_settled()
        assert [turn.seat for turn in at.match.turns] == [0, 1]
        assert at.match.decision is not None

    play_at_table(steps, "tic-tac-toe")


@run_with(play_at_table, "empire-city", players=4)
async def test_late_description_of_the_last_position_is_not_shown(at: AtTable) -> None:
    app, old = at.app, ((Run("Old: It was so."),),)
    assert app.frame is not None and app.chooser is not None and app.chooser.option is not None
    subject = app.chooser.option.subject
    assert subject
    app.descriptions._description_cache.clear()
    app.descriptions._look_at(subject)
    number = app.descriptions._number
    app.describe(old)
    app._show(app.frame)
    assert app.description == ()
    app.descriptions.show_answer(number, old)
    assert app.description == () and not app.descriptions._description_cache


@run_with(play_at_table, "engines-of-war")
async def test_ending_a_turn_warns_once_about_the_same_options(at: AtTable) -> None:
    """Options without a preview are named as well."""
    chooser = at.chooser
    assert len(chooser.choosing.useful_options) > 1
    await at.press("e")
    assert "You can still do something else" in at.text("title") and "Discard" in at.text("options")
    await at.press("e")
    assert at.match.turns and at.app.declined_ids == chooser.choosing.undone_ids
    assert at.chooser.choosing.declined_ids == at.app.declined_ids


@run_with(play_at_table, "engines-of-war", LARGE)
async def test_each_question_numbers_its_options_from_one(at: AtTable) -> None:
    """After each discard the turn asks again, with fewer cards to discard and others to play."""
    for _ in range(4):
        chooser = at.chooser
        keys = [key for key in list_keys(chooser.choosing) if key != END]
        assert keys == [str(number + 1) for number in range(len(keys))]
        discards = (at for at, entry in enumerate(chooser.entries) if entry.words.startswith("Discard "))
        await at.press(*keys[next(discards)], "enter")


@run_with(play_at_table, "kuhn-poker")
async def test_slow_hint_shows_a_moving_sign_until_escape(at: AtTable) -> None:
    requests: list[Ask] = []
    at.app.send = requests.append  # type: ignore[assignment, method-assign]
    at.app.key("f8", None)
    first = at.text("keys")
    assert "Thinking" in first and "Esc stops it." in first
    at.app.key("enter", None)
    await at.pilot.pause(0.7)
    assert "Thinking" in at.text("keys") and at.text("keys") != first and [ask.topic for ask in requests] == ["hint"]
    at.app.key("escape", None)
    assert "Thinking" not in at.text("keys") and not at.app.descriptions.is_thinking
    at.app.receive(Told(requests[0].number, ((Run("Best: nothing"),),)))
    assert len(at.app.screen_stack) == 1, "the answer is no longer wanted"
    at.app.key("f8", None)
    at.app.receive(Told(requests[-1].number, ((Run("Best: nothing"),),)))
    await at.pilot.pause()
    assert len(at.app.screen_stack) == 2 and not at.app.descriptions.is_thinking


@run_with(play_at_table, "nano-empire", seed=5)
async def test_preview_names_the_options_of_a_group(at: AtTable) -> None:
    group = next(n for n, entry in enumerate(at.chooser.entries) if entry.is_group)
    await at.press(*str(group + 1))
    entry = at.chooser.entries[group]
    label = at.chooser.question.options[entry.options[0]].label
    rest = to_text(label).removeprefix(entry.words).strip()
    assert f"{entry.words}: {rest}" in " ".join(at.text("preview").split())
    await at.press("f4")
    page = at.app.screen
    assert isinstance(page, Page)
    labels = [to_text(at.chooser.question.options[number].label) for number in entry.options]
    assert all(label in map(to_text, page.lines) for label in labels)


@run_with(play_at_table, "empire-engine")
async def test_preview_explains_things_that_only_the_label_names(at: AtTable) -> None:
    """The Engine turns to an action that is no value of the option."""
    assert at.chooser.option is not None
    option = at.chooser.option
    assert at.app.subject == option.path[-1].of
    salvage = Run("Salvage", of="Action:salvage")
    question = replace(at.chooser.question, options=(replace(option, label=(*option.label, salvage)),))
    at.app.chooser = Chooser.begin(question)
    assert at.app.subject == salvage.of


@run_with(play_at_table, "empire-engine")
async def test_description_begins_with_the_whole_preview(at: AtTable) -> None:
    assert at.chooser.option is not None
    words: tuple[Line, ...] = ((Run("You take all that there is. " * 20),),)
    option = replace(at.chooser.option, preview=words)
    at.app.chooser = Chooser.begin(replace(at.chooser.question, options=(option, *list_options(at)[1:])))
    await at.press("f4")
    page = at.app.screen
    assert isinstance(page, Page) and tuple(page.lines[:2]) == (option.label, *words) and len(page.lines) > 3


def list_options(at: AtTable) -> tuple[Option, ...]:
    return at.chooser.question.options


def test_short_preview_shows_result_and_printed_text_first() -> None:
    """Whole definitions follow if they fit; the place of a thing and its neighbours are left out."""
    printed = Run("Take 2 Soldiers.")

    async def steps(at: AtTable) -> None:
        assert at.chooser.option is not None
        option = replace(at.chooser.option, text=(printed,))
        at.app.chooser = Chooser.begin(replace(at.chooser.question, options=(option, *list_options(at)[1:])))
        place = (Run("Arm", bold=True, of="Card:arm"), Run(": "), Run("your hand"))
        near: Line = (Run("Arm: a space, beside Produce and Invent."),)
        words: Line = (Run("What its words mean:"),)
        short: Line = (Run("  Soldier: It fights."),)
        long: Line = (Run("  Gear: It turns an Engine by some steps. " * 4),)
        _, lines = lay_out_chooser(at.chooser, [place, near, words, short, long]).preview(80)
        shown = " ".join(to_text(line).strip() for line in lines)
        assert shown.endswith("Take 2 Soldiers. Soldier: It fights.") and len(lines) <= 2
        keyword: Line = (Run("Take 2 Soldiers. (They are yours.)"),)
        _, lines = lay_out_chooser(at.chooser, [(printed,), keyword]).preview(80)
        assert " ".join(to_text(line).strip() for line in lines).endswith("Take 2 Soldiers. (They are yours.)")
        assert sum(to_text(line).count("Take 2 Soldiers.") for line in lines) == 1
        option = replace(option, text=(Run("Take 2 Soldiers. " * 12),))
        at.app.chooser = Chooser.begin(replace(at.chooser.question, options=(option, *list_options(at)[1:])))
        _, lines = lay_out_chooser(at.chooser, []).preview(80)
        assert to_text(lines[-1]).endswith(" … F4") and max(map(measure, lines)) < 80 and len(lines) == 2
        _, lines = lay_out_chooser(at.chooser, [(printed,), place, long]).preview(38)
        assert not any("your hand" in to_text(line) for line in lines) and len(lines) > 4

    play_at_table(steps, "empire-engine")


def test_company_counts_people_and_bots() -> None:
    assert describe_company(["human"]) == "You play alone."
    assert describe_company(["human", "human", "bot"]) == "You play with 1 other person against 1 bot."
