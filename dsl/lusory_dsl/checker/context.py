"""State while one effect text is checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from .. import core
from ..core.sugar import TemporaryChange
from ..source import diagnostic_codes
from ..source.dataclasses import dataclass, field, replace
from ..source.diagnostics import Code, Diagnostics
from ..source.source import Span, article
from ..syntax import ast
from ..types.types import NOTHING, PLAYER, NoneType, OptionalType, Type
from .limits import Graph, Owner
from .symbols import EnumValueSymbol, Names, PoolSymbol, Reference, Symbol, VariableSymbol, WindowSymbol, ZoneSymbol


@dataclass(eq=False)
class LocalName:
    """A local of a routine. ``what`` is the word messages use for it; ``place``: the variable that it is, if it is one
    that is written."""

    name: str
    slot: int
    type: Type
    span: Span
    what: str = "local"
    used: bool = False
    exempt: bool = False
    place: VariableSymbol | None = None
    hides: LocalName | None = None  # of an item that is called `it`: the one around it, which is called so, too


class _Frame(dict[str, LocalName]):
    """Locals by name. ``unread``: a text that would have given names to more of them could not be parsed."""

    unread = False

    def copied(self) -> _Frame:
        found = _Frame(self)
        found.unread = self.unread
        return found


class Locals:
    """The locals in sight, innermost frame last, and the numbering of a routine's slots."""

    def __init__(self) -> None:
        self.n_slots = 0
        self._frames: list[_Frame] = [_Frame()]
        self.left: dict[str, LocalName] = {}  # those that were in sight further up

    def slot(self) -> int:
        """A fresh slot."""
        self.n_slots += 1
        return self.n_slots - 1

    def find(self, name: str) -> LocalName | None:
        """The local of a name, the innermost first."""
        return next((frame[name] for frame in reversed(self._frames) if name in frame), None)

    def named(self, names: Iterable[str]) -> list[LocalName]:
        """The locals of some names."""
        return [local for name in names if (local := self.find(name)) is not None]

    def names(self) -> list[str]:
        """The names of all locals in sight."""
        return [name for frame in self._frames for name in frame]

    def bind(self, local: LocalName) -> None:
        """Puts a name in sight, in the innermost frame."""
        self._frames[-1][local.name] = local

    def push(self) -> None:
        """Opens a frame."""
        self._frames.append(_Frame())

    def pop(self) -> Iterable[LocalName]:
        """Closes the innermost frame, and gives its locals."""
        frame = self._frames.pop()
        self.left.update(frame)
        return frame.values()

    @property
    def unread(self) -> bool:
        """Whether there may be names in sight that nobody knows."""
        return any(frame.unread for frame in self._frames)

    def leave_unread(self) -> None:
        """From here on, in the innermost frame, a name that nothing declares may be one that could not be read."""
        self._frames[-1].unread = True

    def copied(self) -> Locals:
        """The same names in sight, to go on from here without a trace."""
        found = Locals()
        found.n_slots, found._frames = self.n_slots, [frame.copied() for frame in self._frames]
        return found

    def hide(self) -> list[_Frame]:
        """Starts with nothing in sight; give the result to :meth:`restore` in the end."""
        hidden, self._frames = self._frames, [_Frame()]
        self.left = {}
        return hidden

    def restore(self, hidden: list[_Frame]) -> None:
        self._frames = hidden


@dataclass(frozen=True, eq=False)
class KnownLocals:
    """What is known of the locals of a text, by slot. ``sources``: the lists that they go through; ``values``: what
    they were given."""

    sources: dict[int, core.Expr] = field(default_factory=dict)
    values: dict[int, core.Expr] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class WrittenCondition:
    """A condition as an author wrote it. ``before``: those that do not hold where it is read."""

    known: KnownLocals
    condition: core.Expr
    before: tuple[core.Expr, ...] = ()


@dataclass(eq=False)
class Notes:
    """What the texts of one ruleset were found to do."""

    graph: Graph = field(default_factory=Graph)
    used: set[str] = field(default_factory=set)  # names
    read: set[str] = field(default_factory=set)  # names whose value is asked for
    written: set[str] = field(default_factory=set)  # the places that something sets
    used_values: set[tuple[str, int]] = field(default_factory=set)  # enum and ordinal
    used_fields: set[tuple[str, str]] = field(default_factory=set)  # kind and field
    used_layers: set[str] = field(default_factory=set)
    used_charts: set[str] = field(default_factory=set)
    opened_menus: set[str] = field(default_factory=set)
    unused_locals: list[LocalName] = field(default_factory=list)
    taken_actions: set[str] = field(default_factory=set)
    offered: int = 0  # characters of actions, wherever they are offered
    answers: dict[str, tuple[str, Span]] = field(default_factory=dict)  # actions that answer a window, and where
    touched: list[tuple[Owner, core.Stmt]] = field(default_factory=list)  # what writes or moves, and in which text
    begun: set[str] = field(default_factory=set)  # the spans that something begins
    ends_for_some: bool = False  # whether an `end game` names who can win
    ending_words: set[str] = field(default_factory=set)  # reasons of endings, `{}` for what is put in
    open_endings: list[Span] = field(default_factory=list)  # those that name neither who can win nor a chart
    temporary: dict[str, TemporaryChange] = field(default_factory=dict)  # by the variable that keeps it
    kept: dict[str, core.Variable] = field(default_factory=dict)  # what choices remember, which no author names
    conditions: list[WrittenCondition] = field(default_factory=list)
    choices: list[tuple[KnownLocals, core.Ask | core.AskMany | core.Random]] = field(default_factory=list)
    optional_subjects: set[Span] = field(default_factory=set)  # places before a dot that may be `none`
    sites: int = 0
    private_sites: set[int] = field(default_factory=set)

    def use_value(self, value: EnumValueSymbol) -> None:
        """Notes that a value of an enum is named."""
        self.used.add(value.enum.name)
        self.used_values.add((value.enum.name, value.ordinal))

    def site(self) -> int:
        """The number of the next choice."""
        self.sites += 1
        return self.sites - 1


Stmts = tuple[core.Stmt, ...]
ExpressionForm = Callable[["Routine", Any, Type | None], core.Expr | Reference]
"""Makes a value or place of an expression, or reports what is wrong with it. Given is the type that is expected."""
StatementForm = Callable[["Routine", Any], Sequence[core.Stmt]]
"""Makes core statements of a statement; none after a report."""


def faulty(span: Span) -> core.Expr:
    """Stands where an expression was wrong; fits everywhere, so that one mistake is reported once."""
    return core.Const(NOTHING, span, None)


def about_player(name: str) -> tuple[str, ...]:
    """What a finding is about that a declaration lacks its player, or that it has none."""
    return (f"player of {name}",)


def about_block(r: Routine) -> tuple[str, ...]:
    """What a finding is about that follows from a line that is not indented like the block it belongs to."""
    return (f"blocks of {r.owner}",)


def is_faulty(expr: core.Expr) -> bool:
    """Whether an expression was wrong, which is reported."""
    return expr.type == NOTHING


@dataclass(frozen=True)
class Forms:
    """What is made of each class of node: the table that checking goes by."""

    expressions: Mapping[type[ast.Expr], ExpressionForm]
    statements: Mapping[type[ast.Stmt], StatementForm]


@dataclass(eq=False)
class Routine:
    """One text while it is checked. Everything that it shares with others is frozen or only grows.

    ``owner`` is the node of the call graph, such as the query `points`. ``setup``: the setup block, whose random
    numbers come from a stream of their own. ``window``: the window whose answers are laid into this routine;
    ``laid_in``: the actions whose text is being laid into it.
    """

    names: Names
    notes: Notes
    report: Diagnostics
    forms: Forms
    owner: Owner
    setup: bool = False
    locals: Locals = field(default_factory=Locals)
    known: KnownLocals = field(default_factory=KnownLocals)
    loops: int = 0  # that `stop` could leave here
    window: WindowSymbol | None = None
    laid_in: list[Owner] = field(default_factory=list)
    narrowed: dict[int, Type] = field(default_factory=dict)  # what is known of optional locals, by slot
    subjects: dict[ast.Member, core.Expr | Reference] = field(default_factory=dict)  # what stands before dots
    scope: ast.Block = ()  # the block that is being checked
    place_in_scope: int = 0  # of its statement
    written_names: dict[int, frozenset[str]] = field(default_factory=dict)  # by the id of the block that writes them
    growing: dict[int, Type] | None = (
        None  # what lists are lists of, by the place of their names, while only that is asked
    )

    # ------------------------------------------------------------ parts

    def operand(self, node: ast.Expr, expected: Type | None = None) -> core.Expr | Reference:
        """A value, or a place that may still take indices and members. ``expected`` decides between enums that share a
        value; it is not enforced."""
        queries = self.names.queries
        queries.depth += 1
        found = self.forms.expressions[type(node)](self, node, expected)
        queries.depth -= 1
        return found

    def block(self, block: ast.Block) -> Stmts:
        """The statements of a block, with a frame of locals of their own."""
        found: list[core.Stmt] = []
        is_left = False
        queries = self.names.queries
        around = self.scope, self.place_in_scope
        with self.frame(), self.narrowing():
            queries.depth += 1
            for i, node in enumerate(block):
                self.scope, self.place_in_scope = block, i
                made = self.forms.statements[type(node)](self, node)
                if is_left:
                    continue
                found += made
                self.notes.touched += [(self.owner, stmt) for stmt in made if core.writes(stmt) or core.moves(stmt)]
                if made and _leaves(made[-1]) and i + 1 < len(block):
                    is_left = True
                    word = _LEAVING.get(type(node), "this")
                    message = f"nothing after {word} is ever done"
                    self.report.add(
                        diagnostic_codes.UNREACHABLE, message, block[i + 1].span, "remove it, or put it before"
                    )
            queries.depth -= 1
        self.scope, self.place_in_scope = around
        return tuple(found)

    def copied(self, notes: Notes, report: Diagnostics, growing: dict[int, Type]) -> Routine:
        """The same names in sight, to check something for what ``growing`` asks alone."""
        return replace(
            self, notes=notes, report=report, locals=self.locals.copied(), known=KnownLocals(), growing=growing,
            narrowed=dict(self.narrowed), subjects={}, laid_in=list(self.laid_in),
        )  # fmt: skip

    # ------------------------------------------------------------ reports

    def error(
        self,
        code: Code,
        message: str,
        span: Span,
        hint: str | None = None,
        notes: Iterable[tuple[Span, str]] = (),
        about: tuple[str, ...] = (),
        follows: bool = False,
    ) -> core.Expr:
        """Reports, and gives a faulty expression to go on with. ``about``: what it is told once of."""
        shown = [(place, label) for place, label in notes if place.source.text]
        self.report.add(code, message, span, hint, shown, about, follows)
        return faulty(span)

    # ------------------------------------------------------------ locals

    def bind(self, name: str, type: Type, span: Span, what: str = "local", exempt: bool = False) -> int:
        """Gives a name a fresh slot. Hiding a declaration or another local is an error."""
        hidden = self.locals.find(name)
        symbol = self.names.symbols.get(name)
        if hidden is not None:
            hidden.used = True
            self.error(
                diagnostic_codes.SHADOWING,
                f"`{name}` is already the name of {article(hidden.what)} here",
                span,
                "give it another name",
                [(hidden.span, "first named here")],
            )
        elif symbol is not None:
            self.error(
                diagnostic_codes.SHADOWING,
                f"`{name}` is already the name of {article(symbol.what)}",
                span,
                "give the local another name",
                [(symbol.span, "declared here")],
            )
        return self.bind_quietly(name, type, span, what, exempt)

    def bind_quietly(self, name: str, type: Type, span: Span, what: str = "local", exempt: bool = True) -> int:
        """Gives a name a fresh slot, whatever it hides: `me`, `it`, parameters."""
        slot = self.locals.slot()
        exempt = exempt or name.startswith("_")
        self.put_in_sight(LocalName(name, slot, type, span, what, exempt=exempt))
        return slot

    def put_in_sight(self, local: LocalName) -> None:
        """From here on the name stands for this local, in the innermost frame."""
        if local.name == "it" and local.what == "item":
            around = self.locals.find("it")
            local.hides = around if around is not None and around.what == "item" else None
        self.locals.bind(local)
        self.subjects.clear()

    def bind_me(self, span: Span) -> int:
        """The player who acts, in a fresh slot."""
        return self.bind_quietly("me", PLAYER, span, "player")

    @contextmanager
    def frame(self) -> Iterator[None]:
        """Names bound inside are forgotten afterwards; those never used are noted."""
        self.locals.push()
        try:
            yield
        finally:
            self._note_unused(self.locals.pop())
            self.subjects.clear()

    def _note_unused(self, locals: Iterable[LocalName]) -> None:
        for local in locals:
            if not local.used and not local.exempt:
                self.notes.unused_locals.append(local)

    @contextmanager
    def out_of_sight(self) -> Iterator[None]:
        """Nothing that is bound or looping outside can be seen inside."""
        hidden = self.locals.hide()
        loops, self.loops = self.loops, 0
        self.subjects.clear()
        try:
            yield
        finally:
            self.locals.restore(hidden)
            self.loops = loops
            self.subjects.clear()

    # ------------------------------------------------------------ optional values

    def local_type(self, local: LocalName) -> Type:
        """The type of a local as far as the conditions around it tell."""
        return self.narrowed.get(local.slot, local.type)

    @contextmanager
    def narrowing(self) -> Iterator[None]:
        """What is assumed inside is forgotten afterwards."""
        kept = dict(self.narrowed)
        try:
            yield
        finally:
            self.narrowed = kept
            self.subjects.clear()

    def assume(self, condition: core.Expr, holds: bool) -> None:
        """Takes what follows from a condition that holds (or does not)."""
        match condition:
            case core.Unary(op="not", operand=operand):
                self.assume(operand, not holds)
            case core.Binary(op="and", left=left, right=right) if holds:
                self.assume(left, True)
                self.assume(right, True)
            case core.Binary(op="or", left=left, right=right) if not holds:
                self.assume(left, False)
                self.assume(right, False)
            case core.Binary(op=("=" | "!=") as op, left=left, right=right) if (op == "!=") is holds:
                for value, other in ((left, right), (right, left)):
                    if (
                        isinstance(value, core.Local)
                        and isinstance(value.type, OptionalType)
                        and isinstance(other.type, NoneType)
                    ):
                        self.narrowed[value.slot] = value.type.item
                        self.subjects.clear()

    # ------------------------------------------------------------ names

    def use(self, symbol: Symbol, span: Span, reads: bool = True) -> None:
        """Notes that a symbol is used, for the lints and the call graph."""
        self.notes.used.add(symbol.name)
        if reads:
            self.notes.read.add(symbol.name)
        if reads and isinstance(symbol, VariableSymbol | PoolSymbol | ZoneSymbol):
            self.notes.graph.reads_state(self.owner, symbol.name, span)

    def _player_instead(self, hint: str) -> str:
        """Which player there is where nobody acts: who holds the card that a rule stands on, or one of each."""
        if self.owner.section == "rule" and self.locals.find("this") is not None:
            return "on a card, who has it is `this.holder`"
        return hint if "each player" in hint else f"{hint}, or put it inside of `each player:`"

    def actor(self, span: Span, why: str, hint: str) -> core.Expr:
        """`me`, or a report where nobody acts: that what is declared lacks its player, or what to write instead."""
        me = self.locals.find("me")
        if me is None:
            section, name = self.owner
            message = f"{why}, and nobody is `me` here"
            if "me" in self.locals.left:
                hint = f"{hint}, or indent this if it belongs to the block above"
                return self.error(diagnostic_codes.NOBODY_ACTS, message, span, hint, about=about_block(self))
            if section not in ("query", "effect") or isinstance(self.names.symbols.get(name), WindowSymbol):
                return self.error(diagnostic_codes.NOBODY_ACTS, message, span, self._player_instead(hint))
            hint = f"declare the {section} `{name}` with `per: Player`, or {hint}"
            return self.error(diagnostic_codes.NOBODY_ACTS, message, span, hint, about=about_player(name))
        me.used = True
        return core.Local(PLAYER, span, me.slot, "me")


_LEAVING: dict[type[ast.Stmt], str] = {ast.Stop: "`stop`", ast.EndGame: "`end game`", ast.If: "this `if`"}


def _leaves(stmt: core.Stmt) -> bool:
    """Whether nothing that follows a statement in its block is ever done."""
    if isinstance(stmt, core.If):
        blocks = (*(body for _, body in stmt.branches), stmt.otherwise)
        return all(block and _leaves(block[-1]) for block in blocks)
    return isinstance(stmt, core.Stop | core.EndGame)
