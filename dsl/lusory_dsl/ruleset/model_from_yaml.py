"""Build the declarations of a ruleset (:mod:`lusory_dsl.ruleset.model`) from YAML that passed the schema."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeVar

from ..source import diagnostic_codes
from ..source.dataclass_with_lazy_methods import dataclass, field
from ..source.diagnostics import Diagnostics
from ..source.in_memory_check_cache import get_cached, keep_with
from ..source.source import EmbeddedText, Source
from ..yaml.reader import Entry, YamlMapping, YamlNode, YamlScalar, YamlSequence, iterate_named_entries
from . import model
from .model import Value, Word
from .schema_validation import validate

_T = TypeVar("_T")


class Keys:
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
        """Return the key itself with its position. The key must exist."""
        key = None if self._mapping is None else self._mapping.get_key(name)
        assert key is not None, name
        return key

    def get_node(self, name: str) -> YamlNode:
        """Return the value of a key that must exist."""
        node = self.get(name)
        assert node is not None, name
        return node

    def get_scalar(self, name: str) -> YamlScalar:
        """Return the scalar under a key. The key must exist, and its value must be no list or mapping."""
        return _require_scalar(self.get_node(name))

    def get_items(self, name: str) -> tuple[YamlNode, ...]:
        """Return the items of a list. A single value is a list of one item, and a missing key an empty list."""
        return self.list_items(self.get(name))

    @staticmethod
    def list_items(node: YamlNode | None) -> tuple[YamlNode, ...]:
        """Return the items of a list node, a tuple of one item for any other node, and () for None."""
        if isinstance(node, YamlSequence):
            return node.items
        return () if node is None else (node,)

    def get_entries(self, name: str) -> tuple[Entry, ...]:
        """Return the (key, value) pairs of a mapping under a key.

        Returns () if the key is missing or has another value.
        """
        node = self.get(name)
        return node.entries if isinstance(node, YamlMapping) else ()

    def get_text(self, name: str) -> str:
        """Return the text under a key without surrounding blanks, or "" if the key is missing."""
        return self.find_text(name) or ""

    def find_text(self, name: str) -> str | None:
        """Return the text under a key without surrounding blanks, or None if the key is missing."""
        return _get_stripped_text(self.get_node(name)) if name in self else None

    def get_number(self, name: str, default: int = 0) -> int:
        """Return the integer under a key, or ``default`` if the key is missing.

        The schema guarantees that it is an integer.
        """
        value = self.get_scalar(name).value if name in self else default
        assert isinstance(value, int)
        return value

    def has_flag(self, name: str) -> bool:
        """Return whether the key exists with the value ``true``."""
        return name in self and self.get_scalar(name).value is True

    def get_word(self, name: str) -> Word:
        """Return the scalar under a key as a word with its position. The key must exist."""
        return _make_word(self.get_node(name))

    def find_word(self, name: str) -> Word | None:
        """Return the scalar under a key as a word with its position, or None if the key is missing."""
        return self.get_word(name) if name in self else None

    def get_words(self, name: str) -> tuple[Word, ...]:
        """Return the items of a list of scalars as words. Returns () if the key is missing."""
        return tuple(_make_word(item) for item in self.get_items(name))

    def get_word_pairs(self, name: str) -> tuple[tuple[Word, Word], ...]:
        """Return the entries of a mapping of scalars as (key, value) words. Returns () if the key is missing."""
        return tuple((_make_word(key), _make_word(value)) for key, value in self.get_entries(name))

    def get_titled_texts(self, name: str) -> tuple[tuple[str, EmbeddedText], ...]:
        """Return a list of mappings with ``title`` and ``value`` as (title, effect text) pairs.

        Returns () if the key is missing.
        """
        return tuple((item.get_text("title"), item.get_embedded("value")) for item in map(Keys, self.get_items(name)))

    def get_printed_text(self) -> tuple[EmbeddedText, ...]:
        """Return the lines under the key ``text``, a single text or a list. Returns () if the key is missing."""
        return tuple(map(_make_embedded_text, self.get_items("text")))

    def get_embedded(self, name: str) -> EmbeddedText:
        """Return the scalar under a key as effect text. The key must exist."""
        return _make_embedded_text(self.get_node(name))

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


def _build_view(keys: Keys) -> model.ViewDecl:
    """Build the layout of the table from the keys of the section ``view``.

    Each part keeps the author's order. Missing keys become empty tuples, missing texts of code None. The schema
    guarantees the form of all keys.
    """
    status, players, shared, seat_items = (
        tuple(_build_view_item(Keys(item)) for item in keys.get_items(part))
        for part in ("status", "players", "shared", "own")
    )
    boards = tuple(_build_board_view(Keys(board)) for board in keys.get_items("boards"))
    panels = tuple(_build_panel(panel) for panel in keys.get_items("panels"))
    look_decls = tuple(
        model.LookDecl(
            model.Word(name.text, name.span),
            look.get_word_pairs("signs"),
            look.get_word_pairs("colours"),
            look.find_embedded("like"),
            look.find_embedded("short"),
            look.find_embedded("dim"),
            tuple(
                (mark.get_text("sign"), mark.get_text("colour"), mark.find_embedded("if"))
                for mark in map(Keys, look.get_items("marks"))
            ),
        )
        for name, look in ((name, Keys(inner)) for name, inner in keys.get_entries("show"))
    )
    return model.ViewDecl(status, players, shared, seat_items, boards, panels, look_decls)


def _build_view_item(keys: Keys) -> model.ViewItemDecl:
    return model.ViewItemDecl(
        keys.get_text("title"),
        keys.find_embedded("text"),
        keys.find_embedded("if"),
        keys.find_embedded("short"),
        keys.find_embedded("pool"),
        keys.has_flag("below"),
        keys.get_number("from"),
        keys.has_flag("spare"),
    )


def _build_board_view(board: Keys) -> model.BoardViewDecl:
    """Build the keys of a panel ``grid``. ``headings`` is true unless the author turns it off."""
    edges = Keys(board.get_node("edges")) if "edges" in board else None
    return model.BoardViewDecl(
        board.get_text("title"),
        board.find_embedded("rows"),
        board.find_embedded("columns"),
        board.find_embedded("text"),
        board.find_embedded("if"),
        "headings" not in board or board.has_flag("headings"),
        board.find_word("board"),
        board.find_embedded("cells"),
        board.has_flag("crop"),
        board.find_embedded("short"),
        board.has_flag("boxed"),
        board.get_number("from"),
        tuple(None if edges is None else edges.find_embedded(side) for side in ("top", "right", "bottom", "left")),
    )


def _build_panel(node: YamlNode) -> model.BoardViewDecl | model.PanelDecl | model.PilesDecl:
    """Build a panel.

    Its one key names the kind of panel: ``board``, ``piles``, or another, which gives a PanelDecl. The schema
    guarantees its form.
    """
    assert isinstance(node, YamlMapping)
    ((kind, inner),) = node.entries
    keys = Keys(inner)
    if kind.text == "board":
        return _build_board_view(keys)
    title, condition, since = keys.get_text("title"), keys.find_embedded("if"), keys.get_number("from")
    if kind.text == "piles":
        piles = (
            (pile.get_text("title"), pile.get_embedded("cards"), pile.find_embedded("if"))
            for pile in map(Keys, keys.get_items("of"))
        )
        return model.PilesDecl(title, condition, since, tuple(piles))
    leads = (
        (lead.get_embedded("to"), lead.get_embedded("sign"), lead.find_embedded("if"))
        for lead in map(Keys, keys.get_items("leads"))
    )
    return model.PanelDecl(
        kind.text,
        title,
        condition,
        since,
        keys.find_embedded("of"),
        keys.find_word("board"),
        "per" in keys,
        keys.find_embedded("text"),
        keys.find_embedded("short"),
        keys.find_embedded("under"),
        keys.find_embedded("faces"),
        keys.find_embedded("at"),
        keys.find_embedded("note"),
        keys.find_embedded("dim"),
        keys.has_flag("boxed"),
        tuple(leads),
    )


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
    named: dict[str, dict[str, Entry]] = field(default_factory=dict)
    lists: dict[str, list[YamlNode]] = field(default_factory=dict)
    keys: dict[str, YamlScalar] = field(default_factory=dict)
    packs: list[model.PackDecl] = field(default_factory=list)
    more_setups: list[YamlNode] = field(default_factory=list)


def build_ruleset(
    sections: Sections, sources: tuple[Source, ...], directory: str | None, digest: str, diagnostics: Diagnostics
) -> model.Ruleset:
    """Build the ruleset from its merged sections, which must include ``game``. A missing section becomes () or None.

    Reports values that the schema can't check: empty ranges, and too many players. ``directory`` is the folder of the
    ruleset, or None for a ruleset from a text. ``digest`` identifies its files.
    """
    return _Builder(sections, diagnostics).build_ruleset(sources, directory, digest)


class _Builder:
    """Build each kind of declaration."""

    def __init__(self, sections: Sections, diagnostics: Diagnostics) -> None:
        self.sections = sections
        self.diagnostics = diagnostics
        keywords = tuple(sections.named.get("keywords", {}).values())
        self.keywords = get_cached(("keywords", keywords), object)
        """The identity of the keywords, on which the form of their values in cards depends."""

    def build_ruleset(self, sources: tuple[Source, ...], directory: str | None, digest: str) -> model.Ruleset:
        """Build the whole ruleset. Each section has the order of its declarations in the files.

        The sections must match the schema. One that is missing gives () or None; only ``game`` must exist. The
        resources, if declared, become the first enum, ``Resource``.
        """
        single_names = ("setup", "scoring", "view", "bots", "balance")
        setup, scoring, view, bots, balance = map(self.sections.single.get, single_names)
        enums = list(self._build_named("enums", self._build_enum))
        if "resources" in self.sections.keys:
            values = tuple(_build_enum_value(*entry) for entry in self.sections.named.get("resources", {}).values())
            enums.insert(0, model.EnumDecl(Word(RESOURCE, self.sections.keys["resources"].span), values))
        return model.Ruleset(
            sources=sources,
            directory=directory,
            digest=digest,
            game=self._build_game(self.sections.single["game"]),
            options=self._build_named("options", self._build_option),
            enums=tuple(enums),
            boards=self._build_named("boards", self.build_board),
            components=self._build_named("components", self._build_component),
            cards=self._build_named("cards", self._build_card),
            keywords=self._build_named("keywords", self._build_keyword),
            tables=self._build_named("tables", self._build_table),
            variables=self._build_named("variables", self._build_variable),
            zones=self._build_named("zones", self._build_zone),
            queries=self._build_named("queries", self._build_query),
            effects=self._build_named("effects", self.build_effect),
            actions=self._build_named("actions", self._build_action),
            menus=self._build_named("menus", self._build_menu),
            windows=self._build_named("windows", self._build_window),
            spans=self._build_named("spans", self._build_span),
            durations=self._build_named("durations", self._build_duration),
            layers=tuple(_make_word(node) for node in self._get_list("layers")),
            rules=self._build_named("rules", self._build_rule),
            setup=None if setup is None else _make_embedded_text(setup),
            phases=tuple(self._build_phase(node) for node in self._get_list("phases")),
            scoring=None if scoring is None else self._build_scoring(scoring),
            bots=None if bots is None else self._build_bots(Keys(bots)),
            balance=None if balance is None else self._build_balance(Keys(balance)),
            invariants=tuple(self._build_invariant(Keys(node)) for node in self._get_list("invariants")),
            view=None if view is None else _build_view(Keys(view)),
            packs=tuple(self.sections.packs),
            more_setups=tuple(map(_make_embedded_text, self.sections.more_setups)),
            endings=self._build_named("endings", _build_ending),
        )

    def _build_named(self, section: str, build: Callable[[YamlScalar, Keys], _T]) -> tuple[_T, ...]:
        """Build the declarations of a section, or take those that an earlier check has built from the same nodes."""
        entries = self.sections.named.get(section, {}).values()
        return tuple(
            keep_with(node, "built", (section, key, self.keywords), partial(build, key, Keys(node)), self.diagnostics)
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
        keys = Keys(node)
        low, high = self._parse_range(keys.get_scalar("players"))
        if high > MAX_PLAYERS:
            message = f"`game.players`: at most {MAX_PLAYERS} can play"
            self.diagnostics.add(
                diagnostic_codes.VALUE_NOT_ALLOWED, message, keys.get_scalar("players").span, "lower the number"
            )
        return model.GameDecl(
            id=keys.get_word("id"),
            name=keys.get_text("name"),
            version=keys.get_text("version"),
            min_players=low,
            max_players=high,
            authors=tuple(_get_stripped_text(item) for item in keys.get_items("authors")),
            about=keys.get_text("about"),
            span=self.sections.keys["game"].span,
            start_page=_build_start_page(keys.get_node("start_page")) if "start_page" in keys else None,
        )

    def _build_option(self, name: YamlScalar, keys: Keys) -> model.OptionDecl:
        """Build an option. Without ``range`` its range is None; without ``type`` its type is None."""
        return model.OptionDecl(
            name=_make_word(name),
            type=keys.find_word("type"),
            values=keys.get_words("values"),
            range=self._parse_range(keys.get_scalar("range")) if "range" in keys else None,
            default=_build_value(keys.get_node("default")),
            doc=keys.get_text("doc"),
        )

    def _build_enum(self, name: YamlScalar, keys: Keys) -> model.EnumDecl:
        """Build an enum, with its values in the order of the file."""
        entries = iterate_named_entries(keys.node)
        return model.EnumDecl(_make_word(name), tuple(_build_enum_value(key, details) for key, details in entries))

    def build_board(self, name: YamlScalar, keys: Keys) -> model.BoardDecl:
        """Build a board. ``shapes`` holds each key for a shape that is present, in the order of :data:`SHAPES`.

        ``size`` is the value of the first of ``grid``, ``hex`` and ``track``, or None.
        """
        sized = next((key for key in ("grid", "hex", "track") if key in keys), None)
        return model.BoardDecl(
            name=_make_word(name),
            shapes=tuple(_make_word(keys.get_key(key)) for key in SHAPES if key in keys),
            size=None if sized is None else keys.get_word(sized),
            spaces=keys.get_words("ring"),
            letters=keys.find_word("name"),
            links=tuple(
                (_make_word(key), tuple(map(_make_word, Keys.list_items(node))))
                for key, node in keys.get_entries("links")
            ),
            lines=tuple((_make_word(key), _build_lines(node)) for key, node in keys.get_entries("lines")),
            only=keys.find_embedded("only"),
            first_row_north=keys.get_text("first_row") == "north",
            wrap=keys.get_text("wrap"),
            facing=keys.get_words("facing"),
            one_way=keys.has_flag("one_way"),
            labels=tuple((_make_word(key), _get_stripped_text(node)) for key, node in keys.get_entries("labels")),
            map=keys.find_embedded("map"),
            shows=keys.get_words("shows"),
            signs=tuple((_make_word(key), _get_stripped_text(node)) for key, node in keys.get_entries("signs")),
            start=keys.find_embedded("start"),
            doc=keys.get_text("doc"),
            docs=tuple((_make_word(key), _get_stripped_text(node)) for key, node in keys.get_entries("docs")),
        )

    def _build_component(self, name: YamlScalar, keys: Keys) -> model.ComponentDecl:
        """Build a kind of component from its YAML.

        ``blank`` becomes its first query. Missing sections are empty tuples; a missing ``active``, ``plural`` or
        ``frame`` is None. The schema guarantees the form of the keys.
        """
        blank = keys.find_embedded("blank")
        can_be_blank = [] if blank is None else [_make_blank_query(keys.get_key("blank"), blank)]
        return model.ComponentDecl(
            _make_word(name),
            keys.get_word_pairs("fields"),
            keys.get_text("doc"),
            (*can_be_blank, *(self._build_member_query(key, Keys(node)) for key, node in keys.get_entries("queries"))),
            tuple(self._build_member_effect(key, Keys(node)) for key, node in keys.get_entries("effects")),
            tuple(self._build_member_action(key, Keys(node)) for key, node in keys.get_entries("actions")),
            keys.find_embedded("active"),
            tuple(self._build_card_rule(node) for node in keys.get_items("rules")),
            blank is not None,
            tuple((_make_word(key), _build_value(node)) for key, node in keys.get_entries("defaults")),
            tuple((_make_word(key), _get_stripped_text(node)) for key, node in keys.get_entries("docs")),
            keys.find_text("plural"),
            keys.get_words("frame") if "frame" in keys else None,
        )

    def _build_member_query(self, name: YamlScalar, keys: Keys) -> model.MemberQueryDecl:
        """Build a query of a component kind. ``value`` is None if each card must define it."""
        return model.MemberQueryDecl(
            _make_word(name),
            "per" in keys,
            keys.get_word_pairs("params"),
            keys.find_word("type"),
            keys.find_embedded("value"),
            keys.get_text("doc"),
            keys.find_embedded("phrase"),
        )

    def _build_member_effect(self, name: YamlScalar, keys: Keys) -> model.MemberEffectDecl:
        """Build an effect of a component kind.

        Missing ``do`` (it does nothing by default) and ``says`` are None, a missing ``doc`` is "" and the parameters
        are ().
        """
        params = keys.get_word_pairs("params")
        do, says = keys.find_embedded("do"), keys.find_embedded("says")
        return model.MemberEffectDecl(_make_word(name), "per" in keys, params, do, keys.get_text("doc"), says)

    def _build_member_action(self, name: YamlScalar, keys: Keys) -> model.MemberActionDecl:
        """Build an action of a component kind."""
        return model.MemberActionDecl(
            _make_word(name),
            keys.find_embedded("label"),
            tuple(_make_embedded_text(node) for node in keys.get_items("if")),
            keys.find_embedded("cost"),
            keys.get_text("doc"),
            keys.find_embedded("says"),
        )

    def _build_card(self, id: YamlScalar, keys: Keys) -> model.CardDecl:
        """Build a card, or a family of cards if it has the key ``for``.

        The label, copies and fields of a family are in its family declaration; here they are None, 1 and ().
        """
        family = self._build_family(id, keys) if "for" in keys else None
        return model.CardDecl(
            id=_make_word(id),
            kind=keys.get_word("kind"),
            label=keys.find_text("label") if family is None else None,
            copies=keys.get_number("copies", 1) if family is None else 1,
            fields=tuple((_make_word(key), _build_value(node)) for key, node in keys.get_entries("fields"))
            if family is None
            else (),
            queries=tuple((_make_word(key), _make_embedded_text(node)) for key, node in keys.get_entries("queries")),
            effects=tuple((_make_word(key), _make_embedded_text(node)) for key, node in keys.get_entries("effects")),
            actions=tuple(self._build_card_action(key, node) for key, node in keys.get_entries("actions")),
            rules=tuple(self._build_card_rule(node) for node in keys.get_items("rules")),
            keywords=tuple(entry for node in keys.get_items("keywords") for entry in self._iterate_keywords(node)),
            family=family,
            text=keys.get_printed_text(),
        )

    def _build_family(self, id: YamlScalar, keys: Keys) -> model.FamilyDecl:
        """Build the texts of a family of cards, which are evaluated later. ``id`` is a text with holes."""
        return model.FamilyDecl(
            id.embedded_text,
            keys.get_embedded("for"),
            keys.find_embedded("label"),
            keys.find_embedded("copies"),
            tuple((_make_word(key), _make_embedded_text(node)) for key, node in keys.get_entries("fields")),
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
        _, declared = self.sections.named.get("keywords", {}).get(name.text, (name, None))
        if isinstance(declared, YamlMapping):
            says = declared.get("effect") is not None or declared.get("to") is not None
            if says and isinstance(node, YamlScalar):
                return _make_embedded_text(node)
            if declared.get("action") is not None and isinstance(node, YamlScalar):
                return self._build_card_action(name, node)
            if declared.get("action") is not None and isinstance(node, YamlMapping):
                action_diagnostics = Diagnostics()
                validate(node, "ruleset", action_diagnostics, part="action", words=name.text)
                self.diagnostics.extend(action_diagnostics.list_sorted())
                return _build_value(node) if action_diagnostics.has_errors else self._build_card_action(name, node)
        return _build_value(node)

    def _build_keyword(self, name: YamlScalar, keys: Keys) -> model.KeywordDecl:
        """Build a keyword. Its member is the effect or action that it declares, or None."""
        return model.KeywordDecl(
            name=_make_word(name),
            kind=keys.get_word("kind"),
            type=keys.find_word("type"),
            member=self._build_keyword_member(name, keys),
            to=keys.find_embedded("to"),
            label=keys.find_embedded("label"),
            reminder=keys.find_embedded("reminder"),
            rules=tuple(self._build_card_rule(node) for node in keys.get_items("rules")),
            doc=keys.get_text("doc"),
        )

    def _build_keyword_member(
        self, name: YamlScalar, keys: Keys
    ) -> model.MemberEffectDecl | model.MemberActionDecl | None:
        """Build the effect, or else the action, that a keyword declares. Returns None for neither."""
        if "effect" in keys:
            return self._build_member_effect(name, Keys(keys.get_node("effect")))
        return self._build_member_action(name, Keys(keys.get_node("action"))) if "action" in keys else None

    def _build_table(self, name: YamlScalar, keys: Keys) -> model.TableDecl:
        """Build a table. Without ``values``, they are an empty mapping."""
        return model.TableDecl(
            name=_make_word(name),
            per=keys.get_words("per"),
            type=keys.get_word("type"),
            values=_build_value(keys.get_node("values")) if "values" in keys else Value((), True, name.span),
            doc=keys.get_text("doc"),
            value=keys.find_embedded("value"),
        )

    def _build_variable(self, name: YamlScalar, keys: Keys) -> model.VariableDecl:
        """Build a variable."""
        return model.VariableDecl(
            name=_make_word(name),
            type=keys.get_word("type"),
            per=keys.get_words("per"),
            start=_build_start(keys.get("start")),
            visible=keys.find_embedded("visible"),
            label=keys.find_text("label"),
            doc=keys.get_text("doc"),
            phrase=keys.find_embedded("phrase"),
        )

    def _build_zone(self, name: YamlScalar, keys: Keys) -> model.ZoneDecl:
        """Build a zone or pool.

        ``visible`` is one text for all cards, or a mapping with ``top``, ``bottom`` and ``rest``.

        What it starts with is in one of ``start`` (pairs of a mapping, else ()), ``start_kind`` (``all Card``, else
        None) and ``start_expression`` (else None). Other missing keys give None, flags False, and ``per`` and ``doc``
        are empty. The schema guarantees the form of the keys.
        """
        visible = keys.get("visible")
        visible_keys = Keys(visible) if isinstance(visible, YamlMapping) else None
        return model.ZoneDecl(
            name=_make_word(name),
            holds=keys.get_word("holds"),
            per=keys.get_words("per"),
            kinds=keys.get_words("kinds") if "kinds" in keys else None,
            start=tuple((_make_word(key), _make_embedded_text(node)) for key, node in keys.get_entries("start")),
            start_kind=_match_all_of_kind(keys.get("start")),
            start_expression=self._build_start_expression(keys.get("start"), keys.get_word("holds")),
            unlimited=keys.has_flag("unlimited"),
            visible=keys.find_embedded("visible") if visible_keys is None else visible_keys.find_embedded("rest"),
            moves=keys.find_embedded("moves"),
            label=keys.find_text("label"),
            doc=keys.get_text("doc"),
            top=None if visible_keys is None else visible_keys.find_embedded("top"),
            bottom=None if visible_keys is None else visible_keys.find_embedded("bottom"),
            is_sorted=keys.has_flag("sorted"),
        )

    def _build_start_expression(self, start: YamlNode | None, held: Word) -> EmbeddedText | None:
        """Return the start of a zone of ``held`` if it is an expression.

        Returns None without a start, for a mapping or ``all KIND``, and after reporting a bare ``all``, or ``kind 3``,
        which is written ``kind: 3``.
        """
        if not isinstance(start, YamlScalar) or _match_all_of_kind(start) is not None:
            return None
        if start.text.strip() == "all":
            correction = f"all {held.text}"
        elif pair := re.fullmatch(r"\s*([a-z]\w*) +(\d+)\s*", start.text):
            correction = f"{pair[1]}: {pair[2]}"
        else:
            return _make_embedded_text(start)
        message = f"`{start.text}` is not a start value of a zone"
        self.diagnostics.add(diagnostic_codes.VALUE_NOT_ALLOWED, message, start.span, f"write `{correction}`")
        return None

    def _build_query(self, name: YamlScalar, keys: Keys) -> model.QueryDecl:
        """Build a query. Without a ``phrase`` it is None, ``doc`` is ""; the schema guarantees ``value``."""
        return model.QueryDecl(
            _make_word(name),
            "per" in keys,
            keys.get_word_pairs("params"),
            keys.get_embedded("value"),
            keys.get_text("doc"),
            keys.find_embedded("phrase"),
        )

    def build_effect(self, name: YamlScalar, keys: Keys) -> model.EffectDecl:
        """Build an effect. Missing parts are None, (), or "" for ``doc``; the schema guarantees ``do``."""
        return model.EffectDecl(
            _make_word(name),
            "per" in keys,
            keys.get_word_pairs("params"),
            keys.get_embedded("do"),
            keys.get_text("doc"),
            keys.find_embedded("says"),
            keys.find_embedded("phrase"),
            keys.get_printed_text(),
        )

    def _build_action(self, name: YamlScalar, keys: Keys) -> model.ActionDecl:
        """Build an action. Missing parts are None, (), or "" for ``doc``; the schema guarantees ``do``."""
        return model.ActionDecl(
            name=_make_word(name),
            label=keys.find_embedded("label"),
            choose=keys.find_embedded("choose"),
            conditions=tuple(_make_embedded_text(node) for node in keys.get_items("if")),
            cost=keys.find_embedded("cost"),
            do=keys.get_embedded("do"),
            doc=keys.get_text("doc"),
            says=keys.find_embedded("says"),
            text=keys.get_printed_text(),
        )

    def _build_card_action(self, name: YamlScalar, node: YamlNode) -> model.ActionDecl:
        """Build an action of a card. Its value may be a mapping or just the block, which then is its only part."""
        if isinstance(node, YamlScalar):
            return model.ActionDecl(_make_word(name), None, None, (), None, _make_embedded_text(node), "")
        return self._build_action(name, Keys(node))

    def _build_card_rule(self, node: YamlNode) -> model.CardRuleDecl:
        """Build a rule of a card: a text, whose ``active`` is None, or a mapping with ``rule`` and, if it says when it
        is active, ``active``. The schema guarantees one of these forms.
        """
        if isinstance(node, YamlScalar):
            return model.CardRuleDecl(_make_embedded_text(node), None)
        keys = Keys(node)
        return model.CardRuleDecl(keys.get_embedded("rule"), keys.find_embedded("active"))

    def _build_window(self, name: YamlScalar, keys: Keys) -> model.WindowDecl:
        """Build a window. ``at_most`` is None without a limit."""
        return model.WindowDecl(
            name=_make_word(name),
            params=keys.get_word_pairs("params"),
            who=keys.get_embedded("who"),
            forced=tuple(_make_embedded_text(node) for node in keys.get_items("forced")),
            actions=tuple(_make_embedded_text(node) for node in keys.get_items("actions")),
            until_all_pass=keys.get_text("passes") == "until all pass",
            at_most=keys.get_number("at_most") if "at_most" in keys else None,
            last_first=keys.get_text("order") == "last first",
            prompt=keys.find_embedded("prompt"),
            doc=keys.get_text("doc"),
            phrase=keys.find_embedded("phrase"),
        )

    def _build_menu(self, name: YamlScalar, keys: Keys) -> model.MenuDecl:
        """Build a menu of actions."""
        actions = tuple(_make_embedded_text(node) for node in keys.get_items("actions"))
        return model.MenuDecl(_make_word(name), actions, keys.find_embedded("prompt"), keys.get_text("doc"))

    def _build_span(self, name: YamlScalar, keys: Keys) -> model.SpanDecl:
        """Build a span, a state that a statement begins and that ends when ``holds`` fails."""
        holds, phrase = keys.get_embedded("holds"), keys.find_embedded("phrase")
        return model.SpanDecl(_make_word(name), "per" in keys, holds, keys.get_text("doc"), phrase)

    def _build_duration(self, name: YamlScalar, keys: Keys) -> model.DurationDecl:
        """Build a duration."""
        return model.DurationDecl(_make_word(name), "per" in keys, keys.get_text("doc"))

    def _build_rule(self, name: YamlScalar, keys: Keys) -> model.RuleDecl:
        """Build a named rule."""
        return model.RuleDecl(_make_word(name), keys.get_embedded("rule"), keys.get_text("doc"))

    def _build_phase(self, node: YamlNode) -> model.PhaseDecl:
        """Build a phase and the phases inside it. Whether it has ``do`` or ``phases`` is checked later."""
        keys = Keys(node)
        return model.PhaseDecl(
            id=keys.get_word("id"),
            label=keys.find_embedded("label"),
            condition=keys.find_embedded("if"),
            repeat=keys.find_embedded("while"),
            at_most=keys.get_number("at_most") if "at_most" in keys else None,
            do=keys.find_embedded("do"),
            phases=tuple(self._build_phase(inner) for inner in keys.get_items("phases")),
            span=node.span,
            doc=keys.get_text("doc"),
            text=keys.get_printed_text(),
        )

    def _build_scoring(self, node: YamlNode) -> model.ScoringDecl:
        """Build the section ``scoring``, in the author's order. A missing payoff is None, a missing list ()."""
        keys = Keys(node)
        return model.ScoringDecl(
            rank=tuple(_make_embedded_text(item) for item in keys.get_items("rank")),
            payoff=keys.find_embedded("payoff"),
            show=keys.get_titled_texts("show"),
            charts=tuple(self._build_chart(name, Keys(inner)) for name, inner in keys.get_entries("charts")),
            span=self.sections.keys["scoring"].span,
            items=tuple(
                model.ScoreItemDecl(item.get_text("title"), item.get_embedded("value"), item.find_embedded("why"))
                for item in map(Keys, keys.get_items("items"))
            ),
            ties=keys.get_words("ties"),
        )

    def _build_bots(self, keys: Keys) -> model.BotsDecl:
        """Build the section ``bots``. Its weights and levels are pairs of a name and a number, in order."""
        return model.BotsDecl(
            value=keys.find_embedded("value"),
            horizon=keys.get_number("horizon") if "horizon" in keys else None,
            likely=tuple((_make_word(key), int(_get_stripped_text(node))) for key, node in keys.get_entries("likely")),
            never=keys.get_words("never"),
            levels=tuple((_make_word(key), int(_get_stripped_text(node))) for key, node in keys.get_entries("levels")),
            span=self.sections.keys["bots"].span,
        )

    def _build_balance(self, keys: Keys) -> model.BalanceDecl:
        """Build the section ``balance``. A single number under ``change`` bounds the change in both directions."""
        return model.BalanceDecl(
            seats=keys.get_words("seats"),
            games=keys.get_number("games") if "games" in keys else None,
            within=tuple(self._build_thresholds(keys.get_entries("within"), False)),
            change=tuple(self._build_thresholds(keys.get_entries("change"), True)),
            span=self.sections.keys["balance"].span,
        )

    def _build_thresholds(self, entries: tuple[Entry, ...], is_change: bool) -> Iterator[model.ThresholdDecl]:
        """Yield bounds of statistics, with one entry for each seat or ending that a mapping names.

        If ``is_change`` is True, a single number bounds the change in both directions.
        """
        for key, node in entries:
            parts = node.entries if isinstance(node, YamlMapping) else ((None, node),)
            for subject, value in parts:
                low, high = self._parse_range(_require_scalar(value))
                if high > 100 and _get_stripped_text(value).endswith("%"):
                    message = f"`{_get_stripped_text(value)}`: a share is at most 100 %"
                    self.diagnostics.add(
                        diagnostic_codes.VALUE_NOT_ALLOWED, message, value.span, "write whole per cents of games"
                    )
                bounds = (-high, high) if is_change else (low, high)
                yield model.ThresholdDecl(_make_word(key), None if subject is None else _make_word(subject), *bounds)

    def _build_chart(self, name: YamlScalar, keys: Keys) -> model.ChartDecl:
        """Build a chart of the scoring."""
        steps, text = keys.get_titled_texts("steps"), keys.get_printed_text()
        return model.ChartDecl(_make_word(name), keys.get_text("title"), steps, keys.get_text("doc"), text)

    def _build_invariant(self, keys: Keys) -> model.InvariantDecl:
        """Build an invariant."""
        return model.InvariantDecl(
            keys.get_word("id"),
            keys.find_embedded("for"),
            keys.get_embedded("always"),
            keys.find_embedded("because"),
            keys.get_text("doc"),
        )

    def _parse_range(self, node: YamlScalar) -> tuple[int, int]:
        """Return the ends of a range such as ``2..4``. A single number is both ends."""
        numbers = [int(number) for number in re.findall(r"-?\d+", node.text)]
        low, high = numbers[0], numbers[-1]
        if low > high:
            message = f"the range `{node.text}` is empty"
            unit = "%" if node.text.endswith("%") else ""
            self.diagnostics.add(diagnostic_codes.VALUE_NOT_ALLOWED, message, node.span, f"write `{high}..{low}{unit}`")
        return low, high


def _build_value(node: YamlNode) -> Value:
    if isinstance(node, YamlMapping):
        return Value(tuple((_make_word(key), _build_value(value)) for key, value in node.entries), True, node.span)
    if isinstance(node, YamlSequence):
        return Value(tuple(_build_value(item) for item in node.items), False, node.span)
    return Value(_require_scalar(node).value, False, node.span)


def _build_start(node: YamlNode | None) -> EmbeddedText | tuple[tuple[Word, Value], ...] | None:
    """Return the start of a variable: an expression, or entries by index."""
    if isinstance(node, YamlMapping):
        return tuple((_make_word(key), _build_value(value)) for key, value in node.entries)
    return None if node is None else _make_embedded_text(node)


def _build_lines(node: YamlNode) -> Word | tuple[EmbeddedText, ...]:
    """Return the number of spaces of each line, or the lines themselves."""
    return tuple(map(_make_embedded_text, node.items)) if isinstance(node, YamlSequence) else _make_word(node)


def _make_blank_query(key: YamlScalar, condition: EmbeddedText) -> model.MemberQueryDecl:
    """Return a query of cards from the condition under which they are blank."""
    return model.MemberQueryDecl(_make_word(key), False, (), Word("Bool", key.span), condition, "")


def _build_enum_value(name: YamlScalar, details: YamlNode) -> model.EnumValueDecl:
    keys = Keys(details)
    return model.EnumValueDecl(
        _make_word(name),
        keys.find_text("label"),
        keys.find_word("plural"),
        keys.find_text("short"),
        keys.get_text("doc"),
        keys.get_printed_text(),
    )


def _build_start_page(node: YamlNode) -> model.StartPageDecl:
    """Build the page that introduces the game. The headings in ``turn`` are None if the author wrote a list."""
    keys = Keys(node)
    turn = [(_make_word(key), _get_stripped_text(line)) for key, line in keys.get_entries("turn")]
    recommended = []
    for name, inner in keys.get_entries("recommended"):
        setup = Keys(inner)
        options = tuple((_make_word(option), _build_value(value)) for option, value in setup.get_entries("options"))
        seats = tuple(_get_stripped_text(seat) for seat in setup.get_items("seats"))
        recommended.append(model.RecommendedDecl(_get_stripped_text(name), seats, options, name.span))
    keyed = (tuple(map(_get_stripped_text, keys.get_items(key))) for key in ("know", "preparation", "end"))
    know, preparation, end = keyed
    written = tuple(turn) if turn else tuple((None, _get_stripped_text(line)) for line in keys.get_items("turn"))
    return model.StartPageDecl(keys.get_text("aim"), written, know, preparation, end, tuple(recommended), node.span)


def _build_ending(name: YamlScalar, keys: Keys) -> model.EndingDecl:
    return model.EndingDecl(_make_word(name), keys.get_embedded("label"), keys.get_printed_text())


def _match_all_of_kind(start: YamlNode | None) -> Word | None:
    """Return ``Card`` if a zone starts with ``all Card``, else None."""
    if not isinstance(start, YamlScalar):
        return None
    embedded = start.embedded_text
    match = re.fullmatch(r"\s*all\s+(\w+)\s*", embedded.text)
    return Word(match[1], embedded.span(match.start(1), match.end(1))) if match else None
