"""The parser: what texts mean, where nodes lie in the file, and what is said about texts that are wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import yaml

from lusory_dsl.source.diagnostics import Diagnostic, Diagnostics
from lusory_dsl.source.source import EmbeddedText, Source
from lusory_dsl.syntax import ast, parser
from lusory_dsl.syntax.keywords_operators_and_mistaken_words import KEYWORDS, MISTAKEN_WORDS, NOTATIONS, SOFT_KEYWORDS
from lusory_dsl.syntax.lark_parse_trees_and_indentation import get_terminal_spellings

ROOT = Path(__file__).resolve().parents[2]

PARSERS: dict[str, Callable[[EmbeddedText, Diagnostics], Any]] = {
    "block": parser.parse_block,
    "expression": parser.parse_expression,
    "template": parser.parse_template,
    "rule": parser.parse_rule,
    "choice_vars": parser.parse_choice_vars,
}


def embedded(text: str, before: str = "") -> EmbeddedText:
    """A text that stands in a file behind ``before``."""
    return EmbeddedText(Source("t.yaml", before + text), text, tuple(range(len(before), len(before + text) + 1)))


def findings(kind: str, text: str) -> list[Diagnostic]:
    diagnostics = Diagnostics()
    result = PARSERS[kind](embedded(text), diagnostics)
    assert (result is None) == bool(len(diagnostics))
    return diagnostics.list_sorted()


def parse(kind: str, text: str) -> Any:
    assert [d.message for d in findings(kind, text)] == []
    return PARSERS[kind](embedded(text), Diagnostics())


def sketch(value: object) -> str:
    """Nodes in one line, without places and empty parts: ``Binary(+, 1, 2)``."""
    if isinstance(value, ast.Node):
        kept = [getattr(value, f.name) for f in fields(value) if not f.name.endswith("span")]
        inside = ", ".join(sketch(v) for v in kept if v is not None and v is not False and v != ())
        simple = isinstance(value, ast.Name | ast.IntLit)
        return inside if simple else f"{type(value).__name__}({inside})"
    if isinstance(value, tuple):
        return f"[{', '.join(map(sketch, value))}]"
    return str(value)


# ---------------------------------------------------------------- expressions


@pytest.mark.parametrize(
    "text, meaning",
    [
        ("1 + 2 * 3", "Binary(+, 1, Binary(*, 2, 3))"),
        ("a - b - c", "Binary(-, Binary(-, a, b), c)"),
        ("-a * b", "Binary(*, Unary(-, a), b)"),
        ("not a = b", "Unary(not, Binary(=, a, b))"),
        ("a or b and not c", "Binary(or, a, Binary(and, b, Unary(not, c)))"),
        ("a is b", "Binary(=, a, b)"),
        ("a is not b", "Binary(!=, a, b)"),
        ("a not in b", "Binary(not in, a, b)"),
        ("a.b is not empty", "IsEmpty(Member(a, b), True)"),
        ("[0] union 1..n - 1", "Binary(union, ListLit([0]), Binary(.., 1, Binary(-, n, 1)))"),
        ("xs where it > 1 with most it", "WithKey(Where(xs, Binary(>, it, 1)), most, it)"),
        ("xs with distinct it.suit", "WithKey(xs, distinct, Member(it, suit))"),
        ("distinct + 1", "Binary(+, distinct, 1)"),
        ("if a then b else c where d", "IfExpr(a, b, Where(c, d))"),
        ("if a then b else if c then d else e", "IfExpr(a, b, IfExpr(c, d, e))"),
        ("deck.top", "Member(deck, top)"),
        ("p.hand.first.next", "Member(Member(Member(p, hand), first), next)"),
        ("grid[x, y + 1][z]", "Index(Index(grid, [x, Binary(+, y, 1)]), [z])"),
        ("f(1, by: g())", "Call(f, [Argument(1), Argument(by, Call(g))])"),
        ("any(a = 1 for a in xs where a)", "Comprehension(any, Binary(=, a, 1), a, xs, a)"),
        ("all(xs)", "Call(all, [Argument(xs)])"),
        ("take(at(xs, 1), times)", "Call(take, [Argument(Call(at, [Argument(xs), Argument(1)])), Argument(times)])"),
        ('"a {b + 1} {{c}} \\"d\\""', 'TextLit([a , Binary(+, b, 1),  {c} "d"])'),
        ('"{if a then "x" else "y"}"', "TextLit([IfExpr(a, TextLit([x]), TextLit([y]))])"),
        ('""', "TextLit()"),
        ("((1))", "1"),
        ("1 +\n  2", "Binary(+, 1, 2)"),
        ("inside in insides", "Binary(in, inside, insides)"),
        ("1 # one", "1"),
    ],
)
def test_expressions(text: str, meaning: str) -> None:
    assert sketch(parse("expression", text)) == meaning


# ---------------------------------------------------------------- statements


@pytest.mark.parametrize(
    "text, meaning",
    [
        ("let n = xs where it", "Let(n, Where(xs, it))"),
        ("set p.a[1] to 2; stop", "SetTo(set, Index(Member(p, a), [1]), 2), Stop()"),
        ("increase a by 1;", "SetTo(add, a, 1)"),
        ("move 2 coins from a to b", "MoveCount(2, coins, a, b)"),
        ("move n + 1 it from p.a to b[c]", "MoveCount(Binary(+, n, 1), it, Member(p, a), Index(b, [c]))"),
        ("move all from a to b", "MoveCount(a, b)"),
        ("move all coins from a to b", "MoveCount(coins, a, b)"),
        ("move card to top of deck", "MoveCards(card, deck, top)"),
        ("move hand where it.cost > 1 to deck", "MoveCards(Where(hand, Binary(>, Member(it, cost), 1)), deck, bottom)"),
        ("choose x in xs", "Choose([ChoiceVar(x, xs)])"),
        (
            'choose secret x in xs where c, y in ys,\n    label "l", by p, prompt "q"',
            "Choose([ChoiceVar(x, xs, c, True), ChoiceVar(y, ys)], p, TextLit([q]), TextLit([l]))",
        ),
        ("choose up to 2 x in xs", "ChooseSome(2, ChoiceVar(x, xs))"),
        ("choose n x in xs", "ChooseSome(n, n, ChoiceVar(x, xs))"),
        ("choose 1..3 x in xs, by p", "ChooseSome(1, 3, ChoiceVar(x, xs), p)"),
        ("choose any x in xs", "ChooseSome(ChoiceVar(x, xs))"),
        ('choose any x in xs, label "{x}!"', "ChooseSome(ChoiceVar(x, xs), TextLit([x, !]))"),
        ("order x in xs", "ChooseSome(True, ChoiceVar(x, xs))"),
        ("take action a, b, by p", "TakeAction([Offer(a), Offer(b)], p)"),
        ("take action a, b of xs where it > 1", "TakeAction([Offer(a), Offer(b, Where(xs, Binary(>, it, 1)))])"),
        ("use a of x, by p", "UseAction(a, x, p)"),
        ("take(deck, 2)", None),
        ("roll n in 1..6", "Random(dice, ChoiceVar(n, Binary(.., 1, 6)))"),
        ("pick secret c in xs where c at random", "Random(picks, ChoiceVar(c, xs, c, True))"),
        ("p.draw(1)", "Do(Call(Member(p, draw), [Argument(1)]))"),
        ('announce "x" to [p]', "Announce(TextLit([x]), ListLit([p]))"),
        ('end game because "x"', "EndGame(TextLit([x]))"),
        ("if a: b()", "If([[a, [Do(Call(b))]]])"),
        ("if a: b(); c()\nelse if d: e()\nelse: f()",
         "If([[a, [Do(Call(b)), Do(Call(c))]], [d, [Do(Call(e))]]], [Do(Call(f))])"),
        ("if a: b() else: c()", "If([[a, [Do(Call(b))]]], [Do(Call(c))])"),
        ("if a:\n  if b: c()\nelse: d()", "If([[a, [If([[b, [Do(Call(c))]]])]]], [Do(Call(d))])"),
        ("for each x in xs where c: stop", "ForEach(x, xs, c, [Stop()])"),
        ("each player: stop", "EachPlayer(clockwise, [Stop()])"),
        ("each player from p anticlockwise where c: stop", "EachPlayer(p, anticlockwise, c, [Stop()])"),
        ("each player in ps: stop", "EachPlayer(clockwise, ps, [Stop()])"),
        ("by if a then b else c: stop", "By(IfExpr(a, b, c), [Stop()])"),
        ("repeat 3 times: stop", "Repeat(3, [Stop()])"),
        ("repeat until c, at most 9 times: stop", "Repeat(c, True, 9, [Stop()])"),
        ("choose x in xs: stop\nelse: stop", "Choose([ChoiceVar(x, xs)], [Stop()], [Stop()])"),
        ('may "q", by p: stop', "May(TextLit([q]), p, [Stop()])"),
        ("pick c in xs at random: stop\nelse: stop", "Random(picks, ChoiceVar(c, xs), [Stop()], [Stop()])"),
        ('choose by p:\n  option a "A" with x in xs if c: stop\n  option pass: stop',
         "ChooseOption(p, [OptionClause(a, TextLit([A]), [ChoiceVar(x, xs)], c, [Stop()]), "
         "OptionClause(pass, [Stop()])])"),
        ("\n# note\nstop # here\n\n# and\nstop\n", "Stop(), Stop()"),
    ],
)  # fmt: skip
def test_statements(text: str, meaning: str | None) -> None:
    if meaning is None:
        assert findings("block", text)
    else:
        assert sketch(parse("block", text)) == f"[{meaning}]"


@pytest.mark.parametrize(
    "text, meaning",
    [
        (
            "when f(a: x, b) if x > 1: stop",
            "EventRule(when, f, [Binding(a, x), Binding(b, b)], Binary(>, x, 1), [Stop()])",
        ),
        ("instead of f:\n  stop\n  stop", "EventRule(instead, f, [Stop(), Stop()])"),
        ("while c: q(u: x) is it + 1 in layer add", "WhileRule(c, q, [Binding(u, x)], Binary(+, it, 1), add)"),
        ("while c: u gets +1 q, venom in layer add", "GainRule(c, u, [Gain(+, q, 1), Gain(, venom)], add)"),
        (
            "while c: u gets -(a + 1) q, fear(a, b), q is it",
            "GainRule(c, u, [Gain(-, q, Binary(+, a, 1)), Gain((), fear, ListLit([a, b])), Gain(is, q, it)])",
        ),
        ("while c:\n  q is it in xs", "WhileRule(c, q, Binary(in, it, xs))"),
    ],
)
def test_rules(text: str, meaning: str) -> None:
    assert sketch(parse("rule", text)) == meaning


def test_templates_need_no_quotation_marks() -> None:
    template = parse("template", 'Round {n}: "{f("x")}"\n\\n {{}}')

    assert sketch(template) == 'TextLit([Round , n, : ", Call(f, [Argument(TextLit([x]))]), "\n\\n {}])'


def test_the_variables_of_an_action() -> None:
    assert sketch(parse("choice_vars", "x in xs where c,\n  secret y in ys")) == (
        "[ChoiceVar(x, xs, c), ChoiceVar(y, ys, True)]"
    )


# ---------------------------------------------------------------- places


def test_nodes_know_their_place_in_the_file() -> None:
    before = "do: |\n"
    text = "if (a) + b > 1:\n  set c to 2 # note\n\nstop\n"
    diagnostics = Diagnostics()
    block = parser.parse_block(embedded(text, before), diagnostics)
    assert block is not None

    def written(node: ast.Node) -> str:
        return (before + text)[node.span.start : node.span.end]

    conditional, stop = block
    assert isinstance(conditional, ast.If)
    assert written(conditional) == "if (a) + b > 1:\n  set c to 2"
    assert written(conditional.branches[0][0]) == "(a) + b > 1"
    assert written(conditional.branches[0][1][0]) == "set c to 2"
    assert written(stop) == "stop"
    assert str(stop.span) == "t.yaml:5:1"


@pytest.mark.parametrize(
    ("start", "end", "first", "last"),
    [(1, 3, 4, 6), (-5, 1000, 3, 9), (-5, -2, 3, 4), (-5, 0, 3, 4), (2, 2, 5, 6), (9, 10, 9, 10)],
)
def test_positions_outside_a_text_are_moved_to_its_ends(start: int, end: int, first: int, last: int) -> None:
    span = embedded("coins1", "do:").span(start, end)
    assert (span.start, span.end) == (first, last)


def test_places_follow_the_offsets_of_the_scalar() -> None:
    """A doubled quotation mark of YAML is one character of the text and two of the file."""
    source = Source("t.yaml", "x: 'a ''b c'")
    text = "a 'b c"
    diagnostics = Diagnostics()
    parser.parse_expression(EmbeddedText(source, text, (4, 5, 6, 8, 9, 10, 11)), diagnostics)

    assert [str(d.span) for d in diagnostics.list_sorted()] == ["t.yaml:1:7"]


# ---------------------------------------------------------------- faults


def said(kind: str, text: str) -> list[str]:
    return [f"{d.code.id} {d.span.line}:{d.span.column} {d.message} | {d.hint}" for d in findings(kind, text)]


@pytest.mark.parametrize(
    "text, code, message, hint",
    [
        ("if a\n  b()", "E0302 1:5", "a colon is missing", "write `:`"),
        ("if a b()", "E0302 1:5", "before `b`", "write `:`"),
        ("choose x in xs\n  b()", "E0302 1:15", "a colon is missing", "write `:`"),
        ("a(b\nc()", "E0303 1:2", "`(` is not closed", None),
        ("a(b]", "E0303 1:4", "does not close `(`", None),
        ("a)", "E0303 1:2", "no opening bracket", None),
        ("if count(a: b()", "E0303 1:9", "`(` is not closed", None),
        ("set a to b @ c", "E0304 1:12", "`@` has no meaning", None),
        ("increase a by 2d6", "E0304 1:15", "`2d6`", "roll name in 1..6"),
        ("if a == b: c()", "E0305 1:6", "`==`", "`=`"),
        ("if a && b: c()", "E0305 1:6", "`&&`", "`and`"),
        ("if !a: c()", "E0305 1:4", "`!`", "`not`"),
        ("a += 1", "E0305 1:3", "`+=`", "write `increase a by 1`"),
        ("set a to 1.5", "E0305 1:11", "must be whole", "1..6"),
        ("announce 'x'", "E0305 1:10", "`'`", '`"`'),
        ("announce “x”", "E0305 1:10", "`“`", '`"`'),
        ('announce "x\nstop', "E0306 1:10", "no closing quotation mark", "on one line"),
        ("a()\n  b()", "E0307 2:3", "does not start a block", "same column"),
        ("if a:\n    b()\n  c()", "E0307 3:3", "matches no line above", "same column"),
        ("if a:\n\tb()", "E0308 2:2", "tab", "spaces"),
        ("if a:\nb()", "E0309 1:5", "this block is empty", "indent"),
        ("if a:", "E0309 1:5", "this block is empty", "indent"),
        ("let until = 1", "E0310 1:5", "`until` is a word of the language", "another name"),
        ("for each by in xs: a()", "E0310 1:10", "`by`", "another name"),
        ("chose x in xs", "E0311 1:1", "`chose`", "choose"),
        ("incraese a by 1", "E0311 1:1", "`incraese`", "did you mean `increase`?"),
        ("elif a: b()", "E0311 1:1", "`elif`", "else if"),
        ("while a: b()", "E0311 1:1", "`while`", "repeat while"),
        ("a = 1", "E0311 1:3", "`=` compares", "set a to"),
        ("else: a()", "E0312 1:1", "does not follow a block", "`if`"),
        ("a()\nelse: b()", "E0312 2:1", "does not follow a block", "same column"),
        ("move coins from a to b", "E0313 1:6", "how many", "move 1 coins"),
        ("a", "E0315 1:1", "does nothing", "`a()`"),
        ("set a to", "E0316 1:9", "a value is missing after `to`", "set place to value"),
        ("set a to 1 +", "E0316 1:13", "a value is missing after `+`", None),
        ('announce "a\\n"', "E0317 1:12", "`\\n` has no meaning", "backslash"),
        ('announce "}"', "E0317 1:11", "`}` has no `{`", "`}}`"),
        ("let a = f(x for x in xs)", "E0318 1:9", "`f`", "sum"),
        ("choose x in xs, by p, by q", "E0319 1:23", "given twice", None),
        ('take action a, label "l"', "E0319 1:16", "can't have `label`", "`by`"),
        ("choose by p, x in xs", "E0319 1:14", "must come before", "choose"),
        ("set a to 1234567890123456789", "E0320 1:10", "19 digits", None),
        ("set a = 1", "E0301 1:7", "`=`", "write `to`"),
        ("move 2 coins form a to b", "E0301 1:14", "`form`", "did you mean `from`?"),
        ("move 2 coins to b", "E0301 1:14", "expected `from`", "from pool to pool"),
        ("choose x in xs by p", "E0301 1:16", "comma", "choose"),
        ("if a: if b: c()", "E0301 1:7", "must start on its own line", "put it below"),
        ("if a: choose x in xs: b()", "E0301 1:7", "`choose` must start on its own line", "put it below"),
        ("if a: choose by p:\n  option b: c()", "E0301 1:7", "`choose` must start on its own line", "put it below"),
        ("a() b()", "E0301 1:5", "same line", "`;`"),
        ("set a to 1 < 2 < 3", "E0301 1:16", "two sides", "`and`"),
        ("let a = and", "E0301 1:9", "a value is missing before `and`", None),
        ("choose:\n  keep: a()", "E0301 2:3", "expected `option`", None),
        ('choose promt "x":\n  option a: b()', "E0301 1:8", "`promt`", "did you mean `prompt`?"),
        ("if a:\n    b()\n   c()\n    d()", "E0307 3:4", "matches no line above", "same column"),
    ],
)
def test_what_is_said_about_a_fault(text: str, code: str, message: str, hint: str | None) -> None:
    found = said("block", text)

    assert len(found) == 1, found
    assert found[0].startswith(code)
    assert message in found[0]
    assert hint is None or hint in found[0].split(" | ")[1]


@pytest.mark.parametrize(
    "kind, text, start",
    [
        ("expression", "", "E0316 1:1 a value is missing"),
        ("expression", "a b", "E0301 1:3"),
        ("expression", "(a", "E0303 1:1"),
        ("template", "{a", "E0303 1:1"),
        ("template", "{}", "E0301 1:2"),
        ("template", "a } b", "E0317 1:3"),
        ("rule", "if a: stop", "E0301 1:1 `if` doesn't fit here: expected `instead`, `when`, `whenever` or `while`"),
        ("rule", "when f() stop", "E0302 1:9"),
        ("choice_vars", "x in xs, by p", "E0319 1:10"),
        ("choice_vars", "x", "E0316 1:2 this ends too early: expected `in`"),
        ("block", "\n\n", "E0316 1:1 there is nothing here: expected a statement"),
    ],
)
def test_faults_in_other_texts(kind: str, text: str, start: str) -> None:
    (found,) = said(kind, text)

    assert found.startswith(start)


def test_one_look_finds_all_faults_and_no_more() -> None:
    text = """\
each player
  move coins from a to b
  if a:
    set b to
    f((1)
  else: g() h()
if a: b()
elif c: d()
else: e()
when x
choose:
  option a: stop
  option: stop
  opton c: stop
x = 1
"""
    found = [line.split(" ")[:2] for line in said("block", text)]

    assert found == [
        ["E0302", "1:12"],
        ["E0313", "2:8"],
        ["E0316", "4:13"],
        ["E0303", "5:6"],
        ["E0301", "6:13"],
        ["E0311", "8:1"],
        ["E0301", "10:1"],
        ["E0301", "13:9"],
        ["E0301", "14:3"],
        ["E0311", "15:3"],
    ]


SAMPLE = """\
let n = sum(p.coins for p in players where p.coins > 1) + 2
each player in reverse(order_of_play):
  choose prompt "Bet? {n - 1} to call", by me.next:
    option fold "Fold" if n < 3:
      set folded to true
      end game because "{me} folds"
    option raise "Raise" with x in 1..3:
      move x coins from purse to pot[left, n]
  if n = 1 and not folded: draw(1); draw(n: 2)
  else:
    choose secret card in hand where card.cost < n, label "{card}":
      move card to top of deck
    else: announce "none" to [me]
"""


def test_one_lost_character_is_one_finding_at_most() -> None:
    places = [at for at, letter in enumerate(SAMPLE) if letter != "\n" and at % 3 == 0]
    found = {at: said("block", SAMPLE[:at] + SAMPLE[at + 1 :]) for at in places}

    assert not {SAMPLE[at - 9 : at]: lines for at, lines in found.items() if len(lines) > 1}


@pytest.mark.parametrize(
    "text",
    ["-" * 5000 + "a", "not " * 500 + "a", " + ".join("a" * 500), "[" * 5000 + "]" * 5000, "f(" * 200 + ")" * 200],
)
def test_depth_is_a_finding_and_never_a_crash(text: str) -> None:
    (found,) = said("expression", text)

    assert found.startswith("E0314")


def test_deep_blocks_are_found_too() -> None:
    lines = [" " * depth + "if a:" for depth in range(150)]

    assert said("block", "\n".join([*lines, " " * 150 + "stop"]))[0].startswith("E0314")


def test_parentheses_alone_are_not_depth() -> None:
    assert sketch(parse("expression", "(" * 500 + "a" + ")" * 500)) == "a"


# ---------------------------------------------------------------- words


def test_the_list_of_keywords_is_the_grammars() -> None:
    words = {text for text in get_terminal_spellings().values() if text.isidentifier()}

    assert words | {"layer", "up"} == KEYWORDS | SOFT_KEYWORDS
    assert not KEYWORDS & SOFT_KEYWORDS


def test_the_list_of_keywords_is_documented() -> None:
    text = (ROOT / "docs" / "reference" / "names-and-types.md").read_text(encoding="utf-8")
    listed = re.search(r"Keywords can't be names:\n\n```text\n([^`]*)```", text)

    assert listed is not None
    assert set(listed[1].split()) == KEYWORDS


def test_mistaken_words_begin_no_statement() -> None:
    assert not set(MISTAKEN_WORDS) & set(NOTATIONS) - {"while"}


# ---------------------------------------------------------------- every ruleset

FIELDS = {
    **dict.fromkeys(("do", "setup"), "block"),
    **dict.fromkeys(("value", "while", "if", "start", "always", "rank", "payoff"), "expression"),
    **dict.fromkeys(("text", "label"), "template"),
    "rule": "rule",
    "choose": "choice_vars",
}
WITH_TEXT = {"variables", "queries", "effects", "actions", "rules", "setup", "phases", "scoring", "invariants", "view"}


def effect_texts(data: Any) -> Iterator[tuple[str, str]]:
    """Fields that hold effect text, read without the language's own loader."""
    if isinstance(data, list):
        for item in data:
            yield from effect_texts(item)
    elif isinstance(data, dict):
        for key, value in data.items():
            for item in value if isinstance(value, list) else [value]:
                if key in FIELDS and isinstance(item, str | int):
                    yield FIELDS[key], item if isinstance(item, str) else str(item).lower()
                elif isinstance(item, dict | list):
                    yield from effect_texts(item)


@pytest.mark.parametrize("path", sorted((ROOT / "rulesets").glob("**/ruleset.yaml")), ids=lambda p: p.parent.name)
def test_every_text_of_every_ruleset_parses(path: Path) -> None:
    data = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
    texts = list(effect_texts({section: data[section] for section in WITH_TEXT & data.keys()}))

    assert len(texts) > 5
    assert not {text: found for kind, text in texts if (found := said(kind, text))}


@pytest.mark.parametrize(
    ("text", "of"),
    [
        ("remove (1..4).first from xs", ast.RemoveFrom),
        ("add (xs where it > 2) to ys", ast.AddTo),
        ("add -1 to xs", ast.AddTo),
        ("remove (x)", ast.Do),
        ("add (f(1), 2)", ast.Do),
        ("add(x); move y to z", ast.Do),
        ("add (x); move y to z", ast.Do),
    ],
)
def test_add_and_remove_begin_statements_and_are_names_of_effects(text: str, of: type[ast.Stmt]) -> None:
    assert isinstance(parse("block", text)[0], of)
