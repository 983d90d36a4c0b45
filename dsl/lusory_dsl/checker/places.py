"""Places: variables, tables and zones, with their owners and indices. A part of the checker."""

from __future__ import annotations

from dataclasses import dataclass, field

from .. import core
from ..effect import nodes
from ..language.types import INT, ComponentType, EnumType, IntType, ListType, PlayerType, Type
from ..text import codes
from ..text.diagnostics import did_you_mean
from ..text.source import Span
from ..text.spelling import article
from .names import DurationSymbol, PlaceSymbol, PoolSymbol, TableSymbol, VariableSymbol, ZoneSymbol
from .routine import Routine, faulty, is_faulty


@dataclass(eq=False)
class Reference:
    """A place on its way to a value: the symbol and the indices given so far. ``whole``: no further index fits."""

    symbol: PlaceSymbol
    span: Span
    indices: list[core.Expr] = field(default_factory=list)

    @property
    def dims(self) -> list[Type]:
        """The type of each index; a pool's last one is the kind."""
        types: list[Type] = [dim.type for dim in self.symbol.dims]
        if isinstance(self.symbol, PoolSymbol):
            types.append(self.symbol.holds)
        return types

    @property
    def missing(self) -> list[Type]:
        """The indices that are not given yet."""
        return self.dims[len(self.indices) :]

    @property
    def is_pool(self) -> bool:
        """Whether it is a whole pool, without a kind."""
        return isinstance(self.symbol, PoolSymbol) and len(self.indices) == len(self.symbol.dims)


class Places(Routine):
    """Checks what stands left of brackets and dots."""

    def place(self, symbol: PlaceSymbol, span: Span) -> Reference:
        """A place by its bare name: where it belongs to a player, to `me`."""
        reference = Reference(symbol, span)
        if symbol.of_player and not isinstance(symbol, TableSymbol):
            owner = self.actor(
                span,
                f"`{symbol.name}` belongs to a player",
                f"say whose it is: `p.{symbol.name}`, or put it inside of `each player:`",
            )
            reference.indices.append(owner)
        return reference

    def add_indices(self, reference: Reference, indices: tuple[nodes.Expr, ...], span: Span) -> Reference | core.Expr:
        """The place with further indices, each checked against its dimension."""
        missing = reference.missing
        name = reference.symbol.name
        if len(indices) > len(missing):
            owner = " after the player" if reference.symbol.of_player and not self._is_table(reference) else ""
            takes = ", ".join(f"`{t}`" for t in missing) if missing else "no index"
            return self.error(
                codes.WRONG_INDICES,
                f"too many indices: `{name}` takes {takes}{owner}",
                span,
                notes=[(reference.symbol.span, "declared here")],
            )
        for node, type in zip(indices, missing, strict=False):
            value = self.expect(node, type, f"as an index of `{name}`")
            self._check_index(reference, value)
            reference.indices.append(value)
        reference.span = span
        return reference

    def _is_table(self, reference: Reference) -> bool:
        return isinstance(reference.symbol, TableSymbol)

    def _check_index(self, reference: Reference, value: core.Expr) -> None:
        symbol = reference.symbol
        number = len(reference.indices)
        if not isinstance(value, core.Const) or is_faulty(value):
            return
        if number == len(symbol.dims):
            if isinstance(symbol, PoolSymbol):
                self.check_held(symbol, value)
            return
        dim = symbol.dims[number]
        if isinstance(dim.type, IntType) and isinstance(value.value, int) and dim.size is not None:
            high = dim.low + dim.size - 1
            if not dim.low <= value.value <= high:
                self.error(
                    codes.OUT_OF_RANGE,
                    f"`{symbol.name}` has the indices {dim.low} to {high}, not {value.value}",
                    value.span,
                    notes=[(symbol.span, "declared here")],
                )

    def check_held(self, pool: PoolSymbol, kind: core.Expr) -> None:
        """A kind that is known must be one that the pool may hold."""
        if isinstance(kind, core.Const) and isinstance(kind.value, int) and kind.value not in pool.kinds:
            names = self.names.value_names(pool.holds)
            held = ", ".join(f"`{names[k]}`" for k in pool.kinds)
            self.error(
                codes.KIND_NOT_HELD,
                f"`{pool.name}` never holds `{names[kind.value]}`",
                kind.span,
                f"it holds {held}",
                [(pool.span, "declared here")],
            )

    def read(self, reference: Reference, reads: bool = True) -> core.Expr:
        """The value of a place with all its indices. ``reads`` False: it is only written."""
        symbol, span, indices = reference.symbol, reference.span, tuple(reference.indices)
        if any(is_faulty(i) for i in indices):
            return faulty(span)
        if reference.is_pool:
            written = self._written(reference)
            return self.error(
                codes.POOL_AS_VALUE,
                f"`{symbol.name}` is a pool of counters, not a value",
                span,
                f"write `{written}.total`, `{written}.kinds` or one kind: `{written}[kind]`",
                [(symbol.span, "declared here")],
            )
        missing = reference.missing
        if missing:
            example = ", ".join(_example(t) for t in missing)
            return self.error(
                codes.WRONG_INDICES,
                f"`{symbol.name}` needs {article(f'`{missing[0]}`') if len(missing) == 1 else 'further indices'}",
                span,
                f"write `{self._written(reference)}[{example}]`",
                [(symbol.span, "declared here")],
            )
        if isinstance(symbol, DurationSymbol):
            self.notes.used.add(symbol.name)
            message = f"`{symbol.name}` is a duration, not a value"
            hint = f"write `end {symbol.name}`, or behind a change of a query `until {symbol.name} ends`"
            return self.error(codes.WRONG_TYPE, message, span, hint, [(symbol.span, "declared here")])
        self.use(symbol, span, reads)
        match symbol:
            case VariableSymbol():
                return core.ReadCell(symbol.type, span, symbol.name, indices)
            case TableSymbol():
                return core.TableRead(symbol.type, span, symbol.name, indices)
            case ZoneSymbol():
                return core.ReadZone(ListType(symbol.holds), span, symbol.name, indices)
        return core.ReadCell(INT, span, symbol.name, indices)

    def _written(self, reference: Reference) -> str:
        """The place as the author wrote it."""
        span = reference.span
        return " ".join(span.source.text[span.start : span.end].split()) or reference.symbol.name

    def pool_of(self, reference: Reference) -> tuple[str, tuple[core.Expr, ...]]:
        """Name and indices of a whole pool that is read."""
        self.use(reference.symbol, reference.span)
        return reference.symbol.name, tuple(reference.indices)

    def pool_kinds(self, reference: Reference, span: Span) -> core.Expr:
        """The kinds in a pool."""
        assert isinstance(reference.symbol, PoolSymbol)
        return core.PoolKinds(ListType(reference.symbol.holds), span, *self.pool_of(reference))

    def pool_total(self, reference: Reference, span: Span) -> core.Expr:
        """The number of counters in a pool."""
        return core.PoolTotal(INT, span, *self.pool_of(reference))

    def place_member(self, reference: Reference, node: nodes.Member) -> Reference | core.Expr | None:
        """``pool.kind``, ``pool.total``, ``zone.top``; None where the member belongs to the place's value."""
        symbol, name, span = reference.symbol, node.name, node.span
        if isinstance(symbol, PoolSymbol) and reference.is_pool:
            if name == "total":
                return self.pool_total(reference, span)
            if name == "kinds":
                return self.pool_kinds(reference, span)
            value = self.names.value_of(symbol.holds, name)
            if value is None:
                known = ["total", "kinds", *self.names.value_names(symbol.holds)]
                return self.error(
                    codes.UNKNOWN_MEMBER,
                    f"the pool `{symbol.name}` has no `{name}`",
                    node.name_span,
                    did_you_mean(name, known) or f"it has {', '.join(f'`{k}`' for k in known)}",
                    [(symbol.span, "declared here")],
                )
            self.notes.use_value(value)
            kind = core.Const(symbol.holds, node.name_span, value.ordinal)
            self.check_held(symbol, kind)
            reference.indices.append(kind)
            reference.span = span
            return reference
        if isinstance(symbol, ZoneSymbol) and not reference.missing and name in ("top", "bottom"):
            return core.CallBuiltin(symbol.holds, span, name, (self.read(reference),))
        return None

    def written_place(self, node: nodes.Expr, verb: str) -> Reference | None:
        """The target of a statement that writes: a reference, or None after a report."""
        found = self.operand(node)
        if isinstance(found, Reference):
            return found
        assert isinstance(found, core.Expr)
        if not is_faulty(found):
            self.error(
                codes.NOT_A_PLACE,
                f"this can't be {verb}: it is {_what_it_is(found)}",
                node.span,
                self._how_to_write(found, verb),
            )
        return None

    def _how_to_write(self, value: core.Expr, verb: str) -> str:
        """What can be done about a value that can't be written."""
        durations = self.names.named(DurationSymbol)
        if isinstance(value, core.CallQuery) and durations and verb in ("set", "increased", "decreased"):
            return f"a query is changed for a time: write `until {durations[0]} ends` behind it"
        return f"only variables and zones can be {verb}"


def _what_it_is(value: core.Expr) -> str:
    match value:
        case core.Local(name=name):
            return f"`{name}`, a name for a value"
        case core.CallQuery(query=name):
            return f"the query `{name}`"
        case core.OptionValue(option=name):
            return f"the option `{name}`"
        case core.PoolTotal() | core.PoolKinds():
            return "computed from a pool"
        case core.Field(field=name):
            return f"the printed field `{name}`"
    return "a value"


def _example(type: Type) -> str:
    """A stand-in for an index in a hint."""
    if isinstance(type, EnumType | ComponentType):
        return type.name.lower()
    return "player" if isinstance(type, PlayerType) else "n"
