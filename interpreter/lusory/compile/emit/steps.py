"""Stepwise play: the game as Python functions that run from one decision to the next.

A statement that can ask splits the text into *blocks*; a block ends by going to another one, by waiting for a
decision, or with the game. Blocks that are reached from one place only are written out there, so that a function runs
as far as it can. A local that is read in another function than it was set in has a cell of its own behind the
declared state: routines never recurse, so its place is fixed.

The emitted module has, for each choice k: ``q<k>`` (what is asked), ``o<k>`` (the options), ``r<k>`` (go on with option
i) and ``f<k>`` (locals for labels); ``b<k>`` for each block; ``value<k>`` or ``effect<k>`` for each shared routine (one
that asks is blocks; where to go back to is a local); and ``outcome``. Those that play return the number of the block to
go on with, what is asked, or None at the end of the game. What is asked is a tuple ``q``: the seat, the number of
options, and lists that the options are made of.

Card lists of the state are never changed in place, but for those that a function has made itself: states share them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lusory_dsl import core
from lusory_dsl.core import Const, Stmt

from ...table.dispatch import methods
from ..lower.lowered import (
    STATEMENTS,
    EffectRoutine,
    FramedAsk,
    FramedAskMany,
    FramedEndGame,
    LoweredGame,
    Routine,
    Trail,
    asks,
    stops,
)
from ..lower.lowering import Lowerer
from ..python.support import EXTRA_CELLS, WAITS
from ..python.writing import literal
from .blocks import GOTO, MARK, Function, Ways, arranged
from .choosing import ChoiceEmitter, ProductPlan
from .lists import SHARED, Masked
from .scoring import write_outcome
from .statements import CALLED, NOWHERE, Mapped, Writer
from .storage import FlatStorage

FLOWING = (EffectRoutine, FramedAsk, FramedAskMany, core.ForEach, core.If, core.Random, core.Repeat, core.Stop)
"""The statements that can ask or leave a loop that asks; what a trail holds flows by itself."""


@dataclass(frozen=True)
class AskSite:
    """A choice in the generated module, by the site of the core statement."""

    site: int
    phase: str


class StepEmitter(ChoiceEmitter):
    """Emits both builds of stepwise play, with and without events: they share the places of locals, so that a state
    made by one can be continued by the other."""

    events = True
    mover = "move_cards_anew"
    written_out = tuple(node for node in STATEMENTS if node not in (FramedAsk, FramedAskMany))

    def __init__(self, lowerer: Lowerer, layout: Any, tables: Any) -> None:
        offsets = {name: place.offset for name, place in layout.places.items()}
        super().__init__(lowerer, layout, tables, FlatStorage(offsets))
        self._flows = methods(self, "_a_", FLOWING, lower=True)
        self.blocks: list[Writer] = []
        self.functions: list[Function] = []
        self.asked: list[AskSite] = []
        self.starts: dict[str, int] = {}
        self.phase_id = ""
        self.loops: list[int] = []  # blocks behind the loops that can ask
        self.waits = layout.size + WAITS
        self.entries: dict[str, tuple[int, int]] = {}  # of routines that ask: first block, slot of the way back
        self.returns: dict[int, Mapped] = {}  # blocks behind calls of such routines, where those stand
        self.phase_slot: int | None = None  # where the phase is kept, if some routine asks

    # ------------------------------------------------------------ blocks

    def new_block(self) -> int:
        self.blocks.append(Writer(self))
        return len(self.blocks) - 1

    def enter(self, label: int) -> None:
        self.out = self.blocks[label]

    def goto(self, label: int) -> None:
        self.out.line(f"{GOTO}{label}")

    def local(self, slot: int) -> str:
        return f"«{slot}»"

    def stream(self, name: str) -> str:
        return str(self.layout.streams[name])

    def function(self, name: str, parameters: str = "", logs: bool = False, given: tuple[int, ...] = ()) -> Writer:
        """Begin a helper function of its own; lines go there until :meth:`enter`. ``given``: locals that it gets."""
        writer = Writer(self)
        parameters += "".join(f", {self.name(slot)}" for slot in given)
        self.functions.append(Function(name, parameters, logs, writer.lines, given))
        self.out = writer
        return writer

    # ------------------------------------------------------------ phases

    def game(self, game: LoweredGame) -> None:
        """Emit everything; block 0 begins the game."""
        if any(r.asks for r in game.routines):
            self.phase_slot = self.lowerer.fresh("phase")
        self.enter(self.new_block())
        for phase in (game.setup, *game.phases):
            self.phase(phase)
        self.out.line(f"c[{self.layout.over}] = 1")
        self.log("('end', None)")
        self.out.line("return None")
        write_outcome(self, self.function("outcome"), game, self.layout.reason)
        self.phase_id = ""
        for routine in game.routines:
            self.routine(routine)

    def routine(self, routine: Routine) -> None:
        """Emit a shared routine: a function, or blocks that end by going back to where they were called from."""
        self.trail = (CALLED, routine.name) if routine.name and routine.value is None else (CALLED,)
        if routine.value is not None:
            out = self.function(f"value{routine.number}", given=routine.params)
            with self.looping(SHARED):
                out.line(f"return {self.code(routine.value)}")
        elif routine.asks:
            first, back = self.entry(routine)
            self.enter(first)
            self.loops = []
            self.flow(routine.body)
            self.out.line(f"return {self.local(back)}")
        else:
            self.function(f"effect{routine.number}", logs=True, given=routine.params)
            self.block(routine.body)

    def entry(self, routine: Routine) -> tuple[int, int]:
        """The first block of a routine that asks, and the slot of the way back."""
        if routine.name not in self.entries:
            self.entries[routine.name] = self.new_block(), self.lowerer.fresh("back")
        return self.entries[routine.name]

    def phase(self, phase: core.Phase) -> None:
        before, self.trail = self.trail, (*self.trail, phase.id)
        self.phase_id = phase.id
        self.out.span = phase.span
        start = self.new_block()
        self.starts[phase.id] = start
        self.goto(start)
        self.enter(start)
        self.out.span = phase.span
        if self.phase_slot is not None:
            self.assign(self.phase_slot, literal(phase.id))
        conditional = phase.condition is not None or phase.repeat is not None
        end = self.new_block() if conditional else -1
        if phase.condition is not None:
            self.test_phase(phase)
            self.leave_unless(phase.condition, end)
        head = -1
        if phase.repeat is not None:
            counter = f"c[{self.layout.repeats[phase.id]}]"
            self.out.line(f"{counter} = 0")
            head = self.new_block()
            self.goto(head)
            self.enter(head)
            self.out.span = phase.span
            self.pass_phase(phase)
            self.leave_unless(phase.repeat, end)
            what = f"phase `{phase.id}`"
            self.out.line(f"if {counter} >= {phase.bound}: bound_exceeded({literal(what)}, {phase.bound})")
            self.out.line(f"{counter} += 1")
        self.log(f"('phase', {literal(phase.id)})")
        self.flow(phase.body)
        for child in phase.children:
            self.phase(child)
        if head >= 0:
            self.goto(head)
        elif conditional:
            self.goto(end)
        if conditional:
            self.enter(end)
        self.trail = before

    def leave_unless(self, condition: core.Expr, end: int) -> None:
        if isinstance(condition, Const):
            if not condition.value:
                self.out.line("if True:")
                with self.out.deeper():
                    self.goto(end)
            return
        text, level = self.negate(condition)
        del level
        self.out.line(f"if {text}:")
        with self.out.deeper():
            self.goto(end)

    # ------------------------------------------------------------ statements that can ask

    def flow(self, stmts: tuple[Stmt, ...]) -> None:
        for s in stmts:
            if isinstance(s, Trail) and asks((s,)):
                before, self.trail = self.trail, (*self.trail, s.name)
                self.flow(s.body)
                self.trail = before
            elif asks((s,)) or (self.loops and isinstance(s, core.Stop | core.If | core.Random) and _leaves(s)):
                self.out.span = s.span
                self._flows[type(s)](s)
            else:
                self.statement(s)

    def end_game(self, s: core.EndGame) -> None:
        self.out.line(f"c[{self.layout.over}] = 1")
        if s.reason is not None:
            self.out.line(f"c[{self.layout.reason}] = {self.code(s.reason)}")
        if isinstance(s, FramedEndGame):
            self.out.line(f"c[{self.layout.reason}] = openly_said(c, z, {s.number}, {self.framed(s.frame)})")
        self.log(f"('end', c[{self.layout.reason}])")
        self.out.line("return None")

    def _s_effectroutine(self, s: EffectRoutine) -> None:
        call = f"effect{s.routine.number}({', '.join(['c', 'z', *(self.code(a) for a in s.args)])}"
        with self.reading(*s.args):
            self.out.line(f"{call})", build="silent")
            self.out.line(f"{call}, log)", build="events")
        if s.routine.ends:
            self.out.line(f"if c[{self.layout.over}]: return None")

    def _a_effectroutine(self, s: EffectRoutine) -> None:
        for slot, argument in zip(s.routine.params, s.args, strict=True):
            self.assign(slot, self.code(argument))
        first, slot = self.entry(s.routine)
        back = self.new_block()
        self.returns[back] = Mapped(self.out.span, self.trail)
        self.assign(slot, str(back))
        self.goto(first)
        self.enter(back)

    def _a_stop(self, s: core.Stop) -> None:
        self.goto(self.loops[-1])
        self.enter(self.new_block())  # nothing gets here

    def _a_if(self, s: core.If) -> None:
        end = self.new_block()
        bodies = []
        word = "if"
        for condition, body in s.branches:
            label = self.new_block()
            bodies.append((label, body))
            self.out.line(f"{word} {self.code(condition)}:")
            with self.out.deeper():
                self.goto(label)
            word = "elif"
        if s.otherwise:
            label = self.new_block()
            bodies.append((label, s.otherwise))
            self.goto(label)
        else:
            self.goto(end)
        for label, body in bodies:
            self.enter(label)
            self.flow(body)
            self.goto(end)
        self.enter(end)

    def _a_foreach(self, s: core.ForEach) -> None:
        items, position = self.lowerer.fresh("items"), self.lowerer.fresh("position")
        self.assign(items, self.loop_tuple(s.source))
        self.assign(position, "0")
        head, end = self.new_block(), self.new_block()
        self.goto(head)
        self.enter(head)
        self.out.span = s.span
        self.out.line(f"if {self.local(position)} >= len({self.local(items)}):")
        with self.out.deeper():
            self.goto(end)
        self.bound_by(s.slot, s.source)
        self.assign(s.slot, f"{self.local(items)}[{self.local(position)}]")
        self.assign(position, f"{self.local(position)} + 1")
        if s.condition is not None:
            text, _ = self.negate(s.condition)
            self.out.line(f"if {text}:")
            with self.out.deeper():
                self.goto(head)
        self.loops.append(end)
        self.flow(s.body)
        self.loops.pop()
        self.goto(head)
        self.enter(end)

    def loop_tuple(self, source: core.Expr) -> str:
        return self.code(source)

    def _a_repeat(self, s: core.Repeat) -> None:
        left = self.lowerer.fresh("left")
        limit = s.times if s.times is not None else s.bound
        assert limit is not None
        self.assign(left, self.code(limit))
        bound = self.code(limit) if isinstance(limit, Const) else self.lowerer.fresh("bound")
        if isinstance(bound, int):
            self.assign(bound, self.local(left))
            bound = self.local(bound)
        head, end = self.new_block(), self.new_block()
        self.goto(head)
        self.enter(head)
        self.out.span = s.span
        if s.condition is not None:
            self.leave_unless(s.condition, end)
            self.out.line(f"if {self.local(left)} <= 0: bound_exceeded('the loop', {bound})")
        else:
            self.out.line(f"if {self.local(left)} <= 0:")
            with self.out.deeper():
                self.goto(end)
        self.assign(left, f"{self.local(left)} - 1")
        self.loops.append(end)
        self.flow(s.body)
        self.loops.pop()
        self.goto(head)
        self.enter(end)

    def _a_random(self, s: core.Random) -> None:
        domain = self.lowerer.fresh("domain")
        self.assign(domain, self.random_domain(s))
        end, otherwise = self.new_block(), self.new_block()
        self.out.line(f"if not {self.local(domain)}:")
        with self.out.deeper():
            self.goto(otherwise)
        self.draw(s, self.local(domain))
        self.flow(s.body)
        self.goto(end)
        self.enter(otherwise)
        self.flow(s.otherwise)
        self.goto(end)
        self.enter(end)

    # ------------------------------------------------------------ choices

    def _a_framedask(self, s: FramedAsk) -> None:
        number = len(self.asked)
        self.asked.append(AskSite(s.site, self.phase_id))
        bodies = [self.new_block() for _ in s.alternatives]
        end = self.new_block()
        otherwise = self.new_block() if s.otherwise else end
        self.work_out(s.chooser)
        here = self.out
        self._frame_function(number, s.frame)
        self.out = here
        plan = self.plan(s)
        named = self.named_alternatives(s)
        if named is not None:
            self._ask_named(number, s, named, bodies, otherwise)
        elif plan is not None:
            self._ask_product(number, s, plan, bodies[0], otherwise)
        else:
            self._ask_list(number, s, bodies, otherwise)
        for label, a in zip(bodies, s.alternatives, strict=True):
            self.enter(label)
            self.flow(a.body)
            self.goto(end)
        if s.otherwise:
            self.enter(otherwise)
            self.flow(s.otherwise)
            self.goto(end)
        self.enter(end)

    def _frame_function(self, number: int, frame: tuple[tuple[int, core.Expr], ...]) -> None:
        out = self.function(f"f{number}")
        pairs = ", ".join(f"{slot}: {self.code(e)}" for slot, e in frame)
        out.line(f"return {{{pairs}}}")
        if not self.phase_id:
            assert self.phase_slot is not None
            self.function(f"p{number}").line(f"return {self.local(self.phase_slot)}")

    def wait(self, number: int, asked: str) -> None:
        self.out.line(f"c[{self.waits}] = {number}")
        self.out.line(f"return {asked}")

    def own_zone(self, zone: str, build: str | None = None) -> None:
        self.out.line(f"{zone} = {zone}[:]", build=build)

    def _ask_product(self, number: int, s: FramedAsk, plan: ProductPlan, body: int, otherwise: int) -> None:
        chooser = self.code(s.chooser)
        names, count, fixed = self.measure(plan)
        measured = [name for name in names if name is not None]
        if fixed is not None and fixed > 1:
            self.wait(number, f"{chooser}, {fixed}")
        else:
            n = self.temporary()
            self.out.line(f"{n} = {count}")
            self.limit_options(s, n)
            self.out.line(f"if {n} > 1:")
            with self.out.deeper():
                self.wait(number, ", ".join([chooser, n, *measured]))
            self.out.line(f"if {n} == 0:")
            with self.out.deeper():
                self.goto(otherwise)
            self.decode(plan, names, None)
            self._log_choice(s, plan.alternative, 0, True)
            self.goto(body)
        # what is asked
        out = self.function(f"q{number}")
        names, count, _ = self.measure(plan)
        measured = [name for name in names if name is not None]
        out.line(f"return {', '.join([chooser, count, *measured])}")
        # the options themselves
        out = self.function(f"o{number}", ", q")
        self.list_options(s, "o")
        out.line("return o")
        # going on
        out = self.function(f"r{number}", ", i, q", logs=True)
        if measured:
            out.line(f"_, _, {', '.join(measured)} = q")
        self.decode(plan, names, "i")
        self._log_choice(s, plan.alternative, 0, False)
        self.goto(body)

    def _log_choice(self, s: FramedAsk, alternative: core.Alternative, number: int, forced: bool) -> None:
        values = "(" + "".join(self.local(v.slot) + ", " for v in alternative.vars).strip() + ")"
        self.log(f"('choice', {self.code(s.chooser)}, {s.site}, {number}, {values}, {forced})")

    def _ask_named(self, number: int, s: FramedAsk, named: Masked, bodies: list[int], otherwise: int) -> None:
        chooser = self.code(s.chooser)
        numbers = self.by_mask(named)
        found = self.temporary()
        if named.certain:
            self.wait(number, f"{chooser}, {len(named.items)}, {numbers}")
        else:
            self.out.line(f"{found} = {numbers}")
            self.out.line(f"if len({found}) > 1:")
            with self.out.deeper():
                self.wait(number, f"{chooser}, len({found}), {found}")
            if all(c is not None for c in named.conditions):
                self.out.line(f"if not {found}:")
                with self.out.deeper():
                    self.goto(otherwise)
            self._take_named(s, f"{found}[0]", named, bodies, True)
        out = self.function(f"q{number}")
        out.line(f"{found} = {numbers}")
        out.line(f"return {chooser}, len({found}), {found}")
        out = self.function(f"o{number}", ", q")
        out.line("return [(x, ()) for x in q[2]]")
        self.function(f"r{number}", ", i, q", logs=True)
        self._take_named(s, "q[2][i]", named, bodies, False)

    def _take_named(self, s: FramedAsk, number: str, named: Masked, bodies: list[int], forced: bool) -> None:
        which = self.temporary()
        self.out.line(f"{which} = {number}")
        self.log(f"('choice', {self.code(s.chooser)}, {s.site}, {which}, (), {forced})")
        for position, alternative in enumerate(named.items):
            if position == len(named.items) - 1:
                self.goto(bodies[alternative])
                continue
            self.out.line(f"if {which} == {alternative}:")
            with self.out.deeper():
                self.goto(bodies[alternative])

    def _ask_list(self, number: int, s: FramedAsk, bodies: list[int], otherwise: int) -> None:
        self.out.line(f"q = q{number}(c, z)")
        self.out.line("if q[1] > 1:")
        with self.out.deeper():
            self.wait(number, "q")
        self.out.line("if not q[1]:")
        with self.out.deeper():
            self.goto(otherwise)
        self._take(s, "q[2][0]", bodies, True)
        out = self.function(f"q{number}")
        self.list_options(s, "o")
        self.limit_options(s, "len(o)")
        out.line(f"return {self.code(s.chooser)}, len(o), o")
        out = self.function(f"o{number}", ", q")
        out.line("return q[2]")
        self.function(f"r{number}", ", i, q", logs=True)
        self._take(s, "q[2][i]", bodies, False)

    def _take(self, s: FramedAsk, option: str, bodies: list[int], forced: bool) -> None:
        """Set the variables of the alternative that an option belongs to, and go to its body."""
        which, values = self.temporary(), self.temporary()
        self.out.line(f"{which}, {values} = {option}")
        for number, (a, label) in enumerate(zip(s.alternatives, bodies, strict=True)):
            last = number == len(bodies) - 1
            if not last:
                self.out.line(f"if {which} == {number}:")
                self.out.indent += 1
            for position, v in enumerate(a.vars):
                self.bound_by(v.slot, v.domain)
                self.assign(v.slot, f"{values}[{position}]")
            self.log(f"('choice', {self.code(s.chooser)}, {s.site}, {number}, {values}, {forced})")
            self.goto(label)
            if not last:
                self.out.indent -= 1

    def _a_framedaskmany(self, s: FramedAskMany) -> None:
        number = len(self.asked)
        self.asked.append(AskSite(s.site, self.phase_id))
        fresh = self.lowerer.fresh
        source, low, high, picked = fresh("source"), fresh("low"), fresh("high"), fresh("picked")
        self.work_out(s.chooser)
        from_list = s.source
        if s.condition is not None:
            from_list = core.Filter(s.source.type, s.span, s.item_slot, s.source, s.condition)
        self.assign(source, self.code(from_list))
        self.out.line(f"if len({self.local(source)}) > {self.lowerer.limits.options}: over_limit('options')")
        self.assign(low, f"min({self.code(s.low)}, len({self.local(source)}))")
        self.assign(high, f"min({self.code(s.high)}, len({self.local(source)}))")
        self.assign(picked, "()")
        head, end = self.new_block(), self.new_block()
        self.goto(head)
        here = self.blocks[head]
        self._frame_function(number, s.frame)
        state = ", ".join(self.local(x) for x in (source, picked, low))
        candidates = f"picks_left({state}, {s.ordered})"
        may_stop = f"len({self.local(picked)}) >= {self.local(low)}"
        chooser = self.code(s.chooser)
        self.out = here
        here.span = s.span
        here.line(f"if len({self.local(picked)}) >= {self.local(high)}:")
        with here.deeper():
            self.goto(end)
        found, free = self.temporary(), self.temporary()
        here.line(f"{found} = {candidates}")
        here.line(f"if not {found}:")
        with here.deeper():
            self.goto(end)
        here.line(f"{free} = {may_stop}")
        here.line(f"if len({found}) > 1 or {free}:")
        with here.deeper():
            self.wait(number, f"{chooser}, len({found}) + {free}, {found}, {free}")
        self._pick(s, found, "0", source, picked, True)
        self.goto(head)
        out = self.function(f"q{number}")
        out.line(f"{found} = {candidates}")
        out.line(f"{free} = {may_stop}")
        out.line(f"return {chooser}, len({found}) + {free}, {found}, {free}")
        out = self.function(f"o{number}", ", q")
        out.line(f"o = [(0, ({self.local(source)}[x],)) for x in q[2]]")
        out.line("return [(1, ()), *o] if q[3] else o")
        out = self.function(f"r{number}", ", i, q", logs=True)
        out.line("if q[3]:")
        with out.deeper():
            out.line("if i == 0:")
            with out.deeper():
                self.log(f"('choice', {self.code(s.chooser)}, {s.site}, 1, (), False)")
                self.goto(end)
            out.line("i -= 1")
        self._pick(s, "q[2]", "i", source, picked, False)
        self.goto(head)
        self.enter(end)
        self.out.span = s.span
        self.assign(s.slot, f"tuple([{self.local(source)}[i] for i in {self.local(picked)}])")

    def _pick(self, s: FramedAskMany, found: str, index: str, source: int, picked: int, forced: bool) -> None:
        self.assign(picked, f"(*{self.local(picked)}, {found}[{index}])")
        item = f"{self.local(source)}[{self.local(picked)}[-1]]"
        self.log(f"('choice', {self.code(s.chooser)}, {s.site}, 0, ({item},), {forced})")

    # ------------------------------------------------------------ text

    def render(self, build: str) -> tuple[list[tuple[str, Mapped]], dict[int, int]]:
        """The lines of one build's functions with their places, and the cells of the locals that need one."""
        written = [w.lines for w in self.blocks]
        entries = {0, *self.starts.values(), *self.returns}
        functions = {name: arranged(written, self.functions, entries, name) for name in ("events", "silent")}
        ways = {name: [Ways(f.lines, f.given) for f in functions[name]] for name in functions}
        exposed = set[int]().union(*(w.exposed for found in ways.values() for w in found))
        exposed |= {back for _, back in self.entries.values()}  # a fault asks for it where no line does
        spilled = {slot: self.layout.size + EXTRA_CELLS + i for i, slot in enumerate(sorted(exposed))}
        text: list[tuple[str, Mapped]] = []
        for f, w in zip(functions[build], ways[build], strict=True):
            text.append(("", NOWHERE))
            text.append((f.header(build), NOWHERE))
            text.extend(self._function_text(f, w, spilled))
        return text, spilled

    def _function_text(self, f: Function, ways: Ways, spilled: dict[int, int]) -> list[tuple[str, Mapped]]:
        text: list[tuple[str, Mapped]] = []
        for slot in sorted(ways.exposed):
            text.append((f"    {self.name(slot)} = c[{spilled[slot]}]", NOWHERE))
        for number, line in enumerate(f.lines):
            if number in ways.repeated:
                continue
            shown = line.text
            if shown.startswith(GOTO):
                shown = f"return {shown[len(GOTO) :]}"
            if line.assigns is not None and line.assigns in spilled and not shown.startswith("for "):
                shown = f"c[{spilled[line.assigns]}] = {shown}"
            shown = MARK.sub(lambda m: self.name(int(m[1])), shown)
            text.append(("    " * line.indent + shown, line.place))
        if not f.lines:
            text.append(("    pass", NOWHERE))
        return text


def _leaves(s: Stmt) -> bool:
    """Whether a statement without a question holds a ``stop`` for the loop round it."""
    return stops((s,))
