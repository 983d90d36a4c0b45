"""Translate expressions and conditions to English.

Example: ``(heap + 1) * 2`` becomes “(the heap + 1) × 2”, and the condition ``not (heap > 2)`` becomes “the heap is at
most 2”. Names are those of :class:`lusory_dsl.explain.vocabulary.Vocabulary`, and phrases those of the author.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache

from ..checker.check import declare_names
from ..checker.view_section import get_index_name
from ..core.boards import DIRECTIONS, Board
from ..core.draw_and_read_boards import draw_board
from ..ruleset import model
from ..source.diagnostics import Diagnostics
from ..source.source import NOWHERE, EmbeddedText, humanise, with_article
from ..syntax import ast
from ..syntax.keywords import BINARY, COLLECTION, PRODUCT
from ..syntax.parser import parse_template
from ..types.builtins import FUNCTIONS, MEMBERS, SPACE_MEMBERS, Builtin
from .vocabulary import PERSONS, PREPOSITIONS, Named, Vocabulary, join_items, pluralize

_SHAPES = {"grid": "squares", "hex": "hexagons", "ring": "spaces in a ring", "track": "spaces in a row"}


@lru_cache(maxsize=4)
def get_boards(ruleset: model.Ruleset) -> dict[str, Board]:
    """Return name -> board for the valid boards of a ruleset.

    Cached for four rulesets, because it needs all declarations.
    """
    return dict(declare_names(ruleset, Diagnostics()).texts.names.boards) if ruleset.boards else {}


def iterate_diagram_lines(decl: model.BoardDecl, board: Board | None) -> Iterator[str]:
    """Yield the labels of a board's spaces as ``name: label``, then the rows of a diagram with the names of all spaces.

    Yields nothing without a board, because its declaration has errors.
    """
    if board is not None:
        yield from (f"{word.text}: {label}" for word, label in decl.labels)
        yield from draw_board(board, lambda space: board.names[space])


def describe_board_shape(decl: model.BoardDecl, board: Board | None) -> str:
    """Return the size and shape of a board: ``8 x 8 squares``, or ``12 spaces in a ring``.

    A written size such as ``8 x 8`` comes first; without one, or if it is a mere number, the number of spaces of
    ``board``. Without either, the number is left out. A shape of links or lines, and an unknown one, gives ``spaces``.
    """
    word = decl.shapes[0].text if decl.shapes else ""
    size = decl.size.text if decl.size is not None and decl.size.text.strip().isdecimal() is False else None
    number = size or (str(board.size) if board is not None else "")
    return f"{number} {_SHAPES.get(word, 'spaces')}".strip()


def describe_space_member(name: str, subject: str, args: Sequence[str]) -> str | None:
    """Return a member of a space, direction, line or seat in words, or None if there is no such member.

    Example: ``north`` of “it” gives “the space north of it”, and ``away`` with one argument “the space ARGUMENT of it”.
    If ``subject`` is an enum of directions, the name itself is returned as words, whatever it is. ``args`` are the
    arguments in words; a missing one is left empty, and too many give None.
    """
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


def needs_parentheses(inner: str, outer: str, is_last: bool) -> bool:
    """Return whether an operand with an operator needs parentheses.

    ``inner`` is its operator, and ``outer`` the operator around it, "" or :data:`AMONG`, inside which it always needs
    them. ``is_last``: it is the right operand. Examples: ``+`` inside ``*`` needs them, ``*`` inside ``+`` doesn't, and
    ``-`` inside ``-`` only on the right.
    """
    if outer in ("", AMONG) or inner in OUTSIDE or outer in OUTSIDE:
        return True
    if BINARY[inner] != BINARY[outer]:
        return BINARY[inner] < BINARY[outer]
    return is_last or (BINARY[inner] == COLLECTION and (inner, outer) != ("union", "union"))


def is_ambiguous(expr: ast.Expr, op: str, is_last: bool) -> bool:
    """Return whether an operand without an operator of its own needs parentheses beside ``op``.

    It does if it would absorb the following words, or be split: a negative number on the right or in a product, a
    comprehension, a function of several arguments, or a list of several items. ``is_last``: it is the right operand.
    The ends of a range never need parentheses.
    """
    if op == "..":
        return False
    match expr:
        case ast.Unary(op="-"):
            return is_last or BINARY.get(op) == PRODUCT
        case ast.Comprehension(function=function):
            return function in LISTED
        case ast.Call(callee=ast.Name(name=name), args=args) if name in FUNCTIONS:
            absorbing_nodes = ast.Where | ast.AsLong | ast.Sorted | ast.Comprehension
            return len(args) > 1 or any(isinstance(a.value, absorbing_nodes) for a in args)
        case ast.ListLit(items=items):
            return len(items) > 1 and op != "except"
    return False


def describe_builtin(row: Builtin, args: list[str]) -> str:
    """Return a call of a built-in function in words. ``args`` are its arguments in words; a missing one appears as “–”.

    Example: ``smaller(3, heap)`` gives “the smaller of 3 and the heap”.
    """
    arguments: Mapping[str, str] = {p.name: args[i] if i < len(args) else "–" for i, p in enumerate(row.params)}
    return re.sub(r"^the (\w+) of you$", r"your \1", row.text.format_map(arguments))


def is_per_player(decl: Named) -> bool:
    """Return whether a declaration exists once for each player: a player's query, or ``Player`` as first index."""
    if isinstance(decl, model.QueryDecl | model.SpanDecl):
        return decl.per_player
    return bool(decl.per) and decl.per[0].text == "Player"


def split_access(expr: ast.Expr) -> tuple[ast.Expr | None, str, tuple[ast.Expr, ...]]:
    """Return the owner, the name, and the arguments or indices of a place, query or call, from left to right.

    Example: ``p.hand[1]`` gives (``p``, ``"hand"``, (1,)). The owner of ``heap`` is None. Any other expression gives no
    owner, the name ``this`` and itself as the argument.
    """
    match expr:
        case ast.Name(name=name):
            return None, name, ()
        case ast.Member(subject=subject, name=name):
            return subject, name, ()
        case ast.Index(subject=subject, indices=indices):
            owner, name, before = split_access(subject)
            return owner, name, (*before, *indices)
        case ast.Call(callee=callee, args=args):
            owner, name, before = split_access(callee)
            return owner, name, (*before, *(a.value for a in args))
    return None, "this", (expr,)


def get_accessed_name(expr: ast.Expr) -> str | None:
    """Return the declared name that a name, member or index reads, without its owner and indices.

    Returns None for calls and all other expressions.
    """
    return split_access(expr)[1] if isinstance(expr, ast.Name | ast.Member | ast.Index) else None


_DENIED = {"is": "is not", "are": "are not", "can": "can not", "may": "may not", "has": "does not have"}
_VERB = re.compile(r"\b(is|are|can|may|has)\b")
_OF_YOU = {"is": "are", "has": "have"}
_SEVERAL = {"is": "are", "has": "have", "does": "do", "lies": "lie", "can": "can", "may": "may"}
"""Singular verbs and their plural."""


def fill_phrase(phrase: EmbeddedText, arguments: Mapping[str, str], holds: bool = True) -> str | None:
    """Return a phrase of the author with the words of its parameters, or None if the phrase doesn't parse.

    Example: ``{this} is ripe`` with ``{"this": "you"}`` gives “you are ripe”, and with ``holds`` false “you are not
    ripe”. A missing argument appears under its parameter's name, and an inserted expression as “…”. A phrase without
    ``is``, ``are``, ``can``, ``may`` or ``has`` is negated as “it is not so that …”.
    """
    template = parse_template(phrase, Diagnostics())
    if template is None:
        return None
    words, has_verb, follows_you = "", holds, False
    for index, part in enumerate(template.parts):
        if isinstance(part, str):
            if not has_verb and (verb := _VERB.search(part)):
                part, has_verb = f"{part[: verb.start()]}{_DENIED[verb[1]]}{part[verb.end() :]}", True
            words += _conjugate_for_you(part) if follows_you else part
            follows_you = False
        else:
            wording = arguments.get(part.name, humanise(part.name)) if isinstance(part, ast.Name) else "…"
            runs_on = template.parts[index + 1 : index + 2] == (" ",) and len(wording.split()) > 2
            preposition = "of " if wording.startswith("the ") and re.search(r"\d $", words) else ""
            words += f"({wording})" if runs_on else f"{preposition}{wording}"
            follows_you = wording == "you"
    words = re.sub(r"\byou[’']s\b", "your", re.sub(r"\bit[’']s\b", "its", words))
    return words if has_verb else f"it is not so that {words}"


def _conjugate_for_you(words: str) -> str:
    """Return the words after “you”, with the verb in the second person."""
    verb = words.split(maxsplit=1)[:1]
    if not verb or verb[0] not in (*_OF_YOU, "does"):
        return words
    return words.replace(verb[0], {**_OF_YOU, "does": "do"}[verb[0]], 1)


def make_relative_clause(clauses: list[str], word: str, is_plural: bool) -> str:
    """Return conditions about “it” as relative clauses, beginning with a blank, joined by ``word``: ``and`` or ``or``.

    Example: “it is ripe” and “its price is at most 2” give “ that is ripe and whose price is at most 2”. With
    ``is_plural`` the verbs are in the plural: “ that are ripe”. If a condition is about something else, or its verb has
    no known plural, the result is “ for which …” with all of them unchanged. Without clauses, it is one blank.
    """
    relatives = []
    for clause in clauses:
        head, _, more = clause.partition(" ")
        verb, _, after = more.partition(" ")
        if head == "its":
            relatives.append(f"whose {more}")
        elif head == "it" and (not is_plural or verb in _SEVERAL):
            relatives.append(f"that {_SEVERAL[verb] if is_plural else verb} {after}".rstrip())
        else:
            return f" for which {f' {word} '.join(clauses)}"
    return f" {f' {word} '.join(relatives)}"


PRONOUNS = ("who", "whom", "whose", "what", "which", "mine", "yours", "theirs", "other", "others")
"""Names that take no article, because “a whom” is not English."""

SELECTION_NODES = ast.Where | ast.AsLong | ast.WithKey | ast.Sorted
"""Type of the nodes that select from a list."""


class ExpressionText:
    """Translate values and conditions to English, for the names of one ruleset.

    Names that a text introduced get the definite article: “the target”.
    """

    def __init__(self, vocabulary: Vocabulary, this: str = PERSONS["this"]) -> None:
        """Prepare translations. ``this`` is the name of the card whose text is translated."""
        self._words = vocabulary
        self._persons = {**PERSONS, "this": this}
        self._introduced_names: set[str] = set()

    def introduce(self, *names: str) -> None:
        """Refer to these names with the definite article from now on: “the target”.

        Letters and pronouns stay as they are.
        """
        self._introduced_names.update(name for name in names if len(name) > 1 and name not in PRONOUNS)

    def begin_text(self, *names: str) -> None:
        """Begin a separate text, in which only its parameters are known."""
        self._introduced_names.clear()
        self.introduce(*names)

    def forget(self, name: str) -> None:
        """Refer to a name without an article from now on, because the text has assigned it a value."""
        self._introduced_names.discard(name)

    @contextmanager
    def _refer_as_it(self, name: str, condition: ast.Expr) -> Iterator[bool]:
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

    def say_value(self, expr: ast.Expr) -> str:
        """Return the words for a value: “the heap + 1”.

        A condition becomes “whether …”, ``none`` “nothing”, and an empty list “nothing” as well. Texts are in quotation
        marks. A ``let`` inside has no article from then on.
        """
        match expr:
            case ast.IntLit(value=number):
                return str(number)
            case ast.BoolLit(value=flag):
                return "true" if flag else "false"
            case ast.NoneLit():
                return "nothing"
            case ast.TextLit():
                return f"“{self.format_text(expr)}”"
            case ast.ListLit(items=items):
                return join_items(map(self.say_value, items))
            case ast.IfExpr(condition=condition, then=then, otherwise=otherwise):
                wording = self.say_operand(then) if isinstance(then, ast.IfExpr) else self.say_value(then)
                return f"{wording} if {self.say_condition(condition)}, otherwise {self.say_value(otherwise)}"
            case ast.LetExpr(name=name, value=value, body=body):
                self.forget(name)
                return f"{self.say_value(body)}, where {humanise(name)} is {self.say_operand(value, AMONG)}"
            case ast.Where():
                return self._describe_selection(expr)
            case ast.AsLong(source=source, condition=condition, item=item):
                return f"{self._describe_source(source, item)} as long as {self.say_condition(condition)}"
            case ast.Sorted(source=source, key=ast.Unary(op="-", operand=key), item=item):
                return f"{self._describe_source(source, item)}, the greatest {self._describe_sort_key(key)} first"
            case ast.Sorted(source=source, key=key, item=item):
                return f"{self._describe_source(source, item)}, sorted by {self._describe_sort_key(key)}"
            case ast.WithKey(source=source, kind=kind, key=key, item=item):
                measure = self._describe_sort_key(key)
                if kind == "distinct":
                    return f"{self._describe_source(source, item)}, one for each {measure}"
                return f"{self._describe_source(source, item)} with the {kind} {measure}"
            case ast.Unary(op="-", operand=operand):
                return f"minus {self.say_operand(operand, AMONG)}"
            case ast.Binary(op=op, left=left, right=right) if op in COMPUTED:
                return COMPUTED[op].format(self.say_operand(left, op), self.say_operand(right, op, is_last=True))
            case ast.Comprehension():
                return self._describe_comprehension(expr)
            case ast.Call(callee=ast.Name(name="group" | "groups" as name)) if self._words.ruleset.boards:
                return self._describe_region(name, expr)
            case ast.Reach():
                return f"all that is {self._describe_reach(expr)}"
            case ast.Index(subject=ast.Reach() as way, indices=(target,)):
                return f"the number of steps in which {self.say_value(target)} is {self._describe_reach(way)}"
            case ast.Name() | ast.Member() | ast.Index() | ast.Call():
                return self._describe_access(expr)
        return f"whether {self.say_condition(expr)}"

    def _say_plural(self, expr: ast.Expr) -> str:
        """Return the words for counted things: cards in a zone, values of a type, or items of a list."""
        if isinstance(expr, ast.Where):
            return self._describe_selection(expr)
        if isinstance(expr, ast.Name) and expr.name in self._words.enums.keys() | self._words.kinds:
            return self._words.plurals.get(expr.name) or pluralize(expr.name)
        head = get_accessed_name(expr)
        decl = self._words.places.get(head) if head else None
        wording = self.say_operand(expr)
        if not isinstance(decl, model.ZoneDecl) or decl.holds.text not in self._words.kinds:
            return wording
        several = self._words.get_plural(decl.holds.text)
        return wording if several.split()[-1] in wording.lower().split() else f"{several} in {wording}"

    def _describe_amount(self, expr: ast.Expr) -> str:
        """Return a value for use after `by` or `to`. A conditional value gets parentheses."""
        return self.say_operand(expr) if isinstance(expr, ast.IfExpr) else self.say_value(expr)

    def _describe_source(self, expr: ast.Expr, item: ast.Item | None = None) -> str:
        """Return the words for the type or list of a selection, with the name of its items if there is one."""
        types = self._words.enums.keys() | self._words.kinds
        wording = f"every {expr.name}" if isinstance(expr, ast.Name) and expr.name in types else self._say_plural(expr)
        return wording if item is None else f"{wording} ({humanise(item.name)})"

    def _describe_selection(self, expr: ast.Where) -> str:
        """Describe the items of a list for which a condition holds."""
        source = self._say_plural(expr.source)
        if expr.item is None:
            return f"{source}{self._make_clause(expr.condition, is_plural=True)}"
        with self._refer_as_it(expr.item.name, expr.condition) as is_it:
            wording = self._make_clause(expr.condition, is_plural=True)
        return f"{source if is_it else f'{source} ({humanise(expr.item.name)})'}{wording}"

    def _make_clause(self, condition: ast.Expr, is_plural: bool) -> str:
        """Return a condition on “it” as a relative clause: ``whose cost is at most 2``."""
        word = condition.op if isinstance(condition, ast.Binary) and condition.op in ("and", "or") else ""
        parts = [condition]
        while word and isinstance(first := parts[0], ast.Binary) and first.op == word:
            parts[:1] = [first.left, first.right]
        clauses = [self._say_clause(part, word, True) if word else self.say_condition(part) for part in parts]
        return make_relative_clause(clauses, word, is_plural)

    def _describe_sort_key(self, key: ast.Expr) -> str:
        """Return the words for a sort key."""
        return self.say_value(key).removeprefix("the ").removeprefix("its ")

    def format_text(self, text: ast.TextLit) -> str:
        """Return a text with its values in square brackets: “[name] takes [n]”. A card's own text uses its name."""
        wording = "".join(part if isinstance(part, str) else self._format_slot(part) for part in text.parts)
        return re.sub(r"(\b[Tt]he) \[the ", r"\1 [", wording)

    def _format_slot(self, part: ast.Expr) -> str:
        if not isinstance(part, ast.Name):
            return f"[{self.say_value(part)}]"
        named = part.name == "this" and self._persons["this"] != PERSONS["this"]
        return self._describe_name(part.name) if named else f"[{self._format_slot_name(part.name)}]"

    def say_operand(self, expr: ast.Expr, op: str = "", is_last: bool = False) -> str:
        """Return a value within a longer phrase, in parentheses if it would be ambiguous without.

        ``op`` is the operator around it, or :data:`AMONG`. ``is_last`` says whether it is the last operand.
        """
        if isinstance(expr, ast.Binary):
            is_ambiguous_here = expr.op != ".." and needs_parentheses(expr.op, op, is_last)
        else:
            is_ambiguous_here = isinstance(expr, SELECTION_NODES | ast.IfExpr | ast.LetExpr) or (
                bool(op) and is_ambiguous(expr, op, is_last)
            )
        return f"({self.say_value(expr)})" if is_ambiguous_here else self.say_value(expr)

    def _describe_comprehension(self, expr: ast.Comprehension) -> str:
        if expr.function in LISTED:
            body = self.say_operand(expr.body).removeprefix("the ")
            return LISTED[expr.function].format(body=body, each=self._describe_items(expr))
        return f"whether {self.say_condition(expr)}"

    def _describe_reach(self, expr: ast.Reach) -> str:
        """Describe a reachability expression for use after “is”: its start, its steps and their limit."""
        within = "" if expr.bound is None else f", in at most {self.say_operand(expr.bound)} steps"
        onward = f"going on from each {humanise(expr.name)} to {self.say_operand(expr.body)}"
        return f"reached from {self.say_operand(expr.source)}, {onward}{within}"

    def _describe_region(self, name: str, expr: ast.Call) -> str:
        """Describe a connected component of a board, or the number of components."""
        arguments = [self.say_operand(a.value) for a in expr.args if a.name != "corners"]
        corners = " (a corner is enough)" if len(arguments) < len(expr.args) else ""
        if name == "groups" or len(arguments) < 2:
            return f"the number of parts of {arguments[0] if arguments else ''} that hang together{corners}"
        return f"those of {arguments[1]} that hang together with {arguments[0]}{corners}"

    def _describe_items(self, expr: ast.Comprehension) -> str:
        """Describe an item of a list, and an item of each further list."""
        first = self._describe_item(expr.name, expr.source, expr.condition)
        return " and ".join(
            [first, *(self._describe_item(each.name, each.source, each.condition) for each in expr.more)]
        )

    def _describe_item(self, name: str, source: ast.Expr, condition: ast.Expr | None) -> str:
        """Describe an item of a list for use after “each” or “some”.

        Examples are ``side``, ``player p`` and ``card of your hand for which …``.
        """
        self.introduce(name)
        word = humanise(name)
        kind = source.name if isinstance(source, ast.Name) else ""
        if kind in self._words.enums or kind in self._words.kinds or kind == "players":
            type = "player" if kind == "players" else kind
            wording = word if word == type.lower() else f"{type} {word}"
        else:
            wording = f"{word} of {self.say_operand(source)}"
        return f"{wording}{self._describe_restriction(condition, name)}"

    def _describe_restriction(self, condition: ast.Expr | None, name: str, is_plural: bool = False) -> str:
        """Return the condition on a named item as a relative clause. With ``is_plural``, it is in the plural."""
        if condition is None:
            return ""
        with self._refer_as_it(name, condition):
            return self._make_clause(condition, is_plural)

    def describe_choice_vars(self, variables: Iterable[ast.ChoiceVar]) -> str:
        """Return the variables of a choice, each with its domain: “n from 1 to 3 and a card from your hand”."""
        return join_items(map(self._describe_choice_var, variables))

    @staticmethod
    def add_article(name: str) -> str:
        """Return a name with the indefinite article: “a target”. Letters and pronouns stay the same."""
        return with_article(humanise(name)) if len(name) > 1 and name not in PRONOUNS else name

    def _describe_choice_var(self, var: ast.ChoiceVar) -> str:
        domain, restriction = (self.describe_domain(var), self._describe_restriction(var.condition, var.name))
        self.introduce(var.name)
        secretly, unseen = "secretly " if var.secret else "", ", unseen," if var.unseen else ""
        wording = f"{secretly}{self.add_article(var.name)}{unseen}"
        return (
            f"{wording} from {domain}{restriction}"
            if restriction.startswith(" for ")
            else f"{wording}{restriction} from {domain}"
        )

    def describe_domain(self, var: ast.ChoiceVar) -> str:
        """Return the domain of a choice in words, such as “1 to 3” or “the cards in your hand”.

        An enum gives its values, or “every NAME” if there are many. A conditional domain stands in parentheses.
        """
        if isinstance(var.domain, ast.Name) and var.domain.name in self._words.enums:
            return self.say_value(var.domain)
        wording = (
            f"({self.say_value(var.domain)})" if isinstance(var.domain, ast.IfExpr) else self._say_plural(var.domain)
        )
        return (
            f"the {wording}"
            if wording.startswith(tuple(f"{self._words.get_plural(k)} in " for k in self._words.kinds))
            else wording
        )

    # ------------------------------------------------------------ names and places

    def _describe_access(self, expr: ast.Expr) -> str:
        """Return the words for a name, a member, an index or a call."""
        match expr:
            case ast.Name(name=name):
                return self._describe_name(name)
            case ast.Member(subject=ast.Name(name=enum), name=name) if enum in self._words.enums:
                return self._describe_name(name)
            case ast.Member(subject=subject, name=name):
                pool = self._find_pool(subject)
                if pool is not None and name in self._words.values:
                    return f"the number of {self._describe_counter(name)} in {self.say_value(subject)}"
                if (wording := self._describe_space_member(subject, name, ())) is not None:
                    return wording
                if name == "originals" and isinstance(subject, ast.Name):
                    return describe_builtin(MEMBERS[name], [subject.name])
                if name in MEMBERS and name not in self._words.places:
                    return describe_builtin(MEMBERS[name], [self.say_operand(subject)])
            case ast.Call(callee=ast.Name(name=name), args=[column, row]) if name in self._words.enums:
                coordinates = self.say_operand(column.value), self.say_operand(row.value)
                return f"the {name} in column {coordinates[0]} and row {coordinates[1]}"
            case ast.Call(callee=ast.Name(name="count"), args=[ast.Argument(value=argument)]):
                return f"the number of {self._say_plural(argument)}"
            case ast.Call(callee=ast.Name(name=name), args=[ast.Argument(value=ast.Where() as argument)]) if (
                name in FUNCTIONS
            ):
                return describe_builtin(FUNCTIONS[name], [self.say_value(argument)])
            case ast.Call(callee=ast.Name(name="at" | "cycle" as name), args=[items, place]):
                return self._describe_position(items.value, place.value, goes_round=name == "cycle")
            case ast.Call(callee=ast.Name(name=name), args=args) if name in FUNCTIONS:
                return describe_builtin(
                    FUNCTIONS[name], [self.say_operand(a.value, AMONG if len(args) > 1 else "") for a in args]
                )
            case ast.Call(callee=ast.Member(subject=subject, name=name), args=args) if (
                wording := self._describe_space_member(subject, name, args)
            ) is not None:
                return wording
            case ast.Call(callee=ast.Member(subject=subject, name=name), args=args) if name in MEMBERS:
                return describe_builtin(
                    MEMBERS[name], [self.say_operand(subject), *(self.say_operand(a.value) for a in args)]
                )
            case ast.Index(subject=subject, indices=indices):
                pool = self._find_pool(subject)
                if pool is not None and len(indices) > len(pool.per) - is_per_player(pool):
                    where = self._describe_place(subject, indices[:-1])
                    return f"the number of {self._describe_counter_kind(indices[-1])} in {where}"
        return self._describe_place(expr)

    def _describe_space_member(self, subject: ast.Expr, name: str, args: Iterable[ast.Argument]) -> str | None:
        """Describe a member of a space, if the ruleset has boards. A declaration of that name takes precedence."""
        if not self._words.ruleset.boards or name in self._words.places:
            return None
        return describe_space_member(name, self.say_operand(subject), [self.say_operand(a.value) for a in args])

    def _describe_position(self, items: ast.Expr, place: ast.Expr, goes_round: bool) -> str:
        """Describe an item of a list by its position. Rules count from 0, and the text counts from 1."""
        match place:
            case ast.IntLit(value=number):
                wording = str(number + 1)
            case ast.Binary(op="-", left=left, right=ast.IntLit(value=1)):
                wording = self.say_operand(left, AMONG)
            case ast.Call(callee=ast.Name(name="index"), args=[others, item]):
                beside = f"{self.say_operand(item.value)} stands in {self.say_operand(others.value, AMONG)}"
                return f"what stands in {self.say_operand(items, AMONG)} where {beside}"
            case _:
                wording = f"({self.say_operand(place, '+')} + 1)"
        source = f"{self.say_operand(items, AMONG)}{', which goes round' if goes_round else ''}"
        if wording.startswith(("the ", "your ")):
            return f"the one of {source} whose number is {wording}"
        return f"number {wording} of {source}"

    def _describe_name(self, name: str) -> str:
        words = self._words
        if name in self._persons:
            return self._persons[name]
        if name in self._introduced_names:
            return f"the {humanise(name)}"
        if name in words.places:
            return self._describe_place(ast.Name(NOWHERE, name))
        if name in words.values:
            return words.name_value(words.values[name])
        if name in words.options:
            return f"the option “{humanise(name)}”"
        if name in words.cards:
            return words.name_card(words.cards[name])
        if name in words.enums or name in words.kinds:
            return words.describe_values(name)
        return humanise(name)

    def _find_pool(self, expr: ast.Expr) -> model.ZoneDecl | None:
        """Return the pool of counters that an expression reads, or None."""
        name = get_accessed_name(expr)
        decl = self._words.places.get(name) if name else None
        holds_counters = isinstance(decl, model.ZoneDecl) and decl.holds.text in self._words.enums
        return decl if isinstance(decl, model.ZoneDecl) and holds_counters else None

    def _describe_place(self, expr: ast.Expr, indices: tuple[ast.Expr, ...] = ()) -> str:
        """Return a place or query with its owner, indices and arguments: ``your gear of the left side``."""
        owner, name, arguments = split_access(expr)
        all_arguments = (*arguments, *indices)
        if (phrase := self._fill_author_phrase(owner, name, all_arguments)) is not None:
            return phrase
        decl = self._words.places.get(name)
        label = self._words.name_place(decl) if decl is not None else humanise(name)
        suffix = f" of {join_items(map(self.say_operand, all_arguments))}" if all_arguments else ""
        leads_on = label.rpartition(" ")[2] in PREPOSITIONS
        if len(all_arguments) == 1 and leads_on:
            suffix = f" {self.say_operand(all_arguments[0])}"
            label = label if isinstance(decl, model.QueryDecl) else f"“{label}” of"
        elif all_arguments and isinstance(decl, model.QueryDecl):
            suffix = f" ({', '.join(map(self.say_value, all_arguments))})"
        if owner is None and decl is not None and not is_per_player(decl):
            return f"the {label}{suffix}"
        owner_text = "you" if owner is None else self.say_operand(owner)
        if owner_text in ("you", "it"):
            return f"{'your' if owner_text == 'you' else 'its'} {label}{suffix}"
        is_short = " " not in owner_text or (owner_text.startswith("the ") and owner_text.count(" ") == 1)
        return f"{owner_text}’s {label}{suffix}" if is_short else f"the {label}{suffix} of {owner_text}"

    def _fill_author_phrase(
        self, owner: ast.Expr | None, name: str, arguments: tuple[ast.Expr, ...], holds: bool = True
    ) -> str | None:
        """Return a query or variable in the author's phrase, or None if it has none."""
        decl: model.QueryDecl | model.VariableDecl | model.SpanDecl | model.MemberQueryDecl | None
        match self._words.places.get(name):
            case model.QueryDecl() as decl:
                names = [param.text for param, _ in decl.params]
            case model.SpanDecl() as decl:
                names = []
            case model.VariableDecl() as decl:
                names = [get_index_name(dim) for dim in decl.per[is_per_player(decl) :]]
            case _:
                decl = self._words.members.get(name) if owner is not None else None
                names = [param.text for param, _ in decl.params] if decl is not None else []
        if decl is None or decl.phrase is None:
            return None
        if len(names) == len(arguments) == 1 and decl.phrase.text.strip() == f"{{{names[0]}}}":
            return self._say_plural(arguments[0])
        wordings = dict(zip(names, map(self.describe_argument, arguments), strict=False))
        wordings["me"] = "you"
        wordings["this" if isinstance(decl, model.MemberQueryDecl) else "me"] = (
            "you" if owner is None else self.say_operand(owner)
        )
        return fill_phrase(decl.phrase, wordings, holds)

    def describe_argument(self, expr: ast.Expr) -> str:
        """Return the words for an argument.

        For a zone, they describe the cards that it holds, with “the”. For other values they are those of
        :meth:`say_operand`.
        """
        several, wording = self._say_plural(expr), self.say_operand(expr)
        return wording if several == wording or isinstance(expr, ast.Where) else f"the {several}"

    def _format_slot_name(self, name: str) -> str:
        """Return the words for a name within a text."""
        return humanise(name) if name in self._introduced_names else self._describe_name(name)

    def _describe_counter_kind(self, expr: ast.Expr, is_plural: bool = True) -> str:
        return self._describe_counter(expr.name, is_plural) if isinstance(expr, ast.Name) else self.say_operand(expr)

    def _describe_counter(self, name: str, is_plural: bool = True) -> str:
        value = self._words.values.get(name)
        return humanise(name) if value is None else self._words.name_value(value, is_plural)

    # ------------------------------------------------------------ conditions

    def say_condition(self, expr: ast.Expr, holds: bool = True) -> str:
        """Return a condition, or its opposite if ``holds`` is False, as a clause: “the heap is more than 2”.

        The opposite of “or” is “and” of the opposites. A constant gives “always” or “never”, an option “the option “…”
        is on” or “off”. Alternatives of ``if`` are in parentheses.
        """
        match expr:
            case ast.Unary(op="not", operand=operand):
                return self.say_condition(operand, not holds)
            case ast.BoolLit(value=flag):
                return "always" if flag is holds else "never"
            case ast.Binary(op="or" | "and" as op, left=left, right=right):
                word = op if holds else {"or": "and", "and": "or"}[op]
                return f" {word} ".join(self._say_clause(side, word, holds) for side in (left, right))
            case ast.Binary(
                op="=" | "!=" as op, left=ast.Member(subject=card, name="original"), right=ast.Name(name=name)
            ) if name in self._words.cards:
                label = self.say_operand(expr.right)
                article = "an" if label[:1].lower() in set("aeiou") else "a"
                return f"{self.say_operand(card)} {COMPARED[op][0 if holds else 1]} {article} {label}"
            case ast.Binary(
                op="in" | "not in" as op, left=ast.Name(name=name) as left, right=ast.Member() as right
            ) if name in self._words.values and name not in self._introduced_names:
                does_include = (op == "in") is holds
                is_plural = right.name.endswith("s") and not right.name.endswith("ss")
                verb = (
                    ("include" if is_plural else "includes")
                    if does_include
                    else f"{'do' if is_plural else 'does'} not include"
                )
                return f"{self.say_operand(right)} {verb} {self.say_value(left)}"
            case ast.Binary(op=op, left=left, right=right) if op in COMPARED:
                comparison = COMPARED[op][0 if holds else 1]
                if isinstance(left, ast.Name) and left.name == "me":
                    comparison = comparison.replace("is", "are", 1)
                return f"{self.say_operand(left)} {comparison} {self.say_operand(right)}"
            case ast.IsEmpty(subject=subject, negated=negated):
                return f"{self.say_operand(subject)} is {'not ' if negated is holds else ''}empty"
            case ast.LiesIn(card=card, zone=zone, negated=negated):
                decl = self._words.places.get(zone)
                zone_name = humanise(zone) if decl is None else self._words.name_place(decl)
                lies = "lies" if holds is not negated else "does not lie"
                return f"{self.say_operand(card)} {lies} in any {zone_name}"
            case ast.IsCopy(card=card, name=name, negated=negated):
                label = self._describe_name(name)
                article = "an" if label[:1].lower() in set("aeiou") else "a"
                return f"{self.say_operand(card)} is {'' if holds is not negated else 'not '}{article} {label}"
            case ast.HasAction():
                return self._say_action_test(expr, holds)
            case ast.Comprehension(function="any" | "all"):
                return self._describe_quantifier(expr, holds)
            case ast.IfExpr(condition=condition, then=then, otherwise=otherwise):
                first, second = (self.say_condition(then, holds), self.say_condition(otherwise, holds))
                return f"({first} if {self.say_condition(condition)}, otherwise {second})"
            case ast.Name(name=name) if name in self._words.options:
                return f"the option “{humanise(name)}” is {'on' if holds else 'off'}"
        if isinstance(expr, ast.LetExpr):
            body, value = self.say_condition(expr.body, holds), self.say_operand(expr.value, AMONG)
            return f"{body}, where {humanise(expr.name)} is {value}"
        return self._describe_truth(expr, holds)

    def _say_action_test(self, expr: ast.HasAction, holds: bool) -> str:
        """Return the clause for a test of an action or keyword: “this card has “Guard””."""
        card, name = self.say_operand(expr.card), f"“{humanise(expr.action)}”"
        if expr.now:
            return f"you {'can' if holds else 'can’t'} use {name} of {card}"
        keyword = self._words.keywords.get(expr.action)
        name = name if keyword is None else self._words.name_keyword(keyword)
        return f"{card} {'has' if holds else 'does not have'} {name}"

    def _say_clause(self, expr: ast.Expr, word: str, holds: bool) -> str:
        inner, truth = expr, holds
        while isinstance(inner, ast.Unary) and inner.op == "not":
            inner, truth = inner.operand, not truth
        mixed = isinstance(inner, ast.Binary) and inner.op in ("or", "and") and (inner.op == word) is not truth
        open_ended = isinstance(inner, ast.Comprehension) and inner.function in ("any", "all")
        return f"({self.say_condition(expr, holds)})" if mixed or open_ended else self.say_condition(expr, holds)

    def _describe_quantifier(self, expr: ast.Comprehension, holds: bool) -> str:
        some = {("any", True): "for some", ("any", False): "for no", ("all", True): "for every"}
        quantity = some.get((expr.function, holds), "not for every")
        return f"{quantity} {self._describe_items(expr)}, {self.say_condition(expr.body)}"

    def _describe_truth(self, expr: ast.Expr, holds: bool) -> str:
        """Describe a Bool variable, query or local that is true or false."""
        owner, name, arguments = split_access(expr)
        if (phrase := self._fill_author_phrase(owner, name, arguments, holds)) is not None:
            return phrase
        decl = self._words.places.get(name)
        label = self._words.name_place(decl) if decl is not None else humanise(name)
        suffix = f" ({', '.join(map(self.say_value, arguments))})" if arguments else ""
        of_you = owner is None and decl is not None and is_per_player(decl)
        owner_text = " for you" if of_you else f" for {self.say_operand(owner)}" if owner is not None else ""
        return f"“{label}”{suffix} {'holds' if holds else 'does not hold'}{owner_text}"
