"""Pictures of boards, and maps, in the one style: signs stand below each other. Used by the formatter."""

from __future__ import annotations

PICTURE = "picture"
"""The language of rows of signs, as the schema calls it: ``start`` and ``map`` of a board, boards in cases."""


def aligned(text: str) -> str:
    """Signs below each other, one blank apart, in as many columns as rows have. Rows that are moved, or of which some
    have fewer signs, are drawn as they lie: they stay."""
    rows = rows_of(text)
    written = [row for row in rows if row]
    if "\n" not in text or text[:1].isspace() or "\n " in text or len({len(row) for row in written}) > 1:
        return text
    widths = [max(map(len, column)) for column in zip(*written, strict=True)]
    return "\n".join(
        " ".join(sign.ljust(width) for sign, width in zip(row, widths, strict=False)).rstrip() for row in rows
    )


def rows_of(text: str) -> list[list[str]]:
    """What a picture says, whatever stands between its signs."""
    return [line.split() for line in text.split("\n")]
