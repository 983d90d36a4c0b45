"""The table of diagnostic codes. One row a code; ``docs/diagnostics/<id>.md`` explains it and is executed.

Ids never change their meaning. Stages refer to the constants below, never to the text of an id.
"""

from __future__ import annotations

from .diagnostics import Code

CODES: dict[str, Code] = {}


def _code(id: str, name: str, meaning: str) -> Code:
    if id in CODES:
        raise ValueError(f"code {id} is declared twice")
    CODES[id] = Code(id, name, meaning)
    return CODES[id]


# 01 files and YAML (loader)

# 02 structure (loader: schema)

# 03 syntax of effect text (parser)

# 04 names (checker)

# 05 types (checker)

# 06 shape of the program (checker)

# 07 lints (checker)

# 08 case files (cases)
