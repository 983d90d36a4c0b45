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
from lusory.play.bot_deciding_for_a_person_and_pacing import AutoPlay
from lusory.play.match import Match
from lusory.ui.model import screen_layout
from lusory.ui.model.option_tree_and_choice_in_progress import END, list_keys
from lusory.ui.model.screen import Option, Panel
from lusory.ui.session.match_service_answering_seat_requests import MatchService
from lusory.ui.session.messages import Ask, Told
from lusory.ui.session.same_process_link import LocalLink
from lusory.ui.textual import game_screen
from lusory.ui.textual.choice_input_state_preview_and_key_hints import Chooser, lay_out_chooser
from lusory.ui.textual.dialogs_start_page_and_descriptions import Page, Question, describe_company
from lusory.ui.textual.scrollable_lines_and_cursor_movement import Sheet
from lusory.view.query_breakdowns_and_component_summaries import list_visible_components


@run_with(play_at_table, "kuhn-poker")
async def test_working_sign_stays_until_the_next_screen(table: AtTable) -> None:
    frame = table.app.frame
    assert frame is not None and frame.screen.waiting == frame.screen.seat
    table.app._show_working()
    table.app._show_working()
    assert "Working" not in table.read_text("keys"), "the table waits for the player"
    table.app.is_busy = True
    table.app._show_working()
    table.app._show_working()
    assert "Working …" in table.read_text("keys")
    table.app.show(frame)
    assert "Working" not in table.read_text("keys")


@run_with(play_at_table, "engines-of-war")
async def test_page_is_headed_by_the_name_of_its_subject(table: AtTable) -> None:
    card, *_ = next(list_visible_components(table.match.game.view(table.match.state, 0)))
    for query, title in ((f"Card:{card.name}", card.label), (card.label, card.label), ("Faction:swarm", "Swarm")):
        table.app.descriptions.ask("look", query, "page")
        await table.wait_until_settled()
        page = table.app.screen
        assert isinstance(page, Page) and page.heading == title, page
        await table.press("escape")


def test_letter_typed_as_the_game_ends_is_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_screen, "RESULT_PAUSE", 60.0)

    async def play_steps(table: AtTable) -> None:
        table.app.takeover.begin("game")
        for _ in range(200):
            if table.match.decision is None:
                break
            await table.pilot.pause(0.02)
        await table.type("quit")
        assert table.app.return_value is None
        monkeypatch.setattr(game_screen, "RESULT_PAUSE", 0.0)
        await table.press("q")

    result = play_at_table(play_steps, "kuhn-poker").app.return_value
    assert result is not None and result.how == "over"


@pytest.mark.parametrize("size", [(60, 20), SMALL, (200, 60)])
@pytest.mark.parametrize("name", ["empires-end", "nano-empire"])
def test_parts_do_not_overlap_at_any_size(name: str, size: tuple[int, int]) -> None:
    """Title, question, options and keys are all visible."""

    async def play_steps(table: AtTable) -> None:
        for _ in range(2):
            top = 0
            for region_name in ("head", "players", "table", "title", "options", "keys"):
                region = table.app.screen.query_one(f"#{region_name}").region
                if not table.app.get_sheet(region_name).display:
                    assert region_name == "players", region_name
                    continue
                assert region.height and region.y >= top, region_name
                top = region.bottom
            assert top == size[1]
            assert table.read_text("title").strip()
            await table.press("enter")

    play_at_table(play_steps, name, size)


@run_with(play_at_table, "empires-end")
async def test_end_of_the_story_stays_visible_after_resizing(table: AtTable) -> None:
    for size in ((200, 60), SMALL):
        await table.pilot.resize_terminal(*size)
        await table.wait_until_settled()
    story = table.app.get_sheet("story")
    assert story.scroll_offset.y == story.max_scroll_y > 0


@run_with(play_at_table, "empires-end", LARGE)
async def test_longer_preview_hides_the_oldest_lines_of_the_story(table: AtTable) -> None:
    await table.press(*["enter"] * 8)
    before = table.app.get_sheet("story").size.height
    table.app.describe(tuple((Run(f"Line {number}."),) for number in range(40)))
    await table.wait_until_settled()
    story = table.app.get_sheet("story")
    assert story.size.height < before and story.scroll_offset.y == story.max_scroll_y > 0


@run_with(play_at_table, "kuhn-poker")
async def test_preview_names_the_option_that_enter_takes_on_the_board(table: AtTable) -> None:
    """No entry of the list stands for this place alone."""
    chooser = table.chooser
    options = chooser.question.options
    path = (Run("", of="do:go"), Run("Oak", of="Tree:oak"))
    options = tuple(replace(option, path=path) for option in options)
    table.app.chooser = Chooser.begin(replace(chooser.question, options=options))
    table.chooser.go_to("Tree:oak")
    title, lines = lay_out_chooser(table.chooser, ()).preview(80)
    assert title and to_text(lines[0]).strip().startswith(f"Oak: {to_text(options[0].label)}")
    assert table.chooser.point("Tree:oak") is None and not table.match.turns


@pytest.mark.parametrize("size", [(60, 20), SMALL, LARGE])
def test_picking_moves_no_number(size: tuple[int, int]) -> None:
    """Adding the end option to the list moves no number either."""

    def list_number_positions(table: AtTable) -> list[tuple[int, int]]:
        lines = table.read_text("options").splitlines()
        numbers = [f"{number:>2} [" for number in range(1, 14)]
        return [(row, line.find(number)) for number in numbers for row, line in enumerate(lines) if number in line]

    async def play_steps(table: AtTable) -> None:
        before = list_number_positions(table)
        assert len(before) == 13
        await table.press("space", "space", "space")
        assert "3 of 3 picked" in table.read_text("title")
        assert list_number_positions(table) == before

    play_at_table(play_steps, "hearts", size)


@pytest.mark.parametrize("has_touch", [False, True])
@pytest.mark.parametrize("sheet, reference, index", [("table", "Square:c1", 2), ("options", "#3", 3)])
def test_click_selects_and_enter_or_double_click_takes(sheet: str, reference: str, index: int, has_touch: bool) -> None:
    async def play_steps(table: AtTable) -> None:
        for method in ("enter", "foot", "double"):
            decision_count = len(table.match.turns)
            offset = find_position(table, sheet, reference)
            await table.pilot.click(f"#{sheet}", offset=offset, times=2 if method == "double" else 1)
            await table.wait_until_settled()
            if method != "double":
                assert len(table.match.turns) == decision_count
                assert table.chooser.cursor == index
                if method == "enter":
                    await table.press("enter")
                else:
                    await table.click("keys", "enter")
            assert table.match.turns[decision_count].index == index
            await table.click("keys", "ctrl+z")
            assert len(table.match.turns) == decision_count

    play_at_table(play_steps, "tic-tac-toe", LARGE, has_touch=has_touch)


PHONE = (40, 46)
LANDSCAPE = (87, 21)


@pytest.mark.parametrize("size", [PHONE, LANDSCAPE])
@pytest.mark.parametrize("name", ["love-letter", "hearts", "nano-empire"])
def test_touch_targets_are_large(name: str, size: tuple[int, int]) -> None:
    """Each target has three rows of its own (54 pixels) over the whole width of its entry."""

    async def play_steps(table: AtTable) -> None:
        for sheet in ("options", "keys"):
            assert table.app.get_sheet(sheet).region.height >= 3
            targets: dict[str, list[tuple[int, int]]] = {}
            for row, line in enumerate(table.app.get_sheet(sheet).lines):
                for run in line:
                    if run.of:
                        targets.setdefault(run.of, []).append((row, measure((run,))))
            assert len(targets) >= (2 if sheet == "keys" else len(table.chooser.entries))
            for target, runs in targets.items():
                rows = {row for row, _ in runs}
                assert len(rows) == 3 and max(rows) - min(rows) == 2, target
                assert all(sum(width for y, width in runs if y == row) * 9.6 >= 44 for row in rows), target
        assert measure(table.app.get_sheet("keys").lines[1]) <= size[0]

    play_at_table(play_steps, name, size, has_touch=True)


@pytest.mark.parametrize("has_touch", [False, True])
def test_clicks_scroll_and_close_pages_and_never_pass_through(has_touch: bool) -> None:
    async def play_steps(table: AtTable) -> None:
        for key in ("f1", "f2", "f3", "f5"):
            await table.press(key)
            page = table.app.screen
            assert isinstance(page, Page)
            page.post_message(Sheet.Pointed(page.words, 0, "Square:c1", True))
            await table.wait_until_settled()
            assert table.app.screen is page and not table.match.turns
            if page.words.max_scroll_y:
                await table.click("keys", "pagedown")
                assert page.words.scroll_offset.y > 0
            await table.click("keys", "escape")
            assert len(table.app.screen_stack) == 1
        await table.press("f1")
        await table.click("keys", "ctrl+q")
        assert isinstance(table.app.screen, Question)
        await table.click("words", "b")
        assert len(table.app.screen_stack) == 1

    play_at_table(play_steps, "tic-tac-toe", PHONE if has_touch else SMALL, has_touch=has_touch)


@pytest.mark.parametrize("size", [SMALL, LARGE])
def test_word_under_the_mouse_is_explained(size: tuple[int, int]) -> None:
    async def play_steps(table: AtTable) -> None:
        link = table.app.link
        assert isinstance(link, LocalLink)
        link.service.explain_name = lambda name: "Ready: what is there." if name == "Ready" else None

        for text, is_term in (("Ready", True), ("(you)", False)):
            lines = map(to_text, table.app.get_sheet("players").lines)
            row, line = next((y, line) for y, line in enumerate(lines) if text in line)
            await table.press("escape")
            await table.pilot.hover("#players", offset=(line.index(text) + 1, row))
            await table.pilot.pause(0.2)
            await table.wait_until_settled()
            keys = " ".join(table.read_text("keys").split())
            assert ("what is there" in keys) or not is_term
            await table.pilot.click("#players", offset=(line.index(text) + 1, row))
            await table.wait_until_settled()
            assert isinstance(table.app.screen, Page) == is_term
            await table.press("escape")

    play_at_table(play_steps, "empire-engine", size)


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
    table: AtTable, seat: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert table.app.frame is not None
    table.app.frame = replace(table.app.frame, screen=replace(table.app.frame.screen, seat=seat))
    monkeypatch.setattr(LocalLink, "is_own", False)
    await table.press("ctrl+q")
    assert ("a bot takes the seat" in table.read_text("words")) is (seat is not None)


def test_guest_cannot_switch_to_plain_output(monkeypatch: pytest.MonkeyPatch) -> None:
    async def play_steps(table: AtTable) -> None:
        monkeypatch.setattr(LocalLink, "is_own", False)
        await table.type("plain")
        await table.press("enter")
        assert "Only the host can switch" in table.read_text("keys")

    assert play_at_table(play_steps, "tic-tac-toe").app.return_value is None


NONSENSE = ("tab", "up", "left", "down", "enter", "escape", "backspace", "space", "x", "1", "7", "?", "f2", "f4", "f6")
NONSENSE += ("pageup", "shift+down", "ctrl+z", "ctrl+y", "ctrl+a", "delete", "f12", "é", ":")


@pytest.mark.parametrize("name", ["leduc-poker", "empires-end"])
def test_random_keys_and_sizes_break_nothing(name: str) -> None:
    """The question stays visible, and nothing is raised."""

    async def play_steps(table: AtTable) -> None:
        chance = random.Random(5)
        for _ in range(40):
            key = chance.choice(NONSENSE)
            table.app.post_message(events.Key(key, key if len(key) == 1 else " " if key == "space" else None))
            if chance.random() < 0.1:
                await table.pilot.resize_terminal(chance.randrange(60, 140), chance.randrange(20, 50))
            await table.wait_until_settled()
        while len(table.app.screen_stack) > 1:
            await table.press("escape")
        assert table.read_text("title").strip()

    assert play_at_table(play_steps, name).app.return_value is None


def test_own_part_of_the_table_stays_visible_with_fewer_rows() -> None:
    async def play_steps(table: AtTable) -> None:
        await table.press("1", "enter")
        sheet = table.app.get_sheet("table")
        top = int(sheet.scroll_offset.y)
        visible = sheet.lines[top : top + sheet.size.height]
        assert top == table.app.top and any(run.of == "Player:P1" for line in visible for run in line)

    picks_to_a_low_ward = (0, 0, 5, 1, 0, 2, 0, 3, 0, 1, 1, 1, 0, 2, 2, 0)
    play_at_table(play_steps, "empire-city", seed=1, picks=picks_to_a_low_ward)


def test_typing_moves_nothing_and_repeats_no_layout(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer entries match, but the list keeps its rows and the table its place. No widget is added or removed."""
    calls: list[object] = []

    async def play_steps(table: AtTable) -> None:
        sheets = [table.app.get_sheet(name) for name in ("head", "players", "table", "title", "options", "keys")]
        regions = [sheet.region for sheet in sheets]
        widgets = list(table.app.screen.query("*"))
        monkeypatch.setattr(screen_layout, "lay_out_panel", lambda *args: calls.append(args))
        before = table.read_text("options")
        await table.type("c3")
        assert table.read_text("options") != before
        assert [sheet.region for sheet in sheets] == regions
        assert list(table.app.screen.query("*")) == widgets

    play_at_table(play_steps, "tic-tac-toe")
    assert not calls


def test_resizing_back_reuses_the_first_layout(monkeypatch: pytest.MonkeyPatch) -> None:
    """The terminal is resized while a dialog covers the table."""
    calls: list[int] = []
    lay_out = screen_layout.lay_out_panel

    def count_and_lay_out(panel: Panel, columns: int, rows: int | None = None) -> list[Line]:
        calls.append(columns)
        return lay_out(panel, columns, rows)

    async def play_steps(table: AtTable) -> None:
        text = table.read_text("table")
        await table.press("f1")
        await table.pilot.resize_terminal(*LARGE)
        await table.wait_until_settled()
        await table.press("escape")
        keys = table.app.get_sheet("keys")
        assert measure(keys.lines[0]) == LARGE[0]
        call_count = len(calls)
        await table.pilot.resize_terminal(*SMALL)
        await table.wait_until_settled()
        assert measure(keys.lines[0]) == SMALL[0]
        assert table.read_text("table") == text
        assert len(calls) == call_count

    monkeypatch.setattr(screen_layout, "lay_out_panel", count_and_lay_out)
    play_at_table(play_steps, "tic-tac-toe")


@pytest.mark.parametrize("key", ["f1", "ctrl+q"])
@run_with(play_at_table, "tic-tac-toe")
async def test_repeated_keys_close_a_dialog_once(table: AtTable, key: str) -> None:
    """A held key or a slow connection sends several keys at once."""
    await table.press(key)
    dialog = table.app.screen
    for _ in range(3):
        dialog.post_message(events.Key("escape", None))
    await table.wait_until_settled()
    assert table.app.is_running and len(table.app.screen_stack) == 1


@run_with(play_at_table, "tic-tac-toe")
async def test_bot_decides_until_a_key(table: AtTable) -> None:
    await table.type("auto random")
    await table.press("enter")
    assert [turn.seat for turn in table.match.turns] == [0, 1]
    assert to_text(table.app.note) == "You decide again."
    table.app.takeover.bot = AutoPlay("random", "game")
    table.app.key("x", "x")
    assert table.app.takeover.bot is None
    assert to_text(table.app.note) == "You decide again."
    await table.type("auto random until P2")
    await table.press("enter")
    assert [turn.seat for turn in table.match.turns] == [0, 1, 0, 1]
    await table.type("auto random until no such thing")
    await table.press("enter")
    assert table.match.decision is None
    assert to_text(table.app.note) == "The bot played to the end: “no such thing” never appeared."
    await table.press("q")


def test_key_stops_a_thinking_bot(monkeypatch: pytest.MonkeyPatch) -> None:
    """The decision that the bot is thinking about is still taken; the person makes the next."""
    is_thinking, may_stop = Event(), Event()

    def prepare_slowly(match: Match, kind: str) -> Callable[[], tuple[int, int | None]]:
        def choose() -> tuple[int, int | None]:
            is_thinking.set()
            may_stop.wait(60)
            return 0, None

        return choose

    monkeypatch.setattr("lusory.ui.session.match_service_answering_seat_requests.prepare_decision", prepare_slowly)

    async def play_steps(table: AtTable) -> None:
        await table.type("auto game")
        table.app.key("enter", None)
        while not is_thinking.is_set():
            await asyncio.sleep(0.01)
        table.app.key("x", "x")
        assert to_text(table.app.note) == "You decide again."
        may_stop.set()
        await table.wait_until_settled()
        assert [turn.seat for turn in table.match.turns] == [0, 1]
        assert table.match.decision is not None

    play_at_table(play_steps, "tic-tac-toe")


@run_with(play_at_table, "empire-city", players=4)
async def test_late_description_of_the_last_position_is_not_shown(table: AtTable) -> None:
    app, old = table.app, ((Run("Old: It was so."),),)
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
async def test_ending_a_turn_warns_once_about_the_same_options(table: AtTable) -> None:
    """Options without a preview are named as well."""
    chooser = table.chooser
    assert len(chooser.choosing.useful_options) > 1
    await table.press("e")
    assert "You can still do something else" in table.read_text("title") and "Discard" in table.read_text("options")
    await table.press("e")
    assert table.match.turns and table.app.declined_ids == chooser.choosing.undone_ids
    assert table.chooser.choosing.declined_ids == table.app.declined_ids


@run_with(play_at_table, "engines-of-war", LARGE)
async def test_each_question_numbers_its_options_from_one(table: AtTable) -> None:
    """After each discard the turn asks again, with fewer cards to discard and others to play."""
    for _ in range(4):
        chooser = table.chooser
        keys = [key for key in list_keys(chooser.choosing) if key != END]
        assert keys == [str(number + 1) for number in range(len(keys))]
        discards = (n for n, entry in enumerate(chooser.entries) if entry.words.startswith("Discard "))
        await table.press(*keys[next(discards)], "enter")


@run_with(play_at_table, "kuhn-poker")
async def test_slow_hint_shows_a_sign_until_escape(table: AtTable) -> None:
    requests: list[Ask] = []
    table.app.send = requests.append  # type: ignore[assignment, method-assign]
    table.app.key("f8", None)
    table.app.key("enter", None)
    assert "Thinking … Esc stops it." in table.read_text("keys") and [ask.topic for ask in requests] == ["hint"]
    table.app.key("escape", None)
    assert "Thinking" not in table.read_text("keys") and not table.app.descriptions.is_thinking
    table.app.receive(Told(requests[0].number, ((Run("Best: nothing"),),)))
    assert len(table.app.screen_stack) == 1, "the answer is no longer wanted"
    table.app.key("f8", None)
    table.app.receive(Told(requests[-1].number, ((Run("Best: nothing"),),)))
    await table.pilot.pause()
    assert len(table.app.screen_stack) == 2 and not table.app.descriptions.is_thinking


@run_with(play_at_table, "nano-empire", seed=5)
async def test_preview_names_the_options_of_a_group(table: AtTable) -> None:
    group = next(n for n, entry in enumerate(table.chooser.entries) if entry.is_group)
    await table.press(*str(group + 1))
    entry = table.chooser.entries[group]
    label = table.chooser.question.options[entry.options[0]].label
    ending = to_text(label).removeprefix(entry.words).strip()
    assert f"{entry.words}: {ending}" in " ".join(table.read_text("preview").split())
    await table.press("f4")
    page = table.app.screen
    assert isinstance(page, Page)
    labels = [to_text(table.chooser.question.options[number].label) for number in entry.options]
    assert all(label in map(to_text, page.lines) for label in labels)


@run_with(play_at_table, "empire-engine")
async def test_preview_explains_things_that_only_the_label_names(table: AtTable) -> None:
    """The Engine turns to an action that is no value of the option."""
    assert table.chooser.option is not None
    option = table.chooser.option
    assert table.app.subject == option.path[-1].of
    salvage = Run("Salvage", of="Action:salvage")
    question = replace(table.chooser.question, options=(replace(option, label=(*option.label, salvage)),))
    table.app.chooser = Chooser.begin(question)
    assert table.app.subject == salvage.of


@run_with(play_at_table, "empire-engine")
async def test_description_begins_with_the_whole_preview(table: AtTable) -> None:
    assert table.chooser.option is not None
    preview: tuple[Line, ...] = ((Run("You take all that there is. " * 20),),)
    option = replace(table.chooser.option, preview=preview)
    table.app.chooser = Chooser.begin(replace(table.chooser.question, options=(option, *list_options(table)[1:])))
    await table.press("f4")
    page = table.app.screen
    assert isinstance(page, Page) and tuple(page.lines[:2]) == (option.label, *preview) and len(page.lines) > 3


def list_options(table: AtTable) -> tuple[Option, ...]:
    return table.chooser.question.options


def test_short_preview_shows_result_and_printed_text_first() -> None:
    """Whole definitions follow if they fit; the place of a thing and its neighbours are left out."""
    card_text = Run("Take 2 Soldiers.")

    async def play_steps(table: AtTable) -> None:
        assert table.chooser.option is not None
        option = replace(table.chooser.option, text=(card_text,))
        table.app.chooser = Chooser.begin(replace(table.chooser.question, options=(option, *list_options(table)[1:])))
        place = (Run("Arm", bold=True, of="Card:arm"), Run(": "), Run("your hand"))
        near: Line = (Run("Arm: a space, beside Produce and Invent."),)
        heading: Line = (Run("What its words mean:"),)
        short: Line = (Run("  Soldier: It fights."),)
        long: Line = (Run("  Gear: It turns an Engine by some steps. " * 4),)
        _, lines = lay_out_chooser(table.chooser, [place, near, heading, short, long]).preview(80)
        preview = " ".join(to_text(line).strip() for line in lines)
        assert preview.endswith("Take 2 Soldiers. Soldier: It fights.") and len(lines) <= 2
        keyword: Line = (Run("Take 2 Soldiers. (They are yours.)"),)
        _, lines = lay_out_chooser(table.chooser, [(card_text,), keyword]).preview(80)
        assert " ".join(to_text(line).strip() for line in lines).endswith("Take 2 Soldiers. (They are yours.)")
        assert sum(to_text(line).count("Take 2 Soldiers.") for line in lines) == 1
        option = replace(option, text=(Run("Take 2 Soldiers. " * 12),))
        table.app.chooser = Chooser.begin(replace(table.chooser.question, options=(option, *list_options(table)[1:])))
        _, lines = lay_out_chooser(table.chooser, []).preview(80)
        assert to_text(lines[-1]).endswith(" … F4") and max(map(measure, lines)) < 80 and len(lines) == 2
        _, lines = lay_out_chooser(table.chooser, [(card_text,), place, long]).preview(38)
        assert not any("your hand" in to_text(line) for line in lines) and len(lines) > 4

    play_at_table(play_steps, "empire-engine")


def test_company_counts_people_and_bots() -> None:
    assert describe_company(["human"]) == "You play alone."
    assert describe_company(["human", "human", "bot"]) == "You play with 1 other person against 1 bot."
