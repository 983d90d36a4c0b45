"""Fill the time between two decisions of a player at a full-screen table: recaps, and a bot that decides instead.

The table stops to show what happened while the player waited. A bot can decide for the player for a while.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile
from typing import Literal, Protocol

from ...explain.event_sentences import Deed
from ...explain.styled_text_wrapping_and_values import (
    Line,
    Run,
    end_sentence,
    join_as_list,
    name_player,
    to_text,
    wrap_line,
)
from ...play.bot_deciding_for_a_person_and_pacing import AutoPlay, parse_auto_play
from ..model.option_tree_and_choice_in_progress import has_happened
from ..model.screen import Screen
from ..model.screen_layout import Prompt, Region, drop_housekeeping, lay_out_unasked, measure_side_column, wrap_story
from ..session.messages import Auto, Shown
from .choice_input_state_preview_and_key_hints import Hint

LEAST_ROWS = 8
"""Rows that a recap may take at least. From 20 rows on it may take two fifths of the terminal."""
LEAST_SENTENCES = 3
"""Until the table has stopped once, shorter events don't stop it if they stay whole in the story on the screen."""
LEAST_OF_ROUND = 2
"""Sentences with which the end of a round stops the player. After the first such stop, one is enough."""
Mode = Literal["turn", "round", "never"]
MODES: tuple[Mode, ...] = ("turn", "round", "never")
WORDS = {
    "turn": "The game stops here after each turn of another player.",
    "round": "The game stops here at the end of each round.",
    "never": "The game no longer stops here. F6 shows what happened.",
}
GO_ON, NEXT = Hint("enter", "Enter: go on", "Go on"), Hint("enter", "Enter: the next lines", "More")
HINTS = (
    Hint("", "↑↓ scroll"),
    Hint("f3", "F3 whole story", "Story"),
    Hint("f6", "F6 shows this again"),
    Hint("r", "R: when to stop", "Stop when?"),
)


@dataclass
class Recap:
    """Hold when the table stops for a recap, and whether it does now.

    Attributes:
        mode: After each turn of others, at the end of each round, or never.
        is_open: Whether the recap takes the place of the question.
        title: A line that says what is over, or for whom the player waited.
        first_line: The first line that is visible.
        page_rows: The number of lines that are visible at once.
        lines_below: The number of lines that follow below the visible ones.
        is_turn: Whether another player has done something, and the mode is to stop after each turn.
        has_stopped: Whether the table has stopped after a turn of another player. Then it does so after each of them.
        has_stopped_at_round: The same for the end of a round.
    """

    mode: Mode = "turn"
    is_open: bool = False
    title: Line = ()
    first_line: int = 0
    page_rows: int = 0
    lines_below: int = 0
    is_turn: bool = False
    has_stopped: bool = False
    has_stopped_at_round: bool = False

    def begin(self, previous: Screen | None, current: Screen, is_back: bool = False) -> None:
        """Set the Line ``title``, and ``is_open``: True if enough has happened between two screens of a player.

        - Mode ``round``: if the round differs and there are ``LEAST_OF_ROUND`` (2) news. One is enough after such news
          have opened the recap, which sets ``has_stopped_at_round``. The round is the part of ``phase`` before the
          first `` · ``, or "" if it has no digit.
        - Mode ``turn``: also with ``LEAST_SENTENCES`` (3) news, at least one of them a player's. This sets
          ``has_stopped``, as :meth:`stop_if_untold` does, after which one by another player is enough. ``is_turn`` is
          set if any is by another player, and otherwise cleared, like in all other cases.
        - Not in the mode ``never`` or with ``is_back``, which still set the title and ``first_line`` to 0.
        - Not without a previous screen of the same seat, without a question, or between picks. The title stays then.

        News are the deeds in ``current.story`` except headings, upkeep, housekeeping and the player's own free choices.
        The title is ``Round 2 of 8 is over`` if the round of ``previous``, unless it is "", ended with enough news.
        Otherwise it is ``While you waited for Bo and Cy`` if the first news of a player is another's, else ``What
        happened``.
        """
        self.is_open = self.is_turn = False
        question = current.question
        if previous is None or previous.seat != current.seat or question is None or question.earlier_picks:
            return
        news = [deed for deed in current.story if _is_news(deed, current.seat)]
        seats = list(dict.fromkeys(deed.seat for deed in news if deed.seat is not None))
        min_deeds = 1 if self.has_stopped_at_round else LEAST_OF_ROUND
        is_round = len(news) >= min_deeds and _get_round(previous) != _get_round(current)
        self.title = (Run("What happened"),)
        if is_round and _get_round(previous):
            self.title = (Run(f"{_get_round(previous)} is over"),)
        elif seats and seats[0] != current.seat:
            other_players = [(name_player(seat, current.names),) for seat in seats if seat != current.seat]
            self.title = (Run("While you waited for "), *join_as_list(other_players))
        self.first_line = 0
        if is_back or self.mode == "never":
            return
        self.is_open = is_round
        self.has_stopped_at_round = self.has_stopped_at_round or is_round
        if self.mode == "turn":
            self.is_turn = any(seat != current.seat for seat in seats)
            stops = (self.has_stopped and self.is_turn) or (bool(seats) and len(news) >= LEAST_SENTENCES)
            self.has_stopped = self.has_stopped or stops
            self.is_open = is_round or stops

    def stop_if_untold(self, screen: Screen, story: Region | None, columns: int, rows: int) -> bool:
        """Open the recap if the last :meth:`begin` set ``is_turn``, but the screen cuts off the story.

        Returns whether it opens now, which sets ``is_open`` and ``has_stopped``: from then on, :meth:`begin` opens it
        for any news by another player. Returns False, without a change, if it is open already. ``story`` is the region
        of the story, or None if the screen shows none of it. The screen does not cut off the story if all lines of the
        region fit into its height, or if the whole story is beside the table (:meth:`is_beside`). ``columns`` and
        ``rows`` are the size of the terminal.
        """
        is_told = self.is_beside(screen, columns, rows) or (story is not None and len(story.lines) <= story.height)
        if self.is_open or not self.is_turn or is_told:
            return False
        self.is_open = self.has_stopped = True
        return True

    def show_again(self) -> None:
        """Show the recap again from its beginning."""
        self.is_open, self.first_line = True, 0

    def scroll(self, lines: int) -> None:
        """Move the visible lines down, at most to the end, or up for a negative number, at most to the beginning."""
        self.first_line = max(self.first_line + min(lines, self.lines_below), 0)

    def list_hints(self) -> list[Hint]:
        """Return the keys of the recap, the most important first."""
        return [NEXT if self.lines_below else GO_ON, *HINTS]

    def switch_mode(self) -> str:
        """Change the mode to the next of :data:`MODES`, and return a sentence about it."""
        self.mode = MODES[(MODES.index(self.mode) + 1) % len(MODES)]
        return WORDS[self.mode]

    def lay_out(self, screen: Screen, columns: int, rows: int) -> Prompt:
        """Return the lower regions of a terminal: :attr:`title` (or ``What happened``) and, as options, the story.

        ``options(columns, rows)`` of the result returns the lines; that call sets :attr:`first_line`, :attr:`page_rows`
        and :attr:`lines_below`, which is 0 until then. Deeds with ``is_upkeep``, the viewer's own deeds with
        ``is_housekeeping`` and headings without a sentence are left out. If another player has done something, the
        viewer's own unforced choices at the very beginning are left out, too. If the lines don't fit, the housekeeping
        of others is left out, too, and sentences are joined, but not across a heading. If ``lines_below`` is then 4,
        the last line is `` ↓ 4 more lines``. ``max_rows`` is two fifths of ``rows``, rounded down, or ``LEAST_ROWS`` if
        that is more. If the story is beside the table (:meth:`is_beside`), ``options`` sets nothing and returns
        ``▸Enter  Go on: `` with the prompt of the question. ``max_rows`` is then 0, and the title ends with ``: see the
        column at the right``.
        """
        title = self.title or (Run("What happened"),)
        self.lines_below = 0
        if self.is_beside(screen, columns, rows):
            prompt = () if screen.question is None else screen.question.prompt
            go_on: Line = (Run("▸", bold=True), Run("Enter", bold=True), Run("  Go on: "), *prompt)
            title = (*title, Run(": see the column at the right"))
            return Prompt(title, (), lambda columns, rows: wrap_line(go_on, columns - 1, 2))
        row_limit = max(LEAST_ROWS, rows * 2 // 5)

        def draw_lines(columns: int, rows: int) -> list[Line]:
            story = _select_deeds(screen)
            page = wrap_story(story, columns - 1)
            return self._fit_page(page if len(page) <= rows else wrap_story(_join_sentences(story), columns - 1), rows)

        return Prompt(title, (), draw_lines, max_rows=row_limit)

    def is_beside(self, screen: Screen, columns: int, rows: int) -> bool:
        """Return whether the whole story stands beside the table, so that it needs no rows below."""
        side = measure_side_column(columns)
        return side > 0 and len(wrap_story(screen.story, side)) <= rows // 2

    def _fit_page(self, lines: Sequence[Line], rows: int) -> list[Line]:
        """Return the visible lines. The last one says how many follow."""
        self.first_line = max(min(self.first_line, len(lines) - rows), 0)
        self.lines_below = max(len(lines) - self.first_line - rows, 0)
        if not self.lines_below:
            self.page_rows = rows
            return list(lines[self.first_line :])
        # The line that says so takes the place of another.
        self.lines_below += 1
        self.page_rows = rows - 1
        rest_note = (Run(f" ↓ {self.lines_below} more lines", bold=True),)
        return [*lines[self.first_line : self.first_line + self.page_rows], rest_note]


def _is_news(deed: Deed, seat: int | None) -> bool:
    """Return whether a deed tells the player something: all but headings, upkeep and the player's own choices.

    Housekeeping is no news either.
    """
    is_upkeep = deed.is_upkeep or deed.is_housekeeping
    return not deed.heading and not is_upkeep and (deed.seat != seat or deed.forced)


def _select_deeds(screen: Screen) -> list[Deed]:
    """Return the story of a recap without the viewer's own housekeeping.

    If others have done something, it doesn't begin with what the viewer chose.
    """
    own_reference = f"Player:P{(screen.seat or 0) + 1}"
    story = [deed for deed in screen.story if not (deed.is_housekeeping and deed.line[0].of == own_reference)]
    if any(deed.seat not in (None, screen.seat) for deed in story):
        story = [*dropwhile(lambda deed: deed.seat == screen.seat and not deed.forced, story)]
    while story and story[-1].heading:
        # The viewer's own turn begins.
        story.pop()
    return story


def _join_sentences(story: Sequence[Deed]) -> list[Deed]:
    """Return a story without housekeeping, with the sentences below each heading as one deed: it takes fewer lines."""
    deeds: list[Deed] = []
    for deed in drop_housekeeping([deed for deed in story if not deed.is_upkeep]):
        last_deed = deeds[-1] if deeds else deed
        if deed is last_deed or last_deed.heading or deed.heading:
            deeds.append(deed)
        else:
            deeds[-1] = replace(last_deed, line=(*end_sentence(last_deed.line), Run(" "), *deed.line))
    return deeds


def _get_round(screen: Screen) -> str:
    """Return the outermost part of the phase, such as "Round 3 of 8". Phases without a number have none."""
    first = to_text(screen.phase).partition(" · ")[0]
    return first if any(map(str.isdigit, first)) else ""


def lay_out_waiting(screen: Screen, is_own: bool) -> Prompt:
    """Return the prompt of :func:`lay_out_unasked`, with keys below a result.

    If ``screen.ending`` and ``screen.waiting`` are None, the title is ``…``. With an ``ending``, the keys are the only
    note: `` R: play again   G: same game again   L: story   F2: what was hidden   Q: leave``. The first three need
    ``is_own``, and F2 needs ``ending.hidden_information``. Without an ``ending``, there are no notes.
    """
    prompt = lay_out_unasked(screen)
    if screen.ending is None:
        return prompt if prompt.title else Prompt((Run("…"),))
    ways = ["R: play again", "G: same game again", "L: story"] if is_own else []
    ways += [*(["F2: what was hidden"] if screen.ending.hidden_information else []), "Q: leave"]
    return replace(prompt, notes=((Run(" "), Run("   ".join(ways), dim=True)),))


# ---------------------------------------------------------------- a bot in place of the person


TOLD = "A bot decides for you; any key stops it."
BACK = "You decide again."


class Table(Protocol):
    """Describe what :class:`BotTakeover` needs from the application."""

    frame: Shown | None
    is_busy: bool

    def send(self, request: Auto) -> object:
        """Request a decision by a bot."""

    def say(self, words: str) -> None:
        """Show a line until the next key."""


class BotTakeover:
    """Let a bot decide for a person for a while.

    Attributes:
        bot: The bot, or None while the person decides.
        seat: The seat for which it decides.
    """

    def __init__(self, app: Table) -> None:
        self.app = app
        self.bot: AutoPlay | None = None
        self.seat: int | None = None

    def begin(self, words: str) -> None:
        """Let a bot decide, as described by typed words after ``auto``. Words that can't be parsed give a message."""
        try:
            self.bot = parse_auto_play(words)
        except ValueError as problem:
            self.app.say(str(problem))
        else:
            self.seat = None if self.app.frame is None else self.app.frame.screen.seat
            self.go_on(None)

    def stop(self) -> bool:
        """Set ``bot`` to None, say ``You decide again.`` by ``app.say``, and return True.

        If ``bot`` is None already, only return False.
        """
        stopped_bot, self.bot = self.bot, None
        if stopped_bot is not None:
            self.app.say(BACK)
        return stopped_bot is not None

    def go_on(self, previous: Shown | None) -> None:
        """Send an ``Auto`` for the pending question, show ``TOLD`` and set ``app.is_busy``, if the bot still decides.

        Without a bot, nothing happens. Otherwise the first of these that fits counts.

        - No frame is shown, or the game is over without a question: the bot stops (``bot`` becomes None), with the
          message of :meth:`AutoPlay.describe_end`, such as ``The bot played to the end.``.
        - No question is shown, because another player must decide: the bot waits.
        - The question is for another seat than ``seat``: the bot stops without a message.
        - The frame ``previous``, shown before, has another stamp, and the question has no ``earlier_picks``: a decision
          counts. ``bot`` becomes the result of :meth:`AutoPlay.continue_after_decision`. If this is None, the message
          is ``BACK``. A deed of another seat in the story shown now ends the bot's ``turn``.
        """
        frame = self.app.frame
        if self.bot is None or frame is None or frame.screen.question is None:
            if frame is None or frame.screen.ending is not None:
                if self.bot is not None:
                    self.app.say(self.bot.describe_end(self._has_ended(previous)))
                self.bot = None
            return
        screen = frame.screen
        if screen.seat != self.seat:
            # Another person has the keyboard.
            self.bot = None
        elif previous is not None and previous.stamp != frame.stamp and not frame.screen.question.earlier_picks:
            have_others_acted = any(deed.seat not in (None, screen.seat) for deed in screen.story)
            self.bot = self.bot.continue_after_decision(have_others_acted, self._has_ended(previous))
            if self.bot is None:
                self.app.say(BACK)
        if self.bot is not None:
            self.app.say(TOLD)
            self.app.is_busy = True
            self.app.send(Auto(frame.stamp, self.bot.kind))

    def _has_ended(self, previous: Shown | None) -> bool:
        """Return whether the event that ends the bot's turn has happened."""
        current = self.app.frame
        if self.bot is None or previous is None or current is None:
            return False
        return has_happened(self.bot.words, current.screen.story, previous.screen.phase, current.screen.phase)
