"""What somebody means by a name: an author's word, the same in other letters, or what players read."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from programs import read_data

from lusory.explain.declaration_names_and_lookup import find_names

DATA = read_data(__file__)


@dataclass
class Word:
    text: str


@dataclass
class Declared:
    label: str | None = None
    plural: Word | None = None


SECTIONS = [
    ([(Word("gang_boss"), Declared("Gang Boss")), (Word("c32"), Declared("Old Baker"))], None),
    (
        [
            (Word("produce"), Declared("Sell {item}")),
            (Word("Produce"), Declared()),
            (Word("vp"), Declared("VP", Word("vps"))),
        ],
        None,
    ),
]


@pytest.mark.parametrize(("name", "found"), DATA["a name means what is called so"])
def test_a_name_means_what_is_called_so(name: str, found: list[str]) -> None:
    assert find_names(SECTIONS, name) == found
