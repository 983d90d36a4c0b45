"""Run the full-screen table: show screens of a match, and handle keys, mouse and commands.

The input state of a question is in :mod:`lusory.ui.textual.choice_input_state_preview_and_key_hints`, and pages and
dialogs are in :mod:`lusory.ui.textual.dialogs_start_page_and_descriptions`.
"""

from __future__ import annotations

from dataclasses import replace
from time import monotonic

from textual import events, work
from textual.app import ComposeResult

from ...explain.styled_text_wrapping_and_values import Line, Run, join_lines
from ..line.plain_output_and_terminal_checks import explain_small_terminal
from ..model.game_introduction_page import NO_SET_UPS, SetUps, Start
from ..model.option_rows import ENTRY
from ..model.option_tree_and_choice_in_progress import END, expand_topic
from ..model.screen import Answer, Screen
from ..model.screen_layout import Prompt, Region, Regions, ScreenLayout, wrap_story
from ..session.messages import Ask, Auto, Leave, Link, Note, NotKept, Over, Redo, Reply, Save, Shown, Take, Told, Undo
from .choice_input_state_preview_and_key_hints import (
    YES,
    Chooser,
    Hint,
    can_step_back,
    draw_footer,
    is_about_places,
    lay_out_chooser,
    list_hints,
    write_hidden,
    write_pointing_line,
)
from .dialogs_start_page_and_descriptions import (
    INTERRUPT,
    Descriptions,
    HandOver,
    Page,
    StartPage,
    ask_to_leave,
    ask_without_journal,
    choose_first_answer,
    save_as,
)
from .keys_and_commands import COMMANDS, HELP, KEYS, SCROLLS, SCROLLS_AT_END, THROUGH, find_command, suggest_command
from .recap_and_bot_takeover import BotTakeover, Recap, lay_out_waiting
from .scrollable_lines_and_cursor_movement import (
    MOST_EARLY,
    REGIONS,
    STEPS,
    TABLE,
    Sheet,
    Spot,
    find_neighbour,
    find_start,
    list_rows,
    list_table,
    locate_references,
)
from .terminal_and_signal_handling import FullApp, TableResult as TableResult, fold_key

BOARD_LIST_ROWS = 2
"""Rows of the list while the player chooses on the table, and of a list of places on the table."""
MAX_FEW_PLACES = 30
"""A list of more places than this takes only one row. While the cursor is on the table, it names only this place."""
WORKING = "Working …"
WORKING_TICK = 0.5
"""Seconds between two looks at whether the table is still at work. It says so from the second one on."""
RESULT_PAUSE = 1.0
"""Seconds for which the page of the result ignores letters. They were meant for the question before."""
SETUP_TEXT = "The table makes the choices of the set-up …"


class TableApp(FullApp[TableResult]):
    """Show a table. All keys go to the choice, and no widget takes the focus."""

    CSS = TABLE

    def __init__(
        self, link: Link, has_touch: bool = False, set_ups: SetUps = NO_SET_UPS, start: Start | None = None
    ) -> None:
        """Show a table over ``link``.

        ``set_ups`` holds the games that the start page offers. With ``start`` the player has already read that page.
        """
        super().__init__()
        self.link, self.has_touch, self.set_ups = link, has_touch, set_ups
        self.answers_setup = start is not None and start.answers_setup
        self.frame: Shown | None = None
        self.table_layout: ScreenLayout | None = None
        self.chooser: Chooser | None = None
        self.is_on_board = False
        # Whether the places on the table show all options but one, so that the list needs no room.
        self.is_about_places = False
        # The first visible line of the table, and whether parts of the table are hidden.
        self.top, self.has_more = 0, False
        self.target = ""
        self.note: Line = ()
        self.is_busy = False
        # The steps for which the table has waited for a bot, or for what follows the player's choice.
        self.wait_steps = 0
        self.takeover = BotTakeover(self)
        self.is_hidden = False
        self.recap = Recap()
        # Options that the player has left undone at the end of a turn. They are not asked about again.
        self.declined_ids: set[str] = set()
        # When the page of the result appeared.
        self.result_time = 0.0
        # Text typed since the last answer, while there was no question.
        self.early_text = ""
        # Whether the start page has been shown.
        self.is_introduced = start is not None
        self.descriptions = Descriptions(self)
        # Description of the thing under the cursor or the mouse, in the preview.
        self.description: tuple[Line, ...] = ()
        # The rows that the list has had for this question. It keeps them while words are typed, so that nothing moves.
        self.list_rows = 0
        self._drawn_for = (0, 0)
        self.story: Region | None = None

    def compose(self) -> ComposeResult:
        for name in REGIONS:
            yield Sheet(id=name)

    def get_sheet(self, name: str) -> Sheet:
        """Return a part of the table, even if a dialog covers it."""
        return self.screen_stack[0].query_one(f"#{name}", Sheet)

    def on_mount(self) -> None:
        """Show ``Setting up the game …`` in ``#table``, or ``Waiting for the host …`` unless ``link.is_own``.

        Call :meth:`listen`, and start a timer. From its second tick of work on, ``Working …`` stands in ``#keys``.
        """
        words = "Setting up the game …" if self.link.is_own else "Waiting for the host …"
        self._place({"table": Region(0, 1, self.size.width, 1, [(Run(words, dim=True),)])})
        self.set_interval(WORKING_TICK, self._show_working)
        self.listen()

    @work(exit_on_error=False)
    async def listen(self) -> None:
        """Process all messages of the match until it ends, then exit.

        The reason is ``failed`` after an exception, ``refused`` before any screen, and ``lost`` otherwise.
        """
        await self.link.begin()
        try:
            while not isinstance(reply := await self.link.receive(), Over):
                self.receive(reply)
        except Exception as problem:
            self.exit(TableResult("failed", is_kept=True, failure=problem))
        else:
            self.exit(TableResult("refused" if self.frame is None else "lost", words=reply.words))

    def receive(self, reply: Reply) -> None:
        """Process a message of the match: show a screen, an answer or a note, or ask how to go on without a journal.

        Notes stop a bot that decides for the player.
        """
        match reply:
            case Shown():
                self.show(reply)
            case Told(number, lines):
                self.descriptions.show_answer(number, lines)
            case Note(words):
                self.is_busy, self.takeover.bot = False, None
                self.descriptions.stop_hint()
                self._replay_early_keys()
                self.say(words)
            case NotKept(words):
                self.is_busy, self.takeover.bot = False, None
                ask_without_journal(self, self.link, words)

    # ------------------------------------------------------------ display

    def show(self, frame: Shown) -> None:
        """Show another screen. The start page covers a question with ``screen.is_new``, if not ``is_introduced``.

        That sets ``is_introduced`` for all seats. If ``frame.hand_over`` names a person, hide everything and ask first
        to pass the keyboard to that person. Until Enter shows the screen, ``is_hidden`` is True, and ``self.frame`` and
        ``chooser`` are None. Ctrl-Q and Ctrl-C ask whether to leave. Going back from that asks for the keyboard again.
        """
        self._stop_working()
        self.is_busy = False
        if frame.hand_over:
            # Remove everything that the last seat may see from the terminal.
            self.is_hidden, self.early_text = True, ""
            self.frame, self.table_layout, self.chooser = None, None, None
            self.declined_ids.clear()
            self._place({})

            def leave_or_show(pressed_key: str | None) -> None:
                if pressed_key != "enter":
                    ask_to_leave(self, self.link, self.send, pressed_key == INTERRUPT, back=lambda: self.show(frame))
                    return
                self.is_hidden = False
                self._show(frame)

            self.push_screen(HandOver(frame.hand_over), leave_or_show)
            return
        self._show(frame)

    def _show(self, frame: Shown) -> None:
        previous = self.frame
        self.frame, self.table_layout = frame, ScreenLayout(frame.screen)
        self.descriptions.forget()
        self.description = ()
        if frame.note:
            self.note = (Run(frame.note, bold=True),)  # It stays until the next key.
        question = frame.screen.question
        if frame.screen.ending is not None and (previous is None or previous.screen.ending is None):
            self.result_time, self.early_text = monotonic(), ""
        if previous is None or question is None or self.chooser is None or self.chooser.question != question:
            self.chooser = None if question is None else Chooser.begin(question, self.declined_ids, self.chooser)
            self.is_about_places = question is not None and is_about_places(question, frame.screen)
            self.is_on_board = self.is_about_places
            self._leave_closed()
        self.recap.is_open = self.recap.is_turn = False
        if self.takeover.bot is None:
            self.recap.begin(None if previous is None else previous.screen, frame.screen, is_back=bool(frame.redo))
        self._draw_newest()
        if self.recap.stop_if_untold(frame.screen, self.story, *self.size):
            self._draw_newest()
        self._replay_early_keys()
        if frame.screen.is_new and frame.screen.question is not None and not self.is_introduced:
            self.is_introduced = True
            self.push_screen(StartPage(frame.screen, self.set_ups, self._start, lambda key: self.key(key, None)))
        self._set_up_quickly()
        self.takeover.go_on(previous)

    def _start(self, start: Start) -> None:
        """Start the game that the player chose on the start page."""
        if start.game is not None:
            self.exit(TableResult("set up", game=start.game, answers_setup=start.answers_setup))
            return
        self.answers_setup = start.answers_setup
        self._set_up_quickly()

    def _set_up_quickly(self) -> None:
        """Answer a question of the set-up with its first choice, if the player wants that."""
        if not self.answers_setup or self.frame is None or self.frame.screen.question is None:
            return
        self.answers_setup = self.frame.screen.is_set_up
        if self.answers_setup:
            self.recap.is_open = False
        self._draw_newest()
        if self.answers_setup:
            self._take(choose_first_answer(self.frame.screen.question))

    def draw(self) -> None:
        """Show the last screen that the match sent, with prompt, options, story and keys, as the current size allows.

        Set ``top`` (the line of the table to scroll to), ``has_more`` and ``story``, and without a ``chooser.query``
        also ``list_rows``. Without ``is_on_board``, empty ``chooser.target``; with it, call ``chooser.go_to(target)``.
        A ``target`` that isn't shown is then set anew, or ``is_on_board`` becomes False if no thing is shown. Do
        nothing while ``table_layout`` is None, as before the first screen, or with ``is_hidden``.
        """
        if self.table_layout is None or self.is_hidden:
            return
        self._drawn_for = columns, rows = self.size
        keys = self._draw_footer()
        if self.is_on_board and self.chooser is not None:
            self.chooser.go_to(self.target)
        elif self.chooser is not None:
            self.chooser.target = ""
        has_story = not self.recap.is_open or self.recap.is_beside(self.table_layout.screen, columns, rows)
        regions = self.table_layout.lay_out(self._lay_out_prompt(), columns, rows, len(keys), self.clickable, has_story)
        table, top = regions.get("table"), self.top
        self.top, self.has_more = (table.first, len(table.lines) > table.height) if table is not None else (0, False)
        regions["keys"] = regions["keys"]._replace(lines=keys)
        if self.top != top and not self.is_on_board:
            self.call_after_refresh(self._reveal_own)
        if self.chooser is not None and not self.chooser.query:
            self.list_rows = regions["options"].height if "options" in regions else 0
        self._place(regions)
        if (story := regions.get("story")) != self.story:
            self.story = story
            self.call_after_refresh(self.get_sheet("story").scroll_end, animate=False)
        for name in ("players", "table"):
            self.get_sheet(name).highlight(self.clickable, self._cursor_references)
        # The sheet may get another size.
        self.call_after_refresh(self._reveal_cursor)
        if self.is_on_board:
            self._mark_first()
        self._draw_keys()

    def _lay_out_prompt(self) -> Prompt:
        assert self.frame is not None
        if self.chooser is None:
            return self.lay_out_without_question(self.frame.screen)
        if self.answers_setup:
            return Prompt((Run(SETUP_TEXT),))
        if self.recap.is_open:
            return self.recap.lay_out(self.frame.screen, *self.size)
        has_many_places = self.is_about_places and len(self.chooser.question.options) > MAX_FEW_PLACES
        is_list_short = (self.is_on_board or has_many_places) and not self.chooser.choosing.open_groups
        visible_rows = BOARD_LIST_ROWS if is_list_short and self.chooser.choosing.to_confirm is None else 0
        prompt = lay_out_chooser(self.chooser, self.description, self.has_touch)
        prompt = replace(prompt, visible_rows=visible_rows, min_rows=self.list_rows if self.chooser.query else 0)
        if not visible_rows or self.has_touch or not has_many_places:
            return prompt
        if not self.is_on_board:
            return replace(prompt, visible_rows=1)
        line = write_pointing_line(self.chooser.question, self.chooser.option)
        return replace(prompt, visible_rows=1, options=lambda columns, rows: [line])

    def _place(self, regions: Regions) -> None:
        """Give each region its place and its lines."""
        for name in REGIONS:
            sheet, region = self.get_sheet(name), regions.get(name)
            sheet.display = region is not None
            if region is None:
                sheet.show(())
                continue
            place = (region.x, region.y, region.width, region.height)
            if sheet.place != place:
                sheet.place = place
                sheet.styles.offset = (region.x, region.y)
                sheet.styles.width, sheet.styles.height = region.width, region.height
            sheet.show(region.lines)

    def _reveal_own(self) -> None:
        """Scroll the table to the viewer's part of it."""
        self.get_sheet("table").scroll_to(y=self.top, animate=False, force=True)

    def _reveal_cursor(self) -> None:
        """Scroll to the highlighted entry, and say in the bar below (or else above) which options stand below."""
        if self.chooser is None:
            return
        reference = f"{ENTRY}{self.chooser.cursor}"
        options = self.get_sheet("options")
        rows = [row for row, line in enumerate(options.lines) if any(run.of == reference for run in line)]
        for row in reversed(rows):
            options.reveal(row)
        title, below = self.get_sheet("title"), self.get_sheet("preview_title")
        is_under = below.display and below.place is not None and below.place[0] == 0
        (below if is_under else title).end_bar(write_hidden(self.chooser, options.list_below()))

    def lay_out_without_question(self, screen: Screen) -> Prompt:
        """Return the lower regions without a question, see :func:`lay_out_waiting`."""
        return lay_out_waiting(screen, self.link.is_own)

    def list_hints(self) -> list[Hint]:
        """Return the key hints of the footer, each as Hint(key, words, button), the most important first.

        With ``recap.is_open``, they are only those of the recap. Otherwise the keys of a question come first. With
        ``answers_setup``, the table answers the question, so its keys are left out. F1, F2, F8, F3 and Ctrl-Q follow in
        this order, with possible others such as undo between. The hint of F1 is ``Hint("f1", "F1 help", "Help")``.
        """
        if self.recap.is_open:
            return self.recap.list_hints()
        chooser = None if self.answers_setup else self.chooser
        return list_hints(self.frame, chooser, self.is_on_board, self._can_point(), self.link.is_own, self.has_more)

    def _draw_keys(self) -> None:
        lines = self._draw_footer()
        self.get_sheet("keys").styles.height = len(lines)
        self.get_sheet("keys").show(lines)

    def _draw_footer(self) -> list[Line]:
        choice_text = "" if self.chooser is None else self.chooser.query or self.chooser.digits
        text = self.early_text or choice_text
        prompt: Line = (Run("> ", bold=True), Run(text), Run("▏")) if text else ()
        prompt = join_lines([line for line in (self.note, prompt) if line], "  ")
        return draw_footer(self.size.width, prompt, self.list_hints(), self.has_touch)

    # ------------------------------------------------------------ pointing at things

    @property
    def clickable(self) -> frozenset[str]:
        """The references that options are about and that clicks choose, see :meth:`Chooser.list_clickable`."""
        return frozenset() if self.chooser is None else self.chooser.list_clickable()

    @property
    def _cursor_references(self) -> frozenset[str]:
        """The references under the cursor: the marked thing on the table, or those of the highlighted entry."""
        if self.is_on_board:
            return frozenset({self.target})
        return self.chooser.list_references() if self.chooser is not None else frozenset()

    def _can_point(self) -> bool:
        return self.chooser is not None and bool(self._locate_things())

    def _locate_things(self) -> dict[str, Spot]:
        """Return the positions of all things on the table and in the hand, those that can be chosen first."""
        return locate_references(self._list_table_lines(), self.clickable)

    def _list_table_lines(self) -> list[Line]:
        return [*self.get_sheet("players").lines, *self.get_sheet("table").lines]

    def _mark_first(self) -> None:
        """Put the cursor where it starts, see :func:`find_start`, unless it is on a thing of the table."""
        spots = self._locate_things()
        if not spots or self.frame is None or self.chooser is None:
            self.is_on_board = False
        elif self.target not in spots:
            is_new = self.is_about_places and not self.chooser.question.is_continuation
            story = self.frame.screen.story if is_new else ()
            self.target = find_start(self._list_table_lines(), self.clickable, story)
            self.draw()

    def _leave_closed(self) -> None:
        """Let the cursor start anew on the table if what it marks can't be chosen."""
        if self.target not in self.clickable:
            self.target = ""

    # ------------------------------------------------------------ keys

    async def on_event(self, event: events.Event) -> None:
        """Send keys to the table unless a dialog covers it. Typing on a page closes the page and goes to the table."""
        page = self.screen if self.chooser is not None and len(self.screen_stack) == 2 else None
        if isinstance(event, events.Key) and isinstance(page, Page) and page.is_typed_on(event):
            page.answer(None)
        if isinstance(event, events.Key) and len(self.screen_stack) == 1:
            event.stop()
            self.key(fold_key(event.key), event.character if event.is_printable else None)
            return
        await super().on_event(event)

    def key(self, key: str, character: str | None) -> None:
        """Handle a key, such as ``enter``, ``escape`` or ``ctrl+q``; ``character`` is the text that it types, or None.

        While a hint is computed (``descriptions.is_thinking``), ``escape`` stops it, ``ctrl+q`` and ``ctrl+c`` work as
        usual, and other keys do nothing. An ``enter`` within ``HASTY`` seconds after another, without a key between
        them, does nothing. Every other key removes the ``note`` and skips the pauses of bots. If a bot decides for the
        player (``takeover.bot``), the key only stops it. Then the recap, keys of the table and scrolling come first.
        Text typed without a question or while ``is_busy`` goes to ``early_text``, up to ``MOST_EARLY`` (40) characters,
        for the next one. After the game, a letter chooses from the result's page, from ``RESULT_PAUSE`` (1) second on.
        """
        if self.descriptions.is_thinking and key not in ("ctrl+q", "ctrl+c"):
            if key == "escape":
                self.descriptions.stop_hint()
            return
        if self.is_hasty(key):
            return
        self.note = ()
        self.link.hurry()
        if self.takeover.stop():
            return
        if self.recap.is_open and self._handle_recap_key(key):
            return
        if key in KEYS:
            getattr(self, f"do_{KEYS[key]}")()
        elif key in (scrolls := SCROLLS if self.frame is None or self.frame.screen.ending is None else SCROLLS_AT_END):
            part, rows = scrolls[key]
            self.get_sheet(part).scroll_relative(y=rows, animate=False)
        elif self.chooser is None or self.is_busy:
            self._handle_idle_key(character)
        elif key in STEPS:
            self._step(key)
        elif character is not None and self._is_shortcut(character.lower()):
            pass
        elif character == "?" and not self.chooser.query:
            self.do_help()
        elif character is not None:
            self._handle_text(character)
        self._draw_keys()

    def _handle_recap_key(self, key: str) -> bool:
        """Handle a key while the recap is open. Returns False if it goes on to the table.

        No key is lost but the one that would end the turn.
        """
        if key == "r":
            self.say(self.recap.switch_mode())
            return True
        if key in ("up", "down", "pageup", "pagedown"):
            self.recap.scroll({"up": -1, "down": 1, "pageup": -5, "pagedown": 5}[key])
            self.draw()
            return True
        if key in ("enter", "space") and self.recap.lines_below:
            self.recap.scroll(self.recap.page_rows)
            self.draw()
            return True
        if key in THROUGH - {"f6"}:
            return False
        if key == END.lower() and self.chooser is not None and self.chooser.question.end is not None:
            # The player may mean the turn that is over.
            return True
        self.recap.is_open = False
        self._draw_newest()
        return key in ("enter", "escape", "space", "f6")

    def _is_shortcut(self, letter: str) -> bool:
        """Handle the keys that end a turn or confirm. Returns False for other letters, and while words are typed."""
        assert self.chooser is not None
        choosing = self.chooser.choosing
        if self.chooser.query:
            return False
        if choosing.to_confirm is not None:
            self._handle_answer(self.chooser.reply(letter))
            return True
        if letter == END.lower() and choosing.question.end is not None:
            self.is_on_board = False
            self._handle_answer(self.chooser.end())
            return True
        return False

    def _handle_idle_key(self, character: str | None) -> None:
        if character is None or self.frame is None:
            return
        if self.frame.screen.ending is not None:
            if monotonic() - self.result_time >= RESULT_PAUSE:
                self._apply_letter(character.lower())
        else:
            self.early_text = (self.early_text + character)[:MOST_EARLY]

    def _replay_early_keys(self) -> None:
        """Type at a new question what the player typed before it appeared. No key of it takes, picks or ends anything.

        It is forgotten if a bot answers the question.
        """
        if self.chooser is None:
            return
        text, self.early_text = self.early_text, ""
        if self.answers_setup or self.takeover.bot is not None:
            return
        for character in text:
            if character != " " or self.chooser.query:
                self._handle_text(character)

    def _apply_letter(self, letter: str) -> None:
        """Carry out a key of the page of the result."""
        if letter == "q":
            self.exit(TableResult("over"))
        elif self.link.is_own and letter in ("r", "g"):
            self.exit(TableResult("rematch" if letter == "r" else "again"))
        elif letter == "l":
            self.do_story()
        self._draw_keys()

    def _step(self, key: str) -> None:
        assert self.chooser is not None
        if self.is_on_board:
            spots = self._locate_things()
            if self.target in spots:
                self.target = find_neighbour(spots, self.target, key)
            self._redraw_choice()
            return
        if self.chooser.choosing.to_confirm is None:
            self.chooser.move(key, list_rows(self.get_sheet("options").lines))
        self._redraw_choice()

    def _handle_text(self, character: str) -> None:
        assert self.chooser is not None
        if character == " " and not self.chooser.query:
            if self.chooser.choosing.is_picking:
                if self.is_on_board:
                    self.chooser.click_on(self.target)
                elif self.chooser.cursor is not None:
                    self.chooser.click(self.chooser.cursor)
                self._handle_answer(None)
            return
        self.is_on_board = False
        if self.chooser.is_digit(character):
            self.chooser.type_digit(character)
            if self.chooser.note:
                self.say(self.chooser.note)
        else:
            self.chooser.type(self.chooser.query + character)
        self._redraw_choice()

    def _redraw_choice(self) -> None:
        """Redraw after the cursor or the list has changed."""
        self.description = ()
        self.draw()
        self.descriptions.describe_soon()

    def do_enter(self) -> None:
        """Choose what is under the cursor, or confirm the picks.

        In the list, call ``chooser.enter``, which may ask for a second Enter. Call it on the table (``is_on_board``),
        too, in a choice of several (``choosing.is_picking``) and while ``choosing.to_confirm`` is an option: this Enter
        withdraws the option, and never confirms it. Otherwise choose the thing on the table with ``chooser.point``, at
        the first Enter. Several options about it become a group, which opens. Without any, say that it can't be chosen.

        In the list, a ``chooser.query`` that no option has is cleared, and run as a command. If it is none, a page says
        why there is no such option. Do nothing if ``chooser`` is None, and while a decision is made (``is_busy``).
        """
        if self.chooser is None or self.is_busy:
            return
        if not self.is_on_board and self.chooser.query and not self.chooser.entries:
            self._run_command(self.chooser.query)
            return
        is_pointing = self.is_on_board and not self.chooser.choosing.is_picking
        is_pointing = is_pointing and self.chooser.choosing.to_confirm is None
        if is_pointing and self.chooser.choosing.find_entry(self.target) is None:
            self.say("This can't be chosen now.")
            return
        answer = self.chooser.point(self.target) if is_pointing else self.chooser.enter()
        self._handle_answer(answer)

    def _handle_answer(self, answer: Answer | None) -> None:
        assert self.chooser is not None
        if answer is not None:
            self._take(answer)
            return
        self._leave_closed()
        self._redraw_choice()
        if self.is_on_board:
            self._mark_first()
        if self.chooser.note:
            self.say(self.chooser.note)

    def _take(self, answer: Answer) -> None:
        assert self.frame is not None
        if self.chooser is not None and self.chooser.choosing.to_confirm == self.chooser.question.end is not None:
            self.declined_ids |= self.chooser.choosing.undone_ids
        self.is_busy = True
        if self.chooser is not None:
            # The typed text is answered, and must not stand there while others decide.
            self.chooser.type("")
        self.send(Take(self.frame.stamp, answer))

    @work(exit_on_error=False)
    async def send(self, request: Take | Auto | Undo | Redo | Ask | Save | Leave) -> None:
        """Send a request. Its result arrives as a message."""
        await self.link.send(request)

    def do_tab(self) -> None:
        """Complete the typed text, ``chooser.query``, to the ``words`` of the highlighted entry, or else the first.

        If no entry matches the typed text, it stays. Without typed text, go from the table to the list, or from the
        list to the table, by ``is_on_board``. The list is left only if a line of the sheets ``players`` or ``table``
        shows a thing, even one that can't be chosen. After either move, a ``chooser.cursor`` of None settles anew.
        Without a question (``chooser`` None), do nothing.
        """
        if self.chooser is None:
            return
        if self.chooser.query:
            self.chooser.complete()
        elif self.is_on_board or self._can_point():
            self.is_on_board = not self.is_on_board
            if self.chooser.cursor is None:
                self.chooser.settle()
        self._redraw_choice()

    def do_back(self) -> None:
        """Go back one step: in the list, to the question before in the same choice, or from the table to the list.

        The cursor stays on the table if the question is about its places.
        """
        if self.early_text:
            self.early_text = ""
        elif self.chooser is not None:
            if self.chooser.go_back():
                self._return_to_board()
            else:
                if can_step_back(self.frame, self.chooser):
                    self.do_undo()
                self.is_on_board = self.is_on_board and self.is_about_places
            self._redraw_choice()

    def _return_to_board(self) -> None:
        """Put the cursor back on the table once nothing is typed, if the question is about its places."""
        assert self.chooser is not None
        if self.is_about_places and not self.chooser.query and not self.chooser.choosing.open_groups:
            self.is_on_board = True

    def do_erase(self) -> None:
        """Delete the last typed character."""
        if self.early_text:
            self.early_text = self.early_text[:-1]
        elif self.chooser is not None:
            had_text = bool(self.chooser.query)
            self.chooser.erase()
            if had_text:
                self._return_to_board()
            self._redraw_choice()

    # ------------------------------------------------------------ mouse

    def on_sheet_pointed(self, event: Sheet.Pointed) -> None:
        """Handle a click. With ``is_busy`` or ``is_hidden``, only clicks on keys work.

        A click on a key presses it. Others first empty ``note``. One on an answer to a confirmation gives it. One on an
        option moves there in the list; one on a thing in ``clickable`` sets ``is_on_board``, and ``target`` to it. A
        group opens, and so do several options about the thing. In a choice of several, a single option is picked or put
        back. In a choice of one, a double click takes it, as Enter does. One on another thing describes it on a page.
        """
        if event.sheet.id == "keys":
            if event.reference:
                self.key(event.reference, None)
            return
        if self.is_busy or self.is_hidden:
            return
        self.note = ()
        if self.chooser is not None and event.reference in (END, YES):
            self._handle_answer(self.chooser.confirm())
        elif event.reference == "escape":
            self.do_back()
        elif self.chooser is not None and event.reference.startswith(ENTRY) and event.sheet.id == "options":
            self.is_on_board = False
            self._handle_click(self.chooser.click(int(event.reference.removeprefix(ENTRY))), event.is_double)
        elif self.chooser is not None and event.reference in self.clickable:
            self.is_on_board = True
            self.target = event.reference
            self._handle_click(self.chooser.click_on(event.reference), event.is_double)
        elif event.reference:
            self.descriptions.ask("look", event.reference, "page")
        if self.is_running:
            self._draw_keys()

    def _handle_click(self, ends_choice: bool, is_double: bool) -> None:
        """Continue after a click. A double click confirms the choice if ``ends_choice``."""
        if ends_choice and is_double:
            self.do_enter()
        else:
            self._handle_answer(None)

    def on_sheet_passed(self, event: Sheet.Passed) -> None:
        """Describe the thing under the mouse on the table, among the players or in the story."""
        if self.is_hidden or self.frame is None:
            return
        if event.sheet.id in ("table", "players", "story") and event.reference:
            self.descriptions.describe_soon(event.reference)

    # ------------------------------------------------------------ descriptions

    @property
    def subject(self) -> str:
        """The reference to describe: the marked one on the table, or that of the highlighted entry, or ""."""
        if self.is_on_board:
            return self.target
        return "" if self.chooser is None else self.chooser.subject

    @property
    def is_there(self) -> bool:
        """True if the application is still running."""
        return bool(self.screen_stack)

    def describe(self, lines: tuple[Line, ...]) -> None:
        """Show a description below the preview."""
        if self.description != lines and not self.is_hidden:
            self.description = lines
            self.draw()

    def turn_to(self, title: str, lines: tuple[Line, ...], is_at_end: bool) -> None:
        """Show a page, scrolled to its end if ``is_at_end``. Does nothing while the keyboard changes hands."""
        if not self.is_hidden:
            self.push_screen(Page(title, lines, is_at_end))

    # ------------------------------------------------------------ commands

    def _run_command(self, text: str) -> None:
        """Run typed text that matches no option: a command, or a question why there is no such option."""
        name, arguments = find_command(text)
        assert self.chooser is not None
        self.chooser.type("")
        self._return_to_board()
        self._redraw_choice()
        if name not in COMMANDS:
            self.descriptions.ask("why", text.strip(), "page", ((), suggest_command(name)))
            return
        match COMMANDS[name]:
            case "look" if not arguments:
                self.do_look()
            case "look" | "rules" | "why" as topic:
                self.descriptions.ask(topic, expand_topic(self.chooser.choosing, topic, arguments), "page")
            case "auto":
                self.takeover.begin(arguments)
            case "save":
                self.do_save(arguments)
            case _:
                getattr(self, f"do_{COMMANDS[name]}")()

    def _show_working(self) -> None:
        """Say that the table is at work while it waits for a bot, or for what follows the player's choice."""
        screen = None if self.frame is None or not self.link.is_own else self.frame.screen
        is_waiting = screen is not None and screen.question is None and screen.waiting is not None
        if not (self.is_busy or is_waiting) or self.is_hidden:
            self._stop_working()
            return
        self.wait_steps += 1
        if self.wait_steps > 1 and not self.note:
            self.say(WORKING)

    def _stop_working(self) -> None:
        """Remove the message of :meth:`_show_working`."""
        if self.wait_steps and self.note and self.note[0].text == WORKING:
            self.say("")
        self.wait_steps = 0

    def say(self, words: str) -> None:
        """Show a line until the next key. Without words, show the keys again."""
        self.note = (Run(words, bold=True),) if words else ()
        self._draw_keys()

    def do_save(self, words: str = "") -> None:
        """Save the game to the typed file name, or to a new file."""
        save_as(words, self.link, self.send, self.say)

    def do_undo(self) -> None:
        """Ask the match to undo the last decision of the screen's seat. Does nothing while a request is running."""
        if self.frame is not None and not self.is_busy:
            self.send(Undo(self.frame.stamp))

    def do_redo(self) -> None:
        """Ask the match to redo the last undone decision. Does nothing while a request is running."""
        if self.frame is not None and not self.is_busy:
            self.send(Redo(self.frame.stamp))

    def do_help(self) -> None:
        """Show the start page of the game, keys and commands, and then other set-ups, on a page."""
        if self.frame is not None:
            screen = self.frame.screen
            self.push_screen(Page(screen.title, (*screen.introduction, (), *HELP, (), *screen.commands)))

    def do_rules(self) -> None:
        """Ask the match for all rules, for a page."""
        self.descriptions.ask("rules", "", "page")

    def do_glossary(self) -> None:
        """Ask the match for the glossary, for a page."""
        self.descriptions.ask("rules", "glossary", "page")

    def do_story(self) -> None:
        """Ask the match for the whole story, for a page at its end. Does nothing while the keyboard changes hands."""
        if not self.is_hidden:
            self.descriptions.ask("log", "", "story")

    def do_hint(self) -> None:
        """Ask the match for a hint, for a page. Does nothing while another hint is computed."""
        self.descriptions.request_hint()

    def do_recap(self) -> None:
        """Show again what happened while the player waited: as a recap, or on a page if the player need not decide."""
        if self.frame is None:
            return
        if self.chooser is None:
            self.push_screen(Page("What happened", wrap_story(self.frame.screen.story, 90, shows_details=True)))
        else:
            self.recap.show_again()
            self._draw_newest()

    def do_table(self) -> None:
        """Show the whole table on a page, and, once the game is over, what was hidden."""
        if self.frame is not None:
            self.push_screen(Page("Table", list_table(self.frame.screen, min(self.size.width, 100) - 5)))

    def do_look(self) -> None:
        """Open a page about ``target`` on the table, with ``is_on_board``, or else about the highlighted entry.

        For ``target`` and an option with a ``subject``, this calls ``descriptions.ask``, and the page opens with the
        answer of the match. Above it are the option's label and preview, if it has a preview. Without a ``subject``,
        the page has the preview alone. For a group, it has the lines of ``chooser.group_lines()``. If nothing is marked
        or highlighted, or the option has neither ``subject`` nor preview, call :meth:`do_table`.
        """
        chooser = None if self.is_on_board else self.chooser
        option = None if chooser is None else chooser.option
        if chooser is not None and (lines := chooser.group_lines()):
            assert chooser.highlighted is not None, "its lines are shown"
            self.push_screen(Page(chooser.highlighted.words, lines))
        elif self.subject:
            head = () if option is None or not option.preview else (option.label, *option.preview, ())
            self.descriptions.ask("look", self.subject, "page", head=head)
        elif option is not None and option.preview:
            self.push_screen(Page(option.words, option.preview))
        else:
            self.do_table()

    def do_plain(self) -> None:
        """Exit with ``TableResult("plain")``, to continue in line mode. A guest gets a note instead."""
        if self.link.is_own:
            self.exit(TableResult("plain"))
        else:
            self.say("Only the host can switch to the line mode.")

    # ------------------------------------------------------------ leaving

    def do_interrupt(self) -> None:
        """Leave as :meth:`do_leave` does, as an interruption (Ctrl-C)."""
        self.do_leave(is_interrupted=True)

    def do_leave(self, is_interrupted: bool = False) -> None:
        """Ask what to do with the game, or exit with ``TableResult("over")`` if it is over."""
        if self.frame is not None and self.frame.screen.ending is not None:
            self.exit(TableResult("over"))
        else:
            has_seat = self.frame is None or self.frame.screen.seat is not None
            ask_to_leave(self, self.link, self.send, is_interrupted, has_seat)

    # ------------------------------------------------------------ size

    def on_resize(self, event: events.Resize) -> None:
        """Draw for the new size. If it is too small, say so and draw as much as fits."""
        if self._drawn_for != event.size:
            warning = explain_small_terminal(*event.size)
            if warning or not self.descriptions.is_thinking:
                self.note = (Run(warning, bold=True),) if warning else ()
            self.call_after_refresh(self._draw_newest)

    def _draw_newest(self) -> None:
        """Draw everything, with the newest part of the story and the viewer's part of the table visible."""
        self.story = None
        self.draw()
        # Scroll after the layout has given the sheets their new size.
        if not self.is_on_board:
            self.call_after_refresh(self._reveal_own)
        self.descriptions.describe_soon()
