"""Loops over something or nothing are tests, whatever goes round them; lists that grow are not thought longer than
they are."""

from __future__ import annotations

import re

import pytest
from programs import checked, read_data

from lusory.codegen.generated_code_check_and_loading import KINDS
from lusory.codegen.python_build_stages_and_ir_listing import emit
from lusory.game import Game

DATA = read_data(__file__)

GAME = DATA["game"]
ALIKE = DATA["alike"]
BODIES = ("  set told to [a]", "  by players.first:\n    choose two in [a, card]: set told to [two]")


def _text(body: str, kind: str) -> str:
    lines = "\n".join(" " * 8 + line for line in body.splitlines())
    text = emit(Game(checked(GAME.format(body=lines)), engine="compiled").setting, kind).text
    text = re.sub(r"^# .*|^.*raise_limit.*\n|(?<=\+= )\d+$", "", text, flags=re.M)  # remarks, and what it costs
    return re.sub(r"_\d+\b|\d+: ", "", text)  # numbers of locals


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("form", ALIKE)
def test_a_loop_over_something_or_nothing_is_a_test(form: str, body: str, kind: str) -> None:
    looped, tested = (_text(written.format(body), kind) for written in ALIKE[form])
    assert looped == tested


def test_only_lists_that_may_be_long_are_counted_where_some_list_grows() -> None:
    once = "for each a in aim[card]: set told to [a]\nif count(pile where it in mine) > {}: set sum to 1\n{}"
    plain, grown, read = (
        _text(once.format(n, more), "playout")
        for n, more in (
            (1, ""),
            (1, "add card to told"),
            (1, "add card to told\nset sum to count(told where it is card)"),
        )
    )
    assert "count_visits" not in plain + grown
    assert "count_visits" in read


def test_what_is_taken_out_of_a_list_is_looked_for_once() -> None:
    text = _text("remove card from told", "playout")
    assert "without_first(P_told, card)" in text
    assert "leading_of" not in text
