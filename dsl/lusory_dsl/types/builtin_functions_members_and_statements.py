"""The signature table of built-in functions, members and statements.

The checker takes types from this table, the engines take the meaning of a call, and the reference pages take
documentation and examples. Members of spaces have a table of their own at the end.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from functools import cached_property
from typing import Any, Literal, NamedTuple, Protocol

from ..source.dataclass_with_lazy_methods import ValueRecord
from .integer_intervals import Interval
from .types import BOOL, INT, PLAYER, TEXT, TEXT_LIMIT, TOO_LONG_TEXT, ListType, OptionalType, Type


class TypeVariable(Type):
    """The type variable ``T`` of a row. It is the same type everywhere in the row."""

    def __str__(self) -> str:
        return "T"


class PlaceType(Type):
    """A requirement on an argument that is a place rather than a value.

    ``kind`` is ``place`` (a variable), ``pool``, ``zone``, ``card`` (a component of any kind), ``kind`` (a component
    kind by its name) or ``enum``. No value has such a type.
    """

    kind: str

    def __str__(self) -> str:
        return self.kind


T = TypeVariable()
LIST = ListType(T)
PLAYERS = ListType(PLAYER)
PLACE = PlaceType("place")
POOL = PlaceType("pool")
CARD = PlaceType("card")
ZONE = PlaceType("zone")
KIND = PlaceType("kind")
ENUM = PlaceType("enum")


class Parameter(ValueRecord):
    """One parameter of a row. Only parameters of verbs can be optional (``is_optional``)."""

    name: str
    type: Type
    is_optional: bool = False


class Fault(Enum):
    """A reason why a call can fail even if the evaluation of its arguments succeeds."""

    NOT_THERE = auto()
    """The requested item may not exist."""
    TOO_GREAT = auto()
    """The value may lie outside the range of Int."""
    TOO_LONG = auto()
    """The value may have more characters than a Text allows."""


class CallBounds(Protocol):
    """The bounds that are known about a call: about its arguments, by their number from 0, and about the game."""

    @property
    def players(self) -> Interval:
        """The least and the greatest number of players."""

    def number(self, argument: int) -> Interval:
        """Return the bounds of a number argument, or of the numbers in a list argument."""

    def size(self, argument: int) -> Interval:
        """Return the bounds of the length of a list argument."""

    def characters(self, argument: int) -> int:
        """Return the maximum length of a text argument, or of the texts in a list argument."""


Bounds = Callable[[CallBounds], Interval]


class Builtin(ValueRecord):
    """A row of the table.

    ``kind`` gives the notation: a ``function`` is ``name(args)``, a ``member`` is ``subject.name``, and a ``verb`` is a
    statement. A function with ``can_be_member`` can be written in either form. ``core_node`` is the name of the node in
    :mod:`lusory_dsl.core` that it becomes. ``text`` is its phrase in rules text, with the parameters in braces.
    ``example`` uses the ruleset docs/design/orchard.yaml, and ``example_value`` is an expression with the same value.
    The tests execute both. ``bounds``, ``size`` and ``characters`` compute limits of its result from those of the
    arguments. ``mirror`` names the opposite function, which mutation tests put in its place. ``evaluate`` takes the
    number of players and the values of the arguments (players from 0, lists as tuples) and returns the value. It raises
    ValueError if the call fails; an Int beyond 64 bits, with ``Fault.TOO_GREAT``, is left to the caller.
    """

    name: str
    kind: Literal["function", "member", "verb"]
    params: tuple[Parameter, ...]
    type: Type | None
    doc: str
    text: str
    example: str
    example_value: str = ""
    can_be_member: bool = False
    core_node: str = "CallBuiltin"
    fault: Fault | None = None
    bounds: Bounds | None = None
    size: Bounds | None = None
    characters: Callable[[CallBounds], int] | None = None
    mirror: str | None = None
    evaluate: Callable[..., Any] | None = None

    @cached_property
    def accepts_none(self) -> bool:
        """True if a parameter is of type ``T`` or a list of it.

        The function only passes the value on, so ``none`` is valid.
        """
        return any(param.type in (T, LIST) for param in self.params)

    @property
    def returns_item(self) -> bool:
        """True if the result is an item of the first argument, a list or zone, as for ``first`` and ``top``."""
        return self.type == T and self.params[0].type in (LIST, ZONE)

    @property
    def returns_sublist(self) -> bool:
        """True if the result and the first argument are lists with the same type of items, as for ``take``."""
        return self.type == LIST and self.params[0].type == LIST

    @property
    def returns_all_players(self) -> bool:
        """True if the result is the list of all players."""
        return self.type == PLAYERS

    @property
    def follows_seating(self) -> bool:
        """True if the function moves around the table from a player.

        With two players both directions are the same.
        """
        return self.type in (PLAYER, PLAYERS) and [param.type for param in self.params] == [PLAYER]

    @property
    def signature(self) -> str:
        """The notation of a function or member with types: ``step(xs: List[T], item: T, n: Int) -> T``.

        A member has the form ``zone.top -> T``, without parentheses. A verb, which has no type, ends in ``-> None``:
        ``shuffle(zone: zone) -> None``. Optional parameters stand like others.
        """
        params = ", ".join(f"{param.name}: {param.type}" for param in self.params)
        if self.kind == "member":
            return f"{self.params[0].type}.{self.name} -> {self.type}"
        return f"{self.name}({params}) -> {self.type}"


def _make_function(
    name: str,
    params: dict[str, Type],
    type: Type,
    doc: str,
    text: str,
    example: str,
    shows: str,
    is_member: bool = False,
    *,
    fault: Fault | None,
    opposite: str | None,
    bounds: Bounds | None = None,
    size: Bounds | None = None,
    characters: Callable[[CallBounds], int] | None = None,
    evaluate: Callable[..., Any],
) -> Builtin:
    """Return the entry of a function from its parameters and texts."""
    rows = tuple(Parameter(param, param_type) for param, param_type in params.items())
    return Builtin(
        name, "function", rows, type, doc, text, example, shows, is_member,
        fault=fault, bounds=bounds, size=size, characters=characters, mirror=opposite, evaluate=evaluate,
    )  # fmt: skip


def _make_member(
    name: str,
    subject: Type,
    type: Type,
    doc: str,
    text: str,
    example: str,
    shows: str,
    core: str = "CallBuiltin",
    *,
    fault: Fault | None = None,
    opposite: str | None = None,
    evaluate: Callable[..., Any] | None = None,
) -> Builtin:
    """Return the entry of a member, whose one parameter is called ``subject``."""
    row = (Parameter("subject", subject),)
    return Builtin(
        name, "member", row, type, doc, text, example, shows,
        core_node=core, fault=fault, mirror=opposite, evaluate=evaluate,
    )  # fmt: skip


def _make_verb(name: str, params: dict[str, Type], doc: str, text: str, example: str, core: str) -> Builtin:
    rows = tuple(Parameter(param.rstrip("?"), param_type, param.endswith("?")) for param, param_type in params.items())
    return Builtin(name, "verb", rows, None, doc, text, example, core_node=core)


def _bound_item_or_0(call: CallBounds) -> Interval:
    """Return the bounds of an item of the first argument, or 0 if the list is empty."""
    low, high = call.number(0)
    return min(low, 0), max(high, 0)


def _bound_sum(call: CallBounds) -> Interval:
    low, high = _bound_item_or_0(call)
    max_size = call.size(0)[1]
    return max_size * low, max_size * high


def _bound_distinct(call: CallBounds) -> Interval:
    """Return the bounds of the number of distinct items: at least 1 unless the list can be empty."""
    low, high = call.size(0)
    return min(low, 1), high


def _bound_slice(call: CallBounds) -> Interval:
    (min_size, max_size), (low, high) = call.size(0), call.number(1)
    return max(min(min_size, low), 0), max(min(max_size, high), 0)


def _list_seats(players: int, first: int, direction: int) -> tuple[int, ...]:
    return tuple((first + direction * i) % players for i in range(players))


def _evaluate_index(players: int, items: tuple[Any, ...], item: Any) -> int:
    if item not in items:
        raise ValueError("the item is not in the list")
    return items.index(item)


def _evaluate_at(players: int, items: tuple[Any, ...], n: int) -> Any:
    if not 0 <= n < len(items):
        raise ValueError(f"the list has {len(items)} items, so there is no item {n} (the first is 0)")
    return items[n]


def _evaluate_cycle(players: int, items: tuple[Any, ...], n: int) -> Any:
    if not items:
        raise ValueError("`cycle` needs at least one item, but the list is empty")
    return items[n % len(items)]


def _evaluate_neighbours(players: int, items: tuple[Any, ...], item: Any) -> tuple[Any, ...]:
    position = _evaluate_index(players, items, item)
    return items[max(position - 1, 0) : position] + items[position + 1 : position + 2]


def _evaluate_first(players: int, items: tuple[Any, ...]) -> Any:
    if not items:
        raise ValueError("the list is empty, so it has no first item")
    return items[0]


def _evaluate_last(players: int, items: tuple[Any, ...]) -> Any:
    if not items:
        raise ValueError("the list is empty, so it has no last item")
    return items[-1]


def _evaluate_lines(players: int, texts: tuple[str, ...]) -> str:
    if sum(map(len, texts)) + len(texts) - 1 > TEXT_LIMIT:
        raise ValueError(TOO_LONG_TEXT)
    return "\n".join(texts)


_FUNCTIONS = (
    _make_function(
        "count", {"xs": LIST}, INT, "The number of items in a list.",
        "the number of {xs}", "count([4, 5])", "2",
        fault=None, opposite=None, bounds=lambda call: call.size(0),
        evaluate=lambda players, items: len(items),
    ),
    _make_function(
        "sum", {"xs": ListType(INT)}, INT,
        "The sum of the numbers; 0 for an empty list. A fault if it is too large for an Int.",
        "the sum of {xs}", "sum([4, 5])", "9",
        fault=Fault.TOO_GREAT, opposite=None, bounds=_bound_sum,
        evaluate=lambda players, items: sum(items),
    ),
    _make_function(
        "max", {"xs": ListType(INT)}, INT, "The greatest number of a list; 0 for an empty list.",
        "the greatest of {xs}", "max([4, 5])", "5",
        fault=None, opposite="min", bounds=_bound_item_or_0,
        evaluate=lambda players, items: max(items, default=0),
    ),
    _make_function(
        "min", {"xs": ListType(INT)}, INT, "The smallest number of a list; 0 for an empty list.",
        "the smallest of {xs}", "min([4, 5])", "4",
        fault=None, opposite="max", bounds=_bound_item_or_0,
        evaluate=lambda players, items: min(items, default=0),
    ),
    _make_function(
        "any", {"xs": ListType(BOOL)}, BOOL, "True if at least one item is true.",
        "any of {xs}", "any([false, true])", "true",
        fault=None, opposite="all", evaluate=lambda players, items: any(items),
    ),
    _make_function(
        "all", {"xs": ListType(BOOL)}, BOOL, "True if every item is true, and for an empty list.",
        "all of {xs}", "all([false, true])", "false",
        fault=None, opposite="any", evaluate=lambda players, items: all(items),
    ),
    _make_function(
        "clockwise_from", {"player": PLAYER}, PLAYERS, "All players in clockwise order, this one first.",
        "all players, clockwise from {player}", "clockwise_from(players.last).first", "players.last",
        fault=None, opposite="anticlockwise_from", size=lambda call: call.players,
        evaluate=lambda players, player: _list_seats(players, player, 1),
    ),
    _make_function(
        "anticlockwise_from", {"player": PLAYER}, PLAYERS, "All players in anticlockwise order, this one first.",
        "all players, anticlockwise from {player}", "anticlockwise_from(players.last)",
        "reverse(players)",
        fault=None, opposite="clockwise_from", size=lambda call: call.players,
        evaluate=lambda players, player: _list_seats(players, player, -1),
    ),
    _make_function(
        "next", {"player": PLAYER}, PLAYER,
        "The next player clockwise; `p.next(among: ps)`, the next of the players `ps`; a fault if there is none.",
        "the player after {player}", "players.last.next", "players.first", is_member=True,
        fault=None, opposite="previous", evaluate=lambda players, player: (player + 1) % players,
    ),
    _make_function(
        "previous", {"player": PLAYER}, PLAYER, "The next player anticlockwise; `among` as for `next`.",
        "the player before {player}", "players.first.previous", "players.last", is_member=True,
        fault=None, opposite="next", evaluate=lambda players, player: (player - 1) % players,
    ),
    _make_function(
        "seat", {"player": PLAYER}, INT, "The number of a player's seat, from 1.",
        "the seat of {player}", "players.first.seat", "1", is_member=True,
        fault=None, opposite=None, bounds=lambda call: (1, call.players[1]),
        evaluate=lambda players, player: player + 1,
    ),
    _make_function(
        "distance", {"player": PLAYER, "other": PLAYER}, INT,
            "The number of steps clockwise from one player to another.",
        "the steps from {player} to {other}", "distance(players.first, players.first.next)", "1",
        fault=None, opposite=None, bounds=lambda call: (0, call.players[1] - 1),
        evaluate=lambda players, a, b: (b - a) % players,
    ),
    _make_function(
        "reverse", {"xs": LIST}, LIST, "The list from back to front.",
        "{xs} in reverse order", "reverse([4, 5])", "[5, 4]",
        fault=None, opposite=None, size=lambda call: call.size(0),
        evaluate=lambda players, items: items[::-1],
    ),
    _make_function(
        "step", {"xs": LIST, "item": T, "n": INT}, T,
        "The item n places further (back, when n is below 0) in a list that closes to a ring; "
        "a fault when the item is not in the list.",
        "the item {n} places after {item} in {xs}", "step([4, 5, 6], 6, 1)", "4",
        fault=Fault.NOT_THERE, opposite=None,
        evaluate=lambda players, items, item, n: items[(_evaluate_index(players, items, item) + n) % len(items)],
    ),
    _make_function(
        "index", {"xs": LIST, "item": T}, INT,
        "The place of an item's first occurrence, from 0; a fault when it is not in the list.",
        "the place of {item} in {xs}", "index([4, 5], 5)", "1",
        fault=Fault.NOT_THERE, opposite=None, bounds=lambda call: (0, max(call.size(0)[1] - 1, 0)),
        evaluate=_evaluate_index,
    ),
    _make_function(
        "first", {"xs": LIST}, T, "The first item; a fault when the list is empty.",
        "the first of {xs}", "[4, 5].first", "4", is_member=True,
        fault=Fault.NOT_THERE, opposite="last", evaluate=_evaluate_first,
    ),
    _make_function(
        "last", {"xs": LIST}, T, "The last item; a fault when the list is empty.",
        "the last of {xs}", "[4, 5].last", "5", is_member=True,
        fault=Fault.NOT_THERE, opposite="first", evaluate=_evaluate_last,
    ),
    _make_function(
        "at", {"xs": LIST, "n": INT}, T, "The item at place n, from 0; a fault outside of the list.",
        "item {n} of {xs}", "at([4, 5], 1)", "5",
        fault=Fault.NOT_THERE, opposite=None, evaluate=_evaluate_at,
    ),
    _make_function(
        "cycle", {"xs": LIST, "n": INT}, T,
        "The item at place n, from 0, of a list that closes to a ring; a fault when it is empty.",
        "item {n} of {xs}, which goes round", "cycle([4, 5, 6], 4)", "5",
        fault=Fault.NOT_THERE, opposite=None, evaluate=_evaluate_cycle,
    ),
    _make_function(
        "one", {"xs": LIST}, OptionalType(T), "The first item, or `none` if the list is empty.",
        "the first of {xs}", "[4, 5].one", "4", is_member=True,
        fault=None, opposite=None, evaluate=lambda players, items: items[0] if items else None,
    ),
    _make_function(
        "neighbours", {"xs": LIST, "x": T}, LIST,
        "The items before and after an item of a list. It is a fault if the item is not in the list.",
        "what lies beside {x} in {xs}", "neighbours([4, 5, 6], 5)", "[4, 6]",
        fault=Fault.NOT_THERE, opposite=None, size=lambda call: (0, min(2, call.size(0)[1])),
        evaluate=_evaluate_neighbours,
    ),
    _make_function(
        "take", {"xs": LIST, "n": INT}, LIST, "The first n items; all, when there are fewer; none, when n is below 1.",
        "the first {n} of {xs}", "take([4, 5, 6], 2)", "[4, 5]",
        fault=None, opposite=None, size=_bound_slice,
        evaluate=lambda players, items, n: items[: max(n, 0)],
    ),
    _make_function(
        "drop", {"xs": LIST, "n": INT}, LIST, "All but the first n items; all, when n is below 1.",
        "{xs} without the first {n}", "drop([4, 5, 6], 2)", "[6]",
        fault=None, opposite=None, size=lambda call: (0, call.size(0)[1]),
        evaluate=lambda players, items, n: items[max(n, 0) :],
    ),
    _make_function(
        "unique", {"xs": LIST}, LIST, "Each different item once, where it occurs first.",
        "the different {xs}", "unique([4, 5, 4])", "[4, 5]",
        fault=None, opposite=None, size=_bound_distinct,
        evaluate=lambda players, items: tuple(dict.fromkeys(items)),
    ),
    _make_function(
        "lines", {"texts": ListType(TEXT)}, TEXT, "The texts of a list, each on a line of its own.",
        "{texts}, line by line", 'lines(["4"])', '"4"',
        fault=Fault.TOO_LONG, opposite=None,
        characters=lambda call: call.size(0)[1] * (call.characters(0) + 1),
        evaluate=_evaluate_lines,
    ),
    _make_function(
        "abs", {"n": INT}, INT, "A number without its sign.",
        "the amount of {n}", "abs(-4)", "4",
        fault=Fault.TOO_GREAT, opposite=None, evaluate=lambda players, n: abs(n),
        bounds=lambda call: (0, max(-call.number(0)[0], call.number(0)[1])),
    ),
    _make_function(
        "smaller", {"a": INT, "b": INT}, INT, "The smaller of two numbers.",
        "the smaller of {a} and {b}", "smaller(4, 5)", "4",
        fault=None, opposite="larger", evaluate=lambda players, a, b: min(a, b),
        bounds=lambda call: (
            min(call.number(0)[0], call.number(1)[0]), min(call.number(0)[1], call.number(1)[1])),
    ),
    _make_function(
        "larger", {"a": INT, "b": INT}, INT, "The larger of two numbers.",
        "the larger of {a} and {b}", "larger(4, 5)", "5",
        fault=None, opposite="smaller", evaluate=lambda players, a, b: max(a, b),
        bounds=lambda call: (
            max(call.number(0)[0], call.number(1)[0]), max(call.number(0)[1], call.number(1)[1])),
    ),
)  # fmt: skip

_MEMBERS = (
    _make_member(
        "top", ZONE, T, "The component on top of a zone; a fault when the zone is empty.",
        "the top of {subject}", "deck.top", "deck.first",
        fault=Fault.NOT_THERE, opposite="bottom", evaluate=_evaluate_first,
    ),
    _make_member(
        "bottom", ZONE, T, "The component at the bottom of a zone; a fault when the zone is empty.",
        "the bottom of {subject}", "deck.bottom", "deck.last",
        fault=Fault.NOT_THERE, opposite="top", evaluate=_evaluate_last,
    ),
    _make_member(
        "sorts", ZONE, LIST, "One copy of each different card in a zone.",
        "one of each sort in {subject}", "deck.sorts", "deck with distinct it.original", core="Distinct",
    ),
    _make_member(
        "counted", ZONE, TEXT, "The contents of a zone in words: each kind of component once, with its number.",
        "what lies in {subject}", "delivered.counted", '"{delivered}"', core="TextTemplate",
    ),
    _make_member(
        "originals", KIND, LIST, "The first copy of each different card of a kind.",
        "every {subject} once", "Job.originals", "[cider, cake, perry, jam]", core="Distinct",
    ),
    _make_member(
        "short", ENUM, TEXT, "The `short` name of a value; its label if it has none.",
        "{subject} in short", "weather.short", '"Sun"', core="TableRead",
    ),
    _make_member(
        "total", POOL, INT, "The number of counters of all kinds in a pool.",
        "the number of counters in {subject}", "trees.total", "trees.apple + trees.pear", core="PoolTotal",
    ),
    _make_member(
        "kinds", POOL, LIST, "The kinds of which a pool holds at least one, in declared order.",
        "the kinds in {subject}", "trees.kinds", "[apple, pear]", core="PoolKinds",
    ),
    _make_member(
        "original", CARD, T, "The first copy of a card: the same for all its copies.",
        "the original of {subject}", "cider.copies.last.original", "cider", core="Field",
    ),
    _make_member(
        "holder", CARD, OptionalType(PLAYER), "The player in whose zone a card is, or `none`.",
        "the holder of {subject}", "hand.top.holder", "me", core="IndexOfPlace",
    ),
    _make_member(
        "printed", CARD, CARD,
        "The printed value of a card, whatever rules change. It takes a field, a keyword, or `has` and a keyword.",
        "{subject} as printed", "cider.printed.pay", "5", core="Field",
    ),
    _make_member(
        "copies", CARD, LIST, "All copies of a card, with itself, wherever they are.",
        "the copies of {subject}", "cider.copies", "Job where it.original is cider", core="Field",
    ),
)  # fmt: skip

_VERBS = (
    _make_verb(
        "let", {"name": T, "value": T}, "Gives a value a name for the rest of the block.",
        "{name} is {value}", "let spare = basket.apple - 1", "Let",
    ),
    _make_verb(
        "set", {"place": PLACE, "value": T}, "Writes a variable.",
        "{place} becomes {value}", "set weather to rain", "SetCell",
    ),
    _make_verb(
        "increase", {"place": PLACE, "value": INT}, "Adds to a variable.",
        "{place} goes up by {value}", "increase day by 1", "SetCell",
    ),
    _make_verb(
        "decrease", {"place": PLACE, "value": INT}, "Takes away from a variable.",
        "{place} goes down by {value}", "decrease day by 1", "SetCell",
    ),
    _make_verb(
        "add", {"value": T, "to": LIST}, "Adds an item, or all items of a list, to the end of a list variable.",
        "add {value} to {to}", "let seen = [weather]; add rain to seen", "SetCell",
    ),
    _make_verb(
        "remove", {"value": T, "from": LIST},
        "Takes the first such item out of a list variable, if there is one.",
        "remove {value} from {from}", "let left = [rain, sun]; remove rain from left", "SetCell",
    ),
    _make_verb(
        "move counters", {"amount?": INT, "kind?": T, "from": POOL, "to": POOL},
        "Moves counters between pools: the amount, or as many as there are; `all` of a kind, or all.",
        "move {amount} {kind} from {from} to {to}", "move 2 apples from trees to basket", "MoveCount",
    ),
    _make_verb(
        "move components", {"components": LIST, "to": ZONE},
        "Moves a component, or a list of them in order, to the bottom (or `top of`) a zone.",
        "move {components} to {to}", "move deck.top to hand", "MoveCards",
    ),
    _make_verb(
        "shuffle", {"zone": ZONE}, "Puts a zone into random order, which nobody knows.",
        "shuffle {zone}", "shuffle deck", "Shuffle",
    ),
    _make_verb(
        "if", {"condition": BOOL}, "Runs the first block whose condition holds, or the `else` block.",
        "if {condition}", "if day = 1: set weather to rain", "If",
    ),
    _make_verb(
        "for each", {"name": T, "source": LIST, "where?": BOOL},
        "Runs the block for each item. The list is fixed at the start; the condition is read before each item.",
        "for each {name} in {source}", "for each job in hand where job.pay > 4: move job to delivered", "ForEach",
    ),
    _make_verb(
        "each player", {"from?": PLAYER, "in?": PLAYERS, "where?": BOOL},
        "Runs the block for each player, who is `me` in it.",
        "each player", "each player from starter clockwise: draw(1)", "ForEach",
    ),
    _make_verb(
        "by", {"player": PLAYER}, "Runs the block with another player as `me`.",
        "{player}", "by starter: draw(1)", "Let",
    ),
    _make_verb(
        "privately", {}, "Runs the block, and tells other players nothing about its choices.",
        "the others don't learn what is chosen", "privately: choose up to 2 jobs in hand; move jobs to deck", "Ask",
    ),
    _make_verb(
        "repeat", {"times?": INT, "while?": BOOL, "at most?": INT},
        "Runs the block a number of times, or while a condition holds. More passes than `at most` are a fault.",
        "{times} times", "repeat 2 times: draw(1)", "Repeat",
    ),
    _make_verb(
        "stop", {}, "Leaves the innermost loop.",
        "stop", "repeat 3 times:\n  if deck is empty: stop\n  draw(1)", "Stop",
    ),
    _make_verb(
        "choose", {"variables": LIST, "by?": PLAYER, "prompt?": TEXT, "label?": TEXT},
        "Asks a player to pick a value for each name.",
        "choose {variables}", "choose job in hand: move job to deck", "Ask",
    ),
    _make_verb(
        "choose option", {"by?": PLAYER, "prompt?": TEXT}, 
        "Asks a player to pick one of the options.",
        "choose", 'choose:\n  option wait: announce "{me} waits"\n  option draw: draw(1)', "Ask",
    ),
    _make_verb(
        "choose some", {"low?": INT, "high?": INT, "variable": LIST, "by?": PLAYER, "prompt?": TEXT, "label?": TEXT},
        "Asks a player to pick several items. The name is the list of them.",
        "choose {low} to {high} {variable}", "choose up to 2 jobs in hand\nmove jobs to deck", "AskMany",
    ),
    _make_verb(
        "order", {"variable": LIST, "by?": PLAYER, "prompt?": TEXT, "label?": TEXT},
        "Asks a player to put all items in order.",
        "put {variable} in order", "order jobs in hand\nmove jobs to deck", "AskMany",
    ),
    _make_verb(
        "split", {"amount": INT, "over": LIST, "at most": INT, "by?": PLAYER, "prompt?": TEXT, "label?": TEXT},
        "Asks a player how much of an amount each item gets.",
        "divide {amount} among {over}",
        "split 3 as n over p in players, at most p.basket.apple:\n  move n apples from p.basket to trees", "Ask",
    ),
    _make_verb(
        "may", {"prompt": TEXT, "by?": PLAYER}, "Asks a player a question with yes or no.",
        "may", 'may "Draw a job?": draw(1)', "Ask",
    ),
    _make_verb(
        "take action", {"actions": LIST, "by?": PLAYER, "prompt?": TEXT},
        "Asks a player to take one of the actions that are legal now. `action of cards` offers the action of each"
        " card that has it. `take action from menu` offers the actions of a menu.",
        "take one of the actions {actions}", "take action pluck, sell, haggle of hand", "Ask",
    ),
    _make_verb(
        "use", {"action": T, "of": CARD, "by?": PLAYER, "prompt?": TEXT},
        "Runs the action of one card, if it is legal now.",
        "use {action} of {of}", "choose job in hand: use haggle of job", "Ask",
    ),
    _make_verb(
        "open", {"window": T},
        "Opens a window, in which players may react. Then runs the block, unless a reaction cancels it.",
        "open {window}", 'open fair(cider): announce "{me} sells cider"', "CallEffect",
    ),
    _make_verb(
        "cancel", {}, "In a reaction, skips the block of the `open` that asked for it.",
        "it is cancelled", 'open fair(cider): announce "sold"\nelse: announce "spoilt"', "SetCell",
    ),
    _make_verb(
        "begin", {"span": PLACE}, "Starts a span, which lasts as long as its condition holds without a gap.",
        "{span} begins", "begin diligent", "SetCell",
    ),
    _make_verb(
        "roll", {"variable": LIST}, "Rolls a die: picks a number at random. All are equally likely.",
        "roll {variable}", 'roll eyes in 1..6: announce "{eyes}"', "Random",
    ),
    _make_verb(
        "pick", {"variable": LIST}, "Picks an item of a list at random. All are equally likely.",
        "pick {variable} at random", "pick job in hand at random: move job to deck", "Random",
    ),
    _make_verb(
        "announce", {"text": TEXT, "to?": PLAYERS}, "Writes a line into the log of all players, or of some.",
        "announce {text}", 'announce "{me} rests"', "Announce",
    ),
    _make_verb(
        "end game", {"by?": T, "for?": PLAYERS, "because?": OptionalType(TEXT)},
        "Ends the game at once. `by` names the chart that finds the winner, and `for` the players who can win.",
        "the game ends", 'end game because "night has come"', "EndGame",
    ),
)  # fmt: skip

BUILTINS: tuple[Builtin, ...] = (*_FUNCTIONS, *_MEMBERS, *_VERBS)

FUNCTIONS: dict[str, Builtin] = {row.name: row for row in BUILTINS if row.kind == "function"}
MEMBERS: dict[str, Builtin] = {row.name: row for row in BUILTINS if row.kind == "member" or row.can_be_member}


def list_members(subject: Type) -> list[str]:
    """Return the names of the members of ``subject``, a type of the table: ``["total", "kinds"]`` for ``POOL``."""
    return [name for name, row in MEMBERS.items() if row.params[0].type == subject]


#: Name -> row of each builtin that can occur in ``core.CallBuiltin``. Each has ``evaluate``.
RUNTIME_FUNCTIONS: dict[str, Builtin] = {
    row.name: row for row in BUILTINS if row.kind != "verb" and row.core_node == "CallBuiltin"
}

#: Functions that accept a comprehension: ``word(e for x in xs)``.
COMPREHENSIONS: tuple[str, ...] = ("sum", "max", "min", "any", "all", "count", "list")

#: Functions that search a graph from start values: ``word(e for x from xs within n)``, where ``e`` lists neighbours.
GRAPH_SEARCHES: tuple[str, ...] = ("reach", "steps")


SubjectKind = Literal["space", "direction", "seat", "line", "list"]


class SpaceMember(NamedTuple):
    """A row: the member ``subject.name(params)`` of a space or of a related thing.

    ``params`` holds the names and types of the parameters. ``type`` is the type of the result, in which ``Square``
    stands for the board and ``Compass`` for its directions. ``text`` is the phrase in rules text, with the subject and
    parameters in braces. ``example`` is an expression about :data:`EXAMPLE`, an arrow, and its value.
    """

    name: str
    subject_kind: SubjectKind
    params: tuple[tuple[str, str], ...]
    type: str
    doc: str
    text: str
    example: str

    @property
    def signature(self) -> str:
        """The notation of the member with types: ``Square.ray(d: Compass) -> List[Square]``.

        A member without parameters has no parentheses: ``Compass.opposite -> Compass``. The type before the full stop
        is ``Compass``, ``Player``, ``Line``, ``List[Square]`` or ``Square``. Boards of any name are called ``Square``.
        """
        subject = {"space": "Square", "direction": "Compass", "seat": "Player", "line": "Line", "list": "List[Square]"}
        params = ", ".join(f"{name}: {type}" for name, type in self.params)
        return f"{subject[self.subject_kind]}.{self.name}{f'({params})' if params else ''} -> {self.type}"


EXAMPLE = """\
game: {id: squares, name: Squares, version: "1", language: 2, players: 2}
boards:
  Square: {grid: 4 x 4, facing: [north, south], lines: {Three: 3}}
scoring: {rank: [me.seat]}
"""
"""The ruleset that the examples of space members use."""


def _make_space(name: str, type: str, doc: str, text: str, example: str, **params: str) -> SpaceMember:
    return SpaceMember(name, "space", tuple(params.items()), type, doc, text, example)


def _make_seat(name: str, direction: str, example: str) -> SpaceMember:
    doc = f"The direction {direction}, as a seat looks at the board."
    return SpaceMember(name, "seat", (), "Compass", doc, f"the {direction} of {{subject}}", example)


SYMMETRIES: dict[str, str] = {
    "mirrored": "left and right change places",
    "flipped": "top and bottom change places",
    "turned": "a quarter of a turn clockwise; of hexagons a sixth",
    "opposite": "half a turn",
    "transposed": "columns and rows change places",
}
"""Symmetry of a board -> description of its effect."""

_SPACES = (
    _make_space("column", "Int", "The column of a space, from 1.", "the column of {subject}", "b3.column → 2"),
    _make_space("row", "Int", "The row of a space, from 1.", "the row of {subject}", "b3.row → 3"),
    _make_space("rank", "Int", "The row, counted from the player's own side.",
        "the row of {subject} as {player} sees it", "b3.rank(players.last) → 2", player="Player"),
    _make_space("away", "Square?", "The next space in a direction, or the one `n` steps away; `none` beyond the edge.",
        "the space {n} steps {d} of {subject}", "a1.away(north_east, 2) → c3", d="Compass", n="Int"),
    _make_space("ray", "List[Square]",
        "All spaces in a direction, the nearest first, without the space itself; on a ring once round.",
        "the spaces in line from {subject} in direction {d}, up to the edge", "b3.ray(east) → [c3, d3]", d="Compass"),
    _make_space("line", "List[Square]", "All spaces in a direction and its opposite, with the space itself.",
        "the spaces in line with {subject} in direction {d}", "b3.line(east) → [a3, b3, c3, d3]", d="Compass"),
    _make_space("beside", "List[Square]", "The spaces that share an edge with it, or are linked to it.",
        "the spaces beside {subject}", "a1.beside → [a2, b1]"),
    _make_space("corners", "List[Square]", "The spaces that touch it at a corner only.",
        "the spaces at the corners of {subject}", "a1.corners → [b2]"),
    _make_space("around", "List[Square]", "The spaces that touch it, along an edge or at a corner.",
        "the spaces around {subject}", "a1.around → [a2, b2, b1]"),
    _make_space("to", "Compass?", "The direction in which another space lies in a straight line, or `none`.",
        "the direction from {subject} to {other}", "a1.to(c3) → north_east", other="Square"),
    _make_space("between", "List[Square]", "The spaces between two in a straight line; none where they are in no line.",
        "the spaces between {subject} and {other}", "a1.between(d4) → [b2, c3]", other="Square"),
    *(
        _make_space(name, "Square", f"The image of a space: {does}.",
            "the opposite of {subject}" if name == "opposite" else f"{{subject}} {name}", f"a1.{name} → {to}")
        for (name, does), to in zip(SYMMETRIES.items(), ("d1", "a4", "a4", "d4", "a1"), strict=True)
    ),
)  # fmt: skip

_DIRECTIONS_AND_SEATS = (
    SpaceMember("opposite", "direction", (), "Compass", "The other way.", "the opposite of {subject}",
        "north_east.opposite → south_west"),
    SpaceMember("turned", "direction", (("n", "Int"),), "Compass",
        "The direction `n` steps further clockwise, of those that the boards have.", "{subject} turned by {n}",
        "north.turned(2) → east"),
    _make_seat("forward", "forward direction", "players.first.forward → north"),
    _make_seat("forward_left", "forward left", "players.first.forward_left → north_west"),
    _make_seat("forward_right", "forward right", "players.first.forward_right → north_east"),
    _make_seat("left", "left", "players.first.left → west"),
    _make_seat("right", "right", "players.first.right → east"),
    _make_seat("back", "backward direction", "players.first.back → south"),
    _make_seat("back_left", "back left", "players.first.back_left → south_west"),
    _make_seat("back_right", "back right", "players.first.back_right → south_east"),
    SpaceMember("spaces", "line", (), "List[Square]", "The spaces of a line, from end to end.",
        "the spaces of {subject}", "Three.a1_c3.spaces → [a1, b2, c3]"),
    SpaceMember("beside", "list", (), "List[Square]",
        "The spaces that share an edge with a space of a list, and are not in the list.",
        "the spaces beside {subject}", "[a1, b1].beside → [c1, a2, b2]"),
    SpaceMember("around", "list", (), "List[Square]",
        "The spaces that touch a space of a list, and are not in the list.",
        "the spaces around {subject}", "[a1, a2].around → [b1, b2, a3, b3]"),
)  # fmt: skip

SPACE_MEMBERS: tuple[SpaceMember, ...] = (*_SPACES, *_DIRECTIONS_AND_SEATS)

NAMED_LISTS: dict[str, tuple[str, ...]] = {
    "orthogonals": ("north", "east", "south", "west"),
    "diagonals": ("north_east", "south_east", "south_west", "north_west"),
}
"""Names of lists of directions -> the directions."""


def get_space_members(subject_kind: SubjectKind) -> dict[str, SpaceMember]:
    """Return the members of one kind of subject, by name."""
    return {row.name: row for row in SPACE_MEMBERS if row.subject_kind == subject_kind}
