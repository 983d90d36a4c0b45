"""Test finding numbers of a ruleset by their keys, in mappings, lists, sheets and packs, and replacing them."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import read_data

from lusory_dsl.pipeline import check_files
from lusory_dsl.ruleset.numbers_by_path import NoNumber, find_numbers, replace_numbers
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.ruleset_files_fingerprints_and_text_lock import read_ruleset_files

DATA = read_data(__file__)

GAME = DATA["game"]
SHEET = 'id,kind,price,about\nbowl,Ware,4,"a bowl, round"\njug,Ware,"5",a jug\n'
PACK = "pack: {name: More, for: shop}\ncards:\n  vase: {kind: Ware, fields: {price: 9, about: tall}}\n"


@pytest.fixture
def shop(tmp_path: Path) -> list[Path]:
    (tmp_path / "shop" / "cards").mkdir(parents=True)
    (tmp_path / "shop" / "ruleset.yaml").write_text(GAME.replace("\n", "\r\n"), encoding="utf-8", newline="")
    (tmp_path / "shop" / "cards" / "Ware.csv").write_text(SHEET, encoding="utf-8")
    (tmp_path / "pack.yaml").write_text(PACK, encoding="utf-8")
    return [tmp_path / "shop", tmp_path / "pack.yaml"]


PATHS = DATA["paths"]


def test_numbers_are_found_by_their_keys(shop: list[Path]) -> None:
    places = read_ruleset_files(shop[0], shop[1:])
    numbers = find_numbers(places, list(PATHS))
    assert {number.path: number.value for number in numbers} == PATHS


def test_replacing_numbers_changes_nothing_else(shop: list[Path]) -> None:
    places = read_ruleset_files(shop[0], shop[1:])
    names = list(PATHS)[:-1]
    new_values = {number: number.value + 100 for number in find_numbers(places, names)}
    new_places = replace_numbers(places, new_values)
    new_numbers = find_numbers(new_places, names)
    assert [number.value for number in new_numbers] == [PATHS[name] + 100 for name in names]
    old_places = replace_numbers(new_places, {new: old.value for new, old in zip(new_numbers, new_values, strict=True)})
    assert [number.value for number in find_numbers(old_places, names)] == [PATHS[name] for name in names]
    before, after = (check_files(files, Diagnostics()) for files in (places, old_places))
    assert before is not None and after is not None
    assert [entity.fields for entity in before.entities] == [entity.fields for entity in after.entities]


@pytest.mark.parametrize(("path", "hint"), DATA["values that are no numbers are refused"])
def test_values_that_are_no_numbers_are_refused(path: str, hint: str, shop: list[Path]) -> None:
    with pytest.raises(NoNumber) as problem:
        find_numbers(read_ruleset_files(shop[0], shop[1:]), [path])
    assert hint in problem.value.hint
