"""Build the declarations of a ruleset (:mod:`lusory_dsl.ruleset.model`) from YAML that passed the schema."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, TypeVar, cast

from ..source import diagnostic_codes as codes
from ..source.dataclass_with_lazy_methods import fields
from ..source.diagnostics import Diagnostics
from ..source.in_memory_cache_of_parsed_and_checked_texts import get_cached, keep_with
from ..source.source import EmbeddedText, Span
from ..yaml.reader import (
    Entry,
    YamlMapping,
    YamlNode,
    YamlScalar,
    YamlSequence,
    iterate_named_entries,
    list_entries,
    list_items,
)
from . import model
from .model import Value, Word
from .schema_validation import validate

_T = TypeVar("_T")

RESOURCE = "Resource"
"""Name of the enum that the section ``resources`` declares."""

MAX_PLAYERS = 26

SHAPES = ("grid", "hex", "ring", "track", "links", "lines")
"""Keys that give the shape of a board."""

NAME = "<name>"
"""Stands for the key under which a declaration is, where the keys of a declaration are asked for by name."""


def build_ruleset(root: YamlMapping, diagnostics: Diagnostics, **values: object) -> model.Ruleset:
    """Build the whole ruleset from its merged sections. Each section has the order of its declarations.

    The sections must match the schema. One that is missing gives () or None; only ``game`` must exist. The resources,
    if declared, become the first enum, ``Resource``. ``values`` are the fields that no section gives. Reports what the
    schema can't check: empty ranges, too many players, and wrong start values and actions of keywords.
    """
    return _build(model.Ruleset, _Keys(root, _Context(root, diagnostics)), **values)


class _Context:
    """The diagnostics, and the declared keywords, which the reading of any declaration can need."""

    def __init__(self, root: YamlMapping, diagnostics: Diagnostics) -> None:
        self.diagnostics = diagnostics
        entries = list_entries(root.get("keywords"))
        self.keywords = {key.text: declaration for key, declaration in entries}
        self.keywords_identity = get_cached(("keywords", entries), object)
        """The identity of the keywords, on which the form of their values in cards depends."""


class _Keys:
    """Typed access to the keys of one declaration.

    The schema has checked it, so required keys exist and have the right kind. ``name`` is the key under which the
    declaration is. It is None for an item of a list. Methods find it as the key :data:`NAME`.
    """

    def __init__(self, node: YamlNode, context: _Context, name: YamlScalar | None = None) -> None:
        self.node = node
        self.context = context
        self.name = name
        self._mapping = node if isinstance(node, YamlMapping) else None

    def __contains__(self, name: str) -> bool:
        """Return whether the declaration has the key, with any value."""
        return self.get(name) is not None

    def get(self, name: str) -> YamlNode | None:
        """Return the value of a key, or None if the key is missing or the declaration is no mapping."""
        if name == NAME:
            return self.name
        return None if self._mapping is None else self._mapping.get(name)

    def get_key(self, name: str) -> YamlScalar:
        """Return the key itself with its position. Raises AssertionError if it is missing, and for :data:`NAME`."""
        key = None if self._mapping is None else self._mapping.get_key(name)
        assert key is not None, name
        return key

    def get_node(self, name: str) -> YamlNode:
        """Return the value of a key. Raises AssertionError if the key is missing or the declaration is no mapping.

        :data:`NAME` gives ``self.name``, and raises AssertionError only if that is None.
        """
        node = self.get(name)
        assert node is not None, name
        return node

    def enter(self, node: YamlNode, name: YamlScalar | None = None) -> _Keys:
        """Return the keys of a declaration inside this one."""
        return _Keys(node, self.context, name)

    def enter_items(self, name: str) -> list[_Keys]:
        """Return the keys of each item of a list. Returns [] if the key is missing."""
        return [self.enter(item) for item in self.get_items(name)]

    def get_scalar(self, name: str) -> YamlScalar:
        """Return the scalar under a key. The key must exist, and its value must be no list or mapping."""
        return _require_scalar(self.get_node(name))

    def get_items(self, name: str) -> tuple[YamlNode, ...]:
        """Return the items of a list. A single value is a list of one item, and a missing key an empty list."""
        return list_items(self.get(name))

    def get_entries(self, name: str) -> tuple[Entry, ...]:
        """Return the (key, value) pairs of a mapping under a key.

        Returns () if the key is missing or has another value.
        """
        return list_entries(self.get(name))

    def get_text(self, name: str) -> str:
        """Return the text under a key without surrounding blanks, or "" if the key is missing."""
        return _get_stripped_text(self.get_node(name)) if name in self else ""

    def get_number(self, name: str, default: int = 0) -> int:
        """Return the integer under a key, as the schema guarantees, or ``default`` if the key is missing."""
        value = self.get_scalar(name).value if name in self else default
        assert isinstance(value, int)
        return value

    def has_flag(self, name: str) -> bool:
        """Return whether the key exists with the value ``true``."""
        return name in self and self.get_scalar(name).value is True

    def get_word(self, name: str) -> Word:
        """Return the scalar under a key as a word with its position. The key must exist."""
        return _make_word(self.get_node(name))

    def get_pairs(self, name: str, convert: Callable[[YamlNode], _T]) -> tuple[tuple[Word, _T], ...]:
        """Return the entries of a mapping as (key, converted value). Returns () if the key is missing."""
        return tuple((_make_word(key), convert(value)) for key, value in self.get_entries(name))

    def get_embedded(self, name: str) -> EmbeddedText:
        """Return the scalar under a key as effect text. The key must exist."""
        return _make_embedded_text(self.get_node(name))

    def find_embedded(self, name: str) -> EmbeddedText | None:
        """Return the scalar under a key as effect text, or None if the key is missing."""
        return self.get_embedded(name) if name in self else None

    def report(self, message: str, span: Span, hint: str) -> None:
        """Report a value that is not allowed."""
        self.context.diagnostics.add(codes.VALUE_NOT_ALLOWED, message, span, hint)


def _require_scalar(node: YamlNode) -> YamlScalar:
    """Return the node itself, which must be a scalar. Raises AssertionError for a list or mapping."""
    assert isinstance(node, YamlScalar)
    return node


def _get_stripped_text(node: YamlNode) -> str:
    """Return the text of a scalar without surrounding blanks."""
    return _require_scalar(node).text.strip()


def _make_word(node: YamlNode) -> Word:
    """Return a name with its position in the source."""
    return Word(_get_stripped_text(node), node.span)


def _make_embedded_text(node: YamlNode) -> EmbeddedText:
    """Return text of the effect language, with its positions in the source."""
    return _require_scalar(node).embedded_text


# ---------------------------------------------------------------- any declaration


def _build(decl: Callable[..., _T], keys: _Keys, **values: object) -> _T:
    """Return a declaration whose fields are ``values``, or else read from its keys.

    A field is read by the function in :data:`_READERS_BY_CLASS` for the class, or else from the key of the same name,
    without ``is_``. :data:`_KEYS` has the fields with another name than their key. The type of the field then says how
    to read it. A missing key gives None, "", (), 0 or False. The schema guarantees that required keys exist.
    """
    read_values = _READERS_BY_CLASS.get(decl)
    if read_values is not None:
        values |= read_values(keys)
    for decl_field in fields(cast(Any, decl)):
        if decl_field.name not in values:
            key, type = _KEYS.get(decl_field.name, decl_field.name.removeprefix("is_")), str(decl_field.type)
            values[decl_field.name] = _read_field(keys, NAME if (key, type) == ("name", "Word") else key, type)
    return decl(**values)


def _read_field(keys: _Keys, key: str, type: str) -> object:
    """Return the value of a key for a field of a type, as the model writes it: see :data:`_READERS`.

    A class of the model is read from a mapping, and a tuple of such a class from a list, or from a mapping of names.
    """
    kind = type.removesuffix(" | None")
    if kind != type and key not in keys:
        return None
    if kind in _READERS:
        return _READERS[kind](keys, key)
    if not kind.startswith("tuple["):
        return _build(getattr(model, kind), keys.enter(keys.get_node(key), keys.get_key(key)))
    return _build_all(getattr(model, kind.removeprefix("tuple[").removesuffix(", ...]")), keys, keys.get(key))


def _build_all(decl: Callable[..., _T], keys: _Keys, node: YamlNode | None) -> tuple[_T, ...]:
    """Build the declarations in a list, or in a mapping of names. Takes those that an earlier check has built."""
    if not isinstance(node, YamlMapping):
        return tuple(_build(decl, keys.enter(item)) for item in list_items(node))
    return tuple(
        keep_with(
            item,
            "built",
            (decl, name, keys.context.keywords_identity),
            partial(_build, decl, keys.enter(item, name)),
            keys.context.diagnostics,
        )
        for name, item in node.entries
    )


_KEYS = {
    "condition": "if",
    "conditions": "if",
    "for_each": "for",
    "frame_names": "frame",
    "is_cropped": "crop",
    "is_per_player": "per",
    "letters": "name",
    "looks": "show",
    "repeat": "while",
    "since": "from",
    "spaces": "ring",
}
"""Field of a declaration -> its key in YAML, if they differ. A word ``name`` is the key of the declaration itself."""


def _build_value(node: YamlNode) -> Value:
    if isinstance(node, YamlMapping):
        return Value(tuple((_make_word(key), _build_value(value)) for key, value in node.entries), True, node.span)
    if isinstance(node, YamlSequence):
        return Value(tuple(_build_value(item) for item in node.items), False, node.span)
    return Value(_require_scalar(node).value, False, node.span)


def _read_items(convert: Callable[[YamlNode], object]) -> Callable[[_Keys, str], object]:
    return lambda keys, name: tuple(map(convert, keys.get_items(name)))


def _read_pairs(convert: Callable[[YamlNode], object]) -> Callable[[_Keys, str], object]:
    return lambda keys, name: keys.get_pairs(name, convert)


def _read_titled_texts(keys: _Keys, name: str) -> tuple[tuple[str, EmbeddedText], ...]:
    """Return a list of mappings with ``title`` and ``value`` as (title, effect text) pairs."""
    return tuple((item.get_text("title"), item.get_embedded("value")) for item in keys.enter_items(name))


def _read_start(keys: _Keys, name: str) -> EmbeddedText | tuple[tuple[Word, Value], ...]:
    """Return the start of a variable: an expression, or entries by index."""
    is_mapping = isinstance(keys.get(name), YamlMapping)
    return keys.get_pairs(name, _build_value) if is_mapping else keys.get_embedded(name)


_READERS: dict[str, Callable[[_Keys, str], object]] = {
    "str": _Keys.get_text,
    "int": _Keys.get_number,
    "bool": lambda keys, name: name in keys if name == "per" else keys.has_flag(name),
    "Word": _Keys.get_word,
    "EmbeddedText": _Keys.get_embedded,
    "Value": lambda keys, name: _build_value(keys.get_node(name)),
    "Span": lambda keys, _: (keys.name or keys.node).span,
    "EmbeddedText | tuple[tuple[Word, Value], ...]": _read_start,
    "tuple[int, int]": lambda keys, name: _parse_range(keys, keys.get_scalar(name)),
    "tuple[str, ...]": _read_items(_get_stripped_text),
    "tuple[Word, ...]": _read_items(_make_word),
    "tuple[EmbeddedText, ...]": _read_items(_make_embedded_text),
    "tuple[tuple[Word, str], ...]": _read_pairs(_get_stripped_text),
    "tuple[tuple[Word, int], ...]": _read_pairs(lambda node: int(_get_stripped_text(node))),
    "tuple[tuple[Word, Word], ...]": _read_pairs(_make_word),
    "tuple[tuple[Word, Value], ...]": _read_pairs(_build_value),
    "tuple[tuple[Word, EmbeddedText], ...]": _read_pairs(_make_embedded_text),
    "tuple[tuple[str, EmbeddedText], ...]": _read_titled_texts,
}
"""Type of a field, as the model writes it without ``None`` -> how its key is read.

A span is that of the declaration's key, or of an item as a whole.
"""


# ---------------------------------------------------------------- fields that need more than their type
# Each function returns the values of some fields of one class.


def _read_ruleset(keys: _Keys) -> dict[str, object]:
    """Read the enums. The resources are the first of them."""
    enums = _build_all(model.EnumDecl, keys, keys.get("enums"))
    if "resources" in keys:
        values = _build_all(model.EnumValueDecl, keys, keys.get("resources"))
        enums = (model.EnumDecl(Word(RESOURCE, keys.get_key("resources").span), values), *enums)
    return {"enums": enums}


def _read_game(keys: _Keys) -> dict[str, object]:
    """Read the title, and the range of players. Reports a maximum above :data:`MAX_PLAYERS`."""
    players = keys.get_scalar("players")
    low, high = _parse_range(keys, players)
    if high > MAX_PLAYERS:
        keys.report(f"`game.players`: at most {MAX_PLAYERS} can play", players.span, "lower the number")
    return {"name": keys.get_text("name"), "min_players": low, "max_players": high}


def _read_start_page(keys: _Keys) -> dict[str, object]:
    """Read ``turn``. The headings are None if the author wrote a list. The span is that of the whole page."""
    turn: tuple[tuple[Word | None, str], ...] = keys.get_pairs("turn", _get_stripped_text)
    turn = turn or tuple((None, _get_stripped_text(line)) for line in keys.get_items("turn"))
    return {"turn": turn, "span": keys.node.span}


def _read_enum(keys: _Keys) -> dict[str, object]:
    """Read the values, which may be a list of names."""
    entries = iterate_named_entries(keys.node)
    return {"values": tuple(_build(model.EnumValueDecl, keys.enter(details, key)) for key, details in entries)}


def _read_board(keys: _Keys) -> dict[str, object]:
    """Read the shape. ``shapes`` holds each key for one that is present, in the order of :data:`SHAPES`.

    ``size`` is the value of the first of ``grid``, ``hex`` and ``track``, or None.
    """
    size_key = next((key for key in ("grid", "hex", "track") if key in keys), None)
    return {
        "shapes": tuple(_make_word(keys.get_key(key)) for key in SHAPES if key in keys),
        "size": None if size_key is None else keys.get_word(size_key),
        "links": keys.get_pairs("links", lambda node: tuple(map(_make_word, list_items(node)))),
        "lines": keys.get_pairs("lines", _build_lines),
        "is_first_row_north": keys.get_text("first_row") == "north",
    }


def _build_lines(node: YamlNode) -> Word | tuple[EmbeddedText, ...]:
    """Return the number of spaces of each line, or the lines themselves."""
    return tuple(map(_make_embedded_text, node.items)) if isinstance(node, YamlSequence) else _make_word(node)


def _read_component(keys: _Keys) -> dict[str, object]:
    """Read the queries. ``blank`` becomes the first one."""
    queries = _build_all(model.MemberQueryDecl, keys, keys.get("queries"))
    if "blank" in keys:
        key = keys.get_key("blank")
        type, condition = Word("Bool", key.span), keys.get_embedded("blank")
        queries = (model.MemberQueryDecl(_make_word(key), "", False, (), type, condition), *queries)
    return {"queries": queries, "can_be_blank": "blank" in keys}


def _read_card(keys: _Keys) -> dict[str, object]:
    """Read a card, or a family of cards if it has the key ``for``.

    The label, copies and fields of a family are in its family declaration; here they are None, 1 and ().
    """
    keywords = tuple(entry for node in keys.get_items("keywords") for entry in _iterate_keywords(keys, node))
    values: dict[str, object] = {"id": keys.get_word(NAME), "keywords": keywords, "values": ()}
    if "for" in keys:
        family = _build(model.FamilyDecl, keys)
        return values | {"family": family, "label": None, "copies": 1, "fields": ()}
    return values | {"copies": keys.get_number("copies", 1)}


def _iterate_keywords(
    keys: _Keys, node: YamlNode
) -> Iterator[tuple[Word, Value | EmbeddedText | model.ActionDecl | None]]:
    """Yield each keyword of a list item with its value: ``rush``, or ``{armour: 2}``.

    The value is None for a keyword without one.
    """
    if isinstance(node, YamlMapping):
        yield from ((_make_word(key), _build_keyword_value(keys.enter(value, key))) for key, value in node.entries)
    else:
        yield _make_word(node), None


def _build_keyword_value(keys: _Keys) -> Value | EmbeddedText | model.ActionDecl:
    """Return the value of a keyword on a card, in the form that the keyword declares.

    For ``effect`` or ``to`` a text of code; for ``action`` an action, from a text or a mapping; otherwise, and for any
    other node or an unknown keyword, plain data. A mapping that is no valid action is reported, and stays data.
    """
    name, node = keys.get_word(NAME).text, keys.node
    declaration = keys.context.keywords.get(name)
    if isinstance(declaration, YamlMapping):
        takes_code = declaration.get("effect") is not None or declaration.get("to") is not None
        if takes_code and isinstance(node, YamlScalar):
            return _make_embedded_text(node)
        if declaration.get("action") is not None and not isinstance(node, YamlSequence):
            findings = Diagnostics()
            if isinstance(node, YamlMapping):
                validate(node, "ruleset", findings, definition="action", label=name)
            keys.context.diagnostics.extend(findings.list_sorted())
            return _build_value(node) if findings.has_errors else _build(model.ActionDecl, keys)
    return _build_value(node)


def _read_short_form(keys: _Keys, name: str) -> dict[str, object]:
    """Read a declaration that is just a text, as a mapping has it under the key ``name``."""
    return {name: _make_embedded_text(keys.node)} if isinstance(keys.node, YamlScalar) else {}


def _read_keyword(keys: _Keys) -> dict[str, object]:
    """Read the member: the effect, or else the action, that the keyword declares, or None."""
    if "effect" in keys:
        return {"member": _build(model.MemberEffectDecl, keys.enter(keys.get_node("effect"), keys.name))}
    if "action" in keys:
        return {"member": _build(model.MemberActionDecl, keys.enter(keys.get_node("action"), keys.name))}
    return {"member": None}


def _read_table(keys: _Keys) -> dict[str, object]:
    """Read the values. Without the key, they are an empty mapping."""
    return {} if "values" in keys else {"values": Value((), True, keys.get_node(NAME).span)}


def _read_zone(keys: _Keys) -> dict[str, object]:
    """Read what a zone starts with, and who sees it.

    The start is in one of ``start`` (pairs of a mapping, else ()), ``start_kind`` (``all Card``, else None) and
    ``start_expression`` (else None). ``visible`` is one text for all cards, or a mapping with ``top``, ``bottom`` and
    ``rest``.
    """
    visible = keys.get("visible")
    values: dict[str, object] = {
        "start_kind": _match_all_of_kind(keys.get("start")),
        "start_expression": _read_start_expression(keys),
    }
    if isinstance(visible, YamlMapping):
        places = keys.enter(visible)
        values |= {"visible": places.find_embedded("rest")}
        values |= {end: places.find_embedded(end) for end in ("top", "bottom")}
    return values


def _read_start_expression(keys: _Keys) -> EmbeddedText | None:
    """Return the start of a zone if it is an expression.

    Returns None without a start, and for a mapping or ``all KIND``. Also returns None after reporting a bare ``all``,
    or a text such as ``gold 3``, which must be written as ``gold: 3``.
    """
    start = keys.get("start")
    if not isinstance(start, YamlScalar) or _match_all_of_kind(start) is not None:
        return None
    if start.text.strip() == "all":
        correction = f"all {keys.get_text('holds')}"
    elif match := re.fullmatch(r"\s*([a-z]\w*) +(\d+)\s*", start.text):
        correction = f"{match[1]}: {match[2]}"
    else:
        return _make_embedded_text(start)
    keys.report(f"`{start.text}` is not a start value of a zone", start.span, f"write `{correction}`")
    return None


def _match_all_of_kind(start: YamlNode | None) -> Word | None:
    """Return ``Card`` if a zone starts with ``all Card``, else None."""
    if not isinstance(start, YamlScalar):
        return None
    embedded = start.embedded_text
    match = re.fullmatch(r"\s*all\s+(\w+)\s*", embedded.text)
    return Word(match[1], embedded.make_span(match.start(1), match.end(1))) if match else None


def _read_window(keys: _Keys) -> dict[str, object]:
    return {
        "lasts_until_all_pass": keys.get_text("passes") == "until all pass",
        "is_last_first": keys.get_text("order") == "last first",
    }


def _read_balance(keys: _Keys) -> dict[str, object]:
    """Read the bounds. A single number under ``change`` bounds the change in both directions."""
    return {
        "within": tuple(_iterate_thresholds(keys, keys.get_entries("within"), False)),
        "change": tuple(_iterate_thresholds(keys, keys.get_entries("change"), True)),
    }


def _iterate_thresholds(keys: _Keys, entries: tuple[Entry, ...], is_change: bool) -> Iterator[model.ThresholdDecl]:
    """Yield bounds of statistics, with one entry for each seat or ending that a mapping names.

    If ``is_change`` is True, a single number bounds the change in both directions.
    """
    for key, node in entries:
        pairs = node.entries if isinstance(node, YamlMapping) else ((None, node),)
        for subject, value in pairs:
            low, high = _parse_range(keys, _require_scalar(value))
            if high > 100 and _get_stripped_text(value).endswith("%"):
                message = f"`{_get_stripped_text(value)}`: a share is at most 100 %"
                keys.report(message, value.span, "write whole per cents of games")
            bounds = (-high, high) if is_change else (low, high)
            yield model.ThresholdDecl(_make_word(key), None if subject is None else _make_word(subject), *bounds)


def _parse_range(keys: _Keys, node: YamlScalar) -> tuple[int, int]:
    """Return the ends of a range such as ``2..4``. A single number is both ends. Reports an empty range."""
    numbers = [int(number) for number in re.findall(r"-?\d+", node.text)]
    low, high = numbers[0], numbers[-1]
    if low > high:
        unit = "%" if node.text.endswith("%") else ""
        keys.report(f"the range `{node.text}` is empty", node.span, f"write `{high}..{low}{unit}`")
    return low, high


def _read_view(keys: _Keys) -> dict[str, object]:
    """Read the panels. The one key of each names its kind: ``board``, ``piles``, or another, a PanelDecl."""
    panels: list[object] = []
    for panel in keys.enter_items("panels"):
        ((kind, inner),) = list_entries(panel.node)
        decl = {"board": model.BoardViewDecl, "piles": model.PilesDecl}.get(kind.text, model.PanelDecl)
        panels.append(_build(decl, panel.enter(inner, kind)))
    return {"panels": tuple(panels)}


def _read_board_view(keys: _Keys) -> dict[str, object]:
    """Read the edges. ``has_headings`` is true unless the author turns it off."""
    edges = keys.enter(keys.get_node("edges")) if "edges" in keys else None
    sides = ("top", "right", "bottom", "left")
    return {
        "has_headings": "headings" not in keys or keys.has_flag("headings"),
        "edges": tuple(None if edges is None else edges.find_embedded(side) for side in sides),
    }


def _read_panel(keys: _Keys) -> dict[str, object]:
    leads = (
        (lead.get_embedded("to"), lead.get_embedded("sign"), lead.find_embedded("if"))
        for lead in keys.enter_items("leads")
    )
    return {"kind": keys.get_text(NAME), "leads": tuple(leads)}


def _read_piles(keys: _Keys) -> dict[str, object]:
    piles = (
        (pile.get_text("title"), pile.get_embedded("cards"), pile.find_embedded("if"))
        for pile in keys.enter_items("of")
    )
    return {"piles": tuple(piles)}


def _read_look(keys: _Keys) -> dict[str, object]:
    marks = (
        (mark.get_text("sign"), mark.get_text("colour"), mark.find_embedded("if")) for mark in keys.enter_items("marks")
    )
    return {"type": keys.get_word(NAME), "marks": tuple(marks)}


_READERS_BY_CLASS: Mapping[object, Callable[[_Keys], dict[str, object]]] = {
    model.Ruleset: _read_ruleset,
    model.GameDecl: _read_game,
    model.StartPageDecl: _read_start_page,
    model.RecommendedDecl: lambda keys: {"name": keys.get_text(NAME)},
    model.EnumDecl: _read_enum,
    model.BoardDecl: _read_board,
    model.ComponentDecl: _read_component,
    model.CardDecl: _read_card,
    model.FamilyDecl: lambda keys: {"id": keys.get_embedded(NAME)},
    model.ActionDecl: lambda keys: _read_short_form(keys, "do"),
    model.CardRuleDecl: lambda keys: _read_short_form(keys, "rule"),
    model.KeywordDecl: _read_keyword,
    model.TableDecl: _read_table,
    model.ZoneDecl: _read_zone,
    model.WindowDecl: _read_window,
    model.BalanceDecl: _read_balance,
    model.ViewDecl: _read_view,
    model.BoardViewDecl: _read_board_view,
    model.PanelDecl: _read_panel,
    model.PilesDecl: _read_piles,
    model.LookDecl: _read_look,
}
"""Class of the model -> the function that reads the fields for which their type is not enough."""
