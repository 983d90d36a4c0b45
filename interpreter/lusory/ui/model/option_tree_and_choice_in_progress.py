"""Arrange options in a tree, match typed words to options, and keep the state of a choice in progress.

:mod:`lusory.ui.model.option_rows` lays the entries of a choice out as lines.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, count, takewhile

from lusory_dsl.core.board_geometry import parse_space_name

from ...explain.event_sentences import Deed
from ...explain.styled_text_wrapping_and_values import (
    DO,
    Line,
    Run,
    capitalize_line,
    join_lines,
    take_characters,
    to_text,
)
from .screen import DONE, Answer, Option, Question

Path = tuple[Run, ...]
_ENDING = re.compile(r"\w*(?: \([^()]*\))?")
"""Text that belongs to a value in a label, after its name."""
MOST_TOGETHER = 12
"""Maximum number of options with one action and one first value that an open group lists without groups below it."""
_NUMBER = re.compile(r"([0-9]+)[A-Za-z]*")


@dataclass(frozen=True, slots=True)
class Entry:
    """Hold an entry of a list: a single option, or a group with the entries ``below`` it.

    Attributes:
        options: The indices of its options in the question, in order.
        of: The reference of the path step that a group shares.
        row: The number of the group that the entry came from. Entries of one group stand in one row of a list.
    """

    title: Line
    options: tuple[int, ...]
    below: tuple[Entry, ...] = ()
    of: str = ""
    row: int = 0

    @property
    def is_group(self) -> bool:
        return bool(self.below)

    @property
    def words(self) -> str:
        """The title without its styles."""
        return to_text(self.title)


def build_tree(options: Sequence[Option]) -> tuple[Entry, ...]:
    """Return the options as a tree with one level for each step of their paths.

    The paths Build-Farm-a1, Build-Farm-a2 and Build-Mill-a1 give the group Build Farm (with entries for a1 and a2) and
    an entry for Build-Mill-a1. A group with a single entry collapses, and so does a level that all options share. A
    single option has its whole label as title, a group the words that all its labels begin with. Below the first level,
    these end at its value: ``Build Farm`` for ``Build Farm at a1`` and ``Build Farm at a2``. There, the title is the
    one above and the value if they lack it, and a range if only numbers differ: ``Sell 1–3 hens``. Entries stand in the
    order of their first options. Options with ``like`` are left out: the first of equivalent options represents them,
    and a dim `` (×3)`` follows its label. If every unordered pair of three or more values occurs, each also stands
    below its second value, after the others.
    """
    paths = [(option.path, number) for number, option in enumerate(options) if option.like < 0]
    pairs = _find_unordered_pairs(paths)
    for path, number in paths[:]:
        for do, left, right in pairs:
            if path[:1] == do and right < len(path):
                swapped_path = list(path)
                swapped_path[left], swapped_path[right] = path[right], path[left]
                paths.append((tuple(swapped_path), number))
    return _build_entries(options, paths, 0, ())


def _find_unordered_pairs(paths: Sequence[tuple[Path, int]]) -> list[tuple[Path, int, int]]:
    """Return each alternative with two path positions whose values form all unordered pairs of at least three values.

    That is, every pair of values occurs once, in one order only. The tree then lists each pair below both values.
    """
    groups_by_place: dict[tuple[Path, int, int], dict[tuple[Run, ...], set[tuple[Run, Run]]]] = {}
    for path, _ in paths:
        for left, right in combinations(range(1, len(path)), 2):
            if kind := path[left].of.partition(":")[0]:
                pattern = (*path[1:left], Run("|"), *path[left + 1 : right], Run("|"), *path[right + 1 :])
                groups = groups_by_place.setdefault((path[:1], left, right), {})
                if kind == path[right].of.partition(":")[0]:
                    groups.setdefault(pattern, set()).add((path[left], path[right]))
    return [place for place, groups in groups_by_place.items() if groups and all(map(_is_every_pair, groups.values()))]


def _is_every_pair(pairs: set[tuple[Run, Run]]) -> bool:
    size = len({value for pair in pairs for value in pair})
    return size > 2 and len(pairs) == size * (size - 1) // 2 and not any(pair[::-1] in pairs for pair in pairs)


def _build_entries(
    options: Sequence[Option], paths: Sequence[tuple[Path, int]], depth: int, above: Line
) -> tuple[Entry, ...]:
    """Return the entries of options that share the first ``depth`` steps.

    ``paths`` holds the path and the index of each option, and ``above`` is the title of the group that they are in.
    """
    groups: dict[Run | None, list[tuple[Path, int]]] = {}
    for path, number in paths:
        groups.setdefault(path[depth] if depth < len(path) else None, []).append((path, number))
    if len(groups) == 1 and None not in groups and len(paths) > 1:
        (step,) = groups
        # A step that all options share needs no words of its own.
        is_named = step is None or not (depth or above) or step.text in to_text(above)
        title = above if is_named else _make_title(options, paths, depth, above)
        return _build_entries(options, paths, depth + 1, title)
    entries: list[Entry] = []
    for step, members in groups.items():
        numbers = tuple(sorted({number for _, number in members}))
        if step is None or len(numbers) == 1:
            entries += [_make_single_entry(options, number) for number in numbers]
            continue
        title = _make_title(options, members, depth, above)
        entries.append(Entry(title, numbers, _build_entries(options, members, depth + 1, title), step.of))
    return tuple(_distinguish_titles(options, entries))


def _make_title(options: Sequence[Option], members: Sequence[tuple[Path, int]], depth: int, above: Line) -> Line:
    """Return the title of a group: the common beginning of its labels if that names the shared value.

    Labels that differ only in numbers give a range (:func:`_merge_ranges`). Otherwise the value is added to the title
    above.
    """
    step = members[0][0][depth]
    labels = [options[number].label for _, number in members]
    if depth and (range_title := _merge_ranges([to_text(label) for label in labels])):
        return (Run(range_title),)
    head = take_characters(labels[0], len(find_common_words([to_text(label) for label in labels])))
    text, above_text = to_text(head), to_text(above)
    end = max(
        (match.end() for match in re.finditer(r"\w+", text) if _cut_plural(match[0]) == _cut_plural(step.text)),
        default=0,
    )
    for match in re.finditer(rf"(?<!\w){re.escape(step.text)}(?=(?:e?s)?(?!\w))", text):
        end = match.end()
    if text and text != above_text and (depth == 0 or end):
        # Include the ending of a plural, and a remark in brackets, which is about the value.
        ending = _ENDING.match(text, end)
        end = end if ending is None else ending.end()
        # The next word introduces the following value, unless the whole ends with a remark.
        is_more = depth == 0 or text[end : end + 1] in (":", ",") or text.endswith(")")
        return head if is_more else take_characters(head, end)
    if depth == 0 or not above:
        return capitalize_line((step,)) if step.of.startswith(DO) else (step,)
    return above if step.text in above_text.split() else join_lines((above, (step,)), " ")


def _merge_ranges(texts: Sequence[str]) -> str:
    """Merge texts that differ only in numbers and plurals: ``Sell 1 Good``, ``Sell 3 Goods`` → ``Sell 1–3 Goods``.

    A number is a word of its own. Only a unit may follow it at once, as in ``3C``. A word such as ``1:`` must be the
    same in all texts. A range goes from the smallest to the largest number at its place. A plural adds ``s``, or has
    ``ies`` for ``y``. Case only counts in units. Returns "" for other texts, if no number differs, and for fewer than
    two texts.
    """
    rows = [text.split(" ") for text in texts]
    if len(rows) < 2 or len({len(row) for row in rows}) > 1:
        return ""
    merged_words, numbers = [], 0
    for column in zip(*rows, strict=True):
        words = tuple(dict.fromkeys(column))
        values = [int(match[1]) for word in words if (match := _NUMBER.fullmatch(word))]
        suffixes = {word.lstrip("0123456789") for word in words}
        if len(words) > 1 and len(values) == len(words) and len(suffixes) == 1:
            numbers += 1
            merged_words.append(f"{min(values)}–{max(values)}{suffixes.pop()}")
        elif len(set(map(_cut_plural, words))) > 1:
            return ""
        else:
            merged_words.append(max(words, key=len))
    return " ".join(merged_words) if numbers else ""


def _cut_plural(word: str) -> str:
    """Return what a word and its plural have in common: ``commodit`` of ``Commodity`` and ``commodities``."""
    return word.casefold().removesuffix("s").removesuffix("ie").removesuffix("y")


def find_common_words(texts: Sequence[str]) -> str:
    """Return the words that all texts begin with, without ``:``, ``,``, ``;``, dashes and ``(`` at their end.

    A comma, colon or semicolon behind a word makes no difference; the words are those of the first text. Returns "" if
    nothing is common. ``Build: Mill a1`` and ``Build Mill b2`` give ``Build: Mill``.
    """
    side_by_side = zip(*(text.split(" ") for text in texts), strict=False)
    common = takewhile(lambda words: len({word.rstrip(",:;") for word in words}) == 1, side_by_side)
    return " ".join(words[0] for words in common).rstrip(" :,;(—–-")


def _distinguish_titles(options: Sequence[Option], entries: Sequence[Entry]) -> Iterator[Entry]:
    """Change the titles of groups that would read like another entry.

    These groups get all words that their labels begin with. If these words are alike too, `` (1 of 2)`` and so on
    follow them where the groups are of one action. Groups of several actions get the name of their action.
    """
    titles = [entry.words for entry in entries]
    long_titles = {
        i: take_characters(
            options[entry.options[0]].label, len(find_common_words([options[n].words for n in entry.options]))
        )
        for i, entry in enumerate(entries)
        if entry.is_group and titles.count(entry.words) > 1
    }
    for i, entry in enumerate(entries):
        do = options[entry.options[0]].path[:1]
        alike = [j for j in long_titles if i in long_titles and to_text(long_titles[j]) == to_text(long_titles[i])]
        is_one_action = len({options[entries[j].options[0]].path[:1] for j in alike}) == 1
        if i not in long_titles:
            yield entry
        elif len(alike) == 1 and to_text(long_titles[i]) not in titles:
            yield replace(entry, title=long_titles[i])
        elif len(alike) > 1 and is_one_action:
            number = Run(f" ({alike.index(i) + 1} of {len(alike)})")
            yield replace(entry, title=(*(long_titles[i] or entry.title), number))
        elif do and do[0].text not in entry.words:
            yield replace(entry, title=join_lines((do, entry.title), ": "))
        else:
            yield entry


# ---------------------------------------------------------------- fitting


def _make_single_entry(options: Sequence[Option], number: int) -> Entry:
    """Return the entry of a single option.

    A dim `` (×3)`` follows its label if it represents two equivalent options.
    """
    times = 1 + sum(option.like == number for option in options)
    label = options[number].label
    return Entry((*label, Run(f" (×{times})", dim=True)) if times > 1 else label, (number,))


def _flatten_tree(options: Sequence[Option], entries: Sequence[Entry], rows: int) -> tuple[Entry, ...]:
    """Flatten a tree of entries into at most ``rows`` entries, by replacing groups by the entries below them.

    If the entries have at most ``rows`` options, returns each option as an entry, in the order of the question.
    Otherwise opens groups as long as the result fits, and first those that add the fewest entries. Groups with the same
    ``row`` are opened together, except that each action of a row is opened by itself. Groups that would list an option
    twice stay closed. Entries from one group have the same ``row``. The result exceeds ``rows`` only if the top level
    does.
    """
    numbers = sorted({number for entry in entries for number in entry.options})
    if len(numbers) <= rows:
        row_by_option = _map_to_groups(entries)
        return tuple(replace(_make_single_entry(options, number), row=row_by_option[number]) for number in numbers)
    # Each entry has the number of its family.
    flat_entries = list(entries)
    family = 0
    while True:
        families: dict[tuple[int, str], list[int]] = {}
        for i, entry in enumerate(flat_entries):
            if entry.is_group:
                families.setdefault((entry.row, entry.of if entry.of.startswith(DO) else ""), []).append(i)
        candidates = [
            (cost, members)
            for members in families.values()
            if not _would_repeat(flat_entries, members)
            and len(flat_entries) + (cost := sum(len(flat_entries[i].below) - 1 for i in members)) <= rows
        ]
        if not candidates:
            return tuple(flat_entries)
        _, members = min(candidates)
        for i in reversed(members):
            family += 1
            flat_entries[i : i + 1] = [replace(below, row=family) for below in flat_entries[i].below]


def _map_to_groups(entries: Sequence[Entry]) -> Mapping[int, int]:
    """Map each option to the number of the innermost group that holds it, or to 0 at the top level."""
    rows_by_option: dict[int, int] = {}
    groups = count(1)

    def fill(entries: Sequence[Entry], row: int) -> None:
        for entry in entries:
            if entry.is_group:
                fill(entry.below, next(groups))
            else:
                rows_by_option.setdefault(entry.options[0], row)

    fill(entries, 0)
    return rows_by_option


def _would_repeat(entries: Sequence[Entry], groups: Sequence[int]) -> bool:
    """Return whether opening the groups with these indices would list an option twice, or one that is listed already.

    Only options with an entry of their own count as listed.
    """
    single_options = {entry.options[0] for entry in entries if not entry.is_group}
    below = [entry.options[0] for i in groups for entry in entries[i].below if not entry.is_group]
    return len(below) != len(set(below)) or not single_options.isdisjoint(below)


# ---------------------------------------------------------------- typed words


def match_options(options: Sequence[Option], query: str) -> list[int]:
    """Return the positions in ``options`` of those with an id or label that typed words match.

    The rules are those of :func:`match_names`: ``dr ca`` and ``aw`` match “Draw a card”. A single match is returned as
    it is. If there are several, in ascending order, an option whose ``like`` isn't -1 gives that position in place of
    its own. Then repeated positions are dropped: ``[1, 2, 3]`` becomes ``[1, 0]`` if options 2 and 3 are like option 0.
    """
    numbers = match_names(query, [(option.id, option.words) for option in options])
    if len(numbers) == 1:
        return numbers
    return _keep_representatives(options, numbers)


def _keep_representatives(options: Sequence[Option], numbers: Iterable[int]) -> list[int]:
    """Return the first of each group of equivalent options, by index, in order and without duplicates."""
    return list(dict.fromkeys(number if options[number].like < 0 else options[number].like for number in numbers))


def match_names(query: str, name_lists: Sequence[Iterable[str]]) -> list[int]:
    """Return the indices of the things that typed words match, in ascending order. Each thing has several names.

    The first of three rules that any thing fulfils counts for all. First, the words are a whole name. Second, every
    typed word begins a word of one name. Third, every typed word occurs within one name. ``ba`` gives ``[0, 1]`` for
    ``[["bar"], ["foo ba"], ["cab"]]``. Case does not matter. Underscores, quotes, brackets, commas, colons and
    semicolons count as blanks, so that ``old_mill`` is ``Old Mill``. Other signs count as themselves. Empty words, or
    no match, give [].
    """
    text = fold_text(query)
    parts = text.split()
    if not parts:
        return []
    folded_names = [[fold_text(name) for name in names] for names in name_lists]
    words = [[name.split() for name in names] for names in folded_names]
    readings = (
        [any(name == text for name in names) for names in folded_names],
        [any(all(any(word.startswith(part) for word in name) for part in parts) for name in names) for names in words],
        [any(all(part in name for part in parts) for name in names) for names in folded_names],
    )
    return next(([i for i, fits in enumerate(reading) if fits] for reading in readings if any(reading)), [])


_SIGNS = str.maketrans(dict.fromkeys("_,:;()[]“”\"'’", " "))


def fold_text(text: str) -> str:
    """Normalize text for comparison: ``Build: Old_Mill`` becomes ``build old mill``.

    Case is folded; underscores, quotes, brackets, commas, colons and semicolons become blanks; blanks are merged. Full
    stops and hyphens stay.
    """
    return " ".join(text.translate(_SIGNS).casefold().split())


def map_topics(options: Sequence[Option]) -> Mapping[str, tuple[int, ...]]:
    """Map each reference to the indices in ``options`` of the options with it, ascending without duplicates.

    An option has the references ``of`` of the steps on its ``path``, except "". Example:
    ``{"do:buy": (0, 1), "Card:axe": (1,)}``.
    """
    topics: dict[str, list[int]] = {}
    for number, option in enumerate(options):
        for step in option.path:
            if step.of and number not in (indices := topics.setdefault(step.of, [])):
                indices.append(number)
    return {reference: tuple(numbers) for reference, numbers in topics.items()}


END = "E"
"""Key of the option that ends the turn."""
MOST_COLUMNS = 9
"""Largest number of a column that the options of a row are numbered by."""
ROWS = 12
"""Maximum number of entries shown at a time. A list that can't be grouped may exceed it."""


@dataclass(frozen=True, slots=True)
class Choosing:
    """Hold the state of a choice in progress. It is immutable: each action returns a new state or an answer.

    Attributes:
        rows: The number of entries that there is room for.
        top_entries: The top level of the option tree.
        open_groups: The open groups, outermost first.
        typed_words: The words that filter the options, with their blanks.
        picks: The indices of the picked options, in the order of picking.
        entries: The entries shown now. The option that ends the turn is the last one, with ``row`` -1.
        to_confirm: The index of the option that the player chose and must confirm, or None.
        declined_ids: Options that the player left undone at earlier ends of a turn, see :attr:`undone_ids`. They are
            not asked about again.
        label_numbers: The numbers of top-level entries by label, as :func:`begin` takes them from an earlier choice or
            a board.
    """

    question: Question
    rows: int
    top_entries: tuple[Entry, ...]
    open_groups: tuple[Entry, ...] = ()
    typed_words: str = ""
    picks: tuple[int, ...] = ()
    entries: tuple[Entry, ...] = ()
    to_confirm: int | None = None
    declined_ids: frozenset[str] = frozenset()
    label_numbers: Mapping[str, int] = field(default_factory=dict)

    # ------------------------------------------------------------ display

    @property
    def open_group(self) -> Entry | None:
        """The innermost open group, or None at the top level and while typed words filter the options."""
        return self.open_groups[-1] if self.open_groups and not self.typed_words else None

    @property
    def open_options(self) -> Collection[int]:
        """The indices of the options of :attr:`open_group`, in ascending order, or of all if that is None.

        Options whose ``like`` is an option of the group are included.
        """
        options = self.question.options
        if self.open_group is None:
            return range(len(options))
        numbers = set(self.open_group.options)
        return [number for number, option in enumerate(options) if number in numbers or option.like in numbers]

    @property
    def is_picking(self) -> bool:
        return self.question.takes_several

    @property
    def can_end(self) -> bool:
        """True if several options can be picked, and the number of picks is allowed."""
        return self.is_picking and self.question.least <= len(self.picks) <= self.question.most

    @property
    def useful_options(self) -> tuple[int, ...]:
        """The indices of the options that do something, without the one that ends the turn and copies."""
        options = enumerate(self.question.options)
        return tuple(i for i, option in options if option.is_useful and i != self.question.end and option.like < 0)

    @property
    def first_entry(self) -> int:
        """The index of the entry to highlight first, or 0 if there are no :attr:`useful_options`.

        It is the entry with the option ``question.end`` if all useful options have ``is_avoided``. It is also that one
        if ``question.ends_turn`` is false and all useful options have ``is_last``. Otherwise, or if ``end`` is None, it
        is the first entry with an option of the first of these kinds that ``entries`` has. It is 0 if no entry fits.

        1. the option ``question.all_at_once``, if it is useful
        2. a useful option without ``is_last``, but with ``has_gain``
        3. a useful option without ``is_last``
        4. any useful option
        """
        options = self.question.options
        useful = set(self.useful_options)
        open_options = {i for i in useful if not options[i].is_last}
        is_better = not self.question.ends_turn and not open_options
        is_loss = all(options[i].is_avoided for i in useful)
        if useful and self.question.end is not None and (is_better or is_loss):
            return next((i for i, entry in enumerate(self.entries) if self.question.end in entry.options), 0)
        all_at_once = {i for i in useful if i == self.question.all_at_once}
        for candidates in (all_at_once, {i for i in open_options if options[i].has_gain}, open_options, useful):
            for i, entry in enumerate(self.entries):
                if candidates & set(entry.options):
                    return i
        return 0

    @property
    def undone_ids(self) -> frozenset[str]:
        """The ids of the useful options that an end of the turn leaves undone.

        Options without a gain, which only give up cards, count as their action instead, such as ``do:discard``.
        """
        return frozenset(self._get_action(i) for i in self.useful_options)

    def _get_action(self, number: int) -> str:
        option = self.question.options[number]
        return option.id if option.has_gain else "".join(step.of for step in option.path[:1])

    def _must_confirm(self, number: int) -> bool:
        """Return whether an option does nothing now, or ends the turn while others may bring something.

        Options that the player has declined before are no reason to ask.
        """
        options, useful = self.question.options, self.useful_options
        if number == self.question.end:
            new_options = [options[i] for i in useful if self._get_action(i) not in self.declined_ids]
            # A single card that could be given up pays for nothing else.
            return self.question.ends_turn and (any(option.has_gain for option in new_options) or len(new_options) > 1)
        return not options[number].is_useful and bool(useful or self.question.end is not None)

    @property
    def matching_entry(self) -> Entry | None:
        """The entry that typed words mean: the only one left, or else the only one whose label starts with them.

        The entries left are those whose label or id the words match, see :func:`match_options`. If the words are a
        whole label or id, only such entries are left: ``take`` means ``Take``, not ``Take two``. Case doesn't count,
        and signs that :func:`fold_text` turns into blanks are blanks: ``old_mill`` is ``Old Mill``. Full stops and
        hyphens count. The entry is None if no words are typed, or if they mean no entry or several.
        """
        if not self.typed_words:
            return None
        query = fold_text(self.typed_words)
        starting_entries = [entry for entry in self.entries if fold_text(entry.words).startswith(query)]
        for entries in (self.entries, starting_entries):
            if len(entries) == 1:
                return entries[0]
        return None

    # ------------------------------------------------------------ actions

    def type(self, words: str) -> Choosing:
        """Return the choice with all options filtered by words, whatever group is open. No words show the groups again.

        An unconfirmed option is withdrawn.
        """
        return _show_entries(replace(self, typed_words=words if words.strip() else "", to_confirm=None))

    def go_back(self) -> Choosing:
        """Return the choice one step back.

        It is the first of these steps that is possible: withdraw the option ``to_confirm``, clear ``typed_words``, or
        close the last of ``open_groups``. The last two also update ``entries``. Otherwise the result equals this
        choice. ``picks`` stay in all cases.
        """
        if self.to_confirm is not None:
            return replace(self, to_confirm=None)
        if self.typed_words:
            return self.type("")
        return _show_entries(replace(self, open_groups=self.open_groups[:-1]))

    def take_entry(self, entry: Entry) -> Choosing | Answer:
        """Choose an entry: open a group and clear the filter, or choose a single option as :meth:`choose` does."""
        if entry.is_group:
            return _show_entries(replace(self, open_groups=(*self.open_groups, entry), typed_words="", to_confirm=None))
        return self.choose(entry.options[0])

    def choose(self, number: int) -> Choosing | Answer:
        """Choose an option by its index in the question. ``to_confirm`` and ``picks`` hold such indices.

        In a choice of one, returns the answer: a tuple of one option id. Some options must be chosen twice; the first
        time, returns a new choice with the option as ``to_confirm``. The option ``question.end`` must if
        ``question.ends_turn``, while two of ``useful_options``, or one with ``has_gain``, were not declined:
        :attr:`undone_ids` names them, but ``declined_ids`` doesn't. Any other option must if it isn't ``is_useful``,
        while there is ``question.end`` or any of ``useful_options``.

        In a choice of several (:attr:`is_picking`), returns a new choice with the option at the end of ``picks``, and
        ``typed_words`` and ``to_confirm`` cleared. A picked option is withdrawn from ``picks``, and these two stay. If
        ``question.most`` are picked, any other option returns this choice itself. Call :attr:`answer` to end the
        choice.
        """
        if not self.is_picking:
            if number != self.to_confirm and self._must_confirm(number):
                return replace(self, to_confirm=number)
            return (self.question.options[number].id,)
        if number in self.picks:
            return self._put_back(number)
        picks = (*self.picks, number)
        if len(picks) > self.question.most:
            return self
        return replace(self, picks=picks).type("")

    def _put_back(self, number: int) -> Choosing:
        """Return the choice without an option among its picks. Nothing changes if it is not picked."""
        return replace(self, picks=tuple(pick for pick in self.picks if pick != number))

    def point(self, reference: str) -> Choosing | Answer:
        """Choose a thing by reference, such as ``Card:axe``: choose its only option, or open a group of its options.

        Options count as for :meth:`find_entry`. A single one is chosen as by :meth:`choose`. Returns the choice
        unchanged if none is about the thing.
        """
        entry = self.find_entry(reference)
        return self if entry is None else self.take_entry(entry)

    def find_entry(self, reference: str) -> Entry | None:
        """Return an entry with the options about a thing, or None if no option is about it.

        A single option gives an entry of its own, and so do equivalent ones (:attr:`Option.like`): ``Play ash (×2)``,
        with only the index of the first in ``options``. Several different ones give a group, with such an entry in
        ``below`` for each. Its title is the first option's step about the thing, such as ``ash``. ``reference`` is the
        ``of`` of this step, such as ``Card:ash`` or ``do:buy``. A thing that only the label of an option mentions gives
        None. Only :attr:`open_options` count: with ``typed_words``, those are all options, even in an open group.
        """
        options, open_options = self.question.options, self.open_options
        numbers = tuple(number for number in map_topics(options).get(reference, ()) if number in open_options)
        representatives = _keep_representatives(options, numbers)
        entries = tuple(_make_single_entry(options, number) for number in representatives)
        if len(entries) < 2:
            return entries[0] if entries else None
        return Entry((options[numbers[0]].step_about(reference),), tuple(representatives), entries)

    @property
    def answer(self) -> Answer:
        """The picks as an answer: their ids, and then :data:`DONE` if they are fewer than ``question.most``.

        One pick of up to three gives ``("buy_silver", "done")``. The ids are in the order of picking if
        ``question.is_ordered``, and otherwise in the order of the options.
        """
        order: Sequence[int] = self.picks if self.question.is_ordered else sorted(self.picks)
        ids = tuple(self.question.options[number].id for number in order)
        return ids if len(ids) == self.question.most else (*ids, DONE)


def begin(
    question: Question, rows: int = ROWS, declined_ids: Collection[str] = (), previous: Choosing | None = None
) -> Choosing:
    """Return a new choice with room for ``rows`` entries: no group is open, and nothing is typed or picked.

    ``declined_ids`` has the ids that the player left undone at earlier ends of a turn, see :attr:`Choosing.undone_ids`.
    They are no reason to ask whether the turn shall end. They don't change ``undone_ids`` of the result. With
    ``previous``, the choice just before, and ``question.is_asked_again``, ``label_numbers`` holds the numbers that
    entries had there: ``2 Bow`` stays 2 after ``1 Axe`` is gone. Otherwise, for two or more options that are each about
    one space, it holds columns: ``{"to a1": 1, "to c1": 3}``. These spaces must be different ones of one row, in
    columns up to ``MOST_COLUMNS`` (9). In all other cases it is empty. :func:`list_keys` numbers all entries from 1 if
    a label has no number there, or if two labels are equal.
    """
    is_again = previous is not None and question.is_asked_again
    numbers = _number_labels(previous) if previous is not None and is_again else _number_by_column(question.options)
    tree, ids = build_tree(question.options), frozenset(declined_ids)
    return _show_entries(Choosing(question, rows, tree, declined_ids=ids, label_numbers=numbers))


def _number_by_column(options: Sequence[Option]) -> dict[str, int]:
    """Return the column of each option, by label, if each is about one space of the same row of a board.

    A space then has the same number whether others can be chosen or not. Empty for other options, for a single one, and
    for rows of more than ``MOST_COLUMNS``.
    """
    steps = [[step.of for step in option.path if not step.of.startswith(DO)] for option in options]
    places = [parse_space_name(references[0].partition(":")[2]) for references in steps if len(references) == 1]
    spaces = [place for place in places if place is not None and place[0] <= MOST_COLUMNS]
    if len(spaces) < max(len(options), 2) or len({row for _, row in spaces}) > 1 or len({*spaces}) < len(spaces):
        return {}
    return {option.words: column for option, (column, _) in zip(options, spaces, strict=True)}


def _number_labels(choosing: Choosing) -> dict[str, int]:
    """Return the numbers of the entries at the top level, by label. Ids of options that are typed give none."""
    top = _show_entries(replace(choosing, open_groups=(), typed_words=""))
    return {entry.words: int(key) for entry, key in zip(top.entries, list_keys(top), strict=True) if key.isdecimal()}


def resize_choice(choosing: Choosing, rows: int) -> Choosing:
    """Return the same choice with room for ``rows`` entries, and its entries computed anew."""
    return _show_entries(replace(choosing, rows=rows))


def _show_entries(choosing: Choosing) -> Choosing:
    """Return the choice with its ``entries``: those that typed words match, or those of the open group.

    The latter are cut to the choice's rows, but a group is open if nothing but the end of the turn stands beside it.
    """
    options = choosing.question.options
    if choosing.typed_words:
        entries = tuple(_make_single_entry(options, number) for number in match_options(options, choosing.typed_words))
    else:
        source, rows = choosing.top_entries, choosing.rows
        if choosing.open_groups:
            source, numbers = choosing.open_groups[-1].below, choosing.open_groups[-1].options
            if len({options[number].path[:2] for number in numbers}) == 1:
                rows = max(rows, min(len(numbers), MOST_TOGETHER))
        entries = _flatten_tree(options, source, rows)
    end = choosing.question.end
    # The option that ends the turn stands last, in a row of its own.
    last = tuple(replace(entry, row=-1) for entry in entries if entry.options == (end,))
    entries = tuple(entry for entry in entries if entry.options != (end,))
    while len(entries) == 1 and entries[0].is_group:
        entries = _flatten_tree(options, entries[0].below, choosing.rows)
    return replace(choosing, entries=(*entries, *last))


def are_numbers(options: Sequence[Option]) -> bool:
    """Return whether the id of each option is the only number in its label, such as ``3`` in ``Bid 3``."""
    return all(option.id.isdecimal() and {option.id} == {*re.findall(r"\d+", option.words)} for option in options)


def list_keys(choosing: Choosing) -> list[str]:
    """Return the input for each entry, in order: numbers from ``"1"``, and ``"E"`` for the option ``question.end``.

    That option declines or ends the turn. It takes no number, and is always the last entry: ``["1", "2", "E"]``. If no
    entry is a group and the options are numbers (:func:`are_numbers`), the inputs are the ids instead, without any
    ``"E"``, also with ``typed_words``. Otherwise with ``typed_words``, the matches that are entries of the unfiltered
    list keep their numbers. Other matches, such as options inside a group, get the lowest numbers that no entry of that
    list has. At the top level, entries keep the numbers of ``choosing.label_numbers`` if all have one and no two labels
    are equal. Numbers of entries that are gone are then not used.
    """
    options = choosing.question.options
    if are_numbers(options) and not any(entry.is_group for entry in choosing.entries):
        return [options[entry.options[0]].id for entry in choosing.entries]
    end = choosing.question.end
    all_entries = choosing.type("").entries if choosing.typed_words else choosing.entries
    labels = [entry.words for entry in all_entries if entry.options != (end,)]
    is_known = not choosing.open_groups and choosing.label_numbers.keys() >= {*labels} and len({*labels}) == len(labels)
    fixed_numbers = choosing.label_numbers if is_known else {}
    numbers: dict[tuple[int, ...], int] = {}
    for entry in (*all_entries, *choosing.entries):
        if entry.options not in numbers and entry.options != (end,):
            used_numbers = {*fixed_numbers.values(), *numbers.values()}
            number = fixed_numbers.get(entry.words, 0) if entry in all_entries else 0
            numbers[entry.options] = number or next(n for n in count(1) if n not in used_numbers)
    return [END if entry.options == (end,) else str(numbers[entry.options]) for entry in choosing.entries]


def expand_topic(choosing: Choosing, topic: str, argument: str) -> str:
    """Return the words of ``look`` or ``why`` with the number of an entry at their beginning replaced by its name.

    If entry 1 is ``Buy Silver``, ``look`` with ``1`` gives ``Silver``, and ``why`` with ``1`` gives ``Buy Silver``.
    ``look`` takes the last thing on the path of the entry's first option, or the option's label if there is no thing.
    ``why`` takes the label of that option, also for a group. The number is one of :func:`list_keys`, where ``e`` counts
    as ``E``, the option ``question.end``. If more words follow it, the first must begin with ``--``: ``look`` with
    ``1 --rules all`` gives ``Silver --rules all``. Other words, and those of other topics, come back unchanged.
    """
    keys = list_keys(choosing)
    word, _, suffix = (part.strip() for part in argument.strip().partition(" "))
    number = END if word == END.lower() else word
    if topic not in ("look", "why") or number not in keys or (suffix and not suffix.startswith("--")):
        return argument
    entry = choosing.entries[keys.index(number)]
    option = choosing.question.options[entry.options[0]]
    names = [step.text for step in option.path if step.of and not step.of.startswith(DO)]
    return f"{names[-1] if topic == 'look' and names else option.words} {suffix}".strip()


def write_picks(choosing: Choosing) -> Line:
    """Return a line about the picks so far: ``0 of 3 picked``, or ``2 of 3 picked: Sword, Shield``.

    The labels are in the order of the options. If the order of picking matters, they are in that order, and ``, in
    their order`` follows ``picked``, even without picks. Earlier picks come first, and count. They also raise the
    allowed number, which reads ``3``, ``up to 3`` or ``1 to 3``; a least number of 0 stays 0.
    """
    question = choosing.question
    n_earlier = len(question.earlier_picks)
    least, most = question.least and question.least + n_earlier, question.most + n_earlier
    number = f"{most}" if least == most else f"up to {most}" if least == 0 else f"{least} to {most}"
    numbers = choosing.picks if question.is_ordered else sorted(choosing.picks)
    labels = [*question.earlier_picks, *(question.options[i].label for i in numbers)]
    order = ", in their order" if question.is_ordered else ""
    status = Run(f"{len(labels)} of {number} picked{order}{': ' if labels else ''}", dim=True)
    return (status, *join_lines(labels))


def has_happened(words: str, deeds: Sequence[Deed], before: Line, now: Line) -> bool:
    """Return whether words occur in a line of the story, or in the phase label ``now`` if it is not ``before``.

    Words match as those of an option do, see :func:`match_names`. Empty words never do.
    """
    lines = [to_text(line) for deed in deeds for line in (deed.line, *deed.details)]
    return bool(match_names(words, [(line,) for line in (*lines, *([to_text(now)] if now != before else []))]))
