"""What values of the intermediate form can be: every use fits, and what is played stays within it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

import pytest
from programs import bundled, checked, is_large, read_data
from test_conformance import CHUNKS

from lusory.codegen import generated_code_check_and_loading, ir, python_build_stages_and_ir_listing
from lusory.codegen.generated_python_engine import CompiledEngine
from lusory.codegen.ir.types import Sort, get_value_sort, is_storable, join, widen
from lusory.codegen.passes.split_at_choices import map_blocks
from lusory.codegen.passes.type_inference_rules import Sorts, infer_sorts
from lusory.codegen.python_build_stages_and_ir_listing import select_module
from lusory.game import Game
from lusory.state.decisions_outcomes_and_faults import RulesetFault
from lusory.state.setting_value_limits_builtins_and_names import Setting
from lusory_dsl.core import Program
from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets
from lusory_dsl.types.types import BOOL, INT, TEXT, ListType

DATA = read_data(__file__)

BUILDS = ("silent", "playout")
SHIPPED = [name for name in find_bundled_rulesets() if not is_large(name)]
"""Large ones take half a minute: ``python -m tests.native`` infers the types of all rulesets and plays them."""


@cache
def program_of(name: str) -> Program:
    return checked(CHUNKS[name].ruleset) if name in CHUNKS else bundled(name)


# ---------------------------------------------------------------- every use fits


@pytest.mark.parametrize("name", [*SHIPPED[::2], *CHUNKS])
def test_every_value_fits_its_place(name: str) -> None:
    program = program_of(name)
    for players in {program.min_players if name in CHUNKS else program.max_players, program.max_players}:
        setting = Game(program, players).setting
        for kind in BUILDS:
            found = infer_sorts(setting, select_module(setting, kind))
            assert found.problems == ()
            every = [
                *found.locals.values(),
                *found.cells.values(),
                *(s for f in found.temporaries.values() for s in f.values()),
            ]
            assert not [sort for sort in every if sort.kind == "anything"]


GAME = DATA["game"]


def module_of() -> tuple[Setting, ir.Module]:
    setting = Game(checked(GAME)).setting
    return setting, select_module(setting, "silent")


@pytest.mark.parametrize(
    ("name", "type"), [("x", TEXT), ("many", INT), ("many", TEXT), ("x", ListType(INT)), ("x", BOOL)]
)
def test_a_local_of_a_wrong_type_is_found(name: str, type: Any) -> None:
    setting, module = module_of()
    assert infer_sorts(setting, module).problems == ()
    slot = next(slot for slot, called in module.names.items() if called == name)
    wrong = replace(module.facts, types={**module.facts.types, slot: type})
    assert infer_sorts(setting, replace(module, facts=wrong)).problems


def changed(ops: ir.Ops, change: Callable[[ir.Op], ir.Op]) -> ir.Ops:
    """Operations with each changed, also inside of others."""
    return tuple(_changed(change(op), change) for op in ops)


def _changed(op: Any, change: Callable[[ir.Op], ir.Op]) -> Any:
    new = {}
    for name, held in op.__dict__.items():
        if isinstance(held, tuple) and held and isinstance(held[0], ir.Op | ir.Branch):
            new[name] = (
                changed(held, change) if isinstance(held[0], ir.Op) else tuple(_changed(b, change) for b in held)
            )
        elif isinstance(held, tuple) and held and isinstance(held[0], tuple):
            new[name] = tuple(changed(body, change) for body in held)
    return replace(op, **new) if new else op


WRONG: dict[str, ir.Value] = {
    "a text for a number": ir.Const("many"),
    "a list for a number": ir.Const(()),
    "none for a number": ir.Const(None),
    "a sum of a text": ir.Binary("+", ir.Const("a"), ir.Const(1)),
    "an index beyond a variable": ir.Cell("held", ir.Index((), 3)),
    "a comparison of unlike things": ir.Binary("=", ir.Const("a"), ir.Const(1)),
    "the entry of a number": ir.Entry(ir.Const(1), ir.Const(0)),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_value_is_found(what: str) -> None:
    """Each in the place of what is written to a cell."""
    setting, module = module_of()

    def change(op: ir.Op) -> ir.Op:
        if isinstance(op, ir.Set) and isinstance(op.target, ir.Cell) and op.target.place == "held":
            return replace(op, value=WRONG[what])
        return op

    planted = tuple(replace(f, ops=changed(f.ops, change)) for f in module.functions)
    assert infer_sorts(setting, replace(module, functions=planted)).problems


def test_what_fits_and_what_is_one_or_the_other() -> None:
    seat, card = Sort("number", 0, 1, "Player"), Sort("number", 0, 51, "Card")
    assert is_storable(get_value_sort(1), seat)
    assert not is_storable(get_value_sort(2), seat)
    assert not is_storable(seat, card)
    assert not is_storable(join(seat, get_value_sort(None)), seat)
    assert join(seat, get_value_sort(3)) == Sort("number", 0, 3, "Player")
    assert join(seat, card).type_name == ""
    assert join(get_value_sort("ab"), get_value_sort(1)).kind == "anything"
    assert widen(card, get_value_sort(3)) == card
    assert get_value_sort((1, "a")).kind == "record"
    assert str(get_value_sort((1, 5, None))) == "list of at most 3: 1..5 or none"


# ---------------------------------------------------------------- what is played stays within


def holds(sort: Sort, value: Any) -> bool:
    """Whether a value is of a sort."""
    if value is None:
        return sort.is_optional
    match sort.kind:
        case "number":
            return isinstance(value, int) and sort.low <= value <= sort.high
        case "truth":
            return isinstance(value, int) and value in (0, 1)
        case "text":
            return isinstance(value, str) and len(value) <= sort.max_length
        case "list":
            assert sort.item is not None
            return len(value) <= sort.max_length and all(holds(sort.item, item) for item in value)
        case "record":
            return len(value) == len(sort.parts) and all(map(holds, sort.parts, value))
    return sort.kind == "chosen"


def watched(module: ir.Module) -> ir.Module:
    """A module in which every local is looked at when it has got a value."""

    def look(ops: ir.Ops, first: tuple[int, ...] = ()) -> ir.Ops:
        found = [seen(ir.NOWHERE, slot) for slot in first]
        for op in ops:
            found.append(within(op))
            if isinstance(op, ir.Set) and isinstance(op.target, ir.Local):
                found.append(seen(op.place, op.target.slot))
            elif isinstance(op, ir.Draw):
                found.append(seen(op.place, op.slot))
        return tuple(found)

    def within(op: Any) -> Any:
        if isinstance(op, ir.Loop) and isinstance(op.target, ir.Local):
            op = replace(op, ops=(seen(op.place, op.target.slot), *op.ops))
        if type(op) in (ir.If, ir.Loop, ir.While):
            return map_blocks(op, look)
        new = {}
        for name, held in op.__dict__.items():
            if isinstance(held, tuple) and held and isinstance(held[0], ir.Op):
                new[name] = look(held)
            elif isinstance(held, tuple) and held and isinstance(held[0], ir.Branch):
                new[name] = tuple(replace(branch, ops=look(branch.ops)) for branch in held)
            elif name == "bodies":
                new[name] = tuple(map(look, held))
        return replace(op, **new) if new else op

    def seen(place: ir.Provenance, slot: int) -> ir.Op:
        return ir.Evaluate(place, ir.Primitive("watch", (ir.Const(slot), ir.Local(slot))))

    return replace(module, functions=tuple(replace(f, ops=look(f.ops, f.params)) for f in module.functions))


class Watch:
    """Plays on modules that look at their locals. ``seen``: how many values were looked at; ``wrong``: those that are
    not what they should be."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seen = 0
        self.wrong: list[str] = []
        self.sorts: Sorts | None = None
        space = generated_code_check_and_loading.make_namespace
        monkeypatch.setattr(python_build_stages_and_ir_listing, "select_module", self._selected)
        monkeypatch.setattr(generated_code_check_and_loading, "admit", lambda code, names: code)
        monkeypatch.setattr(
            generated_code_check_and_loading,
            "make_namespace",
            lambda setting, types: {**space(setting, types), "watch": self._watch},
        )

    def _selected(self, setting: Setting, kind: str, marks: bool = False) -> ir.Module:
        found = select_module(setting, kind, marks)
        self.sorts = infer_sorts(setting, found)
        return watched(found)

    def _watch(self, slot: int, value: Any) -> None:
        self.seen += 1
        assert self.sorts is not None
        if not holds(self.sorts.locals[slot], value):
            self.wrong.append(f"{slot}: {value} is no {self.sorts.locals[slot]}")

    def cells(self, setting: Setting, cells: list[Any]) -> None:
        """Look at what variables and pools hold."""
        assert self.sorts is not None
        for name, place in setting.layout.places.items():
            for value in cells[place.offset : place.offset + place.size]:
                if not holds(self.sorts.cells[name], value):
                    self.wrong.append(f"{name}: {value} is no {self.sorts.cells[name]}")

    def play(self, program: Program, players: int, seeds: range) -> None:
        """Random games in steps, and whole ones."""
        setting = Game(program, players, engine="compiled").setting
        engine = CompiledEngine(setting)
        for seed in seeds:
            chance = Random(seed)
            try:
                state = engine.start(seed)
                while (decision := engine.decision(state)) is not None:
                    self.cells(setting, state.cells)
                    state = engine.apply(state, chance.randrange(len(decision.options)))
            except RulesetFault:
                continue
        whole = CompiledEngine(setting)
        for seed in seeds:
            try:
                whole.playouts.play(Random(seed).random, seed, False)
            except Exception as error:
                assert isinstance(whole.explain_playout_fault(error), RulesetFault)


@pytest.mark.parametrize("name", SHIPPED[1::2])
def test_what_is_played_stays_within(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    watch = Watch(monkeypatch)
    program = program_of(name)
    watch.play(program, program.max_players, range(1))
    assert watch.seen
    assert watch.wrong == []


def test_what_conformance_plays_stays_within(monkeypatch: pytest.MonkeyPatch) -> None:
    watch = Watch(monkeypatch)
    for name in list(CHUNKS)[::2]:
        program = program_of(name)
        watch.play(program, program.min_players, range(2))
        assert watch.wrong == [], name
    assert watch.seen > 1_000


def test_a_local_that_is_taken_for_less_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    watch = Watch(monkeypatch)

    def narrower(setting: Setting, kind: str, marks: bool = False) -> ir.Module:
        found = select_module(setting, kind, marks)
        slot = next(slot for slot, called in found.names.items() if called == "x")
        known = replace(found.facts, numbers={**found.facts.numbers, slot: (1, 2)})
        watch.sorts = infer_sorts(setting, replace(found, facts=known))
        return watched(found)

    monkeypatch.setattr(python_build_stages_and_ir_listing, "select_module", narrower)
    watch.play(checked(GAME), 2, range(20))
    assert watch.wrong
