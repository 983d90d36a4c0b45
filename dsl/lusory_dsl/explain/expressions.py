"""Translate expressions and conditions to English."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache

from ..checker.check import declare_names
from ..checker.view_section import get_index_name
from ..core.board_diagrams import draw_board
from ..core.boards import DIRECTIONS, Board
from ..ruleset import model
from ..source.diagnostics import Diagnostics
from ..source.source import NOWHERE, EmbeddedText, humanise, with_article
from ..syntax import ast
from ..syntax.parser import parse_template
from ..syntax.unparser import BINARY, COLLECTION, PRODUCT
from ..types.builtins import FUNCTIONS, MEMBERS, SPACE_MEMBERS, Builtin
from .vocabulary import LEADING_ON, PERSONS, Named, Vocabulary, listed, plural

_SHAPES = {"grid": "squares", "hex": "hexagons", "ring": "spaces in a ring", "track": "spaces in a row"}


@lru_cache(maxsize=4)
def boards_of(ruleset: model.Ruleset) -> dict[str, Board]:
    """Return the valid boards of a ruleset. The result is cached, because it needs all declarations."""
    return dict(declare_names(ruleset, Diagnostics()).texts.names.boards) if ruleset.boards else {}


def drawing(decl: model.BoardDecl, board: Board | None) -> Iterator[str]:
    """Yield the labels of a board's spaces, and a diagram with their names."""
    if board is not None:
        yield from (f"{word.text}: {label}" for word, label in decl.labels)
        yield from draw_board(board, lambda space: board.names[space])


def shape_of(decl: model.BoardDecl, board: Board | None) -> str:
    """Describe the size and shape of a board: ``8 x 8 squares``."""
    word = decl.shapes[0].text if decl.shapes else ""
    size = decl.size.text if decl.size is not None and decl.size.text.strip().isdecimal() is False else None
    number = size or (str(board.size) if board is not None else "")
    return f"{number} {_SHAPES.get(word, 'spaces')}".strip()


def said_of_space(name: str, subject: str, args: Sequence[str]) -> str | None:
    """Describe a member of a space, a direction, a line or a seat. Return None if there is no such member."""
    if name in DIRECTIONS["Compass"] + DIRECTIONS["Way"] and subject not in DIRECTIONS:
        return f"the space {humanise(name)} of {subject}"
    if subject in DIRECTIONS:
        return humanise(name)
    row = next((row for row in SPACE_MEMBERS if row.name == name and len(row.params) >= len(args)), None)
    if row is None:
        return None
    if name == "away" and len(args) == 1:
        return f"the space {args[0]} of {subject}"
    values = dict(zip((param for param, _ in row.params), args, strict=False))
    return row.text.format(subject=subject, **{param: values.get(param, "") for param, _ in row.params})


COMPUTED = {
    "+": "{} + {}",
    "-": "{} − {}",
    "*": "{} × {}",
    "div": "{} divided by {} (rounded down)",
    "mod": "the rest of {} divided by {}",
    "..": "{} to {}",
    "union": "{}, and also {}",
    "except": "{} except {}",
    "intersect": "what is both in {} and in {}",
}

COMPARED = {
    "=": ("is", "is not"),
    "!=": ("is not", "is"),
    "<": ("is less than", "is at least"),
    "<=": ("is at most", "is more than"),
    ">": ("is more than", "is at most"),
    ">=": ("is at least", "is less than"),
    "in": ("is one of", "is none of"),
    "not in": ("is none of", "is one of"),
}
"""The words for each comparison and for its opposite."""

LISTED = {
    "sum": "the sum of {body} over every {each}",
    "max": "the greatest {body} over every {each}",
    "min": "the smallest {body} over every {each}",
    "list": "{body} for every {each}",
    "count": "the number of {each}",
}


OUTSIDE = ("mod", "intersect")
"""Operators with words before the first operand. They need parentheses, because their end is unclear."""

AMONG = ","
"""Takes the place of an operator for one of several arguments."""


def runs_into(inner: str, outer: str, is_last: bool) -> bool:
    """Return whether an operand needs parentheses: ``inner`` is its operator, ``outer`` the operator around it."""
    if outer in ("", AMONG) or inner in OUTSIDE or outer in OUTSIDE:
        return True
    if BINARY[inner] != BINARY[outer]:
        return BINARY[inner] < BINARY[outer]
    return is_last or (BINARY[inner] == COLLECTION and (inner, outer) != ("union", "union"))


def is_open(e: ast.Expr, op: str, is_last: bool) -> bool:
    """Return whether an operand without an operator of its own needs parentheses.

    It does if it would absorb the following words, or be split. The ends of a range never need parentheses.
    """
    if op == "..":
        return False
    match e:
        case ast.Unary(op="-"):
            return is_last or BINARY.get(op) == PRODUCT
        case ast.Comprehension(function=function):
            return function in LISTED
        case ast.Call(callee=ast.Name(name=name), args=args) if name in FUNCTIONS:
            taken_in = ast.Where | ast.AsLong | ast.Sorted | ast.Comprehension
            return len(args) > 1 or any(isinstance(a.value, taken_in) for a in args)
        case ast.ListLit(items=items):
            return len(items) > 1 and op != "except"
    return False


def builtin_said(row: Builtin, args: list[str]) -> str:
    """Return a built-in function in the words of its row. A missing argument appears as a dash."""
    named: Mapping[str, str] = {p.name: args[i] if i < len(args) else "–" for i, p in enumerate(row.params)}
    return re.sub(r"^the (\w+) of you$", r"your \1", row.text.format_map(named))


def of_player(decl: Named) -> bool:
    """Return whether a declaration exists once for each player."""
    if isinstance(decl, model.QueryDecl | model.SpanDecl):
        return decl.per_player
    return bool(decl.per) and decl.per[0].text == "Player"


def taken_apart(e: ast.Expr) -> tuple[ast.Expr | None, str, tuple[ast.Expr, ...]]:
    """Return the owner, the name, and the further arguments or indices of a place, query or call."""
    match e:
        case ast.Name(name=name):
            return None, name, ()
        case ast.Member(subject=subject, name=name):
            return subject, name, ()
        case ast.Index(subject=subject, indices=indices):
            owner, name, before = taken_apart(subject)
            return owner, name, (*before, *indices)
        case ast.Call(callee=callee, args=args):
            owner, name, before = taken_apart(callee)
            return owner, name, (*before, *(a.value for a in args))
    return None, "this", (e,)


def head_of(e: ast.Expr) -> str | None:
    """Return the declared name at the start of an expression, after its owner. None for other expressions."""
    return taken_apart(e)[1] if isinstance(e, ast.Name | ast.Member | ast.Index) else None


_DENIED = {"is": "is not", "are": "are not", "can": "can not", "may": "may not", "has": "does not have"}
_VERB = re.compile(r"\b(is|are|can|may|has)\b")
_OF_YOU = {"is": "are", "has": "have"}
_SEVERAL = {"is": "are", "has": "have", "does": "do", "lies": "lie", "can": "can", "may": "may"}
"""Singular verbs and their plural."""


def filled(phrase: EmbeddedText, said: Mapping[str, str], yes: bool = True) -> str | None:
    """Return a phrase with the given words for its parameters. None if the phrase doesn't parse.

    If ``yes`` is False, the result is the negated phrase.
    """
    template = parse_template(phrase, Diagnostics())
    if template is None:
        return None
    words, denied, you = "", yes, False
    for at, part in enumerate(template.parts):
        if isinstance(part, str):
            if not denied and (verb := _VERB.search(part)):
                part, denied = f"{part[: verb.start()]}{_DENIED[verb[1]]}{part[verb.end() :]}", True
            words += _of_you(part) if you else part
            you = False
        else:
            one = said.get(part.name, humanise(part.name)) if isinstance(part, ast.Name) else "…"
            runs_on = template.parts[at + 1 : at + 2] == (" ",) and len(one.split()) > 2
            of = "of " if one.startswith("the ") and re.search(r"\d $", words) else ""
            words += f"({one})" if runs_on else f"{of}{one}"
            you = one == "you"
    words = re.sub(r"\byou[’']s\b", "your", re.sub(r"\bit[’']s\b", "its", words))
    return words if denied else f"it is not so that {words}"


def _of_you(words: str) -> str:
    """Return the words after “you”, with the verb in the second person."""
    verb = words.split(maxsplit=1)[:1]
    if not verb or verb[0] not in (*_OF_YOU, "does"):
        return words
    return words.replace(verb[0], {**_OF_YOU, "does": "do"}[verb[0]], 1)


def which(clauses: list[str], word: str, many: bool) -> str:
    """Join conditions about “it” to relative clauses: “that is ripe and whose price is at most 2”.

    With ``many``, verbs are in the plural: “that are ripe”. If a condition is about something else, the result is “for
    which …”.
    """
    found = []
    for clause in clauses:
        head, _, more = clause.partition(" ")
        verb, _, after = more.partition(" ")
        if head == "its":
            found.append(f"whose {more}")
        elif head == "it" and (not many or verb in _SEVERAL):
            found.append(f"that {_SEVERAL[verb] if many else verb} {after}".rstrip())
        else:
            return f" for which {f' {word} '.join(clauses)}"
    return f" {f' {word} '.join(found)}"


PRONOUNS = ("who", "whom", "whose", "what", "which", "mine", "yours", "theirs", "other", "others")
"""Names that take no article, because “a whom” is not English."""

SELECTIONS = ast.Where | ast.AsLong | ast.WithKey | ast.Sorted
"""Type of the nodes that select from a list."""


class Values:
    """Translate values and conditions to English."""

    def __init__(self, vocabulary: Vocabulary, this: str = PERSONS["this"]) -> None:
        """Prepare translations. ``this`` is the name of the card whose text is translated."""
        self._words = vocabulary
        self._persons = {**PERSONS, "this": this}
        self._things: set[str] = set()

    def introduce(self, *names: str) -> None:
        """Refer to these names with the definite article from now on: “the target”.

        Letters and pronouns stay as they are.
        """
        self._things.update(name for name in names if len(name) > 1 and name not in PRONOUNS)

    def begin(self, *names: str) -> None:
        """Begin a separate text, in which only its parameters are known."""
        self._things.clear()
        self.introduce(*names)

    def forget(self, name: str) -> None:
        """Refer to a name without an article from now on, because the text has assigned it a value."""
        self._things.discard(name)

    @contextmanager
    def _as_it(self, name: str, condition: ast.Expr) -> Iterator[bool]:
        """Refer to a name as “it” within the context, unless the condition uses ``it`` itself.

        Yield whether the name is “it”.
        """
        named = any(isinstance(n, ast.Name) and n.name == "it" for n in ast.walk(condition))
        before = self._persons
        if not named:
            self._persons = {**before, name: PERSONS["it"]}
        yield not named
        self._persons = before

    # ------------------------------------------------------------ values

    def value(self, e: ast.Expr) -> str:
        """Return the phrase for a value."""
        match e:
            case ast.IntLit(value=number):
                return str(number)
            case ast.BoolLit(value=flag):
                return "true" if flag else "false"
            case ast.NoneLit():
                return "nothing"
            case ast.TextLit():
                return f"“{self.text(e)}”"
            case ast.ListLit(items=items):
                return listed(map(self.value, items))
            case ast.IfExpr(condition=condition, then=then, otherwise=otherwise):
                said = self.operand(then) if isinstance(then, ast.IfExpr) else self.value(then)
                return f"{said} if {self.condition(condition)}, otherwise {self.value(otherwise)}"
            case ast.LetExpr(name=name, value=value, body=body):
                self.forget(name)
                return f"{self.value(body)}, where {humanise(name)} is {self.operand(value, AMONG)}"
            case ast.Where():
                return self._selected(e)
            case ast.AsLong(source=source, condition=condition, item=item):
                return f"{self._source(source, item)} as long as {self.condition(condition)}"
            case ast.Sorted(source=source, key=ast.Unary(op="-", operand=key), item=item):
                return f"{self._source(source, item)}, the greatest {self._measure(key)} first"
            case ast.Sorted(source=source, key=key, item=item):
                return f"{self._source(source, item)}, sorted by {self._measure(key)}"
            case ast.WithKey(source=source, kind=kind, key=key, item=item):
                measure = self._measure(key)
                if kind == "distinct":
                    return f"{self._source(source, item)}, one for each {measure}"
                return f"{self._source(source, item)} with the {kind} {measure}"
            case ast.Unary(op="-", operand=operand):
                return f"minus {self.operand(operand, AMONG)}"
            case ast.Binary(op=op, left=left, right=right) if op in COMPUTED:
                return COMPUTED[op].format(self.operand(left, op), self.operand(right, op, is_last=True))
            case ast.Comprehension():
                return self._comprehension(e)
            case ast.Call(callee=ast.Name(name="group" | "groups" as name)) if self._words.ruleset.boards:
                return self._region(name, e)
            case ast.Reach():
                return f"all that is {self._reached(e)}"
            case ast.Index(subject=ast.Reach() as way, indices=(target,)):
                return f"the number of steps in which {self.value(target)} is {self._reached(way)}"
            case ast.Name() | ast.Member() | ast.Index() | ast.Call():
                return self._named(e)
        return f"whether {self.condition(e)}"

    def _several(self, e: ast.Expr) -> str:
        """Return the words for counted things: cards in a zone, values of a type, or items of a list."""
        if isinstance(e, ast.Where):
            return self._selected(e)
        if isinstance(e, ast.Name) and e.name in self._words.enums.keys() | self._words.kinds:
            return self._words.plurals.get(e.name) or plural(e.name)
        head = head_of(e)
        decl = self._words.places.get(head) if head else None
        said = self.operand(e)
        if not isinstance(decl, model.ZoneDecl) or decl.holds.text not in self._words.kinds:
            return said
        several = self._words.several(decl.holds.text)
        return said if several.split()[-1] in said.lower().split() else f"{several} in {said}"

    def _amount_of(self, e: ast.Expr) -> str:
        """Return a value for use after `by` or `to`. A conditional value gets parentheses."""
        return self.operand(e) if isinstance(e, ast.IfExpr) else self.value(e)

    def _source(self, e: ast.Expr, item: ast.Item | None = None) -> str:
        """Return the words for the type or list of a selection, with the name of its items if there is one."""
        types = self._words.enums.keys() | self._words.kinds
        said = f"every {e.name}" if isinstance(e, ast.Name) and e.name in types else self._several(e)
        return said if item is None else f"{said} ({humanise(item.name)})"

    def _selected(self, e: ast.Where) -> str:
        """Describe the items of a list for which a condition holds."""
        source = self._several(e.source)
        if e.item is None:
            return f"{source}{self._which(e.condition, many=True)}"
        with self._as_it(e.item.name, e.condition) as is_it:
            said = self._which(e.condition, many=True)
        return f"{source if is_it else f'{source} ({humanise(e.item.name)})'}{said}"

    def _which(self, condition: ast.Expr, many: bool) -> str:
        """Return a condition on “it” as a relative clause: ``whose cost is at most 2``."""
        word = condition.op if isinstance(condition, ast.Binary) and condition.op in ("and", "or") else ""
        parts = [condition]
        while word and isinstance(first := parts[0], ast.Binary) and first.op == word:
            parts[:1] = [first.left, first.right]
        return which([self._clause(part, word, True) if word else self.condition(part) for part in parts], word, many)

    def _measure(self, key: ast.Expr) -> str:
        """Return the words for a sort key."""
        return self.value(key).removeprefix("the ").removeprefix("its ")

    def text(self, text: ast.TextLit) -> str:
        """Return a text with its values in square brackets. A card's own text uses its name."""
        said = "".join(part if isinstance(part, str) else self._blank(part) for part in text.parts)
        return re.sub(r"(\b[Tt]he) \[the ", r"\1 [", said)

    def _blank(self, part: ast.Expr) -> str:
        if not isinstance(part, ast.Name):
            return f"[{self.value(part)}]"
        named = part.name == "this" and self._persons["this"] != PERSONS["this"]
        return self._name(part.name) if named else f"[{self._blank_name(part.name)}]"

    def operand(self, e: ast.Expr, op: str = "", is_last: bool = False) -> str:
        """Return a value within a longer phrase, in parentheses if it would be ambiguous without.

        ``op`` is the operator around it, or :data:`AMONG`. ``is_last`` says whether it is the last operand.
        """
        if isinstance(e, ast.Binary):
            loose = e.op != ".." and runs_into(e.op, op, is_last)
        else:
            loose = isinstance(e, SELECTIONS | ast.IfExpr | ast.LetExpr) or (bool(op) and is_open(e, op, is_last))
        return f"({self.value(e)})" if loose else self.value(e)

    def _comprehension(self, e: ast.Comprehension) -> str:
        if e.function in LISTED:
            body = self.operand(e.body).removeprefix("the ")
            return LISTED[e.function].format(body=body, each=self._items(e))
        return f"whether {self.condition(e)}"

    def _reached(self, e: ast.Reach) -> str:
        """Describe a reachability expression for use after “is”: its start, its steps and their limit."""
        within = "" if e.bound is None else f", in at most {self.operand(e.bound)} steps"
        onward = f"going on from each {humanise(e.name)} to {self.operand(e.body)}"
        return f"reached from {self.operand(e.source)}, {onward}{within}"

    def _region(self, name: str, e: ast.Call) -> str:
        """Describe a connected component of a board, or the number of components."""
        given = [self.operand(a.value) for a in e.args if a.name != "corners"]
        corners = " (a corner is enough)" if len(given) < len(e.args) else ""
        if name == "groups" or len(given) < 2:
            return f"the number of parts of {given[0] if given else ''} that hang together{corners}"
        return f"those of {given[1]} that hang together with {given[0]}{corners}"

    def _items(self, e: ast.Comprehension) -> str:
        """Describe an item of a list, and an item of each further list."""
        first = self._item(e.name, e.source, e.condition)
        return " and ".join([first, *(self._item(each.name, each.source, each.condition) for each in e.more)])

    def _item(self, name: str, source: ast.Expr, condition: ast.Expr | None) -> str:
        """Describe an item of a list for use after “each” or “some”.

        Examples are ``side``, ``player p`` and ``card of your hand for which …``.
        """
        self.introduce(name)
        word = humanise(name)
        kind = source.name if isinstance(source, ast.Name) else ""
        if kind in self._words.enums or kind in self._words.kinds or kind == "players":
            type = "player" if kind == "players" else kind
            said = word if word == type.lower() else f"{type} {word}"
        else:
            said = f"{word} of {self.operand(source)}"
        return f"{said}{self._for_which(condition, name)}"

    def _for_which(self, condition: ast.Expr | None, name: str, many: bool = False) -> str:
        """Return the condition on a named item as a relative clause. With ``many``, it is in the plural."""
        if condition is None:
            return ""
        with self._as_it(name, condition):
            return self._which(condition, many)

    def vars(self, variables: Iterable[ast.ChoiceVar]) -> str:
        """Describe the variables of a choice, each with its domain."""
        return listed(map(self._var, variables))

    @staticmethod
    def one(name: str) -> str:
        """Return a name with the indefinite article. Letters and pronouns get none."""
        return with_article(humanise(name)) if len(name) > 1 and name not in PRONOUNS else name

    def _var(self, v: ast.ChoiceVar) -> str:
        domain, which = self.choices(v), self._for_which(v.condition, v.name)
        self.introduce(v.name)
        one = f"{'secretly ' if v.secret else ''}{self.one(v.name)}{', unseen,' if v.unseen else ''}"
        return f"{one} from {domain}{which}" if which.startswith(" for ") else f"{one}{which} from {domain}"

    def choices(self, v: ast.ChoiceVar) -> str:
        """Describe the domain of a choice."""
        if isinstance(v.domain, ast.Name) and v.domain.name in self._words.enums:
            return self.value(v.domain)
        said = f"({self.value(v.domain)})" if isinstance(v.domain, ast.IfExpr) else self._several(v.domain)
        return (
            f"the {said}"
            if said.startswith(tuple(f"{self._words.several(k)} in " for k in self._words.kinds))
            else said
        )

    # ------------------------------------------------------------ names and places

    def _named(self, e: ast.Expr) -> str:
        """Return the words for a name, a member, an index or a call."""
        match e:
            case ast.Name(name=name):
                return self._name(name)
            case ast.Member(subject=ast.Name(name=enum), name=name) if enum in self._words.enums:
                return self._name(name)
            case ast.Member(subject=subject, name=name):
                pool = self._pool(subject)
                if pool is not None and name in self._words.values:
                    return f"the number of {self._counter(name)} in {self.value(subject)}"
                if (said := self._of_space(subject, name, ())) is not None:
                    return said
                if name == "originals" and isinstance(subject, ast.Name):
                    return builtin_said(MEMBERS[name], [subject.name])
                if name in MEMBERS and name not in self._words.places:
                    return builtin_said(MEMBERS[name], [self.operand(subject)])
            case ast.Call(callee=ast.Name(name=name), args=[column, row]) if name in self._words.enums:
                return f"the {name} in column {self.operand(column.value)} and row {self.operand(row.value)}"
            case ast.Call(callee=ast.Name(name="count"), args=[ast.Argument(value=only)]):
                return f"the number of {self._several(only)}"
            case ast.Call(callee=ast.Name(name=name), args=[ast.Argument(value=ast.Where() as only)]) if (
                name in FUNCTIONS
            ):
                return builtin_said(FUNCTIONS[name], [self.value(only)])
            case ast.Call(callee=ast.Name(name="at" | "cycle" as name), args=[items, place]):
                return self._numbered(items.value, place.value, goes_round=name == "cycle")
            case ast.Call(callee=ast.Name(name=name), args=args) if name in FUNCTIONS:
                return builtin_said(
                    FUNCTIONS[name], [self.operand(a.value, AMONG if len(args) > 1 else "") for a in args]
                )
            case ast.Call(callee=ast.Member(subject=subject, name=name), args=args) if (
                said := self._of_space(subject, name, args)
            ) is not None:
                return said
            case ast.Call(callee=ast.Member(subject=subject, name=name), args=args) if name in MEMBERS:
                return builtin_said(MEMBERS[name], [self.operand(subject), *(self.operand(a.value) for a in args)])
            case ast.Index(subject=subject, indices=indices):
                pool = self._pool(subject)
                if pool is not None and len(indices) > len(pool.per) - of_player(pool):
                    where = self._place(subject, indices[:-1])
                    return f"the number of {self._kind(indices[-1])} in {where}"
        return self._place(e)

    def _of_space(self, subject: ast.Expr, name: str, args: Iterable[ast.Argument]) -> str | None:
        """Describe a member of a space, if the ruleset has boards. A declaration of that name takes precedence."""
        if not self._words.ruleset.boards or name in self._words.places:
            return None
        return said_of_space(name, self.operand(subject), [self.operand(a.value) for a in args])

    def _numbered(self, items: ast.Expr, place: ast.Expr, goes_round: bool) -> str:
        """Describe an item of a list by its position. Rules count from 0, and the text counts from 1."""
        match place:
            case ast.IntLit(value=number):
                said = str(number + 1)
            case ast.Binary(op="-", left=left, right=ast.IntLit(value=1)):
                said = self.operand(left, AMONG)
            case ast.Call(callee=ast.Name(name="index"), args=[others, item]):
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
            return f"the {humanise(name)}"
        if name in words.places:
            return self._place(ast.Name(NOWHERE, name))
        if name in words.values:
            return words.enum_value(words.values[name])
        if name in words.options:
            return f"the option “{humanise(name)}”"
        if name in words.cards:
            return words.card(words.cards[name])
        if name in words.enums or name in words.kinds:
            return words.all_of(name)
        return humanise(name)

    def _pool(self, e: ast.Expr) -> model.ZoneDecl | None:
        """Return the pool of counters that an expression reads, or None."""
        name = head_of(e)
        decl = self._words.places.get(name) if name else None
        holds_counters = isinstance(decl, model.ZoneDecl) and decl.holds.text in self._words.enums
        return decl if isinstance(decl, model.ZoneDecl) and holds_counters else None

    def _place(self, e: ast.Expr, indices: tuple[ast.Expr, ...] = ()) -> str:
        """Return a place or query with its owner, indices and arguments: ``your gear of the left side``."""
        owner, name, arguments = taken_apart(e)
        given = (*arguments, *indices)
        if (phrase := self._phrased(owner, name, given)) is not None:
            return phrase
        decl = self._words.places.get(name)
        label = self._words.place(decl) if decl is not None else humanise(name)
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

    def _phrased(self, owner: ast.Expr | None, name: str, given: tuple[ast.Expr, ...], yes: bool = True) -> str | None:
        """Return a query or variable in the author's phrase, or None if it has none."""
        decl: model.QueryDecl | model.VariableDecl | model.SpanDecl | model.MemberQueryDecl | None
        match self._words.places.get(name):
            case model.QueryDecl() as decl:
                names = [param.text for param, _ in decl.params]
            case model.SpanDecl() as decl:
                names = []
            case model.VariableDecl() as decl:
                names = [get_index_name(dim) for dim in decl.per[of_player(decl) :]]
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

    def argument(self, e: ast.Expr) -> str:
        """Return the words for an argument. For a zone, they describe the cards that it holds."""
        several, said = self._several(e), self.operand(e)
        return said if several == said or isinstance(e, ast.Where) else f"the {several}"

    def _blank_name(self, name: str) -> str:
        """Return the words for a name within a text."""
        return humanise(name) if name in self._things else self._name(name)

    def _kind(self, e: ast.Expr, plural: bool = True) -> str:
        return self._counter(e.name, plural) if isinstance(e, ast.Name) else self.operand(e)

    def _counter(self, name: str, plural: bool = True) -> str:
        value = self._words.values.get(name)
        return humanise(name) if value is None else self._words.enum_value(value, plural)

    # ------------------------------------------------------------ conditions

    def condition(self, e: ast.Expr, yes: bool = True) -> str:
        """Return a condition as a clause. If ``yes`` is False, return its opposite."""
        match e:
            case ast.Unary(op="not", operand=operand):
                return self.condition(operand, not yes)
            case ast.BoolLit(value=flag):
                return "always" if flag is yes else "never"
            case ast.Binary(op="or" | "and" as op, left=left, right=right):
                word = op if yes else {"or": "and", "and": "or"}[op]
                return f"{self._clause(left, word, yes)} {word} {self._clause(right, word, yes)}"
            case ast.Binary(
                op="=" | "!=" as op, left=ast.Member(subject=card, name="original"), right=ast.Name(name=name)
            ) if name in self._words.cards:
                label = self.operand(e.right)
                an = "an" if label[:1].lower() in set("aeiou") else "a"
                return f"{self.operand(card)} {COMPARED[op][0 if yes else 1]} {an} {label}"
            case ast.Binary(
                op="in" | "not in" as op, left=ast.Name(name=name) as left, right=ast.Member() as right
            ) if name in self._words.values and name not in self._things:
                holds = (op == "in") is yes
                several = right.name.endswith("s") and not right.name.endswith("ss")
                has = ("include" if several else "includes") if holds else f"{'do' if several else 'does'} not include"
                return f"{self.operand(right)} {has} {self.value(left)}"
            case ast.Binary(op=op, left=left, right=right) if op in COMPARED:
                compared = COMPARED[op][0 if yes else 1]
                if isinstance(left, ast.Name) and left.name == "me":
                    compared = compared.replace("is", "are", 1)
                return f"{self.operand(left)} {compared} {self.operand(right)}"
            case ast.IsEmpty(subject=subject, negated=negated):
                return f"{self.operand(subject)} is {'not ' if negated is yes else ''}empty"
            case ast.LiesIn(card=card, zone=zone, negated=negated):
                decl = self._words.places.get(zone)
                named = humanise(zone) if decl is None else self._words.place(decl)
                return f"{self.operand(card)} {'lies' if yes is not negated else 'does not lie'} in any {named}"
            case ast.IsCopy(card=card, name=name, negated=negated):
                label = self._name(name)
                an = "an" if label[:1].lower() in set("aeiou") else "a"
                return f"{self.operand(card)} is {'' if yes is not negated else 'not '}{an} {label}"
            case ast.HasAction(card=card, action=action, now=now):
                keyword = self._words.keywords.get(action)
                said = (self.operand(card), f"“{humanise(action)}”")
                if keyword is not None and not now:
                    said = (said[0], self._words.keyword(keyword))
                can, has = ("can", "has") if yes else ("can’t", "does not have")
                return f"you {can} use {said[1]} of {said[0]}" if now else f"{said[0]} {has} {said[1]}"
            case ast.Comprehension(function="any" | "all"):
                return self._quantified(e, yes)
            case ast.IfExpr(condition=condition, then=then, otherwise=otherwise):
                first, second = self.condition(then, yes), self.condition(otherwise, yes)
                return f"({first} if {self.condition(condition)}, otherwise {second})"
            case ast.Name(name=name) if name in self._words.options:
                return f"the option “{humanise(name)}” is {'on' if yes else 'off'}"
        if isinstance(e, ast.LetExpr):
            return f"{self.condition(e.body, yes)}, where {humanise(e.name)} is {self.operand(e.value, AMONG)}"
        return self._holds(e, yes)

    def _clause(self, e: ast.Expr, word: str, yes: bool) -> str:
        inner, truth = e, yes
        while isinstance(inner, ast.Unary) and inner.op == "not":
            inner, truth = inner.operand, not truth
        mixed = isinstance(inner, ast.Binary) and inner.op in ("or", "and") and (inner.op == word) is not truth
        open_ended = isinstance(inner, ast.Comprehension) and inner.function in ("any", "all")
        return f"({self.condition(e, yes)})" if mixed or open_ended else self.condition(e, yes)

    def _quantified(self, e: ast.Comprehension, yes: bool) -> str:
        some = {("any", True): "for some", ("any", False): "for no", ("all", True): "for every"}
        quantity = some.get((e.function, yes), "not for every")
        return f"{quantity} {self._items(e)}, {self.condition(e.body)}"

    def _holds(self, e: ast.Expr, yes: bool) -> str:
        """Describe a Bool variable, query or local that is true or false."""
        owner, name, arguments = taken_apart(e)
        if (phrase := self._phrased(owner, name, arguments, yes)) is not None:
            return phrase
        decl = self._words.places.get(name)
        label = self._words.place(decl) if decl is not None else humanise(name)
        said = f" ({', '.join(map(self.value, arguments))})" if arguments else ""
        of_you = owner is None and decl is not None and of_player(decl)
        who = " for you" if of_you else f" for {self.operand(owner)}" if owner is not None else ""
        return f"“{label}”{said} {'holds' if yes else 'does not hold'}{who}"
