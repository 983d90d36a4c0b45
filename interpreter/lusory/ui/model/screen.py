"""Define the screen: an immutable description of everything that one seat sees, which every front end renders.

A :class:`Screen` holds panels (the table), the story (recent events) and the pending question. Text is stored as lines
of styled runs, see :mod:`lusory.explain.styled_text_wrapping_and_values`. :mod:`lusory.ui.model.screen_builder` makes
screens, and :mod:`lusory.ui.model.screen_layout` lays them out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from ...explain.event_sentences import Deed
from ...explain.styled_text_wrapping_and_values import DO, Line, Run, to_text

Place = Literal["header", "players", "table", "own"]
Frame = Literal["none", "squares", "boxes"]


@dataclass(frozen=True, slots=True)
class Cell:
    """Hold the content of one place: its full lines, and the same with symbols instead of names for narrow screens.

    ``short`` is empty if it would equal ``lines``. ``of`` is the reference of the value that the whole place
    represents, or "".
    """

    lines: tuple[Line, ...] = ()
    short: tuple[Line, ...] = ()
    of: str = ""

    def change_lines(self, change: Callable[[Line], Line]) -> Cell:
        """Return the cell with ``change`` applied to each of its lines, full and short."""
        return Cell(tuple(map(change, self.lines)), tuple(map(change, self.short)), self.of)


@dataclass(frozen=True, slots=True)
class Item:
    """Hold a value with its title. Screens with fewer than ``since`` columns omit it."""

    title: str
    cell: Cell
    since: int = 0


@dataclass(frozen=True, slots=True)
class Items:
    """Show values with titles: all on one line if ``is_in_line``, otherwise one per line.

    If ``is_spare`` is True, they stand only in rows that nothing else needs.
    """

    place: Place
    title: str
    items: tuple[Item, ...]
    is_in_line: bool = False
    is_spare: bool = False


@dataclass(frozen=True, slots=True)
class Head:
    """Label the row of the player at ``seat``: whether it is the viewer, and whether the player must decide now."""

    line: Line
    seat: int
    is_viewer: bool = False
    must_decide: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """Hold one attribute of all players: one cell for each head, in the same order.

    A cell is None if the player has no such value now. Screens with fewer than ``since`` columns omit the attribute. If
    ``has_own_line`` is set, it gets its own line under the player's row.
    """

    title: str
    cells: tuple[Cell | None, ...]
    since: int = 0
    has_own_line: bool = False


@dataclass(frozen=True, slots=True)
class Players:
    """Show one row for each player, at every width. The viewer's head comes first, then the others by seat."""

    place: Place
    title: str
    heads: tuple[Head, ...]
    columns: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """Hold cells side by side, with None for a gap.

    ``shift`` moves the row to the right by half cells. A row with ``keeps_text`` keeps its full text when others are
    shortened.
    """

    head: Line
    cells: tuple[Cell | None, ...]
    shift: int = 0
    keeps_text: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """Show cells in rows and columns: boards, tracks and tables.

    ``heads`` holds the heading of each column, which may be empty; without ``has_headings``, neither columns nor rows
    show theirs. ``frame`` selects the decoration of cells: none, a chequered board in two shades, or boxes. If
    ``is_even`` is set, all columns have the same width. ``texts`` holds what is printed on the card of each cell, in
    the order of the cells. It is empty if the cells are no cards or none has a text. ``edges`` holds what stands above
    it, to its right, below it and to its left, or is empty.
    """

    place: Place
    title: str
    heads: tuple[Line, ...]
    rows: tuple[Row, ...]
    has_headings: bool = True
    frame: Frame = "none"
    is_even: bool = True
    since: int = 0
    texts: tuple[Line, ...] = ()
    edges: tuple[Line, ...] = ()


@dataclass(frozen=True, slots=True)
class Node:
    """Place a space of a map in a column and a row, both counted from 0."""

    cell: Cell
    across: int
    down: int


@dataclass(frozen=True, slots=True)
class Map:
    """Show spaces and their links. An edge is a pair of indices into ``nodes``, the smaller one first.

    Where there is room, the distances between columns of spaces are multiples of ``step``.
    """

    place: Place
    title: str
    nodes: tuple[Node, ...]
    edges: tuple[tuple[int, int], ...]
    since: int = 0
    step: int = 4


@dataclass(frozen=True, slots=True)
class Dial:
    """Show a cycle of faces; the last is followed by the first.

    Attributes:
        current: The index of the current face. None if it is unknown or the dial has no face yet.
        marks: Indices of faces that something leads to, each with the text that says what does.
        notes: Further text behind the faces.
    """

    head: Line
    faces: tuple[Cell, ...]
    current: int | None = None
    marks: tuple[tuple[int, Line], ...] = ()
    notes: Line = ()


@dataclass(frozen=True, slots=True)
class Dials:
    """Show dials one below the other."""

    place: Place
    title: str
    dials: tuple[Dial, ...]
    since: int = 0


SENTENCE = " · "
"""Separator of the sentences printed on a card."""


@dataclass(frozen=True, slots=True)
class Card:
    """Hold equal cards of a hand.

    ``is_dim`` marks cards that have no use now, and ``text`` is what is printed on them. ``short`` is what the author
    wants instead of the cell where rows are few, or empty.
    """

    cell: Cell
    count: int = 1
    is_dim: bool = False
    text: Line = ()
    short: Line = ()


@dataclass(frozen=True, slots=True)
class Hand:
    """Show the cards of a hand: one entry for each group of equal cards."""

    place: Place
    title: str
    cards: tuple[Card, ...]
    since: int = 0


@dataclass(frozen=True, slots=True)
class Pile:
    """Hold a pile of cards: its number of cards, and its top card if the viewer sees one, or None."""

    title: Line
    count: int
    top: Cell | None = None


@dataclass(frozen=True, slots=True)
class Piles:
    """Show piles side by side."""

    place: Place
    title: str
    piles: tuple[Pile, ...]
    since: int = 0


TablePanel = Grid | Map | Dials | Hand | Piles
"""A panel that screens with fewer than ``since`` columns omit."""
Panel = Items | Players | TablePanel


@dataclass(frozen=True, slots=True)
class Option:
    """Hold one option of a question.

    Attributes:
        number: Its index in the decision. -1 if it becomes available only after other picks.
        id: The text that identifies it, as authors type it.
        path: One run for its alternative and for each of its values, in the author's order. A number, a truth value,
            ``none`` and a list of several items have no reference.
        preview: What the option would change, in sentences. Empty if nothing is certain.
        is_useful: Whether it does anything. False only if it is certain to do nothing now.
        has_gain: Whether it may bring the player something. False if it is certain only to cost cards.
        like: The index in the question of an equivalent option, which represents this one too. -1 if there is none.
        text: The name of the thing that it is about, see :attr:`subject`, and what is printed on it.
        moved_card: The reference of the card with a text that it moves, or "".
        is_mention: Whether the option only names that thing, such as a card that is guessed, and nothing happens to it.
        is_last: Whether it ends what the option that ends the turn would end, so that no other can follow it.
        is_avoided: Whether the ruleset advises bots never to pick it while there is another.
    """

    number: int
    id: str
    label: Line
    path: Line
    preview: tuple[Line, ...] = ()
    is_useful: bool = True
    has_gain: bool = True
    like: int = -1
    text: Line = ()
    moved_card: str = ""
    is_mention: bool = False
    is_last: bool = False
    is_avoided: bool = False

    @property
    def subject(self) -> str:
        """The reference of the thing that the option is about, such as ``Card:axe``, or "" without one.

        It is the card that the option moves (:attr:`moved_card`). Without one, it is the last reference in ``label``
        that is not one of the option's values. Otherwise it is the last value that has a reference: for the values
        ``Card:axe`` and 3, it is ``Card:axe``.
        """
        if self.moved_card:
            return self.moved_card
        values = [step.of for step in self.path if step.of and not step.of.startswith(DO)]
        references = [run.of for run in self.label if run.of and run.of not in values]
        return next(iter((*reversed(references), *reversed(values))), "")

    @property
    def words(self) -> str:
        """The label without its styles."""
        return to_text(self.label)

    def step_about(self, reference: str) -> Run:
        """Return the step of the path with a reference, or an empty run if there is none."""
        return next((step for step in self.path if step.of == reference), Run(""))


@dataclass(frozen=True, slots=True)
class Question:
    """Hold the pending decision of the viewer.

    Attributes:
        end: The index in ``options`` of the option that declines or ends a turn, or None.
        ends_turn: Whether that option ends a turn in which the others could follow each other.
        takes_several: Whether the seat picks several options, from ``least`` to ``most``. Then ``options`` holds all
            candidates, and none of them ends the picking.
        is_ordered: Whether the order of the picks matters.
        earlier_picks: The labels of earlier picks.
        is_continuation: Whether it belongs to the option that the viewer took just before, which is not complete yet.
        is_asked_again: Whether the viewer answered the same question just before, within one option that they took.
        closed_options: Lines about options that can't be chosen now, each with the reason.
        all_at_once: The index in ``options`` of the option that does what the others do one after another, or None.
    """

    prompt: Line
    options: tuple[Option, ...]
    end: int | None = None
    takes_several: bool = False
    is_ordered: bool = False
    least: int = 1
    most: int = 1
    earlier_picks: tuple[Line, ...] = ()
    is_continuation: bool = False
    is_asked_again: bool = False
    closed_options: tuple[Line, ...] = ()
    ends_turn: bool = True
    all_at_once: int | None = None


Answer = tuple[str, ...]
"""Ids of the chosen options, in order. If several can be picked, the last may be :data:`DONE`."""

DONE = "done"
"""The id that ends picking before ``most`` options are picked."""


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """Hold a column of the final table: its title and one value for each seat."""

    title: str
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Ending:
    """Describe the end of a game.

    Attributes:
        table: The final scores, in the author's columns.
        chart: The title of the chart that decided the game, or "".
        steps: The steps of that chart.
        places: The place of each seat, from 1, with tied seats in one place. If nobody wins, places begin at 2.
        hidden_information: Information that was hidden from the viewer.
        text: The author's text about this way in which the game ends.
        history: The deciding score after each round.
        turning_point: A sentence that says since when the winner has led, or ().
    """

    verdict: Line
    winners: tuple[int, ...]
    table: tuple[ResultColumn, ...] = ()
    chart: str = ""
    steps: tuple[ResultColumn, ...] = ()
    places: tuple[int, ...] = ()
    hidden_information: tuple[Line, ...] = ()
    text: tuple[Line, ...] = ()
    history: tuple[ResultColumn, ...] = ()
    turning_point: Line = ()


@dataclass(frozen=True, slots=True)
class Screen:
    """Hold everything that a seat sees.

    Attributes:
        seat: The viewer. None is a spectator.
        names: The names of all seats.
        phase: The current phase of the game.
        story: The events since the seat last decided.
        history: The events just before these, for screens that have room.
        texts: The name and the printed text of each card on the table that has one, copies once.
        waiting: The seat that must decide. None once the game is over.
        introduction: The start page of the game, in lines that are not wrapped.
        commands: The commands of recommended games, which follow the start page.
        is_set_up: Whether the decision belongs to the set-up of the game.
        is_new: Whether the seat has not decided anything yet.
    """

    title: str
    seat: int | None
    names: tuple[str, ...]
    phase: Line
    panels: tuple[Panel, ...]
    story: tuple[Deed, ...]
    question: Question | None
    waiting: int | None
    ending: Ending | None
    introduction: tuple[Line, ...] = ()
    commands: tuple[Line, ...] = ()
    is_set_up: bool = False
    is_new: bool = False
    history: tuple[Deed, ...] = ()
    texts: tuple[tuple[Line, Line], ...] = ()
