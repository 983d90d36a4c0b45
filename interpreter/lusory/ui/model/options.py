"""Option tree and a choice in progress."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, takewhile

from .screen import DONE, Answer, Option, Question
from .text import DO, Line, Run, beginning, capital, joined, plain

Path = tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """What stands in a list: one option, or a group of them with entries ``below`` it. ``options``: their numbers in
    the question, in its order. ``of``: the step of the path that a group is about."""

    title: Line
    options: tuple[int, ...]
    below: tuple[Entry, ...] = ()
    of: str = ""

    @property
    def is_group(self) -> bool:
        return bool(self.below)

    @property
    def words(self) -> str:
        """The title without its styles."""
        return plain(self.title)


def tree(options: Sequence[Option]) -> tuple[Entry, ...]:
    """All options, in as many steps as their paths have; what has one thing below it is that thing. Of copies of the
    same the first stands for all."""
    filed = [(option.path, number) for number, option in enumerate(options) if option.like < 0]
    pairs = _unordered(filed)
    for path, number in filed[:]:
        for do, left, right in pairs:
            if path[:1] == do and right < len(path):
                swapped = list(path)
                swapped[left], swapped[right] = path[right], path[left]
                filed.append((tuple(swapped), number))
    return _grown(options, filed, 0, ())


def _unordered(filed: Sequence[tuple[Path, int]]) -> list[tuple[Path, int, int]]:
    """Alternatives with two places of their paths that hold every pair of some values of one kind once, whatever stands
    before and between."""
    found: dict[tuple[Path, int, int], dict[tuple[Run, ...], set[tuple[Run, Run]]]] = {}
    for path, _ in filed:
        for left, right in combinations(range(1, len(path)), 2):
            if kind := _kind(path[left]):
                rest = (*path[1:left], Run("|"), *path[left + 1 : right], Run("|"), *path[right + 1 :])
                groups = found.setdefault((path[:1], left, right), {})
                if kind == _kind(path[right]):
                    groups.setdefault(rest, set()).add((path[left], path[right]))
    return [place for place, groups in found.items() if groups and all(map(_is_every_pair, groups.values()))]


def _kind(step: Run) -> str:
    return step.of.partition(":")[0]


def _is_every_pair(pairs: set[tuple[Run, Run]]) -> bool:
    size = len({value for pair in pairs for value in pair})
    return size > 2 and len(pairs) == size * (size - 1) // 2 and not any((b, a) in pairs for a, b in pairs)


def _grown(options: Sequence[Option], filed: Sequence[tuple[Path, int]], depth: int, above: Line) -> tuple[Entry, ...]:
    """The entries of some options that have the first ``depth`` steps in common."""
    groups: dict[Run | None, list[tuple[Path, int]]] = {}
    for path, number in filed:
        groups.setdefault(path[depth] if depth < len(path) else None, []).append((path, number))
    if len(groups) == 1 and None not in groups and len(filed) > 1:
        (step,) = groups
        title = _title(options, filed, depth, above) if depth or above else above
        return _grown(options, filed, depth + 1, title)
    entries: list[Entry] = []
    for step, members in groups.items():
        numbers = tuple(sorted({number for _, number in members}))
        if step is None or len(numbers) == 1:
            entries += [alone(options, number) for number in numbers]
            continue
        title = _title(options, members, depth, above)
        entries.append(Entry(title, numbers, _grown(options, members, depth + 1, title), step.of))
    return tuple(_told_apart(options, entries))


def _title(options: Sequence[Option], members: Sequence[tuple[Path, int]], depth: int, above: Line) -> Line:
    """What the labels of a group begin with, if that says what the group is about; else the title above with the words
    of the value behind it."""
    step = members[0][0][depth]
    labels = [options[number].label for _, number in members]
    if depth and (ranged := with_ranges([plain(label) for label in labels])):
        return (Run(ranged),)
    head = beginning(labels[0], len(common_words([plain(label) for label in labels])))
    said, before = plain(head), plain(above)
    if said and said != before and (depth == 0 or step.text in said):
        end = said.rfind(step.text) + len(step.text)
        end += sum(1 for _ in takewhile(str.isalnum, said[end:]))  # a plural goes on behind the value
        is_more = depth == 0 or said[end : end + 1] in (":", ",")  # else a word that leads on to the next value
        return head if is_more else beginning(head, end)
    if depth == 0 or not above:
        return capital((step,)) if step.of.startswith(DO) else (step,)
    return above if step.text in before.split() else joined((above, (step,)), " ")


def with_ranges(texts: Sequence[str]) -> str:
    """Texts that differ in numbers alone, and plurals behind them, as one: ``Sell 1–3 Goods``; "" for others."""
    rows = [text.split(" ") for text in texts]
    if len(rows) < 2 or len({len(row) for row in rows}) > 1:
        return ""
    found, numbers = [], 0
    for words in map(set, zip(*rows, strict=True)):
        first, *others = sorted(words, key=len)
        if all(word.isdecimal() for word in words) and others:
            numbers += 1
            found.append(f"{min(map(int, words))}–{max(map(int, words))}")
        elif len(others) > 1 or (others and others[0].removesuffix("s").removesuffix("ie") != first.removesuffix("y")):
            return ""
        else:
            found.append(others[0] if others else first)
    return " ".join(found) if numbers else ""


def common_words(texts: Sequence[str]) -> str:
    """The whole words that texts begin with, without signs at the end."""
    side_by_side = zip(*(text.split(" ") for text in texts), strict=False)
    common = takewhile(lambda words: len(set(words)) == 1, side_by_side)
    return " ".join(words[0] for words in common).rstrip(" :,;(–-")


def _told_apart(options: Sequence[Option], entries: Sequence[Entry]) -> Iterator[Entry]:
    """Groups that read like another entry say what is done, too."""
    titles = [entry.words for entry in entries]
    for entry in entries:
        do = options[entry.options[0]].path[:1]
        if entry.is_group and titles.count(entry.words) > 1 and do and do[0].text not in entry.words:
            yield replace(entry, title=joined((do, entry.title), ": "))
        else:
            yield entry


# ---------------------------------------------------------------- what fits


def within(options: Sequence[Option], numbers: Iterable[int]) -> tuple[int, ...]:
    """Some options with the copies for which they stand."""
    some = set(numbers)
    return tuple(number for number, option in enumerate(options) if number in some or option.like in some)


def alone(options: Sequence[Option], number: int) -> Entry:
    """An option as an entry, with how many copies of the same it stands for."""
    times = 1 + sum(option.like == number for option in options)
    label = options[number].label
    return Entry((*label, Run(f" (×{times})", dim=True)) if times > 1 else label, (number,))


def cut(options: Sequence[Option], entries: Sequence[Entry], rows: int) -> tuple[Entry, ...]:
    """The entries to show of a list: as flat as so many rows allow. All options one by one if they fit; else groups are
    opened from the top, the smallest first, as long as all fits; those of one kind that stand side by side together,
    so that like things look alike. More than ``rows`` only where the list itself is longer."""
    every = sorted({number for entry in entries for number in entry.options})
    if len(every) <= rows:
        return tuple(alone(options, number) for number in every)
    shown: list[tuple[Entry, int]] = [(entry, 0) for entry in entries]  # each with its family
    family = 0
    while True:
        families: dict[tuple[int, str], list[int]] = {}
        for at, (entry, of) in enumerate(shown):
            if entry.is_group:
                families.setdefault((of, entry.of if entry.of.startswith(DO) else ""), []).append(at)
        fits = [
            (cost, members)
            for members in families.values()
            if not _overlap([shown[at][0] for at in members])
            and len(shown) + (cost := sum(len(shown[at][0].below) - 1 for at in members)) <= rows
        ]
        if not fits:
            return tuple(entry for entry, _ in shown)
        _, members = min(fits)
        for at in reversed(members):
            family += 1
            shown[at : at + 1] = [(below, family) for below in shown[at][0].below]


def _overlap(entries: Sequence[Entry]) -> bool:
    """Whether an option would stand in the list twice."""
    below = [one.options[0] for entry in entries for one in entry.below if not one.is_group]
    return len(below) != len(set(below))


def details(option: Option) -> Line:
    """What an option costs and what comes of it, and of a space what is beside it, behind its label: what the label
    says already is left out."""
    label = option.words.casefold()
    parts: list[Run] = []
    for sign, part in (("  for ", option.cost), ("  → ", option.result), ("  beside ", option.near)):
        if part and plain(part).casefold() not in label:
            parts += [Run(sign), *part]
    return tuple(parts)


# ---------------------------------------------------------------- by words


def matching(options: Sequence[Option], typed: str) -> list[int]:
    """The numbers of the options that typed words mean, by the strictest reading under which there are any: the whole
    id or label; every word, in any order, begins a word of one; every word stands somewhere in one."""
    found = meant(typed, [(option.id, option.words) for option in options])
    if len(found) == 1:
        return found
    return list(dict.fromkeys(number if options[number].like < 0 else options[number].like for number in found))


def meant(typed: str, things: Sequence[Iterable[str]]) -> list[int]:
    """The numbers of the things that typed words mean; each goes by some names. As :func:`matching`."""
    wanted = folded(typed)
    parts = wanted.split()
    if not parts:
        return []
    known = [[folded(name) for name in names] for names in things]
    words = [[name.split() for name in names] for names in known]
    readings = (
        [any(name == wanted for name in names) for names in known],
        [any(all(any(w.startswith(part) for w in name) for part in parts) for name in names) for names in words],
        [any(all(part in name for part in parts) for name in names) for names in known],
    )
    return next(([at for at, fits in enumerate(reading) if fits] for reading in readings if any(reading)), [])


_SIGNS = str.maketrans(dict.fromkeys("_,:;()[]“”\"'’", " "))


def folded(text: str) -> str:
    """Words as they are compared: in any case, with blanks for signs."""
    return " ".join(text.translate(_SIGNS).casefold().split())


def by_reference(options: Sequence[Option]) -> Mapping[str, tuple[int, ...]]:
    """For each value that stands on a path the numbers of the options that are about it: what is legal of a thing that
    is pointed at."""
    found: dict[str, list[int]] = {}
    for number, option in enumerate(options):
        for step in option.path:
            if step.of and number not in (about := found.setdefault(step.of, [])):
                about.append(number)
    return {reference: tuple(numbers) for reference, numbers in found.items()}


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
