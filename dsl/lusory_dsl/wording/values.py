"""Nodes → English: values and conditions as a rulebook would say them. Used by the prose of the rules.

``me`` is "you". Declared things are called by their phrases or labels, or by their names with blanks for underscores;
what a text itself gives a name to, such as what is chosen, is “the target”.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from ..checker.phrases import index_name
from ..effect import nodes
from ..language.builtins import FUNCTIONS, MEMBERS
from ..ruleset import model
from ..text.source import NOWHERE
from ..text.spelling import article, humanised
from .boards import said_of_space
from .formulas import AMONG, COMPARED, COMPUTED, LISTED, is_open, runs_into
from .parts import builtin_said, head_of, of_player, taken_apart
from .phrases import filled, which
from .words import LEADING_ON, PERSONS, Vocabulary, listed, plural

PRONOUNS = ("who", "whom", "whose", "what", "which", "mine", "yours", "theirs", "other", "others")
"""Names of which there is no “a whom”."""

SELECTIONS = nodes.Where | nodes.AsLong | nodes.WithKey | nodes.Sorted
"""What selects from a list, as a type."""


class Values:
    """Says values and conditions in English."""

    def __init__(self, vocabulary: Vocabulary, this: str = PERSONS["this"]) -> None:
        """``this``: what the card is called whose text it is."""
        self._words = vocabulary
        self._persons = {**PERSONS, "this": this}
        self._things: set[str] = set()

    def introduce(self, *names: str) -> None:
        """From now on these names are of things that have been spoken of: “the target”. A letter stays as it is, and
        so does a pronoun."""
        self._things.update(name for name in names if len(name) > 1 and name not in PRONOUNS)

    def begin(self, *names: str) -> None:
        """Begins a text of its own, in which nothing has been spoken of but its parameters."""
        self._things.clear()
        self.introduce(*names)

    def forget(self, name: str) -> None:
        """From now on a name is one that the text itself has given to a value: “wanted”."""
        self._things.discard(name)

    @contextmanager
    def _as_it(self, name: str, condition: nodes.Expr) -> Iterator[bool]:
        """Says a name as “it”, where a condition speaks of no other “it”; whether it does."""
        named = any(isinstance(n, nodes.Name) and n.name == "it" for n in nodes.walk(condition))
        before = self._persons
        if not named:
            self._persons = {**before, name: PERSONS["it"]}
        yield not named
        self._persons = before

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
                self.forget(name)
                return f"{self.value(body)}, where {humanised(name)} is {self.operand(value, AMONG)}"
            case nodes.Where():
                return self._selected(e)
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
            return self._selected(e)
        if isinstance(e, nodes.Name) and e.name in self._words.enums.keys() | self._words.kinds:
            return self._words.plurals.get(e.name) or plural(e.name)
        head = head_of(e)
        decl = self._words.places.get(head) if head else None
        said = self.operand(e)
        if not isinstance(decl, model.ZoneDecl) or decl.holds.text not in self._words.kinds:
            return said
        several = self._words.several(decl.holds.text)
        return said if several.split()[-1] in said.lower().split() else f"{several} in {said}"

    def _amount_of(self, e: nodes.Expr) -> str:
        """A value behind `by` or `to`, its alternatives in parentheses."""
        return self.operand(e) if isinstance(e, nodes.IfExpr) else self.value(e)

    def _source(self, e: nodes.Expr, item: nodes.Item | None = None) -> str:
        """What is selected from: a type, or a list; and what an item of it is called."""
        types = self._words.enums.keys() | self._words.kinds
        said = f"every {e.name}" if isinstance(e, nodes.Name) and e.name in types else self._several(e)
        return said if item is None else f"{said} ({humanised(item.name)})"

    def _selected(self, e: nodes.Where) -> str:
        """Those of a list for which something holds."""
        source = self._several(e.source)
        if e.item is None:
            return f"{source}{self._which(e.condition, many=True)}"
        with self._as_it(e.item.name, e.condition) as is_it:
            said = self._which(e.condition, many=True)
        return f"{source if is_it else f'{source} ({humanised(e.item.name)})'}{said}"

    def _which(self, condition: nodes.Expr, many: bool) -> str:
        """A condition of an “it”, behind what it is about: ``whose cost is at most 2``."""
        word = condition.op if isinstance(condition, nodes.Binary) and condition.op in ("and", "or") else ""
        parts = [condition]
        while word and isinstance(first := parts[0], nodes.Binary) and first.op == word:
            parts[:1] = [first.left, first.right]
        return which([self._clause(part, word, True) if word else self.condition(part) for part in parts], word, many)

    def _measure(self, key: nodes.Expr) -> str:
        """What items are compared by."""
        return self.value(key).removeprefix("the ").removeprefix("its ")

    def text(self, text: nodes.TextLit) -> str:
        """A text with its values in square brackets; a card whose text it is goes by its name."""
        said = "".join(part if isinstance(part, str) else self._blank(part) for part in text.parts)
        return re.sub(r"(\b[Tt]he) \[the ", r"\1 [", said)

    def _blank(self, part: nodes.Expr) -> str:
        if not isinstance(part, nodes.Name):
            return f"[{self.value(part)}]"
        named = part.name == "this" and self._persons["this"] != PERSONS["this"]
        return self._name(part.name) if named else f"[{self._blank_name(part.name)}]"

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
        self.introduce(name)
        word = humanised(name)
        kind = source.name if isinstance(source, nodes.Name) else ""
        if kind in self._words.enums or kind in self._words.kinds or kind == "players":
            type = "player" if kind == "players" else kind
            said = word if word == type.lower() else f"{type} {word}"
        else:
            said = f"{word} of {self.operand(source)}"
        return f"{said}{self._for_which(condition, name)}"

    def _for_which(self, condition: nodes.Expr | None, name: str, many: bool = False) -> str:
        """What holds of one that is called so, or of ``many``."""
        if condition is None:
            return ""
        with self._as_it(name, condition):
            return self._which(condition, many)

    def vars(self, variables: Iterable[nodes.ChoiceVar]) -> str:
        """What is chosen, each with where it comes from."""
        return listed(map(self._var, variables))

    @staticmethod
    def one(name: str) -> str:
        """Something that is not spoken of before; a letter stays as it is, and so does a pronoun."""
        return article(humanised(name)) if len(name) > 1 and name not in PRONOUNS else name

    def _var(self, v: nodes.ChoiceVar) -> str:
        domain, which = self.choices(v), self._for_which(v.condition, v.name)
        self.introduce(v.name)
        one = f"{'secretly ' if v.secret else ''}{self.one(v.name)}{', unseen,' if v.unseen else ''}"
        return f"{one} from {domain}{which}" if which.startswith(" for ") else f"{one}{which} from {domain}"

    def choices(self, v: nodes.ChoiceVar) -> str:
        """What is chosen from."""
        if isinstance(v.domain, nodes.Name) and v.domain.name in self._words.enums:
            return self.value(v.domain)
        said = f"({self.value(v.domain)})" if isinstance(v.domain, nodes.IfExpr) else self._several(v.domain)
        return (
            f"the {said}"
            if said.startswith(tuple(f"{self._words.several(k)} in " for k in self._words.kinds))
            else said
        )

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
                if name == "originals" and isinstance(subject, nodes.Name):
                    return builtin_said(MEMBERS[name], [subject.name])
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
        if name in self._things:
            return f"the {humanised(name)}"
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
        given = (*arguments, *indices)
        if (phrase := self._phrased(owner, name, given)) is not None:
            return phrase
        decl = self._words.places.get(name)
        label = self._words.place(decl) if decl is not None else humanised(name)
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
        is_short = " " not in who or (who.startswith("the ") and who.count(" ") == 1)
        return f"{who}’s {label}{of}" if is_short else f"the {label}{of} of {who}"

    def _phrased(
        self, owner: nodes.Expr | None, name: str, given: tuple[nodes.Expr, ...], yes: bool = True
    ) -> str | None:
        """A query or variable in the phrase of its author; None where it has none."""
        decl: model.QueryDecl | model.VariableDecl | model.SpanDecl | model.MemberQueryDecl | None
        match self._words.places.get(name):
            case model.QueryDecl() as decl:
                names = [param.text for param, _ in decl.params]
            case model.SpanDecl() as decl:
                names = []
            case model.VariableDecl() as decl:
                names = [index_name(dim) for dim in decl.per[of_player(decl) :]]
            case _:
                decl = self._words.members.get(name) if owner is not None else None
                names = [param.text for param, _ in decl.params] if decl is not None else []
        if decl is None or decl.phrase is None:
            return None
        if len(names) == len(given) == 1 and decl.phrase.text.strip() == f"{{{names[0]}}}":
            return self._several(given[0])
        said = dict(zip(names, map(self.argument, given), strict=False))
        said["me"] = "you"
        said["this" if isinstance(decl, model.MemberQueryDecl) else "me"] = (
            "you" if owner is None else self.operand(owner)
        )
        return filled(decl.phrase, said, yes)

    def argument(self, e: nodes.Expr) -> str:
        """A value in the place of a parameter: what lies in a zone, not the zone."""
        several, said = self._several(e), self.operand(e)
        return said if several == said or isinstance(e, nodes.Where) else f"the {several}"

    def _blank_name(self, name: str) -> str:
        """What stands in a text for something that it names."""
        return humanised(name) if name in self._things else self._name(name)

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
            case nodes.Binary(
                op="in" | "not in" as op, left=nodes.Name(name=name) as left, right=nodes.Member() as right
            ) if name in self._words.values and name not in self._things:
                holds = (op == "in") is yes
                several = right.name.endswith("s") and not right.name.endswith("ss")
                has = ("include" if several else "includes") if holds else f"{'do' if several else 'does'} not include"
                return f"{self.operand(right)} {has} {self.value(left)}"
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
                keyword = self._words.keywords.get(action)
                said = (self.operand(card), f"“{humanised(action)}”")
                if keyword is not None and not now:
                    said = (said[0], self._words.keyword(keyword))
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
        if (phrase := self._phrased(owner, name, arguments, yes)) is not None:
            return phrase
        decl = self._words.places.get(name)
        label = self._words.place(decl) if decl is not None else humanised(name)
        said = f" ({', '.join(map(self.value, arguments))})" if arguments else ""
        of_you = owner is None and decl is not None and of_player(decl)
        who = " for you" if of_you else f" for {self.operand(owner)}" if owner is not None else ""
        return f"“{label}”{said} {'holds' if yes else 'does not hold'}{who}"
