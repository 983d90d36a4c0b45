"""Repeated checks reuse the results of unchanged texts, and find the same as fresh checks."""

from __future__ import annotations

import gc
import shutil
from pathlib import Path

import pytest
from programs import read_data

from lusory_dsl.checker.call_graph_and_size_limits import Owner
from lusory_dsl.checker.code_fields_templates_and_check_cache import TextChecker
from lusory_dsl.checker.context import Routine
from lusory_dsl.pipeline import check
from lusory_dsl.ruleset.loader_and_merging_of_files_and_packs import load
from lusory_dsl.source import in_memory_cache_of_parsed_and_checked_texts
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.in_memory_cache_of_parsed_and_checked_texts import MAX_UNUSED_ROUNDS, enable_cache

DATA = read_data(__file__)

RULES = Path(__file__).parents[1] / "rules" / "dice"
BASE = (RULES / "base.yaml").read_text(encoding="utf-8")

EFFECTS = BASE.index("effects:")
EDITS = DATA["edits"] | {
    "declarations change places": [("base.yaml", BASE, BASE[EFFECTS:] + BASE[:EFFECTS])],
    "a file is lost and found": [("base.yaml", BASE, "queries: {}"), ("base.yaml", "queries: {}", BASE)],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return shutil.copytree(RULES, tmp_path, dirs_exist_ok=True)


def _check(folder: Path) -> tuple[list[str], str]:
    """Return the findings of a check, and the program as text, with all positions."""
    diagnostics = Diagnostics()
    program = check(folder, diagnostics)
    return [repr(diagnostic) for diagnostic in diagnostics.list_sorted()], repr(program)


def _change(folder: Path, name: str, old: str, new: str) -> None:
    text = (folder / name).read_text(encoding="utf-8")
    assert old in text
    (folder / name).write_text(text.replace(old, new, 1), encoding="utf-8")


def test_rules_are_correct(folder: Path) -> None:
    findings, program = _check(folder)
    assert findings == []
    assert program != "None"


@pytest.mark.parametrize("edits", EDITS.values(), ids=EDITS)
def test_repeated_check_finds_the_same_as_a_fresh_one(
    edits: list[tuple[str, str, str]], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with enable_cache() as cache:
        _check(folder)
        for edit in edits:
            cache.start_round()
            _change(folder, *edit)
            result = _check(folder)
            with monkeypatch.context() as patch:
                patch.setattr(in_memory_cache_of_parsed_and_checked_texts, "_cache", None)
                assert result == _check(folder)


@pytest.fixture
def checked_names(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that collects the names of the queries, effects and invariants that are checked."""
    owners: list[str] = []
    make = TextChecker.make_routine

    def record(texts: TextChecker, owner: Owner, is_setup: bool = False) -> Routine:
        if owner.section in ("query", "effect", "invariant"):
            owners.append(owner.name)
        return make(texts, owner, is_setup)

    monkeypatch.setattr(TextChecker, "make_routine", record)
    return owners


CARD_TEXTS = ["Card.price", "Card.shout"]
ALL = [*CARD_TEXTS, "base", "draw", "hint", "is_rich", "newest", "offer", "play", "sane", "tell", "worth"]


@pytest.mark.parametrize(("name", "old", "new", "expected"), DATA["only affected texts are checked again"])
def test_only_affected_texts_are_checked_again(
    name: str, old: str, new: str, expected: list[str], folder: Path, checked_names: list[str]
) -> None:
    with enable_cache():
        _check(folder)
        assert sorted(checked_names) == ALL
        _change(folder, name, old, new)
        checked_names.clear()
        _check(folder)
        assert sorted(checked_names) == sorted({*expected, "offer"})  # texts that offer actions are always checked
        checked_names.clear()
        _check(folder)
        assert sorted(checked_names) == (["offer"] if new != "true" else ["offer", "worth"])


def test_unchanged_declarations_are_reused(folder: Path) -> None:
    with enable_cache():
        before = load(folder, Diagnostics())
        _change(folder, "base.yaml", "queries:", "# so\n\nqueries:")
        _change(folder, "base.yaml", '"2"', '"3"')
        after = load(folder, Diagnostics())
    assert before is not None and after is not None
    pairs = zip((*before.queries, *before.effects), (*after.queries, *after.effects), strict=True)
    assert [old.name.text for old, new in pairs if old is not new] == ["base"]


def test_check_leaves_no_garbage(folder: Path) -> None:
    with enable_cache():
        _check(folder)
        gc.collect()
        _change(folder, "base.yaml", '"2"', '"3"')
        assert check(folder, Diagnostics()) is not None
        _change(folder, "base.yaml", '"3"', '"2"')
        assert check(folder, Diagnostics()) is not None
        assert gc.collect() < 100


def test_results_of_earlier_texts_are_dropped(folder: Path) -> None:
    with enable_cache() as cache:
        sizes = []
        for _ in range(3 * MAX_UNUSED_ROUNDS):
            _change(folder, "base.yaml", "effects:", "# so\neffects:")
            _check(folder)
            cache.start_round()
            sizes.append(len(cache))
        assert max(sizes[MAX_UNUSED_ROUNDS:]) == sizes[MAX_UNUSED_ROUNDS]
