"""What goes over a wire comes back as it was, and nothing else comes through."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import pytest
from programs import read_data

from lusory.explain.styled_text_wrapping_and_values import Run
from lusory.play.stored_results_settings_and_typed_lines import InvalidData, from_json, to_json

DATA = read_data(__file__)


@dataclass(frozen=True)
class Leaf:
    text: str
    many: tuple[Run, ...] = ()


@dataclass(frozen=True)
class Branch:
    number: int | None
    sure: bool = False
    pairs: tuple[tuple[int, Run], ...] = ()
    inner: Leaf | Branch | None = None
    place: Literal["here", "there"] = "here"


WHOLE = Branch(
    3, True, ((1, Run("x", bold=True)),), Branch(None, inner=Leaf("ü", (Run("a"), Run("b", of="K:b")))), "there"
)


def test_data_comes_back_as_it_was() -> None:
    written = to_json(WHOLE, Branch)
    assert from_json(Branch, written) == WHOLE
    assert written["inner"] == {"is": "Branch", "number": None, "inner": written["inner"]["inner"]}


@pytest.mark.parametrize("data", DATA["nothing else comes through"])
def test_nothing_else_comes_through(data: Any) -> None:
    with pytest.raises(InvalidData):
        from_json(Branch, data)


def test_texts_can_do_nothing_but_be_read() -> None:
    assert from_json(Leaf, {"text": "a\x1b[2Jb"}).text == "a\N{REPLACEMENT CHARACTER}[2Jb"
