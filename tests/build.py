"""Small programs made by hand from core nodes, for tests of the engine that need no parser."""

from __future__ import annotations

from typing import Any

from lusory_dsl import core
from lusory_dsl.source import Source, Span
from lusory_dsl.types import INT, PLAYER, TEXT, ComponentType, EnumType, ListType, Type

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
    given = {"label": None, "n_slots": 8, "condition": None, "repeat": None, "bound": 0, "children": (), **options}
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
        "unlimited": False,
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
    """A program with the enum ``Colour``, a few tiles, and the given parts."""
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
        "layout": core.Layout((), (), (), ()),
        "directory": None,
    }
    for section in ("variables", "pools", "zones", "queries", "effects", "tables"):
        given[section] = {item.name: item for item in parts.pop(section, ())}
    return core.Program(**{**given, **parts})
