"""Type inference on the intermediate form: every use fits its type, and values in real games have their types."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

import pytest
from programs import build_program, is_large, load_bundled, read_data
from test_conformance import CHUNKS

from lusory.codegen import build_stages_and_ir_listing, generated_code_check_and_loading, ir
from lusory.codegen.build_stages_and_ir_listing import select_module
from lusory.codegen.generated_code_runner_and_fault_explanation import CompiledEngine
from lusory.codegen.ir.types import Sort, get_value_sort, is_storable, join, widen
from lusory.codegen.passes.split_at_choices import map_blocks
from lusory.codegen.passes.type_inference import Sorts, infer_sorts
from lusory.game import Game
from lusory.state.decisions_outcomes_and_faults import RulesetFault
from lusory.state.setting_value_limits_builtins_and_names import Setting
from lusory_dsl.core import Program
from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets
from lusory_dsl.types.types import BOOL, INT, TEXT, ListType

DATA = read_data(__file__)

BUILDS = ("silent", "playout")
SMALL_RULESETS = [name for name in find_bundled_rulesets() if not is_large(name)]
"""Large rulesets take half a minute. ``python -m tests.native`` covers all rulesets."""


@cache
def load_ruleset(name: str) -> Program:
    return build_program(CHUNKS[name].ruleset) if name in CHUNKS else load_bundled(name)


# ---------------------------------------------------------------- uses


@pytest.mark.parametrize("name", [*SMALL_RULESETS[::2], *CHUNKS])
def test_every_value_fits_its_place(name: str) -> None:
    program = load_ruleset(name)
    for players in {program.min_players if name in CHUNKS else program.max_players, program.max_players}:
        setting = Game(program, players).setting
        for kind in BUILDS:
            result = infer_sorts(setting, select_module(setting, kind))
            assert result.problems == ()
            sorts = [
                *result.locals.values(),
                *result.cells.values(),
                *(sort for slots in result.temporaries.values() for sort in slots.values()),
            ]
            assert not [sort for sort in sorts if sort.kind == "anything"]


GAME = DATA["game"]


def select_example() -> tuple[Setting, ir.Module]:
    setting = Game(build_program(GAME)).setting
    return setting, select_module(setting, "silent")


@pytest.mark.parametrize(
    ("name", "type"), [("x", TEXT), ("many", INT), ("many", TEXT), ("x", ListType(INT)), ("x", BOOL)]
)
def test_a_local_of_a_wrong_type_is_reported(name: str, type: Any) -> None:
    setting, module = select_example()
    assert infer_sorts(setting, module).problems == ()
    slot = next(slot for slot, local in module.names.items() if local == name)
    wrong_facts = replace(module.facts, types={**module.facts.types, slot: type})
    assert infer_sorts(setting, replace(module, facts=wrong_facts)).problems


def change_all(ops: ir.Ops, change: Callable[[ir.Op], ir.Op]) -> ir.Ops:
    """Return operations after a change of each one, also of nested ones."""
    return tuple(_change_inside(change(op), change) for op in ops)


def _change_inside(op: Any, change: Callable[[ir.Op], ir.Op]) -> Any:
    new = {}
    for name, value in op.__dict__.items():
        if isinstance(value, tuple) and value and isinstance(value[0], ir.Op | ir.Branch):
            new[name] = (
                change_all(value, change)
                if isinstance(value[0], ir.Op)
                else tuple(_change_inside(branch, change) for branch in value)
            )
        elif isinstance(value, tuple) and value and isinstance(value[0], tuple):
            new[name] = tuple(change_all(body, change) for body in value)
    return replace(op, **new) if new else op


WRONG_VALUES: dict[str, ir.Value] = {
    "a text for a number": ir.Const("many"),
    "a list for a number": ir.Const(()),
    "none for a number": ir.Const(None),
    "a sum of a text": ir.Binary("+", ir.Const("a"), ir.Const(1)),
    "an index beyond a variable": ir.Cell("held", ir.Index((), 3)),
    "a comparison of unlike things": ir.Binary("=", ir.Const("a"), ir.Const(1)),
    "the entry of a number": ir.Entry(ir.Const(1), ir.Const(0)),
    "the length of a mixed list or none": ir.Primitive("length", (ir.Entry(ir.Const(((1, "a"), None)), ir.Const(0)),)),
}


@pytest.mark.parametrize("case", WRONG_VALUES)
def test_a_wrong_value_is_reported(case: str) -> None:
    """Each value replaces the one that is written to a cell."""
    setting, module = select_example()

    def change(op: ir.Op) -> ir.Op:
        if isinstance(op, ir.Set) and isinstance(op.target, ir.Cell) and op.target.place == "held":
            return replace(op, value=WRONG_VALUES[case])
        return op

    changed_functions = tuple(replace(function, ops=change_all(function.ops, change)) for function in module.functions)
    assert infer_sorts(setting, replace(module, functions=changed_functions)).problems


def test_sorts_of_values_joins_and_stores() -> None:
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


# ---------------------------------------------------------------- values in games


def has_sort(sort: Sort, value: Any) -> bool:
    """Return whether a value has a type."""
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
            return len(value) <= sort.max_length and all(has_sort(sort.item, item) for item in value)
        case "record":
            return len(value) == len(sort.parts) and all(map(has_sort, sort.parts, value))
    return sort.kind == "chosen"


def insert_watches(module: ir.Module) -> ir.Module:
    """Return a module that calls `watch` with every local after each assignment."""

    def watch_block(ops: ir.Ops, first: tuple[int, ...] = ()) -> ir.Ops:
        watched_ops = [create_watch(ir.NOWHERE, slot) for slot in first]
        for op in ops:
            watched_ops.append(watch_operation(op))
            if isinstance(op, ir.Set) and isinstance(op.target, ir.Local):
                watched_ops.append(create_watch(op.place, op.target.slot))
            elif isinstance(op, ir.Draw):
                watched_ops.append(create_watch(op.place, op.slot))
        return tuple(watched_ops)

    def watch_operation(op: Any) -> Any:
        if isinstance(op, ir.Loop) and isinstance(op.target, ir.Local):
            op = replace(op, ops=(create_watch(op.place, op.target.slot), *op.ops))
        if type(op) in (ir.If, ir.Loop, ir.While):
            return map_blocks(op, watch_block)
        new = {}
        for name, value in op.__dict__.items():
            if isinstance(value, tuple) and value and isinstance(value[0], ir.Op):
                new[name] = watch_block(value)
            elif isinstance(value, tuple) and value and isinstance(value[0], ir.Branch):
                new[name] = tuple(replace(branch, ops=watch_block(branch.ops)) for branch in value)
            elif name == "bodies":
                new[name] = tuple(map(watch_block, value))
        return replace(op, **new) if new else op

    def create_watch(place: ir.Provenance, slot: int) -> ir.Op:
        return ir.Evaluate(place, ir.Primitive("watch", (ir.Const(slot), ir.Local(slot))))

    functions = (replace(function, ops=watch_block(function.ops, function.params)) for function in module.functions)
    return replace(module, functions=tuple(functions))


class Watch:
    """Plays games and checks the type of every value. ``checks`` counts the values, and ``errors`` lists wrong ones."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.checks = 0
        self.errors: list[str] = []
        self.sorts: Sorts | None = None
        space = generated_code_check_and_loading.make_namespace
        monkeypatch.setattr(build_stages_and_ir_listing, "select_module", self._select_module)
        monkeypatch.setattr(generated_code_check_and_loading, "admit", lambda code, names: code)
        monkeypatch.setattr(
            generated_code_check_and_loading,
            "make_namespace",
            lambda setting, types: {**space(setting, types), "watch": self._watch},
        )

    def _select_module(self, setting: Setting, kind: str, keeps_masks: bool = False) -> ir.Module:
        module = select_module(setting, kind, keeps_masks)
        self.sorts = infer_sorts(setting, module)
        return insert_watches(module)

    def _watch(self, slot: int, value: Any) -> None:
        self.checks += 1
        assert self.sorts is not None
        if not has_sort(self.sorts.locals[slot], value):
            self.errors.append(f"{slot}: {value} is no {self.sorts.locals[slot]}")

    def check_cells(self, setting: Setting, cells: list[Any]) -> None:
        """Check the values of variables and pools."""
        assert self.sorts is not None
        for name, place in setting.layout.places.items():
            for value in cells[place.offset : place.offset + place.size]:
                if not has_sort(self.sorts.cells[name], value):
                    self.errors.append(f"{name}: {value} is no {self.sorts.cells[name]}")

    def play(self, program: Program, players: int, seeds: range) -> None:
        """Play random games step by step and as playouts."""
        setting = Game(program, players, engine="compiled").setting
        engine = CompiledEngine(setting)
        for seed in seeds:
            random = Random(seed)
            try:
                state = engine.start(seed)
                while (decision := engine.decision(state)) is not None:
                    self.check_cells(setting, state.cells)
                    state = engine.apply(state, random.randrange(len(decision.options)))
            except RulesetFault:
                continue
        playout_engine = CompiledEngine(setting)
        for seed in seeds:
            try:
                playout_engine.playouts.play(Random(seed).random, seed, False)
            except Exception as error:
                assert isinstance(playout_engine.explain_playout_fault(error), RulesetFault)


@pytest.mark.parametrize("name", SMALL_RULESETS[1::2])
def test_values_in_games_have_their_types(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    watch = Watch(monkeypatch)
    program = load_ruleset(name)
    watch.play(program, program.max_players, range(1))
    assert watch.checks
    assert watch.errors == []


def test_values_in_conformance_have_their_types(monkeypatch: pytest.MonkeyPatch) -> None:
    watch = Watch(monkeypatch)
    for name in list(CHUNKS)[::2]:
        program = load_ruleset(name)
        watch.play(program, program.min_players, range(2))
        assert watch.errors == [], name
    assert watch.checks > 1_000


def test_a_range_that_is_too_narrow_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    watch = Watch(monkeypatch)

    def select_narrower(setting: Setting, kind: str, keeps_masks: bool = False) -> ir.Module:
        module = select_module(setting, kind, keeps_masks)
        slot = next(slot for slot, local in module.names.items() if local == "x")
        facts = replace(module.facts, number_ranges={**module.facts.number_ranges, slot: (1, 2)})
        watch.sorts = infer_sorts(setting, replace(module, facts=facts))
        return insert_watches(module)

    monkeypatch.setattr(build_stages_and_ir_listing, "select_module", select_narrower)
    watch.play(build_program(GAME), 2, range(20))
    assert watch.errors
