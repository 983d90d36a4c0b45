"""Test the memory between checks: it saves work, doesn't change results and doesn't grow."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lusory_dsl.pipeline import check
from lusory_dsl.source import in_memory_cache_of_parsed_and_checked_texts
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.in_memory_cache_of_parsed_and_checked_texts import (
    MAX_UNUSED_ROUNDS,
    ResultCache,
    enable_cache,
    get_cached,
)
from lusory_dsl.source.source import Span
from lusory_dsl.syntax import parser

RULES = Path(__file__).parents[1] / "fixtures" / "bids.yaml"
MORE = """queries:
  half: {doc: Half., value: rounds div 2}
rules:
  tell: {rule: 'when shout: announce "{half}"'}
"""
EFFECT = "effects:\n  shout: {do: 'announce \"loud\"'}\n"


def list_findings(path: Path) -> list[tuple[object, ...]]:
    """Return all diagnostics of a check with their locations and source texts."""
    diagnostics = Diagnostics()
    check(path, diagnostics)
    return [
        (item.code, item.message, _place(item.span), item.hint, [(_place(span), label) for span, label in item.notes])
        for item in diagnostics.list_sorted()
    ]


def _place(span: Span) -> tuple[str, int, int, str]:
    return span.source.name, span.start, span.end, span.source.text


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    (tmp_path / "ruleset.yaml").write_bytes(RULES.read_bytes())
    (tmp_path / "more.yaml").write_text(MORE + EFFECT, encoding="utf-8")
    return tmp_path


EDITS: dict[str, list[tuple[str, str, str]]] = {
    "a remark above moves everything": [("ruleset.yaml", "game:", "# so\n\ngame:")],
    "a wrong name, and mended": [("more.yaml", "rounds div", "ruonds div"), ("more.yaml", "ruonds div", "rounds div")],
    "a syntax error, moved, mended": [
        ("more.yaml", "rounds div 2", "rounds div"),
        ("more.yaml", "queries:", "# so\nqueries:"),
        ("more.yaml", "rounds div", "rounds div 2"),
    ],
    "a wrong key, twice seen": [("more.yaml", "doc:", "dco:"), ("ruleset.yaml", "game:", "# so\ngame:")],
    "no YAML": [("more.yaml", "queries:", "queries: ["), ("more.yaml", "queries: [", "queries:")],
    "a text in another place": [("more.yaml", EFFECT, ""), ("ruleset.yaml", "game:", f"{EFFECT}game:")],
    "a declaration that others use": [("more.yaml", "  half:", "  third:")],
    "a file goes and comes back": [("more.yaml", MORE + EFFECT, ""), ("more.yaml", "", MORE + EFFECT)],
}


@pytest.mark.parametrize("edits", EDITS.values(), ids=EDITS)
def test_check_with_memory_finds_the_same_as_a_fresh_one(
    edits: list[tuple[str, str, str]], rules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with enable_cache() as memory:
        list_findings(rules)
        for name, old, new in edits:
            memory.start_round()
            text = (rules / name).read_text(encoding="utf-8")
            assert old in text
            (rules / name).write_text(text.replace(old, new, 1), encoding="utf-8")
            findings = list_findings(rules)
            memory.start_round()
            # check again without a change
            assert list_findings(rules) == findings
            with monkeypatch.context() as patch:
                patch.setattr(in_memory_cache_of_parsed_and_checked_texts, "_cache", None)
                assert list_findings(rules) == findings


@pytest.fixture
def parsed_texts(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Return a list that collects every effect text that the parser reads."""
    texts: list[str] = []
    run = parser.parse_tree

    def parse_and_record(start: str, text: str, *arguments: Any) -> object:
        texts.append(text)
        return run(start, text, *arguments)

    monkeypatch.setattr(parser, "parse_tree", parse_and_record)
    return texts


def test_only_changed_texts_are_parsed_again(rules: Path, parsed_texts: list[str]) -> None:
    with enable_cache() as memory:
        list_findings(rules)
        assert len(parsed_texts) > 5
        parsed_texts.clear()
        memory.start_round()
        file = rules / "more.yaml"
        file.write_text("# so\n" + file.read_text(encoding="utf-8").replace("div 2", "div 3"), encoding="utf-8")
        list_findings(rules)
        assert parsed_texts == ["rounds div 3"]


def test_without_memory_nothing_is_stored(rules: Path, parsed_texts: list[str]) -> None:
    list_findings(rules)
    first = list(parsed_texts)
    list_findings(rules)
    assert parsed_texts == first * 2


def test_one_check_parses_a_text_once(rules: Path, parsed_texts: list[str]) -> None:
    file = rules / "more.yaml"
    file.write_text(MORE.replace("half: {", "again: {doc: Half., value: rounds div 2}\n  half: {"), encoding="utf-8")
    list_findings(rules)
    assert parsed_texts.count("rounds div 2") == 1


def test_entries_unused_for_many_rounds_are_dropped() -> None:
    memory, keys = ResultCache(), list[str]()

    def get(key: str) -> None:
        memory.get_or_make(key, lambda: keys.append(key))

    get("a")
    for _ in range(MAX_UNUSED_ROUNDS - 1):
        memory.start_round()
        get("b")
    assert len(memory) == 2
    memory.start_round()
    assert len(memory) == 1
    get("b")
    get("a")
    assert keys == ["a", "b", "a"]


def test_memory_ends_with_its_block() -> None:
    with enable_cache():
        assert get_cached("key", lambda: 1) == 1
        with enable_cache():
            assert get_cached("key", lambda: 2) == 2
        assert get_cached("key", lambda: 3) == 1
    assert get_cached("key", lambda: 4) == 4
