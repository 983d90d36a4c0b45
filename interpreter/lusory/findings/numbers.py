"""How the numbers of reports are written, in whatever form."""

from __future__ import annotations


def several(number: int, word: str) -> str:
    """``1 case``, ``2 cases``"""
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def percentage(percent: float) -> str:
    """A percentage that is 100 only where nothing is missing."""
    return "100" if percent == 100 else f"{int(percent * 10) / 10:.1f}"
