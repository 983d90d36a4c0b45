"""Options in steps, from their own values: a tree by path, what of it fits in so many rows, filtering by words.

Ids are not parsed. A path is an option's alternative, then its values in the author's order. Where two values of one
kind are an unordered pair (every pair once), each option is filed under both of its ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, takewhile

from .lines import joined
from .model import Option
from .text import Line, Run, plain
from .words import DO, beginning, capital

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
