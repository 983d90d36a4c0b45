"""Whole games in one function: random play that never leaves generated code.

``playout(rnd, c, z)`` plays from the start position ``c``, ``z`` (both are used up) to the end and returns
``(decisions, rank of each seat, payoff of each seat or None, end reason)``. ``rnd`` gives floats in 0 … 1; option
``int(rnd() * n)`` of n is taken at every decision, the same numbering as in stepwise play. Variables and pools are
local variables of the function (a list where they have dimensions); cards, chance and the rest stay in ``c`` and ``z``.
"""

from __future__ import annotations

from typing import Any

from lusory_dsl import core

from .choosing import ChoiceEmitter
from .expressions import Masked
from .lowering import FramedAsk, FramedAskMany, LoweredGame, Lowerer
from .statements import NOWHERE, Mapped, Writer, for_build


class LocalStorage:
    """Each place a local variable: a plain value, or a list where the place has dimensions."""

    def __init__(self, scalars: set[str]) -> None:
        self.scalars = scalars

    def cell(self, place: str, index: str) -> str:
        return f"p_{place}" if place in self.scalars else f"p_{place}[{index}]"

    def zone(self, index: str) -> str:
        return f"z[{index}]"


class PlayoutEmitter(ChoiceEmitter):
    """Emits the playout function."""

    def __init__(self, lowerer: Lowerer, layout: Any, tables: Any) -> None:
        scalars = {name for name, place in layout.places.items() if not place.dims}
        super().__init__(lowerer, layout, tables, LocalStorage(scalars))
        self.scalars = scalars
        self.out = Writer(self)
        self.result = ""

    def local(self, slot: int) -> str:
        return self.name(slot)

    def stream(self, name: str) -> str:
        return str(self.layout.streams[name])

    def count_pass(self) -> None:
        self.out.line("passes -= 1")
        self.out.line("if passes < 0: too_many_passes()")

    def game(self, game: LoweredGame) -> list[tuple[str, Mapped]]:
        """Emit everything; the lines of the module."""
        out = self.out
        for name, place in self.layout.places.items():
            if name in self.scalars:
                out.line(f"p_{name} = c[{place.offset}]")
            else:
                out.line(f"p_{name} = c[{place.offset}:{place.offset + place.size}]")
        out.line("d = 0")
        out.line(f"passes = {MOST_PASSES}")
        ranks = ["(" + "".join(f"{self.code(e)}, " for e in seat).strip() + ")" for seat in game.rank]
        payoff = "None"
        if game.payoff is not None:
            payoff = "(" + "".join(f"{self.code(e)}, " for e in game.payoff).strip() + ")"
        self.result = f"return d, ({', '.join(ranks)},), {payoff}, "
        for phase in (game.setup, *game.phases):
            self.phase(phase)
        out.line(f"{self.result}None")
        return [("", NOWHERE), ("def playout(rnd, c, z):", NOWHERE)] + [
            ("    " * line.indent + line.text, line.place) for line in for_build(out.lines, "silent")
        ]

    def phase(self, phase: core.Phase) -> None:
        before, self.trail = self.trail, (*self.trail, phase.id)
        out = self.out
        out.span = phase.span
        nested = 0
        if phase.condition is not None:
            out.line(f"if {self.code(phase.condition)}:")
            out.indent += 1
            nested += 1
        if phase.repeat is not None:
            counter = self.temporary()
            out.line(f"{counter} = 0")
            out.line(f"while {self.code(phase.repeat)}:")
            out.indent += 1
            nested += 1
            out.line(f"if {counter} >= {phase.bound}: bound_exceeded({phase.bound})")
            out.line(f"{counter} += 1")
        self.block(phase.body)
        for child in phase.children:
            self.phase(child)
        out.indent -= nested
        self.trail = before

    def end_game(self, s: core.EndGame) -> None:
        reason = "None" if s.reason is None else self.code(s.reason)
        self.out.line(f"{self.result}{reason}")

    # ------------------------------------------------------------ choices

    def _s_framedask(self, s: FramedAsk) -> None:
        named = self.named_alternatives(s)
        if named is not None:
            self._named(s, named)
            return
        plan = self.plan(s)
        if plan is None:
            self._listed(s)
            return
        out = self.out
        names, count, fixed = self.measure(plan)
        body = plan.alternative.body
        if fixed is not None and fixed > 1:
            out.line("d += 1")
            self._decode_random(plan, names, str(fixed))
            self.block(body)
            return
        n, i = self.temporary(), self.temporary()
        out.line(f"{n} = {count}")
        out.line(f"if {n} > 1:")
        with out.deeper():
            out.line("d += 1")
            out.line(f"{i} = int(rnd() * {n})")
            self.decode(plan, names, i)
        out.line(f"elif {n}:" if s.otherwise or body else "else:")
        with out.deeper():
            self.decode(plan, names, None)
        if s.otherwise or body:
            out.line(f"if {n}:")
            with out.deeper():
                self.block(body)
            if s.otherwise:
                out.line("else:")
                with out.deeper():
                    self.block(s.otherwise)

    def _named(self, s: FramedAsk, named: Masked) -> None:
        out = self.out
        which = self.temporary()
        if named.certain:
            out.line("d += 1")
            out.line(f"{which} = int(rnd() * {len(named.items)})")
        else:
            numbers = self.temporary()
            out.line(f"{numbers} = {self.by_mask(named)}")
            empty = all(c is not None for c in named.conditions)
            out.line(f"if len({numbers}) > 1:")
            with out.deeper():
                out.line("d += 1")
                out.line(f"{which} = {numbers}[int(rnd() * len({numbers}))]")
            out.line("else:")
            with out.deeper():
                out.line(f"{which} = {numbers}[0]" + (f" if {numbers} else -1" if empty else ""))
            if empty and s.otherwise:
                out.line(f"if {which} < 0:")
                with out.deeper():
                    self.block(s.otherwise)
        word = "if"
        for position, number in enumerate(named.items):
            last = position == len(named.items) - 1 and named.certain
            out.line("else:" if last else f"{word} {which} == {position if named.certain else number}:")
            with out.deeper():
                self.block(s.alternatives[number].body)
            word = "elif"

    def _decode_random(self, plan: Any, names: list[str | None], count: str) -> None:
        i = self.temporary()
        self.out.line(f"{i} = int(rnd() * {count})")
        self.decode(plan, names, i)

    def _listed(self, s: FramedAsk) -> None:
        out = self.out
        options, values = self.temporary(), self.temporary()
        self.list_options(s, options)
        out.line(f"if {options}:")
        with out.deeper():
            which = self.temporary()
            out.line(f"if len({options}) > 1:")
            with out.deeper():
                out.line("d += 1")
                out.line(f"{which}, {values} = {options}[int(rnd() * len({options}))]")
            out.line("else:")
            with out.deeper():
                out.line(f"{which}, {values} = {options}[0]")
            word = "if"
            for number, a in enumerate(s.alternatives):
                alone = len(s.alternatives) == 1
                if not alone:
                    out.line(f"{word} {which} == {number}:")
                    out.indent += 1
                for position, v in enumerate(a.vars):
                    self.bound_by(v.slot, v.domain)
                    self.assign(v.slot, f"{values}[{position}]")
                self.block(a.body)
                if not alone:
                    out.indent -= 1
                word = "elif"
        if s.otherwise:
            out.line("else:")
            with out.deeper():
                self.block(s.otherwise)

    def _s_framedaskmany(self, s: FramedAskMany) -> None:
        out = self.out
        source, low, high, picked, found = (self.temporary() for _ in range(5))
        from_list = s.source
        if s.condition is not None:
            from_list = core.Filter(s.source.type, s.span, s.item_slot, s.source, s.condition)
        out.line(f"{source} = {self.code(from_list)}")
        out.line(f"{low} = min({self.code(s.low)}, len({source}))")
        out.line(f"{high} = min({self.code(s.high)}, len({source}))")
        out.line(f"{picked} = ()")
        out.line(f"while len({picked}) < {high}:")
        with out.deeper():
            out.line(f"{found} = picks_left({source}, {picked}, {low}, {s.ordered})")
            out.line(f"if not {found}: break")
            out.line(f"if len({picked}) >= {low}: {found}.insert(0, -1)")
            i = self.temporary()
            out.line(f"{i} = 0")
            out.line(f"if len({found}) > 1:")
            with out.deeper():
                out.line("d += 1")
                out.line(f"{i} = int(rnd() * len({found}))")
            out.line(f"if {found}[{i}] < 0: break")
            out.line(f"{picked} = (*{picked}, {found}[{i}])")
        self.assign(s.slot, f"tuple([{source}[i] for i in {picked}])")


MOST_PASSES = 10_000_000  # of counted loops in a whole game
