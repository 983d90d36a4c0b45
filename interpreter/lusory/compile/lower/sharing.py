"""Which effects and queries are written out at every place that uses them, and which become one routine of their own.

Writing out is fast: constants meet conditions, nothing is passed. But what is large and used at several places would
be copied, and what it uses with it, so that text could double with every layer of effects. So: what is larger than
:data:`SHARE_SIZE` with all that is written out inside it, and is used more than once, is shared, and so is what is
nested too deeply for one Python function. Every place of use then costs at most that size: text grows as the ruleset
does. Made for lowering, once for a program.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from lusory_dsl import core
from lusory_dsl.core import Expr, Stmt, children

from ...table.phases import all_phases

SHARE_SIZE = 150  # nodes of the core language
SHARE_USES = 2  # places in the ruleset
SHARE_DEPTH = 8  # blocks inside blocks (Python allows 20 loops in one another)
SHARE_NESTING = 40  # expressions inside expressions (Python allows 200 brackets in one another)

Key = tuple[str, str]  # ("effect" | "query", name)


def shared_routines(program: core.Program) -> frozenset[Key]:
    """The effects and queries of a program that are not written out where they are used."""
    return _found(program, SHARE_SIZE, SHARE_USES, SHARE_DEPTH, SHARE_NESTING)


@lru_cache(maxsize=4)
def _found(program: core.Program, *limits: int) -> frozenset[Key]:
    """What is found does not depend on players and options: games of one program need it once."""
    return _Sharing(program).found


class _Size(NamedTuple):
    """How much is written out: nodes, blocks in one another, expressions in one another."""

    nodes: int = 1
    depth: int = 0
    nesting: int = 0


class _Sharing:
    """Sizes and uses, from the routines that use nothing upwards (nothing recurses)."""

    def __init__(self, program: core.Program) -> None:
        self.program = program
        self.uses: dict[Key, int] = {}
        self.sizes: dict[Key, _Size] = {}
        keys: list[Key] = [*(("effect", e) for e in program.effects), *(("query", q) for q in program.queries)]
        for key in keys:
            for part in self._parts(key):
                self._count(part, 1)
        for phase in all_phases(program):
            for node in (phase.condition, phase.repeat, *phase.body):
                self._count(node, 1)
        scoring = program.scoring
        for e in (*scoring.rank, scoring.payoff, *(e for _, e in scoring.shown), program.advice.value):
            self._count(e, 2)  # for each player
        for key in keys:
            self._measured(key)
        self.found = frozenset(key for key, size in self.sizes.items() if self._too_large(key, size))

    def _parts(self, key: Key) -> Iterator[Expr | Stmt]:
        """What is written out for a use: the routine and the rules that answer to it."""
        kind, name = key
        if kind == "query":
            query = self.program.queries[name]
            yield query.value
            for modifier in query.modifiers:
                for _ in modifier.copies or (None,):
                    yield modifier.condition
                    yield modifier.value
            return
        effect = self.program.effects[name]
        yield from effect.body
        for rule in core.rules_of(effect):
            if rule.condition is not None:
                yield rule.condition
            yield from rule.body

    def _count(self, node: object, times: int) -> None:
        if node is None:
            return
        key = _called(node)
        if key is not None:
            self.uses[key] = self.uses.get(key, 0) + times
        for child in children(node):
            self._count(child, times)

    def _measured(self, key: Key) -> _Size:
        """The size of one use of a routine."""
        if key not in self.sizes:
            self.sizes[key] = _together([self._size(part) for part in self._parts(key)])
        size = self.sizes[key]
        return _Size() if self._too_large(key, size) else size

    def _too_large(self, key: Key, size: _Size) -> bool:
        is_large = size.nodes > SHARE_SIZE and self.uses.get(key, 0) >= SHARE_USES
        return is_large or size.depth > SHARE_DEPTH or (key[0] == "query" and size.nesting > SHARE_NESTING)

    def _size(self, node: object) -> _Size:
        size = _together([self._size(child) for child in children(node)])
        key = _called(node)
        if key is not None:
            inner = self._measured(key)
            deepest = max(size.depth, inner.depth), max(size.nesting, inner.nesting) + 1
            return _Size(size.nodes + inner.nodes, *deepest)
        is_block = isinstance(node, Stmt) and bool(core.blocks(node))
        is_block = is_block and not isinstance(node, core.DoByCard)  # becomes tests in pairs, of which few are nested
        return _Size(size.nodes, size.depth + is_block, size.nesting + 1 if isinstance(node, Expr) else 0)


def _together(sizes: list[_Size]) -> _Size:
    """A node that holds others of these sizes, but for what it adds to the depth."""
    nodes = 1 + sum(size.nodes for size in sizes)
    return _Size(nodes, max((s.depth for s in sizes), default=0), max((s.nesting for s in sizes), default=0))


def _called(node: object) -> Key | None:
    if isinstance(node, core.CallEffect):
        return "effect", node.effect
    if isinstance(node, core.CallQuery):
        return "query", node.query
    return None
