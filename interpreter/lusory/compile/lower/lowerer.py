"""One build of a game while it is lowered, and the tables by which its parts are: what all forms are given."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from lusory_dsl import core
from lusory_dsl.core import LOOPS, Binary, Const, Expr, IfExpr, Local, Stmt, children
from lusory_dsl.core.knowledge import knowledge_of
from lusory_dsl.language.types import Type

from ...table.setting import Setting
from .constants import Constants
from .failing import Knowledge
from .lowered import LetIn, LoweredRoutine, Spend
from .ranges import Reach
from .sharing import Key, shared_routines
from .uses import count_uses

Env = Mapping[int, Expr]
"""What stands for the locals of the program, or of what is lowered once more."""
Scope = dict[int, Expr]
"""The same in a block: the names that its statements bind are added."""
ExpressionForm = Callable[["Lowerer", Any, Env], Expr]
StatementForm = Callable[["Lowerer", Any, Scope], Sequence[Stmt]]

NO_SPAN: Any = None
COPIES = 60  # of one expression, by loops in loops that are written out


@dataclass(frozen=True)
class LoweringForms:
    """What is made of each class of node: the table that lowering goes by."""

    expressions: Mapping[type[Expr], ExpressionForm]
    statements: Mapping[type[Stmt], StatementForm]


@dataclass(eq=False)
class Lowerer:
    """What is constant for one build, what is known, and what was made so far. ``any_options``: options are not
    constant; ``names``, ``types``: of all locals that were made, by slot."""

    setting: Setting
    reach: Reach
    forms: LoweringForms
    any_options: bool = False
    names: dict[int, str] = field(default_factory=dict)
    types: dict[int, Type] = field(default_factory=dict)
    routines: dict[Key, LoweredRoutine] = field(default_factory=dict)
    padded: dict[object, object] = field(default_factory=dict)  # rows of open tables, by table and ends
    copies: int = 1  # of what is being written, by loops round it that are written out

    def __post_init__(self) -> None:
        setting = self.setting
        self.program, self.players = setting.program, setting.players
        self.charges, self.limits = setting.charges, setting.limits
        self.options = {} if self.any_options else setting.options
        self.known = Knowledge(setting, self.reach)
        self.constants = Constants(setting)
        self.shared = shared_routines(setting.program)
        self.tellers = {teller: n for n, teller in enumerate(knowledge_of(setting.program).tellers)}

    # ------------------------------------------------------------ parts

    def expr(self, e: Expr, env: Env) -> Expr:
        """Lower an expression. Slots that ``env`` doesn't know stay as they are (already lowered)."""
        return self.forms.expressions[type(e)](self, e, env)

    def maybe(self, e: Expr | None, env: Env) -> Expr | None:
        return None if e is None else self.expr(e, env)

    def exprs(self, es: tuple[Expr, ...], env: Env) -> tuple[Expr, ...]:
        return tuple(self.expr(e, env) for e in es)

    def text(self, t: core.TextTemplate, env: Env) -> core.TextTemplate:
        return core.TextTemplate(t.type, t.span, tuple(p if isinstance(p, str) else self.expr(p, env) for p in t.parts))

    def stmt(self, s: Stmt, env: Scope) -> Sequence[Stmt]:
        """Lower a statement; what it binds is added to ``env``."""
        return self.forms.statements[type(s)](self, s, env)

    def block(self, stmts: tuple[Stmt, ...], env: Env) -> tuple[Stmt, ...]:
        """Lower a block; names bound in it live to its end."""
        inner = dict(env)
        out: list[Stmt] = []
        if stmts and (charge := self.charges.blocks.get(stmts[0])) is not None:
            out.append(Spend(stmts[0].span, charge.work, charge.checked))
        for s in stmts:
            for lowered in self.stmt(s, inner):
                last = out[-1] if out else None
                if isinstance(lowered, Spend) and isinstance(last, Spend):  # nothing lies between them
                    out[-1] = Spend(last.span, last.work + lowered.work, last.checked or lowered.checked)
                else:
                    out.append(lowered)
        return tuple(out)

    def frame(self, frame: tuple[tuple[int, Expr], ...], env: Env) -> tuple[tuple[int, Expr], ...]:
        """Where the locals of a routine went."""
        return tuple((slot, self.expr(e, env)) for slot, e in frame)

    def substitute(self, e: Expr, slot: int, value: object, type_: Type) -> Expr:
        """A lowered expression with a constant for one of its locals, folded again."""
        return self.expr(e, {slot: Const(type_, e.span, value)})

    # ------------------------------------------------------------ locals

    def fresh(self, name: str, type: Type) -> int:
        """A slot of its own."""
        slot = len(self.names) + 1
        self.names[slot], self.types[slot] = name, type
        return slot

    def bind(self, slot: int, name: str, type_: Type, span: Any, env: Scope) -> int:
        """A fresh slot for what is bound here."""
        new = self.fresh(name, type_)
        env[slot] = Local(type_, span, new, name)
        return new

    def parameters(self, params: tuple[core.Param, ...], key: Key) -> tuple[tuple[int, ...], Scope]:
        """Fresh slots for the parameters of a routine."""
        slots = tuple(self.fresh(p.name, p.type) for p in params)
        for param, slot in zip(params, slots, strict=True):
            self.known.take(slot, (*key, param.slot))
        return slots, {p.slot: Local(p.type, NO_SPAN, slot, p.name) for p, slot in zip(params, slots, strict=True)}

    # ------------------------------------------------------------ what is known

    def folded(self, e: Expr) -> Expr:
        """The expression, or the constant that it is."""
        return self.constants.fold(e)

    def can_fail(self, e: Expr) -> bool:
        return self.known.can_fail(e)

    def reads_first(self, e: Expr, slot: int) -> bool:
        """Whether reading a local is the first thing in an expression that can go wrong, and happens for certain."""
        if isinstance(e, Local):
            return e.slot == slot
        if isinstance(e, LetIn):
            return self.reads_first(e.value, slot)
        for part in children(e)[: 1 if isinstance(e, IfExpr | LOOPS) else None]:
            if count_uses(part, slot):
                return self.reads_first(part, slot)
            if self.can_fail(part) or (isinstance(e, Binary) and e.op in ("and", "or")):
                return False
        return False

    # ------------------------------------------------------------ copies

    def may_write_out(self, items: int, copies: int = COPIES) -> bool:
        """Whether something may be written out for each of so many items, and so often at most: loops in loops would
        else make any amount of text."""
        return self.copies * items <= copies

    @contextmanager
    def writing_out(self, items: int) -> Iterator[None]:
        """Write a body for each of so many items: what is inside of it stands there as often."""
        before, self.copies = self.copies, self.copies * max(items, 1)
        yield
        self.copies = before
