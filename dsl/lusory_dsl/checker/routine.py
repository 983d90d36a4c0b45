"""One text while it is checked, and the tables by which its parts are: what all forms are given."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from .. import core
from ..effect import nodes
from ..language.types import (
    NOTHING,
    PLAYER,
    NoneType,
    OptionalType,
    Type,
)
from ..text import codes
from ..text.diagnostics import Code, Diagnostics
from ..text.records import dataclass, field, replace
from ..text.source import Span
from ..text.spelling import article
from .call_graph import Owner
from .locals import KnownLocals, LocalName, Locals
from .names import Names, PoolSymbol, Symbol, VariableSymbol, WindowSymbol, ZoneSymbol
from .notes import Notes
from .reference import Reference

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

    expressions: Mapping[type[nodes.Expr], ExpressionForm]
    statements: Mapping[type[nodes.Stmt], StatementForm]


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
    subjects: dict[nodes.Member, core.Expr | Reference] = field(default_factory=dict)  # what stands before dots
    scope: nodes.Block = ()  # the block that is being checked
    place_in_scope: int = 0  # of its statement
    written_names: dict[int, frozenset[str]] = field(default_factory=dict)  # by the id of the block that writes them
    growing: dict[int, Type] | None = (
        None  # what lists are lists of, by the place of their names, while only that is asked
    )

    # ------------------------------------------------------------ parts

    def operand(self, node: nodes.Expr, expected: Type | None = None) -> core.Expr | Reference:
        """A value, or a place that may still take indices and members. ``expected`` decides between enums that share a
        value; it is not enforced."""
        queries = self.names.queries
        queries.depth += 1
        found = self.forms.expressions[type(node)](self, node, expected)
        queries.depth -= 1
        return found

    def block(self, block: nodes.Block) -> Stmts:
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
                    self.report.add(codes.UNREACHABLE, message, block[i + 1].span, "remove it, or put it before")
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
                codes.SHADOWING,
                f"`{name}` is already the name of {article(hidden.what)} here",
                span,
                "give it another name",
                [(hidden.span, "first named here")],
            )
        elif symbol is not None:
            self.error(
                codes.SHADOWING,
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
                return self.error(codes.NOBODY_ACTS, message, span, hint, about=about_block(self))
            if section not in ("query", "effect") or isinstance(self.names.symbols.get(name), WindowSymbol):
                return self.error(codes.NOBODY_ACTS, message, span, self._player_instead(hint))
            hint = f"declare the {section} `{name}` with `per: Player`, or {hint}"
            return self.error(codes.NOBODY_ACTS, message, span, hint, about=about_player(name))
        me.used = True
        return core.Local(PLAYER, span, me.slot, "me")


_LEAVING: dict[type[nodes.Stmt], str] = {nodes.Stop: "`stop`", nodes.EndGame: "`end game`", nodes.If: "this `if`"}


def _leaves(stmt: core.Stmt) -> bool:
    """Whether nothing that follows a statement in its block is ever done."""
    if isinstance(stmt, core.If):
        blocks = (*(body for _, body in stmt.branches), stmt.otherwise)
        return all(block and _leaves(block[-1]) for block in blocks)
    return isinstance(stmt, core.Stop | core.EndGame)
