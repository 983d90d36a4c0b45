"""Test the evaluator on small programs of core nodes, without the parser.

The conformance tests cover the meaning of each construct. These tests cover what is specific to the engine: stopping
and resuming, chance, events and faults.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from lusory.evaluator.evaluator import Evaluator
from lusory.state.decisions_outcomes_and_faults import Decision, RulesetFault
from lusory.state.setting_and_builtin_functions import FUNCTIONS, ForcedChance, Setting
from lusory.state.state import State, StateLayout
from lusory_dsl import core
from lusory_dsl.source.source import Source, Span
from lusory_dsl.types.builtins import RUNTIME_FUNCTIONS
from lusory_dsl.types.types import BOOL, INT, PLAYER, TEXT, ComponentType, EnumType, ListType, Type, optional

# ---------------------------------------------------------------- builders

AT = Span(Source("test.yaml", "a test"), 0, 6)
COLOUR = EnumType("Colour")
TILE = ComponentType("Tile")
ALL = core.Visibility("all", None)
OWNER = core.Visibility("owner", None)
NOBODY = core.Visibility("nobody", None)
BY_PLAYER = core.Dim(PLAYER)


def const(value: Any, type: Type = INT) -> core.Const:
    return core.Const(type, AT, value)


def local(slot: int, type: Type = INT, name: str = "x") -> core.Local:
    return core.Local(type, AT, slot, name)


def read(place: str, *indices: core.Expr, type: Type = INT) -> core.ReadCell:
    return core.ReadCell(type, AT, place, indices)


def zone(name: str, *indices: core.Expr) -> core.ReadZone:
    return core.ReadZone(ListType(TILE), AT, name, indices)


def op(left: core.Expr, symbol: str, right: core.Expr, type: Type = INT) -> core.Binary:
    return core.Binary(type, AT, symbol, left, right)


def items(*values: core.Expr | int, type: Type = INT) -> core.ListLit:
    return core.ListLit(ListType(type), AT, tuple(v if isinstance(v, core.Expr) else const(v, type) for v in values))


def up_to(low: int, high: int) -> core.Range:
    return core.Range(ListType(INT), AT, const(low), const(high))


def call(name: str, *args: core.Expr, type: Type = INT) -> core.CallBuiltin:
    return core.CallBuiltin(type, AT, name, args)


def text(*parts: str | core.Expr) -> core.TextTemplate:
    return core.TextTemplate(TEXT, AT, parts)


def put(place: str, *indices_and_value: core.Expr, op: str = "set") -> core.SetCell:
    return core.SetCell(AT, place, indices_and_value[:-1], op, indices_and_value[-1])


def var(
    slot: int, name: str, domain: core.Expr, condition: core.Expr | None = None, secret: bool = False
) -> core.ChoiceVar:
    return core.ChoiceVar(slot, name, domain, condition, secret, AT)


def way(
    *variables: core.ChoiceVar,
    name: str | None = None,
    body: tuple[core.Stmt, ...] = (),
    conditions: tuple[core.Expr, ...] = (),
    label: core.TextTemplate | None = None,
) -> core.Alternative:
    return core.Alternative(name, label, conditions, variables, body, AT)


def ask(
    site: int, *ways: core.Alternative, chooser: core.Expr | None = None, otherwise: tuple[core.Stmt, ...] = ()
) -> core.Ask:
    return core.Ask(AT, site, chooser or const(0, PLAYER), text("Well?"), ways, otherwise)


def choose(site: int, slot: int, domain: core.Expr, *body: core.Stmt, **options: Any) -> core.Ask:
    return ask(site, way(var(slot, "x", domain), body=body), **options)


def each(slot: int, source: core.Expr, *body: core.Stmt, condition: core.Expr | None = None) -> core.ForEach:
    return core.ForEach(AT, slot, "x", source, condition, body)


def players() -> core.Players:
    return core.Players(ListType(PLAYER), AT)


def phase(id: str, *body: core.Stmt, **options: Any) -> core.Phase:
    given: dict[str, Any] = {
        "label": None,
        "n_slots": 8,
        "condition": None,
        "repeat": None,
        "bound": 0,
        "children": (),
        **options,
    }
    return core.Phase(id=id, body=body, span=AT, **given)


def variable(
    name: str,
    start: core.Expr | None = None,
    *dims: core.Dim,
    type: Type = INT,
    visible: core.Visibility = ALL,
    label: str = "",
) -> core.Variable:
    return core.Variable(name, dims, type, start or const(0), 4, visible, label, "")


def pool(name: str, *dims: core.Dim, start: tuple[int, ...] = (0, 0, 0), **options: Any) -> core.Pool:
    given = {
        "kinds": (0, 1, 2),
        "is_unlimited": False,
        "visible": ALL,
        "moves": ALL,
        "label": name.capitalize(),
        **options,
    }
    starts = tuple(const(n) for n in start)
    return core.Pool(name=name, dims=dims, holds=COLOUR, start=starts, n_slots=2, doc="", **given)


def card_zone(name: str, *dims: core.Dim, start: tuple[int, ...] = (), visible: core.Visibility = ALL) -> core.CardZone:
    return core.CardZone(name, dims, TILE, start, visible, name.capitalize(), "")


def program(*phases: core.Phase, tiles: int = 4, **parts: Any) -> core.Program:
    """Return a program with the enum ``Colour``, ``tiles`` tiles, and the given parts."""
    colours = (("red", "Red", "reds"), ("green", "Green", "greens"), ("blue", "Blue", None))
    entities = tuple(core.Entity(i, "Tile", f"t{i}", f"t{i}", f"Tile {i}", {"worth": 10 * i}) for i in range(tiles))
    given: dict[str, Any] = {
        "id": "test",
        "name": "Test",
        "version": "1",
        "digest": "0" * 64,
        "min_players": 2,
        "max_players": 4,
        "about": "",
        "options": (),
        "enums": {"Colour": core.Enum("Colour", tuple(core.EnumValue(n, lb, p, n[0]) for n, lb, p in colours))},
        "tables": {},
        "entities": entities,
        "component_kinds": {"Tile": (0, tiles)},
        "component_fields": {"Tile": {"worth": INT}},
        "queries": {},
        "effects": {},
        "setup": phase("setup"),
        "phases": phases,
        "scoring": core.Scoring((const(0),), None, (), 2),
        "invariants": (),
        "layout": core.ViewLayout((), (), (), (), ()),
        "directory": None,
    }
    for section in ("boards", "pictures", "variables", "pools", "zones", "queries", "effects", "tables"):
        given[section] = {item.name: item for item in parts.pop(section, ())}
    return core.Program(**{**given, **parts})


# ---------------------------------------------------------------- playing

N = variable("n")


def engine(made: core.Program, seats: int = 2) -> Evaluator:
    return Evaluator(Setting(made, StateLayout(made, seats), seats, {}))


def value(made: Evaluator, state: State, name: str, *indices: int) -> Any:
    return state.cells[made.setting.layout.places[name].at(indices)]


def hand(made: Evaluator, state: State, name: str, *indices: int) -> list[int]:
    return state.zones[made.setting.layout.zones[name].at(indices)]


def asked(made: Evaluator, state: State) -> Decision:
    decision = made.decision(state)
    assert decision is not None
    return decision


def values(made: Evaluator, state: State) -> list[tuple[Any, ...]]:
    return [option.values for option in asked(made, state).options]


def play(made: Evaluator, state: State, *wanted: tuple[Any, ...], log: list[Any] | None = None) -> State:
    """Choose the options with these values. The state goes through JSON before each decision."""
    for one in wanted:
        state = State.from_json(json.loads(json.dumps(state.to_json())))
        state = made.apply(state, values(made, state).index(one), log)
    return state


def run(*body: core.Stmt, **parts: Any) -> tuple[Evaluator, State]:
    """Run statements without decisions. Returns the engine and the final state."""
    made = engine(program(phase("main", *body), **{"variables": [N], **parts}))
    return made, made.start(0)


def result(expr: core.Expr) -> Any:
    made, state = run(put("n", expr))
    return value(made, state, "n")


# ---------------------------------------------------------------- expressions


def test_the_engine_has_exactly_the_functions_of_the_table() -> None:
    assert set(FUNCTIONS) == set(RUNTIME_FUNCTIONS)


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        (op(const(-7), "div", const(2)), -4),
        (op(const(-7), "mod", const(2)), 1),
        (op(items(3, 1, 3), "union", items(2, 1)), (3, 1, 3, 2)),
        (op(items(3, 1, 2), "except", items(1)), (3, 2)),
        (op(items(3, 1, 2), "intersect", items(2, 3)), (3, 2)),
        (op(items(1), "join", items(1)), (1, 1)),
        (op(const(None), "=", const(None)), True),
        (op(const(0), "=", const(None)), False),
        (up_to(3, 1), ()),
        (core.Fold(INT, AT, "max", 0, items(), None, local(0)), 0),
        (core.Fold(INT, AT, "sum", 0, items(1, 2, 3), op(local(0), ">", const(1)), local(0)), 5),
        (core.Fold(INT, AT, "count", 0, items(1, 2, 3), None, op(local(0), ">", const(1))), 2),
        (core.Extreme(ListType(INT), AT, "most", 0, items(1, 3, -3, 2), op(local(0), "*", local(0))), (3, -3)),
        (core.Extreme(ListType(INT), AT, "least", 0, items(), local(0)), ()),
        (call("clockwise_from", const(1, PLAYER)), (1, 0)),
        (call("step", items(5, 6, 7), const(5), const(-1)), 7),
        (call("index", items(5, 6), const(6)), 1),
        (call("take", items(5, 6), const(9)), (5, 6)),
        (call("drop", items(5, 6), const(-1)), (5, 6)),
        (call("unique", items(5, 6, 5)), (5, 6)),
        (text("a ", const(1), " ", const(True, BOOL), " ", const(None, optional(INT))), "a 1 yes none"),
    ],
)
def test_values(expr: core.Expr, expected: Any) -> None:
    assert result(expr) == expected


def test_and_or_and_if_look_at_no_more_than_they_need() -> None:
    bad = op(op(const(1), "div", const(0)), "=", const(1), BOOL)
    assert result(op(const(False, BOOL), "and", bad)) is False
    assert result(op(const(True, BOOL), "or", bad)) is True
    assert result(core.IfExpr(INT, AT, const(True, BOOL), const(1), op(const(1), "div", const(0)))) == 1


def test_rules_change_a_query_in_their_order() -> None:
    double = core.Modifier("double", None, 1, const(True, BOOL), op(local(1), "*", const(2)), 2, AT)
    more = core.Modifier("more", None, 1, op(local(0), "=", const(5)), op(local(1), "+", const(1)), 2, AT)
    strength = core.Query("strength", False, (core.Param(0, "of", INT),), INT, 1, local(0), (double, more))
    ask_for = [core.CallQuery(INT, AT, "strength", (const(of),)) for of in (4, 5)]
    made, state = run(put("n", items(*ask_for)), queries=[strength])
    assert value(made, state, "n") == (8, 11)


# ---------------------------------------------------------------- choices


def test_later_variables_read_earlier_ones_and_the_first_is_outermost() -> None:
    both = way(var(0, "a", items(1, 2, 3)), var(1, "b", core.Range(ListType(INT), AT, local(0), const(3))))
    made = engine(program(phase("main", ask(0, both))))
    assert values(made, made.start(0)) == [(1, 1), (1, 2), (1, 3), (2, 2), (2, 3), (3, 3)]


def test_alternatives_come_in_order_and_only_where_their_conditions_hold() -> None:
    no = const(False, BOOL)
    ways = (way(name="pass"), way(name="never", conditions=(no,)), way(var(0, "a", items(1, 2)), name="take"))
    made = engine(program(phase("main", ask(0, *ways))))
    assert [(o.alternative, o.values) for o in asked(made, made.start(0)).options] == [(0, ()), (2, (1,)), (2, (2,))]


def test_a_single_option_is_taken_and_none_goes_to_otherwise() -> None:
    body = (
        choose(0, 0, items(4), put("n", local(0))),
        choose(1, 0, items(), otherwise=(put("n", const(1), op="add"),)),
    )
    made = engine(program(phase("main", *body), variables=[N]))
    log: list[Any] = []
    state = made.start(0, log)
    assert value(made, state, "n") == 5
    assert ("choice", 0, 0, 0, (4,), True) in log


def some(low: int, high: int, ordered: bool = False, source: core.Expr | None = None) -> core.AskMany:
    given = source or items(7, 8, 9)
    return core.AskMany(
        AT, 0, const(1, PLAYER), text("Which?"), 0, "xs", given, None, const(low), const(high), ordered, False, 1
    )


def test_some_are_picked_in_the_order_of_the_list() -> None:
    made = engine(program(phase("main", some(1, 2), put("n", local(0))), variables=[N]))
    state = made.start(0)
    assert asked(made, state).seat == 1
    assert values(made, state) == [(7,), (8,), (9,)]
    state = play(made, state, (7,))
    assert values(made, state) == [(), (8,), (9,)]
    assert value(made, play(made, state, ()), "n") == (7,)
    assert value(made, play(made, state, (9,)), "n") == (7, 9)


def test_of_an_exact_number_only_picks_that_leave_enough_are_offered() -> None:
    made = engine(program(phase("main", some(2, 2), put("n", local(0))), variables=[N]))
    state = made.start(0)
    assert values(made, state) == [(7,), (8,)]
    # The last item is forced.
    assert value(made, play(made, state, (8,)), "n") == (8, 9)


def test_an_order_takes_all() -> None:
    made = engine(program(phase("main", some(3, 3, ordered=True), put("n", local(0))), variables=[N]))
    state = play(made, made.start(0), (8,))
    assert values(made, state) == [(7,), (9,)]
    assert value(made, play(made, state, (9,)), "n") == (8, 9, 7)


def test_more_than_there_are_means_all_of_them() -> None:
    made, state = run(some(5, 9), put("n", local(0)))
    assert value(made, state, "n") == (7, 8, 9)


# ---------------------------------------------------------------- stopping and going on


def drafting() -> core.Program:
    """Return a program with one phase in which each player rolls, takes a tile and names a number."""
    roll = core.Random(AT, 1, "rolled", up_to(1, 6), None, "dice", (), ())
    pick = choose(
        0,
        2,
        zone("row"),
        core.MoveCards(AT, local(2, TILE), "mine", (local(0, PLAYER),), "bottom"),
        chooser=local(0, PLAYER),
    )
    name = choose(1, 3, up_to(1, 3), put("n", op(local(1), "*", local(3)), op="add"), chooser=local(0, PLAYER))
    body = (core.Shuffle(AT, "row", (), "shuffle"), each(0, players(), roll, pick, name))
    zones = [card_zone("row", start=(0, 1, 2, 3)), card_zone("mine", BY_PLAYER)]
    again = op(read("round"), "<", const(2), BOOL)
    turn = phase("turn", *body, put("round", const(1), op="add"), repeat=again, bound=2)
    return program(turn, variables=[N, variable("round")], zones=zones)


def test_a_game_stopped_at_every_decision_is_the_game_played_in_one_go() -> None:
    made = engine(drafting())
    log: list[Any] = []
    state = made.start(3, log)
    while (decision := made.decision(state)) is not None:
        before = State.from_json(json.loads(json.dumps(state.to_json())))
        assert before == state
        assert hash(before) == hash(state)
        first = made.apply(state, len(decision.options) - 1, log)
        assert made.apply(before, len(decision.options) - 1) == first
        assert state == before, "the old state is as it was"
        state = first
    assert [event[0] for event in log].count("shuffle") == 2, "what happened before a stop is told once"
    assert [event[0] for event in log].count("random") == 4
    rolled = [event[2] for event in log if event[0] == "random"]
    named = [event[4][0] for event in log if event[0] == "choice" and event[2] == 1]
    assert value(made, state, "n") == sum(a * b for a, b in zip(rolled, named, strict=True))


def test_dictated_chance_is_remembered_over_a_stop() -> None:
    made = engine(drafting())
    forced = ForcedChance(dice=[6, 5], shuffles=[(2,)])
    state = made.start(0, None, forced)
    assert values(made, state) == [(2,), (0,), (1,), (3,)]
    state = play(made, state, (2,))
    state = made.apply(state, 0, None, forced)
    state = play(made, state, (1,), (1,))
    assert value(made, state, "n") == 11
    assert forced == ForcedChance()


def test_dictated_chance_must_be_possible() -> None:
    with pytest.raises(RulesetFault, match="not possible here"):
        engine(drafting()).start(0, None, ForcedChance(dice=[7]))
    with pytest.raises(RulesetFault, match="not in this zone"):
        engine(drafting()).start(0, None, ForcedChance(shuffles=[(9,)]))


def test_play_goes_on_from_the_start_of_a_phase() -> None:
    def note(digit: int) -> core.SetCell:
        return put("n", op(op(read("n"), "*", const(10)), "+", const(digit)))

    children = (phase("one", note(1)), phase("two", note(2)))
    outer = phase("outer", children=children, repeat=op(read("n"), "<", const(100), BOOL), bound=9)
    made = engine(program(outer, phase("three", note(3)), variables=[N]))
    assert value(made, made.start(0), "n") == 12123
    fresh = State([0 if cell == 12123 else cell for cell in made.start(0).cells], [], [])
    assert value(made, made.enter("two", fresh), "n") == 2123


def test_a_phase_without_its_condition_is_skipped_with_all_inside() -> None:
    log: list[Any] = []
    no = const(False, BOOL)
    made = engine(program(phase("outer", children=(phase("inner"),), condition=no), phase("last")))
    made.start(0, log)
    assert log == [("phase", "setup"), ("phase", "last"), ("end", None)]


def test_the_phase_under_way_is_known() -> None:
    made = engine(program(phase("outer", children=(phase("inner", choose(0, 0, items(1, 2))),))))
    state = made.start(0)
    assert made.phase_of(state) == "inner"
    assert made.phase_of(play(made, state, (1,))) is None


# ---------------------------------------------------------------- statements and events


def moved(amount: int | None, kind: int | None, **bank: Any) -> tuple[list[Any], list[int]]:
    move = core.MoveCount(
        AT,
        None if kind is None else const(kind, COLOUR),
        None if amount is None else const(amount),
        "bank",
        (),
        "purse",
        (const(1, PLAYER),),
    )
    pools = [pool("bank", start=(2, 0, 5), **bank), pool("purse", BY_PLAYER, moves=OWNER)]
    made = engine(program(phase("main", move), pools=pools))
    log: list[Any] = []
    state = made.start(0, log)
    return [event for event in log if event[0] == "move"], [value(made, state, "bank", kind) for kind in range(3)]


def test_counters_move_as_far_as_there_are_any() -> None:
    assert moved(3, 0) == ([("move", 0, 2, "bank", (), "purse", (1,), 0b10)], [0, 0, 5])
    assert moved(3, 1) == ([], [2, 0, 5])
    assert moved(-1, 0) == ([], [2, 0, 5])
    assert moved(3, 1, is_unlimited=True)[1] == [2, -3, 5]


def test_all_counters_move_kind_by_kind() -> None:
    events, left = moved(None, None)
    assert [(event[1], event[2]) for event in events] == [(0, 2), (2, 5)]
    assert left == [0, 0, 0]


def test_a_pool_takes_only_its_kinds() -> None:
    move = core.MoveCount(AT, const(1, COLOUR), const(1), "bank", (), "jar", ())
    made = engine(program(phase("main", move), pools=[pool("bank", start=(1, 1, 1)), pool("jar", kinds=(0,))]))
    with pytest.raises(RulesetFault, match="the pool jar can't hold green"):
        made.start(0)


@pytest.mark.parametrize(("position", "expected"), [("top", [3, 1, 0]), ("bottom", [0, 3, 1])])
def test_a_list_of_cards_keeps_its_order(position: str, expected: list[int]) -> None:
    zones = [card_zone("row", start=(1, 2, 3)), card_zone("mine", BY_PLAYER, start=(), visible=OWNER)]
    first = core.MoveCards(AT, const(0, TILE), "mine", (const(0, PLAYER),), "top")
    both = core.MoveCards(AT, items(3, 1, type=TILE), "mine", (const(0, PLAYER),), position)
    made = engine(program(phase("main", first, both), zones=zones))
    log: list[Any] = []
    state = made.start(0, log)
    assert hand(made, state, "mine", 0) == expected
    assert hand(made, state, "row") == [2]
    assert ("cards", (0,), "mine", (0,), "top", (None,), 0b01) in log, "nobody saw where it came from"
    assert ("cards", (3, 1), "mine", (0,), position, (("row", ()),) * 2, 0b11) in log, "all saw it leave the row"


def test_an_effect_is_replaced_and_answered_to() -> None:
    def note(digit: int) -> tuple[core.Stmt, ...]:
        return (put("n", op(op(read("n"), "*", const(10)), "+", const(digit))),)

    big = op(local(0), ">", const(5), BOOL)
    first, second = core.Rule("first", big, 1, note(2), AT), core.Rule("second", big, 1, note(3), AT)
    instead = (core.Rule("other", op(local(0), "=", const(9), BOOL), 1, note(4), AT),)
    deed = core.Effect("deed", False, (core.Param(0, "size", INT),), 1, note(1), instead, (first, second))
    calls = [core.CallEffect(AT, "deed", (const(size),)) for size in (5, 6, 9)]
    made, state = run(*calls, effects=[deed])
    assert value(made, state, "n") == 1_123_423


def test_stop_leaves_the_innermost_loop() -> None:
    inner = each(1, up_to(1, 9), put("n", const(1), op="add"), core.Stop(AT))
    made, state = run(each(0, up_to(1, 3), inner))
    assert value(made, state, "n") == 3


def test_a_loop_takes_its_list_once_but_reads_its_condition_each_time() -> None:
    small = op(read("n"), "<", const(2), BOOL)
    made, state = run(each(0, up_to(1, 5), put("n", const(1), op="add"), condition=small))
    assert value(made, state, "n") == 2


def test_the_game_ends_at_once() -> None:
    made = engine(program(phase("main", core.EndGame(AT, text("of ", const(3))), put("n", const(1))), variables=[N]))
    log: list[Any] = []
    state = made.start(0, log)
    assert value(made, state, "n") == 0
    assert log[-1] == ("end", "of 3")
    assert made.decision(state) is None


def test_who_learns_of_what() -> None:
    secret = variable("secret", const(0), BY_PLAYER, visible=OWNER)
    shared = core.Visibility(None, op(read("open"), "=", const(1), BOOL))
    late = variable("late", const(0), visible=shared)
    made = engine(
        program(
            phase(
                "main",
                put("secret", const(1, PLAYER), const(7)),
                put("late", const(1)),
                put("open", const(1)),
                put("late", const(2)),
                core.Announce(AT, text("psst"), items(0, type=PLAYER)),
                core.Random(AT, 0, "x", items(1, 2), None, "picks", (), (), True, const(1, PLAYER)),
            ),
            variables=[secret, late, variable("open")],
        )
    )
    log: list[Any] = []
    made.start(0, log)
    assert [event[-1] for event in log if event[0] in ("set", "announce", "random")] == [
        0b10,
        0,
        0b11,
        0b11,
        0b01,
        0b10,
    ]


# ---------------------------------------------------------------- faults


@pytest.mark.parametrize(
    ("expr", "message"),
    [
        (op(const(1), "div", const(0)), "division by zero"),
        (op(const(1), "mod", const(0)), "division by zero"),
        (call("first", items()), "no first item"),
        (call("last", items()), "no last item"),
        (call("at", items(1), const(1)), "no item 1"),
        (call("index", items(1), const(2)), "not in the list"),
        (call("step", items(), const(2), const(1)), "not in the list"),
        (read("row_of", const(9)), "index 9"),
        (op(const(None), "+", const(1)), "none"),
        (read("nothing"), "none"),
        (up_to(1, 100_001), "longer than 100,000"),
    ],
)
def test_faults_of_expressions_name_their_place(expr: core.Expr, message: str) -> None:
    declared = [N, variable("row_of", const(0), core.Dim(INT, 1, 3)), variable("nothing", const(None))]
    with pytest.raises(RulesetFault, match=message) as caught:
        run(put("n", expr), variables=declared)
    assert caught.value.span == AT
    assert caught.value.trail == ("main",)


def endless() -> core.Repeat:
    return core.Repeat(AT, None, const(True, BOOL), const(10), ())


def test_a_loop_beyond_its_bound_is_a_fault_that_tells_where_and_shows_the_table() -> None:
    deed = core.Effect("deed", False, (), 1, (put("n", const(4)), endless()))
    with pytest.raises(RulesetFault, match="ran 10 times") as caught:
        run(core.CallEffect(AT, "deed", ()), effects=[deed])
    assert caught.value.trail == ("main", "deed")
    assert caught.value.position.startswith("n = 4")
    assert str(caught.value).startswith("test.yaml:1:1: ")


def test_a_phase_beyond_its_bound_is_a_fault() -> None:
    with pytest.raises(RulesetFault, match="`on` ran 3 times, its limit, and was not finished"):
        engine(program(phase("on", repeat=const(True, BOOL), bound=3))).start(0)
