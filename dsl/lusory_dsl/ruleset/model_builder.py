"""Build the declarations of a ruleset (:mod:`lusory_dsl.ruleset.model`) from YAML that passed the schema."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..source import diagnostic_codes
from ..source.diagnostics import Diagnostics
from ..source.lazy_dataclass import dataclass, field
from ..source.source import EmbeddedText, Source
from ..yaml.reader import YamlMapping, YamlNode, YamlScalar, YamlSequence
from . import model
from .model import Value, Word
from .schema_validation import validate

Entry = tuple[YamlScalar, YamlNode]


class Keys:
    """Typed access to the keys of one declaration.

    The schema has checked it, so required keys exist and have the right kind.
    """

    def __init__(self, node: YamlNode) -> None:
        self._mapping = node if isinstance(node, YamlMapping) else None

    def __contains__(self, name: str) -> bool:
        return self.get(name) is not None

    def get(self, name: str) -> YamlNode | None:
        return None if self._mapping is None else self._mapping.get(name)

    def key(self, name: str) -> YamlScalar:
        key = None if self._mapping is None else self._mapping.get_key(name)
        assert key is not None, name
        return key

    def node(self, name: str) -> YamlNode:
        node = self.get(name)
        assert node is not None, name
        return node

    def scalar(self, name: str) -> YamlScalar:
        return scalar_of(self.node(name))

    def items(self, name: str) -> tuple[YamlNode, ...]:
        """Return the items of a list. A single value is a list of one item, and a missing key an empty list."""
        return self.listed(self.get(name))

    @staticmethod
    def listed(node: YamlNode | None) -> tuple[YamlNode, ...]:
        """Return the items of a node, in the same way as :meth:`items`."""
        if isinstance(node, YamlSequence):
            return node.items
        return () if node is None else (node,)

    def entries(self, name: str) -> tuple[Entry, ...]:
        node = self.get(name)
        return node.entries if isinstance(node, YamlMapping) else ()

    def text(self, name: str) -> str:
        return self.text_or_none(name) or ""

    def text_or_none(self, name: str) -> str | None:
        return text_of(self.node(name)) if name in self else None

    def number(self, name: str, default: int = 0) -> int:
        value = self.scalar(name).value if name in self else default
        assert isinstance(value, int)
        return value

    def flag(self, name: str) -> bool:
        return name in self and self.scalar(name).value is True

    def word(self, name: str) -> Word:
        return word_of(self.node(name))

    def word_or_none(self, name: str) -> Word | None:
        return self.word(name) if name in self else None

    def words(self, name: str) -> tuple[Word, ...]:
        return tuple(word_of(item) for item in self.items(name))

    def word_pairs(self, name: str) -> tuple[tuple[Word, Word], ...]:
        return tuple((word_of(key), word_of(value)) for key, value in self.entries(name))

    def titled(self, name: str) -> tuple[tuple[str, EmbeddedText], ...]:
        """Return a list of (title, value) pairs."""
        return tuple((item.text("title"), item.embedded("value")) for item in map(Keys, self.items(name)))

    def embeddeds(self, name: str) -> tuple[EmbeddedText, ...]:
        return tuple(map(embedded_of, self.items(name)))

    def embedded(self, name: str) -> EmbeddedText:
        return embedded_of(self.node(name))

    def embedded_or_none(self, name: str) -> EmbeddedText | None:
        return self.embedded(name) if name in self else None


def scalar_of(node: YamlNode) -> YamlScalar:
    """Return a node that must be a scalar."""
    assert isinstance(node, YamlScalar)
    return node


def text_of(node: YamlNode) -> str:
    """Return the text of a scalar without surrounding blanks."""
    return scalar_of(node).text.strip()


def word_of(node: YamlNode) -> Word:
    """Return a name with its position in the source."""
    return Word(text_of(node), node.span)


def embedded_of(node: YamlNode) -> EmbeddedText:
    """Return text of the effect language, with its positions in the source."""
    return scalar_of(node).to_embedded_text()


def view_of(keys: Keys) -> model.ViewDecl:
    """Build the layout of the table."""
    status, players, shared, own = (
        tuple(_item(Keys(item)) for item in keys.items(part)) for part in ("status", "players", "shared", "own")
    )
    boards = tuple(_board(Keys(board)) for board in keys.items("boards"))
    panels = tuple(_panel(panel) for panel in keys.items("panels"))
    looks = tuple(
        model.LookDecl(
            model.Word(name.text, name.span),
            look.word_pairs("signs"),
            look.word_pairs("colours"),
            look.embedded_or_none("like"),
            look.embedded_or_none("short"),
            look.embedded_or_none("dim"),
            tuple(
                (mark.text("sign"), mark.text("colour"), mark.embedded_or_none("if"))
                for mark in map(Keys, look.items("marks"))
            ),
        )
        for name, look in ((name, Keys(inner)) for name, inner in keys.entries("show"))
    )
    return model.ViewDecl(status, players, shared, own, boards, panels, looks)


def _item(keys: Keys) -> model.ViewItemDecl:
    return model.ViewItemDecl(
        keys.text("title"),
        keys.embedded_or_none("text"),
        keys.embedded_or_none("if"),
        keys.embedded_or_none("short"),
        keys.embedded_or_none("pool"),
        keys.flag("below"),
        keys.number("from"),
    )


def _board(board: Keys) -> model.BoardViewDecl:
    return model.BoardViewDecl(
        board.text("title"),
        board.embedded_or_none("rows"),
        board.embedded_or_none("columns"),
        board.embedded_or_none("text"),
        board.embedded_or_none("if"),
        "headings" not in board or board.flag("headings"),
        board.word_or_none("board"),
        board.embedded_or_none("cells"),
        board.flag("crop"),
        board.embedded_or_none("short"),
        board.flag("boxed"),
        board.number("from"),
    )


def _panel(node: YamlNode) -> model.BoardViewDecl | model.PanelDecl | model.PilesDecl:
    """Build a panel. Its one key names the kind of panel."""
    assert isinstance(node, YamlMapping)
    ((kind, inner),) = node.entries
    keys = Keys(inner)
    if kind.text == "board":
        return _board(keys)
    title, condition, since = keys.text("title"), keys.embedded_or_none("if"), keys.number("from")
    if kind.text == "piles":
        piles = (
            (pile.text("title"), pile.embedded("cards"), pile.embedded_or_none("if"))
            for pile in map(Keys, keys.items("of"))
        )
        return model.PilesDecl(title, condition, since, tuple(piles))
    leads = (
        (lead.embedded("to"), lead.embedded("sign"), lead.embedded_or_none("if"))
        for lead in map(Keys, keys.items("leads"))
    )
    return model.PanelDecl(
        kind.text,
        title,
        condition,
        since,
        keys.embedded_or_none("of"),
        keys.word_or_none("board"),
        "per" in keys,
        keys.embedded_or_none("text"),
        keys.embedded_or_none("short"),
        keys.embedded_or_none("under"),
        keys.embedded_or_none("faces"),
        keys.embedded_or_none("at"),
        keys.embedded_or_none("note"),
        keys.embedded_or_none("dim"),
        keys.flag("boxed"),
        tuple(leads),
    )


RESOURCE = "Resource"
"""Name of the enum that the section ``resources`` declares."""

MOST_PLAYERS = 26

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


def named_entries(node: YamlNode | None) -> Iterator[Entry]:
    """Yield names and their values, from a mapping or from a plain list of names."""
    if isinstance(node, YamlMapping):
        yield from node.entries
    elif isinstance(node, YamlSequence):
        yield from ((item, item) for item in node.items if isinstance(item, YamlScalar))


def ruleset_of(
    sections: Sections, sources: tuple[Source, ...], directory: str | None, digest: str, diagnostics: Diagnostics
) -> model.Ruleset:
    """Build the ruleset from its sections, which must include ``game``."""
    return _Builder(sections, diagnostics).ruleset(sources, directory, digest)


class _Builder:
    """Build each kind of declaration."""

    def __init__(self, sections: Sections, diagnostics: Diagnostics) -> None:
        self.sections = sections
        self.diagnostics = diagnostics

    def ruleset(self, sources: tuple[Source, ...], directory: str | None, digest: str) -> model.Ruleset:
        names = ("setup", "scoring", "view", "bots", "balance")
        setup, scoring, view, bots, balance = map(self.sections.single.get, names)
        enums = [self.enum(word_of(key), node) for key, node in self._named("enums")]
        if "resources" in self.sections.keys:
            values = tuple(_enum_value(key, node) for key, node in self._named("resources"))
            enums.insert(0, model.EnumDecl(Word(RESOURCE, self.sections.keys["resources"].span), values))
        return model.Ruleset(
            sources=sources,
            directory=directory,
            digest=digest,
            game=self.game(self.sections.single["game"]),
            options=tuple(self.option(key, Keys(node)) for key, node in self._named("options")),
            enums=tuple(enums),
            boards=tuple(self.board(key, Keys(node)) for key, node in self._named("boards")),
            components=tuple(self.component(key, Keys(node)) for key, node in self._named("components")),
            cards=tuple(self.card(key, Keys(node)) for key, node in self._named("cards")),
            keywords=tuple(self.keyword(key, Keys(node)) for key, node in self._named("keywords")),
            tables=tuple(self.table(key, Keys(node)) for key, node in self._named("tables")),
            variables=tuple(self.variable(key, Keys(node)) for key, node in self._named("variables")),
            zones=tuple(self.zone(key, Keys(node)) for key, node in self._named("zones")),
            queries=tuple(self.query(key, Keys(node)) for key, node in self._named("queries")),
            effects=tuple(self.effect(key, Keys(node)) for key, node in self._named("effects")),
            actions=tuple(self.action(key, Keys(node)) for key, node in self._named("actions")),
            menus=tuple(self.menu(key, Keys(node)) for key, node in self._named("menus")),
            windows=tuple(self.window(key, Keys(node)) for key, node in self._named("windows")),
            spans=tuple(self.span(key, Keys(node)) for key, node in self._named("spans")),
            durations=tuple(self.duration(key, Keys(node)) for key, node in self._named("durations")),
            layers=tuple(word_of(node) for node in self._list("layers")),
            rules=tuple(self.rule(key, Keys(node)) for key, node in self._named("rules")),
            setup=None if setup is None else embedded_of(setup),
            phases=tuple(self.phase(node) for node in self._list("phases")),
            scoring=None if scoring is None else self.scoring(scoring),
            bots=None if bots is None else self.bots(Keys(bots)),
            balance=None if balance is None else self.balance(Keys(balance)),
            invariants=tuple(self.invariant(Keys(node)) for node in self._list("invariants")),
            view=None if view is None else view_of(Keys(view)),
            packs=tuple(self.sections.packs),
            more_setups=tuple(map(embedded_of, self.sections.more_setups)),
            endings=tuple(_ending(key, Keys(node)) for key, node in self._named("endings")),
        )

    def _named(self, section: str) -> Iterator[Entry]:
        yield from self.sections.named.get(section, {}).values()

    def _list(self, section: str) -> list[YamlNode]:
        return self.sections.lists.get(section, [])

    def game(self, node: YamlNode) -> model.GameDecl:
        keys = Keys(node)
        low, high = self._range(keys.scalar("players"))
        if high > MOST_PLAYERS:
            message = f"`game.players`: at most {MOST_PLAYERS} can play"
            self.diagnostics.add(
                diagnostic_codes.VALUE_NOT_ALLOWED, message, keys.scalar("players").span, "lower the number"
            )
        return model.GameDecl(
            id=keys.word("id"),
            name=keys.text("name"),
            version=keys.text("version"),
            min_players=low,
            max_players=high,
            authors=tuple(text_of(item) for item in keys.items("authors")),
            about=keys.text("about"),
            span=self.sections.keys["game"].span,
            start_page=_start_page(keys.node("start_page")) if "start_page" in keys else None,
        )

    def option(self, name: YamlScalar, keys: Keys) -> model.OptionDecl:
        return model.OptionDecl(
            name=word_of(name),
            type=keys.word_or_none("type"),
            values=keys.words("values"),
            range=self._range(keys.scalar("range")) if "range" in keys else None,
            default=_value(keys.node("default")),
            doc=keys.text("doc"),
        )

    def enum(self, name: Word, node: YamlNode) -> model.EnumDecl:
        return model.EnumDecl(name, tuple(_enum_value(key, details) for key, details in named_entries(node)))

    def board(self, name: YamlScalar, keys: Keys) -> model.BoardDecl:
        sized = next((key for key in ("grid", "hex", "track") if key in keys), None)
        return model.BoardDecl(
            name=word_of(name),
            shapes=tuple(word_of(keys.key(key)) for key in SHAPES if key in keys),
            size=None if sized is None else keys.word(sized),
            spaces=keys.words("ring"),
            letters=keys.word_or_none("name"),
            links=tuple((word_of(key), tuple(map(word_of, Keys.listed(node)))) for key, node in keys.entries("links")),
            lines=tuple((word_of(key), _lines(node)) for key, node in keys.entries("lines")),
            only=keys.embedded_or_none("only"),
            first_row_north=keys.text("first_row") == "north",
            wrap=keys.text("wrap"),
            facing=keys.words("facing"),
            one_way=keys.flag("one_way"),
            labels=tuple((word_of(key), text_of(node)) for key, node in keys.entries("labels")),
            map=keys.embedded_or_none("map"),
            shows=keys.words("shows"),
            signs=tuple((word_of(key), text_of(node)) for key, node in keys.entries("signs")),
            start=keys.embedded_or_none("start"),
            doc=keys.text("doc"),
            docs=tuple((word_of(key), text_of(node)) for key, node in keys.entries("docs")),
        )

    def component(self, name: YamlScalar, keys: Keys) -> model.ComponentDecl:
        blank = keys.embedded_or_none("blank")
        can_be_blank = [] if blank is None else [_blank(keys.key("blank"), blank)]
        return model.ComponentDecl(
            word_of(name),
            keys.word_pairs("fields"),
            keys.text("doc"),
            (*can_be_blank, *(self.member_query(key, Keys(node)) for key, node in keys.entries("queries"))),
            tuple(self.member_effect(key, Keys(node)) for key, node in keys.entries("effects")),
            tuple(self.member_action(key, Keys(node)) for key, node in keys.entries("actions")),
            keys.embedded_or_none("active"),
            tuple(self.card_rule(node) for node in keys.items("rules")),
            blank is not None,
            tuple((word_of(key), _value(node)) for key, node in keys.entries("defaults")),
            tuple((word_of(key), text_of(node)) for key, node in keys.entries("docs")),
            keys.text_or_none("plural"),
            keys.words("frame") if "frame" in keys else None,
        )

    def member_query(self, name: YamlScalar, keys: Keys) -> model.MemberQueryDecl:
        return model.MemberQueryDecl(
            word_of(name),
            "per" in keys,
            keys.word_pairs("params"),
            keys.word_or_none("type"),
            keys.embedded_or_none("value"),
            keys.text("doc"),
            keys.embedded_or_none("phrase"),
        )

    def member_effect(self, name: YamlScalar, keys: Keys) -> model.MemberEffectDecl:
        params = keys.word_pairs("params")
        do, says = keys.embedded_or_none("do"), keys.embedded_or_none("says")
        return model.MemberEffectDecl(word_of(name), "per" in keys, params, do, keys.text("doc"), says)

    def member_action(self, name: YamlScalar, keys: Keys) -> model.MemberActionDecl:
        return model.MemberActionDecl(
            word_of(name),
            keys.embedded_or_none("label"),
            tuple(embedded_of(node) for node in keys.items("if")),
            keys.embedded_or_none("cost"),
            keys.text("doc"),
            keys.embedded_or_none("says"),
        )

    def card(self, id: YamlScalar, keys: Keys) -> model.CardDecl:
        family = self.family(id, keys) if "for" in keys else None
        return model.CardDecl(
            id=word_of(id),
            kind=keys.word("kind"),
            label=keys.text_or_none("label") if family is None else None,
            copies=keys.number("copies", 1) if family is None else 1,
            fields=tuple((word_of(key), _value(node)) for key, node in keys.entries("fields"))
            if family is None
            else (),
            queries=tuple((word_of(key), embedded_of(node)) for key, node in keys.entries("queries")),
            effects=tuple((word_of(key), embedded_of(node)) for key, node in keys.entries("effects")),
            actions=tuple(self.card_action(key, node) for key, node in keys.entries("actions")),
            rules=tuple(self.card_rule(node) for node in keys.items("rules")),
            keywords=tuple(entry for node in keys.items("keywords") for entry in self.listed_keywords(node)),
            family=family,
            text=keys.embeddeds("text"),
        )

    def family(self, id: YamlScalar, keys: Keys) -> model.FamilyDecl:
        return model.FamilyDecl(
            id.to_embedded_text(),
            keys.embedded("for"),
            keys.embedded_or_none("label"),
            keys.embedded_or_none("copies"),
            tuple((word_of(key), embedded_of(node)) for key, node in keys.entries("fields")),
        )

    def listed_keywords(self, node: YamlNode) -> Iterator[tuple[Word, Value | EmbeddedText | model.ActionDecl | None]]:
        """Yield each keyword of a list item with its value: ``rush``, or ``{armour: 2}``.

        The value is None for a keyword without one.
        """
        if isinstance(node, YamlMapping):
            yield from ((word_of(key), self.keyword_value(key, value)) for key, value in node.entries)
        else:
            yield word_of(node), None

    def keyword_value(self, name: YamlScalar, node: YamlNode) -> Value | EmbeddedText | model.ActionDecl:
        """Return the value of a keyword on a card.

        It is data, an effect or an action, as the keyword is declared.
        """
        _, declared = self.sections.named.get("keywords", {}).get(name.text, (name, None))
        if isinstance(declared, YamlMapping):
            says = declared.get("effect") is not None or declared.get("to") is not None
            if says and isinstance(node, YamlScalar):
                return embedded_of(node)
            if declared.get("action") is not None and isinstance(node, YamlScalar):
                return self.card_action(name, node)
            if declared.get("action") is not None and isinstance(node, YamlMapping):
                found = Diagnostics()
                validate(node, "ruleset", found, part="action", words=name.text)
                self.diagnostics.extend(found.sorted())
                return _value(node) if found.has_errors else self.card_action(name, node)
        return _value(node)

    def keyword(self, name: YamlScalar, keys: Keys) -> model.KeywordDecl:
        return model.KeywordDecl(
            name=word_of(name),
            kind=keys.word("kind"),
            type=keys.word_or_none("type"),
            member=self.keyword_member(name, keys),
            to=keys.embedded_or_none("to"),
            label=keys.embedded_or_none("label"),
            reminder=keys.embedded_or_none("reminder"),
            rules=tuple(self.card_rule(node) for node in keys.items("rules")),
            doc=keys.text("doc"),
        )

    def keyword_member(self, name: YamlScalar, keys: Keys) -> model.MemberEffectDecl | model.MemberActionDecl | None:
        if "effect" in keys:
            return self.member_effect(name, Keys(keys.node("effect")))
        return self.member_action(name, Keys(keys.node("action"))) if "action" in keys else None

    def table(self, name: YamlScalar, keys: Keys) -> model.TableDecl:
        return model.TableDecl(
            name=word_of(name),
            per=keys.words("per"),
            type=keys.word("type"),
            values=_value(keys.node("values")) if "values" in keys else Value((), True, name.span),
            doc=keys.text("doc"),
            value=keys.embedded_or_none("value"),
        )

    def variable(self, name: YamlScalar, keys: Keys) -> model.VariableDecl:
        return model.VariableDecl(
            name=word_of(name),
            type=keys.word("type"),
            per=keys.words("per"),
            start=_start(keys.get("start")),
            visible=keys.embedded_or_none("visible"),
            label=keys.text_or_none("label"),
            doc=keys.text("doc"),
            phrase=keys.embedded_or_none("phrase"),
        )

    def zone(self, name: YamlScalar, keys: Keys) -> model.ZoneDecl:
        visible = keys.get("visible")
        seen = Keys(visible) if isinstance(visible, YamlMapping) else None
        return model.ZoneDecl(
            name=word_of(name),
            holds=keys.word("holds"),
            per=keys.words("per"),
            kinds=keys.words("kinds") if "kinds" in keys else None,
            start=tuple((word_of(key), embedded_of(node)) for key, node in keys.entries("start")),
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

    def start_of(self, start: YamlNode | None) -> EmbeddedText | None:
        """Return the start of a zone if it is an expression, else None."""
        if not isinstance(start, YamlScalar) or _kind_of_all(start) is not None:
            return None
        if pair := re.fullmatch(r"\s*([a-z]\w*) +(\d+)\s*", start.text):
            message = f"`{start.text}` is not a start value of a zone"
            self.diagnostics.add(
                diagnostic_codes.VALUE_NOT_ALLOWED, message, start.span, f"write `{pair[1]}: {pair[2]}`"
            )
            return None
        return embedded_of(start)

    def query(self, name: YamlScalar, keys: Keys) -> model.QueryDecl:
        return model.QueryDecl(
            word_of(name),
            "per" in keys,
            keys.word_pairs("params"),
            keys.embedded("value"),
            keys.text("doc"),
            keys.embedded_or_none("phrase"),
        )

    def effect(self, name: YamlScalar, keys: Keys) -> model.EffectDecl:
        return model.EffectDecl(
            word_of(name),
            "per" in keys,
            keys.word_pairs("params"),
            keys.embedded("do"),
            keys.text("doc"),
            keys.embedded_or_none("says"),
            keys.embedded_or_none("phrase"),
            keys.embeddeds("text"),
        )

    def action(self, name: YamlScalar, keys: Keys) -> model.ActionDecl:
        return model.ActionDecl(
            name=word_of(name),
            label=keys.embedded_or_none("label"),
            choose=keys.embedded_or_none("choose"),
            conditions=tuple(embedded_of(node) for node in keys.items("if")),
            cost=keys.embedded_or_none("cost"),
            do=keys.embedded("do"),
            doc=keys.text("doc"),
            says=keys.embedded_or_none("says"),
            text=keys.embeddeds("text"),
        )

    def card_action(self, name: YamlScalar, node: YamlNode) -> model.ActionDecl:
        """Build an action of a card. Its value may be a mapping or just the block."""
        if isinstance(node, YamlScalar):
            return model.ActionDecl(word_of(name), None, None, (), None, embedded_of(node), "")
        return self.action(name, Keys(node))

    def card_rule(self, node: YamlNode) -> model.CardRuleDecl:
        if isinstance(node, YamlScalar):
            return model.CardRuleDecl(embedded_of(node), None)
        keys = Keys(node)
        return model.CardRuleDecl(keys.embedded("rule"), keys.embedded_or_none("active"))

    def window(self, name: YamlScalar, keys: Keys) -> model.WindowDecl:
        return model.WindowDecl(
            name=word_of(name),
            params=keys.word_pairs("params"),
            who=keys.embedded("who"),
            forced=tuple(embedded_of(node) for node in keys.items("forced")),
            actions=tuple(embedded_of(node) for node in keys.items("actions")),
            until_all_pass=keys.text("passes") == "until all pass",
            at_most=keys.number("at_most") if "at_most" in keys else None,
            last_first=keys.text("order") == "last first",
            prompt=keys.embedded_or_none("prompt"),
            doc=keys.text("doc"),
            phrase=keys.embedded_or_none("phrase"),
        )

    def menu(self, name: YamlScalar, keys: Keys) -> model.MenuDecl:
        actions = tuple(embedded_of(node) for node in keys.items("actions"))
        return model.MenuDecl(word_of(name), actions, keys.embedded_or_none("prompt"), keys.text("doc"))

    def span(self, name: YamlScalar, keys: Keys) -> model.SpanDecl:
        holds, phrase = keys.embedded("holds"), keys.embedded_or_none("phrase")
        return model.SpanDecl(word_of(name), "per" in keys, holds, keys.text("doc"), phrase)

    def duration(self, name: YamlScalar, keys: Keys) -> model.DurationDecl:
        return model.DurationDecl(word_of(name), "per" in keys, keys.text("doc"))

    def rule(self, name: YamlScalar, keys: Keys) -> model.RuleDecl:
        return model.RuleDecl(word_of(name), keys.embedded("rule"), keys.text("doc"))

    def phase(self, node: YamlNode) -> model.PhaseDecl:
        keys = Keys(node)
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
            text=keys.embeddeds("text"),
        )

    def scoring(self, node: YamlNode) -> model.ScoringDecl:
        keys = Keys(node)
        return model.ScoringDecl(
            rank=tuple(embedded_of(item) for item in keys.items("rank")),
            payoff=keys.embedded_or_none("payoff"),
            show=keys.titled("show"),
            charts=tuple(self.chart(name, Keys(inner)) for name, inner in keys.entries("charts")),
            span=self.sections.keys["scoring"].span,
            items=tuple(
                model.ScoreItemDecl(item.text("title"), item.embedded("value"), item.embedded_or_none("why"))
                for item in map(Keys, keys.items("items"))
            ),
            ties=keys.words("ties"),
        )

    def bots(self, keys: Keys) -> model.BotsDecl:
        return model.BotsDecl(
            value=keys.embedded_or_none("value"),
            horizon=keys.number("horizon") if "horizon" in keys else None,
            likely=tuple((word_of(key), int(text_of(node))) for key, node in keys.entries("likely")),
            never=keys.words("never"),
            levels=tuple((word_of(key), int(text_of(node))) for key, node in keys.entries("levels")),
            span=self.sections.keys["bots"].span,
        )

    def balance(self, keys: Keys) -> model.BalanceDecl:
        return model.BalanceDecl(
            seats=keys.words("seats"),
            games=keys.number("games") if "games" in keys else None,
            within=tuple(self._thresholds(keys.entries("within"), False)),
            change=tuple(self._thresholds(keys.entries("change"), True)),
            span=self.sections.keys["balance"].span,
        )

    def _thresholds(self, entries: tuple[Entry, ...], of_change: bool) -> Iterator[model.ThresholdDecl]:
        """Yield bounds of statistics, with one entry for each seat or ending that a mapping names.

        If ``of_change`` is True, a single number bounds the change in both directions.
        """
        for key, node in entries:
            parts = node.entries if isinstance(node, YamlMapping) else ((None, node),)
            for of, value in parts:
                low, high = self._range(scalar_of(value))
                if high > 100 and text_of(value).endswith("%"):
                    message = f"`{text_of(value)}`: a share is at most 100 %"
                    self.diagnostics.add(
                        diagnostic_codes.VALUE_NOT_ALLOWED, message, value.span, "write whole per cents of games"
                    )
                bounds = (-high, high) if of_change else (low, high)
                yield model.ThresholdDecl(word_of(key), None if of is None else word_of(of), *bounds)

    def chart(self, name: YamlScalar, keys: Keys) -> model.ChartDecl:
        steps, text = keys.titled("steps"), keys.embeddeds("text")
        return model.ChartDecl(word_of(name), keys.text("title"), steps, keys.text("doc"), text)

    def invariant(self, keys: Keys) -> model.InvariantDecl:
        return model.InvariantDecl(
            keys.word("id"),
            keys.embedded_or_none("for"),
            keys.embedded("always"),
            keys.embedded_or_none("because"),
            keys.text("doc"),
        )

    def _range(self, node: YamlScalar) -> tuple[int, int]:
        """Return the ends of a range such as ``2..4``. A single number is both ends."""
        numbers = [int(number) for number in re.findall(r"-?\d+", node.text)]
        low, high = numbers[0], numbers[-1]
        if low > high:
            message = f"the range `{node.text}` is empty"
            unit = "%" if node.text.endswith("%") else ""
            self.diagnostics.add(diagnostic_codes.VALUE_NOT_ALLOWED, message, node.span, f"write `{high}..{low}{unit}`")
        return low, high


def _value(node: YamlNode) -> Value:
    if isinstance(node, YamlMapping):
        return Value(tuple((word_of(key), _value(value)) for key, value in node.entries), True, node.span)
    if isinstance(node, YamlSequence):
        return Value(tuple(_value(item) for item in node.items), False, node.span)
    return Value(scalar_of(node).value, False, node.span)


def _start(node: YamlNode | None) -> EmbeddedText | tuple[tuple[Word, Value], ...] | None:
    """Return the start of a variable: an expression, or entries by index."""
    if isinstance(node, YamlMapping):
        return tuple((word_of(key), _value(value)) for key, value in node.entries)
    return None if node is None else embedded_of(node)


def _lines(node: YamlNode) -> Word | tuple[EmbeddedText, ...]:
    """Return the number of spaces of each line, or the lines themselves."""
    return tuple(map(embedded_of, node.items)) if isinstance(node, YamlSequence) else word_of(node)


def _blank(key: YamlScalar, condition: EmbeddedText) -> model.MemberQueryDecl:
    """Return a query of cards from the condition under which they are blank."""
    return model.MemberQueryDecl(word_of(key), False, (), Word("Bool", key.span), condition, "")


def _enum_value(name: YamlScalar, details: YamlNode) -> model.EnumValueDecl:
    keys = Keys(details)
    return model.EnumValueDecl(
        word_of(name),
        keys.text_or_none("label"),
        keys.word_or_none("plural"),
        keys.text_or_none("short"),
        keys.text("doc"),
        keys.embeddeds("text"),
    )


def _start_page(node: YamlNode) -> model.StartPageDecl:
    keys = Keys(node)
    turn = [(word_of(key), text_of(line)) for key, line in keys.entries("turn")]
    recommended = []
    for name, inner in keys.entries("recommended"):
        setup = Keys(inner)
        options = tuple((word_of(option), _value(value)) for option, value in setup.entries("options"))
        seats = tuple(text_of(seat) for seat in setup.items("seats"))
        recommended.append(model.RecommendedDecl(text_of(name), seats, options, name.span))
    return model.StartPageDecl(
        aim=keys.text("aim"),
        turn=tuple(turn) if turn else tuple((None, text_of(line)) for line in keys.items("turn")),
        know=tuple(text_of(line) for line in keys.items("know")),
        recommended=tuple(recommended),
        span=node.span,
    )


def _ending(name: YamlScalar, keys: Keys) -> model.EndingDecl:
    return model.EndingDecl(word_of(name), keys.embedded("label"), keys.embeddeds("text"))


def _kind_of_all(start: YamlNode | None) -> Word | None:
    """Return ``Card`` if a zone starts with ``all Card``, else None."""
    if not isinstance(start, YamlScalar):
        return None
    embedded = start.to_embedded_text()
    found = re.fullmatch(r"\s*all\s+(\w+)\s*", embedded.text)
    return Word(found[1], embedded.span(found.start(1), found.end(1))) if found else None
