"""Hold the state of checking: locals in scope, narrowed types, and facts that all texts share.

A :class:`Routine` is one text being checked. The class :class:`Notes` collects facts about the whole ruleset. The table
:class:`Forms` maps each class of syntax node to the function that checks it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from .. import core
from ..core.sugar import TemporaryChange
from ..source import diagnostic_codes
from ..source.diagnostics import Code, Diagnostics
from ..source.lazy_dataclass import dataclass, field, replace
from ..source.source import Span, article
from ..syntax import ast
from ..types.types import NOTHING, PLAYER, NoneType, OptionalType, Type
from .limits import Graph, Owner
from .symbols import EnumValueSymbol, Names, PoolSymbol, Reference, Symbol, VariableSymbol, WindowSymbol, ZoneSymbol


@dataclass(eq=False)
class LocalName:
    """A local of a routine.

    Attributes:
        what: The word that messages use for it, such as ``parameter``.
        exempt: True if the local may stay unused without a lint.
        place: The variable behind this local, if statements can write it. Otherwise None.
        hides: The item called ``it`` of an outer condition, which this ``it`` hides. None for all other locals.
    """

    name: str
    slot: int
    type: Type
    span: Span
    what: str = "local"
    used: bool = False
    exempt: bool = False
    place: VariableSymbol | None = None
    hides: LocalName | None = None


class _Frame(dict[str, LocalName]):
    """The locals of one scope, by name.

    ``unread`` is True if a text that declares further locals could not be parsed. Unknown names may then be such
    locals.
    """

    unread = False

    def copied(self) -> _Frame:
        found = _Frame(self)
        found.unread = self.unread
        return found


class Locals:
    """The scopes of a routine, innermost last. It also numbers the slots of locals."""

    def __init__(self) -> None:
        self.n_slots = 0
        self._frames: list[_Frame] = [_Frame()]
        self.left: dict[str, LocalName] = {}  # locals of scopes that have been closed

    def slot(self) -> int:
        """Allocate a new slot and return its number."""
        self.n_slots += 1
        return self.n_slots - 1

    def find(self, name: str) -> LocalName | None:
        """Return the local of a name, searched from the innermost scope outwards. Returns None for an unknown name."""
        return next((frame[name] for frame in reversed(self._frames) if name in frame), None)

    def named(self, names: Iterable[str]) -> list[LocalName]:
        """Return the locals with the given names. Unknown names are left out."""
        return [local for name in names if (local := self.find(name)) is not None]

    def names(self) -> list[str]:
        """Return the names of all locals in scope."""
        return [name for frame in self._frames for name in frame]

    def bind(self, local: LocalName) -> None:
        """Add a local to the innermost scope."""
        self._frames[-1][local.name] = local

    def push(self) -> None:
        """Open a scope."""
        self._frames.append(_Frame())

    def pop(self) -> Iterable[LocalName]:
        """Close the innermost scope and return its locals."""
        frame = self._frames.pop()
        self.left.update(frame)
        return frame.values()

    @property
    def unread(self) -> bool:
        """Return whether a scope may hold names that could not be parsed."""
        return any(frame.unread for frame in self._frames)

    def leave_unread(self) -> None:
        """Record that the innermost scope may hold names that could not be parsed."""
        self._frames[-1].unread = True

    def copied(self) -> Locals:
        """Return a copy. Changes to the copy leave the original alone."""
        found = Locals()
        found.n_slots, found._frames = self.n_slots, [frame.copied() for frame in self._frames]
        return found

    def hide(self) -> list[_Frame]:
        """Start with an empty scope and return the hidden scopes. Pass them to :meth:`restore` afterwards."""
        hidden, self._frames = self._frames, [_Frame()]
        self.left = {}
        return hidden

    def restore(self, hidden: list[_Frame]) -> None:
        self._frames = hidden


@dataclass(frozen=True, eq=False)
class KnownLocals:
    """Facts about the locals of a text, by slot.

    Attributes:
        sources: The list that a loop variable runs through.
        values: The value that a local was given.
    """

    sources: dict[int, core.Expr] = field(default_factory=dict)
    values: dict[int, core.Expr] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class WrittenCondition:
    """A condition as an author wrote it.

    Attributes:
        known: Facts about the locals that the condition uses.
        before: Conditions of earlier branches, which are false wherever this condition is evaluated.
    """

    known: KnownLocals
    condition: core.Expr
    before: tuple[core.Expr, ...] = ()


@dataclass(eq=False)
class Notes:
    """Facts about a whole ruleset, collected while its texts are checked. Lints and later passes read them."""

    graph: Graph = field(default_factory=Graph)
    used: set[str] = field(default_factory=set)  # declared names in use
    read: set[str] = field(default_factory=set)  # names whose value is read
    written: set[str] = field(default_factory=set)  # places that a statement sets
    used_values: set[tuple[str, int]] = field(default_factory=set)  # enum and ordinal
    used_fields: set[tuple[str, str]] = field(default_factory=set)  # kind and field
    used_layers: set[str] = field(default_factory=set)
    used_charts: set[str] = field(default_factory=set)
    used_endings: dict[str, str] = field(default_factory=dict)  # name -> its label, with `{}` for each inserted value
    opened_menus: set[str] = field(default_factory=set)
    unused_locals: list[LocalName] = field(default_factory=list)
    taken_actions: set[str] = field(default_factory=set)
    offered: int = 0  # total characters of actions, counted once for each offer
    answers: dict[str, tuple[str, Span]] = field(default_factory=dict)  # action -> its window, and where
    touched: list[tuple[Owner, core.Stmt]] = field(default_factory=list)  # statements that write or move
    begun: set[str] = field(default_factory=set)  # spans that a statement begins
    ends_for_some: bool = False  # True if an `end game` names who can win
    ending_words: set[str] = field(default_factory=set)  # reasons of endings, with `{}` for each inserted value
    open_endings: list[Span] = field(default_factory=list)  # endings without winners and without a chart
    temporary: dict[str, TemporaryChange] = field(default_factory=dict)  # by the variable that stores the change
    kept: dict[str, core.Variable] = field(default_factory=dict)  # variables that the compiler makes for choices
    conditions: list[WrittenCondition] = field(default_factory=list)
    choices: list[tuple[KnownLocals, core.Ask | core.AskMany | core.Random]] = field(default_factory=list)
    optional_subjects: set[Span] = field(default_factory=set)  # places before a dot that may be `none`
    sites: int = 0
    private_sites: set[int] = field(default_factory=set)
    observer: Observer | None = None

    def use_value(self, value: EnumValueSymbol) -> None:
        """Record that a text names an enum value."""
        self.used.add(value.enum.name)
        self.used_values.add((value.enum.name, value.ordinal))

    def site(self) -> int:
        """Allocate the number of the next choice site."""
        self.sites += 1
        return self.sites - 1


class Observer(Protocol):
    """Receive what the checker finds out about the nodes of effect texts. Editors show it."""

    def expression(self, routine: Routine, node: ast.Expr, found: core.Expr | Reference) -> None:
        """Receive an expression after it is checked, with the locals that are in scope there."""

    def statement(self, routine: Routine, node: ast.Stmt) -> None:
        """Receive a statement before it is checked."""


Stmts = tuple[core.Stmt, ...]
ExpressionForm = Callable[["Routine", Any, Type | None], core.Expr | Reference]
"""Function that checks an expression node. It gets the expected type, and returns a typed value or a place."""
StatementForm = Callable[["Routine", Any], Sequence[core.Stmt]]
"""Function that checks a statement node. It returns core statements, or none after a report."""


def faulty(span: Span) -> core.Expr:
    """Return the expression that takes the place of a faulty one.

    Its type fits everywhere, so that a mistake is reported once.
    """
    return core.Const(NOTHING, span, None)


def about_player(name: str) -> tuple[str, ...]:
    """Return the subject of findings about a declaration that lacks its player, or that should have none.

    Findings with the same subject are reported once.
    """
    return (f"player of {name}",)


def about_block(r: Routine) -> tuple[str, ...]:
    """Return the subject of findings that follow from a line with the wrong indentation."""
    return (f"blocks of {r.owner}",)


def is_faulty(expr: core.Expr) -> bool:
    """Return whether an expression was already reported as faulty."""
    return expr.type == NOTHING


@dataclass(frozen=True)
class Forms:
    """Map each class of syntax node to the function that checks it."""

    expressions: Mapping[type[ast.Expr], ExpressionForm]
    statements: Mapping[type[ast.Stmt], StatementForm]


@dataclass(eq=False)
class Routine:
    """One text while it is checked. All data that it shares with other routines is frozen or only grows.

    Attributes:
        owner: The text's node in the call graph, such as the query ``points``.
        setup: True for the setup block, whose random numbers come from a stream of their own.
        loops: The number of loops around this point that ``stop`` could leave.
        window: The window whose answers are inlined into this routine.
        laid_in: The actions whose text is being inlined into this routine.
        narrowed: The narrower types of optional locals, by slot. They follow from the conditions around this point.
        subjects: The checked expression before the dot of each member, as a cache.
        scope: The block that is being checked. ``place_in_scope`` is the index of the current statement in it.
        written_names: The names that a block writes, by the ``id`` of the block.
        growing: The item types of growing lists, by the position of their names. It is set only in a trial run that
            infers these types, and None otherwise.
    """

    names: Names
    notes: Notes
    report: Diagnostics
    forms: Forms
    owner: Owner
    setup: bool = False
    locals: Locals = field(default_factory=Locals)
    known: KnownLocals = field(default_factory=KnownLocals)
    loops: int = 0
    window: WindowSymbol | None = None
    laid_in: list[Owner] = field(default_factory=list)
    narrowed: dict[int, Type] = field(default_factory=dict)
    subjects: dict[ast.Member, core.Expr | Reference] = field(default_factory=dict)
    scope: ast.Block = ()
    place_in_scope: int = 0
    written_names: dict[int, frozenset[str]] = field(default_factory=dict)
    growing: dict[int, Type] | None = None

    # ------------------------------------------------------------ parts

    def operand(self, node: ast.Expr, expected: Type | None = None) -> core.Expr | Reference:
        """Check an expression. Returns a value, or a place that may still take indices and members.

        ``expected`` chooses between enums that share the name of a value. The result may have another type.
        """
        queries = self.names.queries
        queries.depth += 1
        found = self.forms.expressions[type(node)](self, node, expected)
        queries.depth -= 1
        if self.notes.observer is not None:
            self.notes.observer.expression(self, node, found)
        return found

    def block(self, block: ast.Block) -> Stmts:
        """Check the statements of a block in a scope of its own. Reports statements that are never reached."""
        found: list[core.Stmt] = []
        is_left = False
        queries = self.names.queries
        around = self.scope, self.place_in_scope
        with self.frame(), self.narrowing():
            queries.depth += 1
            for i, node in enumerate(block):
                self.scope, self.place_in_scope = block, i
                if self.notes.observer is not None:
                    self.notes.observer.statement(self, node)
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
        """Return a copy with the same locals in scope, for a trial run that infers item types into ``growing``."""
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
        """Report an error and return a faulty expression.

        ``about`` names the subjects of the finding. Findings with the same subject are reported once. With ``follows``,
        the error is left out if another finding has the same subject.
        """
        shown = [(place, label) for place, label in notes if place.source.text]
        self.report.add(code, message, span, hint, shown, about, follows)
        return faulty(span)

    # ------------------------------------------------------------ locals

    def bind(self, name: str, type: Type, span: Span, what: str = "local", exempt: bool = False) -> int:
        """Bind a name to a new slot and return the slot. Reports a name that hides a declaration or another local."""
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
        """Bind a name to a new slot without a report, whatever it hides. Used for ``me``, ``it`` and parameters."""
        slot = self.locals.slot()
        exempt = exempt or name.startswith("_")
        self.put_in_sight(LocalName(name, slot, type, span, what, exempt=exempt))
        return slot

    def put_in_sight(self, local: LocalName) -> None:
        """Add a local to the innermost scope."""
        if local.name == "it" and local.what == "item":
            around = self.locals.find("it")
            local.hides = around if around is not None and around.what == "item" else None
        self.locals.bind(local)
        self.subjects.clear()

    def bind_me(self, span: Span) -> int:
        """Bind ``me``, the acting player, to a new slot and return the slot."""
        return self.bind_quietly("me", PLAYER, span, "player")

    @contextmanager
    def frame(self) -> Iterator[None]:
        """Open a scope for the duration of a ``with`` block. Records the locals in it that were never used."""
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
        """Hide all outer locals and loops for the duration of a ``with`` block."""
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
        """Return the type of a local, narrowed by the conditions around this point."""
        return self.narrowed.get(local.slot, local.type)

    @contextmanager
    def narrowing(self) -> Iterator[None]:
        """Restore the narrowed types when a ``with`` block ends."""
        kept = dict(self.narrowed)
        try:
            yield
        finally:
            self.narrowed = kept
            self.subjects.clear()

    def assume(self, condition: core.Expr, holds: bool) -> None:
        """Narrow the types of locals, given that a condition is true (``holds``) or false.

        Example: in a branch of ``if x is not none``, the type of ``x`` is no longer optional.
        """
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
        """Record that a text uses a symbol, for the lints and the call graph.

        ``reads`` is False if it is only written.
        """
        self.notes.used.add(symbol.name)
        if reads:
            self.notes.read.add(symbol.name)
        if reads and isinstance(symbol, VariableSymbol | PoolSymbol | ZoneSymbol):
            self.notes.graph.reads_state(self.owner, symbol.name, span)

    def _player_instead(self, hint: str) -> str:
        """Return a hint that names a player, for a text without an acting player."""
        if self.owner.section == "rule" and self.locals.find("this") is not None:
            return "on a card, who has it is `this.holder`"
        return hint if "each player" in hint else f"{hint}, or put it inside of `each player:`"

    def actor(self, span: Span, why: str, hint: str) -> core.Expr:
        """Return ``me``, or report that no player acts in this text.

        The message says ``why`` a player is needed. ``hint`` says what to write instead.
        """
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
    """Return whether the statements after this one in its block are never reached."""
    if isinstance(stmt, core.If):
        blocks = (*(body for _, body in stmt.branches), stmt.otherwise)
        return all(block and _leaves(block[-1]) for block in blocks)
    return isinstance(stmt, core.Stop | core.EndGame)
