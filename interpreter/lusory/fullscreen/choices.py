"""A choice at the keyboard: what is typed, which entry the cursor is on, and the list as lines. Knows no widget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ..screen.choosing import Choosing, begin, picked, resized
from ..screen.layout import clipped
from ..screen.lines import blank, cut, joined, padded, styled, width_of, wrapped
from ..screen.model import Answer, Option, Question
from ..screen.options import Entry, by_reference, details, folded, within
from ..screen.text import Line, Run, plain
from .help import COMMANDS, command_of

ENTRY = "#"
"""What stands for the entry of a number in the lines of a list: ``#3``."""
END = "done"
GAP = 2
MOST_COLUMNS = 4
FINGER = 3
"""Rows of what a finger taps: 54 pixels in a browser."""
KEY = 3
"""Columns of the number of an entry."""
MOST_PICKED = 2
"""Rows for what is picked so far."""


class Listing(NamedTuple):
    """A list as lines. ``rows``: how many entries stand below each other; the next ones begin the next column.
    ``height``: lines of an entry."""

    lines: list[Line]
    rows: int
    height: int = 1


@dataclass
class Chooser:
    """``typed``: as it was, with its blanks. ``cursor``: the number of an entry, None where none is highlighted and
    Enter gives the usual answer. ``digits``: the number that is being typed. ``note``: what is to be told of the latest
    Enter, "" for nothing."""

    choosing: Choosing
    typed: str = ""
    cursor: int | None = None
    digits: str = ""
    note: str = ""

    @classmethod
    def of(cls, question: Question, rows: int) -> Chooser:
        """A choice that begins."""
        chooser = cls(begin(question, rows))
        chooser.settle()
        return chooser

    # ------------------------------------------------------------ what is there

    @property
    def question(self) -> Question:
        return self.choosing.question

    @property
    def entries(self) -> tuple[Entry, ...]:
        """What stands in the list; of several the end is the last, once it can be had."""
        ends = self.choosing.can_end and folded(_ending(self.choosing)).startswith(folded(self.typed))
        return (*self.choosing.entries, *((Entry((Run(END),), ()),) if ends else ()))

    @property
    def highlighted(self) -> Entry | None:
        """The entry under the cursor."""
        entries = self.entries  # the end may have gone from it, where too few are picked now
        return None if self.cursor is None or not entries else entries[min(self.cursor, len(entries) - 1)]

    @property
    def option(self) -> Option | None:
        """The only option of the entry under the cursor."""
        entry = self.highlighted
        return self.question.options[entry.options[0]] if entry is not None and len(entry.options) == 1 else None

    @property
    def is_unsure(self) -> bool:
        """Whether several entries fit what is typed, and the cursor is on none."""
        return bool(self.typed and self.entries) and self.cursor is None

    @property
    def numbered(self) -> bool:
        """Whether entries are chosen by their numbers: not where they are numbers themselves, which then filter."""
        return not all(option.id.isdecimal() for option in self.question.options)

    def reachable(self) -> frozenset[str]:
        """The references by which the options of the group that is open differ: what can be pointed at now."""
        options = self.question.options
        opened = self.choosing.opened
        here = within(options, opened[-1].options) if opened else range(len(options))
        found = {of: [at for at in about if at in here] for of, about in by_reference(options).items()}
        return frozenset(of for of, about in found.items() if about and (len(about) < len(here) or len(here) == 1))

    def about(self) -> frozenset[str]:
        """The references that the highlighted entry is about."""
        entry = self.highlighted
        if entry is None:
            return frozenset()
        paths = [{step.of for step in self.question.options[number].path if step.of} for number in entry.options]
        return frozenset(set.intersection(*paths)) if paths else frozenset()

    # ------------------------------------------------------------ what is done

    def settle(self) -> None:
        """Put the cursor where Enter does what is meant: on what typed words surely mean, else on the first. Where
        several fit, on none: see :meth:`enter`; nor where there is a usual answer, which Enter gives the second
        time."""
        self.digits = ""
        entries = self.entries
        usual = self.choosing.usual
        self.cursor = None
        if usual and self.typed:
            self.cursor = next((at for at, entry in enumerate(entries) if entry.options == usual.options), None)
        if self.cursor is None and entries and (len(entries) == 1 if self.typed else usual is None):
            self.cursor = 0
        if folded(self.typed) == END and entries and not entries[-1].options:
            self.cursor = len(entries) - 1
        if self.choosing.is_picking and len(self.choosing.picks) == self.question.most and not self.typed:
            self.cursor = len(entries) - 1

    def resize(self, rows: int) -> None:
        """Another number of entries has room."""
        if rows != self.choosing.rows:
            self.choosing = resized(self.choosing, rows)
            self.cursor = None if self.cursor is None else min(self.cursor, len(self.entries) - 1)
            if self.cursor is None or self.cursor < 0:
                self.settle()

    def move(self, by: int) -> None:
        """The cursor goes on by some entries, round the ends by single steps."""
        many = len(self.entries)
        if not many:
            return
        self.digits = ""
        if self.cursor is None:
            self.cursor = 0 if by > 0 else many - 1
        elif abs(by) == 1:
            self.cursor = (self.cursor + by) % many
        else:
            self.cursor = min(max(self.cursor + by, 0), many - 1)

    def digit(self, digit: str) -> None:
        """A number is typed: the cursor goes to the entry of this number."""
        for digits in (self.digits + digit, digit):
            if 0 < int(digits) <= len(self.entries):
                self.digits, self.cursor = digits, int(digits) - 1
                return

    def go_to(self, reference: str) -> None:
        """The cursor goes to the entry of what is pointed at on the table; to none where that is no entry alone."""
        about = set(by_reference(self.question.options).get(reference, ()))
        self.cursor = next((at for at, one in enumerate(self.entries) if one.options and about >= {*one.options}), None)

    def type(self, typed: str) -> None:
        """What is typed is this now."""
        self.typed = typed
        self.choosing = self.choosing.type(typed)
        self.settle()

    def complete(self) -> None:
        """Go on with what is typed to what the entry under the cursor is called."""
        if self.entries:
            self.type((self.highlighted or self.entries[0]).words)

    def back(self) -> bool:
        """One step up; False: this is the beginning."""
        if not self.typed and not self.choosing.opened:
            return False
        self.choosing = self.choosing.back()
        self.typed = ""
        self.settle()
        return True

    def enter(self) -> Answer | None:
        """Choose the entry under the cursor, else the usual; where several fit what is typed, go to the first of them.
        The answer, or None where the choice goes on."""
        if self.is_unsure:
            self.cursor = 0
            self.note = f"{len(self.entries)} options fit; Enter again takes the first, more words tell them apart."
            return None
        entry = self.highlighted
        if entry is None:
            return self._went(self.choosing.enter())
        return self._went(self._taken(entry) if entry.options else self.choosing.answer)

    def _taken(self, entry: Entry) -> Choosing | Answer:
        """What comes of choosing an entry: one that is picked is put back."""
        number = entry.options[0]
        if not entry.is_group and number in self.choosing.picks:
            return self.choosing.put_back(number)
        return self.choosing.take(entry)

    def click(self, at: int) -> bool:
        """Go to an entry, and on from it as far as nothing is decided: open a group, pick one of several. Whether it is
        left to :meth:`enter` to decide for it."""
        self.cursor, self.digits, self.note = at, "", ""
        entry = self.highlighted
        return entry is None or not entry.options or not self._go_on(self.choosing.take(entry))

    def click_on(self, reference: str) -> bool:
        """The same with what stands for a value, for which :meth:`point` decides."""
        self.note = ""
        return not self._go_on(self.choosing.point(reference))

    def _go_on(self, came: Choosing | Answer) -> bool:
        """Go on, unless that is the answer."""
        if not isinstance(came, Choosing) or (came.picks and self.question.least == self.question.most == 1):
            return False
        self._went(came)
        return True

    def point(self, reference: str) -> Answer | None:
        """Choose what stands for a value, as :meth:`enter`."""
        return self._went(self.choosing.point(reference))

    def toggle(self, reference: str = "") -> None:
        """Pick one of several or put it back: the entry under the cursor, or what stands for a value. Never ends the
        choice."""
        entry = self.highlighted
        if reference:
            self._went(self.choosing.point(reference), ends=False)
        elif entry is not None and entry.options:
            self._went(self._taken(entry), ends=False)
        else:
            self.note = "Enter ends the choice. Space only picks and puts back."

    def _went(self, came: Choosing | Answer, ends: bool = True) -> Answer | None:
        """Go on from here. ``ends``: whether a choice of one ends once it is picked."""
        self.note = ""
        if not isinstance(came, Choosing):
            return came
        before, self.choosing = self.choosing, came
        if came is before:
            self.note = self._why_not() if came.is_picking else ""
            return None
        if came.is_sure and came.usual is not None:
            self.note = f"Enter again: {came.usual.words}"
        self.typed = came.typed
        if came.is_picking and came.picks != before.picks and came.entries == before.entries:
            full = len(came.picks) == self.question.most
            if len(came.picks) == len(before.picks) + 2:
                last = plain(self.question.options[came.picks[-1]].label)
                self.note = f"Only “{last}” was left, so it is picked, too. Space on it puts it back."
            if ends and full and came.question.least == came.question.most == 1:
                return came.answer
            self.digits = ""
            if full:
                self.cursor = len(self.entries) - 1
            elif len(came.picks) > len(before.picks):
                self._next()
        else:
            self.settle()
        return None

    def _why_not(self) -> str:
        """Why what was picked last changes nothing."""
        picked, most = len(self.choosing.picks), self.question.most
        if picked < self.question.least:
            return f"At least {self.question.least} are to be picked; so far {picked}."
        return f"At most {most} can be picked: Space on one of them puts it back."

    def _next(self) -> None:
        """From what was picked to the next that is not."""
        entries, picked = self.choosing.entries, self.choosing.picks
        start = self.cursor or 0
        order = [*range(start, len(entries)), *range(start)]
        self.cursor = next((at for at in order if not set(entries[at].options) <= set(picked)), self.cursor)


# ---------------------------------------------------------------- as lines


def listing(chooser: Chooser, columns: int, rows: int) -> Listing:
    """The entries in as few columns as fit in so many rows; where none do, in one, which scrolls."""
    entries = [_entry(chooser, at, entry) for at, entry in enumerate(chooser.entries)]
    if not entries:
        known = command_of(chooser.typed)[0] in COMMANDS
        told = "This is no option but a command: Enter gives it" if known else "Nothing fits; Enter asks why"
        return Listing([(Run(f"{told}, Escape clears it.", dim=True),)], 1)
    places, widest = len(entries), max(map(width_of, entries))
    if chooser.choosing.is_picking and not chooser.typed:  # where the end will stand, once it can be had
        places = len(chooser.choosing.entries) + 1
        widest = max(widest, width_of((Run(f"{places:>2} {_ended(chooser.question.most)}"),)))
    across = min(max((columns + GAP) // (widest + GAP), 1), MOST_COLUMNS)
    for many in range(1, across + 1):
        down = -(-places // many)
        if down <= max(rows, 1):
            break
    else:
        down = -(-places // across)
    if down == places:
        lines = [_with_details(chooser, at, line, columns) for at, line in enumerate(entries)]
        return Listing([_lit(line, at, chooser.cursor) for at, line in enumerate(lines)], down)
    lines = []
    for row in range(down):
        line: list[Run] = []
        for at in range(row, len(entries), down):
            line += blank(GAP if line else 0)
            line += _lit(padded(entries[at], widest), at, chooser.cursor)
        lines.append(tuple(line))
    return Listing(lines, down)


def for_fingers(chooser: Chooser, columns: int, rows: int) -> Listing:
    """The entries as areas that a finger can tap, each over the whole width of its column."""
    flat = listing(chooser, columns, max(rows // FINGER, 1))
    if not chooser.entries:
        return flat
    across = -(-len(chooser.entries) // flat.rows)
    width = (columns - GAP * (across - 1)) // across
    lines: list[Line] = []
    for row in range(flat.rows):
        areas = [_area(chooser, at, width) for at in range(row, len(chooser.entries), flat.rows)]
        lines += [joined(parts, " " * GAP) for parts in zip(*areas, strict=True)]
    return Listing(lines, flat.rows, FINGER)


def _area(chooser: Chooser, at: int, width: int) -> list[Line]:
    """The lines of one entry, which all stand for it."""
    entry = _with_details(chooser, at, _entry(chooser, at, chooser.entries[at]), FINGER * width)
    words = wrapped(entry, width, KEY)[:FINGER]
    lines = [*([()] if len(words) == 1 else []), *words, (), ()][:FINGER]
    back = "" if at == chooser.cursor or at % 2 else "shade"
    return [styled(padded(x, width), of=f"{ENTRY}{at}", reverse=at == chooser.cursor, back=back) for x in lines]


def _lit(line: Line, at: int, cursor: int | None) -> Line:
    """An entry, in reverse under the cursor; each run stands for it."""
    return styled(line, of=f"{ENTRY}{at}", reverse=at == cursor, back="")


def _entry(chooser: Chooser, at: int, entry: Entry) -> Line:
    key: Line = (Run(f"{at + 1:>2} ", dim=True),) if chooser.numbered else (Run(" "),)
    if not entry.options:
        return (*key, Run(_ending(chooser.choosing), bold=True))
    if entry.is_group:
        return (*key, *entry.title, Run(f" … {len(entry.options)}", colour="sky"))
    mark: Line = (Run(_mark(chooser.choosing, entry.options[0]), bold=True),) if chooser.choosing.is_picking else ()
    return (*key, *mark, *entry.title)


def _ending(choosing: Choosing) -> str:
    """How the end of picking stands in the list."""
    return _ended(len(choosing.picks))


def _ended(picked: int) -> str:
    return f"Done, with {picked} picked" if picked else "Done, with none"


def _mark(choosing: Choosing, number: int) -> str:
    """Whether an option is picked, or as which where that counts."""
    if number not in choosing.picks:
        return "[ ] "
    return f"[{choosing.picks.index(number) + 1}] " if choosing.question.in_order else "[x] "


def _with_details(chooser: Chooser, at: int, line: Line, columns: int) -> Line:
    """An entry with what it costs and does behind it, or what lies in a group."""
    entry = chooser.entries[at]
    more: list[Run] = []
    if entry.is_group:
        words = ", ".join(_behind(below.words, entry.words) for below in entry.below)
        more.append(Run(f"  {words}", dim=True))
    elif entry.options:
        more += details(chooser.question.options[entry.options[0]])
    return cut((*line, *styled(more, dim=True)), columns)


def _behind(words: str, title: str) -> str:
    """What an entry says beyond the title of its group."""
    more = words.removeprefix(title)
    return words if more[:1].isalnum() else more.strip(" :,") or words


def asked(chooser: Chooser, columns: int, detailed: bool = False) -> list[Line]:
    """The question, on two lines at most, with where in its steps it is and what is picked so far. ``detailed``: with
    what the option under the cursor costs and does, for which there is no room behind it."""
    question, choosing = chooser.question, chooser.choosing
    line: list[Run] = [*styled(question.prompt, bold=True)]
    if len(question.options) > len(choosing.entries) and not chooser.typed:
        line.append(Run(f"  {len(question.options)} ways", dim=True))
    for group in choosing.opened:
        line += [Run(" › ", dim=True), *group.title]
    lines = wrapped(tuple(line), columns)
    if len(lines) > 2:
        lines = [lines[0], cut((*joined(lines[1:], " "),), columns)]
    if detailed and chooser.option is not None:  # and no line more, so that nothing moves with the cursor
        lines[-1] = cut((*lines[-1], *styled(details(chooser.option), dim=True)), columns)
    if choosing.is_picking:
        lines += clipped(wrapped(picked(choosing), columns), columns, MOST_PICKED)
    return lines
