"""Print syntax tree nodes as text of the effect language.

Parsing the text gives the same nodes again. Each meaning has one spelling. The style is that of the formatter: two
spaces per level, and no unnecessary parentheses. A block with one short simple statement stands on the line of its
head. Every other block is indented below it. The parts of a long choice stand on separate lines.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import singledispatch

from . import ast

INDENT = "  "
WIDTH = 100

# Precedence levels, from loosest to tightest. VALUE and PLAIN are the rules `expr` and `plain` of the grammar.
VALUE, SELECTION, PLAIN, OR, AND, NOT, COMPARISON, COLLECTION, RANGE, SUM, PRODUCT, SIGN, POSTFIX = range(13)

BINARY = {
    "or": OR,
    "and": AND,
    **dict.fromkeys(("=", "!=", "<", "<=", ">", ">=", "in", "not in"), COMPARISON),
    **dict.fromkeys(("union", "except", "intersect"), COLLECTION),
    "..": RANGE,
    **dict.fromkeys(("+", "-"), SUM),
    **dict.fromkeys(("*", "div", "mod"), PRODUCT),
}
NOT_CHAINED = (COMPARISON, RANGE)
"""Levels whose operators can't be chained: `a < b < c` and `a..b..c` are invalid."""


def print_block(block: ast.Block) -> str:
    """Return the text of a block, one line for each simple statement, with a final line break.

    Empty for an empty block.
    """
    return "".join(f"{line}\n" for statement in block for line in _statement(statement))


def print_expression(expression: ast.Expr) -> str:
    """Return the text of an expression, on one line."""
    return _let(expression) if isinstance(expression, ast.LetExpr) else _value(expression)


def print_template(text: ast.TextLit) -> str:
    """Return a text without quotation marks, as in the fields `label` and `text`."""
    return "".join(
        part.replace("{", "{{").replace("}", "}}") if isinstance(part, str) else f"{{{_value(part)}}}"
        for part in text.parts
    )


def print_choice_vars(variables: Iterable[ast.ChoiceVar]) -> str:
    """Return the variables of a choice, as they follow the word `choose`."""
    return ", ".join(_var(v) for v in variables)


def print_offer(offer: ast.Offer) -> str:
    """Return an action, or an action of cards, as it follows the words `take action`."""
    return f"{offer.name}{_part(' of ', offer.cards, VALUE)}"


def print_rule(rule: ast.AnyRule) -> str:
    """Return the text of a rule, with a final line break."""
    if not isinstance(rule, ast.WhileRule | ast.GainRule):
        return "".join(f"{line}\n" for line in _headed(_rule_head(rule), rule.body))
    layer = f" in layer {rule.layer}" if rule.layer else ""
    if isinstance(rule, ast.GainRule):
        return f"while {_value(rule.condition)}: {rule.name} gets {print_gains(rule.gains)}{layer}\n"
    change = f"{_pattern(rule.query, rule.bindings)} is {_value(rule.value)}{layer}"
    return f"while {_value(rule.condition)}: {change}\n"


def print_gains(gains: Iterable[ast.Gain]) -> str:
    """Return the changes that cards get, as they follow the word `gets`."""
    return ", ".join(map(_gain, gains))


def _gain(gain: ast.Gain) -> str:
    match gain.how, gain.value:
        case "", _:
            return gain.name
        case "()", ast.ListLit(items=items):
            return f"{gain.name}({', '.join(map(_value, items))})"
        case "keywords", value:
            assert value is not None
            return f"keywords of {_at(POSTFIX, value)}"
        case "is", value:
            assert value is not None
            return f"{gain.name} is {_value(value)}"
        case sign, ast.IntLit() as amount:
            return f"{sign}{_value(amount)} {gain.name}"
        case sign, amount:
            assert amount is not None
            return f"{sign}({_value(amount)}) {gain.name}"


def _rule_head(rule: ast.EventRule | ast.WheneverRule | ast.Pattern) -> str:
    """Return the text of a rule before the colon of its block."""
    if isinstance(rule, ast.WheneverRule):
        return f"whenever {_value(rule.condition)}"
    match rule:
        case ast.EventRule(kind=kind):
            head = f"{'when' if kind == 'when' else 'instead of'} {_pattern(rule.event, rule.bindings)}"
        case ast.ZoneRule(verb=verb, card=card):
            other = "" if rule.other is None else f" {'to' if verb == 'leaves' else 'from'} {_zone(rule.other)}"
            word = "instead of" if verb == "entering" else "when"
            head = f"{word} {card} {verb} {_zone(rule.zone)}{other}"
        case ast.PhaseRule(phase=phase, verb=verb):
            head = f"when {phase} {verb}"
        case ast.ChangeRule(place=place, indices=indices, kind=kind):
            named = f"[{', '.join(name.name for name in indices)}]" if indices else ""
            head = f"when {place}{named}{'' if kind is None else f'.{kind.name}'} changes"
    return f"{head}{_part(' if ', rule.condition)}"


def _zone(zone: ast.ZoneName) -> str:
    return f"any {zone.name}" if zone.any else zone.name


def _until(until: ast.Until | None) -> str:
    if until is None:
        return ""
    layer = f" in layer {until.layer}" if until.layer else ""
    return f"{layer} until {_place(until.duration)} ends"


def _pattern(name: str, bindings: tuple[ast.Binding, ...]) -> str:
    inside = (b.name if b.name == b.parameter else f"{b.parameter}: {b.name}" for b in bindings)
    return f"{name}({', '.join(inside)})"


# ---------------------------------------------------------------- expressions


def _value(e: ast.Expr) -> str:
    return _at(VALUE, e)


def _plain(e: ast.Expr) -> str:
    return _at(PLAIN, e)


def _place(e: ast.Expr) -> str:
    return _at(POSTFIX, e)


def _part(before: str, e: ast.Expr | None, level: int = PLAIN) -> str:
    """Return ``before`` and the text of ``e``, or an empty text if ``e`` is None."""
    return "" if e is None else f"{before}{_at(level, e)}"


def _at(level: int, e: ast.Expr) -> str:
    """Return the text of an expression, in parentheses if it binds more loosely than ``level``."""
    if isinstance(e, ast.IfExpr) and level in (VALUE, PLAIN):
        return f"if {_value(e.condition)} then {_value(e.then)} else {_at(level, e.otherwise)}"
    own, text = _expression(e)
    return text if own >= level else f"({_value(e)})"


def _expression(e: ast.Expr) -> tuple[int, str]:
    """Return the precedence level of an expression, and its text."""
    match e:
        case ast.IfExpr():
            return VALUE, ""
        case ast.LetExpr():
            return POSTFIX, f"({_let(e)})"
        case ast.Where(source=source, condition=condition, item=item):
            return SELECTION, f"{_at(SELECTION, source)}{_item(item)} where {_at(OR, condition)}"
        case ast.AsLong(source=source, condition=condition, item=item):
            return SELECTION, f"{_at(SELECTION, source)}{_item(item)} while {_at(OR, condition)}"
        case ast.WithKey(source=source, kind=kind, key=key, item=item):
            return SELECTION, f"{_at(SELECTION, source)}{_item(item)} with {kind} {_at(OR, key)}"
        case ast.Sorted(source=source, key=key, item=item):
            return SELECTION, f"{_at(SELECTION, source)}{_item(item)} sorted by {_at(OR, key)}"
        case ast.IsCopy(card=card, name=name, negated=negated):
            return COMPARISON, f"{_at(COLLECTION, card)} is {'not ' if negated else ''}any {name}"
        case ast.Binary(op=op, left=left, right=right):
            own = BINARY[op]
            sign = ".." if op == ".." else f" {op} "
            return own, f"{_at(own + (own in NOT_CHAINED), left)}{sign}{_at(own + 1, right)}"
        case ast.IsEmpty(subject=subject, negated=negated):
            return COMPARISON, f"{_at(COLLECTION, subject)} is {'not ' if negated else ''}empty"
        case ast.LiesIn(card=card, zone=zone, negated=negated):
            return COMPARISON, f"{_at(COLLECTION, card)} {'not ' if negated else ''}in any {zone}"
        case ast.HasAction(card=card, action=action, now=now):
            return COMPARISON, f"{_at(COLLECTION, card)} {'can' if now else 'has'} {action}"
        case ast.Unary(op="not", operand=operand):
            return NOT, f"not {_at(NOT, operand)}"
        case ast.Unary(operand=operand):
            return SIGN, f"-{_at(SIGN, operand)}"
        case _:
            return POSTFIX, _postfix(e)


def _let(e: ast.LetExpr) -> str:
    """Return a ``let`` expression without parentheses."""
    return f"let {e.name} = {_value(e.value)}; {print_expression(e.body)}"


def _item(item: ast.Item | None) -> str:
    return "" if item is None else f" as {item.name}"


def _postfix(e: ast.Expr) -> str:
    match e:
        case ast.IntLit(value=value):
            return str(value)
        case ast.BoolLit(value=flag):
            return "true" if flag else "false"
        case ast.NoneLit():
            return "none"
        case ast.TextLit(parts=parts):
            return f'"{"".join(_text_part(part) for part in parts)}"'
        case ast.Name(name=name):
            return name
        case ast.ListLit(items=items):
            return f"[{_values(items)}]"
        case ast.Member(subject=subject, name=name):
            return f"{_place(subject)}.{name}"
        case ast.Index(subject=subject, indices=indices):
            return f"{_place(subject)}[{_values(indices)}]"
        case ast.Call(callee=callee, args=args):
            inside = (_value(a.value) if a.name is None else f"{a.name}: {_value(a.value)}" for a in args)
            return f"{_place(callee)}({', '.join(inside)})"
        case ast.Reach(function=function, body=body, name=name, source=source, bound=bound):
            return f"{function}({_value(body)} for {name} from {_value(source)}{_part(' within ', bound)})"
        case ast.Comprehension(function=function, body=body, more=more):
            return f"{function}({_value(body)} for {', '.join([_each(e), *map(_each, more)])})"
    raise TypeError(f"no text for {type(e).__name__}")


def _each(e: ast.Comprehension | ast.Each) -> str:
    return f"{e.name} in {_plain(e.source)}{_part(' where ', e.condition)}"


def _values(items: Iterable[ast.Expr]) -> str:
    return ", ".join(_value(item) for item in items)


def _text_part(part: str | ast.Expr) -> str:
    if not isinstance(part, str):
        return f"{{{_value(part)}}}"
    return part.replace("\\", "\\\\").replace('"', '\\"').replace("{", "{{").replace("}", "}}")


# ---------------------------------------------------------------- statements


@singledispatch
def _statement(s: ast.Stmt) -> list[str]:
    """Return the lines of a statement."""
    return [_simple(s)]


def _simple(s: ast.Stmt) -> str:
    """Return the text of a statement without a block."""
    match s:
        case ast.Let(name=name, value=value):
            return f"let {name} = {_value(value)}"
        case ast.SetTo(op="set", place=place, value=value, until=until):
            return f"set {_place(place)} to {_value(value)}{_until(until)}"
        case ast.SetTo(op=op, place=place, value=value, until=until):
            return f"{'increase' if op == 'add' else 'decrease'} {_place(place)} by {_value(value)}{_until(until)}"
        case ast.AddTo(value=value, place=place):
            return f"add {_value(value)} to {_place(place)}"
        case ast.RemoveFrom(value=value, place=place):
            return f"remove {_value(value)} from {_place(place)}"
        case ast.EndDuration(duration=duration):
            return f"end {_place(duration)}"
        case ast.MoveCount(amount=amount, kind=kind, source=source, target=target):
            what = ("all" if amount is None else _at(SUM, amount)) + _part(" ", kind, POSTFIX)
            return f"move {what} from {_place(source)} to {_place(target)}"
        case ast.MoveCards(cards=cards, target=target, position=position):
            return f"move {_value(cards)} to {'top of ' if position == 'top' else ''}{_place(target)}"
        case ast.Shuffle(zone=zone):
            return f"shuffle {_place(zone)}"
        case ast.Stop():
            return "stop"
        case ast.Do(call=call):
            return _place(call)
        case ast.Announce(text=text, to=to):
            return f"announce {_place(text)}{_part(' to ', to, VALUE)}"
        case ast.EndGame(reason=reason, chart=chart, players=players):
            return f"end game{_part(' by ', chart)}{_part(' for ', players, VALUE)}{_part(' because ', reason)}"
        case ast.Cancel():
            return "cancel"
        case ast.Begin(place=place):
            return f"begin {_place(place)}"
        case ast.TakeAction(menu=ast.Name(name=menu), by=by, prompt=prompt):
            return ", ".join([f"take action from {menu}", *_clauses(by, prompt)])
        case ast.TakeAction(offers=offers, by=by, prompt=prompt):
            named = [print_offer(o) for o in offers]
            return ", ".join([f"take action {named[0]}", *named[1:], *_clauses(by, prompt)])
        case ast.UseAction(action=action, card=card, by=by, prompt=prompt):
            return ", ".join([f"use {action} of {_value(card)}", *_clauses(by, prompt)])
    raise TypeError(f"no text for {type(s).__name__}")


def _clauses(by: ast.Expr | None, prompt: ast.TextLit | None = None, label: ast.TextLit | None = None) -> Iterable[str]:
    for word, value in (("by", by), ("prompt", prompt), ("label", label)):
        if value is not None:
            yield f"{word} {_plain(value)}"


def _var(v: ast.ChoiceVar) -> str:
    hiding = "secret " if v.secret else "unseen " if v.unseen else ""
    return f"{hiding}{v.name} in {_plain(v.domain)}{_part(' where ', v.condition)}"


def _listed(first: str, parts: Iterable[str]) -> str:
    """Return the head of a choice with its parts on one line, or one part per line if they don't fit."""
    items = list(parts)
    line = f"{first} {', '.join(items)}" if items else first
    return line if len(line) <= WIDTH else f"{first} " + f",\n{INDENT * 2}".join(items)


def _suite(block: ast.Block) -> list[str]:
    return [f"{INDENT}{line}" for statement in block for line in _statement(statement)]


def _headed(head: str, body: ast.Block, otherwise: ast.Block = ()) -> list[str]:
    """Return the lines of a head, its block, and an ``else`` block if there is one."""
    lines = head.split("\n")
    inner = _suite(body)
    short = len(inner) == 1 and not _has_block(body[0]) and len(lines) == 1
    if short and len(head) + 1 + len(inner[0]) <= WIDTH:
        lines[-1] += f": {inner[0].strip()}"
    else:
        lines[-1] += ":"
        lines += inner
    return lines + _headed("else", otherwise) if otherwise else lines


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


@_statement.register
def _(s: ast.If) -> list[str]:
    lines: list[str] = []
    for number, (condition, body) in enumerate(s.branches):
        lines += _headed(f"{'else ' if number else ''}if {_value(condition)}", body)
    return lines + _headed("else", s.otherwise) if s.otherwise else lines


@_statement.register
def _(s: ast.ForEach) -> list[str]:
    return _headed(f"for each {s.name} in {_plain(s.source)}{_part(' where ', s.condition)}", s.body)


@_statement.register
def _(s: ast.EachPlayer) -> list[str]:
    direction = f" {s.direction}" if s.start is not None or s.direction != "clockwise" else ""
    players = f"{_part(' from ', s.start)}{direction}" if s.source is None else f" in {_plain(s.source)}"
    players = f"{' at once' if s.at_once else ''}{players}"
    return _headed(f"each player{players}{_part(' where ', s.condition)}", s.body)


@_statement.register
def _(s: ast.By) -> list[str]:
    return _headed(f"by {_plain(s.player)}", s.body)


@_statement.register
def _(s: ast.Privately) -> list[str]:
    return _headed("privately", s.body)


@_statement.register
def _(s: ast.Repeat) -> list[str]:
    if s.times is not None:
        return _headed(f"repeat {_plain(s.times)} times", s.body)
    condition = _part("until " if s.until else "while ", s.condition)
    return _headed(f"repeat {condition}{_part(', at most ', s.bound)} times", s.body)


@_statement.register
def _(s: ast.Choose) -> list[str]:
    head = _listed("choose", [*(_var(v) for v in s.vars), *_clauses(s.by, s.prompt, s.label)])
    return head.split("\n") if s.body is None else _headed(head, s.body, s.otherwise)


@_statement.register
def _(s: ast.ChooseSome) -> list[str]:
    head = _listed(_amount(s), [_var(s.var), *_clauses(s.by, s.prompt, s.label)])
    return head.split("\n") if s.body is None else _headed(head, s.body, s.otherwise)


@_statement.register
def _(s: ast.Split) -> list[str]:
    over = f"{_at(SUM, s.amount)} as {s.name} over {s.item} in {_plain(s.source)}{_part(' where ', s.condition)}"
    clauses = [f"at most {_plain(s.most)}", *_clauses(s.by, s.prompt, s.label)]
    return _headed(_listed("split", [over, *clauses]), s.body)


def _amount(s: ast.ChooseSome) -> str:
    """Return the words of a choice before the variable."""
    if s.ordered:
        return "order"
    if s.high is None:
        return "choose any"
    high = _at(SUM, s.high)
    if s.low is None:
        return f"choose up to {high}"
    low = _at(SUM, s.low)
    return f"choose {high}" if low == high else f"choose {low}..{high}"


@_statement.register
def _(s: ast.ChooseOption) -> list[str]:
    head = _listed("choose", _clauses(s.by, s.prompt))
    return [f"{head}:", *(f"{INDENT}{line}" for option in s.options for line in _option(option))]


def _option(o: ast.OptionClause) -> list[str]:
    label = _part(" ", o.label)
    variables = f" with {print_choice_vars(o.vars)}" if o.vars else ""
    return _headed(f"option {o.name}{label}{variables}{_part(' if ', o.condition, VALUE)}", o.body)


@_statement.register
def _(s: ast.May) -> list[str]:
    return _headed(_listed("may", [_plain(s.prompt), *_clauses(s.by)]), s.body, s.otherwise)


@_statement.register
def _(s: ast.Random) -> list[str]:
    head = f"roll {_var(s.var)}" if s.stream == "dice" else f"pick {_var(s.var)} at random"
    return [head] if s.body is None else _headed(head, s.body, s.otherwise)


@_statement.register
def _(s: ast.Open) -> list[str]:
    head = f"open {_place(s.call)}"
    return [head] if s.body is None else _headed(head, s.body, s.otherwise)
