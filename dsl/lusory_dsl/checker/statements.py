"""Statements: changing places, moving things, branching, repeating. A part of the checker; yields core statements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import core
from ..effect import nodes
from ..language.types import BOOL, INT, PLAYER, ComponentType, EnumType, ListType, OptionalType, PlayerType, Type
from ..text import codes
from ..text.diagnostics import did_you_mean
from ..text.spelling import article
from .actions import Actions
from .choices import Stmts
from .names import DurationSymbol, PoolSymbol, QuerySymbol, SpanSymbol, Symbol, TableSymbol, ZoneSymbol
from .notes import TemporaryChange
from .places import Reference
from .routine import BEGUN, ENDS, HOLDS, hidden, is_faulty

MOST_BEFORE = 20
"""So many conditions before one are looked at to find out whether they cover it."""


class Statements(Actions):
    """Turns surface statements into core statements, one method a node."""

    def block(self, block: nodes.Block) -> Stmts:
        with self.frame(), self.narrowing():
            return self.statements(block)

    def statements(self, block: nodes.Block) -> Stmts:
        """The statements of a block, in the current frame."""
        found: list[core.Stmt] = []
        is_left = False
        self.names.queries.depth += 1
        for i, node in enumerate(block):
            visit: Callable[[Any], list[core.Stmt]] = getattr(self, f"_{type(node).__name__}")
            made = visit(node)
            if is_left:
                continue
            found += made
            if made and _leaves(made[-1]) and i + 1 < len(block):
                is_left = True
                word = {nodes.Stop: "`stop`", nodes.EndGame: "`end game`", nodes.If: "this `if`"}.get(
                    type(node), "this"
                )
                message = f"nothing after {word} is ever done"
                self.report.add(codes.UNREACHABLE, message, block[i + 1].span, "remove it, or put it before")
        self.names.queries.depth -= 1
        return tuple(found)

    # ------------------------------------------------------------ names and places

    def _Let(self, node: nodes.Let) -> list[core.Stmt]:
        value = self.expression(node.value)
        slot = self.bind(node.name, value.type, node.name_span)
        self.known.values[slot] = value
        return [core.Let(node.span, slot, node.name, value)]

    def _SetTo(self, node: nodes.SetTo) -> list[core.Stmt]:
        if node.until is not None:
            return self._changed_for_a_time(node, node.until)
        verb = {"set": "set", "add": "increased", "sub": "decreased"}[node.op]
        place = self.written_place(node.place, verb)
        if place is None:
            self.operand(node.value)
            return []
        symbol = place.symbol
        if isinstance(symbol, SpanSymbol):
            self.notes.used.add(symbol.name)
            message = f"the span `{symbol.name}` can't be {verb}: it falls by itself when its condition fails"
            hint = f"write `begin {symbol.name}` where it starts"
            self.error(codes.NOT_A_PLACE, message, node.place.span, hint, [(symbol.span, "declared here")])
            return []
        if isinstance(symbol, TableSymbol | ZoneSymbol):
            self.notes.used.add(symbol.name)
            hint = "declare it under `variables`" if isinstance(symbol, TableSymbol) else "use `move` and `shuffle`"
            what = "a table, which never changes" if isinstance(symbol, TableSymbol) else "a zone of components"
            message = f"`{symbol.name}` can't be {verb}: it is {what}"
            self.error(codes.NOT_A_PLACE, message, node.place.span, hint, [(symbol.span, "declared here")])
            return []
        if place.is_pool:
            self.notes.used.add(symbol.name)
            self.error(
                codes.NOT_A_PLACE,
                f"the pool `{symbol.name}` can't be {verb} as a whole",
                node.place.span,
                f"use `move`, or one kind: `{symbol.name}[kind]`",
                [(symbol.span, "declared here")],
            )
            return []
        self.notes.written.add(symbol.name)
        target = self.read(place, reads=False)
        expected = INT if node.op != "set" else getattr(symbol, "type", INT)
        if node.op != "set" and not is_faulty(target):
            self.fit(target, INT, f"to be {verb}")
        value = self.expect(node.value, expected, "to set it to" if node.op == "set" else "after `by`")
        if is_faulty(target):
            return []
        return [core.SetCell(node.span, symbol.name, tuple(place.indices), node.op, value)]

    def _changed_for_a_time(self, node: nodes.SetTo, until: nodes.Until) -> list[core.Stmt]:
        """A query that says something else until a duration ends."""
        duration = self._duration(until.duration)
        found = self.operand(node.place)
        query = found if isinstance(found, core.CallQuery) else None
        if query is None and not (isinstance(found, core.Expr) and is_faulty(found)):
            hint = "make a query of it, or set it back where the duration ends"
            self.error(codes.NOT_A_PLACE, "only queries are changed for a time, this is none", node.place.span, hint)
        type = INT if query is None or node.op != "set" else query.type
        type = type.item if isinstance(type, OptionalType) else type
        if query is not None and node.op != "set" and is_faulty(self.fit(query, INT, "to be changed by a number")):
            query = None
        value = self.expect(node.value, type, "to set it to" if node.op == "set" else "after `by`")
        if until.layer is not None and until.layer not in self.names.layers:
            hint = did_you_mean(until.layer, self.names.layers) or "list it under `layers`"
            self.error(codes.UNKNOWN_NAME, f"there is no layer `{until.layer}`", until.layer_span or until.span, hint)
        self.notes.used_layers.update([until.layer] if until.layer is not None else [])
        timed = None if duration is None or query is None else self._timed(query, duration.symbol, node, until, type)
        if timed is None or duration is None or query is None or is_faulty(value):
            return []
        owner, span = tuple(duration.indices), node.span
        begun = core.SetCell(span, hidden(timed.duration, BEGUN), owner, "set", core.Const(BOOL, span, True))
        return [core.SetCell(span, timed.variable, (*owner, *query.args), node.op, value), begun]

    def _timed(
        self, query: core.CallQuery, duration: Symbol, node: nodes.SetTo, until: nodes.Until, type: Type
    ) -> TemporaryChange | None:
        """The variable that keeps such changes: one number for each value of the query's parameters."""
        symbol = self.names.symbols[query.query]
        assert isinstance(symbol, QuerySymbol) and isinstance(duration, DurationSymbol)
        dims = [*duration.dims, *([core.Dim(PLAYER)] if symbol.per_player else [])]
        for name, of in symbol.params:
            dim = self.names.dimension(of)
            if dim is None:
                message = f"`{symbol.name}` can't be changed for a time: its `{name}` is {article(f'`{of}`')}"
                hint = "that is kept for players, cards and values of enums"
                self.error(codes.BAD_DIMENSION, message, node.place.span, hint, [(symbol.span, "declared here")])
                return None
            dims.append(dim)
        op = "set" if node.op == "set" else "add"
        words = (duration.name, query.query.replace(".", "_"), *([until.layer] if until.layer else []))
        name = hidden("_".join(words), "Set" if op == "set" else "Added")
        timed = TemporaryChange(
            query.query, duration.name, op, type, until.layer, name, tuple(dims), duration.of_player, node.span
        )
        return self.notes.temporary.setdefault(name, timed)

    def _duration(self, node: nodes.Expr) -> Reference | None:
        place = self.written_place(node, "ended")
        if place is None or isinstance(place.symbol, DurationSymbol):
            if place is not None:
                self.notes.used.add(place.symbol.name)
            return None if place is None or any(map(is_faulty, place.indices)) else place
        self.notes.used.add(place.symbol.name)
        message = f"only durations end; `{place.symbol.name}` is {article(place.symbol.what)}"
        notes = [(place.symbol.span, "declared here")]
        self.error(codes.NOT_A_PLACE, message, node.span, "declare it under `durations`", notes)
        return None

    def _EndDuration(self, node: nodes.EndDuration) -> list[core.Stmt]:
        word = node.duration
        if isinstance(word, nodes.Name) and not self.locals.find(word.name) and word.name not in self.names.symbols:
            hint = (
                did_you_mean(word.name, ["game", *self.names.named(DurationSymbol)]) or "declare it under `durations`"
            )
            self.error(codes.UNKNOWN_NAME, f"there is no duration `{word.name}`", word.span, hint)
            return []
        duration = self._duration(node.duration)
        if duration is None:
            return []
        return [core.CallEffect(node.span, hidden(duration.symbol.name, ENDS), tuple(duration.indices))]

    def _Shuffle(self, node: nodes.Shuffle) -> list[core.Stmt]:
        zone = self._zone(node.zone, "shuffled")
        if zone is None:
            return []
        self.notes.used.add(zone.symbol.name)
        return [core.Shuffle(node.span, zone.symbol.name, tuple(zone.indices), "setup" if self.setup else "shuffle")]

    def _zone(self, node: nodes.Expr, verb: str) -> Reference | None:
        """An ordered zone with all its indices, or None after a report."""
        place = self.written_place(node, verb)
        if place is None:
            return None
        symbol = place.symbol
        if not isinstance(symbol, ZoneSymbol):
            self.notes.used.add(symbol.name)
            self.error(
                codes.NOT_A_PLACE,
                f"only a zone of components can be {verb}; `{symbol.name}` is {article(symbol.what)}",
                node.span,
                notes=[(symbol.span, "declared here")],
            )
            return None
        if place.missing:
            self.read(place)
            return None
        return place

    # ------------------------------------------------------------ moves

    def _MoveCount(self, node: nodes.MoveCount) -> list[core.Stmt]:
        source, target = self.written_place(node.source, "moved from"), self.written_place(node.target, "moved to")
        if source is None or target is None:
            return []
        if isinstance(source.symbol, ZoneSymbol) and node.amount is None and node.kind is None:
            return self._move(node, self.read(source), target, "bottom")
        for place in (source, target):
            self.notes.used.add(place.symbol.name)
            if not self._is_whole_pool(place):
                return []
        assert isinstance(source.symbol, PoolSymbol) and isinstance(target.symbol, PoolSymbol)
        amount = None if node.amount is None else self.expect(node.amount, INT, "as an amount")
        kind = None if node.kind is None else self.expect(node.kind, source.symbol.holds, "as what is moved")
        if source.symbol.holds != target.symbol.holds:
            self._incompatible(node, source, target, f"`{source.symbol.holds}`", f"`{target.symbol.holds}`")
            return []
        if kind is not None:
            self.check_held(source.symbol, kind)
            self.check_held(target.symbol, kind)
        elif not set(source.symbol.kinds) <= set(target.symbol.kinds):
            names = self.names.value_names(source.symbol.holds)
            extra = names[next(k for k in source.symbol.kinds if k not in target.symbol.kinds)]
            self._incompatible(node, source, target, f"`{extra}` too", f"no `{extra}`")
        where = (source.symbol.name, tuple(source.indices), target.symbol.name, tuple(target.indices))
        return [core.MoveCount(node.span, kind, amount, *where)]

    def _is_whole_pool(self, place: Reference) -> bool:
        symbol = place.symbol
        if place.is_pool:
            return True
        if not isinstance(symbol, PoolSymbol):
            hint = "components are moved as values: `move card to zone`" if isinstance(symbol, ZoneSymbol) else None
            message = f"counters move between pools; `{symbol.name}` is {article(symbol.what)}"
            self.error(codes.NOT_A_PLACE, message, place.span, hint, [(symbol.span, "declared here")])
        elif place.missing:
            missing = ", ".join(f"`{t}`" for t in place.missing[:-1])
            message = f"the pool `{symbol.name}` needs the index {missing}"
            self.error(codes.WRONG_INDICES, message, place.span, notes=[(symbol.span, "declared here")])
        else:
            message = "a move names the kind before `from`, and whole pools"
            hint = f"write `move 1 kind from {symbol.name} to …`"
            self.error(codes.WRONG_INDICES, message, place.span, hint, [(symbol.span, "declared here")])
        return False

    def _incompatible(
        self, node: nodes.Stmt, source: Reference, target: Reference, from_holds: str, to_holds: str
    ) -> None:
        a, b = source.symbol, target.symbol
        self.error(
            codes.INCOMPATIBLE_ZONES,
            f"`{a.name}` holds {from_holds}, `{b.name}` holds {to_holds}",
            node.span,
            notes=[(a.span, f"`{a.name}` declared here"), (b.span, f"`{b.name}` declared here")],
        )

    def _MoveCards(self, node: nodes.MoveCards) -> list[core.Stmt]:
        found = self.operand(node.cards)
        if isinstance(found, Reference) and found.is_pool:
            self.notes.used.add(found.symbol.name)
            hint = f"write `move all from {found.symbol.name} to …`"
            self.error(codes.POOL_AS_VALUE, "this is a pool of counters", node.cards.span, hint)
            return []
        cards = self.read(found) if isinstance(found, Reference) else found
        target = self._zone(node.target, "moved to")
        return [] if target is None else self._move(node, cards, target, node.position)

    def _move(self, node: nodes.Stmt, cards: core.Expr, target: Reference, position: str) -> list[core.Stmt]:
        zone = target.symbol
        self.notes.used.add(zone.name)
        kind = cards.type
        if isinstance(kind, ListType | OptionalType):
            kind = kind.item
        if isinstance(kind, OptionalType):
            kind = kind.item
        if not isinstance(zone, ZoneSymbol):
            self.error(codes.NOT_A_PLACE, f"`{zone.name}` is {article(zone.what)}, not a zone", target.span)
            return []
        if is_faulty(cards):
            return []
        if not isinstance(kind, ComponentType):
            hint = (
                "counters are moved by number: `move 1 kind from pool to pool`" if isinstance(kind, EnumType) else None
            )
            message = f"only components move to a zone, this is {article(f'`{cards.type}`')}"
            self.error(codes.WRONG_TYPE, message, cards.span, hint)
            return []
        if kind != zone.holds:
            self.error(
                codes.INCOMPATIBLE_ZONES,
                f"`{zone.name}` holds `{zone.holds}`, this is {article(f'`{kind}`')}",
                cards.span,
                notes=[(zone.span, "declared here")],
            )
            return []
        return [core.MoveCards(node.span, cards, zone.name, tuple(target.indices), position)]

    # ------------------------------------------------------------ branches and loops

    def _If(self, node: nodes.If) -> list[core.Stmt]:
        branches: list[tuple[core.Expr, Stmts]] = []
        with self.narrowing():
            for written, body in node.branches:
                condition = self.condition(written, before=[c for c, _ in branches[-MOST_BEFORE:]])
                with self.narrowing():
                    self.assume(condition, True)
                    branches.append((condition, self.block(body)))
                self.assume(condition, False)
            otherwise = self.block(node.otherwise)
        return [core.If(node.span, tuple(branches), otherwise)]

    def _ForEach(self, node: nodes.ForEach) -> list[core.Stmt]:
        with self.each_item(node) as (slot, source, condition):
            body = self.looped(node.body)
        return [core.ForEach(node.span, slot, node.name, source, condition, body)]

    def looped(self, body: nodes.Block) -> Stmts:
        """The block of a loop, in which `stop` is good."""
        self.loops += 1
        found = self.block(body)
        self.loops -= 1
        return found

    def _EachPlayer(self, node: nodes.EachPlayer) -> list[core.Stmt]:
        players = ListType(PLAYER)
        source: core.Expr = core.Players(players, node.span)
        backwards = node.direction == "anticlockwise"
        if node.source is not None:
            source = self._player_list(node.source)
        elif node.start is not None:
            start = self.expect(node.start, PLAYER, "after `from`")
            source = core.CallBuiltin(players, node.span, f"{node.direction or 'clockwise'}_from", (start,))
        elif backwards:
            source = core.CallBuiltin(players, node.span, "reverse", (source,))
        with self.frame(), self.narrowing():
            slot = self.bind_me(node.span)
            condition = self.item_condition(node.condition, slot, PLAYER)
            body = self.looped(node.body)
        return [core.ForEach(node.span, slot, "me", source, condition, body)]

    def _player_list(self, node: nodes.Expr) -> core.Expr:
        source = self.list_value(node, ListType(PLAYER))
        return self.fit(source, ListType(PLAYER), "after `in`")

    def _By(self, node: nodes.By) -> list[core.Stmt]:
        player = self.expect(node.player, PLAYER, "after `by`")
        with self.frame(), self.narrowing():
            slot = self.bind_me(node.span)
            body = self.block(node.body)
        return [core.Let(node.span, slot, "me", player), *body]

    def _Privately(self, node: nodes.Privately) -> list[core.Stmt]:
        first = self.notes.sites
        body = self.block(node.body)
        self.notes.private_sites.update(range(first, self.notes.sites))
        return list(body)

    def _Repeat(self, node: nodes.Repeat) -> list[core.Stmt]:
        times = None if node.times is None else self.expect(node.times, INT, "as a number of times")
        condition = None if node.condition is None else self.condition(node.condition)
        if condition is not None and node.until:
            condition = core.Unary(BOOL, condition.span, "not", condition)
        bound = None if node.bound is None else self.expect(node.bound, INT, "after `at most`")
        with self.narrowing():
            if condition is not None:
                self.assume(condition, True)
            body = self.looped(node.body)
        return [core.Repeat(node.span, times, condition, bound, body)]

    def _Stop(self, node: nodes.Stop) -> list[core.Stmt]:
        if not self.loops:
            hint = "`stop` leaves the innermost `for each`, `each player` or `repeat`; the game ends with `end game`"
            self.error(codes.STOP_OUTSIDE_LOOP, "there is no loop to stop here", node.span, hint)
        return [core.Stop(node.span)]

    # ------------------------------------------------------------ effects, log and end

    def _Do(self, node: nodes.Do) -> list[core.Stmt]:
        return self.effect_call(node.call)

    def _Announce(self, node: nodes.Announce) -> list[core.Stmt]:
        text = self.template(node.text)
        if node.to is None:
            return [core.Announce(node.span, text, None)]
        to = self.expression(node.to, ListType(PLAYER))
        if isinstance(to.type, PlayerType):
            to = core.ListLit(ListType(PLAYER), to.span, (to,))
        return [core.Announce(node.span, text, self.fit(to, ListType(PLAYER), "after `to`"))]

    def _EndGame(self, node: nodes.EndGame) -> list[core.Stmt]:
        before: list[core.Stmt] = []
        if node.chart is not None:
            before += self._by_chart(node.chart)
        if node.players is not None:
            before += self._for_players(node.players)
        return [*before, core.EndGame(node.span, None if node.reason is None else self.template(node.reason))]

    def _by_chart(self, name: nodes.Name) -> list[core.Stmt]:
        """Notes the chart that an ending uses."""
        charts = list(self.names.charts)
        if name.name not in charts:
            hint = did_you_mean(name.name, charts) or "declare it under `charts` of `scoring`"
            self.error(codes.UNKNOWN_NAME, f"there is no chart `{name.name}`", name.span, hint)
            return []
        self.notes.used_charts.add(name.name)
        return [
            core.SetCell(name.span, core.ENDING, (), "set", core.Const(INT, name.span, 1 + charts.index(name.name)))
        ]

    def _for_players(self, node: nodes.Expr) -> list[core.Stmt]:
        """Notes who can win: those that are named."""
        named = self.expression(node, ListType(PLAYER))
        if isinstance(named.type, PlayerType):
            named = core.ListLit(ListType(PLAYER), named.span, (named,))
        named = self.fit(named, ListType(PLAYER), "after `for`")
        self.notes.ends_for_some = True
        span = node.span
        chosen = core.Local(ListType(PLAYER), span, self.locals.slot(), "named")
        player = core.Local(PLAYER, span, self.locals.slot(), "player")
        can_win = core.Binary(BOOL, span, "in", player, chosen)
        note = core.SetCell(span, core.CAN_WIN, (player,), "set", can_win)
        everybody = core.Players(ListType(PLAYER), span)
        each = core.ForEach(span, player.slot, "player", everybody, None, (note,))
        return [core.Let(span, chosen.slot, "named", named), each]

    # ------------------------------------------------------------ spans

    def _Begin(self, node: nodes.Begin) -> list[core.Stmt]:
        place = self.written_place(node.place, "begun")
        if place is None:
            return []
        symbol, span = place.symbol, node.span
        if not isinstance(symbol, SpanSymbol):
            self.notes.used.add(symbol.name)
            message = f"only spans are begun; `{symbol.name}` is {article(symbol.what)}"
            hint = "declare it under `spans`"
            self.error(codes.NOT_A_PLACE, message, node.place.span, hint, [(symbol.span, "declared here")])
            return []
        target = self.read(place, reads=False)
        self.notes.begun.add(symbol.name)
        self.notes.graph.call(self.owner, f"span {symbol.name}", span)
        if is_faulty(target):
            return []
        indices = tuple(place.indices)
        holds = core.CallQuery(BOOL, span, hidden(symbol.name, HOLDS), indices)
        return [core.SetCell(span, symbol.name, indices, "set", holds)]


def _leaves(stmt: core.Stmt) -> bool:
    """Whether nothing that follows a statement in its block is ever done."""
    if isinstance(stmt, core.If):
        blocks = (*(body for _, body in stmt.branches), stmt.otherwise)
        return all(block and _leaves(block[-1]) for block in blocks)
    return isinstance(stmt, core.Stop | core.EndGame)
