"""Nodes → English: values, conditions and statements as a rulebook would say them. Used by the rules text.

``me`` is "you". Declared things are called by their labels, or by their names with blanks for underscores.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..effect import nodes
from ..language.builtins import FUNCTIONS, MEMBERS
from ..ruleset import model
from ..text.source import NOWHERE
from ..text.spelling import article, humanised, snake_case
from .boards import said_of_space
from .formulas import AMONG, COMPARED, COMPUTED, LISTED, is_open, runs_into
from .parts import builtin_said, head_of, of_player, taken_apart
from .words import LEADING_ON, PERSONS, Vocabulary, listed, plural, sentence, uncapitalized

INDENT = "  "
SHORT = 92
"""How long a line may be that a block stands on together with its title."""

SELECTIONS = nodes.Where | nodes.AsLong | nodes.WithKey | nodes.Sorted
"""What selects from a list, as a type."""


class Prose:
    """Says nodes in English."""

    def __init__(self, vocabulary: Vocabulary, this: str = PERSONS["this"]) -> None:
        """``this``: what the card is called whose text it is."""
        self._words = vocabulary
        self._persons = {**PERSONS, "this": this}

    # ------------------------------------------------------------ values

    def value(self, e: nodes.Expr) -> str:
        """A value as a phrase."""
        match e:
            case nodes.IntLit(value=number):
                return str(number)
            case nodes.BoolLit(value=flag):
                return "true" if flag else "false"
            case nodes.NoneLit():
                return "nothing"
            case nodes.TextLit():
                return f"“{self.text(e)}”"
            case nodes.ListLit(items=items):
                return listed(map(self.value, items))
            case nodes.IfExpr(condition=condition, then=then, otherwise=otherwise):
                said = self.operand(then) if isinstance(then, nodes.IfExpr) else self.value(then)
                return f"{said} if {self.condition(condition)}, otherwise {self.value(otherwise)}"
            case nodes.LetExpr(name=name, value=value, body=body):
                return f"{self.value(body)}, where {humanised(name)} is {self.operand(value, AMONG)}"
            case nodes.Where(source=source, condition=condition, item=item):
                return f"{self._source(source, item)} for which {self.condition(condition)}"
            case nodes.AsLong(source=source, condition=condition, item=item):
                return f"{self._source(source, item)} as long as {self.condition(condition)}"
            case nodes.Sorted(source=source, key=nodes.Unary(op="-", operand=key), item=item):
                return f"{self._source(source, item)}, the greatest {self._measure(key)} first"
            case nodes.Sorted(source=source, key=key, item=item):
                return f"{self._source(source, item)}, sorted by {self._measure(key)}"
            case nodes.WithKey(source=source, kind=kind, key=key, item=item):
                measure = self._measure(key)
                if kind == "distinct":
                    return f"{self._source(source, item)}, one for each {measure}"
                return f"{self._source(source, item)} with the {kind} {measure}"
            case nodes.Unary(op="-", operand=operand):
                return f"minus {self.operand(operand, AMONG)}"
            case nodes.Binary(op=op, left=left, right=right) if op in COMPUTED:
                return COMPUTED[op].format(self.operand(left, op), self.operand(right, op, is_last=True))
            case nodes.Comprehension():
                return self._comprehension(e)
            case nodes.Call(callee=nodes.Name(name="group" | "groups" as name)) if self._words.ruleset.boards:
                return self._region(name, e)
            case nodes.Reach():
                return f"all that is {self._reached(e)}"
            case nodes.Index(subject=nodes.Reach() as way, indices=(target,)):
                return f"the number of steps in which {self.value(target)} is {self._reached(way)}"
            case nodes.Name() | nodes.Member() | nodes.Index() | nodes.Call():
                return self._named(e)
        return f"whether {self.condition(e)}"

    def _several(self, e: nodes.Expr) -> str:
        """What is counted: the cards in a zone, the values of a type, the items of a list."""
        if isinstance(e, nodes.Where):
            return f"{self._several(e.source)} for which {self.condition(e.condition)}"
        if isinstance(e, nodes.Name) and e.name in self._words.enums.keys() | self._words.kinds:
            return plural(e.name)
        head = head_of(e)
        decl = self._words.places.get(head) if head else None
        in_zone = isinstance(decl, model.ZoneDecl) and decl.holds.text in self._words.kinds
        said = self.operand(e)
        return f"cards in {said}" if in_zone and "cards" not in said.split() else said

    def _amount_of(self, e: nodes.Expr) -> str:
        """A value behind `by` or `to`, its alternatives in parentheses."""
        return self.operand(e) if isinstance(e, nodes.IfExpr) else self.value(e)

    def _source(self, e: nodes.Expr, item: nodes.Item | None = None) -> str:
        """What is selected from: a type, or a list; and what an item of it is called."""
        types = self._words.enums.keys() | self._words.kinds
        said = f"every {e.name}" if isinstance(e, nodes.Name) and e.name in types else self.operand(e)
        return said if item is None else f"{said} ({humanised(item.name)})"

    def _measure(self, key: nodes.Expr) -> str:
        """What items are compared by."""
        return self.value(key).removeprefix("the ").removeprefix("its ")

    def text(self, text: nodes.TextLit) -> str:
        """A text with its values in square brackets; a card whose text it is goes by its name."""
        return "".join(part if isinstance(part, str) else self._blank(part) for part in text.parts)

    def _blank(self, part: nodes.Expr) -> str:
        named = isinstance(part, nodes.Name) and part.name == "this" and self._persons["this"] != PERSONS["this"]
        return self.value(part) if named else f"[{self.value(part)}]"

    def operand(self, e: nodes.Expr, op: str = "", is_last: bool = False) -> str:
        """A value inside a longer phrase, in parentheses where it would run into its surroundings. ``op``: the operator
        that it is worked out with, or AMONG; ``is_last``: whether it stands behind that."""
        if isinstance(e, nodes.Binary):
            loose = e.op != ".." and runs_into(e.op, op, is_last)
        else:
            loose = isinstance(e, SELECTIONS | nodes.IfExpr | nodes.LetExpr) or (bool(op) and is_open(e, op, is_last))
        return f"({self.value(e)})" if loose else self.value(e)

    def _comprehension(self, e: nodes.Comprehension) -> str:
        if e.function in LISTED:
            body = self.operand(e.body).removeprefix("the ")
            return LISTED[e.function].format(body=body, each=self._items(e))
        return f"whether {self.condition(e)}"

    def _reached(self, e: nodes.Reach) -> str:
        """Where something is reached from, how the way goes on and how far: behind "is"."""
        within = "" if e.bound is None else f", in at most {self.operand(e.bound)} steps"
        onward = f"going on from each {humanised(e.name)} to {self.operand(e.body)}"
        return f"reached from {self.operand(e.source)}, {onward}{within}"

    def _region(self, name: str, e: nodes.Call) -> str:
        """What hangs together, or in how many parts."""
        given = [self.operand(a.value) for a in e.args if a.name != "corners"]
        corners = " (a corner is enough)" if len(given) < len(e.args) else ""
        if name == "groups" or len(given) < 2:
            return f"the number of parts of {given[0] if given else ''} that hang together{corners}"
        return f"those of {given[1]} that hang together with {given[0]}{corners}"

    def _items(self, e: nodes.Comprehension) -> str:
        """One of a list, and then one of each further list."""
        first = self._item(e.name, e.source, e.condition)
        return " and ".join([first, *(self._item(each.name, each.source, each.condition) for each in e.more)])

    def _item(self, name: str, source: nodes.Expr, condition: nodes.Expr | None) -> str:
        """One of a list, behind "each" or "some": ``side``, ``player p``, ``card of your hand for which …``."""
        word = humanised(name)
        kind = source.name if isinstance(source, nodes.Name) else ""
        if kind in self._words.enums or kind in self._words.kinds or kind == "players":
            type = "player" if kind == "players" else kind
            said = word if word == type.lower() else f"{type} {word}"
        else:
            said = f"{word} of {self.operand(source)}"
        return f"{said}{self._for_which(condition)}"

    # ------------------------------------------------------------ names and places

    def _named(self, e: nodes.Expr) -> str:
        """What a name, a member, an index or a call stands for."""
        match e:
            case nodes.Name(name=name):
                return self._name(name)
            case nodes.Member(subject=nodes.Name(name=enum), name=name) if enum in self._words.enums:
                return self._name(name)
            case nodes.Member(subject=subject, name=name):
                pool = self._pool(subject)
                if pool is not None and name in self._words.values:
                    return f"the number of {self._counter(name)} in {self.value(subject)}"
                if (said := self._of_space(subject, name, ())) is not None:
                    return said
                if name in MEMBERS and name not in self._words.places:
                    return builtin_said(MEMBERS[name], [self.operand(subject)])
            case nodes.Call(callee=nodes.Name(name=name), args=[column, row]) if name in self._words.enums:
                return f"the {name} in column {self.operand(column.value)} and row {self.operand(row.value)}"
            case nodes.Call(callee=nodes.Name(name="count"), args=[nodes.Argument(value=only)]):
                return f"the number of {self._several(only)}"
            case nodes.Call(callee=nodes.Name(name=name), args=[nodes.Argument(value=nodes.Where() as only)]) if (
                name in FUNCTIONS
            ):
                return builtin_said(FUNCTIONS[name], [self.value(only)])
            case nodes.Call(callee=nodes.Name(name="at" | "cycle" as name), args=[items, place]):
                return self._numbered(items.value, place.value, goes_round=name == "cycle")
            case nodes.Call(callee=nodes.Name(name=name), args=args) if name in FUNCTIONS:
                return builtin_said(
                    FUNCTIONS[name], [self.operand(a.value, AMONG if len(args) > 1 else "") for a in args]
                )
            case nodes.Call(callee=nodes.Member(subject=subject, name=name), args=args) if (
                said := self._of_space(subject, name, args)
            ) is not None:
                return said
            case nodes.Call(callee=nodes.Member(subject=subject, name=name), args=args) if name in MEMBERS:
                return builtin_said(MEMBERS[name], [self.operand(subject), *(self.operand(a.value) for a in args)])
            case nodes.Index(subject=subject, indices=indices):
                pool = self._pool(subject)
                if pool is not None and len(indices) > len(pool.per) - of_player(pool):
                    where = self._place(subject, indices[:-1])
                    return f"the number of {self._kind(indices[-1])} in {where}"
        return self._place(e)

    def _of_space(self, subject: nodes.Expr, name: str, args: Iterable[nodes.Argument]) -> str | None:
        """What is asked of a space of a board, where the ruleset has any; a name of its own comes first."""
        if not self._words.ruleset.boards or name in self._words.places:
            return None
        return said_of_space(name, self.operand(subject), [self.operand(a.value) for a in args])

    def _numbered(self, items: nodes.Expr, place: nodes.Expr, goes_round: bool) -> str:
        """One of a list by its place. The rules count from 0, people from 1."""
        match place:
            case nodes.IntLit(value=number):
                said = str(number + 1)
            case nodes.Binary(op="-", left=left, right=nodes.IntLit(value=1)):
                said = self.operand(left, AMONG)
            case nodes.Call(callee=nodes.Name(name="index"), args=[others, item]):
                beside = f"{self.operand(item.value)} stands in {self.operand(others.value, AMONG)}"
                return f"what stands in {self.operand(items, AMONG)} where {beside}"
            case _:
                said = f"({self.operand(place, '+')} + 1)"
        source = f"{self.operand(items, AMONG)}{', which goes round' if goes_round else ''}"
        if said.startswith(("the ", "your ")):
            return f"the one of {source} whose number is {said}"
        return f"number {said} of {source}"

    def _name(self, name: str) -> str:
        words = self._words
        if name in self._persons:
            return self._persons[name]
        if name in words.places:
            return self._place(nodes.Name(NOWHERE, name))
        if name in words.values:
            return words.enum_value(words.values[name])
        if name in words.options:
            return f"the option “{humanised(name)}”"
        if name in words.cards:
            return words.card(words.cards[name])
        if name in words.enums or name in words.kinds:
            return words.all_of(name)
        return humanised(name)

    def _pool(self, e: nodes.Expr) -> model.ZoneDecl | None:
        """The pool of counters that an expression reads, where it is one."""
        name = head_of(e)
        decl = self._words.places.get(name) if name else None
        holds_counters = isinstance(decl, model.ZoneDecl) and decl.holds.text in self._words.enums
        return decl if isinstance(decl, model.ZoneDecl) and holds_counters else None

    def _place(self, e: nodes.Expr, indices: tuple[nodes.Expr, ...] = ()) -> str:
        """A place or query with its owner, indices and arguments: ``your gear of the left side``."""
        owner, name, arguments = taken_apart(e)
        decl = self._words.places.get(name)
        label = self._words.place(decl) if decl is not None else humanised(name)
        given = (*arguments, *indices)
        of = f" of {listed(map(self.operand, given))}" if given else ""
        leads_on = label.rpartition(" ")[2] in LEADING_ON
        if len(given) == 1 and leads_on:
            of = f" {self.operand(given[0])}"
            label = label if isinstance(decl, model.QueryDecl) else f"“{label}” of"
        elif given and isinstance(decl, model.QueryDecl):
            of = f" ({', '.join(map(self.value, given))})"
        if owner is None and decl is not None and not of_player(decl):
            return f"the {label}{of}"
        who = "you" if owner is None else self.operand(owner)
        if who in ("you", "it"):
            return f"{'your' if who == 'you' else 'its'} {label}{of}"
        return f"{who}’s {label}{of}" if " " not in who else f"the {label}{of} of {who}"

    def _kind(self, e: nodes.Expr, plural: bool = True) -> str:
        return self._counter(e.name, plural) if isinstance(e, nodes.Name) else self.operand(e)

    def _counter(self, name: str, plural: bool = True) -> str:
        value = self._words.values.get(name)
        return humanised(name) if value is None else self._words.enum_value(value, plural)

    # ------------------------------------------------------------ conditions

    def condition(self, e: nodes.Expr, yes: bool = True) -> str:
        """A condition as a clause; its opposite with ``yes`` False."""
        match e:
            case nodes.Unary(op="not", operand=operand):
                return self.condition(operand, not yes)
            case nodes.BoolLit(value=flag):
                return "always" if flag is yes else "never"
            case nodes.Binary(op="or" | "and" as op, left=left, right=right):
                word = op if yes else {"or": "and", "and": "or"}[op]
                return f"{self._clause(left, word, yes)} {word} {self._clause(right, word, yes)}"
            case nodes.Binary(
                op="=" | "!=" as op, left=nodes.Member(subject=card, name="original"), right=nodes.Name(name=name)
            ) if name in self._words.cards:
                label = self.operand(e.right)
                an = "an" if label[:1].lower() in set("aeiou") else "a"
                return f"{self.operand(card)} {COMPARED[op][0 if yes else 1]} {an} {label}"
            case nodes.Binary(op=op, left=left, right=right) if op in COMPARED:
                compared = COMPARED[op][0 if yes else 1]
                if isinstance(left, nodes.Name) and left.name == "me":
                    compared = compared.replace("is", "are", 1)
                return f"{self.operand(left)} {compared} {self.operand(right)}"
            case nodes.IsEmpty(subject=subject, negated=negated):
                return f"{self.operand(subject)} is {'not ' if negated is yes else ''}empty"
            case nodes.LiesIn(card=card, zone=zone, negated=negated):
                decl = self._words.places.get(zone)
                named = humanised(zone) if decl is None else self._words.place(decl)
                return f"{self.operand(card)} {'lies' if yes is not negated else 'does not lie'} in any {named}"
            case nodes.IsCopy(card=card, name=name, negated=negated):
                label = self._name(name)
                an = "an" if label[:1].lower() in set("aeiou") else "a"
                return f"{self.operand(card)} is {'' if yes is not negated else 'not '}{an} {label}"
            case nodes.HasAction(card=card, action=action, now=now):
                said = (self.operand(card), f"“{humanised(action)}”")
                can, has = ("can", "has") if yes else ("can’t", "does not have")
                return f"you {can} use {said[1]} of {said[0]}" if now else f"{said[0]} {has} {said[1]}"
            case nodes.Comprehension(function="any" | "all"):
                return self._quantified(e, yes)
            case nodes.IfExpr(condition=condition, then=then, otherwise=otherwise):
                first, second = self.condition(then, yes), self.condition(otherwise, yes)
                return f"({first} if {self.condition(condition)}, otherwise {second})"
            case nodes.Name(name=name) if name in self._words.options:
                return f"the option “{humanised(name)}” is {'on' if yes else 'off'}"
        if isinstance(e, nodes.LetExpr):
            return f"{self.condition(e.body, yes)}, where {humanised(e.name)} is {self.operand(e.value, AMONG)}"
        return self._holds(e, yes)

    def _clause(self, e: nodes.Expr, word: str, yes: bool) -> str:
        inner, truth = e, yes
        while isinstance(inner, nodes.Unary) and inner.op == "not":
            inner, truth = inner.operand, not truth
        mixed = isinstance(inner, nodes.Binary) and inner.op in ("or", "and") and (inner.op == word) is not truth
        open_ended = isinstance(inner, nodes.Comprehension) and inner.function in ("any", "all")
        return f"({self.condition(e, yes)})" if mixed or open_ended else self.condition(e, yes)

    def _quantified(self, e: nodes.Comprehension, yes: bool) -> str:
        some = {("any", True): "for some", ("any", False): "for no", ("all", True): "for every"}
        quantity = some.get((e.function, yes), "not for every")
        return f"{quantity} {self._items(e)}, {self.condition(e.body)}"

    def _holds(self, e: nodes.Expr, yes: bool) -> str:
        """Something that is simply true or not: a Bool variable, query or local."""
        owner, name, arguments = taken_apart(e)
        decl = self._words.places.get(name)
        label = self._words.place(decl) if decl is not None else humanised(name)
        said = f" ({', '.join(map(self.value, arguments))})" if arguments else ""
        of_you = owner is None and decl is not None and of_player(decl)
        who = " for you" if of_you else f" for {self.operand(owner)}" if owner is not None else ""
        return f"“{label}”{said} {'holds' if yes else 'does not hold'}{who}"

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
                opened = f"open “{self._effect(call)}”{'; unless it is cancelled' if body else ''}"
                return opened, blocks + ([("If it is cancelled", otherwise)] if otherwise else [])
            case nodes.Random(body=chosen, otherwise=otherwise):
                blocks = [] if chosen is None else [("", chosen)]
                return self._random(s), blocks + ([("If there is nothing to pick", otherwise)] if otherwise else [])
        return self._simple(s), []

    def _simple(self, s: nodes.Stmt) -> str:
        match s:
            case nodes.Let(name=name, value=value):
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

    def _amount(self, s: nodes.MoveCount) -> str:
        one = isinstance(s.amount, nodes.IntLit) and s.amount.value == 1
        if s.kind is None:
            return "everything"
        kind = self._kind(s.kind, plural=not one)
        if s.amount is None:
            return f"all {kind}"
        amount = self.operand(s.amount)
        is_long = len(amount.split()) > 2 and not amount.startswith("(")
        return f"{f'({amount})' if is_long else amount} {kind}"

    def _for_which(self, condition: nodes.Expr | None) -> str:
        return "" if condition is None else f" for which {self.condition(condition)}"

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

    def vars(self, variables: Iterable[nodes.ChoiceVar]) -> str:
        """What is chosen, each with where it comes from."""
        return listed(
            f"{'secretly ' if v.secret else ''}{humanised(v.name)}{', unseen,' if v.unseen else ''} from"
            f" {self.operand(v.domain)}"
            f"{self._for_which(v.condition)}"
            for v in variables
        )

    def _chooser(self, by: nodes.Expr | None) -> str:
        return "choose" if by is None else f"{self.value(by)} chooses"

    def _prompt(self, prompt: nodes.TextLit | None) -> str:
        return "" if prompt is None else f" (“{self.text(prompt)}”)"

    def _choose(self, s: nodes.Choose) -> str:
        return f"{self._chooser(s.by)} {self.vars(s.vars)}{self._prompt(s.prompt)}"

    def _choose_some(self, s: nodes.ChooseSome) -> str:
        source = f"{self.operand(s.var.domain)}{self._for_which(s.var.condition)}"
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
        source = f"{self.operand(s.var.domain)}{self._for_which(s.var.condition)}"
        secretly = "secretly " if s.var.secret else ""
        if s.stream == "dice":
            return f"{secretly}roll {humanised(s.var.name)}: {source}"
        return f"{secretly}pick {humanised(s.var.name)} at random from {source}"

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
