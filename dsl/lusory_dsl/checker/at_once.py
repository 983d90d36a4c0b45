"""Choices of all players at the same time: `each player at once`.

All are asked before anything is done: what they pick is kept where others don't look, and then each one's block goes
on, in order.
"""

from __future__ import annotations

from collections.abc import Sequence

from .. import core
from ..core.kept import kept_name, kept_variable
from ..core.origin import AT_ONCE, Origin
from ..effect import nodes
from ..language.types import BOOL, PLAYER, TEXT, ListType, OptionalType, Type
from ..text import codes
from ..text.records import dataclass, replace
from ..text.source import Span
from ..text.spelling import humanised
from .choices import ask, ask_some, can_pick, choice_vars, common_clauses, demand_option
from .lists import item_condition
from .routine import Routine, Stmts
from .templates import text_template
from .values import item_type

_MADE = Origin(AT_ONCE)

Choice = nodes.Choose | nodes.ChooseSome


@dataclass(frozen=True)
class Pick:
    """What somebody picks: the author's name for it, its type, and the variable that keeps it."""

    var: nodes.ChoiceVar
    type: Type
    kept: core.Variable


@dataclass(frozen=True)
class Asked:
    """A choice that has been asked: what was picked, and the variable that says whether there was something."""

    choice: Choice
    picks: tuple[Pick, ...]
    made: core.Variable


def at_once(r: Routine, node: nodes.EachPlayer, source: core.Expr) -> list[core.Stmt]:
    """Asks all, then does what each one's block says."""
    span = node.span
    choices, rest = _divided(r, node)
    asking = _Asking(r, span)
    who = core.Local(source.type, span, r.locals.slot(), "players")
    with r.frame(), r.narrowing():
        one = r.bind_me(span)
        condition = item_condition(r, node.condition, one, PLAYER)
    wanted = source if condition is None else core.Filter(source.type, span, one, source, condition)
    with r.frame(), r.narrowing():
        me = r.bind_me(span)
        asks = tuple(stmt for choice in choices for stmt in asking.asked(choice))
        for local in r.locals.named(var.name for choice in choices for var in _vars(choice)):
            local.used = True  # or it is said of the name in the block
    r.loops += 1
    with r.frame(), r.narrowing():
        own = r.bind_me(span)
        body = asking.answered(rest)
    r.loops -= 1
    return [
        core.Let(span, who.slot, who.name, wanted, origin=_MADE),
        asking.shown(False),
        core.ForEach(span, me, "me", who, None, asks, origin=_MADE),
        asking.shown(True),
        core.ForEach(span, own, "me", who, None, body),
    ]


def _divided(r: Routine, node: nodes.EachPlayer) -> tuple[list[Choice], nodes.Block]:
    """The choices with which a block begins, and what follows. One with a block of its own is the last."""
    found: list[Choice] = []
    for stmt in node.body:
        if not isinstance(stmt, Choice):
            break
        found.append(stmt)
        if stmt.by is not None:
            message = "those who choose at once choose for themselves"
            r.error(codes.WRONG_CLAUSE, message, stmt.by.span, "leave `by` out")
        if stmt.body is not None:
            break
    if not found:
        hint = "the block begins with `choose`; put what comes first before `each player at once`"
        r.error(codes.NOT_AT_ONCE, "this would happen before all have chosen", node.body[0].span, hint)
    return found, node.body[len(found) :]


def _vars(choice: Choice) -> tuple[nodes.ChoiceVar, ...]:
    return choice.vars if isinstance(choice, nodes.Choose) else (choice.var,)


class _Asking:
    """What is asked, and what is kept of the answers until all have given theirs."""

    def __init__(self, r: Routine, span: Span) -> None:
        self.r = r
        self.span = span
        self.number = r.notes.sites
        self.found: list[Asked] = []
        self._shown = self._kept("Shown", BOOL, False, core.Visibility("all", None), ())

    def shown(self, value: bool) -> core.Stmt:
        """From here on others may know what was picked, or no longer."""
        return self._set(self._shown, (), core.Const(BOOL, self.span, value))

    # ------------------------------------------------------------ before all have chosen

    def asked(self, choice: Choice) -> list[core.Stmt]:
        """A choice without what follows from it. Others learn of it when all have made theirs."""
        first = self.r.notes.sites
        made = self._choose(choice) if isinstance(choice, nodes.Choose) else self._choose_some(choice)
        self.r.notes.private_sites.update(range(first, self.r.notes.sites))
        return made

    def _choose(self, node: nodes.Choose) -> list[core.Stmt]:
        r = self.r
        default = "Choose " + " and ".join(humanised(v.name) for v in node.vars)
        clauses = common_clauses(r, None, node.prompt, default, node.span)
        vars = choice_vars(r, node.vars)
        if node.body is None:
            demand_option(r, vars)
        label = None if node.label is None else text_template(r, node.label)
        picked = [(var, item_type(found.domain), found.slot) for var, found in zip(node.vars, vars, strict=True)]
        keep = self._keep(node, picked)
        inside, behind = ((), keep) if node.body is None else (keep, ())
        alternative = core.Alternative(None, label, (), vars, inside, node.span)
        asked = replace(ask(r, node.span, clauses, [alternative], ()), origin=_MADE)
        return [self._note(False), asked, *behind]

    def _choose_some(self, node: nodes.ChooseSome) -> list[core.Stmt]:
        asked = ask_some(self.r, replace(node, by=None))
        picks = [(node.var, ListType(item_type(asked.source)), asked.slot)]
        *keep, _ = self._keep(node, picks)
        noted = self._set(self.found[-1].made, (self._me(),), can_pick(asked))
        return [noted, replace(asked, origin=_MADE), *keep]

    def _keep(self, choice: Choice, picked: Sequence[tuple[nodes.ChoiceVar, Type, int]]) -> tuple[core.Stmt, ...]:
        """The statements that keep what was picked, and that something was."""
        picks = []
        number, dims = len(self.found), (core.Dim(PLAYER),)
        for n, (var, type, _) in enumerate(picked):
            is_list = isinstance(type, ListType)
            seen = core.Visibility("owner", None) if var.secret else core.Visibility(None, self._is_shown())
            kept = self._kept(
                f"Pick{number}x{n}", type if is_list else OptionalType(type), () if is_list else None, seen, dims
            )
            picks.append(Pick(var, type, kept))
        made = self._kept(f"Made{number}", BOOL, False, core.Visibility("owner", None), dims)
        self.found.append(Asked(choice, tuple(picks), made))
        given = zip(picks, picked, strict=True)
        keep = [
            self._set(pick.kept, (self._me(),), core.Local(type, self.span, slot, var.name))
            for pick, (var, type, slot) in given
        ]
        return (*keep, self._note(True))

    def _note(self, value: bool) -> core.Stmt:
        return self._set(self.found[-1].made, (self._me(),), core.Const(BOOL, self.span, value))

    def _is_shown(self) -> core.Expr:
        viewer, owner = (core.Local(PLAYER, self.span, slot, name) for slot, name in enumerate(("viewer", "owner")))
        own = core.Binary(BOOL, self.span, "=", viewer, owner)
        return core.Binary(BOOL, self.span, "or", own, core.ReadCell(BOOL, self.span, self._shown.name, ()))

    # ------------------------------------------------------------ when all have chosen

    def answered(self, rest: nodes.Block) -> Stmts:
        """What is done with the answers of a player: first they are told, unless they are secret."""
        r, found = self.r, list[core.Stmt]()
        for asked in self.found:
            found += self._told(asked)
            if asked.choice.body is None:
                found += self._named(asked)
        for asked in self.found[-1:]:
            if asked.choice.body is not None:
                with r.frame(), r.narrowing():
                    names = self._named(asked)
                    body = (*names, *r.block(asked.choice.body))
                otherwise = r.block(asked.choice.otherwise)
                made = core.ReadCell(BOOL, self.span, asked.made.name, (self._me(),))
                found.append(core.If(asked.choice.span, ((made, body),), otherwise, origin=_MADE))
        return (*found, *r.block(rest))

    def _told(self, asked: Asked) -> list[core.Stmt]:
        """A line for the log of what was picked in the open."""
        shown: list[str | core.Expr] = [self._me(), ": "]
        for pick in asked.picks:
            if not pick.var.secret:
                shown += [*([" "] if len(shown) > 2 else []), self._read(pick)]
        if len(shown) == 2:
            return []
        span = asked.choice.span
        line = core.Announce(span, core.TextTemplate(TEXT, span, tuple(shown)), None, origin=_MADE)
        made = core.ReadCell(BOOL, span, asked.made.name, (self._me(),))
        return [core.If(span, ((made, (line,)),), (), origin=_MADE)]

    def _named(self, asked: Asked) -> list[core.Stmt]:
        found: list[core.Stmt] = []
        for pick in asked.picks:
            value = self._read(pick)
            slot = self.r.bind(pick.var.name, pick.type, pick.var.name_span)
            found.append(core.Let(pick.var.span, slot, pick.var.name, value, origin=_MADE))
        return found

    # ------------------------------------------------------------ help

    def _read(self, pick: Pick) -> core.Expr:
        return core.ReadCell(pick.type, pick.var.span, pick.kept.name, (self._me(),))

    def _me(self) -> core.Expr:
        return self.r.actor(self.span, "", "")

    def _set(self, variable: core.Variable, indices: tuple[core.Expr, ...], value: core.Expr) -> core.Stmt:
        return core.SetCell(self.span, variable.name, indices, "set", value, origin=_MADE)

    def _kept(
        self, what: str, type: Type, start: object, visible: core.Visibility, dims: tuple[core.Dim, ...]
    ) -> core.Variable:
        name = kept_name(f"at_once{self.number}", what)
        made = kept_variable(name, type, start, self.span, Origin(AT_ONCE, str(self.number), what), dims)
        self.r.notes.kept[name] = replace(made, visible=visible)
        return self.r.notes.kept[name]
