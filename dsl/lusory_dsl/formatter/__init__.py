"""Format YAML files of rulesets in one style, which docs/reference/formatting.md describes.

Keys keep their order, comments their place and values their meaning. The formatter verifies this before it returns.
"""

from __future__ import annotations

from ..source.diagnostics import Diagnostics
from ..source.source import Source
from ..yaml.reader import YamlMapping, YamlNode, YamlScalar, YamlSequence, read_text
from .comments import FileComments
from .yaml_layout import WIDTH, FileWriter, has_same_meaning

__all__ = ["WIDTH", "format_source"]


LONGEST_KEY = 1000
"""Maximum length of a key before a colon, with room for quotes. YAML allows 1,024 characters (version 1.2.2, 7.4.2)."""


def format_source(source: Source, diagnostics: Diagnostics) -> str | None:
    """Return a file of a ruleset, a pack or test cases in the style of lusory. The result has the same meaning.

    Example: ``a:   [ 1,2 ]`` becomes ``a: [1, 2]``, and ``a:   b # c`` becomes ``a: b  # c``. A file
    that is formatted already stays the same.

    Returns None, with a diagnostic for each fault, if the YAML or an effect text in it can't be parsed. Raises
    AssertionError if the result would have another meaning.
    """
    findings = Diagnostics()
    root = read_text(source, findings)
    text = None
    if (isinstance(root, YamlScalar) and root.text) or (root is not None and _has_endless_key(root)):
        text = source.text  # a single word has no style, and a key that is too long can't begin a line
    elif root is not None:
        comments = FileComments(source, root)
        lines = FileWriter(comments.has_comment_between, findings).format_file(root)
        text = "".join(f"{line}\n" for line in comments.place(lines))
    diagnostics.extend(findings.sorted())
    if root is None or text is None or findings.has_errors:
        return None
    if text == source.text:
        return text
    formatted_root = read_text(Source(source.name, text), Diagnostics())
    if formatted_root is None or not has_same_meaning(root, formatted_root):
        raise AssertionError(f"formatting {source.name} would change what it means; nothing was written")
    return text


def _has_endless_key(root: YamlNode) -> bool:
    """Return whether a key is too long to precede a colon. Such a key can only be in brackets, without a value."""
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, YamlMapping):
            if any(len(key.text) > LONGEST_KEY for key, _ in node.entries):
                return True
            stack += [value for _, value in node.entries]
        elif isinstance(node, YamlSequence):
            stack += node.items
    return False
