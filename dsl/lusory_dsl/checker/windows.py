"""Windows: moments at which players may answer. A part of the checker.

A window becomes an effect of its name, a player's, made of ordinary statements: asking, keeping the answers, carrying
them out. What it has to remember between decisions are variables of its own, which no author can name: a window never
opens itself, so one set of them is enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from .. import core
from ..core.origin import WINDOWS, Origin
from ..effect.parser import parse_offer
from ..language.types import BOOL, INT, PLAYER, ListType, OptionalType, Type
from ..ruleset import model
from ..text import codes
from ..text.diagnostics import Diagnostics
from ..text.source import Embedded
from ..text.spelling import humanised
from .actions import OfferedAction, answering
from .names import WindowSymbol
from .notes import Notes
from .offers import offered
from .routine import CANCELLED, Routine, hidden, hidden_variable
from .rules import Rules
from .templates import words
from .texts import Texts, template_in, value_in
from .values import item_type


def claim_answers(decls: Iterable[model.WindowDecl], notes: Notes, report: Diagnostics) -> None:
    """Notes which actions of the ruleset answer which window; each can answer one. Actions of cards follow when their
    window is read."""
    for decl in decls:
        for text in (*decl.forced, *decl.actions):
            offer = parse_offer(text, Diagnostics())
            if offer is None or offer.cards is not None:
                continue
            name = offer.name
            if name in notes.answers:
                first, span = notes.answers[name]
                message = f"`{name}` already answers the window `{first}`"
                hint = "let it stand in one list; make an effect of what two actions have in common"
                report.add(codes.WRONG_ANSWER, message, offer.span, hint, [(span, "here")])
            else:
                notes.answers[name] = (decl.name.text, offer.span)


class Windows:
    """Turns declared windows into effects. ``variables`` are what they keep."""

    def __init__(self, texts: Texts, rules: Rules, most_players: int) -> None:
        self.texts = texts
        self.rules = rules
        self.most_players = most_players
        self.variables: list[core.Variable] = []

    def effect(self, decl: model.WindowDecl) -> core.Effect | None:
        """The effect that a window is; None where its name is faulty."""
        name, span = decl.name.text, decl.name.span
        symbol = self.texts.names.symbols.get(name)
        if not isinstance(symbol, WindowSymbol):
            return None
        routine = self.texts.routine(f"window {name}")
        with routine.frame():
            params = [core.Param(routine.bind_me(span), "me", PLAYER)]
            for (parameter, type), (word, _) in zip(symbol.params, decl.params, strict=True):
                slot = routine.bind(parameter, type, word.span, "parameter", exempt=True)
                params.append(core.Param(slot, parameter, type))
            routine.window = symbol
            made = _Window(decl, self.texts, routine, self.most_players)
            body = made.body()
        self.variables += made.variables
        effect = core.Effect(name, True, tuple(params), routine.locals.n_slots, body, is_window=True)
        instead, when = self.rules.answers(effect)
        return replace(effect, instead=instead, when=when)


class _Window:
    """One window while its statements are made. Of each answer that waits for its turn it keeps the number of the
    alternative, who gave it and the values that were chosen with it, in the order of answers."""

    def __init__(self, decl: model.WindowDecl, texts: Texts, routine: Routine, most_players: int) -> None:
        self.decl = decl
        self.texts = texts
        self.routine = routine
        self.span, self.origin = decl.name.span, Origin(WINDOWS, decl.name.text)
        self.variables: list[core.Variable] = []
        self.room = decl.at_most or most_players * (2 if decl.forced else 1)  # answers that can be kept
        self.row = (core.Dim(INT, 0, self.room),)
        self.me = routine.locals.slot()  # who is asked, and who answered
        self.players = core.Local(ListType(PLAYER), self.span, routine.locals.slot(), "players")
        self.number = core.Local(INT, self.span, routine.locals.slot(), "number")
        self.waiting: list[tuple[core.Alternative, list[core.Stmt]]] = []  # with what they do when their turn comes
        self.counted = decl.last_first or decl.until_all_pass

    def body(self) -> tuple[core.Stmt, ...]:
        """All statements of the window."""
        decl, span = self.decl, self.span
        players = ListType(PLAYER)
        who = value_in(self.routine, decl.who, players, "as the players who are asked")
        unique = core.CallBuiltin(players, who.span, "unique", (who,))
        found: list[core.Stmt] = [core.Let(span, self.players.slot, "players", unique, origin=self.origin)]
        found.append(self._keep(CANCELLED, BOOL, False))
        if self.counted:
            found.append(self._keep("Answered", INT, 0))
        if decl.until_all_pass:
            found.append(self._keep("Passed", INT, 0))
        if decl.last_first:
            self._keep("Answer", INT, 0, self.row)
            self._keep("By", PLAYER, 0, self.row)
        with answering(self.routine, self.me, span):
            prompt = template_in(self.routine, decl.prompt)
        prompt = prompt or words(f"Answer {humanised(decl.name.text)}?", span)
        for texts, free in ((decl.forced, False), (decl.actions, True)):
            before, answers = self._answers(texts)
            if free:
                asking = self._round(prompt, before, [*answers, self._pass()])
            elif answers:
                found.append(self._round(prompt, before, answers))
        if decl.until_all_pass:
            most = core.Const(INT, span, self.room + 1)
            asking = core.Repeat(span, None, self._going_on(), most, (asking,), origin=self.origin)
        found.append(asking)
        if decl.last_first:
            found.append(self._carried_out())
        return tuple(found)

    # ------------------------------------------------------------ what the window keeps

    def _keep(
        self, what: str, type: Type, start: object, dims: tuple[core.Dim, ...] = (), seen: str = "all"
    ) -> core.Stmt:
        """Declares a variable, and gives the statement that starts it."""
        name = self.decl.name.text
        made = hidden_variable(hidden(name, what), type, start, self.span, Origin(WINDOWS, name, what), dims, seen)
        self.variables.append(made)
        return self._write(what, "set", core.Const(type, self.span, start))

    def _write(self, what: str, op: str, value: core.Expr, indices: tuple[core.Expr, ...] = ()) -> core.Stmt:
        name = hidden(self.decl.name.text, what)
        return core.SetCell(self.span, name, indices, op, value, origin=self.origin)

    def _read(self, what: str, type: Type, indices: tuple[core.Expr, ...] = ()) -> core.Expr:
        return core.ReadCell(type, self.span, hidden(self.decl.name.text, what), indices)

    def _add(self, what: str, op: str) -> core.Stmt:
        return self._write(what, op, core.Const(INT, self.span, 1))

    # ------------------------------------------------------------ asking

    def _round(
        self, prompt: core.TextTemplate, before: Sequence[core.Stmt], alternatives: Sequence[core.Alternative]
    ) -> core.Stmt:
        """Everybody who is asked, in order, as long as the window is open."""
        me = core.Local(PLAYER, self.span, self.me, "me")
        site, made = self.texts.notes.site(), self.origin
        ask = core.Ask(self.span, site, me, prompt, tuple(alternatives), (), origin=made)
        return core.ForEach(self.span, self.me, "me", self.players, self._going_on(), (*before, ask), origin=made)

    def _going_on(self) -> core.Expr | None:
        """That the window is still open; None: always, until everybody was asked."""
        span, made = self.span, self.origin
        conditions: list[core.Expr] = []
        if self.decl.until_all_pass:
            number = core.CallBuiltin(INT, span, "count", (self.players,))
            conditions.append(core.Binary(BOOL, span, "<", self._read("Passed", INT), number, origin=made))
            room = core.Const(INT, span, self.room)
            conditions.append(core.Binary(BOOL, span, "<", self._read("Answered", INT), room, origin=made))
        if not self.decl.last_first:
            conditions.append(core.Unary(BOOL, span, "not", self._read(CANCELLED, BOOL), origin=made))
        found = conditions[0] if conditions else None
        for condition in conditions[1:]:
            assert found is not None
            found = core.Binary(BOOL, span, "and", found, condition, origin=made)
        return found

    def _pass(self) -> core.Alternative:
        body = (self._add("Passed", "add"),) if self.decl.until_all_pass else ()
        return core.Alternative("pass", words("Pass", self.span), (), (), body, self.span)

    def _answers(self, texts: Sequence[Embedded]) -> tuple[list[core.Stmt], list[core.Alternative]]:
        """The actions of a list as answers, and what is done before they are offered."""
        before: list[core.Stmt] = []
        found: list[core.Alternative] = []
        for text in texts:
            offer = parse_offer(text, self.texts.report)
            if offer is not None:
                with answering(self.routine, self.me, self.span):
                    first, laid = offered(self.routine, offer, self.me, self.decl.name.text)
                before += first
                found += map(self._answer, laid)
        return before, found

    def _answer(self, laid: OfferedAction) -> core.Alternative:
        """An action as an answer: its cost is paid at once; it is carried out at once, or kept until its turn comes."""
        done = laid.alternative.body
        body = list(laid.cost)
        if self.decl.until_all_pass:
            body.append(self._write("Passed", "set", core.Const(INT, self.span, 0)))
        if self.decl.last_first:
            body += self._remembered(laid.alternative)
        if self.counted:
            body.append(self._add("Answered", "add"))
        if not self.decl.last_first:
            body += done
        return replace(laid.alternative, body=tuple(body))

    # ------------------------------------------------------------ last first

    def _remembered(self, alternative: core.Alternative) -> list[core.Stmt]:
        """Keeps an answer behind those before it, and notes what it does when its turn comes."""
        place = (self._read("Answered", INT),)
        kept: list[core.Stmt] = [
            self._write("Answer", "set", core.Const(INT, self.span, len(self.waiting)), place),
            self._write("By", "set", core.Local(PLAYER, self.span, self.me, "me"), place),
        ]
        here = (self.number,)
        by = self._read("By", PLAYER, here)
        again: list[core.Stmt] = [core.Let(self.span, self.me, "me", by, origin=self.origin)]
        for var in alternative.vars:
            type = item_type(var.domain)
            what = f"Value{len(self.waiting)}_{var.name}"
            optional = type if isinstance(type, OptionalType) else OptionalType(type)
            self._keep(what, optional, None, self.row, "nobody" if var.secret else "all")
            kept.append(self._write(what, "set", core.Local(type, var.span, var.slot, var.name), place))
            again.append(core.Let(var.span, var.slot, var.name, self._read(what, type, here), origin=self.origin))
        self.waiting.append((alternative, [*again, *alternative.body]))
        return kept

    def _carried_out(self) -> core.Stmt:
        """The answers that were kept, the last one first."""
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
        return core.Repeat(span, None, some, core.Const(INT, span, self.room), steps, origin=self.origin)
