"""Whole games in one function: random play that never leaves generated code.

``playout(rnd, seed, table)`` plays a game to the end and returns ``(decisions, rank of each seat, payoff of each seat
or None, end reason, columns of the final table)``, the columns only with ``table``. ``rnd`` gives floats in 0 … 1;
option ``int(rnd() * n)`` of n is taken at every decision, the same numbering as in stepwise play. Everything is a local
variable of the function: a variable or pool (a list where it has dimensions that are not always constants), a card
zone, a random stream. What nobody reads is not kept.
"""

from __future__ import annotations

import re
from typing import Any

from lusory_dsl import core
from lusory_dsl.core import Expr, Local, Stmt, walk
from lusory_dsl.language.types import IntType

from ...table.chance import FACTOR, LOW, MASK, SPREAD, STEP, name as stream_name
from ...table.state import STREAMS, State
from ..lower.lowered import EffectRoutine, FramedAsk, FramedAskMany, LoweredGame, Routine
from ..lower.lowering import Lowerer
from ..lower.shapes import named_once, shape
from ..python.support import UNTIL
from ..python.writing import literal, outside_literals
from .choosing import ChoiceEmitter
from .lists import SHARED, Masked
from .statements import CALLED, NOWHERE, Line, Mapped, Writer, for_build
from .storage import FlatStorage, LocalStorage, local_names


class PlayoutEmitter(ChoiceEmitter):
    """Emits the playout function. ``initial``: the position before the setup."""

    def __init__(self, lowerer: Lowerer, layout: Any, tables: Any, initial: State) -> None:
        scalars = {name for name, place in layout.places.items() if not place.dims}
        self.places = LocalStorage(
            local_names(layout), scalars, FlatStorage({n: p.offset for n, p in layout.places.items()})
        )
        super().__init__(lowerer, layout, tables, self.places)
        self.initial = initial
        self.out = Writer(self)
        self.results: tuple[Expr, ...] = ()
        self.columns: list[list[str | Expr]] = []
        self.result = ""
        self.decisions, self.work, self.until = "d", "work", "until"
        self.limits = lowerer.limits
        self.until_first = min(self.limits.decision, self.limits.game)
        self.limited = lowerer.charges.most > min(self.limits.decision, self.limits.game)
        self.routed_streams: set[str] = set()
        self.routine: Routine | None = None  # that is being written

    def local(self, slot: int) -> str:
        return self.name(slot)

    def stream(self, name: str) -> str:
        return f"c[{self.layout.streams[name]}]" if name in self.routed_streams else f"S_{name}"

    def spend(self, work: int, checked: bool) -> None:
        if self.limited:
            super().spend(work, checked)

    def count_decision(self) -> None:
        """Count a decision, from which work is counted anew."""
        self.out.line(f"{self.decisions} += 1")
        if self.limited:
            self.out.line(f"{self.until} = {self.work} + {self.limits.decision}")
            late = self.limits.game - self.limits.decision
            self.out.line(f"if {self.work} > {late}: {self.until} = {self.limits.game}")

    def game(self, game: LoweredGame) -> list[tuple[str, Mapped]]:
        """Emit everything; the lines of the module."""
        self._route(game.routines)
        self._name_results(game)
        for phase in (game.setup, *game.phases):
            self.phase(phase)
        self._finish("None")
        functions = [("def playout(rnd, seed, table):", self.out.lines)]
        functions += [self._routine(routine) for routine in game.routines]
        everywhere = [line for _, lines in functions for line in lines]
        looked_for = self.locates or any(line.text.startswith("move_card") for line in everywhere)
        text: list[tuple[str, Mapped]] = []
        for number, (header, lines) in enumerate(functions):
            body = for_build([line for line in lines if looked_for or line.build != LOCATED], "silent", LOCATED)
            beginning = [] if number else self._beginning(body)
            text += [("", NOWHERE), (header, NOWHERE)]
            text += [("    " * line.indent + line.text, line.place) for line in (*beginning, *body)]
        return text

    # ------------------------------------------------------------ routines

    def _route(self, routines: tuple[Routine, ...]) -> None:
        """Find what shared routines touch: that lives in ``c``, which they get."""
        for routine in routines:
            for top in (*routine.body, *([routine.value] if routine.value is not None else [])):
                for node in walk(top):
                    if isinstance(node, Expr | Stmt):
                        touched = core.reads(node) if isinstance(node, Expr) else core.writes(node)
                        self.places.routed |= self.layout.places.keys() & touched
                    if isinstance(node, core.Random | core.Shuffle):
                        self.routed_streams.add(node.stream)
            if routine.value is None:
                self.decisions, self.work = f"c[{self.layout.size}]", f"c[{self.layout.work}]"
                self.until = f"c[{self.layout.size + UNTIL}]"

    def _routine(self, routine: Routine) -> tuple[str, list[Line]]:
        self.out = Writer(self)
        self.routine, self.places.inside = routine, True
        parameters = "".join(f", {self.name(slot)}" for slot in routine.params)
        if routine.value is not None:
            self.trail = (CALLED,)
            with self.looping(SHARED):
                self.out.line(f"return {self.code(routine.value)}")
            return f"def value{routine.number}(c, z{parameters}):", self.out.lines
        self.trail = (CALLED, routine.name) if routine.name else (CALLED,)
        self.block(routine.body)
        if not self.out.lines:
            self.out.line("pass")
        return f"def effect{routine.number}(rnd, c, z{parameters}):", self.out.lines

    def _s_effectroutine(self, s: EffectRoutine) -> None:
        arguments = ", ".join(["rnd", "c", "z", *(self.code(a) for a in s.args)])
        self.out.line(f"effect{s.routine.number}({arguments})")
        if s.routine.ends:
            self.out.line(f"if c[{self.layout.over}]:")
            with self.out.deeper():
                if self.routine is not None:
                    self.out.line("return")
                else:
                    self._finish(f"c[{self.layout.reason}]")

    def _beginning(self, body: list[Line]) -> list[Line]:
        """The local variables that a body uses, at their start values."""
        used = set(re.findall(r"[A-Za-z_]\w*", outside_literals("\n".join(line.text for line in body))))
        text = [] if "c" in self.decisions else ["d = 0"]
        if "work" in used:
            text.append(f"work, until = 0, {self.until_first}")
        cells = self.initial.cells
        for name, place in self.layout.places.items():
            if (own := self.places.names[name]) in used:
                values = [literal(value) for value in cells[place.offset : place.offset + place.size]]
                text.append(f"{own} = [{', '.join(values)}]" if place.dims else f"{own} = {values[0]}")
        for number, zone in enumerate(self.initial.zones):
            if f"Z{number}" in used or "z" in used:
                text.append(f"Z{number} = {zone}")
        if "z" in used:
            text.append(f"z = [{', '.join(f'Z{n}' for n in range(len(self.initial.zones)))}]")
        if "c" in used:
            # as support has them, with the decisions in place of the choice that waits
            behind = 0, None, self.until_first, self.limits.visits
            text.append(f"c = [*{self.tables.constant(literal((*cells, *behind)))}]")
        for stream in sorted(self.routed_streams):
            text.append(f"c[{self.layout.streams[stream]}] = seeded(seed, {literal(stream)})")
        for stream in STREAMS:
            s = f"S_{stream}"
            if s in used:  # as random_stream.seed
                text.append(f"{s} = seed * {FACTOR} + {stream_name(stream)} & {MASK}")
                text.append(f"{s} = ({s} ^ {s} >> 30) * {SPREAD[0]} & {MASK}")
                text.append(f"{s} = ({s} ^ {s} >> 27) * {SPREAD[1]} & {MASK}")
                text.append(f"{s} ^= {s} >> 31")
        return [Line(1, line, NOWHERE) for line in text]

    # ------------------------------------------------------------ what is known

    def block(self, stmts: tuple[core.Stmt, ...]) -> None:
        before = dict(self.bounds.of)
        super().block(stmts)
        self.bounds.of = before

    def _s_setcell(self, s: core.SetCell) -> None:
        """Where that went well, the rest of the block may rely on the indices."""
        super()._s_setcell(s)
        for index, dim in zip(s.indices, self.layout.places[s.place].dims, strict=True):
            if isinstance(index, Local) and isinstance(dim.type, IntType) and dim.size is not None:
                low, high = self.bounds.of.get(index.slot, (dim.low, dim.low + dim.size - 1))
                self.bounds.of[index.slot] = max(low, dim.low), min(high, dim.low + dim.size - 1)

    # ------------------------------------------------------------ the end

    def _name_results(self, game: LoweredGame) -> None:
        """Decide which values the end of a game computes: each once, however often it is asked for."""
        numbers: dict[object, int] = {}
        results: list[Expr] = []

        def named(e: Expr) -> str:
            key = shape(e)
            if key not in numbers:
                numbers[key] = len(results)
                results.append(named_once(e, self.lowerer.fresh))
            return f"R{numbers[key]}"

        columns = [[named(e) for e in column] for column in zip(*game.rank, strict=True)]
        ranks = ["(" + "".join(f"{name}, " for name in seat).strip() + ")" for seat in zip(*columns, strict=True)]
        payoff = "None"
        if game.payoff is not None:
            payoff = "(" + "".join(f"{named(e)}, " for e in game.payoff).strip() + ")"
        self.results = tuple(results)
        self.columns = [
            [f"R{numbers[shape(e)]}" if shape(e) in numbers else e for e in column] for _, column in game.shown
        ]
        self.result = f"return {self.decisions}, ({', '.join(ranks)},), {payoff}, "

    def _finish(self, reason: str) -> None:
        before, self.trail = self.trail, ()  # the game is over
        self.limit_scoring()
        for number, e in enumerate(self.results):
            self.out.line(f"R{number} = {self.code(e)}")
        table = [", ".join(e if isinstance(e, str) else self.code(e) for e in column) for column in self.columns]
        shown = "".join(f"({column},), " for column in table).strip()
        self.out.line(f"{self.result}{reason}, " + (f"({shown}) if table else ()" if shown else "()"))
        self.trail = before

    def end_game(self, s: core.EndGame) -> None:
        reason = "None"
        if s.reason is not None:
            reason = self.temporary()
            self.out.line(f"{reason} = {self.code(s.reason)}")
        if self.routine is None:
            self._finish(reason)
            return
        self.out.line(f"c[{self.layout.over}] = 1")
        self.out.line(f"c[{self.layout.reason}] = {reason}")
        self.out.line("return")

    # ------------------------------------------------------------ components and chance

    def located(self, card: str, number: str) -> None:
        self.out.line(f"c[{card} + {self.layout.location}] = {number}", build=LOCATED)

    def _s_shuffle(self, s: core.Shuffle) -> None:
        stream = self.stream(s.stream)
        self.out.line(f"{stream} = shuffle({stream}, {self.zone(s.zone, s.indices)})")

    def draw(self, s: core.Random, domain: str) -> None:
        """As :func:`lusory.table.chance.draw`, written out."""
        self.bound_by(s.slot, s.domain)
        out = self.out
        stream, product = self.stream(s.stream), self.temporary()
        known = None if s.condition is not None else self.masked(s.domain)
        size = len(known.items) if known is not None and known.certain else None
        if size in (0, 1):
            self.assign(s.slot, f"{domain}[0]")
            return
        nested = 0
        if size is None:
            length = self.temporary()
            out.line(f"{length} = len({domain})")
            self.assign(s.slot, f"{domain}[0]")
            out.line(f"if {length} > 1:")
            out.indent += 1
            refused = f"{product} & {LOW} < {length} and {product} & {LOW} < {LOW + 1} % {length}"
            nested = 1
        else:
            length = str(size)
            refused = f"{product} & {LOW} < {(LOW + 1) % size}"
        out.line(f"{stream} = {stream} * {FACTOR} + {STEP} & {MASK}")
        out.line(f"{product} = ({stream} >> 32) * {length}")
        if size is None or (LOW + 1) % size:
            out.line(f"while {refused}:")
            with out.deeper():
                out.line(f"{stream} = {stream} * {FACTOR} + {STEP} & {MASK}")
                out.line(f"{product} = ({stream} >> 32) * {length}")
        self.assign(s.slot, f"{domain}[{product} >> 32]")
        out.indent -= nested

    # ------------------------------------------------------------ phases

    def phase(self, phase: core.Phase) -> None:
        before, self.trail = self.trail, (*self.trail, phase.id)
        out = self.out
        out.span = phase.span
        nested = 0
        if phase.condition is not None:
            self.test_phase(phase)
            out.line(f"if {self.code(phase.condition)}:")
            out.indent += 1
            nested += 1
        always = isinstance(phase.repeat, core.Const) and bool(phase.repeat.value)
        if phase.repeat is not None:
            out.line(f"for _ in range({phase.bound}):")
            out.indent += 1
            nested += 1
            self.pass_phase(phase)
            if not always:
                out.line(f"if {self.negate(phase.repeat)[0]}: break")
        self.block(phase.body)
        for child in phase.children:
            self.phase(child)
        if phase.repeat is not None:
            out.indent -= 1
            nested -= 1
            out.span = phase.span
            out.line("else:")
            with out.deeper():
                self.pass_phase(phase)
                if not always:
                    out.line(f"if {self.code(phase.repeat)}:")
                    out.indent += 1
                what = f"phase `{phase.id}`"
                out.line(f"bound_exceeded({literal(what)}, {phase.bound})")
                out.indent -= not always
        out.indent -= nested
        self.trail = before

    # ------------------------------------------------------------ choices

    def _s_framedask(self, s: FramedAsk) -> None:
        self.work_out(s.chooser)
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
            self.count_decision()
            self._decode_random(plan, names, str(fixed))
            self.block(body)
            return
        n, i = self.temporary(), self.temporary()
        out.line(f"{n} = {count}")
        self.limit_options(s, n)
        out.line(f"if {n} > 1:")
        with out.deeper():
            self.count_decision()
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
            self.count_decision()
            out.line(f"{which} = int(rnd() * {len(named.items)})")
        else:
            numbers = self.temporary()
            out.line(f"{numbers} = {self.by_mask(named)}")
            empty = all(c is not None for c in named.conditions)
            out.line(f"if len({numbers}) > 1:")
            with out.deeper():
                self.count_decision()
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
        self.limit_options(s, f"len({options})")
        out.line(f"if {options}:")
        with out.deeper():
            which = self.temporary()
            out.line(f"if len({options}) > 1:")
            with out.deeper():
                self.count_decision()
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
        self.work_out(s.chooser)
        out = self.out
        source, low, high, picked, found = (self.temporary() for _ in range(5))
        from_list = s.source
        if s.condition is not None:
            from_list = core.Filter(s.source.type, s.span, s.item_slot, s.source, s.condition)
        out.line(f"{source} = {self.code(from_list)}")
        out.line(f"if len({source}) > {self.limits.options}: over_limit('options')")
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
                self.count_decision()
                out.line(f"{i} = int(rnd() * len({found}))")
            out.line(f"if {found}[{i}] < 0: break")
            out.line(f"{picked} = (*{picked}, {found}[{i}])")
        self.assign(s.slot, f"tuple([{source}[i] for i in {picked}])")


LOCATED = "located"  # lines that note where a component lies: kept where some move asks for it
