"""Build the declarations of a ruleset (:mod:`lusory_dsl.ruleset.model`) from YAML that passed the schema."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeVar, cast

from ..source import diagnostic_codes as codes
from ..source.dataclass_with_lazy_methods import dataclass, field, fields, replace
from ..source.diagnostics import Diagnostics
from ..source.in_memory_check_cache import get_cached, keep_with
from ..source.source import EmbeddedText, Source
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


class _Keys:
    """Typed access to the keys of one declaration.

    The schema has checked it, so required keys exist and have the right kind.
    """

    def __init__(self, node: YamlNode) -> None:
        self.node = node
        self._mapping = node if isinstance(node, YamlMapping) else None

    def __contains__(self, name: str) -> bool:
        """Return whether the declaration has the key, with any value."""
        return self.get(name) is not None

    def get(self, name: str) -> YamlNode | None:
        """Return the value of a key, or None if the key is missing or the declaration is no mapping."""
        return None if self._mapping is None else self._mapping.get(name)

    def get_key(self, name: str) -> YamlScalar:
        """Return the key itself with its position. Raises AssertionError if the key is missing."""
        key = None if self._mapping is None else self._mapping.get_key(name)
        assert key is not None, name
        return key

    def _get_node(self, name: str) -> YamlNode:
        """Return the value of a key that must exist."""
        node = self.get(name)
        assert node is not None, name
        return node

    def get_scalar(self, name: str) -> YamlScalar:
        """Return the scalar under a key. The key must exist, and its value must be no list or mapping."""
        return _require_scalar(self._get_node(name))

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
        return _get_stripped_text(self._get_node(name)) if name in self else ""

    def get_number(self, name: str, default: int = 0) -> int:
        """Return the integer under a key, or ``default`` if the key is missing.

        The schema guarantees that it is an integer. Raise AssertionError otherwise, except for a truth value.
        """
        value = self.get_scalar(name).value if name in self else default
        assert isinstance(value, int)
        return value

    def has_flag(self, name: str) -> bool:
        """Return whether the key exists with the value ``true``."""
        return name in self and self.get_scalar(name).value is True

    def get_word(self, name: str) -> Word:
        """Return the scalar under a key as a word with its position. The key must exist."""
        return _make_word(self._get_node(name))

    def get_pairs(self, name: str, convert: Callable[[YamlNode], _T]) -> tuple[tuple[Word, _T], ...]:
        """Return the entries of a mapping as (key, converted value). Returns () if the key is missing."""
        return tuple((_make_word(key), convert(value)) for key, value in self.get_entries(name))

    def get_titled_texts(self, name: str) -> tuple[tuple[str, EmbeddedText], ...]:
        """Return a list of mappings with ``title`` and ``value`` as (title, effect text) pairs.

        Returns () if the key is missing.
        """
        return tuple((item.get_text("title"), item.get_embedded("value")) for item in map(_Keys, self.get_items(name)))

    def get_embedded(self, name: str) -> EmbeddedText:
        """Return the scalar under a key as effect text. The key must exist."""
        return _make_embedded_text(self._get_node(name))

    def find_embedded(self, name: str) -> EmbeddedText | None:
        """Return the scalar under a key as effect text, or None if the key is missing."""
        return self.get_embedded(name) if name in self else None


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
    """Return a declaration whose fields are ``values``, or else read from the keys of the same name, without ``is_``.

    The type of a field says how to read it, see :data:`_READERS`. A field of declarations reads a mapping of names or
    a list. :data:`_KEYS` has the fields with another name than their key. A missing key gives None, "", (), 0 or False.
    The schema guarantees that required keys exist.
    """
    for decl_field in fields(cast(Any, decl)):
        if decl_field.name not in values:
            key, type = _KEYS.get(decl_field.name, decl_field.name.removeprefix("is_")), str(decl_field.type)
            kind = type.removesuffix(" | None")
            if kind in _READERS:
                values[decl_field.name] = None if kind != type and key not in keys else _READERS[kind](keys, key)
                continue
            item_decl = getattr(model, kind.removeprefix("tuple[").removesuffix(", ...]"))
            if isinstance(keys.get(key), YamlMapping):
                entries = keys.get_entries(key)
                values[decl_field.name] = tuple(_build_named(item_decl, name, _Keys(item)) for name, item in entries)
            else:
                values[decl_field.name] = tuple(_build(item_decl, _Keys(item)) for item in keys.get_items(key))
    return decl(**values)


def _build_named(decl: Callable[..., _T], name: YamlScalar, keys: _Keys) -> _T:
    """Return a declaration with a name, whose other fields are all read from their keys."""
    return _build(decl, keys, name=_make_word(name))


_KEYS = {
    "condition": "if",
    "conditions": "if",
    "for_each": "for",
    "frame_names": "frame",
    "is_cropped": "crop",
    "is_per_player": "per",
    "letters": "name",
    "repeat": "while",
    "since": "from",
    "spaces": "ring",
}
"""Field of a declaration -> its key in YAML, if they differ."""


def _build_value(node: YamlNode) -> Value:
    if isinstance(node, YamlMapping):
        return Value(tuple((_make_word(key), _build_value(value)) for key, value in node.entries), True, node.span)
    if isinstance(node, YamlSequence):
        return Value(tuple(_build_value(item) for item in node.items), False, node.span)
    return Value(_require_scalar(node).value, False, node.span)


def _build_card_rule(node: YamlNode) -> model.CardRuleDecl:
    """Build a rule of a card: a text, whose ``active`` is None, or a mapping with ``rule`` and, if it says when it is
    active, ``active``. The schema guarantees one of these forms.
    """
    if isinstance(node, YamlScalar):
        return model.CardRuleDecl(_make_embedded_text(node), None)
    return _build(model.CardRuleDecl, _Keys(node))


def _read_items(convert: Callable[[YamlNode], object]) -> Callable[[_Keys, str], object]:
    return lambda keys, name: tuple(map(convert, keys.get_items(name)))


def _read_pairs(convert: Callable[[YamlNode], object]) -> Callable[[_Keys, str], object]:
    return lambda keys, name: keys.get_pairs(name, convert)


_READERS: dict[str, Callable[[_Keys, str], object]] = {
    "str": _Keys.get_text,
    "int": _Keys.get_number,
    "bool": lambda keys, name: name in keys if name == "per" else keys.has_flag(name),
    "Word": _Keys.get_word,
    "EmbeddedText": _Keys.get_embedded,
    "Value": lambda keys, name: _build_value(keys._get_node(name)),
    "Span": lambda keys, name: keys.node.span,
    "EmbeddedText | tuple[tuple[Word, Value], ...]": lambda keys, name: _build_start(keys._get_node(name)),
    "tuple[str, ...]": _read_items(_get_stripped_text),
    "tuple[Word, ...]": _read_items(_make_word),
    "tuple[EmbeddedText, ...]": _read_items(_make_embedded_text),
    "tuple[CardRuleDecl, ...]": _read_items(_build_card_rule),
    "tuple[tuple[Word, str], ...]": _read_pairs(_get_stripped_text),
    "tuple[tuple[Word, int], ...]": _read_pairs(lambda node: int(_get_stripped_text(node))),
    "tuple[tuple[Word, Word], ...]": _read_pairs(_make_word),
    "tuple[tuple[Word, Value], ...]": _read_pairs(_build_value),
    "tuple[tuple[Word, EmbeddedText], ...]": _read_pairs(_make_embedded_text),
    "tuple[tuple[str, EmbeddedText], ...]": _Keys.get_titled_texts,
}
"""Type of a field, as the model writes it without ``None`` -> how its key is read. A span is that of the whole."""


# ---------------------------------------------------------------- the view


def _build_view(keys: _Keys) -> model.ViewDecl:
    """Build the layout of the table from the keys of the section ``view``.

    Each part keeps the author's order. Missing keys become empty tuples, missing texts of code None. The schema
    guarantees the form of all keys.
    """
    boards = tuple(_build_board_view(_Keys(board)) for board in keys.get_items("boards"))
    panels = tuple(_build_panel(panel) for panel in keys.get_items("panels"))
    looks = []
    for name, look in keys.get_entries("show"):
        marks = (
            (mark.get_text("sign"), mark.get_text("colour"), mark.find_embedded("if"))
            for mark in map(_Keys, _Keys(look).get_items("marks"))
        )
        looks.append(_build(model.LookDecl, _Keys(look), type=_make_word(name), marks=tuple(marks)))
    return _build(model.ViewDecl, keys, boards=boards, panels=panels, looks=tuple(looks))


def _build_board_view(board: _Keys) -> model.BoardViewDecl:
    """Build the keys of a panel ``grid``. ``has_headings`` is true unless the author turns it off."""
    edges = _Keys(board._get_node("edges")) if "edges" in board else None
    return _build(
        model.BoardViewDecl,
        board,
        has_headings="headings" not in board or board.has_flag("headings"),
        edges=tuple(
            None if edges is None else edges.find_embedded(side) for side in ("top", "right", "bottom", "left")
        ),
    )


def _build_panel(node: YamlNode) -> model.BoardViewDecl | model.PanelDecl | model.PilesDecl:
    """Build a panel.

    Its one key names the kind of panel: ``board``, ``piles``, or another, which gives a PanelDecl. The schema
    guarantees its form.
    """
    assert isinstance(node, YamlMapping)
    ((kind, inner),) = node.entries
    keys = _Keys(inner)
    if kind.text == "board":
        return _build_board_view(keys)
    if kind.text == "piles":
        piles = (
            (pile.get_text("title"), pile.get_embedded("cards"), pile.find_embedded("if"))
            for pile in map(_Keys, keys.get_items("of"))
        )
        return _build(model.PilesDecl, keys, piles=tuple(piles))
    leads = (
        (lead.get_embedded("to"), lead.get_embedded("sign"), lead.find_embedded("if"))
        for lead in map(_Keys, keys.get_items("leads"))
    )
    return _build(model.PanelDecl, keys, kind=kind.text, leads=tuple(leads))


RESOURCE = "Resource"
"""Name of the enum that the section ``resources`` declares."""

MAX_PLAYERS = 26

SHAPES = ("grid", "hex", "ring", "track", "links", "lines")
"""Keys that give the shape of a board."""


@dataclass(eq=False)
class Sections:
    """The merged sections of all files: single sections, mappings by name, and lists.

    ``keys`` holds the key of each section. ``packs`` are the packs that extend the ruleset. ``more_setups`` run after
    its setup.
    """

    single: dict[str, YamlNode] = field(default_factory=dict)
    declarations: dict[str, dict[str, Entry]] = field(default_factory=dict)
    lists: dict[str, list[YamlNode]] = field(default_factory=dict)
    keys: dict[str, YamlScalar] = field(default_factory=dict)
    packs: list[model.PackDecl] = field(default_factory=list)
    more_setups: list[YamlNode] = field(default_factory=list)


class RulesetBuilder:
    """Build each kind of declaration, and report what the schema can't check: empty ranges, and too many players."""

    def __init__(self, sections: Sections, diagnostics: Diagnostics) -> None:
        self.sections = sections
        self.diagnostics = diagnostics
        keywords = tuple(sections.declarations.get("keywords", {}).values())
        self.keywords = get_cached(("keywords", keywords), object)
        """The identity of the keywords, on which the form of their values in cards depends."""

    def build_ruleset(self, sources: tuple[Source, ...], directory: str | None, digest: str) -> model.Ruleset:
        """Build the whole ruleset. Each section has the order of its declarations in the files.

        The sections must match the schema. One that is missing gives () or None; only ``game`` must exist. The
        resources, if declared, become the first enum, ``Resource``. ``directory`` is the folder of the ruleset, or None
        for a ruleset from a text. ``digest`` identifies its files.
        """
        single, spans = self.sections.single, {name: key.span for name, key in self.sections.keys.items()}
        setup, scoring, view, bots, balance = map(single.get, ("setup", "scoring", "view", "bots", "balance"))
        enums = list(self._build_section("enums", self._build_enum))
        if "resources" in self.sections.keys:
            values = tuple(
                _build_named(model.EnumValueDecl, key, _Keys(details))
                for key, details in self.sections.declarations.get("resources", {}).values()
            )
            enums.insert(0, model.EnumDecl(Word(RESOURCE, spans["resources"]), values))
        return model.Ruleset(
            sources=sources,
            directory=directory,
            digest=digest,
            game=self._build_game(single["game"]),
            options=self._build_section("options", self._build_option),
            enums=tuple(enums),
            boards=self._build_section("boards", self._build_board),
            components=self._build_section("components", self._build_component),
            cards=self._build_section("cards", self._build_card),
            keywords=self._build_section("keywords", self._build_keyword),
            tables=self._build_section("tables", self._build_table),
            variables=self._build_section("variables", partial(_build_named, model.VariableDecl)),
            zones=self._build_section("zones", self._build_zone),
            queries=self._build_section("queries", partial(_build_named, model.QueryDecl)),
            effects=self._build_section("effects", partial(_build_named, model.EffectDecl)),
            actions=self._build_section("actions", partial(_build_named, model.ActionDecl)),
            menus=self._build_section("menus", partial(_build_named, model.MenuDecl)),
            windows=self._build_section("windows", self._build_window),
            spans=self._build_section("spans", partial(_build_named, model.SpanDecl)),
            durations=self._build_section("durations", partial(_build_named, model.DurationDecl)),
            layers=tuple(_make_word(node) for node in self._get_list("layers")),
            rules=self._build_section("rules", partial(_build_named, model.RuleDecl)),
            setup=None if setup is None else _make_embedded_text(setup),
            phases=tuple(_build(model.PhaseDecl, _Keys(node)) for node in self._get_list("phases")),
            scoring=None if scoring is None else _build(model.ScoringDecl, _Keys(scoring), span=spans["scoring"]),
            bots=None if bots is None else _build(model.BotsDecl, _Keys(bots), span=spans["bots"]),
            balance=None if balance is None else self._build_balance(_Keys(balance)),
            invariants=tuple(_build(model.InvariantDecl, _Keys(node)) for node in self._get_list("invariants")),
            view=None if view is None else _build_view(_Keys(view)),
            packs=tuple(self.sections.packs),
            more_setups=tuple(map(_make_embedded_text, self.sections.more_setups)),
            endings=self._build_section("endings", partial(_build_named, model.EndingDecl)),
        )

    def _build_section(self, section: str, build: Callable[[YamlScalar, _Keys], _T]) -> tuple[_T, ...]:
        """Build the declarations of a section, or take those that an earlier check has built from the same nodes."""
        entries = self.sections.declarations.get(section, {}).values()
        return tuple(
            keep_with(node, "built", (section, key, self.keywords), partial(build, key, _Keys(node)), self.diagnostics)
            for key, node in entries
        )

    def _get_list(self, section: str) -> list[YamlNode]:
        return self.sections.lists.get(section, [])

    def _build_game(self, node: YamlNode) -> model.GameDecl:
        """Build the section ``game``, which must exist.

        Missing texts are "", a missing start page is None.

        Reports a maximum of players above :data:`MAX_PLAYERS`, and returns the section with it. The schema guarantees
        the other forms.
        """
        keys = _Keys(node)
        low, high = self._parse_range(keys.get_scalar("players"))
        if high > MAX_PLAYERS:
            message = f"`game.players`: at most {MAX_PLAYERS} can play"
            self.diagnostics.add(codes.VALUE_NOT_ALLOWED, message, keys.get_scalar("players").span, "lower the number")
        return _build(
            model.GameDecl,
            keys,
            min_players=low,
            max_players=high,
            span=self.sections.keys["game"].span,
            start_page=_build_start_page(keys._get_node("start_page")) if "start_page" in keys else None,
        )

    def _build_option(self, name: YamlScalar, keys: _Keys) -> model.OptionDecl:
        """Build an option. Without ``range`` its range is None; without ``type`` its type is None."""
        ends = self._parse_range(keys.get_scalar("range")) if "range" in keys else None
        return _build(model.OptionDecl, keys, name=_make_word(name), range=ends)

    def _build_enum(self, name: YamlScalar, keys: _Keys) -> model.EnumDecl:
        """Build an enum, with its values in the order of the file."""
        entries = iterate_named_entries(keys.node)
        return model.EnumDecl(
            _make_word(name), tuple(_build_named(model.EnumValueDecl, key, _Keys(details)) for key, details in entries)
        )

    def _build_board(self, name: YamlScalar, keys: _Keys) -> model.BoardDecl:
        """Build a board. ``shapes`` holds each key for a shape that is present, in the order of :data:`SHAPES`.

        ``size`` is the value of the first of ``grid``, ``hex`` and ``track``, or None.
        """
        size_key = next((key for key in ("grid", "hex", "track") if key in keys), None)
        return _build(
            model.BoardDecl,
            keys,
            name=_make_word(name),
            shapes=tuple(_make_word(keys.get_key(key)) for key in SHAPES if key in keys),
            size=None if size_key is None else keys.get_word(size_key),
            links=keys.get_pairs("links", lambda node: tuple(map(_make_word, list_items(node)))),
            lines=keys.get_pairs("lines", _build_lines),
            is_first_row_north=keys.get_text("first_row") == "north",
        )

    def _build_component(self, name: YamlScalar, keys: _Keys) -> model.ComponentDecl:
        """Build a kind of component from its YAML.

        ``blank`` becomes its first query. Missing sections are empty tuples; a missing ``active``, ``plural`` or
        ``frame`` is None. The schema guarantees the form of the keys.
        """
        kind = _build(model.ComponentDecl, keys, name=_make_word(name), can_be_blank="blank" in keys)
        if "blank" not in keys:
            return kind
        key = keys.get_key("blank")
        type, condition = Word("Bool", key.span), keys.get_embedded("blank")
        blank_query = model.MemberQueryDecl(_make_word(key), False, (), type, condition, "")
        return replace(kind, queries=(blank_query, *kind.queries))

    def _build_card(self, id: YamlScalar, keys: _Keys) -> model.CardDecl:
        """Build a card, or a family of cards if it has the key ``for``.

        The label, copies and fields of a family are in its family declaration; here they are None, 1 and ().
        """
        if "for" in keys:
            # its `id` is a text with holes, and its texts are evaluated later
            family = _build(model.FamilyDecl, keys, id=id.embedded_text)
            details: dict[str, object] = {"family": family, "label": None, "copies": 1, "fields": ()}
        else:
            details = {"family": None, "copies": keys.get_number("copies", 1)}
        return _build(
            model.CardDecl,
            keys,
            id=_make_word(id),
            actions=tuple(self._build_card_action(key, node) for key, node in keys.get_entries("actions")),
            keywords=tuple(entry for node in keys.get_items("keywords") for entry in self._iterate_keywords(node)),
            values=(),
            **details,
        )

    def _iterate_keywords(
        self, node: YamlNode
    ) -> Iterator[tuple[Word, Value | EmbeddedText | model.ActionDecl | None]]:
        """Yield each keyword of a list item with its value: ``rush``, or ``{armour: 2}``.

        The value is None for a keyword without one.
        """
        if isinstance(node, YamlMapping):
            yield from ((_make_word(key), self._build_keyword_value(key, value)) for key, value in node.entries)
        else:
            yield _make_word(node), None

    def _build_keyword_value(self, name: YamlScalar, node: YamlNode) -> Value | EmbeddedText | model.ActionDecl:
        """Return the value of a keyword on a card, in the form that the keyword declares.

        For ``effect`` or ``to`` a text of code; for ``action`` an action, from a text or a mapping; otherwise, and for
        any other node or an unknown keyword, plain data. A mapping that is no valid action is reported, and stays data.
        """
        _, declaration = self.sections.declarations.get("keywords", {}).get(name.text, (name, None))
        if isinstance(declaration, YamlMapping):
            takes_code = declaration.get("effect") is not None or declaration.get("to") is not None
            if takes_code and isinstance(node, YamlScalar):
                return _make_embedded_text(node)
            if declaration.get("action") is not None and isinstance(node, YamlScalar):
                return self._build_card_action(name, node)
            if declaration.get("action") is not None and isinstance(node, YamlMapping):
                action_diagnostics = Diagnostics()
                validate(node, "ruleset", action_diagnostics, definition="action", label=name.text)
                self.diagnostics.extend(action_diagnostics.list_sorted())
                return _build_value(node) if action_diagnostics.has_errors else self._build_card_action(name, node)
        return _build_value(node)

    def _build_keyword(self, name: YamlScalar, keys: _Keys) -> model.KeywordDecl:
        """Build a keyword. Its member is the effect, or else the action, that it declares, or None."""
        member: model.MemberEffectDecl | model.MemberActionDecl | None = None
        if "effect" in keys:
            member = _build_named(model.MemberEffectDecl, name, _Keys(keys._get_node("effect")))
        elif "action" in keys:
            member = _build_named(model.MemberActionDecl, name, _Keys(keys._get_node("action")))
        return _build(model.KeywordDecl, keys, name=_make_word(name), member=member)

    def _build_table(self, name: YamlScalar, keys: _Keys) -> model.TableDecl:
        """Build a table. Without ``values``, they are an empty mapping."""
        values = _build_value(keys._get_node("values")) if "values" in keys else Value((), True, name.span)
        return _build(model.TableDecl, keys, name=_make_word(name), values=values)

    def _build_zone(self, name: YamlScalar, keys: _Keys) -> model.ZoneDecl:
        """Build a zone or pool.

        ``visible`` is one text for all cards, or a mapping with ``top``, ``bottom`` and ``rest``.

        What it starts with is in one of ``start`` (pairs of a mapping, else ()), ``start_kind`` (``all Card``, else
        None) and ``start_expression`` (else None). Other missing keys give None, flags False, and ``per`` and ``doc``
        are empty. The schema guarantees the form of the keys.
        """
        visible = keys.get("visible")
        visible_keys = _Keys(visible) if isinstance(visible, YamlMapping) else None
        return _build(
            model.ZoneDecl,
            keys,
            name=_make_word(name),
            start_kind=_match_all_of_kind(keys.get("start")),
            start_expression=self._build_start_expression(keys.get("start"), keys.get_word("holds")),
            visible=keys.find_embedded("visible") if visible_keys is None else visible_keys.find_embedded("rest"),
            top=None if visible_keys is None else visible_keys.find_embedded("top"),
            bottom=None if visible_keys is None else visible_keys.find_embedded("bottom"),
        )

    def _build_start_expression(self, start: YamlNode | None, kind: Word) -> EmbeddedText | None:
        """Return the start of a zone of ``kind`` if it is an expression.

        Returns None without a start, and for a mapping or ``all KIND``. Also returns None after reporting a bare
        ``all``, or a text such as ``gold 3``, which must be written as ``gold: 3``.
        """
        if not isinstance(start, YamlScalar) or _match_all_of_kind(start) is not None:
            return None
        if start.text.strip() == "all":
            correction = f"all {kind.text}"
        elif match := re.fullmatch(r"\s*([a-z]\w*) +(\d+)\s*", start.text):
            correction = f"{match[1]}: {match[2]}"
        else:
            return _make_embedded_text(start)
        message = f"`{start.text}` is not a start value of a zone"
        self.diagnostics.add(codes.VALUE_NOT_ALLOWED, message, start.span, f"write `{correction}`")
        return None

    def _build_card_action(self, name: YamlScalar, node: YamlNode) -> model.ActionDecl:
        """Build an action of a card. Its value may be a mapping or just the block, which then is its only part."""
        if isinstance(node, YamlScalar):
            return model.ActionDecl(_make_word(name), None, None, (), None, _make_embedded_text(node), "")
        return _build_named(model.ActionDecl, name, _Keys(node))

    def _build_window(self, name: YamlScalar, keys: _Keys) -> model.WindowDecl:
        """Build a window. ``at_most`` is None without a limit."""
        return _build(
            model.WindowDecl,
            keys,
            name=_make_word(name),
            lasts_until_all_pass=keys.get_text("passes") == "until all pass",
            is_last_first=keys.get_text("order") == "last first",
        )

    def _build_balance(self, keys: _Keys) -> model.BalanceDecl:
        """Build the section ``balance``. A single number under ``change`` bounds the change in both directions."""
        return _build(
            model.BalanceDecl,
            keys,
            within=tuple(self._build_thresholds(keys.get_entries("within"), False)),
            change=tuple(self._build_thresholds(keys.get_entries("change"), True)),
            span=self.sections.keys["balance"].span,
        )

    def _build_thresholds(self, entries: tuple[Entry, ...], is_change: bool) -> Iterator[model.ThresholdDecl]:
        """Yield bounds of statistics, with one entry for each seat or ending that a mapping names.

        If ``is_change`` is True, a single number bounds the change in both directions.
        """
        for key, node in entries:
            pairs = node.entries if isinstance(node, YamlMapping) else ((None, node),)
            for subject, value in pairs:
                low, high = self._parse_range(_require_scalar(value))
                if high > 100 and _get_stripped_text(value).endswith("%"):
                    message = f"`{_get_stripped_text(value)}`: a share is at most 100 %"
                    self.diagnostics.add(codes.VALUE_NOT_ALLOWED, message, value.span, "write whole per cents of games")
                bounds = (-high, high) if is_change else (low, high)
                yield model.ThresholdDecl(_make_word(key), None if subject is None else _make_word(subject), *bounds)

    def _parse_range(self, node: YamlScalar) -> tuple[int, int]:
        """Return the ends of a range such as ``2..4``. A single number is both ends."""
        numbers = [int(number) for number in re.findall(r"-?\d+", node.text)]
        low, high = numbers[0], numbers[-1]
        if low > high:
            message = f"the range `{node.text}` is empty"
            unit = "%" if node.text.endswith("%") else ""
            self.diagnostics.add(codes.VALUE_NOT_ALLOWED, message, node.span, f"write `{high}..{low}{unit}`")
        return low, high


def _build_start(node: YamlNode) -> EmbeddedText | tuple[tuple[Word, Value], ...]:
    """Return the start of a variable: an expression, or entries by index."""
    if isinstance(node, YamlMapping):
        return tuple((_make_word(key), _build_value(value)) for key, value in node.entries)
    return _make_embedded_text(node)


def _build_lines(node: YamlNode) -> Word | tuple[EmbeddedText, ...]:
    """Return the number of spaces of each line, or the lines themselves."""
    return tuple(map(_make_embedded_text, node.items)) if isinstance(node, YamlSequence) else _make_word(node)


def _build_start_page(node: YamlNode) -> model.StartPageDecl:
    """Build the page that introduces the game. The headings in ``turn`` are None if the author wrote a list."""
    keys = _Keys(node)
    turn: tuple[tuple[Word | None, str], ...] = keys.get_pairs("turn", _get_stripped_text)
    setups = []
    for name, inner in keys.get_entries("recommended"):
        setup = _Keys(inner)
        options = setup.get_pairs("options", _build_value)
        seats = tuple(_get_stripped_text(seat) for seat in setup.get_items("seats"))
        setups.append(model.RecommendedDecl(_get_stripped_text(name), seats, options, name.span))
    turn = turn or tuple((None, _get_stripped_text(line)) for line in keys.get_items("turn"))
    return _build(model.StartPageDecl, keys, turn=turn, recommended=tuple(setups))


def _match_all_of_kind(start: YamlNode | None) -> Word | None:
    """Return ``Card`` if a zone starts with ``all Card``, else None."""
    if not isinstance(start, YamlScalar):
        return None
    embedded = start.embedded_text
    match = re.fullmatch(r"\s*all\s+(\w+)\s*", embedded.text)
    return Word(match[1], embedded.make_span(match.start(1), match.end(1))) if match else None
