"""Test what a name refers to: an identifier in any case, or a label that players read."""

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


@pytest.mark.parametrize(("name", "expected"), DATA["name refers to declarations"])
def test_name_refers_to_declarations(name: str, expected: list[str]) -> None:
    assert find_names(SECTIONS, name) == expected
