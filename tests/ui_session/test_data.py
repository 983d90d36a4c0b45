"""Test that data keeps its value through JSON, and that other data is refused."""

from __future__ import annotations

from dataclasses import dataclass, is_dataclass
from hashlib import sha256
from typing import Any, Literal, get_args, get_type_hints

import pytest
from programs import read_data

from lusory.explain.styled_text_wrapping_and_values import Run
from lusory.play.stored_results_settings_and_dataclass_json import InvalidData, from_json, to_json
from lusory.ui.session.messages import VERSION, Reply, Request

DATA = read_data(__file__)


@dataclass(frozen=True)
class Leaf:
    text: str
    many: tuple[Run, ...] = ()


@dataclass(frozen=True)
class Branch:
    number: int | None
    is_sure: bool = False
    pairs: tuple[tuple[int, Run], ...] = ()
    inner: Leaf | Branch | None = None
    place: Literal["here", "there"] = "here"


EXAMPLE = Branch(
    3, True, ((1, Run("x", bold=True)),), Branch(None, inner=Leaf("ü", (Run("a"), Run("b", of="K:b")))), "there"
)


def test_data_round_trips() -> None:
    data = to_json(EXAMPLE, Branch)
    assert from_json(Branch, data) == EXAMPLE
    assert data["inner"] == {"is": "Branch", "number": None, "inner": data["inner"]["inner"]}


@pytest.mark.parametrize("data", DATA["other data is refused"])
def test_other_data_is_refused(data: Any) -> None:
    with pytest.raises(InvalidData):
        from_json(Branch, data)


def test_control_characters_are_replaced() -> None:
    assert from_json(Leaf, {"text": "a\x1b[2Jb"}).text == "a\N{REPLACEMENT CHARACTER}[2Jb"


def test_another_form_of_the_messages_has_another_version() -> None:
    forms: dict[str, list[str]] = {}
    kinds: list[Any] = [Request, Reply]
    for kind in kinds:  # grows meanwhile
        if not is_dataclass(kind):
            kinds += get_args(kind)
        elif kind.__name__ not in forms:
            hints = get_type_hints(kind)
            forms[kind.__name__] = [*hints]
            kinds += hints.values()
    digest = sha256(repr(sorted(forms.items())).encode()).hexdigest()[:8]
    assert (VERSION, digest) == (6, "cf923827"), "another form needs another version"
