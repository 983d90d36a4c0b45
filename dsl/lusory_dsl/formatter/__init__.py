"""Text of a YAML file -> the same file in the one style of the house. docs/formatting.md describes it.

Used by the command line. Nothing is lost but the author's way of indenting: keys keep their order, comments their
place, and every value stays what it is, which is checked before anything is given back.
"""

from __future__ import annotations

from ..source.diagnostics import Diagnostics
from ..source.source import Source
from ..yaml.reader import YamlMapping, YamlNode, YamlScalar, YamlSequence, read_text
from .comments import Remarks
from .yaml_layout import WIDTH, FileWriter, same_meaning

__all__ = ["WIDTH", "format_source"]


LONGEST_KEY = 1000
"""Characters of a key that can stand before a colon, with room for quotes: YAML allows 1,024 (version 1.2.2, 7.4.2)."""


def format_source(source: Source, diagnostics: Diagnostics) -> str | None:
    """Return the text of a ruleset's, a pack's or a case file in the one style.

    Returns None, with a diagnostic for each mistake, if the YAML or an effect text in it can't be read."""
    found = Diagnostics()
    root = read_text(source, found)
    text = None
    if (isinstance(root, YamlScalar) and root.text) or (root is not None and _has_endless_key(root)):
        text = source.text  # a word alone has no style, nor has what no line can begin with
    elif root is not None:
        remarks = Remarks(source, root)
        lines = FileWriter(remarks.is_between, found).lines(root)
        text = "".join(f"{line}\n" for line in remarks.placed(lines))
    diagnostics.extend(found.sorted())
    if root is None or text is None or found.has_errors:
        return None
    if text == source.text:
        return text
    after = read_text(Source(source.name, text), Diagnostics())
    if after is None or not same_meaning(root, after):
        raise AssertionError(f"formatting {source.name} would change what it means; nothing was written")
    return text


def _has_endless_key(root: YamlNode) -> bool:
    """Whether there is a key that can stand between brackets alone, as one without a value."""
    todo = [root]
    while todo:
        node = todo.pop()
        if isinstance(node, YamlMapping):
            if any(len(key.text) > LONGEST_KEY for key, _ in node.entries):
                return True
            todo += [value for _, value in node.entries]
        elif isinstance(node, YamlSequence):
            todo += node.items
    return False
