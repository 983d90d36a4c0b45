"""Lay out the options of a choice in rows, as every front end shows them.

The words that the options of a row share are its title, and the rest of each stands beside it. The list opens as many
groups as it has room for. The tree of the options and the state of the choice are in
:mod:`lusory.ui.model.option_tree_and_choice_in_progress`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby, takewhile
from typing import NamedTuple

from ...explain.declaration_names_and_lookup import PREPOSITIONS
from ...explain.styled_text_wrapping_and_values import (
    Line,
    Run,
    blank,
    capitalize_line,
    drop_characters,
    join_lines,
    measure,
    measure_text,
    pad_line,
    place_beside,
    restyle,
    take_characters,
    to_text,
    wrap_line,
    wrap_lines,
)
from .option_tree_and_choice_in_progress import Choosing, Entry, find_common_words, list_keys, resize_choice

ENTRY = "#"
"""Prefix of references to entries of a list: ``#3``."""
GAP = 2
LEAST_CELL = 12
"""Minimum width of an entry beside the title of its row."""
MOST_ACROSS = 4
"""Maximum number of entries without a common title in one line."""
MOST_CLOSED = 3
"""Maximum number of lines about what can't be chosen now."""
WIDEST_TITLE = 6
"""Tenths of the columns up to which titles stand beside the entries."""
KEY = 2
"""Columns of a number of one digit and a blank."""
BRIEF_TITLE = 3
"""Tenths of the columns up to which titles of rows share one indent, whatever longer ones need."""
WIDE_ENOUGH_FOR_CLOSED = 70
"""Narrower lists leave these lines out, as the table needs the rows for what the player has."""
WRAPPING_LOSS_DIVISOR = 8
"""One column in so many is lost at the ends of wrapped lines."""
JOINING = frozenset(("and", "or"))
_COLON = re.compile(r": (?![^()]*\))")
"""The colon before a remark: one inside brackets is part of a name."""


class _Block(NamedTuple):
    """Hold the indices of the entries in a row of the tree, and how many words they share at the beginning and the end.

    The shared words are the title of the row.
    """

    indices: list[int]
    before: int
    after: int


def fit_groups(choosing: Choosing, columns: int, rows: int) -> Choosing:
    """Return a copy with new ``entries``: as many groups replaced by what is below them as fit on the screen.

    ``columns`` and ``rows`` are the size of the space for the list. Limits of the number of entries are tried, from the
    number of options downwards, until the list fits; one or two entries always do. The ``rows`` of the copy is the
    largest of these limits that gives its entries. Groups that add the fewest entries are opened first. Those with one
    ``row``, such as ``Play A`` and ``Play B``, are opened together, but each action by itself. If no list fits, the
    entries are the top level of the tree, or of the open group. Even then, a group is opened if nothing but the end of
    the turn stands beside it. An open group with one action and one first value then still has up to MOST_TOGETHER
    entries. A choice with ``typed_words`` is returned itself.
    """
    if choosing.typed_words:
        return choosing
    size = len(choosing.question.options)
    while True:
        choice = resize_choice(choosing, size)
        if len(choice.entries) <= 2 or len(list_entries(choice, None, columns, rows, can_pack=False)) <= rows:
            return choice
        smaller = min(size, len(choice.entries)) - 1
        if smaller < 1 or resize_choice(choosing, smaller).entries == choice.entries:
            return choice
        size = smaller


def list_entries(choosing: Choosing, cursor: int | None, columns: int, rows: int, can_pack: bool = True) -> list[Line]:
    """Return the lines of the entries of a choice with their keys (:func:`list_keys`), at most ``rows`` if possible.

    Neighbours with one ``row`` share a line with their common words as its title: ``Buy  1 Silver  2 Gold``. With
    ``typed_words``, or in a choice of several, all entries count as one row. Other entries read ``3 Pass``. In a choice
    of several, options read ``3 [ ] Axe``, ``[x]`` if picked, or ``[2]`` for the second pick if order matters. An entry
    with ``is_group`` ends with `` … 12 ways``. Titles with the same values form a matrix. Entries without a title stand
    in as few columns as fit, at most ``MOST_ACROSS``, each column read downwards. If there are more lines than
    ``rows``, entries with a title lose the remark behind a colon, if that suffices. Otherwise, if it saves lines, all
    entries below ``open_groups`` form one block, or ``can_pack`` lets entries alone in their ``row`` stand close
    together. Each run of the entry at index 3 refers to ``#3``. The entry at index ``cursor``, if any, is in reverse.
    From ``WIDE_ENOUGH_FOR_CLOSED`` columns on, up to ``MOST_CLOSED`` dim lines with what can't be chosen now fill the
    rows that are left. These are missing with ``typed_words`` or ``open_groups``.
    """
    keys = list_keys(choosing)
    entries = choosing.entries
    is_flat = choosing.typed_words or choosing.is_picking
    rows_of_entries = groupby(range(len(entries)), key=lambda i: 0 if is_flat else entries[i].row)
    blocks = [_make_block(entries, [*indices]) for _, indices in rows_of_entries]
    matrix = next(_find_matrices(choosing, blocks), None)
    lines = [] if matrix is None else _lay_out_matrix(choosing, keys, blocks, matrix, cursor, columns)
    if not lines or len(lines) > rows:
        for across in range(1, MOST_ACROSS + 1):
            lines = _lay_out_blocks(choosing, keys, blocks, cursor, columns, across)
            if len(lines) <= rows:
                break
    if len(lines) > rows and (short_choice := _remove_remarks(choosing, blocks)) is not choosing:
        # The words that labels ended with are gone.
        starts = [block._replace(after=0) for block in blocks]
        candidate = _lay_out_blocks(short_choice, keys, starts, cursor, columns, MOST_ACROSS)
        lines = candidate if len(candidate) <= rows else lines
    if len(lines) > rows and choosing.open_groups:
        block = _make_block(entries, [*range(len(entries))])
        candidate = _lay_out_blocks(choosing, keys, [block], cursor, columns, 1)
        lines = min(lines, candidate, key=len)
    if len(lines) > rows and can_pack:
        candidate = _lay_out_blocks(choosing, keys, _join_single_blocks(choosing, blocks), cursor, columns, 0)
        lines = min(lines, candidate, key=len)
    if choosing.typed_words or choosing.open_groups:
        return lines
    # Things that can't be chosen now take only the rows that are left.
    options = choosing.question.closed_options
    all_closed_lines = wrap_lines((restyle(line, dim=True) for line in options), columns - 2, GAP)
    room = max(min(rows - len(lines), MOST_CLOSED), 0) if columns >= WIDE_ENOUGH_FOR_CLOSED else 0
    closed_lines = all_closed_lines[:room]
    if closed_lines and len(all_closed_lines) > room:
        # A list that goes on must not end in a comma.
        last = take_characters(closed_lines[-1], len(to_text(closed_lines[-1]).rstrip(" ,")))
        closed_lines[-1] = (*last, Run(" …", dim=True))
    return [*lines, *closed_lines]


def _remove_remarks(choosing: Choosing, blocks: Sequence[_Block]) -> Choosing:
    """Return the choice without what stands behind the colon of each entry that shares a title, behind the title.

    The same choice comes back if there is no such remark, or if entries would then look the same.
    """
    entries = list(choosing.entries)
    for block in blocks:
        for i in block.indices if block.before else ():
            entry = entries[i]
            start = len(" ".join(entry.words.split(" ")[: block.before]))
            colon = _COLON.search(entry.words, start)
            if colon and not entry.is_group:
                entries[i] = replace(entry, title=take_characters(entry.title, colon.start()))
    if len({entry.words for entry in entries}) < len(entries) or entries == [*choosing.entries]:
        return choosing
    return replace(choosing, entries=tuple(entries))


def _join_single_blocks(choosing: Choosing, blocks: Sequence[_Block]) -> list[_Block]:
    """Return the blocks with neighbours of one entry each joined. The end of a turn stays alone."""
    joined_blocks: list[_Block] = []
    is_open = False
    for block in blocks:
        is_single = len(block.indices) == 1 and choosing.entries[block.indices[0]].row >= 0
        if is_single and is_open:
            joined_blocks[-1].indices.extend(block.indices)
        else:
            joined_blocks.append(block._replace(indices=[*block.indices]))
        is_open = is_single
    return joined_blocks


def _make_block(all_entries: Sequence[Entry], indices: list[int]) -> _Block:
    """Return the block of some entries, with the numbers of words that are its title.

    Both are 0 if there is no title, and for a single entry. The rest of a label never begins with a number, which would
    look like its key. With a common beginning, words at the end count if they are a remark in brackets or a phrase such
    as ``for 1 gold``. Without one, they count if there are at least two.
    """
    entries = [all_entries[i] for i in indices]
    labels = [entry.words.split(" ") for entry in entries]
    if len(labels) < 2:
        return _Block(indices, 0, 0)
    titles = [entry.title for entry in entries]
    before = _count_common_words([entry.words for entry in entries])
    while before and not _can_share_first_words(titles, before):
        before -= 1
    if before == 1 and all(entry.is_group and words[1].islower() for entry, words in zip(entries, labels, strict=True)):
        # ``Sell  1 materials`` would read as an amount.
        before = 0
    if not any(letter.isalpha() for letter in " ".join(labels[0][:before])):
        # A number without a word at the start of a row would look like a key.
        before = 0
    most = min(map(len, labels)) - 1 - before
    ends = [n for n in range(1, most + 1) if _can_share_last_words(titles, n)]
    if before:
        # A remark in brackets or a price that all labels end with belongs to a title that is complete.
        is_whole, words = labels[0][before - 1] not in PREPOSITIONS, labels[0]
        ends = [n for n in ends if is_whole and (words[-n].startswith("(") or (n > 1 and words[-n] in PREPOSITIONS))]
    after = max(ends, default=0)
    # A single word at the end is no title, if it is no remark.
    return _Block(indices, before, after if before or after > 1 else 0)


def _can_share_first_words(labels: Sequence[Line], count: int) -> bool:
    """Return whether the first words of labels can be a title, with the other words of each label beside it.

    The last word of the title must not contain a digit. The other words of each label must begin with a letter, because
    a number would look like a key or an amount. They must not begin with ``and`` or ``or``, nor inside a value.
    """
    word_lists = [to_text(label).split(" ") for label in labels]
    next_words = [tokens[count] for tokens in word_lists]
    if any(letter.isdigit() for letter in word_lists[0][count - 1]) or not all(
        word[:1].isalpha() for word in next_words
    ):
        return False
    if JOINING.intersection(next_words):
        return False
    return not any(
        _splits_value(label, len(" ".join(tokens[:count]))) for label, tokens in zip(labels, word_lists, strict=True)
    )


def _can_share_last_words(labels: Sequence[Line], count: int) -> bool:
    """Return whether the last words of all labels are the same, and can stand apart from the rest of each.

    They begin with a letter or a bracket, and split no value, no remark in brackets and no ``ore and coal``.
    """
    words = [to_text(label).split(" ") for label in labels]
    tail = " ".join(words[0][-count:])
    if any(tokens[-count:] != words[0][-count:] or {tokens[-count - 1], tokens[-count]} & JOINING for tokens in words):
        return False
    if tail.count("(") != tail.count(")") or not (tail[:1].isalpha() or tail[:1] == "("):
        return False
    return not any(_splits_value(label, len(to_text(label)) - len(tail)) for label in labels)


def _splits_value(label: Line, offset: int) -> bool:
    """Return whether a position of a label lies inside a value, such as the name of a card."""
    start = 0
    for reference, runs in groupby(label, key=lambda run: run.of):
        end = start + sum(len(run.text) for run in runs)
        if reference and start < offset < end:
            return True
        start = end
    return False


def _lay_out_blocks(
    choosing: Choosing, keys: Sequence[str], blocks: Sequence[_Block], cursor: int | None, columns: int, across: int
) -> list[Line]:
    """Lay out the entries in blocks, with at most ``across`` entries without a title in a line.

    With ``across`` 0, entries without a title stand close together.
    """
    entries = choosing.entries
    blocks, heads = _shorten_titles(entries, blocks, columns)
    head_widths = [measure(head) for head in heads]
    indent = max((width for width in head_widths if width <= columns * WIDEST_TITLE // 10), default=0)
    lines: list[Line] = []
    key_width = max([measure_text(key) for key in keys], default=1)
    cells = {
        i: _format_cell(choosing, i, keys[i], key_width, _shorten_label(entries[i], block))
        for block in blocks
        for i in block.indices
    }
    pairs = [(block.indices, head) for block, head in zip(blocks, heads, strict=True)]
    titled_widths = [measure(cells[i]) for indices, head in pairs if head for i in indices]
    # A long title of one row must not push the entries of the others into a narrow rest.
    brief_width = max((width for width in head_widths if width <= columns * BRIEF_TITLE // 10), default=indent)
    for indices, head in pairs:
        offset = (brief_width if measure(head) <= brief_width else indent) + GAP if head else 0
        widths = [measure(cells[i]) for i in indices]
        if head and _needs_own_line(head, [cells[i] for i in indices], columns, offset):
            lines.append(head)
            head, offset = (), GAP
        width = max(titled_widths if head else widths)
        is_even = (not head and across > 0) or len(indices) * (width + GAP) - GAP <= columns - offset
        n_columns = min(max((columns - offset + GAP) // (width + GAP), 1), len(indices) if head else max(across, 1))
        if is_even:
            rows = _arrange_block(indices, n_columns, bool(head))
        else:
            rows = _pack_block(indices, widths, columns - offset)
        for row in rows:
            line: list[Run] = [*blank(offset)]
            if head and row[0] == indices[0]:
                line = [*pad_line(head, offset - GAP), *blank(GAP)]
            wrapped_lines: list[Line] = []
            for number, i in enumerate(row):
                cell = restyle(cells[i], reverse=i == cursor, of=f"{ENTRY}{i}")
                is_last = number == len(row) - 1
                room = columns - measure(line) if is_last else width if is_even else measure(cell)
                if is_last:
                    # A label that is too long goes on below, so that no word is lost that tells it from another.
                    start = measure(line)
                    first, *continuations = wrap_line(cell, room, key_width + 1) or [()]
                    line += first
                    wrapped_lines = [(*blank(start), *continuation) for continuation in continuations]
                else:
                    line += [*pad_line(cell, room), *blank(GAP)]
            lines += [tuple(line), *wrapped_lines]
    return lines


def _shorten_titles(
    entries: Sequence[Entry], blocks: Sequence[_Block], columns: int
) -> tuple[Sequence[_Block], list[Line]]:
    """Return the blocks with the numbers of words that their titles use, and the titles.

    If the titles leave too little room, they lose the words that all labels end with, then all words. A title that is
    too wide for that stays if it fits on a line of its own, and a label with it does not.
    """
    starts = [block._replace(after=0) for block in blocks]
    lone_starts = []
    for start in starts:
        is_long = any(measure(entries[i].title) > columns - KEY for i in start.indices)
        is_short = measure(_write_head(entries, start)) <= columns
        lone_starts.append(start if is_long and is_short else start._replace(before=0))
    for short_blocks in (blocks, starts, lone_starts):
        heads = [_write_head(entries, block) for block in short_blocks]
        if max(map(measure, heads), default=0) <= columns * WIDEST_TITLE // 10:
            break
    return short_blocks, heads


def _needs_own_line(head: Line, cells: Sequence[Line], columns: int, offset: int) -> bool:
    """Return whether a title is too wide to stand beside its entries, in column ``offset``, or makes them longer."""
    beside, below = (sum(len(wrap_line(cell, columns - indent)) for cell in cells) for indent in (offset, GAP))
    return below < beside or measure(head) > columns * WIDEST_TITLE // 10


def _find_matrices(choosing: Choosing, blocks: Sequence[_Block]) -> Iterator[range]:
    """Yield the indices of each longest run of at least two blocks with a title whose entries end in the same values.

    The values also stand in the same order, and some column must share words that can stand above it.
    """
    start = 0
    for key, run in groupby(blocks, key=lambda block: _list_row_values(choosing, block)):
        size = len(list(run))
        matrix = range(start, start + size)
        start += size
        rows = (_shorten_labels(choosing, blocks[n]) for n in matrix)
        if key and size > 1 and any(_count_shared_words(list(rows))):
            yield matrix


def _list_row_values(choosing: Choosing, block: _Block) -> tuple[Run, ...]:
    """Return the last Run of the path of each entry in a block, or () if it can't be the row of a matrix."""
    entries = [choosing.entries[i] for i in block.indices]
    if not block.before or not 1 < len(entries) <= MOST_ACROSS or any(entry.is_group for entry in entries):
        return ()
    paths = [choosing.question.options[entry.options[0]].path for entry in entries]
    return tuple(path[-1] for path in paths) if all(paths) else ()


def _shorten_labels(choosing: Choosing, block: _Block) -> list[Line]:
    return [_shorten_label(choosing.entries[i], block) for i in block.indices]


def _count_shared_words(rows: Sequence[Sequence[Line]]) -> list[int]:
    """Return for each column of a matrix how many words all its cells begin with.

    At least one word is left to each. The count is 0 if the rest of a cell would begin with a remark in brackets, or
    with a number, which looks like a key. It is also 0 if the rest would begin inside a value, such as the name of a
    card.
    """
    counts = []
    for cells in zip(*rows, strict=True):
        texts = [to_text(cell) for cell in cells]
        count = _count_common_words(texts)
        head = " ".join(texts[0].split(" ")[:count])
        is_split = any(_splits_value(cell, len(head)) for cell in cells)
        next_words = [text.split(" ")[count] for text in texts]
        counts.append(0 if is_split or any(word[:1] == "(" or word[:1].isdecimal() for word in next_words) else count)
    return counts


def _count_common_words(texts: Sequence[str]) -> int:
    """Return how many words all texts begin with. Brackets are not split, and each text keeps at least one word."""
    words = find_common_words(texts).split()[: min(len(text.split(" ")) for text in texts) - 1]
    while words and " ".join(words).count("(") > " ".join(words).count(")"):
        words.pop()
    return len(words)


def _remove_common_words(heads: Sequence[Line]) -> tuple[Line, list[Line]]:
    """Return the words that all titles begin with, and the rest of each, which never begins with a number."""
    words = [to_text(head).split(" ") for head in heads]
    common = _count_common_words([to_text(head) for head in heads])
    while common and any(not title[common][:1].isalpha() for title in words):
        common -= 1
    start = len(" ".join((*words[0][:common], ""))) if common else 0
    return take_characters(heads[0], max(start - 1, 0)), [drop_characters(head, start) for head in heads]


def _wrap_cells(cells: Sequence[Line], widths: Sequence[int], key_width: int) -> list[list[Line]]:
    return [wrap_line(cell, width, key_width + 1) for cell, width in zip(cells, widths, strict=True)]


def _lay_out_matrix(
    choosing: Choosing, keys: Sequence[str], blocks: Sequence[_Block], matrix: range, cursor: int | None, columns: int
) -> list[Line]:
    """Lay out blocks in lines, those of ``matrix`` as a matrix.

    Empty if its columns would be too narrow, or if cells would be wrapped though their columns have no headings.
    """
    matrix_blocks = blocks[matrix.start : matrix.stop]
    heads = [_write_head(choosing.entries, block) for block in matrix_blocks]
    labels = [_shorten_labels(choosing, block) for block in matrix_blocks]
    shared_counts, n_columns = _count_shared_words(labels), len(matrix_blocks[0].indices)
    corner, heads = _remove_common_words(heads)
    indent, key_width = max(map(measure, (corner, *heads))), max(map(measure_text, keys))
    heading_words = [to_text(labels[0][n]).split(" ")[:count] for n, count in enumerate(shared_counts)]
    cells = [
        [
            _format_cell(choosing, i, keys[i], key_width, drop_characters(label, len(" ".join((*words, "")))))
            for i, label, words in zip(block.indices, row, heading_words, strict=True)
        ]
        for block, row in zip(matrix_blocks, labels, strict=True)
    ]
    headings = [(*blank(key_width + 1), Run(" ".join(words).rstrip(":,"), dim=True)) for words in heading_words]
    widest_cell = max(measure(cell) for row in [headings, *cells] for cell in row)
    width = min((columns - indent) // n_columns - GAP, widest_cell)
    if width < LEAST_CELL or (width < widest_cell and not any(shared_counts)):
        return []
    last = min(columns - indent - GAP * n_columns - width * (n_columns - 1), widest_cell)
    widths = [indent, *[width] * (n_columns - 1), last]
    lines = place_beside([[corner], *_wrap_cells(headings, widths[1:], key_width)], widths, GAP)
    for head, block, row in zip(heads, matrix_blocks, cells, strict=True):
        pairs = zip(block.indices, row, strict=True)
        row_cells = [restyle(cell, reverse=i == cursor, of=f"{ENTRY}{i}") for i, cell in pairs]
        lines += place_beside([[head], *_wrap_cells(row_cells, widths[1:], key_width)], widths, GAP)
    before, after = (
        _lay_out_blocks(choosing, keys, other_blocks, cursor, columns, 1)
        for other_blocks in (blocks[: matrix.start], blocks[matrix.stop :])
    )
    return [*before, *lines, *after]


def _arrange_block(indices: list[int], n_columns: int, is_by_row: bool) -> list[list[int]]:
    """Arrange the entries of a block in lines of ``n_columns``: line by line, or down the columns."""
    if is_by_row:
        return [indices[i : i + n_columns] for i in range(0, len(indices), n_columns)]
    n_rows = -(-len(indices) // n_columns)
    return [indices[row::n_rows] for row in range(n_rows)]


def _pack_block(indices: list[int], widths: Sequence[int], columns: int) -> list[list[int]]:
    """Arrange the entries of a block in lines, as many in each as have room."""
    rows: list[list[int]] = []
    room = -1
    for i, width in zip(indices, widths, strict=True):
        if room < width:
            rows.append([])
            room = columns
        rows[-1].append(i)
        room -= width + GAP
    return rows


def _write_head(entries: Sequence[Entry], block: _Block) -> Line:
    """Return the title of a block, or () if it has none."""
    entry = entries[block.indices[0]]
    words = entry.words.split(" ")
    ending = " ".join(words[-block.after :]) if block.after else ""
    if block.before:
        remark = (Run(f" {ending}", dim=True),) if ending else ()
        return (*take_characters(entry.title, len(" ".join(words[: block.before]).rstrip(",:;"))), *remark)
    return capitalize_line((Run(ending),)) if ending else ()


def _shorten_label(entry: Entry, block: _Block) -> Line:
    """Return the label of an entry without the words in the title of its row."""
    words = entry.words.split(" ")
    label = entry.title
    if block.after:
        label = take_characters(label, len(" ".join(words[: -block.after]).rstrip(",:;")))
    start = len(" ".join(words[: block.before])) + 1 if block.before else 0
    return drop_characters(label, start)


def describe_group(group: Entry, columns: int) -> Line:
    """Return a sentence about a group: its title, and the entries below it, ``Build: Mill, Farm and 5 more (12 ways).``

    If all are shown, it is ``Build: Mill, Farm.`` or ``Build: Mill, Farm (3 ways).`` The ways are the group's options.
    Their number is shown only if there are more of them than entries. The names are whole, but a name that begins with
    the words of the title stands without them. If the title has ranges where the names differ, a name loses the words
    that it and the title begin with: ``Sell: gain 1–2: 1, 2.`` Names about another player come first. At least one name
    is shown, and more if the sentence fits in ``columns``, of which one in ``WRAPPING_LOSS_DIVISOR`` is not used.
    """
    entries = sorted(group.below, key=lambda entry: not any(map(_is_other_player, entry.title)))
    names = [_remove_title_words(group.title, entry.title) for entry in entries]
    sentence_end = f" ({len(group.options)} ways)." if len(group.options) > len(names) else "."
    head = (*group.title, Run(": "))
    limit = columns - columns // WRAPPING_LOSS_DIVISOR
    sentence: Line = (*head, *join_lines(names), Run(sentence_end))
    if measure(sentence) <= limit:
        return sentence
    for shown_count in range(1, len(names)):
        longer = (*head, *join_lines(names[:shown_count]), Run(f" and {len(names) - shown_count} more{sentence_end}"))
        if shown_count > 1 and measure(longer) > limit:
            break
        sentence = longer
    return sentence


def _is_other_player(run: Run) -> bool:
    return run.of.startswith("Player:") and not run.text.casefold().startswith("you")


def _remove_title_words(title: Line, label: Line) -> Line:
    """Return a label without the words of a title that it begins with, unless nothing would be left.

    A title may sum up its labels from some word on, as in ``Sell: gain 1–3 for 2–6`` for ``Sell: gain 1 for 2``. Then
    the words before that are left out.
    """
    words, text = to_text(title).rstrip(":,;"), to_text(label)
    pairs = zip(words.split(" "), text.split(" "), strict=False)
    shared_words = [word for word, _ in takewhile(lambda pair: pair[0] == pair[1], pairs)]
    if shared_words and "–" in words.removeprefix(" ".join(shared_words)):
        words = " ".join(shared_words)
    ending = drop_characters(label, len(words) + 1) if text.startswith((f"{words} ", f"{words}:")) else label
    start = len(to_text(ending)) - len(to_text(ending).lstrip())
    return drop_characters(ending, start) or label


def format_entry(choosing: Choosing, index: int) -> Line:
    """Return the entry at ``index`` alone, with its key, its marks and its whole label."""
    key = list_keys(choosing)[index]
    return _format_cell(choosing, index, key, measure_text(key), choosing.entries[index].title)


def _format_cell(choosing: Choosing, index: int, key: str, width: int, label: Line) -> Line:
    """Return an entry with its key, and with the mark of a pick, of a group or of an option that does nothing."""
    entry = choosing.entries[index]
    cell: list[Run] = [] if to_text(label) == key else [Run(f"{key:>{width}} ", bold=True)]
    if entry.is_group:
        return (*cell, *label, Run(f" … {len(entry.options)} ways", colour="sky"))
    number = entry.options[0]
    if choosing.is_picking:
        cell.append(Run(_write_mark(choosing, number), bold=True))
    option = choosing.question.options[number]
    return (*cell, *label, *(() if option.is_useful else (Run("  does nothing now", colour="red", bold=True),)))


def _write_mark(choosing: Choosing, number: int) -> str:
    """Return the mark of an option: whether it is picked, and its position if the order matters."""
    if number not in choosing.picks:
        return "[ ] "
    return f"[{choosing.picks.index(number) + 1}] " if choosing.question.is_ordered else "[x] "
