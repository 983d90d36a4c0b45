"""A choice under way: which group is open, what is typed, what is picked so far, and what comes of Enter.

A value: each key or line makes another. ``Choosing | Answer``: the choice goes on, or this is the answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from .lines import joined
from .model import DONE, Answer, Question
from .options import Entry, alone, by_reference, cut, folded, matching, tree, within
from .text import Line, Run
from .words import DO

ROWS = 12
"""So many entries are shown at a time, but for one group that can't be parted."""


@dataclass(frozen=True, slots=True)
class Choosing:
    """``opened``: the groups that were opened, outermost first. ``typed``: words that filter. ``picks``: numbers of the
    options picked, in the order in which they were. ``entries``: what is shown now. ``is_sure``: the usual answer was
    asked for once, so that it is given the next time."""

    question: Question
    rows: int
    every: tuple[Entry, ...]
    opened: tuple[Entry, ...] = ()
    typed: str = ""
    picks: tuple[int, ...] = ()
    entries: tuple[Entry, ...] = ()
    is_sure: bool = False

    # ------------------------------------------------------------ what is shown

    @property
    def title(self) -> Entry | None:
        """The group whose entries are shown; None: all."""
        return self.opened[-1] if self.opened and not self.typed else None

    @property
    def is_picking(self) -> bool:
        return self.question.several

    @property
    def can_end(self) -> bool:
        """Whether as many are picked as must be."""
        return self.is_picking and self.question.least <= len(self.picks) <= self.question.most

    @property
    def usual(self) -> Entry | None:
        """What Enter chooses: what typed words mean, else, the second time, the usual answer."""
        if self.typed:
            return self._meant
        number = self.question.usual
        if number is None or self.is_picking or self.opened:
            return None
        return Entry(self.question.options[number].label, (number,))

    @property
    def _meant(self) -> Entry | None:
        """What typed words surely mean: the only entry that is left, else the only one that begins with them."""
        wanted = folded(self.typed)
        begun = [entry for entry in self.entries if folded(entry.words).startswith(wanted)]
        for found in (self.entries, begun):
            if len(found) == 1:
                return found[0]
        return None

    # ------------------------------------------------------------ what is done

    def type(self, words: str) -> Choosing:
        """Filter all options by words; none: show the groups again."""
        return _shown(replace(self, typed=words.strip(), is_sure=False))

    def back(self) -> Choosing:
        """One step up: what is typed is forgotten first, then the group is closed."""
        if self.typed:
            return self.type("")
        return _shown(replace(self, opened=self.opened[:-1], is_sure=False))

    def take(self, entry: Entry) -> Choosing | Answer:
        """Choose what an entry stands for: a group is opened, an option is the answer, or, of several, is picked, or
        no more."""
        if entry.is_group:
            return _shown(replace(self, opened=(*self.opened, entry), typed="", is_sure=False))
        return self.choose(entry.options[0])

    def choose(self, number: int) -> Choosing | Answer:
        """Choose an option by its number in the question."""
        if not self.is_picking:
            return (self.question.options[number].id,)
        if number in self.picks:
            if number == self.picks[-1] and len(self.picks) == self.question.least == len(self.question.options):
                return self  # it was filled in, and whoever names it, too, wants it
            return self.put_back(number)
        picks = (*self.picks, number)
        if len(picks) > self.question.most:
            return self
        left = [one for one in range(len(self.question.options)) if one not in picks]
        if len(left) == 1 and len(picks) == self.question.least - 1:
            picks = (*picks, *left)  # nothing else is possible
        return replace(self, picks=picks).type("")

    def put_back(self, number: int) -> Choosing:
        """Pick an option no more."""
        return replace(self, picks=tuple(one for one in self.picks if one != number))

    def point(self, reference: str) -> Choosing | Answer:
        """Choose a thing that is pointed at: its only option, else a list of those that are about it."""
        every = self.question.options
        here = within(every, self.opened[-1].options) if self.opened else range(len(every))
        about = tuple(at for at in by_reference(every).get(reference, ()) if at in here)
        if len(about) == 1:
            return self.choose(about[0])
        if not about:
            return self
        options = self.question.options
        below = tuple(alone(options, number) for number in about)
        title = next(step for step in options[about[0]].path if step.of == reference)
        return self.take(Entry((title,), about, below))

    def enter(self) -> Choosing | Answer:
        """What comes of saying no more than go on: what typed words mean; of several the end, if enough are picked;
        else the usual, which is asked for twice, since it gives away what else could be done."""
        if self.usual is not None:
            return self.take(self.usual) if self.typed or self.is_sure else replace(self, is_sure=True)
        return self.answer if self.can_end and not self.typed else self

    @property
    def answer(self) -> Answer:
        """The picks as an answer, in the order of the options, or in which they were picked where that counts."""
        order: Sequence[int] = self.picks if self.question.in_order else sorted(self.picks)
        ids = tuple(self.question.options[number].id for number in order)
        return ids if len(ids) == self.question.most else (*ids, DONE)


def begin(question: Question, rows: int = ROWS) -> Choosing:
    """A choice that begins, with room for so many entries."""
    return _shown(Choosing(question, rows, tree(question.options)))


def resized(choosing: Choosing, rows: int) -> Choosing:
    """The same with room for another number of entries."""
    return _shown(replace(choosing, rows=rows))


def _shown(choosing: Choosing) -> Choosing:
    options = choosing.question.options
    if choosing.typed:
        found = matching(options, choosing.typed)
        entries = tuple(alone(options, number) for number in found)
    else:
        within = choosing.opened[-1].below if choosing.opened else choosing.every
        entries = cut(options, within, choosing.rows)
    return replace(choosing, entries=entries)


def to_type(choosing: Choosing) -> list[str]:
    """What to type for each entry that is shown: numbers from 1, or, where the options are whole numbers, these."""
    options = choosing.question.options
    ids = ["" if entry.is_group else options[entry.options[0]].id for entry in choosing.entries]
    if ids and all(id.isdecimal() for id in ids):
        return ids
    return [str(number) for number in range(1, len(ids) + 1)]


def asked_about(choosing: Choosing, topic: str, words: str) -> str:
    """What is asked about behind ``look`` or ``why``: the number of an entry stands for what the entry is about, or for
    its words; other words stand for themselves."""
    known = to_type(choosing)
    number, _, more = words.strip().partition(" ")
    if topic not in ("look", "why") or number not in known or (more and not more.startswith("--")):
        return words
    entry = choosing.entries[known.index(number)]
    path = choosing.question.options[entry.options[0]].path
    about = [step.text for step in path if step.of and not step.of.startswith(DO)]
    return f"{about[-1] if topic == 'look' and about else entry.words} {more}".strip()


def picked(choosing: Choosing) -> Line:
    """How many of how many are picked, and which: ``2 of 3 picked, in their order: Sword, Shield``."""
    question = choosing.question
    before = len(question.picked)
    least, most = question.least and question.least + before, question.most + before
    number = f"{most}" if least == most else f"up to {most}" if least == 0 else f"{least} to {most}"
    numbers = choosing.picks if question.in_order else sorted(choosing.picks)
    chosen = [*question.picked, *(question.options[at].label for at in numbers)]
    order = ", in their order" if question.in_order else ""
    told = Run(f"{len(chosen)} of {number} picked{order}{': ' if chosen else ''}", dim=True)
    return (told, *joined(chosen))
