"""A place on its way to a value: what is named, and the indices that are given so far."""

from __future__ import annotations

from .. import core
from ..language.types import Type
from ..text.records import dataclass, field
from ..text.source import Span
from .names import PlaceSymbol, PoolSymbol


@dataclass(eq=False)
class Reference:
    """A place on its way to a value: the symbol and the indices given so far. ``whole``: no further index fits."""

    symbol: PlaceSymbol
    span: Span
    indices: list[core.Expr] = field(default_factory=list)

    @property
    def dims(self) -> list[Type]:
        """The type of each index; a pool's last one is the kind."""
        types: list[Type] = [dim.given for dim in self.symbol.dims]
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
