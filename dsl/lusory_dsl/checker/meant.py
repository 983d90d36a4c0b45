"""Names that other systems, and English, lead one to write → how the language says it: hints of unknown names."""

from __future__ import annotations

import re

_OTHERS = "of two players the other one is `me.next`; all others are `players where it is not me`"
SEATS = "rules name no seat: the first player is `players.first`, the second `players.first.next`"
_AROUND = "the spaces next to it are `beside`, with those at its corners `around`"

_NAMES = {
    "opponent": _OTHERS, "opponents": _OTHERS, "enemy": _OTHERS, "enemies": _OTHERS, "others": _OTHERS,
    "directions": "all directions of a board are `Compass`, of a ring or track `Way`",
    "active_player": "who acts is `me`, in what is done for a player: `each player: …`, `by …: …`, `per: Player`",
    "current_player": "who acts is `me`, in what is done for a player: `each player: …`, `by …: …`, `per: Player`",
}  # fmt: skip
_MEMBERS = {
    "Player": dict.fromkeys(("opponent", "opponents", "enemy", "other", "others"), _OTHERS),
    "space": dict.fromkeys(("neighbours", "neighbors", "adjacent", "adjacents", "next_to", "orthogonals"), _AROUND),
}


def name_meant(name: str) -> str | None:
    """How to say what an unknown name stands for; None where nothing is known of it."""
    return SEATS if re.fullmatch(r"[Pp](layer_?)?[1-9]", name) else _NAMES.get(name)


def chance_meant(function: str) -> str | None:
    """How to let chance decide, for a function that other systems have for it."""
    if function not in ("roll", "random", "rand", "randint", "dice", "die", "pick", "choice"):
        return None
    return "chance decides in a statement: `roll n in 1..6: …` or `pick one in list at random: …`"


def member_meant(of: str, name: str) -> str | None:
    """How to ask for what an unknown member of a `Player` or a `space` stands for."""
    return _MEMBERS[of].get(name)
