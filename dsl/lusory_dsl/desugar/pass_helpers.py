"""Share helpers of desugaring passes: apply a change to each block of a program, and build an effect node by node."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from .. import core
from ..core.generated_part_origins import EFFECT_COPY, Origin
from ..core.program_reads_and_value_bounds import Block
from ..source.dataclass_with_lazy_methods import replace
from ..source.source import Span
from ..types.types import BOOL, INT, ListType, PlayerType, Type

BlockChange = Callable[[Block], Block]


def map_effect_blocks(effect: core.Effect, change: BlockChange) -> core.Effect:
    """Return a new effect with ``change(block)`` in place of its body and of each body in ``instead`` and ``when``."""
    instead = tuple(replace(rule, body=change(rule.body)) for rule in effect.instead)
    when = tuple(replace(rule, body=change(rule.body)) for rule in effect.when)
    return replace(effect, body=change(effect.body), instead=instead, when=when)


def map_program_blocks(
    program: core.Program, change_effect_block: BlockChange, change_phase_block: BlockChange
) -> core.Program:
    """Return a new program with changed bodies in ``effects``, ``setup`` and ``phases``.

    ``change_effect_block(block)`` replaces ``body`` of each effect, and of its ``instead`` and ``when`` rules.
    ``change_phase_block(block)`` replaces that of the phase ``setup``, of each phase and of each subphase. A block is
    a tuple of statements, () for a phase with subphases. Blocks inside statements are left to these functions. All
    effects and phases of the result are new, and not equal to the former ones even if no block changes.
    """
    effects = {name: map_effect_blocks(effect, change_effect_block) for name, effect in program.effects.items()}
    setup, *phases = (map_phase_blocks(phase, change_phase_block) for phase in (program.setup, *program.phases))
    return replace(program, effects=effects, setup=setup, phases=tuple(phases))


def map_phase_blocks(phase: core.Phase, change: BlockChange) -> core.Phase:
    """Return a phase with ``change(block)`` in place of its body and of the bodies of its descendants."""
    children = tuple(map_phase_blocks(child, change) for child in phase.children)
    return replace(phase, body=change(phase.body), children=children)


def make_dim_values(dim: core.Dim, span: Span) -> core.Expr:
    """Return the list of all values of a dimension: ``core.Players`` for players, and otherwise a ``core.Const``.

    The value of the Const is a tuple of numbers, ``(0, 1, 2)`` for an enum of three and ``(4, 5)`` for the range 4..5.
    """
    list_type = ListType(dim.type)
    if isinstance(dim.type, PlayerType):
        return core.Players(list_type, span)
    return core.Const(list_type, span, tuple(range(dim.low, dim.low + (dim.size or 0))))


class EffectCopies:
    """Copy effects for blocks that call the copies, with other blocks, in place of the effects.

    Attributes:
        copies: The copies so far, by name. The name of a copy says where it is called.
    """

    def __init__(
        self, effects: Mapping[str, core.Effect], generator: str, place: str, is_copied: Callable[[str], bool]
    ) -> None:
        self.effects, self.generator, self.place, self.is_copied = effects, generator, place, is_copied
        self.copies: dict[str, core.Effect] = {}

    def map_block(self, block: Block) -> Block:
        """Return a block that calls copies of the effects for which ``is_copied`` holds.

        The copies are called like ``draw in the setup``, are added to ``copies``, and call copies themselves.
        """
        return tuple(self._map_statement(stmt) for stmt in block)

    def _map_statement(self, stmt: core.Stmt) -> core.Stmt:
        """Replace a call by a call of a copy of the effect, which is made if it is missing."""
        if not isinstance(stmt, core.CallEffect):
            return core.map_blocks(stmt, self.map_block)
        if not self.is_copied(stmt.effect):
            return stmt
        name = f"{stmt.effect} in {self.place}"
        if name not in self.copies:
            effect = self.effects[stmt.effect]
            origin = Origin(self.generator, stmt.effect, EFFECT_COPY) if effect.origin.is_authored else effect.origin
            self.copies[name] = replace(map_effect_blocks(effect, self.map_block), name=name, origin=origin)
        return replace(stmt, effect=name)


class NodeBuilder:
    """Build nodes with the same span, and statements and conditions with the same origin."""

    def __init__(self, span: Span, origin: Origin) -> None:
        self.span = span
        self.origin = origin

    def make_let(self, local: core.Local, value: core.Expr) -> core.Stmt:
        """Return a Let, which assigns the value of a local."""
        return core.Let(self.span, local.slot, local.name, value, origin=self.origin)

    def make_if(self, condition: core.Expr, block: Sequence[core.Stmt], otherwise: Block = ()) -> core.Stmt:
        """Return an If with one branch, which runs a block under a condition, and else ``otherwise``."""
        return core.If(self.span, ((condition, tuple(block)),), otherwise, origin=self.origin)

    def make_index_loop(
        self, number: core.Local, items: core.Expr, block: Sequence[core.Stmt], condition: core.Expr | None = None
    ) -> core.Stmt:
        """Return a ForEach over the Range from 0 to ``count(items) - 1``, which the loop evaluates once.

        ``number`` holds the position. ``condition`` becomes that of the ForEach. An empty list gives no pass.
        """
        last_position = self.make_difference(self.make_builtin_call("count", INT, items), self.make_number(1))
        numbers = core.Range(ListType(INT), self.span, self.make_number(0), last_position)
        return core.ForEach(self.span, number.slot, number.name, numbers, condition, tuple(block), origin=self.origin)

    def make_effect_call(self, effect: str, *args: core.Expr) -> core.Stmt:
        """Return a CallEffect with ``args``."""
        return core.CallEffect(self.span, effect, args, origin=self.origin)

    def make_assignment(self, variable: str, value: core.Expr, op: str = "set") -> core.Stmt:
        """Return a SetCell of a variable without indices."""
        return core.SetCell(self.span, variable, (), op, value, origin=self.origin)

    def make_builtin_call(self, name: str, type: Type, *args: core.Expr) -> core.Expr:
        """Return a CallBuiltin of the type ``type``."""
        return core.CallBuiltin(type, self.span, name, args)

    def make_number(self, value: int) -> core.Expr:
        """Return a Const of the type Int."""
        return core.Const(INT, self.span, value)

    def make_difference(self, left: core.Expr, right: core.Expr) -> core.Expr:
        """Return ``left - right``, a Binary of the type Int."""
        return core.Binary(INT, self.span, "-", left, right)

    def make_test(self, op: str, left: core.Expr, right: core.Expr) -> core.Expr:
        """Return a Binary of the type Bool: a comparison, or two conditions joined by ``and`` or ``or``."""
        return core.Binary(BOOL, self.span, op, left, right, origin=self.origin)

    def make_not(self, condition: core.Expr) -> core.Expr:
        """Return the negation of a condition, a Unary with ``not``."""
        return core.Unary(BOOL, self.span, "not", condition, origin=self.origin)

    def make_filter(self, items: core.Expr, item: core.Local, condition: core.Expr) -> core.Expr:
        """Return a Filter: the items that satisfy a condition."""
        return core.Filter(items.type, self.span, item.slot, items, condition)

    def make_map(self, items: core.Expr, item: core.Local, value: core.Expr) -> core.Expr:
        """Return a MapList without a condition: the list of a value for each item."""
        return core.MapList(ListType(value.type), self.span, item.slot, items, None, value)


class EffectBuilder(NodeBuilder):
    """Build the body of an effect. Each local gets a slot of its own.

    Attributes:
        params: The locals of the parameters, in the slots from 0.
        n_slots: The number of slots used so far.
    """

    def __init__(self, span: Span, origin: Origin, types: Sequence[Type]) -> None:
        super().__init__(span, origin)
        self.n_slots = 0
        self.params = tuple(self.make_local("given", type) for type in types)

    def build_effect(self, name: str, body: Block) -> core.Effect:
        """Return the effect called ``name``, with all parameters and slots so far. It doesn't belong to a player."""
        params = tuple(core.Param(local.slot, local.name, local.type) for local in self.params)
        return core.Effect(name, False, params, self.n_slots, body, origin=self.origin)

    def make_local(self, name: str, type: Type) -> core.Local:
        """Return a local in a fresh slot."""
        self.n_slots += 1
        return core.Local(type, self.span, self.n_slots - 1, name)

    def add_let(self, name: str, value: core.Expr, block: list[core.Stmt]) -> core.Local:
        """Return a local called ``name``, and append to ``block`` the ``Let`` that assigns ``value`` to it.

        The ``Let`` has the slot and the name of the local, not the local itself. The local has the type of ``value``.
        Its slot is ``n_slots``, which then grows by 1.
        """
        local = self.make_local(name, value.type)
        block.append(self.make_let(local, value))
        return local
