"""``lusory explain``: the rules in words, or the page about a diagnostic."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence

from lusory_dsl.codes import CODES
from lusory_dsl.diagnostics import Diagnostics, RulesetError, did_you_mean
from lusory_dsl.resources import data

from ..console.terminal import Terminal, terminal
from .common import find_packs, find_ruleset
from .errors import UsageError

COMFORTABLE = 92  # longer lines are hard to read, whatever the screen has room for
CODE = re.compile(r"[EW]\d{4}", re.IGNORECASE)


def run(args: argparse.Namespace) -> int:
    screen = terminal()
    if CODE.fullmatch(args.game) and args.name is None:
        _explain_code(args.game.upper(), screen)
    else:
        screen.pipe(rules_in_words(args.game, args.packs, args.name, screen.width))
    return 0


def _explain_code(code: str, screen: Terminal) -> None:
    if code not in CODES:
        raise UsageError(f"there is no diagnostic {code}", did_you_mean(code, CODES))
    page = data("diagnostics") / f"{code}.md"
    if page.is_file():
        screen.markdown(page.read_text(encoding="utf-8"))
    else:
        screen.pipe(f"{code} {CODES[code].name}\n{CODES[code].meaning}")


def rules_in_words(game: str, packs: Sequence[str], name: str | None, width: int) -> str:
    """The rules of a game, or of one thing in it, in lines that fit into ``width``."""
    from lusory_dsl.loader import load
    from lusory_dsl.rules_text import explain, names

    diagnostics = Diagnostics()
    ruleset = load(find_ruleset(game), diagnostics, find_packs(packs))
    if ruleset is None:
        raise RulesetError(diagnostics.sorted())
    try:
        return explain(ruleset, name, min(width, COMFORTABLE))
    except KeyError:
        hint = did_you_mean(name or "", names(ruleset))
        raise UsageError(f"{ruleset.game.name} declares no `{name}`", hint) from None
