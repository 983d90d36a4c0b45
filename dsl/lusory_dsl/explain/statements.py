"""Translate statements, rules and other parts of declarations to English."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from ..ruleset import model
from ..source.diagnostics import Diagnostics
from ..source.source import EmbeddedText, humanise, to_snake_case, with_article
from ..syntax import ast
from ..syntax.ast import AnyRule, Pattern
from ..syntax.parser import parse_block, parse_choice_vars, parse_expression, parse_rule, parse_template
from .expressions import AMONG, Values, filled, of_player, taken_apart
from .vocabulary import Vocabulary, listed, sentence, uncapitalized

INDENT = "  "
SHORT = 92
"""The maximum length of a line that holds a title and a one-line block."""


class Prose(Values):
    """Translate statements to English."""

    # ------------------------------------------------------------ statements

    def block(self, block: ast.Block, depth: int = 0) -> list[str]:
        """Return the statements as lines. Each is a sentence, and inner blocks are indented."""
        return [line for s in block for line in self._statement(s, depth)]

    def _statement(self, s: ast.Stmt, depth: int) -> list[str]:
        if isinstance(s, ast.ChooseOption):
            return self._options(s, depth)
        head, parts = self._said(s)
        lines = [] if parts else [f"{INDENT * depth}{sentence(head)}."]
        for title, body in parts:
            lines += self._titled(sentence(title or head), body, depth)
        return lines

    def _titled(self, title: str, body: ast.Block, depth: int) -> list[str]:
        """Return a block under its title. A single short sentence goes on the title's line."""
        inner = self.block(body, depth + 1)
        line = f"{INDENT * depth}{title}: {uncapitalized(inner[0].strip())}"
        if len(inner) == 1 and len(line) <= SHORT:
            return [line]
        return [f"{INDENT * depth}{title}:", *inner]

    def _options(self, s: ast.ChooseOption, depth: int) -> list[str]:
        lines = [f"{INDENT * depth}{sentence(self._chooser(s.by))} one of these{self._prompt(s.prompt)}:"]
        for option in s.options:
            lines += self._titled(f"• {self._option(option)}", option.body, depth + 1)
        return lines

    def _said(self, s: ast.Stmt) -> tuple[str, list[tuple[str, ast.Block]]]:
        """Return the words of a statement and its blocks with their titles.

        The first block belongs under the words of the statement, and later blocks under their own titles.
        """
        match s:
            case ast.If(branches=branches, otherwise=otherwise):
                (condition, body), *others = branches
                titled = [(f"Otherwise, if {self.condition(c)}", b) for c, b in others]
                last = [("Otherwise", otherwise)] if otherwise else []
                return f"if {self.condition(condition)}", [("", body), *titled, *last]
            case ast.ForEach(name=name, source=source, condition=condition, body=body):
                return f"for each {self._item(name, source, condition)}", [("", body)]
            case ast.EachPlayer(body=body):
                return self._each_player(s), [("", body)]
            case ast.By(player=player, body=body):
                return f"as {self.value(player)}, who is “you” here", [("", body)]
            case ast.Privately(body=body):
                return "without the others learning what is chosen", [("", body)]
            case ast.Repeat(body=body):
                return self._repeat(s), [("", body)]
            case ast.Choose(body=chosen, otherwise=otherwise) | ast.ChooseSome(body=chosen, otherwise=otherwise):
                said = self._choose(s) if isinstance(s, ast.Choose) else self._choose_some(s)
                blocks: list[tuple[str, ast.Block]] = [] if chosen is None else [("", chosen)]
                return said, blocks + ([("If there is nothing to choose", otherwise)] if otherwise else [])
            case ast.Split(body=body):
                return self._split(s), [("", body)]
            case ast.May(prompt=prompt, by=by, body=body, otherwise=otherwise):
                who = "you" if by is None else self.value(by)
                no = [("If not", otherwise)] if otherwise else []
                return f"{who} may say yes to “{self.text(prompt)}”; then", [("", body), *no]
            case ast.Open(call=call, body=body, otherwise=otherwise):
                blocks = [] if body is None else [("", body)]
                said = self._effect(call)
                opened = said if self._has_phrase(call) else f"open “{said}”"
                opened += "; unless it is cancelled" if body else ""
                return opened, blocks + ([("If it is cancelled", otherwise)] if otherwise else [])
            case ast.Random(body=chosen, otherwise=otherwise):
                blocks = [] if chosen is None else [("", chosen)]
                return self._random(s), blocks + ([("If there is nothing to pick", otherwise)] if otherwise else [])
        return self._simple(s), []

    def _simple(self, s: ast.Stmt) -> str:
        match s:
            case ast.Let(name=name, value=value):
                self.forget(name)
                return f"let {humanise(name)} be {self.value(value)}"
            case ast.SetTo(op="set", place=place, value=ast.BoolLit(value=flag), until=until):
                return f"from now on{self._until(until)} {self._holds(place, flag)}"
            case ast.SetTo(op=op, place=place, value=value, until=until):
                verb, word = {"set": ("set", "to"), "add": ("increase", "by"), "sub": ("decrease", "by")}[op]
                return f"{verb} {self.value(place)} {word} {self._amount_of(value)}{self._until(until)}"
            case ast.AddTo(value=value, place=place):
                return f"add {self.operand(value, AMONG)} to {self.value(place)}"
            case ast.RemoveFrom(value=value, place=place):
                return f"remove {self.operand(value, AMONG)} from {self.value(place)}, if it is there"
            case ast.EndDuration(duration=duration):
                return f"{self.value(duration)} ends"
            case ast.MoveCount(source=source, target=target):
                return f"move {self._amount(s)} from {self.value(source)} to {self.value(target)}"
            case ast.MoveCards(cards=cards, target=target, position=position):
                where = "the top of " if position == "top" else ""
                return f"move {self.value(cards)} to {where}{self.value(target)}"
            case ast.Shuffle(zone=zone):
                return f"shuffle {self.value(zone)}"
            case ast.Stop():
                return "go no further through this list"
            case ast.UseAction(action=action, card=card, by=by, prompt=prompt):
                who = "" if by is None else f"{self.value(by)}: "
                return f"{who}use “{humanise(action)}” of {self.value(card)}{self._prompt(prompt)}"
            case ast.TakeAction(menu=ast.Name(name=menu), by=by, prompt=prompt):
                who = "take" if by is None else f"{self.value(by)} takes"
                return f"{who} an action from “{humanise(menu)}”{self._prompt(prompt)}"
            case ast.TakeAction(offers=offers, by=by, prompt=prompt):
                named = [self.action(o) for o in offers]
                who = "take" if by is None else f"{self.value(by)} takes"
                return f"{who} one of these actions: {listed(named, 'or')}{self._prompt(prompt)}"
            case ast.Do(call=call):
                return self._effect(call)
            case ast.Announce(text=text, to=to):
                return f"announce “{self.text(text)}”{f' to {self.value(to)}' if to is not None else ''}"
            case ast.EndGame(reason=reason, chart=chart, players=players):
                ranked = f", and the chart “{humanise(chart.name)}” says who wins" if chart is not None else ""
                among = f"; only these can win: {self.value(players)}" if players is not None else ""
                return f"the game ends{ranked}{among}{f': “{self._reason(reason)}”' if reason is not None else ''}"
            case ast.Cancel():
                return "what was answered is cancelled"
            case ast.Begin(place=place):
                return f"from now on “{self._span(place)}” is watched"
        raise TypeError(f"no words for {type(s).__name__}")

    def _reason(self, reason: ast.TextLit | ast.Name) -> str:
        """Return why the game ends. The name of an ending stands for its label."""
        if isinstance(reason, ast.TextLit):
            return self.text(reason)
        ending = self._words.endings.get(reason.name)
        label = None if ending is None else parse_template(ending.label, Diagnostics())
        return humanise(reason.name) if label is None else self.text(label)

    def _span(self, place: ast.Expr) -> str:
        owner, name, _ = taken_apart(place)
        return f"{humanise(name)}{f' of {self.value(owner)}' if owner is not None else ''}"

    def action(self, offer: ast.Offer) -> str:
        """Return the words for an offered action. A label that contains values is replaced by the action's name."""
        if offer.cards is not None:
            return f"{humanise(offer.name)} of one of {self.operand(offer.cards)}"
        decl = self._words.actions.get(offer.name)
        label = decl.label.text if decl is not None and decl.label is not None else None
        return label if label is not None and "{" not in label else humanise(offer.name)

    def _effect(self, call: ast.Call) -> str:
        owner, name, _ = taken_apart(call.callee)
        decl = self._words.effects.get(name) or self._words.windows.get(name)
        names = [p.text for p, _type in decl.params] if decl is not None else []
        if decl is not None and decl.phrase is not None:
            given = {a.name or names[n]: self.argument(a.value) for n, a in enumerate(call.args) if n < len(names)}
            given["me"] = "you" if owner is None else self.value(owner)
            if (phrase := filled(decl.phrase, given)) is not None:
                return phrase if owner is None or "{me}" in decl.phrase.text else f"{given['me']}: {phrase}"
        said = []
        for number, argument in enumerate(call.args):
            word = humanise(argument.name or (names[number] if number < len(names) else ""))
            value = self.value(argument.value)
            said.append(value if value == word or len(names) < 2 else f"{word}: {value}")
        if owner is not None and decl is None:
            with_what = f", with {listed(said)}" if said else ""
            return f"do “{humanise(name)}” of {self.value(owner)}{with_what}"
        who, joined = f"{self.value(owner)}: " if owner is not None else "", ", ".join(said)
        return f"{who}{humanise(name)}{f' ({joined})' if said else ''}"

    def _has_phrase(self, call: ast.Call) -> bool:
        decl = self._words.windows.get(taken_apart(call.callee)[1])
        return decl is not None and decl.phrase is not None

    def _amount(self, s: ast.MoveCount) -> str:
        one = isinstance(s.amount, ast.IntLit) and s.amount.value == 1
        if s.kind is None:
            return "everything"
        kind = self._kind(s.kind, plural=not one)
        if isinstance(s.kind, ast.Name) and s.kind.name in self._things and s.amount is not None:
            return f"{self.operand(s.amount)} of {self._name(s.kind.name)}"
        if s.amount is None:
            return f"all {kind}"
        amount = self.operand(s.amount)
        is_long = len(amount.split()) > 2 and not amount.startswith("(")
        return f"{f'({amount})' if is_long else amount} {kind}"

    def _each_player(self, s: ast.EachPlayer) -> str:
        if s.at_once:
            order = f" of {self.value(s.source)}" if s.source is not None else ""
            which = "" if s.condition is None else f" (only where {self.condition(s.condition)})"
            return f"each player{order}{which}, all choosing at the same time"
        if s.source is not None:
            order = f", in this order: {self.value(s.source)}"
        elif s.start is not None:
            order = f", {s.direction} from {self.value(s.start)}"
        else:
            order = "" if s.direction == "clockwise" else f", {s.direction}"
        which = "" if s.condition is None else f" (only where {self.condition(s.condition)})"
        return f"each player{order}{which}"

    def _repeat(self, s: ast.Repeat) -> str:
        if s.times is not None:
            return f"repeat {self.value(s.times)} times"
        assert s.condition is not None and s.bound is not None
        word = "until" if s.until else "while"
        return f"repeat {word} {self.condition(s.condition)} (at most {self.value(s.bound)} times)"

    # ------------------------------------------------------------ choices

    def _chooser(self, by: ast.Expr | None) -> str:
        return "choose" if by is None else f"{self.value(by)} chooses"

    def _prompt(self, prompt: ast.TextLit | None) -> str:
        return "" if prompt is None else f" (“{self.text(prompt)}”)"

    def _choose(self, s: ast.Choose) -> str:
        return f"{self._chooser(s.by)} {self.vars(s.vars)}{self._prompt(s.prompt)}"

    def _choose_some(self, s: ast.ChooseSome) -> str:
        source = self.operand(s.var.domain) if s.ordered else self.choices(s.var)
        source += self._for_which(s.var.condition, s.var.name, many=True)
        self.introduce(s.var.name)
        called = f" (called {humanise(s.var.name)})"
        if s.ordered:
            return f"{'put' if s.by is None else f'{self.value(s.by)} puts'} {source} in any order{called}"
        if s.high is None:
            amount = "any number"
        elif s.low is None:
            amount = f"up to {self.value(s.high)}"
        elif s.low is s.high:
            amount = self.value(s.high)
        else:
            amount = f"{self.value(s.low)} to {self.value(s.high)}"
        secretly = "secretly " if s.var.secret else ""
        return f"{secretly}{self._chooser(s.by)} {amount} of {source}{called}{self._prompt(s.prompt)}"

    def _split(self, s: ast.Split) -> str:
        divided = "divide" if s.by is None else f"{self.value(s.by)} divides"
        over = self._item(s.item, s.source, s.condition)
        most = f"at most {self.operand(s.most)} for each"
        return f"{divided} {self.value(s.amount)} among {over}, {most}; for each part (called {humanise(s.name)})"

    def _option(self, o: ast.OptionClause) -> str:
        label = sentence(humanise(o.name)) if o.label is None else self.text(o.label)
        which = f", with {self.vars(o.vars)}" if o.vars else ""
        return f"{label}{which}{f', if {self.condition(o.condition)}' if o.condition is not None else ''}"

    def _random(self, s: ast.Random) -> str:
        source = f"{self.choices(s.var)}{self._for_which(s.var.condition, s.var.name, many=True)}"
        self.introduce(s.var.name)
        secretly = "secretly " if s.var.secret else ""
        if s.stream == "dice":
            return f"{secretly}roll {humanise(s.var.name)}: {source}"
        return f"{secretly}pick {self.one(s.var.name)} at random from {source}"

    def _until(self, until: ast.Until | None) -> str:
        """Return how long a change lasts."""
        return "" if until is None else f", until {self.value(until.duration)} ends"

    def called(self, query: str) -> str:
        """Return the words for a query that a rule modifies."""
        decl = self._words.places.get(query)
        return self._words.place(decl) if decl is not None else humanise(query)

    def zone(self, name: str, whose: str) -> str:
        """Return the words for a zone in a trigger. ``whose`` precedes a zone that each player has, else “the”."""
        decl = self._words.places.get(name)
        return f"{whose if decl is not None and of_player(decl) else 'the'} {self.called(name)}"

    def held(self, zone: str) -> str:
        """Return the kind of thing that a zone holds, with its article: “a card”."""
        decl = self._words.places.get(zone)
        return with_article(humanise(to_snake_case(decl.holds.text)) if isinstance(decl, model.ZoneDecl) else "card")


def rule_lines(say: Prose, rule: AnyRule) -> list[str]:
    """Return a rule as lines."""
    if isinstance(rule, ast.WhileRule | ast.GainRule):
        return [_as_long_as(say, rule.condition, _change(say, rule))]
    if isinstance(rule, ast.WheneverRule):
        return [f"Whenever {say.condition(rule.condition)}:", *say.block(rule.body, 1)]
    condition = f", if {say.condition(rule.condition)}" if rule.condition is not None else ""
    if not isinstance(rule, ast.EventRule):
        return [f"{_event(say, rule)}{condition}:", *say.block(rule.body, 1)]
    about = listed(_bound(b) for b in rule.bindings)
    bound = f" with its {about}" if rule.bindings else ""
    word = "After" if rule.kind == "when" else "Instead of"
    return [f"{word} “{humanise(rule.event)}”{bound}{condition}:", *say.block(rule.body, 1)]


def _event(say: Prose, rule: Pattern) -> str:
    """Describe the trigger of a rule that is not an effect: “When a card enters your hand”."""
    match rule:
        case ast.ZoneRule(verb=verb, card=card, zone=zone, other=other):
            who = "this card" if card == "this" else _called(say.held(zone.name), card)
            whence = "" if other is None else f" {'to' if verb == 'leaves' else 'from'} {say.zone(other.name, 'any')}"
            does = f"{'Instead of' if verb == 'entering' else 'When'} {who} {verb} {say.zone(zone.name, 'your')}"
            return f"{does}{whence}"
        case ast.PhaseRule(phase=phase, verb=verb):
            return f"When the phase “{humanise(phase)}” {verb}"
        case ast.ChangeRule(place=place, indices=indices, kind=kind):
            what = "" if kind is None else f"{humanise(kind.name)} in "
            named = f" of {listed(_who(name.name) for name in indices)}" if indices else ""
            return f"At a change of {what}{say.zone(place, 'your')}{named}"
    raise AssertionError(rule)


def _called(what: str, name: str) -> str:
    """Return a thing with the name that a rule gives it, unless both are the same."""
    return what if what.split()[-1] == humanise(name) else f"{what} (called {humanise(name)})"


def gains(say: Prose, found: Iterable[ast.Gain]) -> str:
    """Describe the bonuses that cards get: “+1 attack and venom”."""
    return listed(_gain(say, gain) for gain in found)


def recipient(say: Prose, node: ast.Recipient) -> str:
    """Describe the cards that get the bonuses of a keyword."""
    return f"each {humanise(node.name)} for which {say.condition(node.condition)}"


def _as_long_as(say: Prose, condition: ast.Expr, change: str) -> str:
    if isinstance(condition, ast.BoolLit) and condition.value:
        return f"Always: {change}."
    return f"While {say.condition(condition)}: {change}."


def _change(say: Prose, rule: ast.WhileRule | ast.GainRule) -> str:
    layer = f" (layer {humanise(rule.layer)})" if rule.layer else ""
    if isinstance(rule, ast.GainRule):
        return f"{_who(rule.name)} gets {gains(say, rule.gains)}{layer}"
    query = say.called(rule.query)
    about = f" for {listed(_who(b.name) for b in rule.bindings)}" if rule.bindings else ""
    if isinstance(rule.value, ast.BoolLit):
        return f"“{query}” {'holds' if rule.value.value else 'does not hold'}{about}{layer}"
    reads_it = any(isinstance(n, ast.Name) and n.name == "it" for n in ast.walk(rule.value))
    so_far = ", where “it” is what it would be otherwise" if reads_it else ""
    return f"“{query}”{about} becomes {say.value(rule.value)}{layer}{so_far}"


def _who(name: str) -> str:
    return "this card" if name == "this" else humanise(name)


def _gain(say: Prose, gain: ast.Gain) -> str:
    name = say.called(gain.name)
    match gain.how, gain.value:
        case "", _:
            return name
        case "()", ast.ListLit(items=items):
            return f"{name} ({listed(map(say.value, items))})"
        case "keywords", ast.Expr() as card:
            return f"the keywords of {say.value(card)}"
        case "is", ast.Expr() as value:
            return f"“{name}” as {say.value(value)}"
        case sign, ast.Expr() as amount:
            return f"{sign.replace('-', '−')}{say.operand(amount)} {name}"
    raise AssertionError(gain)


def _bound(binding: ast.Binding) -> str:
    """Return a parameter of an event with the name that a rule gives it."""
    parameter, name = humanise(binding.parameter), humanise(binding.name)
    if binding.name == "this":
        return "this card" if binding.parameter == "this" else f"{parameter} (this card)"
    return name if binding.name == binding.parameter else f"{parameter} (called {name})"


N = TypeVar("N")
Printed = (
    model.ActionDecl
    | model.CardDecl
    | model.ChartDecl
    | model.EffectDecl
    | model.EndingDecl
    | model.EnumValueDecl
    | model.PhaseDecl
)
"""Declarations that can have a printed text."""
_RANGE = re.compile(r"(-?\d+)\s*\.\.\s*(-?\d+)")


class Said:
    """Translate the parts of declarations to English."""

    def __init__(self, ruleset: model.Ruleset, at_table: bool = False, with_rules: bool = False) -> None:
        """Prepare the descriptions. With ``at_table``, they serve players, and prefer the words of the author.

        A printed text takes the place of a description, unless ``with_rules`` asks for both.
        """
        self._ruleset = ruleset
        self._at_table = at_table
        self._with_rules = with_rules
        self._words = Vocabulary(ruleset)
        self._prose = Prose(self._words)

    def _entry(self, title: str, doc: str, lines: Iterable[str] = ()) -> list[str]:
        below = list(lines)
        doc = doc.strip()
        return [title, *(f"{INDENT}{line}" for line in ([doc, *below] if doc and [doc] != below else below))]

    def _is_printed(self, d: Printed) -> bool:
        """Return whether a declaration is told by its printed text alone."""
        return bool(d.text) and not self._with_rules

    def _printed(self, title: str, d: Printed) -> list[str]:
        """Return the title and the printed text of a declaration."""
        return [f"{title.removesuffix(':')}:", *(f"{INDENT}{' '.join(line.text.split())}" for line in d.text)]

    def _about(self, d: Printed, doc: str = "") -> str:
        """Return the printed text of a declaration and its doc as one paragraph."""
        return " ".join([*(" ".join(line.text.split()) for line in d.text), doc.strip()]).strip()

    def _told_to_players(self, d: Printed, doc: str) -> str:
        """Return the printed text of a declaration, or else its doc."""
        return self._about(d) or doc

    def _begin(self, params: Iterable[tuple[model.Word, model.Word]] = ()) -> None:
        """Begin an entry with these parameters, and forget the names that earlier entries introduced."""
        self._prose.begin(*(name.text for name, _ in params))

    def data(self, value: model.Value) -> str:
        """Describe plain data."""
        if value.is_map:
            return "; ".join(f"{self.called(word.text)} {self.data(inner)}" for word, inner in pairs_of(value))
        if isinstance(value.data, tuple):
            return self._counted([inner.data for inner in value.data]) or listed(
                self.data(inner) for inner in value.data
            )
        if isinstance(value.data, bool):
            return "yes" if value.data else "no"
        if isinstance(value.data, str) and (ends := _RANGE.fullmatch(value.data)):
            return f"{ends[1]} to {ends[2]}"
        return "nothing" if value.data is None else self.called(str(value.data))

    def _counted(self, items: Sequence[object]) -> str:
        """Describe a list of counters with repeated ones: “3 materials and 1 capital”. Empty for any other list."""
        numbers = Counter(items)
        found = [(self._words.values.get(item) if isinstance(item, str) else None, n) for item, n in numbers.items()]
        values = [(value, n) for value, n in found if value is not None and value.plural is not None]
        if len(numbers) == len(items) or len(values) < len(found):
            return ""
        return listed(f"{n} {self._words.enum_value(value, plural=n > 1)}" for value, n in values)

    def called(self, name: str) -> str:
        """Return the label of an enum value or card, or any other name as words."""
        if name in self._words.values:
            return self._words.enum_value(self._words.values[name])
        return self._words.card(self._words.cards[name]) if name in self._words.cards else humanise(name)

    def action(self, d: model.ActionDecl, prose: Prose | None = None) -> list[str]:
        """Describe an action. ``prose`` words its label, for an action on a card."""
        self._begin()
        label = sentence(humanise(d.name.text))
        if self._is_printed(d):
            return self._printed(label, d)
        if d.label is not None:
            label = self._read(parse_template, d.label, (prose or self._prose).text)
        return self._entry(f"{label}:", self._about(d, d.doc), self._deed(d))

    def _says(self, text: EmbeddedText | None) -> list[str]:
        """Return the line about the announcement of an action or effect."""
        return [] if text is None else [f"All are told: “{self._read(parse_template, text, self._prose.text)}”."]

    def _deed(self, d: model.ActionDecl) -> list[str]:
        """Describe the conditions, the choices, the cost and the effect of an action."""
        lines = [f"Allowed only if {self._condition(c)}." for c in d.conditions]
        if d.choose is not None:
            chosen = self._read(parse_choice_vars, d.choose, self._prose.vars)
            lines.append(f"Choose {chosen}.")
        if d.cost is not None:
            lines += ["This is the cost:", *(f"{INDENT}{line}" for line in self.block(d.cost)), "For that:"]
            return [*lines, *(f"{INDENT}{line}" for line in (*self._says(d.says), *self.block(d.do)))]
        return [*lines, *self._says(d.says), *self.block(d.do)]

    def _while(self, active: EmbeddedText) -> str:
        condition = self._condition(active)
        return "Always:" if condition == "always" else f"While {condition}:"

    def _rule_lines(self, text: EmbeddedText) -> list[str]:
        parsed = parse_rule(text, Diagnostics())
        return text.text.splitlines() if parsed is None else rule_lines(self._prose, parsed)

    def _read(
        self, parse: Callable[[EmbeddedText, Diagnostics], N | None], text: EmbeddedText, say: Callable[[N], str]
    ) -> str:
        """Parse a text and describe it. Return the text itself if it doesn't parse."""
        parsed = parse(text, Diagnostics())
        return say(parsed) if parsed is not None else text.text.strip()

    def block(self, text: EmbeddedText) -> list[str]:
        return self._read(parse_block, text, lambda block: "\n".join(self._prose.block(block))).splitlines()

    def value(self, text: EmbeddedText) -> str:
        return self._read(parse_expression, text, self._prose.value)

    def _condition(self, text: EmbeddedText | None) -> str:
        return "always" if text is None else self._read(parse_expression, text, self._prose.condition)

    def _template(self, text: EmbeddedText) -> str:
        return self._read(parse_template, text, self._prose.text)

    def _phase_title(self, d: model.PhaseDecl) -> str:
        return self._template(d.label) if d.label is not None else sentence(humanise(d.id.text))


def all_phases(phases: Iterable[model.PhaseDecl], depth: int = 0) -> Iterator[tuple[model.PhaseDecl, int]]:
    """Yield every phase with its nesting depth. Each phase comes before its parts."""
    for phase in phases:
        yield phase, depth
        yield from all_phases(phase.phases, depth + 1)


def kind_of(type: str) -> str:
    """Return the words for a type."""
    if type.endswith("?"):
        return f"{kind_of(type.rstrip('? '))} or nothing"
    if type.startswith("List["):
        return f"a list of {type[5:-1]}"
    known = {"Int": "a number", "Bool": "yes or no", "Text": "a text", "Player": "a player"}
    return known.get(type, f"one of {type}")


def pairs_of(value: model.Value) -> Iterator[tuple[model.Word, model.Value]]:
    """Yield the entries of a mapping."""
    for pair in value.data if isinstance(value.data, tuple) else ():
        word, inner = pair
        yield word, inner
