"""Cards that do things: the queries, effects and actions of component kinds, and how each card fills them.

A member of a kind is a symbol of its own, `Kind.member`, whose first parameter is the card, `this`. A part of the
checker.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from .. import core
from ..core.origin import CARDS, Origin
from ..language.types import BOOL, NOTHING, PLAYER, ComponentType, Type, join
from ..ruleset import model
from ..text import codes
from ..text.diagnostics import did_you_mean
from ..text.source import Embedded, Span
from ..text.spelling import article, listed
from .actions import check_card_action, has_option
from .call_graph import Owner
from .declarations import Declarations
from .names import ActionSymbol, BrokenSymbol, CallableSymbol, EffectSymbol, KindAction, Parameters, QuerySymbol
from .routine import Routine
from .texts import Texts, block_in, told_in, value_in
from .traits import is_not_blank
from .values import fit

T = TypeVar("T")
Fill = tuple[int, Embedded]
"""A card, by the number of its first copy, and what it says."""
Member = model.MemberQueryDecl | model.MemberEffectDecl | model.MemberActionDecl

_SECTIONS = ("queries", "effects", "actions")


class Cards:
    """The members of all kinds."""

    def __init__(self, ruleset: model.Ruleset, declared: Declarations, texts: Texts) -> None:
        self.ruleset = ruleset
        self.declared = declared
        self.texts = texts
        self.names = declared.names
        self.notes = texts.notes
        self.diagnostics = texts.report
        self.queries: dict[str, tuple[str, model.MemberQueryDecl]] = {}
        self.effects: dict[str, tuple[str, model.MemberEffectDecl]] = {}
        self._keywords = {(k.kind.text, k.name.text) for k in ruleset.keywords if k.member is not None}
        self._abilities: dict[str, KindAction] = {}

    # ------------------------------------------------------------ declarations

    def declare(self) -> None:
        """Makes a symbol of each member, and finds out which cards fill it."""
        for kind in self.ruleset.components:
            taken: dict[str, Span] = {name.text: name.span for name, _ in kind.fields}
            for name, span in taken.items():
                self.declared.unlike_members(name, span)
            of_keywords = [k.member for k in self.ruleset.keywords if k.kind.text == kind.name.text]
            for decl in (*kind.members, *of_keywords):
                if decl is not None:
                    self._member(kind, decl, taken)
            if kind.blank:
                self.names.blank_kinds.add(kind.name.text)
                self.notes.used.add(f"{kind.name.text}.blank")
        for card in self.ruleset.cards:
            self._check_fills(card)

    def _member(self, kind: model.ComponentDecl, decl: Member, taken: dict[str, Span]) -> None:
        name, span = decl.name.text, decl.name.span
        self.declared.check_name(name, span)
        self.declared.unlike_members(name, span)
        full = f"{kind.name.text}.{name}"
        if name in taken:
            notes = [(taken[name], "declared here")]
            message = f"{article(f'`{kind.name.text}`')} has a `{name}` already"
            self.diagnostics.add(codes.NAME_TAKEN, message, span, "give one of them another name", notes)
            self.names.symbols[full] = BrokenSymbol(full, span)
            return
        taken[name] = span
        this: Parameters = (("this", ComponentType(kind.name.text)),)
        match decl:
            case model.MemberQueryDecl():
                self.queries[full] = (kind.name.text, decl)
                params = this + self.declared.params(decl.params)
                self.names.symbols[full] = QuerySymbol(full, span, decl.per_player, params)
            case model.MemberEffectDecl():
                self.effects[full] = (kind.name.text, decl)
                params = this + self.declared.params(decl.params)
                self.names.symbols[full] = EffectSymbol(full, span, decl.per_player, params)
            case model.MemberActionDecl():
                having = tuple(
                    (original, card_action)
                    for original, card in self._cards_of(kind.name.text)
                    for card_action in card.all_actions
                    if card_action.name.text == name
                )
                ability = KindAction(full, kind.name.text, decl, having, (kind.name.text, name) in self._keywords)
                self.names.kind_actions[full] = ability
                self._abilities[ability.can] = ability
                self.names.symbols[full] = ActionSymbol(full, span)
                self.names.symbols[ability.can] = QuerySymbol(ability.can, span, True, this)

    def _cards_of(self, kind: str) -> Iterator[tuple[int, model.CardDecl]]:
        for card in self.ruleset.cards:
            number = self.names.constants.get(card.id.text)
            if card.kind.text == kind and number is not None and isinstance(number.value, int):
                yield number.value, card

    def _check_fills(self, card: model.CardDecl) -> None:
        """A card fills members that its kind has, each under its section, and all that it must."""
        kind = next((k for k in self.ruleset.components if k.name.text == card.kind.text), None)
        if kind is None:
            return
        sections: dict[str, str] = {m.name.text: s for s in reversed(_SECTIONS) for m in getattr(kind, s)}
        filled: dict[str, list[model.Word]] = {
            "queries": [name for name, _ in card.queries],
            "effects": [name for name, _ in card.effects],
            "actions": [action.name for action in card.actions],
        }
        notes = [(kind.name.span, f"the kind `{kind.name.text}` is declared here")]
        for section, words in filled.items():
            for word in words:
                declared = sections.get(word.text)
                if declared == section:
                    continue
                what = _SINGULAR[section]
                message = f"{article(f'`{kind.name.text}`')} has no {what} `{word.text}`"
                known = [name for name, other in sections.items() if other == section]
                if (card.kind.text, word.text) in self._keywords:
                    hint: str | None = f"`{word.text}` is a keyword: write it under `keywords`"
                elif declared is not None:
                    hint = f"`{word.text}` is {article(_SINGULAR[declared])}: write it under `{declared}`"
                elif any(word.text == name.text for name, _ in kind.fields):
                    hint = f"`{word.text}` is a printed field: write it under `fields`"
                else:
                    hint = did_you_mean(word.text, known) or (
                        f"its {section} are {listed(known)}"
                        if known
                        else f"declare it under `components.{kind.name.text}.{section}`"
                    )
                self.diagnostics.add(codes.CARD_MEMBERS, message, word.span, hint, notes)
        given = {name.text for name, _ in card.queries}
        missing = [q.name.text for q in kind.queries if q.value is None and q.name.text not in given]
        if missing:
            plural = "query" if len(missing) == 1 else "queries"
            message = f"the card `{card.id.text}` does not answer the {plural} {listed(missing)}"
            hint = f"write it under `queries`, or give `{kind.name.text}.{missing[0]}` a `value` for all"
            self.diagnostics.add(codes.CARD_MEMBERS, message, card.id.span, hint, notes)

    # ------------------------------------------------------------ texts

    @contextmanager
    def _routine(self, owner: Owner, symbol: CallableSymbol) -> Iterator[tuple[Routine, tuple[core.Param, ...]]]:
        """A routine with `me`, `this` and the parameters in its first slots."""
        routine = self.texts.routine(owner)
        with routine.frame():
            params: list[core.Param] = []
            if symbol.per_player:
                params.append(core.Param(routine.bind_me(symbol.span), "me", PLAYER))
            for name, type in symbol.params:
                params.append(core.Param(routine.bind(name, type, symbol.span, "parameter", True), name, type))
            yield routine, tuple(params)

    def query(self, name: str) -> core.Query | None:
        """A query of cards, or whether a card's action can be used; None where there is none of this name."""
        symbol = self.names.symbols.get(name)
        if not isinstance(symbol, QuerySymbol):
            return None
        with self._routine(Owner("query", name), symbol) as (routine, params):
            origin = core.WRITTEN if name in self.queries else Origin(CARDS, name, "can")
            if name in self.queries:
                value = self._answers(routine, *self.queries[name], _this(params, symbol.span))
            elif name in self._abilities:
                value = self._usable(routine, self._abilities[name], _this(params, symbol.span))
            else:
                return None
        return core.Query(name, symbol.per_player, params, value.type, routine.locals.n_slots, value, (), origin)

    def _answers(self, routine: Routine, kind: str, decl: model.MemberQueryDecl, this: core.Expr) -> core.Expr:
        type = self.declared.data.type(decl.type) if decl.type is not None else None
        role = f"as the `{decl.name.text}` of {article(f'`{kind}`')}"
        found: list[tuple[int, core.Expr]] = []
        default: core.Expr | None = None
        texts: list[Fill] = [
            (c, text) for c, card in self._cards_of(kind) for n, text in card.queries if n.text == decl.name.text
        ]
        joined: Type = NOTHING
        for original, text in [*([(-1, decl.value)] if decl.value is not None else []), *texts]:
            with routine.frame(), routine.narrowing():
                value = value_in(routine, text, type, role)
                both = join(joined, value.type)
                value = value if both is not None else fit(routine, value, joined, role)
            joined = both if both is not None else joined
            if original < 0:
                default = value
            else:
                found.append((original, value))
        if default is None:
            if not found:
                return core.Const(type or NOTHING, decl.name.span, None)
            default = found.pop()[1]
        if not found:
            return default
        return core.ByCard(type or joined, decl.name.span, this, tuple(found), default)

    def effect(self, name: str) -> core.Effect | None:
        """An effect of cards, without the rules that answer to it."""
        kind, decl = self.effects[name]
        symbol = self.names.symbols.get(name)
        if not isinstance(symbol, EffectSymbol):
            return None
        with self._routine(Owner("effect", name), symbol) as (routine, params):
            cases = tuple(
                (original, (*told_in(routine, decl.says), *block_in(routine, text)))
                for original, card in self._cards_of(kind)
                for word, text in card.all_effects
                if word.text == decl.name.text
            )
            told = told_in(routine, decl.says)
            otherwise = () if decl.do is None else (*told, *block_in(routine, decl.do))
            this = _this(params, symbol.span)
            body: tuple[core.Stmt, ...] = otherwise
            if cases:
                body = (core.DoByCard(decl.name.span, this, cases, otherwise, origin=Origin(CARDS, name)),)
            if cases and (kind, decl.name.text) in self._keywords:
                has_it = is_not_blank(routine, ComponentType(kind), this, decl.name.span, Origin(CARDS, name))
                if has_it is not None:
                    body = (core.If(decl.name.span, ((has_it, body),), (), origin=Origin(CARDS, name)),)
        return core.Effect(name, symbol.per_player, params, routine.locals.n_slots, body)

    def _usable(self, routine: Routine, ability: KindAction, this: core.Expr) -> core.Expr:
        """Whether an action of a card has an option now."""
        cases = []
        for original, action in ability.cards:
            with routine.frame(), routine.narrowing():
                cases.append((original, has_option(routine, ability, action)))
        span = ability.decl.name.span
        never = core.Const(BOOL, span, False)
        return core.ByCard(BOOL, span, this, tuple(cases), never) if cases else never

    def check_unused(self) -> None:
        """Checks actions that nobody offers, in routines that are thrown away."""
        for name, ability in self.names.kind_actions.items():
            if name not in self.notes.used:
                routine = self.texts.routine(Owner("offer", name))
                check_card_action(routine, ability)


_SINGULAR = {"queries": "query", "effects": "effect", "actions": "action"}


def _this(params: Sequence[core.Param], span: Span) -> core.Expr:
    param = next(p for p in params if p.name == "this")
    return core.Local(param.type, span, param.slot, "this")
