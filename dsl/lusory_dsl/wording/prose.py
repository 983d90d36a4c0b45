"""Statements → English, as a rulebook would say them. Used by the rules text. Values and conditions:
:mod:`lusory_dsl.wording.values`."""

from __future__ import annotations

from ..effect import nodes
from ..ruleset import model
from ..text.spelling import article, humanised, snake_case
from .formulas import AMONG
from .parts import of_player, taken_apart
from .phrases import filled
from .values import Values
from .words import listed, sentence, uncapitalized

INDENT = "  "
SHORT = 92
"""How long a line may be that a block stands on together with its title."""


class Prose(Values):
    """Says nodes in English."""

    # ------------------------------------------------------------ statements

    def block(self, block: nodes.Block, depth: int = 0) -> list[str]:
        """The statements as lines, each a sentence, inner blocks indented."""
        return [line for s in block for line in self._statement(s, depth)]

    def _statement(self, s: nodes.Stmt, depth: int) -> list[str]:
        if isinstance(s, nodes.ChooseOption):
            return self._options(s, depth)
        head, parts = self._said(s)
        lines = [] if parts else [f"{INDENT * depth}{sentence(head)}."]
        for title, body in parts:
            lines += self._titled(sentence(title or head), body, depth)
        return lines

    def _titled(self, title: str, body: nodes.Block, depth: int) -> list[str]:
        """A block under its title, on the same line where it is one short sentence."""
        inner = self.block(body, depth + 1)
        line = f"{INDENT * depth}{title}: {uncapitalized(inner[0].strip())}"
        if len(inner) == 1 and len(line) <= SHORT:
            return [line]
        return [f"{INDENT * depth}{title}:", *inner]

    def _options(self, s: nodes.ChooseOption, depth: int) -> list[str]:
        lines = [f"{INDENT * depth}{sentence(self._chooser(s.by))} one of these{self._prompt(s.prompt)}:"]
        for option in s.options:
            lines += self._titled(f"• {self._option(option)}", option.body, depth + 1)
        return lines

    def _said(self, s: nodes.Stmt) -> tuple[str, list[tuple[str, nodes.Block]]]:
        """A statement's own words, and its blocks: the first stands under them, later ones under their titles."""
        match s:
            case nodes.If(branches=branches, otherwise=otherwise):
                (condition, body), *others = branches
                titled = [(f"Otherwise, if {self.condition(c)}", b) for c, b in others]
                last = [("Otherwise", otherwise)] if otherwise else []
                return f"if {self.condition(condition)}", [("", body), *titled, *last]
            case nodes.ForEach(name=name, source=source, condition=condition, body=body):
                return f"for each {self._item(name, source, condition)}", [("", body)]
            case nodes.EachPlayer(body=body):
                return self._each_player(s), [("", body)]
            case nodes.By(player=player, body=body):
                return f"as {self.value(player)}, who is “you” here", [("", body)]
            case nodes.Privately(body=body):
                return "without the others learning what is chosen", [("", body)]
            case nodes.Repeat(body=body):
                return self._repeat(s), [("", body)]
            case nodes.Choose(body=chosen, otherwise=otherwise) | nodes.ChooseSome(body=chosen, otherwise=otherwise):
                said = self._choose(s) if isinstance(s, nodes.Choose) else self._choose_some(s)
                blocks: list[tuple[str, nodes.Block]] = [] if chosen is None else [("", chosen)]
                return said, blocks + ([("If there is nothing to choose", otherwise)] if otherwise else [])
            case nodes.Split(body=body):
                return self._split(s), [("", body)]
            case nodes.May(prompt=prompt, by=by, body=body, otherwise=otherwise):
                who = "you" if by is None else self.value(by)
                no = [("If not", otherwise)] if otherwise else []
                return f"{who} may say yes to “{self.text(prompt)}”; then", [("", body), *no]
            case nodes.Open(call=call, body=body, otherwise=otherwise):
                blocks = [] if body is None else [("", body)]
                said = self._effect(call)
                opened = said if self._has_phrase(call) else f"open “{said}”"
                opened += "; unless it is cancelled" if body else ""
                return opened, blocks + ([("If it is cancelled", otherwise)] if otherwise else [])
            case nodes.Random(body=chosen, otherwise=otherwise):
                blocks = [] if chosen is None else [("", chosen)]
                return self._random(s), blocks + ([("If there is nothing to pick", otherwise)] if otherwise else [])
        return self._simple(s), []

    def _simple(self, s: nodes.Stmt) -> str:
        match s:
            case nodes.Let(name=name, value=value):
                self.forget(name)
                return f"let {humanised(name)} be {self.value(value)}"
            case nodes.SetTo(op="set", place=place, value=nodes.BoolLit(value=flag), until=until):
                return f"from now on{self._until(until)} {self._holds(place, flag)}"
            case nodes.SetTo(op=op, place=place, value=value, until=until):
                verb, word = {"set": ("set", "to"), "add": ("increase", "by"), "sub": ("decrease", "by")}[op]
                return f"{verb} {self.value(place)} {word} {self._amount_of(value)}{self._until(until)}"
            case nodes.AddTo(value=value, place=place):
                return f"add {self.operand(value, AMONG)} to {self.value(place)}"
            case nodes.RemoveFrom(value=value, place=place):
                return f"remove {self.operand(value, AMONG)} from {self.value(place)}, if it is there"
            case nodes.EndDuration(duration=duration):
                return f"{self.value(duration)} ends"
            case nodes.MoveCount(source=source, target=target):
                return f"move {self._amount(s)} from {self.value(source)} to {self.value(target)}"
            case nodes.MoveCards(cards=cards, target=target, position=position):
                where = "the top of " if position == "top" else ""
                return f"move {self.value(cards)} to {where}{self.value(target)}"
            case nodes.Shuffle(zone=zone):
                return f"shuffle {self.value(zone)}"
            case nodes.Stop():
                return "go no further through this list"
            case nodes.UseAction(action=action, card=card, by=by, prompt=prompt):
                who = "" if by is None else f"{self.value(by)}: "
                return f"{who}use “{humanised(action)}” of {self.value(card)}{self._prompt(prompt)}"
            case nodes.TakeAction(menu=nodes.Name(name=menu), by=by, prompt=prompt):
                who = "take" if by is None else f"{self.value(by)} takes"
                return f"{who} an action from “{humanised(menu)}”{self._prompt(prompt)}"
            case nodes.TakeAction(offers=offers, by=by, prompt=prompt):
                named = [self.action(o) for o in offers]
                who = "take" if by is None else f"{self.value(by)} takes"
                return f"{who} one of these actions: {listed(named, 'or')}{self._prompt(prompt)}"
            case nodes.Do(call=call):
                return self._effect(call)
            case nodes.Announce(text=text, to=to):
                return f"announce “{self.text(text)}”{f' to {self.value(to)}' if to is not None else ''}"
            case nodes.EndGame(reason=reason, chart=chart, players=players):
                ranked = f", and the chart “{humanised(chart.name)}” says who wins" if chart is not None else ""
                among = f"; only these can win: {self.value(players)}" if players is not None else ""
                return f"the game ends{ranked}{among}{f': “{self.text(reason)}”' if reason is not None else ''}"
            case nodes.Cancel():
                return "what was answered is cancelled"
            case nodes.Begin(place=place):
                return f"from now on “{self._span(place)}” is watched"
        raise TypeError(f"no words for {type(s).__name__}")

    def _span(self, place: nodes.Expr) -> str:
        owner, name, _ = taken_apart(place)
        return f"{humanised(name)}{f' of {self.value(owner)}' if owner is not None else ''}"

    def action(self, offer: nodes.Offer) -> str:
        """What an action is called; a label with values in it does not say."""
        if offer.cards is not None:
            return f"{humanised(offer.name)} of one of {self.operand(offer.cards)}"
        decl = self._words.actions.get(offer.name)
        label = decl.label.text if decl is not None and decl.label is not None else None
        return label if label is not None and "{" not in label else humanised(offer.name)

    def _effect(self, call: nodes.Call) -> str:
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
            word = humanised(argument.name or (names[number] if number < len(names) else ""))
            value = self.value(argument.value)
            said.append(value if value == word or len(names) < 2 else f"{word}: {value}")
        if owner is not None and decl is None:
            with_what = f", with {listed(said)}" if said else ""
            return f"do “{humanised(name)}” of {self.value(owner)}{with_what}"
        who, joined = f"{self.value(owner)}: " if owner is not None else "", ", ".join(said)
        return f"{who}{humanised(name)}{f' ({joined})' if said else ''}"

    def _has_phrase(self, call: nodes.Call) -> bool:
        decl = self._words.windows.get(taken_apart(call.callee)[1])
        return decl is not None and decl.phrase is not None

    def _amount(self, s: nodes.MoveCount) -> str:
        one = isinstance(s.amount, nodes.IntLit) and s.amount.value == 1
        if s.kind is None:
            return "everything"
        kind = self._kind(s.kind, plural=not one)
        if isinstance(s.kind, nodes.Name) and s.kind.name in self._things and s.amount is not None:
            return f"{self.operand(s.amount)} of {self._name(s.kind.name)}"
        if s.amount is None:
            return f"all {kind}"
        amount = self.operand(s.amount)
        is_long = len(amount.split()) > 2 and not amount.startswith("(")
        return f"{f'({amount})' if is_long else amount} {kind}"

    def _each_player(self, s: nodes.EachPlayer) -> str:
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

    def _repeat(self, s: nodes.Repeat) -> str:
        if s.times is not None:
            return f"repeat {self.value(s.times)} times"
        assert s.condition is not None and s.bound is not None
        word = "until" if s.until else "while"
        return f"repeat {word} {self.condition(s.condition)} (at most {self.value(s.bound)} times)"

    # ------------------------------------------------------------ choices

    def _chooser(self, by: nodes.Expr | None) -> str:
        return "choose" if by is None else f"{self.value(by)} chooses"

    def _prompt(self, prompt: nodes.TextLit | None) -> str:
        return "" if prompt is None else f" (“{self.text(prompt)}”)"

    def _choose(self, s: nodes.Choose) -> str:
        return f"{self._chooser(s.by)} {self.vars(s.vars)}{self._prompt(s.prompt)}"

    def _choose_some(self, s: nodes.ChooseSome) -> str:
        source = self.operand(s.var.domain) if s.ordered else self.choices(s.var)
        source += self._for_which(s.var.condition, s.var.name, many=True)
        self.introduce(s.var.name)
        called = f" (called {humanised(s.var.name)})"
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

    def _split(self, s: nodes.Split) -> str:
        divided = "divide" if s.by is None else f"{self.value(s.by)} divides"
        over = self._item(s.item, s.source, s.condition)
        most = f"at most {self.operand(s.most)} for each"
        return f"{divided} {self.value(s.amount)} among {over}, {most}; for each part (called {humanised(s.name)})"

    def _option(self, o: nodes.OptionClause) -> str:
        label = sentence(humanised(o.name)) if o.label is None else self.text(o.label)
        which = f", with {self.vars(o.vars)}" if o.vars else ""
        return f"{label}{which}{f', if {self.condition(o.condition)}' if o.condition is not None else ''}"

    def _random(self, s: nodes.Random) -> str:
        source = f"{self.choices(s.var)}{self._for_which(s.var.condition, s.var.name, many=True)}"
        self.introduce(s.var.name)
        secretly = "secretly " if s.var.secret else ""
        if s.stream == "dice":
            return f"{secretly}roll {humanised(s.var.name)}: {source}"
        return f"{secretly}pick {self.one(s.var.name)} at random from {source}"

    def _until(self, until: nodes.Until | None) -> str:
        """How long a change lasts."""
        return "" if until is None else f", until {self.value(until.duration)} ends"

    def called(self, query: str) -> str:
        """A query that a rule changes, by its name."""
        decl = self._words.places.get(query)
        return self._words.place(decl) if decl is not None else humanised(query)

    def zone(self, name: str, whose: str) -> str:
        """A zone in what a rule answers to: that of whoever it is, or the only one."""
        decl = self._words.places.get(name)
        return f"{whose if decl is not None and of_player(decl) else 'the'} {self.called(name)}"

    def held(self, zone: str) -> str:
        """What is held by a zone: “a card”."""
        decl = self._words.places.get(zone)
        return article(humanised(snake_case(decl.holds.text)) if isinstance(decl, model.ZoneDecl) else "card")
