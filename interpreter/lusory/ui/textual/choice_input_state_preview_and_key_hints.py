"""Hold the input state of a choice (cursor, typed words, picks), and lay out its question, preview and key hints.

:class:`Chooser` holds the input state on top of :class:`lusory.ui.model.option_tree_and_choice_in_progress.Choosing`.
The widgets and the handling of events are in :mod:`lusory.ui.textual.game_screen`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from ...explain.styled_text_wrapping_and_values import (
    DO,
    Line,
    Run,
    blank,
    count_leading_blanks,
    cut_line,
    drop_characters,
    join_lines,
    measure,
    pad_line,
    restyle,
    to_text,
    wrap_line,
    wrap_lines,
)
from ..model.look_and_why import NOT_NOW
from ..model.option_preview_sentences import find_outcome
from ..model.option_rows import ENTRY, describe_group, fit_groups, format_entry, list_entries
from ..model.option_tree_and_choice_in_progress import (
    END,
    Choosing,
    Entry,
    are_numbers,
    begin,
    fold_text,
    list_keys,
    map_topics,
    match_options,
    write_picks,
)
from ..model.panel_builder_and_value_looks import iterate_cells
from ..model.screen import Answer, Grid, Hand, Map, Option, Question, Screen
from ..model.screen_layout import PREVIEW, Prompt
from ..session.messages import Shown
from .keys_and_commands import COMMANDS, find_command

GAP = 2
MOST_COLUMNS = 4
FINGER = 3
"""Rows of a tap target: 54 pixels in a browser."""
KEY = 3
"""Columns of the number of an entry."""
CONFIRM_NONE = "You have picked nothing. Enter again confirms that."
MOST_LISTED = 30
"""Maximum number of options of a group whose previews stand on its page."""
GROUP_ROWS = 6
"""Rows of the preview of a group where it stands beside the options."""
_NEIGHBOURS = re.compile(r": an? [\w ]+, beside ")
"""The beginning of the description of a space, which names the spaces beside it."""
REST = " … F4"
"""End of a preview that is cut: the key that shows all of it."""
WIDE_PREVIEW = 60
"""In narrower previews each sentence has lines of its own."""
YES = "y"
"""Key that confirms an option that does nothing now."""


@dataclass
class Chooser:
    """Hold a choice together with the input state.

    Attributes:
        cursor: The index of the highlighted entry. None if several entries match the typed text.
        digits: The number that is being typed.
        missing_number: The last typed number, if no entry has it. Enter then only says so.
        note: A message about the last key, or "".
        is_seen: Whether the player has looked at the highlighted entry: a key or a click moved to it, or Enter said it.
        target: The reference of the thing on the table under the cursor, or "" while the cursor is in the list.
    """

    choosing: Choosing
    cursor: int | None = None
    digits: str = ""
    missing_number: str = ""
    note: str = ""
    is_seen: bool = False
    target: str = ""

    @classmethod
    def begin(cls, question: Question, declined_ids: Collection[str] = (), previous: Chooser | None = None) -> Chooser:
        """Return a new choice with :attr:`Choosing.first_entry` as ``cursor``.

        If there is an option ``question.end`` and no :attr:`Choosing.useful_options`, the ``cursor`` is the index of
        the last entry, which ends the turn. If ``question.options`` is empty, the ``cursor`` is None.

        The ids in ``declined_ids``, as of :attr:`Choosing.undone_ids`, need no confirmation at the end of a turn. If
        ``question.is_asked_again`` and no label is new or occurs twice, entries keep the numbers of ``previous``, the
        last choice.
        """
        before = None if previous is None else previous.choosing
        chooser = cls(begin(question, declined_ids=declined_ids, previous=before))
        chooser.settle()
        return chooser

    # ------------------------------------------------------------ state

    @property
    def question(self) -> Question:
        return self.choosing.question

    @property
    def query(self) -> str:
        """The typed text, with its blanks."""
        return self.choosing.typed_words

    @property
    def entries(self) -> tuple[Entry, ...]:
        return self.choosing.entries

    @property
    def highlighted(self) -> Entry | None:
        """The entry under the cursor, the last one if the list is shorter, or None without cursor or entries."""
        entries = self.entries
        return None if self.cursor is None or not entries else entries[min(self.cursor, len(entries) - 1)]

    @property
    def option(self) -> Option | None:
        """The option under the cursor. Returns None for a group, and if nothing is highlighted."""
        entry = self.highlighted
        return self.question.options[entry.options[0]] if entry is not None and len(entry.options) == 1 else None

    @property
    def subject(self) -> str:
        """The reference that the highlighted option is about, or one that all options of the group share.

        For an option, it is :attr:`Option.subject`. For a group, it is the first of these that is in
        :meth:`list_references`, so in the paths of all its options: the one card that they all move, and
        :attr:`Entry.of`, such as ``do:build`` for a group ``Build``. Failing both, it is the first of
        :meth:`list_references` in alphabetical order. Returns "" if that is empty, or nothing is highlighted.
        """
        entry, references = self.highlighted, sorted(self.list_references())
        if self.option is not None or entry is None:
            return self.option.subject if self.option is not None else ""
        moved_cards = {self.question.options[number].moved_card for number in entry.options}
        candidates = [*(moved_cards if len(moved_cards) == 1 else ()), entry.of]
        return next((candidate for candidate in candidates if candidate in references), next(iter(references), ""))

    def group_lines(self) -> list[Line]:
        """Return lines about the options of the highlighted group, or [] if no group is highlighted.

        Each option gives its label in bold, then the lines of its ``preview`` and its ``text``, each after a
        ``Run("  ")``. Empty lines are left out. If the group has more than ``MOST_LISTED`` options, there are only
        labels. Example of the lines for one of them:
        ``[(Run("Buy Axe", bold=True),), (Run("  "), Run("Costs 2 gold (3 → 1)."))]``.
        """
        entry = self.highlighted
        if entry is None or not entry.is_group:
            return []
        lines: list[Line] = []
        for option in [self.question.options[number] for number in entry.options]:
            lines.append(restyle(option.label, bold=True))
            if len(entry.options) <= MOST_LISTED:
                lines += [(Run("  "), *line) for line in (*option.preview, option.text) if line]
        return lines

    def is_digit(self, character: str) -> bool:
        """Return whether a character counts as a digit of the number of an entry.

        No digit counts if there are no options, or if all are numbers themselves (:func:`are_numbers`), like ``Bid 3``
        with the id ``3``. Otherwise, each digit counts if ``query`` is empty. After typed words, it counts only if it
        can't continue them: some option matches the words, but none matches the words and the digit. If any label names
        a space such as ``c3``, no digit counts directly after a word of one or two letters, with or without digits,
        such as ``c``, ``C`` or ``c1``.
        """
        options = self.question.options
        has_spaces = any(re.search(r"\b[a-z]\d", option.words) for option in options)
        is_space = has_spaces and re.search(r"\b[a-z]{1,2}\d*$", self.query, re.IGNORECASE)
        goes_on = is_space or not self.entries or match_options(options, self.query + character)
        return character.isdecimal() and not are_numbers(options) and not (self.query and goes_on)

    def list_clickable(self) -> frozenset[str]:
        """Return the references on which clicks choose: those on paths of some but not all options of the open group.

        Options whose ``like`` is an option of the group count, too. Without an open group, all options of the
        question count. A single option gives all references on its path. Those of actions count like those of things:
        the paths ``do:play``, ``Card:axe`` and ``do:play``, ``Card:imp`` give the two cards, but not ``do:play``.
        """
        numbers, topics = self.choosing.open_options, map_topics(self.question.options)
        counts = {reference: len({*topic}.intersection(numbers)) for reference, topic in topics.items()}
        return frozenset(reference for reference, n in counts.items() if n and (n < len(numbers) or n == 1))

    def list_references(self) -> frozenset[str]:
        """Return the references in the path of the highlighted option, or those that all options of a group share.

        They include that of the action, such as ``do:buy`` beside ``Card:axe``. Empty if nothing is highlighted.
        """
        numbers = () if self.highlighted is None else self.highlighted.options
        paths = [{step.of for step in self.question.options[number].path if step.of} for number in numbers]
        return frozenset(set.intersection(*paths)) if paths else frozenset()

    # ------------------------------------------------------------ actions

    def settle(self) -> None:
        """Set ``cursor`` to an index in ``entries`` or None, and ``digits`` and ``missing_number`` to ``""``.

        With typed text, ``query``, the cursor is at :attr:`Choosing.matching_entry`, or None if that is None. Without
        typed text, it is :attr:`Choosing.first_entry`, or None if ``entries`` is empty. There is one exception without
        typed text. If ``question.end`` is not None, and ``useful_options`` and ``open_groups`` of ``choosing`` are
        empty, the cursor is at the last entry, which ends the turn.
        """
        self.digits = self.missing_number = ""
        entries = self.entries
        self.cursor = self.choosing.first_entry if entries and not self.query else None
        if self.query and (match := self.choosing.matching_entry) is not None:
            self.cursor = next(i for i, entry in enumerate(entries) if entry.options == match.options)
        end = self.question.end
        if not self.query and end is not None and not self.choosing.useful_options and not self.choosing.open_groups:
            self.cursor = len(entries) - 1

    def fit(self, columns: int, rows: int) -> None:
        """Open as many groups as fit into a list of this size. If that changes the entries, the cursor settles anew."""
        fit = fit_groups(self.choosing, columns, rows)
        if fit.entries != self.choosing.entries:
            self.choosing = fit
            self.settle()

    def move(self, key: str, grid: Sequence[Sequence[int]]) -> None:
        """Move the cursor by an arrow key over the lines of a list. The ends of the list are joined.

        ``key`` is ``left``, ``right``, ``up`` or ``down``. ``grid`` holds the indices of the entries on each line, none
        empty. Left and right go from entry to entry. Up and down keep the column, or take a shorter line's last entry.
        If ``cursor`` is None, the first entry gets it. A cursor outside ``grid`` moves as if it were on the first
        entry. ``digits`` and ``missing_number`` become "", and ``is_seen`` True. An empty ``grid`` changes nothing.
        """
        if not grid:
            return
        self.digits = self.missing_number = ""
        self.is_seen = True
        if self.cursor is None:
            self.cursor = grid[0][0]
            return
        row = next((row for row, line in enumerate(grid) if self.cursor in line), 0)
        column = grid[row].index(self.cursor) if self.cursor in grid[row] else 0
        if key in ("left", "right"):
            order = [index for line in grid for index in line]
            position = order.index(self.cursor) if self.cursor in order else 0
            self.cursor = order[(position + (1 if key == "right" else -1)) % len(order)]
        else:
            line = grid[(row + (1 if key == "down" else -1)) % len(grid)]
            self.cursor = line[min(column, len(line) - 1)]

    def type_digit(self, digit: str) -> None:
        """Move the cursor to the entry of a typed number.

        Digits add up in ``digits`` as long as some number begins with them; otherwise the last one begins a new number.
        If no number begins with that, ``digits`` is "", and ``note`` is ``There is no option 9.`` If some entry has a
        number of several digits, it also names the digits that had added up: among 12 entries, 5 and 0 give
        ``There is no option 50.`` Otherwise ``note`` is "". If no entry has the number, ``cursor`` is None and
        ``missing_number`` the text of that number, such as ``50``, otherwise "". ``is_seen`` becomes True in any case.
        """
        keys = list_keys(self.choosing)
        self.note, self.is_seen = "", True
        for digits in (self.digits + digit, digit):
            if digits in keys:
                self.digits, self.cursor, self.missing_number = digits, keys.index(digits), ""
                return
            if any(key.startswith(digits) for key in keys):
                self.digits, self.cursor, self.missing_number = digits, None, digits
                return
        self.missing_number = (self.digits + digit) if any(len(key) > 1 for key in keys) else digit
        self.digits, self.cursor, self.note = "", None, f"There is no option {self.missing_number}."

    def erase(self) -> None:
        """Delete the last typed character or digit. Nothing happens if nothing is typed."""
        if self.query:
            self.type(self.query[:-1])
        elif digits := self.digits:
            self.settle()
            for digit in digits[:-1]:
                self.type_digit(digit)

    def end(self) -> Answer | None:
        """Choose the option ``question.end``, which must exist: ``("pass",)`` is the answer if its id is ``pass``.

        Returns None if it must be confirmed first (:meth:`Choosing.choose`). It is then ``choosing.to_confirm``, and a
        second call gives the answer. ``digits``, ``missing_number`` and ``note`` become "".
        """
        assert self.question.end is not None
        self.digits = self.missing_number = ""
        return self._continue_with(self.choosing.choose(self.question.end))

    def go_to(self, reference: str) -> None:
        """Set ``target`` to a reference, and ``cursor`` to the index of the first entry that is about it.

        All options of the entry must have the reference on their paths, and may have others: ``Move a1 to b1`` is about
        ``Square:a1`` and ``Square:b1``. Without such an entry, ``cursor`` is None. ``digits`` and ``missing_number``
        become "".
        """
        self.target, self.digits, self.missing_number = reference, "", ""
        topic = set(map_topics(self.question.options).get(reference, ()))
        self.cursor = next((i for i, entry in enumerate(self.entries) if set() < {*entry.options} <= topic), None)

    def type(self, text: str) -> None:
        """Set the typed text, filter the options by it, and withdraw an unconfirmed one. Picks stay.

        The cursor goes to the only entry left, or the only one that begins with the text, or nowhere. Without text, it
        is placed as by :meth:`settle`.
        """
        self.is_seen, self.choosing = False, self.choosing.type(text)
        self.settle()

    def complete(self) -> None:
        """Complete the typed text to the label of the highlighted entry, or of the first one if there is any."""
        if self.entries:
            self.type((self.highlighted or self.entries[0]).words)

    def go_back(self) -> bool:
        """Go back one step. Returns False, and changes nothing, at the beginning.

        The first possible step is made. It withdraws the option ``choosing.to_confirm``, drops the typed number
        (``digits`` or ``missing_number``), clears ``query``, or closes the last of ``choosing.open_groups``. Any step
        ends with :meth:`settle`, which places the cursor and drops a typed number, too.
        """
        if (self.digits or self.missing_number) and self.choosing.to_confirm is None:
            self.settle()
            return True
        if not self.query and not self.choosing.open_groups and self.choosing.to_confirm is None:
            return False
        self.choosing = self.choosing.go_back()
        self.settle()
        return True

    def enter(self) -> Answer | None:
        """Choose the highlighted entry, or confirm the picks. Returns the answer, or None if the choice continues.

        An option is the answer, such as ``("buy_axe",)``, and a group opens. In a choice of several, Enter confirms the
        picks if no text is typed, and returns ``choosing.answer``. Too few picks only set ``note``. If none are needed
        and there are none, it takes a second Enter, and gives ``("done",)``. After typed words, Enter picks the
        highlighted option or puts it back. If exactly one must be picked and none is, the highlighted option is the
        answer.

        A number that no entry has sets ``note``, and the cursor settles (:meth:`settle`). An option that the player
        can't have seen (:meth:`_must_see`) sets ``note`` and ``is_seen``, and needs a second Enter. Several matches
        without a highlight set both, and highlight the first. An option that must be confirmed becomes
        ``choosing.to_confirm``. The next Enter calls :meth:`go_back`, which withdraws it.
        """
        if self.choosing.to_confirm is not None:
            self.go_back()
            return None
        if self.missing_number:
            self.note = f"There is no option {self.missing_number}."
            self.settle()
            return None
        if self.query and self.entries and self.cursor is None:
            self.cursor, self.is_seen = 0, True
            self.note = f"{len(self.entries)} options have these words. Enter takes the first of them."
            return None
        if self.choosing.is_picking and not self.query:
            return self._confirm_picks()
        if (entry := self.highlighted) is not None and self._must_see(entry):
            self.is_seen, self.note = True, f"Enter again: {entry.words}"
            return None
        return None if entry is None else self._continue_with(self.choosing.take_entry(entry))

    def _must_see(self, entry: Entry) -> bool:
        """Return whether the first Enter only says which option is highlighted.

        The player hasn't looked at it if a part of its label found it. For an option that ends the turn, Enter may be
        the second one of a hasty pair.
        """
        if entry.is_group or self.choosing.is_picking or self.is_seen:
            return False
        if self.query:
            return fold_text(self.query) != fold_text(entry.words)
        return self.question.options[entry.options[0]].is_last

    def _confirm_picks(self) -> Answer | None:
        """Return the picks as the answer if their number is right, and otherwise set a note and return None.

        A choice of exactly one takes the highlighted entry. No picks must be confirmed twice.
        """
        question, picks, entry = self.question, self.choosing.picks, self.highlighted
        if question.least == question.most == 1 and not picks and entry is not None:
            return self._continue_with(self.choosing.take_entry(entry))
        if not self.choosing.can_end:
            self.note = self._explain_no_change()
        elif not picks and self.note != CONFIRM_NONE:
            self.note = CONFIRM_NONE
        else:
            return self.choosing.answer
        return None

    def confirm(self) -> Answer | None:
        """Take the option that waits for confirmation, and return the answer. There must be one."""
        assert self.choosing.to_confirm is not None
        return self._continue_with(self.choosing.choose(self.choosing.to_confirm))

    def reply(self, letter: str) -> Answer | None:
        """Handle a small letter while ``choosing.to_confirm`` is set, which it must be. Returns the answer or None.

        ``e`` confirms the option ``question.end``, and ``y`` any other, as ``("buy_axe",)``. Then ``note`` becomes "",
        and ``to_confirm`` stays. While ``question.end`` waits, any other letter, such as ``x``, calls :meth:`type` with
        ``ex`` if an option matches that, which withdraws the end. Otherwise nothing happens.
        """
        is_end = self.choosing.to_confirm == self.question.end
        if letter == (END.lower() if is_end else YES):
            return self.confirm()
        if is_end and letter.isalpha() and match_options(self.question.options, END.lower() + letter):
            self.type(END.lower() + letter)
        return None

    def click(self, index: int) -> bool:
        """Move the cursor to an entry by index. In a choice of several, pick or unpick it.

        A group is opened instead, and the cursor placed as :meth:`settle` does. Returns True for a single option in a
        choice of one. The caller then chooses it with :meth:`enter`, which withdraws ``choosing.to_confirm`` instead if
        that is set. Returns True also if there are no entries, and otherwise False. A pick clears typed words, which
        calls :meth:`settle` if the list changes. From a picked entry, the cursor then moves down to the next entry that
        isn't picked, if any. If no more can be picked, nothing is, and ``note`` says why. Otherwise ``note`` is "".
        ``digits`` and ``missing_number`` become "", and ``is_seen`` True. ``cursor`` keeps an index behind the list,
        such as 99, but ``highlighted`` is then the last entry.
        """
        self.cursor, self.digits, self.missing_number, self.note, self.is_seen = index, "", "", "", True
        entry = self.highlighted
        if entry is None or not (entry.is_group or self.choosing.is_picking):
            return True
        self._continue_with(self.choosing.take_entry(entry), can_end=False)
        return False

    def click_on(self, reference: str) -> bool:
        """Open the group of the options about a reference, such as ``Card:axe``. Never ends the choice.

        In a choice of several, a single option is picked or withdrawn as by :meth:`click`, even if exactly one must be
        picked. If no more can be picked, ``note`` says so, and nothing else changes. In a choice of one, a single
        option only empties ``note``, and gives True: the caller can then choose it with :meth:`point`. So does a
        reference without options while there is ``choosing.to_confirm``. All else gives False, and a group withdraws
        ``to_confirm``. Without options, ``note`` is empty, or in a choice of several says how many to pick.
        """
        self.note = ""
        choosing = self.choosing.point(reference)
        if not isinstance(choosing, Choosing) or choosing.to_confirm is not None:
            return True
        self._continue_with(choosing, can_end=False)
        return False

    def point(self, reference: str) -> Answer | None:
        """Choose a thing on the table by reference. Returns the answer, or None if the choice continues."""
        return self._continue_with(self.choosing.point(reference))

    def _continue_with(self, result: Choosing | Answer, can_end: bool = True) -> Answer | None:
        """Continue with a new state, or return the answer if it is one. Clears the note, or sets it if nothing changed.

        ``can_end`` tells whether picking the only option ends the choice. After a pick the cursor goes down to the next
        entry that is not picked. Without one it stays.
        """
        self.note = ""
        if not isinstance(result, Choosing):
            return result
        previous, self.choosing = self.choosing, result
        if result is previous:
            self.note = self._explain_no_change() if result.is_picking else ""
            return None
        if result.is_picking and result.picks != previous.picks:
            if can_end and result.question.least == result.question.most == 1 and result.can_end:
                return result.answer
            self.digits = ""
            if result.entries != previous.entries:
                self.settle()
            if len(result.picks) > len(previous.picks):
                entries, picks = result.entries, {*result.picks}
                order = range(self.cursor or 0, len(entries))
                self.cursor = next((i for i in order if not picks.issuperset(entries[i].options)), self.cursor)
        elif result.to_confirm is None:
            self.settle()
        return None

    def _explain_no_change(self) -> str:
        """Explain why the last key changed nothing."""
        pick_count, least, most = len(self.choosing.picks), self.question.least, self.question.most
        if pick_count < least:
            wanted_count = f"{least}" if least == most else f"at least {least}"
            return f"Pick {wanted_count} with Space: you have picked {pick_count}."
        return f"You can pick at most {most}. Space on a picked option puts it back."


# ---------------------------------------------------------------- layout


def _lay_out_tap_targets(chooser: Chooser, columns: int) -> list[Line]:
    """Lay out the entries as tap targets of ``FINGER`` lines in up to ``MOST_COLUMNS`` equal columns, row by row.

    There are as many columns as the longest entry lets fit into ``columns`` cells, ``GAP`` cells apart, and at least
    one. There must be an entry.
    """
    cells = [format_entry(chooser.choosing, index) for index in range(len(chooser.entries))]
    column_count = min(max((columns + GAP) // (max(map(measure, cells)) + GAP), 1), MOST_COLUMNS)
    width = (columns - GAP * (column_count - 1)) // column_count
    lines: list[Line] = []
    for row in range(0, len(cells), column_count):
        indices = range(row, min(row + column_count, len(cells)))
        areas = [_make_tap_target(cells[index], index, index == chooser.cursor, width) for index in indices]
        lines += [join_lines(parts, " " * GAP) for parts in zip(*areas, strict=True)]
    return lines


def _make_tap_target(cell: Line, index: int, is_lit: bool, width: int) -> list[Line]:
    """Return the lines of an entry as a tap target."""
    words = wrap_line(cell, width, KEY)[:FINGER]
    lines = [*([()] if len(words) == 1 else []), *words, (), ()][:FINGER]
    back = "" if is_lit or index % 2 else "shade"
    return [restyle(pad_line(line, width), of=f"{ENTRY}{index}", reverse=is_lit, back=back) for line in lines]


def lay_out_chooser(chooser: Chooser, description: Sequence[Line], has_touch: bool = False) -> Prompt:
    """Return the regions of a question: ``title``, ``notes``, ``options(columns, rows)`` and ``preview(columns)``.

    The title is the question's prompt. In a choice of several, or with ``earlier_picks``, a note has the picks. Another
    has the titles of the open groups that the list does not repeat, such as ``Buy › Cards``, unless text is typed.
    ``options`` returns lines: tap targets with ``has_touch``. Without, it first calls ``chooser.fit``, which can open
    groups and move the cursor. If no option has the typed words, the only line is `` No option has these words: Enter
    asks why, Esc clears it.``, or for a command `` This is a command: Enter runs it, Esc clears it.``

    ``preview`` returns a title and lines. ``chooser.target`` comes before the highlighted entry. Its title is
    ``If you choose Axe`` if an option is about it, except in a choice of several. Otherwise it is the name that begins
    ``description``, or ``On the table`` if that is empty. An entry has the title ``If you choose 3``. Without both, the
    pair is ``("Your choice", [])``. ``description`` is about the subject. It ends the preview, unless the option says
    enough.

    A confirmation has the title ``Pass? It does nothing now.`` or ``Done? You can still do something else.`` Its
    options are two answers, after up to two examples in the second case. It has no notes, and the preview ``("", [])``.
    """
    choosing = chooser.choosing
    if choosing.to_confirm is not None:
        return _ask_confirmation(chooser)
    notes: list[Line] = []
    if choosing.is_picking or chooser.question.earlier_picks:
        notes.append(write_picks(choosing))
    # Titles that all entries repeat stand above them in the list.
    groups, labels = choosing.open_groups, [entry.words for entry in choosing.entries]
    titles = [group.title for group in groups if not all(group.words in label for label in labels)]
    if titles and not chooser.query:
        notes.append(join_lines(titles, " › "))

    def draw_options(columns: int, rows: int) -> list[Line]:
        if not chooser.entries:
            is_command = find_command(chooser.query)[0] in COMMANDS
            words = "This is a command: Enter runs it" if is_command else "No option has these words: Enter asks why"
            return [(Run(f" {words}, Esc clears it.", dim=True),)]
        if has_touch:
            return _lay_out_tap_targets(chooser, columns)
        chooser.fit(columns - 1, rows)
        return list_entries(chooser.choosing, chooser.cursor, columns - 1, rows)

    preview = partial(_draw_preview, chooser, description)
    return Prompt(chooser.question.prompt, tuple(notes), draw_options, preview)


def _draw_preview(chooser: Chooser, description: Sequence[Line], columns: int) -> tuple[str, list[Line]]:
    """Return the title of the preview and its lines: what the highlighted option changes, or what a group holds.

    The title has the key of the entry, or the name of the thing on the table that the cursor points at: ``If you choose
    3``. Without a highlighted entry there are no lines.
    """
    entry, option = chooser.highlighted, chooser.option
    target_entry = chooser.choosing.find_entry(chooser.target) if chooser.target else None
    if target_entry is not None and not chooser.choosing.is_picking:
        # Enter takes what the thing on the table stands for, whatever the list shows.
        entry = target_entry
        option = None if target_entry.is_group else chooser.question.options[target_entry.options[0]]
        key = chooser.question.options[target_entry.options[0]].step_about(chooser.target).text
    elif chooser.target:
        return _explain_closed(description, columns)
    elif entry is None:
        return "Your choice", []
    else:
        key = list_keys(chooser.choosing)[chooser.cursor or 0]
    lines: list[Line] = []
    if option is not None:
        # Without a preview, say the whole option, whose row shows only a part, unless the description begins with it.
        is_described = any(to_text(line).strip().startswith(to_text(option.label)) for line in description)
        is_described = is_described or bool(option.text) or to_text(option.label) == key
        lines += option.preview or (() if is_described else ((*option.label, Run(".")),))
    else:
        lines.append(describe_group(entry, (columns - 1) * (PREVIEW if columns >= WIDE_PREVIEW else GROUP_ROWS)))
    label = entry.words if option is None and entry is not None else to_text(option.label) if option is not None else ""
    is_said = bool(find_outcome(label)) or (option is not None and not chooser.target and _is_told_enough(option))
    # The table already shows the things at a space, and the spaces beside it.
    is_said = is_said or (bool(lines) and any(_NEIGHBOURS.search(to_text(line)) for line in description))
    description = [] if is_said else _drop_repeats(_remove_places(description), label)
    title = f"If you choose {key}"
    if columns >= WIDE_PREVIEW:
        text = [option.text] if option is not None and option.text and not find_outcome(label) else []
        # The printed text of a card is cut only if it says what the option does.
        is_vital = option is not None and bool(option.moved_card) and len(_wrap_paragraph(lines, columns)) < PREVIEW
        if lines and text and not is_vital and len(_wrap_paragraph([*lines, *text], columns)) > PREVIEW:
            return title, _fit_two_rows(lines, (), label, columns)
        return title, _fit_two_rows([*lines, *text], description, label, columns)
    return title, _join_description(lines, description, columns)


def _join_description(lines: Sequence[Line], description: Sequence[Line], columns: int) -> list[Line]:
    """Return a preview with a description below it, for the rows below the options or for a column beside the table."""
    if columns >= WIDE_PREVIEW:
        return _fit_two_rows(lines, description, "", columns)
    preview = wrap_lines(((Run(" "), *line) for line in lines), columns - 1, 1)
    rows_below = wrap_lines(((Run(" "), *line) for line in description), columns - 1, 1)
    return [*preview, *([()] if preview and rows_below else []), *rows_below]


def _explain_closed(description: Sequence[Line], columns: int) -> tuple[str, list[Line]]:
    """Return the title and the lines of the preview of a thing on the table that can't be chosen: why, and what it is.

    ``description`` describes the thing. It is empty as long as it isn't known.
    """
    first = to_text(description[0]).strip() if description else ""
    reasons = [line for line in description if to_text(line).startswith(NOT_NOW)]
    other_lines = [line for line in description if line not in reasons]
    return re.split(r" [(×]|:", first)[0] or "On the table", _join_description(reasons, other_lines, columns)


def _is_told_enough(option: Option) -> bool:
    """Return whether no more is said of an option's subject: a player, a card only mentioned, or not in the label."""
    is_named = option.moved_card or option.step_about(option.subject).text.casefold() in option.words.casefold()
    return option.is_mention or not is_named or option.subject.startswith("Player:")


def _remove_places(description: Sequence[Line]) -> list[Line]:
    """Return the lines of a description without those that only say where a thing lies: ``Axe: your hand``.

    Lines that are then repeated for a second copy are left out.
    """
    lines = [line for line in description if not (line[1:2] == (Run(": "),) and line[0].bold and line[0].of)]
    return [line for i, line in enumerate(lines) if not line or line not in lines[:i]]


def _fit_two_rows(lines: Sequence[Line], description: Sequence[Line], label: str, columns: int) -> list[Line]:
    """Return a preview as one paragraph for the rows below the options, cut at their end with the key that shows all.

    The sentences of a description follow if they fit whole. A line that only names the thing in the label is left out,
    and so are values in the text, spaces beside a space, and titles of lists.
    """
    first = to_text(description[0]).strip() if description else ""
    name = re.split(r" \(|:", first)[0]
    if name and name in label and (description[1:] or _NEIGHBOURS.search(first)):
        description = description[1:]
    text = to_text(join_lines(lines, " "))
    rows = _wrap_paragraph(lines, columns)
    sentences: list[Line] = []
    for line in description:
        words = to_text(line).strip()
        if words and words not in text and not words.endswith(":") and not _NEIGHBOURS.search(words):
            news = _remove_repeated(words, text)
            sentences.append(drop_characters(line, count_leading_blanks(line)) if news == words else (Run(news),))
            longer_rows = _wrap_paragraph([*lines, *sentences], columns)
            # A description that stands alone is cut rather than left out.
            if len(longer_rows) > PREVIEW and rows:
                break
            rows = longer_rows
    if len(rows) <= PREVIEW:
        return rows
    last_row = wrap_line(rows[PREVIEW - 1], columns - 1 - len(REST), 1)[0]
    return [*rows[: PREVIEW - 1], (*last_row, Run(REST, dim=True))]


def _remove_repeated(words: str, text: str) -> str:
    """Return a line without the sentences at its start that a preview says already, up to a remark in brackets."""
    ends = [match.end() for match in re.finditer(r"[.!?](?= |$)", words)]
    return words[next((end for end in reversed(ends) if words[:end] in text), 0) :].strip()


def _wrap_paragraph(sentences: Sequence[Line], columns: int) -> list[Line]:
    return wrap_line((Run(" "), *join_lines(sentences, " ")), columns - 1, 1) if sentences else []


def _drop_repeats(description: Sequence[Line], label: str) -> list[Line]:
    """Return the lines of a description without those that repeat the option, or announce the next line.

    With the label ``Buy Silver``, the lines ``Silver:``, ``Treasure``, ``Cost`` and ``Cost: 3`` become ``Treasure`` and
    ``Cost: 3``. A single line ``Silver`` stays. Lines are compared without blanks around them. A line is left out if it
    equals ``label``, or the first of several lines that stands in the label. A line ``Cost`` is left out before a line
    that begins with ``Cost:`` or ``Cost (``.
    """
    texts = [to_text(line).strip() for line in description]
    names = {label, *(texts[:1] if texts[1:] and texts[0].rstrip(":") in label else ())}
    return [
        line
        for line, text, next_text in zip(description, texts, [*texts[1:], ""], strict=False)
        if text not in names and not next_text.startswith((f"{text}:", f"{text} ("))
    ]


def _ask_confirmation(chooser: Chooser) -> Prompt:
    """Return the question whether an option that does nothing, or ends the turn too early, is meant.

    Before the end of a turn, it shows up to two options that would still do something, those with a preview first.
    """
    choosing, question = chooser.choosing, chooser.question
    assert choosing.to_confirm is not None
    option = question.options[choosing.to_confirm]
    is_end = choosing.to_confirm == question.end
    why = "You can still do something else" if is_end else "It does nothing now"
    key = END if is_end else YES.upper()
    answers: list[Line] = [
        restyle((Run("Esc", bold=True), Run("  Go back")), reverse=True, of="escape"),
        restyle((Run(f"{key}", bold=True), Run("    "), *option.label, Run(", anyway")), of=END if is_end else YES),
    ]
    useful = [question.options[number] for number in choosing.useful_options]
    examples = sorted(useful, key=lambda example: not example.preview)[:2] if is_end else []

    def draw_options(columns: int, rows: int) -> list[Line]:
        answer_rows = wrap_lines(((Run(" "), *line) for line in answers), columns - 1, KEY + 3)
        return [*(cut_line((Run(" "), *example.label), columns - 1) for example in examples), *answer_rows]

    return Prompt((*option.label, Run(f"? {why}.")), (), draw_options)


LONGEST, LEAST = 28, 12
"""Columns for the description of an undo: at most, and at least, behind which the other keys stand."""


class Hint(NamedTuple):
    """Hold a key and its action. ``button`` is the label on touch screens, or "" if it is omitted there."""

    key: str
    words: str
    button: str = ""


def draw_key_line(columns: int, prefix: Line, hints: Sequence[Hint]) -> Line:
    """Return ``prefix`` and the key hints behind it that fit, in order, with blanks up to a width of ``columns``.

    A blank comes first, and two blanks stand between parts: `` abc  Ctrl-Z undo  F1 help``. If a hint is too long, the
    text behind its colon is cut: ``Ctrl-Z undo: Buy Gold an…``. Text and colon are left out if the text is longer than
    the columns left for it and these are fewer than ``LEAST`` (12). A hint that is then still too long, or has only one
    word such as ``Esc``, is left out. Shorter hints after it may still be there. The run of a hint has ``hint.key`` as
    its ``of``. A ``prefix`` that is too long is cut and ends with ``…``.
    """
    line: Line = (Run(" "), *prefix) if prefix else ()
    for hint in hints:
        start, colon, detail = hint.words.partition(": ")
        gap = 2 if line else 1
        room = columns - measure(line) - gap - len(start + colon)
        cut = cut_line((Run(detail),), room) if room >= min(LEAST, len(detail)) else ()
        for words in (start + colon + to_text(cut) if cut or not colon else "", start):
            longer = (*line, *blank(gap), Run(words, dim=True, of=hint.key))
            if " " in words and measure(longer) <= columns:
                line = longer
                break
    return pad_line(line, columns)


def _draw_buttons(columns: int, hints: Sequence[Hint], row_limit: int = 1) -> list[Line]:
    """Lay out tap targets for keys in at most ``row_limit`` rows of buttons. Each row is ``FINGER`` lines high.

    An empty line stands between rows, and one blank between buttons. A button that doesn't fit into ``columns`` begins
    the next row. In the last row it is left out, but a narrower one after it can still stand there. Hints without a
    button are left out.
    """
    rows: list[Line] = [()]
    for hint in hints:
        button = Run(f" {hint.button} ", bold=True, back="shade", of=hint.key)
        gap = blank(1) if rows[-1] else ()
        if measure((*rows[-1], *gap, button)) <= columns:
            rows[-1] += (*gap, button) if hint.button else ()
        elif len(rows) < row_limit:
            rows.append((button,))
    lines: list[Line] = []
    for row in rows:
        empty_row = tuple(replace(run, text=" " * measure((run,))) for run in row)
        lines += [*([()] if lines else []), empty_row, *[row] * (FINGER - 2), empty_row]
    return lines


def draw_footer(columns: int, prefix: Line, hints: Sequence[Hint], has_touch: bool, row_limit: int = 1) -> list[Line]:
    """Return the footer: a line with ``prefix`` and the hints, or ``prefix`` above rows of buttons on touch screens."""
    if has_touch:
        return [cut_line(prefix, columns), *_draw_buttons(columns, hints, row_limit)]
    return [draw_key_line(columns, prefix, hints)]


def can_step_back(frame: Shown | None, chooser: Chooser) -> bool:
    """Return whether Esc returns to the question before, within a choice of several parts that is not complete.

    Such a choice is one whose ``chooser.question.is_continuation`` is True. False without a frame, or if ``frame.undo``
    is empty. False also while Esc leaves something else: a typed ``query``, ``digits`` or ``missing_number`` of the
    chooser, or ``open_groups`` or ``to_confirm`` of its ``choosing``.
    """
    choosing = chooser.choosing
    is_begun = bool(chooser.query or chooser.digits or chooser.missing_number or choosing.open_groups)
    is_begun = is_begun or choosing.to_confirm is not None
    return frame is not None and bool(frame.undo) and chooser.question.is_continuation and not is_begun


def list_hints(
    frame: Shown | None, chooser: Chooser | None, is_on_board: bool, can_point: bool, is_own: bool, has_more: bool
) -> list[Hint]:
    """Return the key hints of the available actions, the most important first.

    An example is ``Hint(key="f1", words="F1 help", button="Help")``. Without a question, ``chooser`` is None. The
    question's keys come first: ``space`` in a choice of several or else "" for the arrows, then ``enter``, then
    ``escape`` with a ``query`` or an open group; with ``to_confirm`` only ``escape``. Then come ``escape`` if
    :func:`can_step_back`, ``f1``, ``ctrl+z``, ``ctrl+y``, ``shift+down``, ``f2``, ``f8``, ``tab``, ``f3``, ``ctrl+s``,
    ``ctrl+q``. The F keys and ``ctrl+q`` are always there. ``ctrl+z`` needs a text in ``frame.undo``, and ``ctrl+y``
    one in ``frame.redo``. ``shift+down`` needs only ``has_more``, ``tab`` only ``can_point``, and ``ctrl+s`` only
    ``is_own``. ``is_on_board`` tells if the cursor is on the table.
    """
    hints: list[Hint] = []
    if chooser is not None:
        hints += _list_choice_hints(chooser, is_on_board)
        if can_step_back(frame, chooser):
            hints.append(Hint("escape", "Esc: back", "Back"))
    hints.append(Hint("f1", "F1 help", "Help"))
    if frame is not None and frame.undo:
        hints.append(Hint("ctrl+z", f"Ctrl-Z undo: {to_text(cut_line(frame.undo, LONGEST))}", "Undo"))
    if frame is not None and frame.redo:
        hints.append(Hint("ctrl+y", f"Ctrl-Y again: {to_text(cut_line(frame.redo, LONGEST))}", "Again"))
    if has_more:
        hints.append(Hint("shift+down", "Shift-↓ more"))
    panels = () if frame is None else frame.screen.panels
    has_texts = any(isinstance(panel, Hand) and panel.cards[0].text for panel in panels)
    hints.append(Hint("f2", "F2 table, texts" if has_texts else "F2 table", "Table"))
    hints.append(Hint("f8", "F8 hint", "Hint"))
    if can_point:
        hints.append(Hint("tab", "Tab: to the list" if is_on_board else "Tab: to the table"))
    hints.append(Hint("f3", "F3 story", "Story"))
    return [*hints, *([Hint("ctrl+s", "Ctrl-S save")] if is_own else []), Hint("ctrl+q", "Ctrl-Q leave", "Leave")]


def _list_choice_hints(chooser: Chooser, is_on_board: bool) -> list[Hint]:
    """Return the hints about the keys of a question."""
    choosing = chooser.choosing
    if choosing.to_confirm is not None:
        return [Hint("escape", "Enter or Esc: go back", "Back")]
    if choosing.is_picking:
        hints = [Hint("space", "Space: pick or put back", "Pick")]
        hints += [Hint("enter", "Enter: confirm", "Confirm")] if choosing.can_end else []
    else:
        ways = "arrows: choose a place" if is_on_board else "↑↓ or number: choose"
        entry = choosing.find_entry(chooser.target) if is_on_board else chooser.highlighted
        verb = "open" if entry is not None and entry.is_group else "take"
        is_closed = is_on_board and entry is None
        hints = [Hint("", ways), *([] if is_closed else [Hint("enter", f"Enter: {verb}", "Choose")])]
    if chooser.query or choosing.open_groups:
        hints.append(Hint("escape", "Esc: back", "Back"))
    return hints


def write_hidden(chooser: Chooser, below: Collection[str]) -> str:
    """Return how many entries of the list are hidden, and the words of the one that ends the turn, if it is hidden.

    Example: ``↓ 3 more, E: End the turn``, where the 3 include that one. Returns "" if none is hidden. ``below`` holds
    the hidden references: ``#2`` is ``chooser.entries[2]``. Others, such as ``Tree:oak``, don't count.
    """
    hidden_entries = [entry for i, entry in enumerate(chooser.entries) if f"{ENTRY}{i}" in below]
    end = chooser.question.end
    ends = [entry.words for entry in hidden_entries if end is not None and entry.options == (end,)]
    return f"↓ {len(hidden_entries)} more{''.join(f', {END}: {words}' for words in ends)}" if hidden_entries else ""


def is_about_places(question: Question, screen: Screen) -> bool:
    """Return whether all options but at most one are about cells of grids or spaces of maps.

    The cursor then starts there. False for a single option. Grids with printed ``texts`` of cards don't count: cards
    are read in the list. False also for spaces of a map if an option names something else, too, such as the unit that
    goes there. One space can then stand for several options.
    """
    maps = [panel for panel in screen.panels if isinstance(panel, Map)]
    spaces = {node.cell.of for panel in maps for node in panel.nodes}
    grids = (panel for panel in screen.panels if isinstance(panel, Grid))
    places = {cell.of for panel in grids for cell in iterate_cells(panel) if cell.of} | (spaces - {""})
    place_options = [option for option in question.options if any(step.of in places for step in option.path)]
    for option in place_options:
        steps = [step for step in option.path if _names_value(step)]
        if any(step.of in spaces for step in steps) and any(step.of not in places for step in steps):
            return False
    return bool(place_options) and len(question.options) - len(place_options) <= 1 < len(question.options)


def write_pointing_line(question: Question, option: Option | None) -> Line:
    """Return the line that stands in place of the list of options while the player points at places.

    `` ▸ a1   or (Tab): Pass   You can also type the name of a place.`` has the label of ``option``, and then that of
    the first option whose path isn't empty and has no value with a reference, such as ``Cell:a1`` or ``Card:axe``.
    ``Pass`` and ``Bid 3`` are such options, and ``option`` itself may be one. If ``option`` is None, the line begins
    with three blanks and ``or (Tab)``. If no option is like ``Pass``, ``   or (Tab): Pass`` is left out.
    """
    target_words: Line = () if option is None else (Run(" ▸ ", bold=True), *restyle(option.label, bold=True))
    labels = [option.label for option in question.options if option.path and not any(map(_names_value, option.path))]
    alternative: Line = (Run("   or (Tab): ", dim=True), *join_lines(labels[:1])) if labels else ()
    return (*target_words, *alternative, Run("   You can also type the name of a place.", dim=True))


def _names_value(step: Run) -> bool:
    """Return whether a step has the reference of a value, such as ``Cell:a1``. False for ``do:lay`` and ""."""
    return bool(step.of) and not step.of.startswith(DO)
