"""Loops over an optional value compile to a test, and only lists that may be long count visits."""

from __future__ import annotations

import re

import pytest
from programs import build_program, read_data

from lusory.codegen.generated_code_check_and_loading import KINDS
from lusory.codegen.python_build_stages_and_ir_listing import emit
from lusory.game import Game

DATA = read_data(__file__)

GAME = DATA["game"]
EQUIVALENT = DATA["equivalent"]
BODIES = ("  set told to [a]", "  by players.first:\n    choose two in [a, card]: set told to [two]")


def _compile(body: str, kind: str) -> str:
    lines = "\n".join(" " * 8 + line for line in body.splitlines())
    text = emit(Game(build_program(GAME.format(body=lines)), engine="compiled").setting, kind).text
    text = re.sub(r"^# .*|^.*raise_limit.*\n|(?<=\+= )\d+$", "", text, flags=re.M)  # comments and charges for work
    return re.sub(r"_\d+\b|\d+: ", "", text)  # numbers of locals


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("name", EQUIVALENT)
def test_a_loop_over_an_optional_value_compiles_to_a_test(name: str, body: str, kind: str) -> None:
    loop_code, condition_code = (_compile(template.format(body), kind) for template in EQUIVALENT[name])
    assert loop_code == condition_code


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("body", BODIES)
def test_a_loop_over_an_optional_value_has_no_body_if_its_condition_never_holds(body: str, kind: str) -> None:
    text = _compile(f"for each a in aim[card] where 1 > 2:\n{body}", kind)
    assert " a = " in text
    assert "and False" not in text and "two" not in text


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


def test_removing_an_item_searches_the_list_once() -> None:
    text = _compile("remove card from told", "playout")
    assert "remove_first(P_told, card)" in text
    assert "select_leading" not in text
