"""Desugar windows: moments at which players may answer.

A window becomes an effect of its name, made from ordinary statements that ask, store the answers and carry them out.
Hidden variables store its state between decisions. A window never opens itself, so one set of variables is enough.
"""

from __future__ import annotations

from collections.abc import Callable

from .. import core
from ..core.provenance import WINDOWS, Origin
from ..core.sugar import CANCELLED, Answer, Round, Sugar, Window, kept_name, kept_variable
from ..source.lazy_dataclass import replace
from ..types.types import BOOL, INT, PLAYER, TEXT, ListType, OptionalType, Type


def windows(program: core.Program, sugar: Sugar) -> core.Program:
    """Return a program in which windows are ordinary effects.

    Their variables come after those that authors declare, and before other hidden variables.
    """
    effects, kept = dict(program.effects), dict[str, core.Variable]()
    for window in sugar.windows:
        maker = _Maker(window)
        effects[window.name] = replace(effects[window.name], body=maker.body())
        kept |= {variable.name: variable for variable in maker.variables}
    spans = {span.name for span in sugar.spans}
    declared = {n: v for n, v in program.variables.items() if v.origin.is_written and n not in spans}
    return replace(program, effects=effects, variables=declared | kept | program.variables)


class _Maker:
    """A builder for one window.

    For each stored answer, the window keeps the number of its alternative, its player and its chosen values.
    """

    def __init__(self, window: Window) -> None:
        self.window = window
        self.span, self.origin = window.span, Origin(WINDOWS, window.name)
        self.variables: list[core.Variable] = []
        self.row = (core.Dim(INT, 0, window.room),)
        # the player who is asked, later the player who answered
        self.me = core.Local(PLAYER, self.span, window.me, "me")
        self.players = core.Local(ListType(PLAYER), self.span, window.players, "players")
        self.number = core.Local(INT, self.span, window.number, "number")
        # stored alternatives, with their statements for later
        self.waiting: list[tuple[core.Alternative, list[core.Stmt]]] = []
        self.counted = window.last_first or window.until_all_pass

    def body(self) -> tuple[core.Stmt, ...]:
        """Return all statements of the window."""
        window, span = self.window, self.span
        unique = core.CallBuiltin(ListType(PLAYER), window.who.span, "unique", (window.who,))
        found: list[core.Stmt] = [core.Let(span, self.players.slot, "players", unique, origin=self.origin)]
        found.append(self._keep(CANCELLED, BOOL, False))
        if self.counted:
            found.append(self._keep("Answered", INT, 0))
        if window.until_all_pass:
            found.append(self._keep("Passed", INT, 0))
        if window.last_first:
            self._keep("Answer", INT, 0, self.row)
            self._keep("By", PLAYER, 0, self.row)
        if window.forced is not None:
            found.append(self._round(window.forced))
        asking = self._round(window.free, self._pass)
        if window.until_all_pass:
            most = core.Const(INT, span, self.window.room + 1)
            asking = core.Repeat(span, None, self._going_on(), most, (asking,), origin=self.origin)
        found.append(asking)
        if window.last_first:
            found.append(self._carried_out())
        return tuple(found)

    # ------------------------------------------------------------ what the window keeps

    def _keep(
        self, what: str, type: Type, start: object, dims: tuple[core.Dim, ...] = (), seen: str = "all"
    ) -> core.Stmt:
        """Declare a variable, and return the statement that initialises it."""
        name = self.window.name
        made = kept_variable(kept_name(name, what), type, start, self.span, Origin(WINDOWS, name, what), dims, seen)
        self.variables.append(made)
        return self._write(what, "set", core.Const(type, self.span, start))

    def _write(self, what: str, op: str, value: core.Expr, indices: tuple[core.Expr, ...] = ()) -> core.Stmt:
        name = kept_name(self.window.name, what)
        return core.SetCell(self.span, name, indices, op, value, origin=self.origin)

    def _read(self, what: str, type: Type, indices: tuple[core.Expr, ...] = ()) -> core.Expr:
        return core.ReadCell(type, self.span, kept_name(self.window.name, what), indices)

    def _add(self, what: str, op: str) -> core.Stmt:
        return self._write(what, op, core.Const(INT, self.span, 1))

    # ------------------------------------------------------------ asking

    def _round(self, round: Round, last: Callable[[], core.Alternative] | None = None) -> core.Stmt:
        """Ask each player in order, while the window is open. ``last`` makes an additional alternative."""
        alternatives = tuple(map(self._answer, round.answers)) + (() if last is None else (last(),))
        ask = core.Ask(self.span, round.site, self.me, self.window.prompt, alternatives, (), origin=self.origin)
        body, open_still = (*round.before, ask), self._going_on()
        return core.ForEach(self.span, self.me.slot, "me", self.players, open_still, body, origin=self.origin)

    def _going_on(self) -> core.Expr | None:
        """Return the condition that the window is still open. None: it stays open until each player was asked."""
        span, made = self.span, self.origin
        conditions: list[core.Expr] = []
        if self.window.until_all_pass:
            number = core.CallBuiltin(INT, span, "count", (self.players,))
            conditions.append(core.Binary(BOOL, span, "<", self._read("Passed", INT), number, origin=made))
            room = core.Const(INT, span, self.window.room)
            conditions.append(core.Binary(BOOL, span, "<", self._read("Answered", INT), room, origin=made))
        if not self.window.last_first:
            conditions.append(core.Unary(BOOL, span, "not", self._read(CANCELLED, BOOL), origin=made))
        found = conditions[0] if conditions else None
        for condition in conditions[1:]:
            assert found is not None
            found = core.Binary(BOOL, span, "and", found, condition, origin=made)
        return found

    def _pass(self) -> core.Alternative:
        body = (self._add("Passed", "add"),) if self.window.until_all_pass else ()
        return core.Alternative("pass", core.TextTemplate(TEXT, self.span, ("Pass",)), (), (), body, self.span)

    def _answer(self, answer: Answer) -> core.Alternative:
        """Return an action as an answer. The cost is paid at once. The action runs at once, or is stored for later."""
        done = answer.alternative.body
        body = list(answer.cost)
        if self.window.until_all_pass:
            body.append(self._write("Passed", "set", core.Const(INT, self.span, 0)))
        if self.window.last_first:
            body += self._remembered(answer.alternative)
        if self.counted:
            body.append(self._add("Answered", "add"))
        if not self.window.last_first:
            body += done
        return replace(answer.alternative, body=tuple(body))

    # ------------------------------------------------------------ last first

    def _remembered(self, alternative: core.Alternative) -> list[core.Stmt]:
        """Return statements that store an answer, and remember the statements that carry it out later."""
        place = (self._read("Answered", INT),)
        kept: list[core.Stmt] = [
            self._write("Answer", "set", core.Const(INT, self.span, len(self.waiting)), place),
            self._write("By", "set", self.me, place),
        ]
        here = (self.number,)
        by = self._read("By", PLAYER, here)
        again: list[core.Stmt] = [core.Let(self.span, self.me.slot, "me", by, origin=self.origin)]
        for var in alternative.vars:
            assert isinstance(var.domain.type, ListType)
            type = var.domain.type.item
            what = f"Value{len(self.waiting)}_{var.name}"
            optional = type if isinstance(type, OptionalType) else OptionalType(type)
            self._keep(what, optional, None, self.row, "nobody" if var.secret else "all")
            kept.append(self._write(what, "set", core.Local(type, var.span, var.slot, var.name), place))
            again.append(core.Let(var.span, var.slot, var.name, self._read(what, type, here), origin=self.origin))
        self.waiting.append((alternative, [*again, *alternative.body]))
        return kept

    def _carried_out(self) -> core.Stmt:
        """Return a loop that carries out the stored answers, the last one first."""
        span = self.span
        zero = core.Const(INT, span, 0)
        branches = []
        for number, (_, done) in enumerate(self.waiting):
            kind = self._read("Answer", INT, (self.number,))
            same = core.Binary(BOOL, span, "=", kind, core.Const(INT, span, number), origin=self.origin)
            branches.append((same, tuple(done)))
        last = core.Let(span, self.number.slot, "number", self._read("Answered", INT), origin=self.origin)
        some = core.Binary(BOOL, span, ">", self._read("Answered", INT), zero, origin=self.origin)
        steps = (self._add("Answered", "sub"), last, core.If(span, tuple(branches), (), origin=self.origin))
        return core.Repeat(span, None, some, core.Const(INT, span, self.window.room), steps, origin=self.origin)
