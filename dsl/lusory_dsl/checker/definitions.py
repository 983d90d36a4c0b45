"""Queries and effects, each with the rules that change it or answer to it. A part of the checker."""

from __future__ import annotations

from collections.abc import Sequence

from .. import core
from ..language.depth import MAX_CALL_DEPTH
from ..language.types import NOTHING, PLAYER, Type, join
from ..ruleset import model
from ..text.records import replace
from ..text.spelling import snake_case
from .call_graph import Owner
from .cards import Cards
from .depth import report_too_deep
from .keywords import Keywords
from .names import EffectSymbol, QuerySymbol, WorkedOutSymbol
from .routine import Routine
from .rules import Rules
from .texts import Texts, block_in, told_in, value_in


class Definitions:
    """Checks queries when their types are first asked for. ``found``: those that are checked."""

    def __init__(
        self,
        decls: Sequence[model.QueryDecl],
        tables: Sequence[model.TableDecl],
        texts: Texts,
        cards: Cards,
        keywords: Keywords,
        rules: Rules,
    ) -> None:
        self.decls = {decl.name.text: decl for decl in reversed(decls)}
        self.tables = {decl.name.text: decl for decl in tables if decl.value is not None}
        self.texts = texts
        self.cards = cards
        self.keywords = keywords
        self.rules = rules
        self.names = texts.names
        self.report = texts.report
        self.found: dict[str, core.Query] = {}
        self._in_progress: set[str] = set()
        self._is_too_deep = False

    def _bind_params(
        self, routine: Routine, decl: model.QueryDecl | model.EffectDecl, exempt: bool
    ) -> tuple[core.Param, ...]:
        """`me` and the parameters, in the first slots."""
        symbol = self.names.symbols.get(decl.name.text)
        types = dict(symbol.params) if isinstance(symbol, QuerySymbol | EffectSymbol) else {}
        found: list[core.Param] = []
        if decl.per_player:
            found.append(core.Param(routine.bind_me(decl.name.span), "me", PLAYER))
        for name, _ in decl.params:
            type = types.get(name.text, NOTHING)
            slot = routine.bind(name.text, type, name.span, "parameter", exempt)
            found.append(core.Param(slot, name.text, type))
        return tuple(found)

    def type_of(self, name: str) -> Type:
        """The type of a query, which is checked when it is first asked for; NOTHING inside of a ring of calls."""
        if name in self.found:
            return self.found[name].type
        if name in self._in_progress or self._too_deep(name):
            return NOTHING
        self._in_progress.add(name)
        query = self.keywords.queries.get(name)
        if query is None:
            query = self._query(self.decls[name]) if name in self.decls else self.cards.query(name)
        if query is None:
            return NOTHING
        modifiers = self.rules.modifiers(query)
        type = query.type
        for modifier in modifiers:
            type = join(type, modifier.value.type) or type
        self.found[name] = replace(query, type=type, modifiers=modifiers)
        self._in_progress.discard(name)
        return type

    def _too_deep(self, name: str) -> bool:
        """Whether queries ask for each other in a chain so long that this one can't be checked behind it."""
        if self.names.queries.depth <= MAX_CALL_DEPTH:
            return False
        if not self._is_too_deep:
            report_too_deep(f"the query `{name}`", self.names.symbols[name].span, self.report)
        self._is_too_deep = True
        return True

    def _query(self, decl: model.QueryDecl) -> core.Query:
        name = decl.name.text
        routine = self.texts.routine(Owner("query", name))
        with routine.frame():
            params = self._bind_params(routine, decl, exempt=False)
            value = value_in(routine, decl.value)
        return core.Query(name, decl.per_player, params, value.type, routine.locals.n_slots, value)

    def table(self, decl: model.TableDecl) -> core.Query | None:
        """A table whose values are worked out, as a query of its indices."""
        name, symbol = decl.name.text, self.names.symbols.get(decl.name.text)
        if not isinstance(symbol, WorkedOutSymbol) or decl.value is None:
            return None
        routine = self.texts.routine(Owner("table", name))
        params = []
        with routine.frame():
            for dim in symbol.dims:
                index = snake_case(str(dim.type))
                slot = routine.bind_quietly(index, dim.type, decl.name.span, "index")
                params.append(core.Param(slot, index, dim.type))
            value = value_in(routine, decl.value, symbol.type, f"as a value of `{name}`")
        return core.Query(name, False, tuple(params), symbol.type, routine.locals.n_slots, value, is_table=True)

    def effect(self, decl: model.EffectDecl) -> core.Effect | None:
        name = decl.name.text
        if not isinstance(self.names.symbols.get(name), EffectSymbol):
            return None
        routine = self.texts.routine(Owner("effect", name))
        with routine.frame():
            params = self._bind_params(routine, decl, exempt=True)
            body = (*told_in(routine, decl.says), *block_in(routine, decl.do))
        return self.answered(core.Effect(name, decl.per_player, params, routine.locals.n_slots, body))

    def answered(self, effect: core.Effect) -> core.Effect:
        """The effect with the rules that answer to it."""
        instead, when = self.rules.answers(effect)
        return replace(effect, instead=instead, when=when)
