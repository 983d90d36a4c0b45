"""What is bounded while a ruleset is read and checked, and how that is told: with code, place and a hint."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lusory import cli
from lusory_dsl.codes import UNKNOWN_KEY, UNUSED_LOCAL
from lusory_dsl.diagnostics import MOST_KEPT, Diagnostic, Diagnostics
from lusory_dsl.program import check_text
from lusory_dsl.source import Source, Span

GAME = 'game: {id: g, name: G, version: "1", language: 1, players: 2}\n'
REST = "scoring: {rank: [0]}\n"


def found_in(text: str) -> list[Diagnostic]:
    diagnostics = Diagnostics()
    check_text(text, diagnostics, "rules.yaml")
    return diagnostics.sorted()


def errors(text: str) -> list[str]:
    return [d.code.id for d in found_in(text) if d.severity == "error"]


# ---------------------------------------------------------------- many mistakes

MANY = 3 * MOST_KEPT
TOO_MANY = {
    "unknown keys": (REST + "".join(f"key{i}: 1\n" for i in range(MANY)), "E0201", " … and 1,000 more"),
    "unknown keys further in": (
        "variables:\n" + "".join(f"  v{i}: {{type: Int, start: 0, tpye: 1}}\n" for i in range(MANY)),
        "E0201",
        " … and 1,000 more",
    ),
    "missing keys": (
        "variables:\n" + "".join(f"  v{i}: {{type: Int}}\n" for i in range(MANY)),
        "E0202",
        " … and 1,000 more",
    ),
    "keys twice": ("variables:\n" + "  v: {type: Int, start: 0}\n" * MANY, "E0101", " … and 999 more"),
    "unknown names": (REST + "setup: |\n" + "".join(f"  set v{i} to 1\n" for i in range(MANY)), "E0401", " … and more"),
    "texts": (
        REST + "invariants:\n" + "".join(f"  - {{id: i{i}, always: 1 +}}\n" for i in range(MANY)),
        "E0316",
        " … and more",
    ),
}


@pytest.mark.parametrize("what", TOO_MANY)
def test_of_many_mistakes_some_are_told_and_the_others_counted(what: str) -> None:
    text, code, more = TOO_MANY[what]
    found = found_in(GAME + text)

    assert {d.code.id for d in found} == {code}
    assert len(found) == MOST_KEPT
    assert found[-1].message.endswith(more)
    assert not any(" more" in d.message for d in found[:-1])


@pytest.mark.parametrize("form", ["text", "json", "github", "sarif", "junit"])
def test_every_form_says_that_there_are_more(form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text(GAME + TOO_MANY["unknown keys"][0], encoding="utf-8")

    assert cli.main(["check", "--format", form, str(rules)]) == 1
    written = capsys.readouterr().out.replace(json.dumps("…")[1:-1], "…")
    assert written.count("… and 1,000 more") in (1, 2)  # JUnit says it in an attribute and in the text
    assert written.count("unknown key") <= 2 * MOST_KEPT


def test_bags_that_are_poured_into_others_keep_count() -> None:
    source = Source("rules.yaml", "x" * 2000)
    one, other = Diagnostics(), Diagnostics()
    for place in range(MOST_KEPT + 7):
        one.add(UNKNOWN_KEY, f"key {place}", Span(source, place, place + 1))
        one.add(UNUSED_LOCAL, f"local {place}", Span(source, place, place + 1))
    other.add(UNKNOWN_KEY, "one more", Span(source, 1999, 2000))
    other.extend(one.sorted())

    assert (one.is_full, len(one), len(other)) == (True, 2 * MOST_KEPT, 2 * MOST_KEPT)
    told = [d for d in other.sorted() if d.more]
    assert [(d.severity, d.more) for d in told] == [("warning", 7), ("error", 8)]
    assert all(d.message.count("more") == 1 + (d.message[:8] == "one more") for d in told)


def test_warnings_alone_never_stop_a_check() -> None:
    text = REST + "setup: |\n" + "".join(f"  let v{i} = 1\n" for i in range(MANY))
    diagnostics = Diagnostics()

    assert check_text(GAME + text, diagnostics) is not None
    assert diagnostics.sorted()[-1].message.endswith(" … and 1,000 more")
