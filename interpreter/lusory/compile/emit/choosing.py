"""How the options of a choice are listed in generated text: shared by stepwise play and playouts.

Two plans. *Product*: one alternative whose domains don't depend on each other (or always have the same length), so
that an option is its number and nothing needs to be listed. *List*: anything else; options are gathered in a list of
``(alternative, values)``.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

from lusory_dsl import core
from lusory_dsl.core import Const, Expr
from lusory_dsl.language.types import ListType

from .lists import MASK_LIMIT, Masked
from .places import ATOM
from .statements import StatementEmitter

COMBINATIONS_LIMIT = 16  # combinations of values that are written out one by one


@dataclass(frozen=True, eq=False)
class ProductPlan:
    """``lengths[i]`` is the fixed length of domain i, or None where it must be measured."""

    alternative: core.Alternative
    lengths: tuple[int | None, ...]


class ChoiceEmitter(StatementEmitter):
    """Adds the enumeration of options to the statements."""

    def named_alternatives(self, s: core.Ask) -> Masked | None:
        """The numbers of the alternatives of a choice among names alone, with their conditions; None where there are
        values to choose too."""
        if any(a.vars for a in s.alternatives) or len(s.alternatives) < 2:
            return None
        numbers: list[int] = []
        conditions: list[str | None] = []
        for number, a in enumerate(s.alternatives):
            if any(isinstance(c, Const) and not c.value for c in a.conditions):
                continue
            numbers.append(number)
            conditions.append(f"({' and '.join(self.code(c, ATOM) for c in a.conditions)})" if a.conditions else None)
        if len(numbers) < 2 or len([c for c in conditions if c is not None]) > MASK_LIMIT:
            return None
        return Masked(tuple(numbers), tuple(conditions))

    def plan(self, s: core.Ask) -> ProductPlan | None:
        """The product plan of a choice, or None where options must be listed."""
        if len(s.alternatives) != 1:
            return None
        alternative = s.alternatives[0]
        if alternative.conditions or not alternative.vars:
            return None
        lengths: list[int | None] = []
        slots: set[int] = set()
        if any(self.can_fail(e) for e in _later(alternative)):
            return None  # not read where there is nothing to choose before
        for v in alternative.vars:
            if v.condition is not None and core.locals_in(v.condition) & slots:
                return None
            length = self.fixed_length(v.domain) if v.condition is None else None
            if length is None and core.locals_in(v.domain) & slots:
                return None
            lengths.append(length)
            slots.add(v.slot)
        return ProductPlan(alternative, tuple(lengths))

    def fixed_length(self, domain: Expr) -> int | None:
        if self.can_fail(domain):
            return None
        self._inside += 1  # looked at, not written
        known = self.masked(domain)
        self._inside -= 1
        if known is not None:
            return len(known.items) if known.certain else None
        if isinstance(domain, Const) and isinstance(domain.value, tuple):
            return len(domain.value)
        if isinstance(domain, core.TableRead):
            lengths = {len(row) for row in _lists(self.program.tables[domain.table])}
            return lengths.pop() if len(lengths) == 1 else None
        return None

    def domain_of(self, v: core.ChoiceVar) -> Expr:
        if v.condition is None:
            return v.domain
        return core.Filter(v.domain.type, v.span, v.slot, v.domain, v.condition)

    # ------------------------------------------------------------ product

    def measure(self, plan: ProductPlan) -> tuple[list[str | None], str, int | None]:
        """Write the domains that must be measured; their names, the text of the number of options, and the number
        where it is fixed."""
        names: list[str | None] = []
        factors: list[str] = []
        fixed = 1
        for v, length in zip(plan.alternative.vars, plan.lengths, strict=True):
            if length is not None:
                fixed *= length
                names.append(None)
                continue
            name = self.temporary()
            self.out.line(f"{name} = {self.sequence(self.domain_of(v))}")
            names.append(name)
            factors.append(f"len({name})")
        if not factors:
            if fixed > self.lowerer.limits.options:
                self.out.line("over_limit('options')")
            return names, str(fixed), fixed
        if fixed != 1:
            factors.append(str(fixed))
        return names, " * ".join(factors), None

    def decode(self, plan: ProductPlan, names: list[str | None], index: str | None) -> None:
        """Set the variables from the number of an option (None: the only one)."""
        variables = plan.alternative.vars
        for position, (v, name) in enumerate(zip(variables, names, strict=True)):
            self.bound_by(v.slot, v.domain)
            domain = name if name is not None else self.code(v.domain, ATOM)
            if index is None:
                self.assign(v.slot, f"{domain}[0]")
                continue
            after = [
                str(length) if length is not None else f"len({n})"
                for length, n in zip(plan.lengths[position + 1 :], names[position + 1 :], strict=True)
            ]
            place = index
            if after:
                divisor = " * ".join(after)
                place = f"{index} // {divisor}" if len(after) == 1 else f"{index} // ({divisor})"
            if position:
                own = str(plan.lengths[position]) if plan.lengths[position] is not None else f"len({name})"
                place = f"{place} % {own}" if after else f"{index} % {own}"
            self.assign(v.slot, f"{domain}[{place}]")

    # ------------------------------------------------------------ list

    def list_options(self, s: core.Ask, into: str) -> None:
        """Write the statements that gather the options in the list ``into``."""
        self.out.line(f"{into} = []")
        for number, alternative in enumerate(s.alternatives):
            conditions = alternative.conditions
            if any(isinstance(c, Const) and not c.value for c in conditions):
                continue
            if conditions:
                both = " and ".join(self.code(c, ATOM) for c in conditions)
                self.out.line(f"if {both}:")
                with self.out.deeper():
                    self._combine(alternative.vars, (), into, number, COMBINATIONS_LIMIT)
            else:
                self._combine(alternative.vars, (), into, number, COMBINATIONS_LIMIT)

    def limit_options(self, s: core.Ask, count: str) -> None:
        """Make sure that a choice does not offer more options than are allowed, where it might."""
        most = sum(prod(self.longest(v.domain) for v in alternative.vars) for alternative in s.alternatives)
        if most > self.lowerer.limits.options:
            self.out.line(f"if {count} > {self.lowerer.limits.options}: over_limit('options')")

    def _combine(
        self,
        variables: tuple[core.ChoiceVar, ...],
        values: tuple[str | Const, ...],
        into: str,
        number: int,
        room: int,
    ) -> None:
        if not variables:
            texts = [v if isinstance(v, str) else self.literal(v.value) for v in values]
            tuple_text = "(" + ", ".join(texts) + ("," if len(texts) == 1 else "") + ")"
            option = f"({number}, {tuple_text})"
            if all(isinstance(v, Const) for v in values):
                option = self.tables.constant(option)
            self.out.line(f"{into}.append({option})")
            return
        v, *rest = variables
        known = self.masked(v.domain)
        if known is not None and isinstance(v.domain.type, ListType) and len(known.items) <= room:
            for item, there in zip(known.items, known.conditions, strict=True):
                value = Const(v.domain.type.item, v.span, item)
                tests = [] if there is None else [there]
                if v.condition is not None:
                    holds = self.lowerer.expr(v.condition, {v.slot: value})
                    if isinstance(holds, Const):
                        if not holds.value:
                            continue
                    else:
                        tests.append(self.code(holds, ATOM))
                later = tuple(self._with(r, v.slot, value) for r in rest)
                share = room // max(len(known.items), 1)
                if not tests:
                    self._combine(later, (*values, value), into, number, share)
                    continue
                self.out.line(f"if {' and '.join(tests)}:")
                with self.out.deeper():
                    self._combine(later, (*values, value), into, number, share)
            return
        name = self.name(v.slot)
        source = self.visited(v.domain, self.iterable(v.domain))
        self.bound_by(v.slot, v.domain)
        self.bound_names[v.slot] = name
        self.out.line(f"for {name} in {source}:")
        with self.out.deeper(), self.looping(self.longest(v.domain)):
            if v.condition is not None:
                self.out.line(f"if {self.code(v.condition)}:")
                with self.out.deeper():
                    self._combine(tuple(rest), (*values, name), into, number, 1)
            else:
                self._combine(tuple(rest), (*values, name), into, number, 1)
        del self.bound_names[v.slot]

    def _with(self, v: core.ChoiceVar, slot: int, value: Const) -> core.ChoiceVar:
        env: dict[int, Expr] = {slot: value}
        condition = None if v.condition is None else self.lowerer.expr(v.condition, env)
        return core.ChoiceVar(v.slot, v.name, self.lowerer.expr(v.domain, env), condition, v.secret, v.span)


def _later(alternative: core.Alternative) -> list[Expr]:
    """What is read of the variables behind the first one."""
    return [e for v in alternative.vars[1:] for e in (v.domain, v.condition) if e is not None]


def _lists(table: core.Table) -> list[tuple[Any, ...]]:
    """The lists that are a table's entries (nothing where entries aren't lists)."""
    rows: list[Any] = [table.values]
    for _ in table.dims:
        rows = [entry for row in rows for entry in row]
    return [r for r in rows if isinstance(r, tuple)] if isinstance(table.type, ListType) else []
