"""Print syntax tree nodes as text of the effect language, for tests of the parser and the formatter.

Parsing the text gives the same nodes again. Each meaning has one spelling. The style is that of the formatter: two
spaces per level, and no unnecessary parentheses. A block with one short simple statement stands on the line of its
head. Every other block is indented below it. The parts of a long choice stand on separate lines.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import singledispatch

from lusory_dsl.syntax import ast
from lusory_dsl.syntax.keywords_operators_and_mistaken_words import (
    BINARY,
    COLLECTION,
    COMPARISON,
    NOT,
    OR,
    PLAIN,
    POSTFIX,
    RANGE,
    SELECTION,
    SIGN,
    SUM,
    VALUE,
)

INDENT = "  "
WIDTH = 100

UNCHAINED_LEVELS = (COMPARISON, RANGE)
"""Levels whose operators can't be chained: `a < b < c` and `a..b..c` are invalid."""


def print_block(block: ast.Block) -> str:
    """Return the text of a block, one line for each simple statement, with a final line break.

    Empty for an empty block.
    """
    return "".join(f"{line}\n" for statement in block for line in _print_statement(statement))


def print_expression(expression: ast.Expr) -> str:
    """Return the text of an expression, on one line."""
    return _print_let(expression) if isinstance(expression, ast.LetExpr) else _print_value(expression)


def print_template(text: ast.TextLit) -> str:
    """Return a text without quotation marks, as in the fields `label` and `text`."""
    return "".join(
        part.replace("{", "{{").replace("}", "}}") if isinstance(part, str) else f"{{{_print_value(part)}}}"
        for part in text.parts
    )


def print_choice_vars(variables: Iterable[ast.ChoiceVar]) -> str:
    """Return the variables of a choice, as they follow the word `choose`."""
    return ", ".join(_print_variable(v) for v in variables)


def print_offer(offer: ast.Offer) -> str:
    """Return an action, or an action of cards, as it follows the words `take action`."""
    return f"{offer.name}{_print_optional(' of ', offer.cards, VALUE)}"


def print_rule(rule: ast.AnyRule) -> str:
    """Return the text of a rule, with a final line break."""
    if not isinstance(rule, ast.WhileRule | ast.GainRule):
        return "".join(f"{line}\n" for line in _print_headed(_print_rule_head(rule), rule.body))
    layer = f" in layer {rule.layer}" if rule.layer else ""
    if isinstance(rule, ast.GainRule):
        return f"while {_print_value(rule.condition)}: {rule.name} gets {print_gains(rule.gains)}{layer}\n"
    change = f"{_print_pattern(rule.query, rule.bindings)} is {_print_value(rule.value)}{layer}"
    return f"while {_print_value(rule.condition)}: {change}\n"


def print_gains(gains: Iterable[ast.Gain]) -> str:
    """Return the changes that cards get, as they follow the word `gets`."""
    return ", ".join(map(_print_gain, gains))


def _print_gain(gain: ast.Gain) -> str:
    match gain.how, gain.value:
        case "", _:
            return gain.name
        case "()", ast.ListLit(items=items):
            return f"{gain.name}({', '.join(map(_print_value, items))})"
        case "keywords", value:
            assert value is not None
            return f"keywords of {_print_at_level(POSTFIX, value)}"
        case "is", value:
            assert value is not None
            return f"{gain.name} is {_print_value(value)}"
        case sign, ast.IntLit() as amount:
            return f"{sign}{_print_value(amount)} {gain.name}"
        case sign, amount:
            assert amount is not None
            return f"{sign}({_print_value(amount)}) {gain.name}"


def _print_rule_head(rule: ast.EventRule | ast.WheneverRule | ast.Pattern) -> str:
    """Return the text of a rule before the colon of its block."""
    if isinstance(rule, ast.WheneverRule):
        return f"whenever {_print_value(rule.condition)}"
    match rule:
        case ast.EventRule(kind=kind):
            head = f"{'when' if kind == 'when' else 'instead of'} {_print_pattern(rule.event, rule.bindings)}"
        case ast.ZoneRule(verb=verb, card=card):
            other = "" if rule.other is None else f" {'to' if verb == 'leaves' else 'from'} {_print_zone(rule.other)}"
            word = "instead of" if verb == "entering" else "when"
            head = f"{word} {card} {verb} {_print_zone(rule.zone)}{other}"
        case ast.PhaseRule(phase=phase, verb=verb):
            head = f"when {phase} {verb}"
        case ast.ChangeRule(place=place, indices=indices, kind=kind):
            named = f"[{', '.join(name.name for name in indices)}]" if indices else ""
            head = f"when {place}{named}{'' if kind is None else f'.{kind.name}'} changes"
    return f"{head}{_print_optional(' if ', rule.condition)}"


def _print_zone(zone: ast.ZoneName) -> str:
    return f"any {zone.name}" if zone.any else zone.name


def _print_until(until: ast.Until | None) -> str:
    if until is None:
        return ""
    layer = f" in layer {until.layer}" if until.layer else ""
    return f"{layer} until {_print_place(until.duration)} ends"


def _print_pattern(name: str, bindings: tuple[ast.Binding, ...]) -> str:
    inside = (b.name if b.name == b.parameter else f"{b.parameter}: {b.name}" for b in bindings)
    return f"{name}({', '.join(inside)})"


# ---------------------------------------------------------------- expressions


def _print_value(e: ast.Expr) -> str:
    return _print_at_level(VALUE, e)


def _print_plain(e: ast.Expr) -> str:
    return _print_at_level(PLAIN, e)


def _print_place(e: ast.Expr) -> str:
    return _print_at_level(POSTFIX, e)


def _print_optional(before: str, e: ast.Expr | None, level: int = PLAIN) -> str:
    """Return ``before`` and the text of ``e``, or an empty text if ``e`` is None."""
    return "" if e is None else f"{before}{_print_at_level(level, e)}"


def _print_at_level(level: int, e: ast.Expr) -> str:
    """Return the text of an expression, in parentheses if it binds more loosely than ``level``."""
    if isinstance(e, ast.IfExpr) and level in (VALUE, PLAIN):
        return f"if {_print_value(e.condition)} then {_print_value(e.then)} else {_print_at_level(level, e.otherwise)}"
    own_level, text = _print_with_level(e)
    return text if own_level >= level else f"({_print_value(e)})"


def _print_with_level(e: ast.Expr) -> tuple[int, str]:
    """Return the precedence level of an expression, and its text."""
    match e:
        case ast.IfExpr():
            return VALUE, ""
        case ast.LetExpr():
            return POSTFIX, f"({_print_let(e)})"
        case ast.Where(source=source, condition=condition, item=item):
            return (
                SELECTION,
                f"{_print_at_level(SELECTION, source)}{_print_item(item)} where {_print_at_level(OR, condition)}",
            )
        case ast.AsLong(source=source, condition=condition, item=item):
            return (
                SELECTION,
                f"{_print_at_level(SELECTION, source)}{_print_item(item)} while {_print_at_level(OR, condition)}",
            )
        case ast.WithKey(source=source, kind=kind, key=key, item=item):
            return (
                SELECTION,
                f"{_print_at_level(SELECTION, source)}{_print_item(item)} with {kind} {_print_at_level(OR, key)}",
            )
        case ast.Sorted(source=source, key=key, item=item):
            return (
                SELECTION,
                f"{_print_at_level(SELECTION, source)}{_print_item(item)} sorted by {_print_at_level(OR, key)}",
            )
        case ast.IsCopy(card=card, name=name, negated=negated):
            return COMPARISON, f"{_print_at_level(COLLECTION, card)} is {'not ' if negated else ''}any {name}"
        case ast.Binary(op=op, left=left, right=right):
            own_level = BINARY[op]
            left_level = own_level + (own_level in UNCHAINED_LEVELS)
            sign = ".." if op == ".." else f" {op} "
            return (own_level, f"{_print_at_level(left_level, left)}{sign}{_print_at_level(own_level + 1, right)}")
        case ast.IsEmpty(subject=subject, negated=negated):
            return COMPARISON, f"{_print_at_level(COLLECTION, subject)} is {'not ' if negated else ''}empty"
        case ast.LiesIn(card=card, zone=zone, negated=negated):
            return COMPARISON, f"{_print_at_level(COLLECTION, card)} {'not ' if negated else ''}in any {zone}"
        case ast.HasAction(card=card, action=action, now=now):
            return COMPARISON, f"{_print_at_level(COLLECTION, card)} {'can' if now else 'has'} {action}"
        case ast.Unary(op="not", operand=operand):
            return NOT, f"not {_print_at_level(NOT, operand)}"
        case ast.Unary(operand=operand):
            return SIGN, f"-{_print_at_level(SIGN, operand)}"
        case _:
            return POSTFIX, _print_postfix(e)


def _print_let(e: ast.LetExpr) -> str:
    """Return a ``let`` expression without parentheses."""
    return f"let {e.name} = {_print_value(e.value)}; {print_expression(e.body)}"


def _print_item(item: ast.Item | None) -> str:
    return "" if item is None else f" as {item.name}"


def _print_postfix(e: ast.Expr) -> str:
    match e:
        case ast.IntLit(value=value):
            return str(value)
        case ast.BoolLit(value=flag):
            return "true" if flag else "false"
        case ast.NoneLit():
            return "none"
        case ast.TextLit(parts=parts):
            return f'"{"".join(_print_text_part(part) for part in parts)}"'
        case ast.Name(name=name):
            return name
        case ast.ListLit(items=items):
            return f"[{_print_values(items)}]"
        case ast.Member(subject=subject, name=name):
            return f"{_print_place(subject)}.{name}"
        case ast.Index(subject=subject, indices=indices):
            return f"{_print_place(subject)}[{_print_values(indices)}]"
        case ast.Call(callee=callee, args=args):
            inside = (_print_value(a.value) if a.name is None else f"{a.name}: {_print_value(a.value)}" for a in args)
            return f"{_print_place(callee)}({', '.join(inside)})"
        case ast.Reach(function=function, body=body, name=name, source=source, bound=bound):
            limit = _print_optional(" within ", bound)
            return f"{function}({_print_value(body)} for {name} from {_print_value(source)}{limit})"
        case ast.Comprehension(function=function, body=body, more=more):
            return (
                f"{function}({_print_value(body)} for {', '.join([_print_generator(e), *map(_print_generator, more)])})"
            )
    raise TypeError(f"no text for {type(e).__name__}")


def _print_generator(e: ast.Comprehension | ast.Each) -> str:
    return f"{e.name} in {_print_plain(e.source)}{_print_optional(' where ', e.condition)}"


def _print_values(items: Iterable[ast.Expr]) -> str:
    return ", ".join(_print_value(item) for item in items)


def _print_text_part(part: str | ast.Expr) -> str:
    if not isinstance(part, str):
        return f"{{{_print_value(part)}}}"
    return part.replace("\\", "\\\\").replace('"', '\\"').replace("{", "{{").replace("}", "}}")


# ---------------------------------------------------------------- statements


@singledispatch
def _print_statement(s: ast.Stmt) -> list[str]:
    """Return the lines of a statement."""
    return [_print_simple(s)]


def _print_simple(s: ast.Stmt) -> str:
    """Return the text of a statement without a block."""
    match s:
        case ast.Let(name=name, value=value):
            return f"let {name} = {_print_value(value)}"
        case ast.SetTo(op="set", place=place, value=value, until=until):
            return f"set {_print_place(place)} to {_print_value(value)}{_print_until(until)}"
        case ast.SetTo(op=op, place=place, value=value, until=until):
            word = "increase" if op == "add" else "decrease"
            return f"{word} {_print_place(place)} by {_print_value(value)}{_print_until(until)}"
        case ast.AddTo(value=value, place=place):
            return f"add {_print_value(value)} to {_print_place(place)}"
        case ast.RemoveFrom(value=value, place=place):
            return f"remove {_print_value(value)} from {_print_place(place)}"
        case ast.EndDuration(duration=duration):
            return f"end {_print_place(duration)}"
        case ast.MoveCount(amount=amount, kind=kind, source=source, target=target):
            counters = ("all" if amount is None else _print_at_level(SUM, amount)) + _print_optional(" ", kind, POSTFIX)
            return f"move {counters} from {_print_place(source)} to {_print_place(target)}"
        case ast.MoveCards(cards=cards, target=target, position=position):
            return f"move {_print_value(cards)} to {'top of ' if position == 'top' else ''}{_print_place(target)}"
        case ast.Shuffle(zone=zone):
            return f"shuffle {_print_place(zone)}"
        case ast.Stop():
            return "stop"
        case ast.Do(call=call):
            return _print_place(call)
        case ast.Announce(text=text, to=to):
            return f"announce {_print_place(text)}{_print_optional(' to ', to, VALUE)}"
        case ast.EndGame(reason=reason, chart=chart, players=players):
            winners = _print_optional(" by ", chart) + _print_optional(" for ", players, VALUE)
            return f"end game{winners}{_print_optional(' because ', reason)}"
        case ast.Cancel():
            return "cancel"
        case ast.Begin(place=place):
            return f"begin {_print_place(place)}"
        case ast.TakeAction(menu=ast.Name(name=menu), by=by, prompt=prompt):
            return ", ".join([f"take action from {menu}", *_iterate_clauses(by, prompt)])
        case ast.TakeAction(offers=offers, by=by, prompt=prompt):
            named = [print_offer(o) for o in offers]
            return ", ".join([f"take action {named[0]}", *named[1:], *_iterate_clauses(by, prompt)])
        case ast.UseAction(action=action, card=card, by=by, prompt=prompt):
            return ", ".join([f"use {action} of {_print_value(card)}", *_iterate_clauses(by, prompt)])
    raise TypeError(f"no text for {type(s).__name__}")


def _iterate_clauses(
    by: ast.Expr | None, prompt: ast.TextLit | None = None, label: ast.TextLit | None = None
) -> Iterable[str]:
    for word, value in (("by", by), ("prompt", prompt), ("label", label)):
        if value is not None:
            yield f"{word} {_print_plain(value)}"


def _print_variable(v: ast.ChoiceVar) -> str:
    hiding = "secret " if v.secret else "unseen " if v.unseen else ""
    return f"{hiding}{v.name} in {_print_plain(v.domain)}{_print_optional(' where ', v.condition)}"


def _print_clause_list(first: str, parts: Iterable[str]) -> str:
    """Return the head of a choice with its parts on one line, or one part per line if they don't fit."""
    items = list(parts)
    line = f"{first} {', '.join(items)}" if items else first
    return line if len(line) <= WIDTH else f"{first} " + f",\n{INDENT * 2}".join(items)


def _print_suite(block: ast.Block) -> list[str]:
    return [f"{INDENT}{line}" for statement in block for line in _print_statement(statement)]


def _print_headed(head: str, body: ast.Block, otherwise: ast.Block = ()) -> list[str]:
    """Return the lines of a head, its block, and an ``else`` block if there is one."""
    lines = head.split("\n")
    inner = _print_suite(body)
    is_short = len(inner) == 1 and not _has_block(body[0]) and len(lines) == 1
    if is_short and len(head) + 1 + len(inner[0]) <= WIDTH:
        lines[-1] += f": {inner[0].strip()}"
    else:
        lines[-1] += ":"
        lines += inner
    return lines + _print_headed("else", otherwise) if otherwise else lines


_WITH_BLOCK = (
    ast.If,
    ast.ForEach,
    ast.EachPlayer,
    ast.By,
    ast.Privately,
    ast.Repeat,
    ast.ChooseOption,
    ast.Split,
    ast.May,
)


def _has_block(s: ast.Stmt) -> bool:
    if isinstance(s, ast.Choose | ast.ChooseSome | ast.Random | ast.Open):
        return s.body is not None
    return isinstance(s, _WITH_BLOCK)


@_print_statement.register
def _(s: ast.If) -> list[str]:
    lines: list[str] = []
    for number, (condition, body) in enumerate(s.branches):
        lines += _print_headed(f"{'else ' if number else ''}if {_print_value(condition)}", body)
    return lines + _print_headed("else", s.otherwise) if s.otherwise else lines


@_print_statement.register
def _(s: ast.ForEach) -> list[str]:
    return _print_headed(
        f"for each {s.name} in {_print_plain(s.source)}{_print_optional(' where ', s.condition)}", s.body
    )


@_print_statement.register
def _(s: ast.EachPlayer) -> list[str]:
    direction = f" {s.direction}" if s.start is not None or s.direction != "clockwise" else ""
    players = (
        f"{_print_optional(' from ', s.start)}{direction}" if s.source is None else f" in {_print_plain(s.source)}"
    )
    players = f"{' at once' if s.at_once else ''}{players}"
    return _print_headed(f"each player{players}{_print_optional(' where ', s.condition)}", s.body)


@_print_statement.register
def _(s: ast.By) -> list[str]:
    return _print_headed(f"by {_print_plain(s.player)}", s.body)


@_print_statement.register
def _(s: ast.Privately) -> list[str]:
    return _print_headed("privately", s.body)


@_print_statement.register
def _(s: ast.Repeat) -> list[str]:
    if s.times is not None:
        return _print_headed(f"repeat {_print_plain(s.times)} times", s.body)
    condition = _print_optional("until " if s.until else "while ", s.condition)
    return _print_headed(f"repeat {condition}{_print_optional(', at most ', s.bound)} times", s.body)


@_print_statement.register
def _(s: ast.Choose) -> list[str]:
    head = _print_clause_list(
        "choose", [*(_print_variable(v) for v in s.vars), *_iterate_clauses(s.by, s.prompt, s.label)]
    )
    return head.split("\n") if s.body is None else _print_headed(head, s.body, s.otherwise)


@_print_statement.register
def _(s: ast.ChooseSome) -> list[str]:
    head = _print_clause_list(_print_amount(s), [_print_variable(s.var), *_iterate_clauses(s.by, s.prompt, s.label)])
    return head.split("\n") if s.body is None else _print_headed(head, s.body, s.otherwise)


@_print_statement.register
def _(s: ast.Split) -> list[str]:
    source = _print_plain(s.source) + _print_optional(" where ", s.condition)
    over = f"{_print_at_level(SUM, s.amount)} as {s.name} over {s.item} in {source}"
    clauses = [f"at most {_print_plain(s.most)}", *_iterate_clauses(s.by, s.prompt, s.label)]
    return _print_headed(_print_clause_list("split", [over, *clauses]), s.body)


def _print_amount(s: ast.ChooseSome) -> str:
    """Return the words of a choice before the variable."""
    if s.ordered:
        return "order"
    if s.high is None:
        return "choose any"
    high = _print_at_level(SUM, s.high)
    if s.low is None:
        return f"choose up to {high}"
    low = _print_at_level(SUM, s.low)
    return f"choose {high}" if low == high else f"choose {low}..{high}"


@_print_statement.register
def _(s: ast.ChooseOption) -> list[str]:
    head = _print_clause_list("choose", _iterate_clauses(s.by, s.prompt))
    return [f"{head}:", *(f"{INDENT}{line}" for option in s.options for line in _print_option(option))]


def _print_option(o: ast.OptionClause) -> list[str]:
    label = _print_optional(" ", o.label)
    variables = f" with {print_choice_vars(o.vars)}" if o.vars else ""
    return _print_headed(f"option {o.name}{label}{variables}{_print_optional(' if ', o.condition, VALUE)}", o.body)


@_print_statement.register
def _(s: ast.May) -> list[str]:
    return _print_headed(
        _print_clause_list("may", [_print_plain(s.prompt), *_iterate_clauses(s.by)]), s.body, s.otherwise
    )


@_print_statement.register
def _(s: ast.Random) -> list[str]:
    head = f"roll {_print_variable(s.var)}" if s.stream == "dice" else f"pick {_print_variable(s.var)} at random"
    return [head] if s.body is None else _print_headed(head, s.body, s.otherwise)


@_print_statement.register
def _(s: ast.Open) -> list[str]:
    head = f"open {_print_place(s.call)}"
    return [head] if s.body is None else _print_headed(head, s.body, s.otherwise)
