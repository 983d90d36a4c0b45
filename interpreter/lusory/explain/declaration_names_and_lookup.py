"""Look up the English names of declarations, and build common phrases."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from lusory_dsl.ruleset import model
from lusory_dsl.source.source import capitalize, humanise, join_items

from .phrase_filling_and_negation import pluralize


def find_names(sections: Iterable[tuple[Iterable[tuple[Any, Any]], Any]], name: str) -> list[str]:
    """Return the names of the declarations that a reader may mean by ``name``, or [] if there are none.

    Each section is a pair. Its first item holds pairs of a ``Word`` (the name, with its ``text``) and a declaration, or
    a tuple that ends with the declaration. The section's second item is ignored. The names are in the order of the
    sections, without duplicates. An exact match comes first. Without one, names are compared without regard to case,
    with punctuation and underscores as blanks. If none matches, the ``label`` and ``plural`` of each declaration are
    compared in the same way. The kinds of matches are never mixed. A label or plural with values counts only up to the
    first value: ``draw`` matches “Draw {n} cards”, and ``draw n cards`` doesn't.
    """
    declarations = [(word.text, decl) for section, _ in sections for word, decl in section]
    folded_name = fold_text(name)
    readings = (
        [word for word, _ in declarations if word == name],
        [word for word, _ in declarations if fold_text(word) == folded_name],
        [word for word, decl in declarations if folded_name and folded_name in map(fold_text, _iterate_labels(decl))],
    )
    return next((list(dict.fromkeys(names)) for names in readings if names), [])


def list_readings(sections: Iterable[tuple[Iterable[tuple[Any, Any]], Any]]) -> list[str]:
    """Return everything that declarations may be called, without duplicates.

    Each of ``sections`` is a pair. Its first item holds pairs of a ``Word`` (the name, with its ``text``) and a
    declaration, or a tuple that ends with the declaration. The section's second item is ignored. All names come first.
    Then come the ``label`` and the ``plural`` of the first declaration, those of the second, and so on. Each is a
    string, has a ``text``, or is None or missing. It counts up to its first value, without blanks around:
    ``Armour {n}`` gives ``Armour``. Empty texts are left out.
    """
    declarations = [(word.text, decl) for section, _ in sections for word, decl in section]
    labels = [label.strip() for _, decl in declarations for label in _iterate_labels(decl)]
    return [word for word in dict.fromkeys([*(name for name, _ in declarations), *labels]) if word]


def fold_text(text: str) -> str:
    """Return words in the form in which they are compared: ``Draw-pile!`` → ``draw pile``.

    Letters are in lower case. Each run of punctuation, underscores and blanks becomes one blank, and none remains at
    the ends.
    """
    return " ".join(re.sub(r"[\W_]+", " ", text).casefold().split())


def _iterate_labels(declaration: Any) -> Iterator[str]:
    """Yield the label and the plural of a declaration. A template counts only up to its first value."""
    decl = declaration[-1] if isinstance(declaration, tuple) else declaration
    for label in (getattr(decl, "label", None), getattr(decl, "plural", None)):
        if label is not None:
            yield getattr(label, "text", label).partition("{")[0]


NamedDecl = model.VariableDecl | model.ZoneDecl | model.TableDecl | model.QueryDecl | model.SpanDecl
Decl = TypeVar(
    "Decl", bound=NamedDecl | model.OptionDecl | model.EffectDecl | model.ActionDecl | model.WindowDecl
    | model.EnumDecl | model.KeywordDecl | model.EndingDecl,
)  # fmt: skip

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
MAX_LISTED = 5
"""The largest number of enum values that a text lists. For more values, it names the type."""

# fmt: off
PREPOSITIONS = frozenset((
    "about", "above", "against", "at", "behind", "below", "beside", "by", "for", "from", "in", "near", "of", "on", "to",
    "under", "with",
))
# fmt: on
"""Words that lead on to an argument without parentheses: “the ruins beside this card”."""

PERSONS = {
    "me": "you",
    "it": "it",
    "this": "this card",
    "players": "all players",
    "viewer": "that player",
    "owner": "the owner",
}
"""The words for names that stand for a person or thing."""


def format_type_name(name: str) -> str:
    """Return the name of a type as words: ``CardType`` becomes ``Card type``.

    A name without a capital inside stays the same.
    """
    return capitalize(_CAMEL.sub(" ", name).lower()) if _CAMEL.search(name) else name


def lowercase_first_letter(text: str) -> str:
    """Return a sentence for use after a colon, with a small first letter.

    A text whose second character is no small letter, such as an acronym, a quotation or “A card”, stays unchanged.
    """
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


class Vocabulary:
    """Look up the declarations of a ruleset by name, and the words for them.

    Attributes:
        options, effects, windows, actions, keywords, endings: Name -> declaration.
        places: Name -> variable, zone, table, query or span.
        cards: Id -> card.
        kinds: The names of all component kinds.
        plurals: Component kind -> its plural, if it declares one.
        enums: Name -> enum, board or line of a board. Boards and lines have no values here, and win over an enum of the
            same name.
        members: Name -> member query of cards, if only one component kind has a member query of that name.
        values: Name or plural -> enum value, and name -> labelled space of a board. If several have one name, an enum
            value wins over a space, and the last enum or board over earlier ones.
    """

    def __init__(self, ruleset: model.Ruleset) -> None:
        self.ruleset = ruleset
        self.options = _map_by_name(ruleset.options)
        self.effects = _map_by_name(ruleset.effects)
        self.windows = _map_by_name(ruleset.windows)
        self.actions = _map_by_name(ruleset.actions)
        self.keywords = _map_by_name(ruleset.keywords)
        self.endings = _map_by_name(ruleset.endings)
        self.places: dict[str, NamedDecl] = {
            **_map_by_name(ruleset.variables),
            **_map_by_name(ruleset.zones),
            **_map_by_name(ruleset.tables),
            **_map_by_name(ruleset.queries),
            **_map_by_name(ruleset.spans),
        }
        self.cards = {card.id.text: card for card in ruleset.cards}
        self.kinds = {decl.name.text for decl in ruleset.components}
        self.plurals = {decl.name.text: decl.plural for decl in ruleset.components if decl.plural is not None}
        board_types = [word for board in ruleset.boards for word in (board.name, *(line for line, _ in board.lines))]
        self.enums = _map_by_name([*ruleset.enums, *(model.EnumDecl(word, ()) for word in board_types)])
        queries = [query for kind in ruleset.components for query in kind.queries]
        counts = Counter(query.name.text for query in queries)
        self.members = {query.name.text: query for query in queries if counts[query.name.text] == 1}
        self.values: dict[str, model.EnumValueDecl] = {}
        for board in ruleset.boards:
            for word, label in board.labels:
                self.values[word.text] = model.EnumValueDecl(word, "", label, None, None)
        for value in (value for enum in ruleset.enums for value in enum.values):
            self.values[value.name.text] = value
            if value.plural is not None:
                self.values[value.plural.text] = value

    def get_plural(self, kind: str) -> str:
        """Return the declared plural of a component kind, or else a regular one: ``card types`` for ``CardType``."""
        return self.plurals.get(kind) or pluralize(format_type_name(kind).lower())

    def name_place(self, decl: NamedDecl) -> str:
        """Return the label of a variable or zone, or else the name of a declaration as words."""
        label = decl.label if isinstance(decl, model.VariableDecl | model.ZoneDecl) else None
        return label or humanise(decl.name.text)

    def name_value(self, value: model.EnumValueDecl, is_plural: bool = False) -> str:
        """Return the words for an enum value: its label, or else its name as words.

        The name ``dark_red`` becomes ``dark red``, and ``DarkRed`` stays. With ``is_plural``, return ``value.plural``
        as words unless it is None. Without ``is_plural``, a ``value.plural`` in lower case puts the whole label or name
        in lower case: with ``kings``, ``Red King`` becomes ``red king``, and ``A`` becomes ``a``. Only a longer label
        or name in capitals, such as ``NPC``, stays.
        """
        if is_plural and value.plural is not None:
            return humanise(value.plural.text)
        label = value.label or humanise(value.name.text)
        is_word = value.plural is not None and value.plural.text.islower() and not (len(label) > 1 and label.isupper())
        return label.lower() if is_word else label

    def name_keyword(self, decl: model.KeywordDecl) -> str:
        """Return a keyword as players read it, without its value.

        This is the start of its label up to the value, such as ``Armour`` of ``Armour {n}``, or else its name as a
        title.
        """
        label = "" if decl.label is None else decl.label.text
        return label.partition("{")[0].strip(" (:") or capitalize(humanise(decl.name.text))

    def name_card(self, decl: model.CardDecl) -> str:
        """Return the label of a card, or else its id as a title."""
        return decl.label or capitalize(humanise(decl.id.text))

    def describe_values(self, name: str) -> str:
        """Return the values of an enum in words, in order, such as “red, green and Light Blue”.

        Each is its label, or else its name as words, as :meth:`name_value` gives it. Return “every NAME”, with the name
        as in the rules (“every BigBoard”), for no values or more than ``MAX_LISTED`` (5), or if ``name`` is no enum,
        such as a board or a kind of card.
        """
        enum = self.enums.get(name)
        if enum is None or not 0 < len(enum.values) <= MAX_LISTED:
            return f"every {name}"
        return join_items(self.name_value(value) for value in enum.values)


def _map_by_name(declarations: Iterable[Decl]) -> dict[str, Decl]:
    return {decl.name.text: decl for decl in declarations}
