"""The tables of the effect grammar that are kept, and the automaton that goes by them, beside Lark, which made them."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from lark import Lark, Token as LarkToken, Tree as LarkTree

from lusory_dsl.effect import generator, tables
from lusory_dsl.effect.automaton import Run, Unfit
from lusory_dsl.effect.grammar import run
from lusory_dsl.effect.layout import Indenter
from lusory_dsl.effect.trees import Tree
from lusory_dsl.text.resources import data, text_of


def test_what_is_kept_is_what_the_grammar_says() -> None:
    """If not: ``python -m lusory_dsl.effect.generator``."""
    assert text_of(data("schema") / tables.NAME) == generator.kept_text()


def test_a_grammar_that_was_changed_wants_its_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changed = tmp_path / "effect.lark"
    changed.write_text(text_of(tables.GRAMMAR).replace('"shuffle" postfix', '"riffle" postfix'), encoding="utf-8")
    monkeypatch.setattr(tables, "GRAMMAR", changed)
    with pytest.raises(RuntimeError, match="run python"):
        tables.tables.__wrapped__()
    assert '"riffle"' in generator.kept_text()


TEXTS = (
    ("expression", "a + b * -c.d[1, x](y, n: 2) - (1)"),
    ("expression", "let x = 1; (let y = x; y) in any hand"),
    ("expression", "sum(c.value for c in xs where c is not empty, d in 1..3)"),
    ("expression", "(((xs))) as x with most x.cost sorted by x.name"),
    ("expression", 'if not a or b not in c then "words {n} {{" else none'),
    ("template", "To {player}: {{not a hole}} top of {zone.top}"),
    ("template", ""),
    ("choice_vars", "secret card in hand where it.cost > 2, n in 1..3"),
    ("gains", "+1 strength, guard, keywords of other, -(2 + x) cost"),
    ("recipient", "cards where cards.owner = p"),
    ("offer", "play of cards"),
)


@pytest.mark.parametrize(("start", "text"), TEXTS)
def test_the_automaton_makes_the_trees_of_lark(start: str, text: str) -> None:
    found, _ = run(start, text)
    assert isinstance(found, Tree)
    assert sketch(found) == sketch(by_lark(start, text))


def test_blocks_are_those_of_lark() -> None:
    """All of the grammar that needs lines: Lark gets the tokens that layout makes."""
    text = text_of(Path(__file__).parent / "block.txt")
    found, _ = run("block", text)
    assert isinstance(found, Tree)
    assert sketch(found) == sketch(by_lark("block", text))


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("move top of deck", 3),
        ("a +", 1),
        ("f(x", 3),
        ("1 2", 1),
        ("x.", 2),
        ("choose c in", 3),
        ("let = 3", 1),
        ("a ? b", 1),
    ],
)
def test_what_could_follow_is_what_lark_says(text: str, read: int) -> None:
    """``read``: so many tokens, behind which nothing stands or what fits nothing."""
    parser = Run(text, "block")
    interactive = lark().parse_interactive(text, start="block")
    tokens = []
    with suppress(Unfit):
        for token in parser.tokens():
            parser.feed(token)
            interactive.feed_token(LarkToken(token.type, str(token)))
            tokens.append(token)
    assert len(tokens) == read
    assert parser.expected() == interactive.accepts()


_made: list[Lark] = []


def lark() -> Lark:
    if not _made:
        _made.append(Lark(text_of(tables.GRAMMAR), start=list(tables.STARTS), parser="lalr", propagate_positions=True))
    return _made[0]


def by_lark(start: str, text: str) -> Any:
    """The tree that Lark makes of our tokens."""
    ours, theirs = Run(text, start), lark().parse_interactive("", start=start)
    layout = Indenter(text, flat=start != "block")
    for token in layout.tokens(ours.tokens()):
        ours.feed(token)
        theirs.feed_token(LarkToken(token.type, str(token), token.start_pos, 1, 1, 1, 1, token.end_pos))
    return theirs.feed_eof()


def sketch(part: Any) -> Any:
    """Names, words and places."""
    if isinstance(part, Tree):
        return part.data, part.start_pos, part.end_pos, [sketch(child) for child in part.children]
    if isinstance(part, LarkTree):
        places = getattr(part.meta, "start_pos", 0), getattr(part.meta, "end_pos", 0)
        return str(part.data), *places, [sketch(child) for child in part.children]
    return part and str(part)
