"""Read and write the lock file of printed texts: which text the author has accepted for which rules.

Each line has the name of a declaration, a digest of its text, and a digest of its rules.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_LINE = re.compile(r"((?:action|card|effect|keyword) \S+) ([0-9a-f]{8}) ([0-9a-f]{8})")
_HEAD = "# Written by `lusory text --accept`: name, digest of its text, digest of its rules.\n"


def parse_text_lock(content: bytes) -> dict[str, tuple[str, str]]:
    """Return name -> (digest of the text, digest of the rules). Lines in another form are skipped."""
    lines = content.decode("utf-8", "replace").splitlines()
    return {match[1]: (match[2], match[3]) for line in lines if (match := _LINE.fullmatch(line))}


def format_text_lock(accepted: Mapping[str, tuple[str, str]]) -> str:
    """Return the content of a lock file, sorted by name."""
    return _HEAD + "".join(f"{name} {text} {rules}\n" for name, (text, rules) in sorted(accepted.items()))
