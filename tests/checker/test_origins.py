"""Test the origins of declarations and statements: the author, or a pass and the declaration that it worked on."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from programs import load_bundled

from lusory_dsl import core
from lusory_dsl.core import generated_part_origins
from lusory_dsl.pipeline import check_text
from lusory_dsl.ruleset import model
from lusory_dsl.ruleset.loader_and_merging_of_files_and_packs import load, load_text
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets
from lusory_dsl.source.source import Span

CHUNKS = {
    f"{file.stem}-{number}": text.split("\ncases:\n")[0]
    for file in sorted((Path(__file__).parents[1] / "conformance").glob("*.yaml"))
    for number, text in enumerate(file.read_text(encoding="utf-8").split("\n---\n"), 1)
}


def list_declarations(ruleset: model.Ruleset) -> dict[str, set[str]]:
    """Return the names of variables, queries and effects that an author declares. A table with a computed value is a
    query."""

    def list_names(*sections: tuple[model.QueryDecl | model.EffectDecl | model.VariableDecl, ...]) -> set[str]:
        return {decl.name.text for section in sections for decl in section}

    members = {
        section: {
            f"{kind.name.text}.{member.name.text}" for kind in ruleset.components for member in getattr(kind, section)
        }
        for section in ("queries", "effects")
    }
    members_by_name = {f"{keyword.kind.text}.{keyword.name.text}": keyword.member for keyword in ruleset.keywords}
    deeds = {name for name, member in members_by_name.items() if isinstance(member, model.MemberEffectDecl)}
    keywords = {name for name, member in members_by_name.items() if member is None}
    blank = {f"{kind.name.text}.blank" for kind in ruleset.components if kind.can_be_blank}
    computed_tables = {table.name.text for table in ruleset.tables if table.value is not None}
    return {
        "variables": list_names(ruleset.variables) | {decl.name.text for decl in ruleset.spans},
        "queries": list_names(ruleset.queries) | members["queries"] | keywords | blank | computed_tables,
        "effects": list_names(ruleset.effects) | list_names(ruleset.windows) | members["effects"] | deeds,
    }


def list_authored(program: core.Program, section: str) -> set[str]:
    return {name for name, item in getattr(program, section).items() if item.origin.is_authored}


def assert_origins_are_right(program: core.Program, ruleset: model.Ruleset) -> None:
    expected = list_declarations(ruleset)
    for section, names in expected.items():
        assert list_authored(program, section) == names, section

    all_names = {word for names in expected.values() for word in names}
    all_names |= {decl.name.text for section in (ruleset.durations, ruleset.windows) for decl in section}
    all_names |= {decl.name.text for decl in ruleset.keywords}
    for effect in program.effects.values():
        if effect.origin.part == generated_part_origins.EFFECT_COPY:
            assert effect.origin.declaration in list_authored(program, "effects")
        elif effect.origin.generator in (generated_part_origins.SPANS, generated_part_origins.DURATIONS):
            assert effect.origin.declaration in all_names


def list_bodies(program: core.Program) -> Iterator[tuple[core.Stmt, ...]]:
    """Yield the bodies of all routines."""
    remaining = [program.setup, *program.phases]
    while remaining:
        phase = remaining.pop()
        remaining += phase.children
        yield phase.body
    for effect in program.effects.values():
        yield effect.body
        yield from (rule.body for rule in (*effect.instead, *effect.when))


def find_shared_spans(block: tuple[core.Stmt, ...], outer: frozenset[Span] = frozenset()) -> Iterator[Span]:
    """Yield locations that two statements of the author share, nested or in sequence."""
    spans: set[Span] = set(outer)
    for stmt in block:
        own = {stmt.span} if stmt.origin.is_authored else set()
        yield from own & spans
        for inner in core.get_blocks(stmt):
            yield from find_shared_spans(inner, outer | own)
        spans |= own


VERBS: dict[type[core.Stmt], tuple[str, ...]] = {
    core.Let: ("let", "by"),
    core.SetCell: ("set", "increase", "decrease", "add", "remove", "begin", "cancel"),
    core.If: ("if",),
    core.DoByCard: (),
    core.ForEach: ("for", "each"),
    core.Repeat: ("repeat",),
    core.Ask: ("choose", "may", "take", "use"),
    core.AskMany: ("choose", "order"),
    core.Random: ("roll", "pick"),
}
"""Statement class -> the words that such a statement can begin with."""


def is_authored_text(stmt: core.Stmt, program: core.Program) -> bool:
    """Return whether the source text of a statement begins as an author writes such a statement."""
    text = stmt.span.source.text[stmt.span.start : stmt.span.end]
    if isinstance(stmt, core.CallEffect) and program.effects[stmt.effect].origin.part == "made":
        # the effect stands for a move or an assignment
        return re.split(r"\W", text)[0] in ("move", *VERBS[core.SetCell])
    if isinstance(stmt, core.CallEffect):
        return stmt.effect.rpartition(".")[2].split(" in ")[0] in text
    return re.split(r"\W", text)[0] in VERBS.get(type(stmt), (re.split(r"\W", text)[0],))


def assert_statements_are_as_written(program: core.Program) -> None:
    """Assert that statements of the author have matching source text, and that no two of them share a location."""
    assert [str(span) for body in list_bodies(program) for span in find_shared_spans(body)] == []
    stmts = (stmt for body in list_bodies(program) for stmt in core.walk_statements(body) if stmt.origin.is_authored)
    assert [f"{type(stmt).__name__} at {stmt.span}" for stmt in stmts if not is_authored_text(stmt, program)] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", find_bundled_rulesets())
def test_rulesets(name: str) -> None:
    path = find_bundled_rulesets()[name]
    ruleset = load(path, Diagnostics())

    assert ruleset is not None
    program = load_bundled(name)
    assert_origins_are_right(program, ruleset)
    assert_statements_are_as_written(program)


@pytest.mark.parametrize("name", CHUNKS)
def test_conformance(name: str) -> None:
    ruleset, program = load_text(CHUNKS[name], Diagnostics()), check_text(CHUNKS[name], Diagnostics())

    assert ruleset is not None
    assert program is not None
    assert_origins_are_right(program, ruleset)
    assert_statements_are_as_written(program)
