"""The keys of one declaration in YAML, as the records of :mod:`model` want them."""

from __future__ import annotations

from ..text.source import Embedded
from ..yaml.reader import YamlMapping, YamlNode, YamlScalar, YamlSequence
from .model import Word

Entry = tuple[YamlScalar, YamlNode]


class Keys:
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
        return scalar_of(self.node(name))

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

    def titled(self, name: str) -> tuple[tuple[str, Embedded], ...]:
        """A list of titles and values."""
        return tuple((item.text("title"), item.embedded("value")) for item in map(Keys, self.items(name)))

    def embedded(self, name: str) -> Embedded:
        return embedded_of(self.node(name))

    def embedded_or_none(self, name: str) -> Embedded | None:
        return self.embedded(name) if name in self else None


def scalar_of(node: YamlNode) -> YamlScalar:
    """A node that is one value."""
    assert isinstance(node, YamlScalar)
    return node


def text_of(node: YamlNode) -> str:
    """The text of one value, without the blanks round it."""
    return scalar_of(node).text.strip()


def word_of(node: YamlNode) -> Word:
    """A name, with its place."""
    return Word(text_of(node), node.span)


def embedded_of(node: YamlNode) -> Embedded:
    """Text of the effect language, with its places."""
    return scalar_of(node).embedded()
