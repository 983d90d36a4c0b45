"""Merged sections of YAML -> the records of :mod:`model`. Used by the loader, after the schema has passed the files.

What the schema can't say is checked here: that a range is not empty.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..text import codes
from ..text.diagnostics import Diagnostics
from ..text.editions import report_later
from ..text.source import Embedded, Source
from ..yaml.reader import YamlMapping, YamlNode, YamlScalar, YamlSequence
from . import model
from .model import Value, Word
from .shape import validate

RESOURCE = "Resource"
"""The name of the enum that the section ``resources`` declares."""

MOST_PLAYERS = 26

SHAPES = ("grid", "hex", "ring", "track", "links", "lines")
"""The keys that say the shape of a board."""

Entry = tuple[YamlScalar, YamlNode]


@dataclass(eq=False)
class Sections:
    """The sections of all files: those that stand once, mappings by name, and lists. ``keys``: where each begins.

    ``packs`` have been laid over the ruleset, ``more_setups`` are what they do behind its setup."""

    single: dict[str, YamlNode] = field(default_factory=dict)
    named: dict[str, dict[str, Entry]] = field(default_factory=dict)
    lists: dict[str, list[YamlNode]] = field(default_factory=dict)
    keys: dict[str, YamlScalar] = field(default_factory=dict)
    packs: list[model.PackDecl] = field(default_factory=list)
    more_setups: list[YamlNode] = field(default_factory=list)


def named_entries(node: YamlNode | None) -> Iterator[Entry]:
    """Names and what is said about them: of a mapping, or of a plain list of names."""
    if isinstance(node, YamlMapping):
        yield from node.entries
    elif isinstance(node, YamlSequence):
        yield from ((item, item) for item in node.items if isinstance(item, YamlScalar))


def ruleset_of(
    sections: Sections, sources: tuple[Source, ...], directory: str | None, digest: str, diagnostics: Diagnostics
) -> model.Ruleset:
    """The ruleset that the sections declare. They contain ``game``."""
    return _Builder(sections, diagnostics).ruleset(sources, directory, digest)


class _Builder:
    """Builds each kind of declaration."""

    def __init__(self, sections: Sections, diagnostics: Diagnostics) -> None:
        self.sections = sections
        self.diagnostics = diagnostics

    def ruleset(self, sources: tuple[Source, ...], directory: str | None, digest: str) -> model.Ruleset:
        setup, scoring, view = (self.sections.single.get(name) for name in ("setup", "scoring", "view"))
        enums = [self.enum(_word(key), node) for key, node in self._named("enums")]
        if "resources" in self.sections.keys:
            values = tuple(_enum_value(key, node) for key, node in self._named("resources"))
            enums.insert(0, model.EnumDecl(Word(RESOURCE, self.sections.keys["resources"].span), values))
        return model.Ruleset(
            sources=sources,
            directory=directory,
            digest=digest,
            game=self.game(self.sections.single["game"]),
            options=tuple(self.option(key, _Keys(node)) for key, node in self._named("options")),
            enums=tuple(enums),
            boards=tuple(self.board(key, _Keys(node)) for key, node in self._named("boards")),
            components=tuple(self.component(key, _Keys(node)) for key, node in self._named("components")),
            cards=tuple(self.card(key, _Keys(node)) for key, node in self._named("cards")),
            keywords=tuple(self.keyword(key, _Keys(node)) for key, node in self._named("keywords")),
            tables=tuple(self.table(key, _Keys(node)) for key, node in self._named("tables")),
            variables=tuple(self.variable(key, _Keys(node)) for key, node in self._named("variables")),
            zones=tuple(self.zone(key, _Keys(node)) for key, node in self._named("zones")),
            queries=tuple(self.query(key, _Keys(node)) for key, node in self._named("queries")),
            effects=tuple(self.effect(key, _Keys(node)) for key, node in self._named("effects")),
            actions=tuple(self.action(key, _Keys(node)) for key, node in self._named("actions")),
            menus=tuple(self.menu(key, _Keys(node)) for key, node in self._named("menus")),
            windows=tuple(self.window(key, _Keys(node)) for key, node in self._named("windows")),
            spans=tuple(self.span(key, _Keys(node)) for key, node in self._named("spans")),
            durations=tuple(self.duration(key, _Keys(node)) for key, node in self._named("durations")),
            layers=tuple(_word(node) for node in self._list("layers")),
            rules=tuple(self.rule(key, _Keys(node)) for key, node in self._named("rules")),
            setup=None if setup is None else _embedded(setup),
            phases=tuple(self.phase(node) for node in self._list("phases")),
            scoring=None if scoring is None else self.scoring(scoring),
            invariants=tuple(self.invariant(_Keys(node)) for node in self._list("invariants")),
            view=None if view is None else self.view(_Keys(view)),
            packs=tuple(self.sections.packs),
            more_setups=tuple(map(_embedded, self.sections.more_setups)),
        )

    def _named(self, section: str) -> Iterator[Entry]:
        yield from self.sections.named.get(section, {}).values()

    def _list(self, section: str) -> list[YamlNode]:
        return self.sections.lists.get(section, [])

    def game(self, node: YamlNode) -> model.GameDecl:
        keys = _Keys(node)
        low, high = self._range(keys.scalar("players"))
        if high > MOST_PLAYERS:
            message = f"`game.players`: at most {MOST_PLAYERS} can play"
            self.diagnostics.add(codes.VALUE_NOT_ALLOWED, message, keys.scalar("players").span, "lower the number")
        return model.GameDecl(
            id=keys.word("id"),
            name=keys.text("name"),
            version=keys.text("version"),
            min_players=low,
            max_players=high,
            authors=tuple(_text(item) for item in keys.items("authors")),
            about=keys.text("about"),
            span=self.sections.keys["game"].span,
            language=keys.scalar("language").span.source.edition,
        )

    def option(self, name: YamlScalar, keys: _Keys) -> model.OptionDecl:
        return model.OptionDecl(
            name=_word(name),
            type=keys.word_or_none("type"),
            values=keys.words("values"),
            range=self._range(keys.scalar("range")) if "range" in keys else None,
            default=_value(keys.node("default")),
            doc=keys.text("doc"),
        )

    def enum(self, name: Word, node: YamlNode) -> model.EnumDecl:
        return model.EnumDecl(name, tuple(_enum_value(key, details) for key, details in named_entries(node)))

    def board(self, name: YamlScalar, keys: _Keys) -> model.BoardDecl:
        sized = next((key for key in ("grid", "hex", "track") if key in keys), None)
        return model.BoardDecl(
            name=_word(name),
            shapes=tuple(_word(keys.key(key)) for key in SHAPES if key in keys),
            size=None if sized is None else keys.word(sized),
            spaces=keys.words("ring"),
            letters=keys.word_or_none("name"),
            links=tuple((_word(key), tuple(map(_word, _Keys.listed(node)))) for key, node in keys.entries("links")),
            lines=tuple((_word(key), _lines(node)) for key, node in keys.entries("lines")),
            only=keys.embedded_or_none("only"),
            first_row_north=keys.text("first_row") == "north",
            wrap=keys.text("wrap"),
            facing=keys.words("facing"),
            one_way=keys.flag("one_way"),
            labels=tuple((_word(key), _text(node)) for key, node in keys.entries("labels")),
            map=keys.embedded_or_none("map"),
            shows=keys.words("shows"),
            signs=tuple((_word(key), _text(node)) for key, node in keys.entries("signs")),
            start=keys.embedded_or_none("start"),
            doc=keys.text("doc"),
        )

    def component(self, name: YamlScalar, keys: _Keys) -> model.ComponentDecl:
        blank = keys.embedded_or_none("blank")
        can_be_blank = [] if blank is None else [_blank(keys.key("blank"), blank)]
        return model.ComponentDecl(
            _word(name),
            keys.word_pairs("fields"),
            keys.text("doc"),
            (*can_be_blank, *(self.member_query(key, _Keys(node)) for key, node in keys.entries("queries"))),
            tuple(self.member_effect(key, _Keys(node)) for key, node in keys.entries("effects")),
            tuple(self.member_action(key, _Keys(node)) for key, node in keys.entries("actions")),
            keys.embedded_or_none("active"),
            tuple(self.card_rule(node) for node in keys.items("rules")),
            blank is not None,
            tuple((_word(key), _value(node)) for key, node in keys.entries("defaults")),
        )

    def member_query(self, name: YamlScalar, keys: _Keys) -> model.MemberQueryDecl:
        return model.MemberQueryDecl(
            _word(name),
            "per" in keys,
            keys.word_pairs("params"),
            keys.word_or_none("type"),
            keys.embedded_or_none("value"),
            keys.text("doc"),
        )

    def member_effect(self, name: YamlScalar, keys: _Keys) -> model.MemberEffectDecl:
        params = keys.word_pairs("params")
        return model.MemberEffectDecl(_word(name), "per" in keys, params, keys.embedded_or_none("do"), keys.text("doc"))

    def member_action(self, name: YamlScalar, keys: _Keys) -> model.MemberActionDecl:
        return model.MemberActionDecl(
            _word(name),
            keys.embedded_or_none("label"),
            tuple(_embedded(node) for node in keys.items("if")),
            keys.embedded_or_none("cost"),
            keys.text("doc"),
        )

    def card(self, id: YamlScalar, keys: _Keys) -> model.CardDecl:
        family = self.family(id, keys) if "for" in keys else None
        return model.CardDecl(
            id=_word(id),
            kind=keys.word("kind"),
            label=keys.text_or_none("label") if family is None else None,
            copies=keys.number("copies", 1) if family is None else 1,
            fields=tuple((_word(key), _value(node)) for key, node in keys.entries("fields")) if family is None else (),
            queries=tuple((_word(key), _embedded(node)) for key, node in keys.entries("queries")),
            effects=tuple((_word(key), _embedded(node)) for key, node in keys.entries("effects")),
            actions=tuple(self.card_action(key, node) for key, node in keys.entries("actions")),
            rules=tuple(self.card_rule(node) for node in keys.items("rules")),
            keywords=tuple(entry for node in keys.items("keywords") for entry in self.listed_keywords(node)),
            family=family,
        )

    def family(self, id: YamlScalar, keys: _Keys) -> model.FamilyDecl:
        return model.FamilyDecl(
            id.embedded(),
            keys.embedded("for"),
            keys.embedded_or_none("label"),
            keys.embedded_or_none("copies"),
            tuple((_word(key), _embedded(node)) for key, node in keys.entries("fields")),
        )

    def listed_keywords(self, node: YamlNode) -> Iterator[tuple[Word, Value | Embedded | model.ActionDecl | None]]:
        """``rush``, or ``{armour: 2}``."""
        if isinstance(node, YamlMapping):
            yield from ((_word(key), self.keyword_value(key, value)) for key, value in node.entries)
        else:
            yield _word(node), None

    def keyword_value(self, name: YamlScalar, node: YamlNode) -> Value | Embedded | model.ActionDecl:
        """What stands behind a keyword: data, or what the card does, as the keyword is declared."""
        _, declared = self.sections.named.get("keywords", {}).get(name.text, (name, None))
        if isinstance(declared, YamlMapping):
            says = declared.get("effect") is not None or declared.get("to") is not None
            if says and isinstance(node, YamlScalar):
                return _embedded(node)
            if declared.get("action") is not None and isinstance(node, YamlScalar):
                return self.card_action(name, node)
            if declared.get("action") is not None and isinstance(node, YamlMapping):
                found = Diagnostics()
                validate(node, "ruleset", found, part="action", words=name.text)
                self.diagnostics.extend(found.sorted())
                return _value(node) if found.has_errors else self.card_action(name, node)
        return _value(node)

    def keyword(self, name: YamlScalar, keys: _Keys) -> model.KeywordDecl:
        return model.KeywordDecl(
            name=_word(name),
            kind=keys.word("kind"),
            type=keys.word_or_none("type"),
            member=self.keyword_member(name, keys),
            to=keys.embedded_or_none("to"),
            label=keys.embedded_or_none("label"),
            reminder=keys.embedded_or_none("reminder"),
            rules=tuple(self.card_rule(node) for node in keys.items("rules")),
            doc=keys.text("doc"),
        )

    def keyword_member(self, name: YamlScalar, keys: _Keys) -> model.MemberEffectDecl | model.MemberActionDecl | None:
        if "effect" in keys:
            return self.member_effect(name, _Keys(keys.node("effect")))
        return self.member_action(name, _Keys(keys.node("action"))) if "action" in keys else None

    def table(self, name: YamlScalar, keys: _Keys) -> model.TableDecl:
        return model.TableDecl(
            name=_word(name),
            per=keys.words("per"),
            type=keys.word("type"),
            values=_value(keys.node("values")) if "values" in keys else Value((), True, name.span),
            doc=keys.text("doc"),
            value=keys.embedded_or_none("value"),
        )

    def variable(self, name: YamlScalar, keys: _Keys) -> model.VariableDecl:
        return model.VariableDecl(
            name=_word(name),
            type=keys.word("type"),
            per=keys.words("per"),
            start=_start(keys.get("start")),
            visible=keys.embedded_or_none("visible"),
            label=keys.text_or_none("label"),
            doc=keys.text("doc"),
        )

    def zone(self, name: YamlScalar, keys: _Keys) -> model.ZoneDecl:
        visible = keys.get("visible")
        seen = _Keys(visible) if isinstance(visible, YamlMapping) else None
        return model.ZoneDecl(
            name=_word(name),
            holds=keys.word("holds"),
            per=keys.words("per"),
            kinds=keys.words("kinds") if "kinds" in keys else None,
            start=tuple((_word(key), _embedded(node)) for key, node in keys.entries("start")),
            start_all=_kind_of_all(keys.get("start")),
            start_of=self.start_of(keys.get("start")),
            unlimited=keys.flag("unlimited"),
            visible=keys.embedded_or_none("visible") if seen is None else seen.embedded_or_none("rest"),
            moves=keys.embedded_or_none("moves"),
            label=keys.text_or_none("label"),
            doc=keys.text("doc"),
            top=None if seen is None else seen.embedded_or_none("top"),
            bottom=None if seen is None else seen.embedded_or_none("bottom"),
            is_sorted=keys.flag("sorted"),
        )

    def start_of(self, start: YamlNode | None) -> Embedded | None:
        """The start of a zone that is an expression."""
        if not isinstance(start, YamlScalar) or _kind_of_all(start) is not None:
            return None
        if pair := re.fullmatch(r"\s*([a-z]\w*) +(\d+)\s*", start.text):
            message = f"`{start.text}` is no start of a zone"
            self.diagnostics.add(codes.VALUE_NOT_ALLOWED, message, start.span, f"write `{pair[1]}: {pair[2]}`")
            return None
        report_later(2, "a `start` that is an expression", start.span, self.diagnostics)
        return _embedded(start)

    def query(self, name: YamlScalar, keys: _Keys) -> model.QueryDecl:
        return model.QueryDecl(
            _word(name), "per" in keys, keys.word_pairs("params"), keys.embedded("value"), keys.text("doc")
        )

    def effect(self, name: YamlScalar, keys: _Keys) -> model.EffectDecl:
        return model.EffectDecl(
            _word(name), "per" in keys, keys.word_pairs("params"), keys.embedded("do"), keys.text("doc")
        )

    def action(self, name: YamlScalar, keys: _Keys) -> model.ActionDecl:
        return model.ActionDecl(
            name=_word(name),
            label=keys.embedded_or_none("label"),
            choose=keys.embedded_or_none("choose"),
            conditions=tuple(_embedded(node) for node in keys.items("if")),
            cost=keys.embedded_or_none("cost"),
            do=keys.embedded("do"),
            doc=keys.text("doc"),
        )

    def card_action(self, name: YamlScalar, node: YamlNode) -> model.ActionDecl:
        """As an action, or only its block."""
        if isinstance(node, YamlScalar):
            return model.ActionDecl(_word(name), None, None, (), None, _embedded(node), "")
        return self.action(name, _Keys(node))

    def card_rule(self, node: YamlNode) -> model.CardRuleDecl:
        if isinstance(node, YamlScalar):
            return model.CardRuleDecl(_embedded(node), None)
        keys = _Keys(node)
        return model.CardRuleDecl(keys.embedded("rule"), keys.embedded_or_none("active"))

    def window(self, name: YamlScalar, keys: _Keys) -> model.WindowDecl:
        return model.WindowDecl(
            name=_word(name),
            params=keys.word_pairs("params"),
            who=keys.embedded("who"),
            forced=tuple(_embedded(node) for node in keys.items("forced")),
            actions=tuple(_embedded(node) for node in keys.items("actions")),
            until_all_pass=keys.text("passes") == "until all pass",
            at_most=keys.number("at_most") if "at_most" in keys else None,
            last_first=keys.text("order") == "last first",
            prompt=keys.embedded_or_none("prompt"),
            doc=keys.text("doc"),
        )

    def menu(self, name: YamlScalar, keys: _Keys) -> model.MenuDecl:
        actions = tuple(_embedded(node) for node in keys.items("actions"))
        return model.MenuDecl(_word(name), actions, keys.embedded_or_none("prompt"), keys.text("doc"))

    def span(self, name: YamlScalar, keys: _Keys) -> model.SpanDecl:
        return model.SpanDecl(_word(name), "per" in keys, keys.embedded("holds"), keys.text("doc"))

    def duration(self, name: YamlScalar, keys: _Keys) -> model.DurationDecl:
        return model.DurationDecl(_word(name), "per" in keys, keys.text("doc"))

    def rule(self, name: YamlScalar, keys: _Keys) -> model.RuleDecl:
        return model.RuleDecl(_word(name), keys.embedded("rule"), keys.text("doc"))

    def phase(self, node: YamlNode) -> model.PhaseDecl:
        keys = _Keys(node)
        return model.PhaseDecl(
            id=keys.word("id"),
            label=keys.embedded_or_none("label"),
            condition=keys.embedded_or_none("if"),
            repeat=keys.embedded_or_none("while"),
            at_most=keys.number("at_most") if "at_most" in keys else None,
            do=keys.embedded_or_none("do"),
            phases=tuple(self.phase(inner) for inner in keys.items("phases")),
            span=node.span,
            doc=keys.text("doc"),
        )

    def scoring(self, node: YamlNode) -> model.ScoringDecl:
        keys = _Keys(node)
        return model.ScoringDecl(
            rank=tuple(_embedded(item) for item in keys.items("rank")),
            payoff=keys.embedded_or_none("payoff"),
            show=keys.titled("show"),
            charts=tuple(self.chart(name, _Keys(inner)) for name, inner in keys.entries("charts")),
            span=self.sections.keys["scoring"].span,
        )

    def chart(self, name: YamlScalar, keys: _Keys) -> model.ChartDecl:
        return model.ChartDecl(_word(name), keys.text("title"), keys.titled("steps"), keys.text("doc"))

    def invariant(self, keys: _Keys) -> model.InvariantDecl:
        return model.InvariantDecl(
            keys.word("id"),
            keys.embedded_or_none("for"),
            keys.embedded("always"),
            keys.embedded_or_none("because"),
            keys.text("doc"),
        )

    def view(self, keys: _Keys) -> model.ViewDecl:
        status, players, shared, own = (
            tuple(
                model.ViewItemDecl(item.text("title"), item.embedded("text"), item.embedded_or_none("if"))
                for item in map(_Keys, keys.items(part))
            )
            for part in ("status", "players", "shared", "own")
        )
        boards = tuple(
            model.BoardViewDecl(
                board.text("title"),
                board.embedded_or_none("rows"),
                board.embedded_or_none("columns"),
                board.embedded_or_none("text"),
                board.embedded_or_none("if"),
                "headings" not in board or board.flag("headings"),
                board.word_or_none("board"),
                board.embedded_or_none("cells"),
                board.flag("crop"),
            )
            for board in map(_Keys, keys.items("boards"))
        )
        return model.ViewDecl(status, players, shared, own, boards)

    def _range(self, node: YamlScalar) -> tuple[int, int]:
        """``2..4``, or one number for both ends."""
        numbers = [int(number) for number in re.findall(r"-?\d+", node.text)]
        low, high = numbers[0], numbers[-1]
        if low > high:
            message = f"the range `{node.text}` is empty"
            self.diagnostics.add(codes.VALUE_NOT_ALLOWED, message, node.span, f"write `{high}..{low}`")
        return low, high


# ---------------------------------------------------------------- reading of keys


class _Keys:
    """The keys of one declaration. The schema has passed it, so what must be there is there and of its kind."""

    def __init__(self, node: YamlNode) -> None:
        self._mapping = node if isinstance(node, YamlMapping) else None

    def __contains__(self, name: str) -> bool:
        return self.get(name) is not None

    def get(self, name: str) -> YamlNode | None:
        return None if self._mapping is None else self._mapping.get(name)

    def key(self, name: str) -> YamlScalar:
        key = None if self._mapping is None else self._mapping.key(name)
        assert key is not None, name
        return key

    def node(self, name: str) -> YamlNode:
        node = self.get(name)
        assert node is not None, name
        return node

    def scalar(self, name: str) -> YamlScalar:
        return _scalar(self.node(name))

    def items(self, name: str) -> tuple[YamlNode, ...]:
        """The items of a list; a single value is a list of one, a missing key an empty one."""
        return self.listed(self.get(name))

    @staticmethod
    def listed(node: YamlNode | None) -> tuple[YamlNode, ...]:
        """As :meth:`items`, of a node."""
        if isinstance(node, YamlSequence):
            return node.items
        return () if node is None else (node,)

    def entries(self, name: str) -> tuple[Entry, ...]:
        node = self.get(name)
        return node.entries if isinstance(node, YamlMapping) else ()

    def text(self, name: str) -> str:
        return self.text_or_none(name) or ""

    def text_or_none(self, name: str) -> str | None:
        return _text(self.node(name)) if name in self else None

    def number(self, name: str, default: int = 0) -> int:
        value = self.scalar(name).value if name in self else default
        assert isinstance(value, int)
        return value

    def flag(self, name: str) -> bool:
        return name in self and self.scalar(name).value is True

    def word(self, name: str) -> Word:
        return _word(self.node(name))

    def word_or_none(self, name: str) -> Word | None:
        return self.word(name) if name in self else None

    def words(self, name: str) -> tuple[Word, ...]:
        return tuple(_word(item) for item in self.items(name))

    def word_pairs(self, name: str) -> tuple[tuple[Word, Word], ...]:
        return tuple((_word(key), _word(value)) for key, value in self.entries(name))

    def titled(self, name: str) -> tuple[tuple[str, Embedded], ...]:
        """A list of titles and values."""
        return tuple((item.text("title"), item.embedded("value")) for item in map(_Keys, self.items(name)))

    def embedded(self, name: str) -> Embedded:
        return _embedded(self.node(name))

    def embedded_or_none(self, name: str) -> Embedded | None:
        return self.embedded(name) if name in self else None


def _scalar(node: YamlNode) -> YamlScalar:
    assert isinstance(node, YamlScalar)
    return node


def _text(node: YamlNode) -> str:
    return _scalar(node).text.strip()


def _word(node: YamlNode) -> Word:
    return Word(_text(node), node.span)


def _embedded(node: YamlNode) -> Embedded:
    return _scalar(node).embedded()


def _value(node: YamlNode) -> Value:
    if isinstance(node, YamlMapping):
        return Value(tuple((_word(key), _value(value)) for key, value in node.entries), True, node.span)
    if isinstance(node, YamlSequence):
        return Value(tuple(_value(item) for item in node.items), False, node.span)
    return Value(_scalar(node).value, False, node.span)


def _start(node: YamlNode | None) -> Embedded | tuple[tuple[Word, Value], ...] | None:
    """An expression, or entries."""
    if isinstance(node, YamlMapping):
        return tuple((_word(key), _value(value)) for key, value in node.entries)
    return None if node is None else _embedded(node)


def _lines(node: YamlNode) -> Word | tuple[Embedded, ...]:
    """How many spaces lines have, or the lines."""
    return tuple(map(_embedded, node.items)) if isinstance(node, YamlSequence) else _word(node)


def _blank(key: YamlScalar, condition: Embedded) -> model.MemberQueryDecl:
    """When cards of a kind are blank is a query of theirs."""
    return model.MemberQueryDecl(_word(key), False, (), Word("Bool", key.span), condition, "")


def _enum_value(name: YamlScalar, details: YamlNode) -> model.EnumValueDecl:
    keys = _Keys(details)
    return model.EnumValueDecl(
        _word(name), keys.text_or_none("label"), keys.word_or_none("plural"), keys.text_or_none("short")
    )


def _kind_of_all(start: YamlNode | None) -> Word | None:
    """``Card`` in the start ``all Card`` of a zone."""
    if not isinstance(start, YamlScalar):
        return None
    embedded = start.embedded()
    found = re.fullmatch(r"\s*all\s+(\w+)\s*", embedded.text)
    return Word(found[1], embedded.span(found.start(1), found.end(1))) if found else None
