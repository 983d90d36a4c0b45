"""Print syntax tree nodes as text of the effect language, for tests of the parser and the formatter.

Parsing the text gives the same nodes again. Each meaning has one spelling: that of ``unparser.yaml``. The style is that
of the formatter: two spaces per level, and no unnecessary parentheses. A block with one short simple statement stands
on the line of its head. Every other block is indented below it. The parts of a long choice stand on separate lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from programs import read_data

from lusory_dsl.syntax import ast, keywords_operators_and_mistaken_words as levels
from lusory_dsl.syntax.keywords_operators_and_mistaken_words import BINARY, COMPARISON, NOT, PLAIN, POSTFIX, RANGE, SIGN

INDENT = "  "
WIDTH = 100
LEVELS = {**vars(levels), "LET": levels.VALUE - 1, "NUMBER": POSTFIX + 1}
UNCHAINED_LEVELS = (COMPARISON, RANGE)
"""Levels whose operators can't be chained: `a < b < c` and `a..b..c` are invalid."""

DATA = read_data(__file__)
EXPRESSIONS = {name: LEVELS[level] for level, rows in DATA["expressions"].items() for name in rows}
TEMPLATES = {**DATA["others"], **{name: row for rows in DATA["expressions"].values() for name, row in rows.items()}}
OPTION = re.compile(r"<(!?)(\w+)\?([^<>]*)>")
FIELD = re.compile(r"\{(\w+)(?: (\w+))?\}")

DERIVED: dict[str, Callable[[Any], object]] = {
    "exact": lambda choice: choice.low is not None and _print(choice.low) == _print(choice.high),
    "differs": lambda binding: binding.name != binding.parameter,
    "items": lambda node: node.items if isinstance(node, ast.ListLit) else node.value.items,
}
"""Values in templates that are no fields of the node."""


def print_block(block: ast.Block) -> str:
    """Return the text of a block, one line for each simple statement, with a final line break.

    Empty for an empty block.
    """
    return "".join(f"{line}\n" for statement in block for line in _print_statement(statement))


def print_expression(expression: ast.Expr) -> str:
    """Return the text of an expression, on one line."""
    return _print(expression, LEVELS["LET"])


def print_template(text: ast.TextLit) -> str:
    """Return a text without quotation marks, as in the fields `label` and `text`."""
    return "".join(
        part.replace("{", "{{").replace("}", "}}") if isinstance(part, str) else f"{{{_print(part)}}}"
        for part in text.parts
    )


def print_choice_vars(variables: Iterable[ast.ChoiceVar]) -> str:
    """Return the variables of a choice, as they follow the word `choose`."""
    return _print((*variables,))


def print_rule(rule: ast.AnyRule) -> str:
    """Return the text of a rule, with a final line break."""
    lines = [_fill(rule)] if isinstance(rule, ast.WhileRule | ast.GainRule) else _print_headed(_fill(rule), rule.body)
    return "".join(f"{line}\n" for line in lines)


def _print(value: Any, level: int = levels.VALUE) -> str:
    """Return the text of a field. An expression that binds more loosely than ``level`` is in parentheses."""
    match value:
        case None:
            return ""
        case str() | int():
            return str(value)
        case tuple():
            return ", ".join(map(_print, value))
        case ast.IfExpr(condition=condition, then=then, otherwise=otherwise):
            last = _print(otherwise, PLAIN if level == PLAIN else levels.VALUE)
            text = f"if {_print(condition)} then {_print(then)} else {last}"
            return text if level in (LEVELS["LET"], levels.VALUE, PLAIN) else f"({text})"
        case ast.Expr():
            own_level, text = _print_with_level(value)
            return text if own_level >= level else f"({text})"
    return _fill(value)


def _print_with_level(expr: ast.Expr) -> tuple[int, str]:
    """Return the precedence level of an expression, and its text."""
    match expr:
        case ast.Binary(op=op, left=left, right=right):
            own_level = BINARY[op]
            left_level = own_level + (own_level in UNCHAINED_LEVELS)
            sign = ".." if op == ".." else f" {op} "
            return own_level, f"{_print(left, left_level)}{sign}{_print(right, own_level + 1)}"
        case ast.Unary(op="not", operand=operand):
            return NOT, f"not {_print(operand, NOT)}"
        case ast.Unary(operand=operand):
            return SIGN, f"-{_print(operand, SIGN)}"
        case ast.TextLit(parts=parts):
            return POSTFIX, f'"{"".join(_print_text_part(part) for part in parts)}"'
    return EXPRESSIONS[type(expr).__name__], _fill(expr)


def _print_text_part(part: str | ast.Expr) -> str:
    if not isinstance(part, str):
        return f"{{{_print(part)}}}"
    return part.replace("\\", "\\\\").replace('"', '\\"').replace("{", "{{").replace("}", "}}")


def _get(node: ast.Node, name: str) -> Any:
    return DERIVED[name](node) if name in DERIVED else getattr(node, name)


def _fill(node: ast.Node) -> str:
    """Fill in the template of a node. Return one line, or one line for each part if they don't fit."""
    template = TEMPLATES[type(node).__name__]
    if isinstance(template, dict):
        [(name, rows)] = template.items()
        template = rows[getattr(node, name)]
    while OPTION.search(template):
        template = OPTION.sub(
            lambda match: match[3] if (_get(node, match[2]) in (None, False, ())) == bool(match[1]) else "", template
        )
    parts = [
        FIELD.sub(lambda match: _print(_get(node, match[1]), LEVELS[match[2] or "VALUE"]), part)
        for part in template.split("¦")
    ]
    line = ", ".join(parts)
    return line if len(line) <= WIDTH else f",\n{INDENT * 2}".join(parts)


def _print_statement(statement: ast.Stmt) -> list[str]:
    """Return the lines of a statement."""
    if isinstance(statement, ast.If):
        heads = [f"{'else ' if number else ''}if {_print(arm[0])}" for number, arm in enumerate(statement.branches)]
        pairs = zip(heads, statement.branches, strict=True)
        lines = [line for head, arm in pairs for line in _print_headed(head, arm[1])]
        return lines + _print_headed("else", statement.otherwise) if statement.otherwise else lines
    head, body = _fill(statement), getattr(statement, "body", None)
    if isinstance(statement, ast.ChooseOption):
        lines = [line for option in statement.options for line in _print_headed(_fill(option), option.body)]
        return [f"{head}:", *(f"{INDENT}{line}" for line in lines)]
    return head.split("\n") if body is None else _print_headed(head, body, getattr(statement, "otherwise", ()))


def _print_headed(head: str, body: ast.Block, otherwise: ast.Block = ()) -> list[str]:
    """Return the lines of a head, its block, and an ``else`` block if there is one."""
    lines = head.split("\n")
    inner = [f"{INDENT}{line}" for statement in body for line in _print_statement(statement)]
    has_block = isinstance(body[0], ast.If | ast.ChooseOption) or getattr(body[0], "body", None) is not None
    if len(inner) == len(lines) == 1 and not has_block and len(head) + 1 + len(inner[0]) <= WIDTH:
        lines[-1] += f": {inner[0].strip()}"
    else:
        lines[-1] += ":"
        lines += inner
    return lines + _print_headed("else", otherwise) if otherwise else lines
