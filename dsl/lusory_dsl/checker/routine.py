"""What every part of the checker shares: the context of a run and the bookkeeping of one routine.

Made by :mod:`lusory_dsl.checking`; extended by the modules that check places, calls, expressions and statements.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from .. import core
from ..effect import nodes
from ..language.types import (
    BOOL,
    INT,
    NONE,
    NOTHING,
    PLAYER,
    BoolType,
    IntType,
    ListType,
    NoneType,
    OptionalType,
    Type,
    fits,
)
from ..text import codes
from ..text.diagnostics import Code, Diagnostics
from ..text.source import Span
from ..text.spelling import article
from .locals import KnownLocals, LocalName, Locals
from .names import Names, PoolSymbol, Symbol, VariableSymbol, WindowSymbol, ZoneSymbol
from .notes import Notes, WrittenCondition

#: Stands for "all there are" where a number is asked for: more than any list is long.
ALL_OF_THEM = 2**31 - 1

#: The variable of a window that says whether an answer said `cancel`.
CANCELLED = "Cancelled"

#: The query that a span's condition becomes.
BEGUN, ENDS = "Begun", "Ends"
HOLDS = "Holds"


def hidden(owner: str, what: str) -> str:
    """The name of a variable that a construct keeps for itself: authors' names have no capitals."""
    return f"{owner}_{what}"


def hidden_variable(
    name: str,
    type: Type,
    start: object,
    span: Span,
    origin: core.Origin,
    dims: tuple[core.Dim, ...] = (),
    seen: str = "all",
) -> core.Variable:
    """A variable that no author names."""
    visible = core.Visibility(seen, None)
    return core.Variable(name, dims, type, core.Const(type, span, start), len(dims), visible, "", "", origin)


def faulty(span: Span) -> core.Expr:
    """Stands where an expression was wrong; fits everywhere, so that one mistake is reported once."""
    return core.Const(NOTHING, span, None)


def is_faulty(expr: core.Expr) -> bool:
    return expr.type == NOTHING


def is_something(value: core.Expr) -> core.Expr:
    """Whether a keyword's value is one: not false, 0, empty or none."""
    span = value.span
    match value.type:
        case BoolType():
            return value
        case IntType():
            return core.Binary(BOOL, span, "!=", value, core.Const(INT, span, 0))
        case ListType():
            size = core.CallBuiltin(INT, span, "count", (value,))
            return core.Binary(BOOL, span, "!=", size, core.Const(INT, span, 0))
    return core.Binary(BOOL, span, "!=", value, core.Const(NONE, span, None))


class Routine:
    """One routine while it is checked: locals and slots, who is `me`, what is known about optional values.

    ``owner`` is the node of the call graph, such as ``query points``. ``setup``: the setup block, whose random
    numbers come from a stream of their own.
    """

    def __init__(self, names: Names, notes: Notes, report: Diagnostics, owner: str, setup: bool = False) -> None:
        self.names = names
        self.notes = notes
        self.report = report
        self.owner = owner
        self.setup = setup
        self.locals = Locals()
        self.loops = 0
        self.window: WindowSymbol | None = None  # the window whose answers are laid into this routine
        self.laid_in: list[str] = []  # the actions whose text is being laid into this routine
        self.known = KnownLocals()
        self._narrowed: dict[int, Type] = {}

    # ------------------------------------------------------------ reports

    def error(
        self,
        code: Code,
        message: str,
        span: Span,
        hint: str | None = None,
        notes: Iterable[tuple[Span, str]] = (),
    ) -> core.Expr:
        """Reports, and gives a faulty expression to go on with."""
        shown = [(place, label) for place, label in notes if place.source.text]
        self.report.add(code, message, span, hint, shown)
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
        self.locals.bind(LocalName(name, slot, type, span, what, exempt=exempt))
        return slot

    def bind_me(self, span: Span) -> int:
        return self.bind_quietly("me", PLAYER, span, "player")

    @contextmanager
    def frame(self) -> Iterator[None]:
        """Names bound inside are forgotten afterwards; those never used are noted."""
        self.locals.push()
        try:
            yield
        finally:
            self._note_unused(self.locals.pop())

    def _note_unused(self, locals: Iterable[LocalName]) -> None:
        for local in locals:
            if not local.used and not local.exempt:
                self.notes.unused_locals.append(local)

    @contextmanager
    def out_of_sight(self) -> Iterator[None]:
        """Nothing that is bound or looping outside can be seen inside."""
        hidden = self.locals.hide()
        loops, self.loops = self.loops, 0
        try:
            yield
        finally:
            self.locals.restore(hidden)
            self.loops = loops

    # ------------------------------------------------------------ optional values

    def local_type(self, local: LocalName) -> Type:
        """The type of a local as far as the conditions around it tell."""
        return self._narrowed.get(local.slot, local.type)

    @contextmanager
    def narrowing(self) -> Iterator[None]:
        """What is assumed inside is forgotten afterwards."""
        kept = dict(self._narrowed)
        try:
            yield
        finally:
            self._narrowed = kept

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
                        self._narrowed[value.slot] = value.type.item

    # ------------------------------------------------------------ types

    def fit(self, value: core.Expr, expected: Type, role: str = "") -> core.Expr:
        """The value, if it fits where ``expected`` is asked for; else a report. A place that may be `none` is taken
        as a value: its node then has the narrower type, and a `none` there is a fault at run time."""
        if fits(value.type, expected):
            return value
        where = f" {role}" if role else ""
        if isinstance(value.type, OptionalType) and fits(value.type.item, expected):
            if isinstance(value, core.ReadCell | core.TableRead | core.Field | core.IndexOfPlace):
                return replace(value, type=value.type.item)
            if isinstance(value, core.Local):
                hint = f"test it first: `if {value.name} is not none`"
            else:
                hint = "give it a name with `let` and test it first: `if name is not none`"
            return self.error(
                codes.MAYBE_NONE, f"{article(f'`{expected}`')} is needed{where}, this may be `none`", value.span, hint
            )
        if isinstance(value.type, NoneType):
            return self.error(codes.MAYBE_NONE, f"`none` stands where {article(f'`{expected}`')} is needed", value.span)
        return self.error(
            codes.WRONG_TYPE,
            f"{article(f'`{expected}`')} is needed{where}, this is {article(f'`{value.type}`')}",
            value.span,
            self._mend(value, expected),
        )

    def _mend(self, value: core.Expr, expected: Type) -> str | None:
        """How a value of the wrong type could become the right one."""
        if isinstance(value, core.Local):
            hidden = next((v for v in self.names.values.get(value.name, ()) if fits(v.enum, expected)), None)
            if hidden is not None:
                return f"the local `{value.name}` hides the value: write `{hidden.qualified}`"
        return None

    def use(self, symbol: Symbol, span: Span, reads: bool = True) -> None:
        """Notes that a symbol is used, for the lints and the call graph."""
        self.notes.used.add(symbol.name)
        if reads:
            self.notes.read.add(symbol.name)
        if reads and isinstance(symbol, VariableSymbol | PoolSymbol | ZoneSymbol):
            self.notes.graph.reads_state(self.owner, symbol.name, span)

    def actor(self, span: Span, why: str, hint: str) -> core.Expr:
        """`me`, or a report where nobody acts."""
        me = self.locals.find("me")
        if me is None:
            return self.error(codes.NOBODY_ACTS, f"{why}, and nobody is `me` here", span, hint)
        me.used = True
        return core.Local(PLAYER, span, me.slot, "me")

    # ------------------------------------------------------------ what the parts provide

    def operand(self, node: nodes.Expr, expected: Type | None = None) -> core.Expr | object:
        raise NotImplementedError

    def expression(self, node: nodes.Expr, expected: Type | None = None) -> core.Expr:
        """A value. ``expected`` decides between enums that share a value; it is not enforced."""
        raise NotImplementedError

    def expect(self, node: nodes.Expr, expected: Type, role: str = "") -> core.Expr:
        """A value of the expected type."""
        return self.fit(self.expression(node, expected), expected, role)

    def condition(self, node: nodes.Expr, role: str = "as a condition", before: Iterable[core.Expr] = ()) -> core.Expr:
        """A condition that an author wrote."""
        found = self.expect(node, BOOL, role)
        self.notes.conditions.append(WrittenCondition(self.known, found, tuple(before)))
        return found
