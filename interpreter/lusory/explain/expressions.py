"""Translate expressions and conditions to English.

Example: ``(heap + 1) * 2`` becomes “(the heap + 1) × 2”, and the condition ``not (heap > 2)`` becomes “the heap is at
most 2”. Names are those of :class:`lusory.explain.declaration_names_and_lookup.Vocabulary`, and phrases those of
the author.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeGuard

from lusory_dsl.checker.view_section import get_index_name
from lusory_dsl.core.board_geometry import DIRECTIONS
from lusory_dsl.ruleset import model
from lusory_dsl.source.source import NOWHERE, humanise, join_items, prepend_article, prepend_the
from lusory_dsl.syntax import ast
from lusory_dsl.syntax.keywords_operators_and_mistaken_words import BINARY, COLLECTION, PRODUCT
from lusory_dsl.types.builtin_functions_members_and_statements import FUNCTIONS, MEMBERS, SPACE_MEMBERS

from .declaration_names_and_lookup import PERSONS, PREPOSITIONS, NamedDecl, Vocabulary, format_type_name
from .expression_structure_relative_clauses_and_amounts import (
    describe_amount,
    describe_builtin,
    get_accessed_name,
    is_inequality,
    is_named,
    is_plain_filter,
    iterate_scopes,
    make_relative,
    make_relative_clause,
    split_access,
    split_conjunction,
)
from .phrase_filling_and_negation import fill_phrase, pluralize

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

OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}

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


def _needs_parentheses(inner: str, outer: str, is_last: bool) -> bool:
    """Return whether an operand with an operator needs parentheses.

    ``inner`` is its operator, and ``outer`` the operator around it, "" or :data:`AMONG`, inside which it always needs
    them. So it does if either operator is ``mod`` or ``intersect``. ``is_last``: it is the right operand. Examples:
    ``+`` inside ``*`` needs them, ``*`` inside ``+`` doesn't, and ``-`` inside ``-`` only on the right.
    """
    if outer in ("", AMONG) or inner in OUTSIDE or outer in OUTSIDE:
        return True
    if BINARY[inner] != BINARY[outer]:
        return BINARY[inner] < BINARY[outer]
    return is_last or (BINARY[inner] == COLLECTION and (inner, outer) != ("union", "union"))


def _is_ambiguous(expr: ast.Expr, op: str, is_last: bool) -> bool:
    """Return whether an operand without an operator of its own needs parentheses beside ``op``.

    It does if it would absorb the following words, or be split. Examples are a comprehension, a function of several
    arguments, a list of several items, and a negative number on the right or in a product. ``is_last`` says that it is
    the right operand. The ends of a range never need parentheses.
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
            return len(args) > 1 or any(isinstance(arg.value, absorbing_nodes) for arg in args)
        case ast.ListLit(items=items):
            return len(items) > 1 and op != "except"
    return False


def is_per_player(decl: NamedDecl) -> bool:
    """Return whether a declaration exists once for each player: a player's query, or ``Player`` as first index."""
    if isinstance(decl, model.QueryDecl | model.SpanDecl):
        return decl.is_per_player
    return bool(decl.per) and decl.per[0].text == "Player"


POSSESSIVES = {"you": "your", "it": "its", "them": "their"}

PRONOUNS = ("who", "whom", "whose", "what", "which", "mine", "yours", "theirs", "other", "others")
"""Names that take no article, because “a whom” is not English."""

PLAYERS = "players"
"""The name of the list of all players."""

SELECTION_NODES = ast.Where | ast.AsLong | ast.WithKey | ast.Sorted
"""Type of the nodes that select from a list."""


class ExpressionText:
    """Translate values and conditions to English, for the names of one ruleset.

    Names that a text introduced get the definite article: “the target”.
    """

    def __init__(self, vocabulary: Vocabulary, card_name: str = PERSONS["this"]) -> None:
        """Prepare translations. ``card_name`` is the name of the card whose text is translated."""
        self._words = vocabulary
        self._persons = {**PERSONS, "this": card_name}
        self._introduced_names: set[str] = set()
        self._named_items: tuple[str, ...] = ()
        self._is_holder_addressed = False

    @contextmanager
    def address_holder(self, actor: str) -> Iterator[None]:
        """Address the holder of the card as “you” within a ``with`` block: ``this.holder`` reads “you”.

        ``actor`` is the wording of ``me`` there: “that player”, or “you” if ``me`` is the holder. The wording of before
        returns at the end of the block, also after an exception.
        """
        outer_state = self._persons, self._is_holder_addressed
        self._persons, self._is_holder_addressed = {**self._persons, "me": actor}, True
        try:
            yield
        finally:
            self._persons, self._is_holder_addressed = outer_state

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
        """Refer to a name as “it” within the context, unless a reader could take “it” for something else.

        That is so if the condition uses ``it`` itself, or compares the item with an item of another list. Yield whether
        the name is “it”.
        """
        is_unclear = (
            is_named("it", condition)
            or is_named(name, *iterate_scopes(condition))
            or any(is_named(item, condition) for item in self._named_items)
        )
        outer_state = self._persons, self._named_items
        if is_unclear:
            self._named_items = (*self._named_items, name)
        else:
            self._persons = {**self._persons, name: PERSONS["it"]}
        yield not is_unclear
        self._persons, self._named_items = outer_state

    # ------------------------------------------------------------ values

    def say_value(self, expr: ast.Expr) -> str:
        """Return the words for a value: “the heap + 1”.

        A condition becomes “whether …”, but ``true`` and ``false`` stay. ``none`` and an empty list become “nothing”,
        and a list “a, b and c”. Texts are in quotation marks. ``if c then a else b`` becomes “a if c, otherwise b”, and
        a ``let`` “…, where NAME is …”. Its name has no article from then on.
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
            case ast.Index(subject=ast.Reach() as reach, indices=(target,)):
                return f"the number of steps in which {self.say_value(target)} is {self._describe_reach(reach)}"
            case ast.Name() | ast.Member() | ast.Index() | ast.Call():
                return self._describe_access(expr)
        return f"whether {self.say_condition(expr)}"

    def _say_plural(self, expr: ast.Expr) -> str:
        """Return the words for counted things: cards in a zone, values of a type, or items of a list."""
        if isinstance(expr, ast.Where):
            return self._describe_selection(expr)
        if self._is_type(expr):
            return self._words.plurals.get(expr.name) or pluralize(expr.name)
        head = get_accessed_name(expr)
        decl = self._words.places.get(head) if head else None
        wording = self.say_operand(expr)
        if not isinstance(decl, model.ZoneDecl) or decl.holds.text not in self._words.kinds:
            return wording
        plural = self._words.get_plural(decl.holds.text)
        return wording if plural.split()[-1] in wording.lower().split() else f"{plural} in {wording}"

    def _is_type(self, expr: ast.Expr) -> TypeGuard[ast.Name]:
        """Return whether an expression is the name of an enum or a component kind."""
        return isinstance(expr, ast.Name) and expr.name in self._words.enums.keys() | self._words.kinds

    def _describe_source(self, expr: ast.Expr, item: ast.Item | None = None) -> str:
        """Return the words for the type or list of a selection, with the name of its items if there is one."""
        wording = f"every {expr.name}" if self._is_type(expr) else self._say_plural(expr)
        return wording if item is None else f"{wording} ({humanise(item.name)})"

    def _describe_selection(self, expr: ast.Where) -> str:
        """Describe the items of a list for which a condition holds."""
        name = "it" if expr.item is None else expr.item.name
        if is_named(PLAYERS, expr.source) and isinstance(expr.source, ast.Name):
            return self._describe_players(expr.condition, name, "all players", "all other players", is_plural=True)
        source = self._say_plural(expr.source)
        if expr.item is None:
            return f"{source}{self._make_clause(expr.condition, is_plural=True)}"
        with self._refer_as_it(name, expr.condition) as is_it:
            wording = self._make_clause(expr.condition, is_plural=True)
        return f"{source if is_it else f'{source} ({humanise(name)})'}{wording}"

    def _describe_players(
        self, condition: ast.Expr | None, name: str, noun_for_all: str, noun_for_others: str, is_plural: bool = False
    ) -> str:
        """Describe the players for whom a condition on ``name`` holds: “another player whose hand is empty”.

        The words are ``noun_for_others`` if the condition leaves out ``me``, and else ``noun_for_all``.
        """
        parts = split_conjunction(condition)
        conditions = [part for part in parts if not is_inequality(part, name, "me")]
        noun = noun_for_all if len(conditions) == len(parts) else noun_for_others
        if condition is None or not conditions:
            return noun
        joint = conditions[0]
        for part in conditions[1:]:
            joint = ast.Binary(part.span, "and", joint, part)
        if name == "it":
            return f"{noun}{self._make_player_clause(joint, name, is_plural)}"
        with self._refer_as_it(name, joint) as is_it:
            clause = self._make_player_clause(joint, name, is_plural) if is_it else self._make_clause(joint, is_plural)
        return f"{noun if is_it else f'{noun} ({humanise(name)})'}{clause.replace(' for which ', ' for whom ', 1)}"

    def _make_player_clause(self, condition: ast.Expr, name: str, is_plural: bool) -> str:
        """Return a condition on a player called “it” as relative clauses: “ who is lucky and whose hand is empty”."""
        word, parts = self._split_clauses(condition)
        relatives = []
        for part in parts:
            relative = make_relative(self.say_part(part, word), "who", is_plural)
            if relative is None:
                outer_persons, self._persons = self._persons, {**self._persons, name: "them"}
                relative = f"for whom {self.say_part(part, word)}"
                self._persons = outer_persons
            relatives.append(relative)
        return f" {f' {word} '.join(relatives)}"

    @staticmethod
    def _split_clauses(condition: ast.Expr) -> tuple[str, list[ast.Expr]]:
        """Return ``and`` or ``or`` and the parts that it joins, or "" and the condition itself."""
        word = condition.op if isinstance(condition, ast.Binary) and condition.op in ("and", "or") else ""
        parts = [condition]
        while word and isinstance(first := parts[0], ast.Binary) and first.op == word:
            parts[:1] = [first.left, first.right]
        return word, parts

    def say_part(self, part: ast.Expr, word: str) -> str:
        """Return a part of a condition in words. ``word`` joins the parts, and is "" for a condition of one part.

        With ``word``, a chain of the other word, an ``any`` and an ``all`` are in parentheses.
        """
        return self._say_clause(part, word, True) if word else self.say_condition(part)

    def _make_clause(self, condition: ast.Expr, is_plural: bool) -> str:
        """Return a condition on “it” as a relative clause behind a blank: “ whose cost is at most 2”."""
        word, parts = self._split_clauses(condition)
        return make_relative_clause([self.say_part(part, word) for part in parts], word, is_plural)

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
        if part.name == "this" and self._persons["this"] != PERSONS["this"]:
            return self._describe_name(part.name)
        is_introduced = part.name in self._introduced_names
        return f"[{humanise(part.name) if is_introduced else self._describe_name(part.name)}]"

    def say_operand(self, expr: ast.Expr, op: str = "", is_last: bool = False) -> str:
        """Return a value within a longer phrase, in parentheses if it would be ambiguous without.

        ``op`` is the operator around it, or :data:`AMONG`. Without ``op``, an expression with an operator other than
        ``..`` is always in parentheses. ``is_last`` says whether it is the last operand.
        """
        if isinstance(expr, ast.Binary):
            is_ambiguous_here = expr.op != ".." and _needs_parentheses(expr.op, op, is_last)
        else:
            is_ambiguous_here = isinstance(expr, SELECTION_NODES | ast.IfExpr | ast.LetExpr) or (
                bool(op) and _is_ambiguous(expr, op, is_last)
            )
        return f"({self.say_value(expr)})" if is_ambiguous_here else self.say_value(expr)

    def _describe_comprehension(self, expr: ast.Comprehension) -> str:
        if expr.function == "count" and is_plain_filter(expr) and not self._is_type(expr.source):
            source = expr.source
            if expr.condition is not None:
                source = ast.Where(expr.span, source, ast.Item(expr.name_span, expr.name), expr.condition)
            return f"the number of {self._say_plural(source).removeprefix('all ')}"
        if expr.function in LISTED:
            body = self.say_operand(expr.body).removeprefix("the ")
            return LISTED[expr.function].format(body=body, each=self._describe_items(expr))
        return f"whether {self.say_condition(expr)}"

    def _describe_reach(self, expr: ast.Reach) -> str:
        """Describe a reachability expression for use after “is”: its start, its steps and their limit."""
        limit = "" if expr.bound is None else f", in at most {self.say_operand(expr.bound)} steps"
        steps = f"going on from each {humanise(expr.name)} to {self.say_operand(expr.body)}"
        return f"reached from {self.say_operand(expr.source)}, {steps}{limit}"

    def _describe_region(self, name: str, expr: ast.Call) -> str:
        """Describe a connected component of a board, or the number of components."""
        arguments = [self.say_operand(arg.value) for arg in expr.args if arg.name != "corners"]
        corners = " (a corner is enough)" if len(arguments) < len(expr.args) else ""
        if name == "groups" or len(arguments) < 2:
            return f"the number of parts of {arguments[0] if arguments else ''} that hang together{corners}"
        return f"those of {arguments[1]} that hang together with {arguments[0]}{corners}"

    def _describe_items(self, expr: ast.Comprehension) -> str:
        """Describe an item of a list, and an item of each further list."""
        first = self._describe_item(expr.name, expr.source, expr.condition)
        return " and ".join(
            [first, *(self._describe_item(loop.name, loop.source, loop.condition) for loop in expr.more)]
        )

    def _describe_item(self, name: str, source: ast.Expr, condition: ast.Expr | None) -> str:
        """Describe an item of a list for use after “each” or “some”.

        Examples are ``side``, ``player p`` and ``card of your hand for which …``.
        """
        self.introduce(name)
        word = humanise(name)
        kind = source.name if isinstance(source, ast.Name) else ""
        if kind == PLAYERS:
            label = "" if word == "player" else f" {word}"
            return self._describe_players(condition, name, f"player{label}", f"other player{label}")
        if kind in self._words.enums or kind in self._words.kinds:
            wording = word if word == kind.lower() else f"{kind} {word}"
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
        """Return the variables of a choice, each with its domain: “n from 1 to 3 and a card from the cards in your
        hand”.

        From then on, “the card” refers to such a variable.
        """
        return join_items(map(self._describe_choice_var, variables))

    @staticmethod
    def add_article(name: str) -> str:
        """Return a name with the indefinite article: “a target”. Letters and pronouns stay the same."""
        return prepend_article(humanise(name)) if len(name) > 1 and name not in PRONOUNS else name

    def _describe_choice_var(self, var: ast.ChoiceVar) -> str:
        """Return the words for one choice, “a card from the cards in your hand”, and say “the card” from then on."""
        if isinstance(var.domain, ast.Name) and var.domain.name == PLAYERS and not var.is_unseen:
            players = self._describe_players(var.condition, var.name, "a player", "another player")
            self.introduce(var.name)
            secretly, name = "secretly " if var.is_secret else "", self.add_article(var.name)
            if name == var.name:
                return f"{secretly}{players} (called {name})"
            return f"{secretly}{players}" if var.name == "player" else f"{secretly}{name}, {players}"
        domain, restriction = (self.describe_domain(var), self._describe_restriction(var.condition, var.name))
        self.introduce(var.name)
        secretly, note = "secretly " if var.is_secret else "", ", unseen," if var.is_unseen else ""
        wording = f"{secretly}{self.add_article(var.name)}{note}"
        return (
            f"{wording} from {domain}{restriction}"
            if restriction.startswith(" for ")
            else f"{wording}{restriction} from {domain}"
        )

    def describe_domain(self, var: ast.ChoiceVar) -> str:
        """Return the domain of a choice in words, such as “1 to 3” or “the cards in your hand”.

        An enum gives the labels of its values, or their names as words: “Red, green and sky blue”. With more than
        ``MAX_LISTED`` (5) values, it is “every NAME”, with the name as in the rules: “every BigEnum”. A board gives
        “every NAME”, a component kind its plural, such as “Cards”, and ``players`` “all players”. A domain ``if … then
        … else …`` stands in parentheses. ``var.condition`` is left out.
        """
        if isinstance(var.domain, ast.Name) and var.domain.name in self._words.enums:
            return self.say_value(var.domain)
        wording = (
            f"({self.say_value(var.domain)})" if isinstance(var.domain, ast.IfExpr) else self._say_plural(var.domain)
        )
        return (
            f"the {wording}"
            if wording.startswith(tuple(f"{self._words.get_plural(kind)} in " for kind in self._words.kinds))
            else wording
        )

    # ------------------------------------------------------------ names and places

    def _describe_access(self, expr: ast.Expr) -> str:
        """Return the words for a name, a member, an index or a call.

        An expression that fits no special form is described as a place.
        """
        match expr:
            case ast.Name(name=name):
                return self._describe_name(name)
            case ast.Member(subject=ast.Name(name=enum), name=name) if enum in self._words.enums:
                return self._describe_name(name)
            case ast.Member(subject=subject, name=name):
                pool = self._find_pool(subject)
                if pool is not None and name in self._words.values:
                    return f"the number of {self.describe_counter(name)} in {self.say_value(subject)}"
                if (wording := self._describe_space_member(subject, name, ())) is not None:
                    return wording
                if self._is_holder_addressed and name == "holder" and is_named("this", subject):
                    return "you"
                if name in ("top", "bottom") and (kind := self._find_kind(subject)) is not None:
                    zone, noun = self.say_operand(subject), format_type_name(kind).lower()
                    return f"the {name} of {zone}" if noun in zone.lower().split() else f"the {name} {noun} of {zone}"
                if name == "originals" and isinstance(subject, ast.Name):
                    return describe_builtin(MEMBERS[name], [subject.name])
                if name in MEMBERS and name not in self._words.places:
                    return describe_builtin(MEMBERS[name], [self.say_operand(subject)])
            case ast.Call(callee=ast.Name(name=name), args=[column, row]) if name in self._words.enums:
                coordinates = self.say_operand(column.value), self.say_operand(row.value)
                return f"the {name} in column {coordinates[0]} and row {coordinates[1]}"
            case ast.Call(callee=ast.Name(name="count"), args=[ast.Argument(value=argument)]):
                return f"the number of {self._say_plural(argument).removeprefix('all ')}"
            case ast.Call(callee=ast.Name(name="take"), args=[items, number]):
                return self._describe_taken(items.value, number.value)
            case ast.Call(callee=ast.Name(name=name), args=[ast.Argument(value=ast.Where() as argument)]) if (
                name in FUNCTIONS
            ):
                return describe_builtin(FUNCTIONS[name], [self.say_value(argument)])
            case ast.Call(callee=ast.Name(name="at" | "cycle" as name), args=[items, place]):
                return self._describe_position(items.value, place.value, is_cyclic=name == "cycle")
            case ast.Call(callee=ast.Name(name=name), args=args) if name in FUNCTIONS:
                return describe_builtin(
                    FUNCTIONS[name], [self.say_operand(arg.value, AMONG if len(args) > 1 else "") for arg in args]
                )
            case ast.Call(callee=ast.Member(subject=subject, name=name), args=args) if (
                wording := self._describe_space_member(subject, name, args)
            ) is not None:
                return wording
            case ast.Call(callee=ast.Member(subject=subject, name=name), args=args) if name in MEMBERS:
                return describe_builtin(
                    MEMBERS[name], [self.say_operand(subject), *(self.say_operand(arg.value) for arg in args)]
                )
            case ast.Index(subject=subject, indices=indices):
                pool = self._find_pool(subject)
                if pool is not None and len(indices) > len(pool.per) - is_per_player(pool):
                    pool_text = self._describe_place(subject, indices[:-1])
                    return f"the number of {self._describe_counter_kind(indices[-1])} in {pool_text}"
        return self._describe_place(expr)

    def _find_kind(self, expr: ast.Expr) -> str | None:
        """Return the kind of the components in the zone that an expression reads, or None if it reads no such zone."""
        decl = self._words.places.get(get_accessed_name(expr) or "")
        return decl.holds.text if isinstance(decl, model.ZoneDecl) and decl.holds.text in self._words.kinds else None

    def _describe_taken(self, items: ast.Expr, number: ast.Expr) -> str:
        """Describe the first items of a list: “the top card of the deck”, “the first 3 of the marks”."""
        is_one = isinstance(number, ast.IntLit) and number.value == 1
        kind = self._find_kind(items)
        if kind is None:
            words = self.say_operand(items, AMONG)
            return f"the first of {words}" if is_one else f"the first {self.say_operand(number, AMONG)} of {words}"
        zone, plural = self.say_operand(items), self._words.get_plural(kind)
        match number:
            case ast.IntLit(value=1):
                return f"the top {format_type_name(kind).lower()} of {zone}"
            case ast.IntLit() | ast.Name():
                return f"the top {self.say_operand(number).removeprefix('the ')} {plural} of {zone}"
            case ast.Call(callee=ast.Name(name="count"), args=[ast.Argument(value=counted_list)]):
                list_words = self._say_plural(counted_list).removeprefix("the ")
                return f"as many {plural} as there are {list_words} from the top of {zone}"
        return f"the top ({self.say_value(number)}) {plural} of {zone}"

    def _describe_space_member(self, owner: ast.Expr, name: str, arguments: Sequence[ast.Argument]) -> str | None:
        """Describe a member of a space, direction, line or seat: ``north`` of “it” is “the space north of it”.

        Return None for any other member, and without boards. A declaration of that name takes precedence.
        """
        if not self._words.ruleset.boards or name in self._words.places:
            return None
        subject, args = self.say_operand(owner), [self.say_operand(argument.value) for argument in arguments]
        if subject in DIRECTIONS and not args:
            return humanise(name)
        if name in DIRECTIONS["Compass"] + DIRECTIONS["Way"] and not args:
            return f"the space {humanise(name)} of {subject}"
        row = next((row for row in SPACE_MEMBERS if row.name == name and len(row.params) >= len(args)), None)
        if row is None:
            return None
        if name == "away" and len(args) == 1:
            return f"the space {args[0]} of {subject}"
        values = dict(zip((param for param, _ in row.params), args, strict=False))
        return row.text.format(subject=subject, **{param: values.get(param, "") for param, _ in row.params})

    def _describe_position(self, items: ast.Expr, place: ast.Expr, is_cyclic: bool) -> str:
        """Describe an item of a list by its position. Rules count from 0, and the text counts from 1."""
        match place:
            case ast.IntLit(value=number):
                wording = str(number + 1)
            case ast.Binary(op="-", left=left, right=ast.IntLit(value=1)):
                wording = self.say_operand(left, AMONG)
            case ast.Call(callee=ast.Name(name="index"), args=[other_list, item]):
                condition = f"{self.say_operand(item.value)} stands in {self.say_operand(other_list.value, AMONG)}"
                return f"what stands in {self.say_operand(items, AMONG)} where {condition}"
            case _:
                wording = f"({self.say_operand(place, '+')} + 1)"
        source = f"{self.say_operand(items, AMONG)}{', which goes round' if is_cyclic else ''}"
        if wording.startswith(("the ", "your ")):
            return f"the one of {source} whose number is {wording}"
        return f"number {wording} of {source}"

    def _describe_name(self, name: str) -> str:
        """Return the words for a name. Persons and names of the text take precedence over declared names."""
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
            return f"{prepend_the(label)}{suffix}"
        owner_text = self._persons["me"] if owner is None else self.say_operand(owner)
        if owner_text in POSSESSIVES:
            return f"{POSSESSIVES[owner_text]} {label}{suffix}"
        is_short = " " not in owner_text or (owner_text.startswith(("the ", "that ")) and owner_text.count(" ") == 1)
        return f"{owner_text}’s {label}{suffix}" if is_short else f"the {label}{suffix} of {owner_text}"

    def _fill_author_phrase(
        self, owner: ast.Expr | None, name: str, arguments: tuple[ast.Expr, ...], is_true: bool = True
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
        wordings["me"] = self._persons["me"]
        wordings["this" if isinstance(decl, model.MemberQueryDecl) else "me"] = (
            self._persons["me"] if owner is None else self.say_operand(owner)
        )
        return fill_phrase(decl.phrase.text, wordings, is_true)

    def describe_argument(self, expr: ast.Expr) -> str:
        """Return the words for an argument.

        A zone gives “the cards in the hand”, and an enum or component kind its plural with “the”. For other values,
        they are those of :meth:`say_operand`.
        """
        plural, wording = self._say_plural(expr), self.say_operand(expr)
        return wording if plural == wording or isinstance(expr, ast.Where) else f"the {plural}"

    def _describe_counter_kind(self, expr: ast.Expr, is_plural: bool = True) -> str:
        return self.describe_counter(expr.name, is_plural) if isinstance(expr, ast.Name) else self.say_operand(expr)

    def describe_counter(self, name: str, is_plural: bool = True) -> str:
        """Return a kind of counter in words: the label of its enum value, or else its name. It may be in the plural."""
        value = self._words.values.get(name)
        return humanise(name) if value is None else self._words.name_value(value, is_plural)

    # ------------------------------------------------------------ conditions

    def say_condition(self, expr: ast.Expr, is_true: bool = True) -> str:
        """Return a condition, or its opposite if ``is_true`` is False, as a clause: “the heap is more than 2”.

        Its opposite is “the heap is at most 2”. An “or” becomes an “and” of the opposites, and the other way round. One
        within the other is in brackets. A constant gives “always” or “never”, an option “the option “…” is on” or
        “off”, an ``if`` “(… if …, otherwise …)”. A Bool without a phrase by the author gives its name in quotation
        marks, with “holds” or “does not hold”.
        """
        match expr:
            case ast.Unary(op="not", operand=operand):
                return self.say_condition(operand, not is_true)
            case ast.BoolLit(value=flag):
                return "always" if flag is is_true else "never"
            case ast.Binary(op="or" | "and" as op, left=left, right=right):
                word = op if is_true else {"or": "and", "and": "or"}[op]
                return f" {word} ".join(self._say_clause(side, word, is_true) for side in (left, right))
            case ast.Binary(
                op="in" | "not in" as op, left=ast.Name(name=name) as left, right=ast.Member() as right
            ) if name in self._words.values and name not in self._introduced_names:
                does_include = (op == "in") is is_true
                is_plural = right.name.endswith("s") and not right.name.endswith("ss")
                verb = (
                    ("include" if is_plural else "includes")
                    if does_include
                    else f"{'do' if is_plural else 'does'} not include"
                )
                return f"{self.say_operand(right)} {verb} {self.say_value(left)}"
            case ast.Binary(op=op) if op in COMPARED:
                return self._say_comparison(expr, is_true)
            case ast.IsEmpty(subject=subject, is_negated=negated):
                return f"{self.say_operand(subject)} is {'not ' if negated is is_true else ''}empty"
            case ast.LiesIn(card=card, zone=zone, is_negated=negated):
                decl = self._words.places.get(zone)
                zone_name = humanise(zone) if decl is None else self._words.name_place(decl)
                lies = "lies" if is_true is not negated else "does not lie"
                return f"{self.say_operand(card)} {lies} in any {zone_name}"
            case ast.IsCopy(card=card, name=name, is_negated=negated):
                is_not = "is" if is_true is not negated else "is not"
                return f"{self.say_operand(card)} {is_not} {prepend_article(self._describe_name(name))}"
            case ast.HasAction():
                return self._say_action_test(expr, is_true)
            case ast.Comprehension(function="any" | "all"):
                quantities = {("any", True): "for some", ("any", False): "for no", ("all", True): "for every"}
                quantity = quantities.get((expr.function, is_true), "not for every")
                return f"{quantity} {self._describe_items(expr)}, {self.say_condition(expr.body)}"
            case ast.IfExpr(condition=condition, then=then, otherwise=otherwise):
                first, second = (self.say_condition(then, is_true), self.say_condition(otherwise, is_true))
                return f"({first} if {self.say_condition(condition)}, otherwise {second})"
            case ast.Name(name=name) if name in self._words.options:
                return f"the option “{humanise(name)}” is {'on' if is_true else 'off'}"
            case ast.LetExpr(name=name, value=value, body=body):
                wording = self.say_condition(body, is_true)
                return f"{wording}, where {humanise(name)} is {self.say_operand(value, AMONG)}"
        return self._describe_truth(expr, is_true)

    def _say_comparison(self, expr: ast.Binary, is_true: bool) -> str:
        """Return a comparison as a clause: “the heap is 3”, “your purse has a coin”, “you hold this card”."""
        left, right = expr.left, expr.right
        match left, right:
            case ast.Member(subject=card, name="original"), ast.Name(name=name) if (
                expr.op in ("=", "!=") and name in self._words.cards
            ):
                label = self.say_operand(right)
                return f"{self.say_operand(card)} {COMPARED[expr.op][0 if is_true else 1]} {prepend_article(label)}"
            case ast.Member(subject=first, name="holder"), ast.Member(subject=second, name="holder") if expr.op in (
                "=",
                "!=",
            ):
                cards = f"{self.say_operand(first)} and {self.say_operand(second)}"
                return f"{'the same player holds' if (expr.op == '=') is is_true else 'different players hold'} {cards}"
            case (_, ast.Member(subject=card, name="holder")) | (ast.Member(subject=card, name="holder"), _) if (
                expr.op in ("=", "!=") and not (self._is_holder_addressed and is_named("this", card))
            ):
                holder = right if isinstance(left, ast.Member) and left.name == "holder" else left
                return self._say_holding(holder, card, (expr.op == "=") is is_true)
            case _, ast.IntLit(value=number) if (count_words := self._split_count(left)) is not None:
                pool, counter, counters = count_words
                is_plural = pool.endswith("s") and not pool.endswith("ss")
                if amount := describe_amount(expr.op if is_true else OPPOSITE[expr.op], number, counter, counters):
                    return f"{pool} {'have' if is_plural else 'has'} {amount}"
            case _, ast.Name() | ast.Member() if expr.op in ("in", "not in") and self._find_kind(right) is not None:
                lies = "lies" if (expr.op == "in") is is_true else "does not lie"
                return f"{self.say_operand(left)} {lies} in {self.say_operand(right)}"
        subject, comparison = self.say_operand(left), COMPARED[expr.op][0 if is_true else 1]
        if subject == "you":
            comparison = comparison.replace("is", "are", 1)
        return f"{subject} {comparison} {self.say_operand(right)}"

    def _say_holding(self, holder: ast.Expr, card: ast.Expr, is_true: bool) -> str:
        """Return the clause that a player holds a card: “you hold this card”, “nobody holds this card”."""
        card_text = self.say_operand(card)
        if isinstance(holder, ast.NoneLit):
            return f"{'nobody' if is_true else 'somebody'} holds {card_text}"
        player = self.say_operand(holder)
        if player == "you":
            return f"you {'hold' if is_true else 'do not hold'} {card_text}"
        return f"{player} {'holds' if is_true else 'does not hold'} {card_text}"

    def _split_count(self, expr: ast.Expr) -> tuple[str, str, str] | None:
        """Return a pool, and one and several of the counters that an expression counts in it, or None."""
        match expr:
            case ast.Member(subject=subject, name=name) if name in self._words.values:
                pool = self._find_pool(subject)
                is_whole = pool is not None
            case ast.Index(subject=subject, indices=(ast.Name(name=name),)) if name in self._words.values:
                pool = self._find_pool(subject)
                is_whole = pool is not None and len(pool.per) == is_per_player(pool)
            case _:
                return None
        if not is_whole:
            return None
        return self.say_value(subject), self.describe_counter(name, False), self.describe_counter(name)

    def _say_action_test(self, expr: ast.HasAction, is_true: bool) -> str:
        """Return the clause for a test of an action or keyword: “this card has “Guard””."""
        card, name = self.say_operand(expr.card), f"“{humanise(expr.action)}”"
        if expr.is_usable:
            return f"{self._persons['me']} {'can' if is_true else 'can’t'} use {name} of {card}"
        keyword = self._words.keywords.get(expr.action)
        name = name if keyword is None else self._words.name_keyword(keyword)
        return f"{card} {'has' if is_true else 'does not have'} {name}"

    def _say_clause(self, expr: ast.Expr, word: str, is_true: bool) -> str:
        inner, holds = expr, is_true
        while isinstance(inner, ast.Unary) and inner.op == "not":
            inner, holds = inner.operand, not holds
        is_mixed = isinstance(inner, ast.Binary) and inner.op in ("or", "and") and (inner.op == word) is not holds
        is_open = isinstance(inner, ast.Comprehension) and inner.function in ("any", "all")
        return f"({self.say_condition(expr, is_true)})" if is_mixed or is_open else self.say_condition(expr, is_true)

    def _describe_truth(self, expr: ast.Expr, is_true: bool) -> str:
        """Describe a Bool variable, query or local that is true or false."""
        owner, name, arguments = split_access(expr)
        if (phrase := self._fill_author_phrase(owner, name, arguments, is_true)) is not None:
            return phrase
        decl = self._words.places.get(name)
        label = self._words.name_place(decl) if decl is not None else humanise(name)
        suffix = f" ({', '.join(map(self.say_value, arguments))})" if arguments else ""
        is_own = owner is None and decl is not None and is_per_player(decl)
        owner_text = (
            f" for {self._persons['me']}" if is_own else f" for {self.say_operand(owner)}" if owner is not None else ""
        )
        return f"“{label}”{suffix} {'holds' if is_true else 'does not hold'}{owner_text}"
