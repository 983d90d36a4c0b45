"""Choose options by cursor, number, typed words or mouse, and lay out the list, the question and the key hints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from lusory_dsl.source.diagnostics import nearest

from ..model.boards import neighbours
from ..model.layout import clipped
from ..model.option_tree import Choosing, Entry, begin, by_reference, details, folded, picked, resized, within
from ..model.screen import Answer, Map, Option, Panel, Question, Screen
from ..model.text import Line, Run, blank, cut, joined, padded, plain, styled, width_of, wrapped
from ..session.protocol import Shown
from .screen_arrangement import LEAST_LIST, TALL, Sheet, ending_of, entries_for, list_rows

KEYS = {
    "enter": "enter",
    "tab": "tab",
    "escape": "back",
    "backspace": "erase",
    "ctrl+z": "undo",
    "ctrl+y": "redo",
    "ctrl+s": "save",
    "ctrl+q": "leave",
    "ctrl+c": "interrupt",
    "f1": "help",
    "f2": "table",
    "f3": "story",
    "f4": "look",
    "f5": "rules",
    "f6": "details",
    "f7": "glossary",
}
"""Key -> action of the table."""

SCROLLS = {"pageup": ("story", -5), "pagedown": ("story", 5), "shift+up": ("table", -3), "shift+down": ("table", 3)}
"""Key -> the part that scrolls, and the number of lines."""

THROUGH = frozenset({"f1", "f2", "f3", "f4", "f5", "f6", "f7", "ctrl+q", "ctrl+c"})
"""Keys that do on a help page what they do at the table."""

COMMANDS = {
    "help": "help",
    "table": "table",
    "log": "story",
    "rules": "rules",
    "explain": "rules",
    "look": "look",
    "glossary": "glossary",
    "why": "why",
    "hint": "hint",
    "auto": "auto",
    "undo": "undo",
    "redo": "redo",
    "save": "save",
    "plain": "plain",
    "quit": "leave",
}
"""Command word -> action of the table. Some actions take arguments."""


def command_of(typed: str) -> tuple[str, str]:
    """Split typed text into a command word and its arguments."""
    word, _, rest = typed.strip().lstrip(":/").partition(" ")
    return word.lower(), rest.strip()


def unknown(word: str) -> tuple[Line, ...]:
    """Return a hint about a word that is neither an option nor a command."""
    near = nearest(word, COMMANDS)
    meant = f"Did you mean “{near}”? " if near else ""
    return ((), (Run(f"{meant}F1 tells what can be typed.", dim=True),))


_ABOUT = (
    ("Choosing", ""),
    ("↑ ↓ ← →", "go from one option to the next"),
    ("1 2 3 …", "go to the option of this number"),
    ("letters", "leave the options in which these words stand, in any order"),
    ("Tab", "goes on with what is typed; else from the list to the table and back"),
    ("Enter", "takes what is highlighted; where nothing is, twice: the usual answer"),
    ("Space", "picks one of several, and puts it back"),
    ("Escape", "goes back a step"),
    ("click", "goes to an option, or to what is underlined on the table; elsewhere it looks"),
    ("twice", "a double click takes it, as Enter does; keys in the last line can be clicked, too"),
    ("Reading", ""),
    ("PgUp PgDn", "scroll what happened; Shift ↑ ↓ the table"),
    ("F2", "the whole table"),
    ("F3", "everything that happened; F6 since your decision, with what it changed"),
    ("F4", "what the highlighted option is about; also: look NAME"),
    ("F5", "the rules; also: rules NAME, or explain NAME; F7 what each word of this game means"),
    ("pointing", "at a word or thing with the mouse tells what it is; a click tells all of it"),
    ("why NAME", "why something can't be chosen now"),
    ("hint", "what you could take, what it comes to and what is likely to follow"),
    (
        "auto",
        "a bot decides this for you; auto 5, auto turn, auto game, auto until WORDS; any key stops it",
    ),
    ("Playing", ""),
    (
        "Ctrl-Z",
        "takes your last decision back, unless chance or a secret came out since; Ctrl-Y decides it again",
    ),
    ("Ctrl-S", "saves the game; also: save FILE"),
    ("plain", "goes on line by line"),
    ("Ctrl-Q", "leaves the game"),
)


def _help() -> tuple[Line, ...]:
    lines: list[Line] = []
    for what, words in _ABOUT:
        if not words:
            lines += [(), (Run(what, bold=True),)]
        else:
            lines.append((Run(f"  {what:<10} ", colour="sky"), Run(words)))
    return tuple(lines[1:])


HELP = _help()
"""The help page about keys and commands."""


ENTRY = "#"
"""Prefix of references to entries of a list: ``#3``."""
END = "done"
GAP = 2
MOST_COLUMNS = 4
FINGER = 3
"""Rows of a tap target: 54 pixels in a browser."""
KEY = 3
"""Columns of the number of an entry."""
MOST_PICKED = 2
"""Maximum rows for the current picks."""


class Listing(NamedTuple):
    """Hold the lines of a list. ``rows`` is the number of entries per column, and ``height`` the lines of an entry."""

    lines: list[Line]
    rows: int
    height: int = 1


@dataclass
class Chooser:
    """Hold a choice together with the input state.

    Attributes:
        typed: The typed text, with its blanks.
        cursor: The index of the highlighted entry. None means that Enter gives the default answer.
        digits: The number that is being typed.
        note: A message about the last Enter, or "".
    """

    choosing: Choosing
    typed: str = ""
    cursor: int | None = None
    digits: str = ""
    note: str = ""

    @classmethod
    def of(cls, question: Question, rows: int) -> Chooser:
        """Start a choice with room for ``rows`` entries."""
        chooser = cls(begin(question, rows))
        chooser.settle()
        return chooser

    # ------------------------------------------------------------ state

    @property
    def question(self) -> Question:
        return self.choosing.question

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Return the entries.

        If several options can be picked, the last entry ends picking as soon as that is possible.
        """
        ends = self.choosing.can_end and folded(_ending(self.choosing)).startswith(folded(self.typed))
        return (*self.choosing.entries, *((Entry((Run(END),), ()),) if ends else ()))

    @property
    def highlighted(self) -> Entry | None:
        """Return the entry under the cursor."""
        # The last entry disappears if too few options are picked.
        entries = self.entries
        return None if self.cursor is None or not entries else entries[min(self.cursor, len(entries) - 1)]

    @property
    def option(self) -> Option | None:
        """Return the option under the cursor. Returns None for a group."""
        entry = self.highlighted
        return self.question.options[entry.options[0]] if entry is not None and len(entry.options) == 1 else None

    @property
    def is_unsure(self) -> bool:
        """Return whether several entries match the typed text and none is highlighted."""
        return bool(self.typed and self.entries) and self.cursor is None

    @property
    def numbered(self) -> bool:
        """Return whether entries are chosen by number.

        If the options are numbers themselves, digits filter them instead.
        """
        return not all(option.id.isdecimal() for option in self.question.options)

    def reachable(self) -> frozenset[str]:
        """Return the references that distinguish the options of the open group, so that clicks on them choose."""
        options = self.question.options
        opened = self.choosing.opened
        here = within(options, opened[-1].options) if opened else range(len(options))
        found = {of: [at for at in about if at in here] for of, about in by_reference(options).items()}
        return frozenset(of for of, about in found.items() if about and (len(about) < len(here) or len(here) == 1))

    def about(self) -> frozenset[str]:
        """Return the references that all options of the highlighted entry share."""
        entry = self.highlighted
        if entry is None:
            return frozenset()
        paths = [{step.of for step in self.question.options[number].path if step.of} for number in entry.options]
        return frozenset(set.intersection(*paths)) if paths else frozenset()

    # ------------------------------------------------------------ actions

    def settle(self) -> None:
        """Place the cursor on the entry that Enter should take.

        That is the match of the typed text, or else the first entry. Without a clear match, or if there is a default
        answer, no entry is highlighted.
        """
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
        """Adapt to another number of rows."""
        if rows != self.choosing.rows:
            self.choosing = resized(self.choosing, rows)
            self.cursor = None if self.cursor is None else min(self.cursor, len(self.entries) - 1)
            if self.cursor is None or self.cursor < 0:
                self.settle()

    def move(self, by: int) -> None:
        """Move the cursor. Single steps wrap around the ends."""
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
        """Add a digit to the typed number, and move the cursor to that entry."""
        for digits in (self.digits + digit, digit):
            if 0 < int(digits) <= len(self.entries):
                self.digits, self.cursor = digits, int(digits) - 1
                return

    def go_to(self, reference: str) -> None:
        """Move the cursor to the entry of a thing on the table, or to none if no entry is only about it."""
        about = set(by_reference(self.question.options).get(reference, ()))
        self.cursor = next((at for at, one in enumerate(self.entries) if one.options and about >= {*one.options}), None)

    def type(self, typed: str) -> None:
        """Set the typed text."""
        self.typed = typed
        self.choosing = self.choosing.type(typed)
        self.settle()

    def complete(self) -> None:
        """Complete the typed text to the label of the highlighted entry."""
        if self.entries:
            self.type((self.highlighted or self.entries[0]).words)

    def back(self) -> bool:
        """Go back one step. Returns False at the beginning."""
        if not self.typed and not self.choosing.opened:
            return False
        self.choosing = self.choosing.back()
        self.typed = ""
        self.settle()
        return True

    def enter(self) -> Answer | None:
        """Choose the highlighted entry or the default answer. Returns the answer, or None if the choice continues.

        If several entries match the typed text, only move to the first one.
        """
        if self.is_unsure:
            self.cursor = 0
            self.note = f"{len(self.entries)} options fit; Enter again takes the first, more words tell them apart."
            return None
        entry = self.highlighted
        if entry is None:
            return self._went(self.choosing.enter())
        return self._went(self._taken(entry) if entry.options else self.choosing.answer)

    def _taken(self, entry: Entry) -> Choosing | Answer:
        """Choose an entry. Choosing a picked one removes the pick."""
        number = entry.options[0]
        if not entry.is_group and number in self.choosing.picks:
            return self.choosing.put_back(number)
        return self.choosing.take(entry)

    def click(self, at: int) -> bool:
        """Move to an entry, open a group or pick an option. Returns whether :meth:`enter` must confirm it."""
        self.cursor, self.digits, self.note = at, "", ""
        entry = self.highlighted
        return entry is None or not entry.options or not self._go_on(self.choosing.take(entry))

    def click_on(self, reference: str) -> bool:
        """Choose a thing on the table like :meth:`click`. Returns whether :meth:`point` must confirm it."""
        self.note = ""
        return not self._go_on(self.choosing.point(reference))

    def _go_on(self, came: Choosing | Answer) -> bool:
        """Continue the choice. Returns False if the click would give the answer."""
        if not isinstance(came, Choosing) or (came.picks and self.question.least == self.question.most == 1):
            return False
        self._went(came)
        return True

    def point(self, reference: str) -> Answer | None:
        """Choose a thing on the table, and return the answer like :meth:`enter`."""
        return self._went(self.choosing.point(reference))

    def toggle(self, reference: str = "") -> None:
        """Pick an entry, or remove its pick. Never ends the choice."""
        entry = self.highlighted
        if reference:
            self._went(self.choosing.point(reference), ends=False)
        elif entry is not None and entry.options:
            self._went(self._taken(entry), ends=False)
        else:
            self.note = "Enter ends the choice. Space only picks and puts back."

    def _went(self, came: Choosing | Answer, ends: bool = True) -> Answer | None:
        """Continue with a new state. ``ends`` tells whether picking the only option ends the choice."""
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
        """Explain why the last pick changed nothing."""
        picked, most = len(self.choosing.picks), self.question.most
        if picked < self.question.least:
            return f"At least {self.question.least} are to be picked; so far {picked}."
        return f"At most {most} can be picked: Space on one of them puts it back."

    def _next(self) -> None:
        """Move the cursor to the next entry that is not picked."""
        entries, picked = self.choosing.entries, self.choosing.picks
        start = self.cursor or 0
        order = [*range(start, len(entries)), *range(start)]
        self.cursor = next((at for at in order if not set(entries[at].options) <= set(picked)), self.cursor)


# ---------------------------------------------------------------- layout


def listing(chooser: Chooser, columns: int, rows: int) -> Listing:
    """Lay out the entries in as few columns as fit into ``rows``. If none fit, use one column that scrolls."""
    entries = [_entry(chooser, at, entry) for at, entry in enumerate(chooser.entries)]
    if not entries:
        known = command_of(chooser.typed)[0] in COMMANDS
        told = "This is no option but a command: Enter gives it" if known else "Nothing fits; Enter asks why"
        return Listing([(Run(f"{told}, Escape clears it.", dim=True),)], 1)
    places, widest = len(entries), max(map(width_of, entries))
    # Reserve the place of the entry that ends picking.
    if chooser.choosing.is_picking and not chooser.typed:
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
    """Lay out the entries as tap targets, each as wide as its column."""
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
    """Return the lines of an entry as a tap target."""
    entry = _with_details(chooser, at, _entry(chooser, at, chooser.entries[at]), FINGER * width)
    words = wrapped(entry, width, KEY)[:FINGER]
    lines = [*([()] if len(words) == 1 else []), *words, (), ()][:FINGER]
    back = "" if at == chooser.cursor or at % 2 else "shade"
    return [styled(padded(x, width), of=f"{ENTRY}{at}", reverse=at == chooser.cursor, back=back) for x in lines]


def _lit(line: Line, at: int, cursor: int | None) -> Line:
    """Highlight an entry under the cursor, and add its reference."""
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
    """Return the label of the entry that ends picking."""
    return _ended(len(choosing.picks))


def _ended(picked: int) -> str:
    return f"Done, with {picked} picked" if picked else "Done, with none"


def _mark(choosing: Choosing, number: int) -> str:
    """Return the mark of an option: whether it is picked, and its position if the order matters."""
    if number not in choosing.picks:
        return "[ ] "
    return f"[{choosing.picks.index(number) + 1}] " if choosing.question.in_order else "[x] "


def _with_details(chooser: Chooser, at: int, line: Line, columns: int) -> Line:
    """Add details to an entry: cost and effects, or the content of a group."""
    entry = chooser.entries[at]
    more: list[Run] = []
    if entry.is_group:
        words = ", ".join(_behind(below.words, entry.words) for below in entry.below)
        more.append(Run(f"  {words}", dim=True))
    elif entry.options:
        more += details(chooser.question.options[entry.options[0]])
    return cut((*line, *styled(more, dim=True)), columns)


def _behind(words: str, title: str) -> str:
    """Remove the title of the group from the label of an entry."""
    more = words.removeprefix(title)
    return words if more[:1].isalnum() else more.strip(" :,") or words


def asked(chooser: Chooser, columns: int, detailed: bool = False) -> list[Line]:
    """Lay out the question on at most two lines, followed by the open groups and the current picks.

    ``detailed`` adds the cost and effects of the highlighted option, for lists without room for them.
    """
    question, choosing = chooser.question, chooser.choosing
    line: list[Run] = [*styled(question.prompt, bold=True)]
    if len(question.options) > len(choosing.entries) and not chooser.typed:
        line.append(Run(f"  {len(question.options)} ways", dim=True))
    for group in choosing.opened:
        line += [Run(" › ", dim=True), *group.title]
    lines = wrapped(tuple(line), columns)
    if len(lines) > 2:
        lines = [lines[0], cut((*joined(lines[1:], " "),), columns)]
    # The number of lines stays the same, so that nothing moves with the cursor.
    if detailed and chooser.option is not None:
        lines[-1] = cut((*lines[-1], *styled(details(chooser.option), dim=True)), columns)
    if choosing.is_picking:
        lines += clipped(wrapped(picked(choosing), columns), columns, MOST_PICKED)
    return lines


LONGEST = 28
"""Maximum width of the description of an undo."""


class Hint(NamedTuple):
    """Hold a key and its action. ``button`` is the label on touch screens, or "" if it is omitted there."""

    key: str
    words: str
    button: str = ""


def last_line(columns: int, left: Line, hints: Sequence[Hint]) -> Line:
    """Return a line with ``left`` at its start, and as many key hints as fit at its end.

    Each hint refers to its key.
    """
    room = columns - width_of(left) - 2
    right: Line = ()
    for hint in hints:
        more = (*right, *((Run(" · ", dim=True),) if right else ()), Run(hint.words, dim=True, of=hint.key))
        if width_of(more) > room:
            break
        right = more
    return (*padded(left, max(columns - width_of(right), 0)), *right)


def buttons(columns: int, hints: Sequence[Hint], most: int = 1) -> list[Line]:
    """Lay out tap targets for keys in at most ``most`` rows of buttons."""
    rows: list[Line] = [()]
    for hint in hints:
        button = Run(f" {hint.button} ", bold=True, back="shade", of=hint.key)
        gap = blank(1) if rows[-1] else ()
        if width_of((*rows[-1], *gap, button)) <= columns:
            rows[-1] += (*gap, button) if hint.button else ()
        elif len(rows) < most:
            rows.append((button,))
    lines: list[Line] = []
    for row in rows:
        empty = tuple(replace(run, text=" " * width_of((run,))) for run in row)
        lines += [*([()] if lines else []), empty, *[row] * (FINGER - 2), empty]
    return lines


def foot(columns: int, left: Line, hints: Sequence[Hint], has_touch: bool, most: int = 1) -> list[Line]:
    """Return the footer: a single line, or a line and buttons on touch screens."""
    return [cut(left, columns), *buttons(columns, hints, most)] if has_touch else [last_line(columns, left, hints)]


def hints(
    shown: Shown | None, chooser: Chooser | None, on_board: bool, can_point: bool, is_own: bool, more: bool
) -> list[Hint]:
    """Return the available actions, the most important first.

    ``more`` tells whether parts of the table are not visible.
    """
    found: list[Hint] = []
    about = shown is not None and shown.screen.about
    aim = Hint("f1", "F1 aim, help" if about else "F1 help", "Help")
    is_new = shown is not None and shown.screen.new
    if chooser is not None:
        found.append(Hint("enter", _usual(chooser, on_board), "Choose"))
    if is_new:
        found.append(aim)
    if more:
        found.append(Hint("shift+down", "Shift-↑↓ more of it"))
    if can_point:
        found.append(Hint("tab", "Tab the list" if on_board else "Tab the table"))
    if shown is not None and shown.undo:
        found.append(Hint("ctrl+z", f"^Z takes back “{plain(cut(shown.undo, LONGEST))}”", "Take back"))
    if chooser is not None and (chooser.typed or chooser.choosing.opened):
        found.append(Hint("escape", "Escape back", "Back"))
    if shown is not None and shown.redo:
        found.append(Hint("ctrl+y", f"^Y again “{plain(cut(shown.redo, LONGEST))}”", "Again"))
    found += [] if is_new else [aim]
    found += [Hint("f2", "F2 table", "Table"), Hint("f3", "F3 story", "Story")]
    return [*found, *([Hint("ctrl+s", "^S save")] if is_own else []), Hint("ctrl+q", "^Q leave", "Leave")]


def _usual(chooser: Chooser, on_board: bool) -> str:
    """Describe the effect of Enter."""
    if chooser.cursor is not None or on_board or chooser.choosing.usual is None:
        return "Enter takes it"
    twice = "" if chooser.typed else " again" if chooser.choosing.is_sure else " twice"
    return f"Enter{twice}: {chooser.choosing.usual.words}"


def unasked(screen: Screen, columns: int, is_own: bool) -> list[Line]:
    """Return the lines shown instead of a question: the result, or whose decision the game waits for."""
    if screen.ending is not None:
        ways = ["r rematch", "g the same again", "l what happened"] if is_own else []
        ways += [*(["F2 what was hidden"] if screen.ending.revealed else []), "q leaves"]
        return [*ending_of(screen, screen.ending, columns), *wrapped((Run(" · ".join(ways), dim=True),), columns)]
    who = screen.names[screen.waiting] if screen.waiting is not None else ""
    return [(Run(f"{who} decides …", dim=True),)]


def is_about_places(question: Question, screen: Screen) -> bool:
    """Return whether most options are places on the table, so that the cursor starts there."""
    cells = [cell for panel in screen.panels for row in getattr(panel, "rows", ()) for cell in row.cells if cell]
    cells += [node.cell for panel in screen.panels for node in getattr(panel, "nodes", ())]
    places = {cell.of for cell in cells if cell.of}
    about = [option for option in question.options if any(step.of in places for step in option.path)]
    return bool(about) and len(question.options) - len(about) <= 1 < len(question.options)


FEWEST = 3
"""Minimum rows of a list in columns, if the table needs room."""
QUESTION_KEY = 4
"""Columns for the number of an entry and a scroll bar."""


class QuestionSheets:
    """Draw the question and its options.

    Attributes:
        tallest: The most rows that the list has had for this question. It keeps them, so that filtering moves nothing.
        low: Whether the list takes little room, because the player chooses on the board.
        dense: Whether the list uses more columns, so that the table has more rows.
    """

    def __init__(self, prompt: Sheet, options: Sheet, has_touch: bool = False) -> None:
        self.prompt, self.options = prompt, options
        self.tallest = 0
        self.low = self.dense = False
        # Whether the list has a single column.
        self.is_single = True
        self.has_touch = has_touch

    def listing(self, chooser: Chooser, columns: int, rows: int) -> Listing:
        """Lay out the list for a terminal size."""
        most = list_rows(rows)
        if self.has_touch:
            return for_fingers(chooser, columns - 1, most)
        for fewer in range(FEWEST, most) if self.dense else ():
            found = listing(chooser, columns - 1, fewer)
            if len(found.lines) <= fewer:
                return found
        return listing(chooser, columns - 1, most)

    def say(self, lines: list[Line]) -> int:
        """Show lines instead of a question, and return their number."""
        self.prompt.styles.height = len(lines)
        self.prompt.show(lines)
        self.options.styles.height = 0
        self.options.show(())
        return len(lines)

    def draw(self, chooser: Chooser, columns: int, rows: int) -> int:
        """Draw the question and its options, and return the rows used."""
        chooser.resize(entries_for(rows))
        listed = self.listing(chooser, columns, rows)
        self.is_single = listed.rows >= len(chooser.entries)
        least = FINGER if self.has_touch else LEAST_LIST
        most = least if self.low and rows < TALL and not chooser.choosing.opened else list_rows(rows)
        if self.dense and not self.has_touch:
            most = min(most, max(len(listed.lines), FEWEST))
        prompt = asked(chooser, columns, not self.is_single)
        height = self.tallest = max(min(len(listed.lines), most), min(self.tallest, most))
        self.prompt.styles.height = len(prompt)
        self.options.styles.height = height
        self.prompt.show(prompt)
        self.options.show([*listed.lines, *[()] * (height - len(listed.lines))])
        if chooser.cursor is not None:
            row = chooser.cursor % listed.rows * listed.height
            for line in (row + listed.height - 1, row):
                self.options.reveal(line)
        return len(prompt) + height

    def facts(self, chooser: Chooser, marked: str, panels: Sequence[Panel]) -> list[Line]:
        """Return facts about the highlighted option, or the thing ``marked`` on the board, that the list omits."""
        options, entry = chooser.question.options, chooser.highlighted
        numbers = by_reference(options).get(marked, ()) if marked else () if entry is None else entry.options
        option = options[numbers[0]] if len(numbers) == 1 else None
        lines: list[Line] = []
        if option is not None:
            whole = (*option.label, *details(option))
            room = self.options.size.width - QUESTION_KEY if self.is_single else 0
            if width_of(whole) > (room if details(option) else self.options.size.width - QUESTION_KEY):
                lines.append(whole)
        place = marked or next((step.of for step in reversed(option.path if option else ()) if step.of), "")
        near = neighbours([panel for panel in panels if isinstance(panel, Map)], place)
        if near and not (option is not None and option.near):
            lines.append((Run("beside it: ", dim=True), *joined(near)))
        return lines
