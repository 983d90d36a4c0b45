"""Only lists that may be long count visits."""

from __future__ import annotations

import re

from programs import build_program, read_data

from lusory.codegen.build_stages_and_ir_listing import emit
from lusory.game import Game

DATA = read_data(__file__)

GAME = DATA["game"]


def _compile(body: str, kind: str) -> str:
    lines = "\n".join(" " * 8 + line for line in body.splitlines())
    text = emit(Game(build_program(GAME.format(body=lines)), engine="compiled").setting, kind).text
    text = re.sub(r"^# .*|^.*raise_limit.*\n|(?<=\+= )\d+$", "", text, flags=re.M)  # comments and charges for work
    return re.sub(r"_\d+\b|\d+: ", "", text)  # numbers of locals


def test_only_lists_that_may_be_long_count_visits() -> None:
    template = "for each a in aim[card]: set told to [a]\nif count(pile where it in mine) > {}: set sum to 1\n{}"
    short, no_loop, long = (
        _compile(template.format(n, more), "playout")
        for n, more in (
            (1, ""),
            (1, "add card to told"),
            (1, "add card to told\nset sum to count(told where it is card)"),
        )
    )
    assert "count_visits" not in short + no_loop
    assert "count_visits" in long
