"""Say in sentences why a condition does not hold, and why a value is not in a list.

The words come from the author's phrases of queries and variables where there are any, and else from labels. Everything
is read as a seat sees the table; what it can't see gives no sentence. Each reason has the place of the condition in the
ruleset, so that an author finds a condition for which there are no words.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from lusory_dsl import core
from lusory_dsl.core.program_reads_and_value_bounds import collect_reads
from lusory_dsl.source.source import humanise, to_snake_case
from lusory_dsl.types.types import BoolType, ListType, PlayerType, is_integer_text

from ..evaluator.expressions import Reader, Slots, pad_slots
from ..state.decisions_outcomes_and_faults import Reason, RulesetFault
from ..state.events_redaction_and_text import format_counter_label, format_place_label
from ..state.setting_value_limits_builtins_and_names import Value, unwrap_list_type
from ..view.redacted_state import HiddenValue
from .declaration_names_and_lookup import PREPOSITIONS
from .phrase_filling_and_negation import fill_phrase, list_parameters, pluralize

NEEDS = "needs "
"""First word of a sentence about counters that are missing."""
MAX_SENTENCES = 4
"""Maximum number of sentences about one condition, and of values for which a reason is given."""
MAX_DEPTH = 3
"""Maximum number of levels of an expression that is described."""
MAX_DESCRIPTION_LENGTH = 120
"""Maximum number of characters of a description."""
LIMITS = {"<": "less than", "<=": "at most", ">": "more than", ">=": "at least"}
OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "=": "!=", "!=": "="}
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}
VERBS = {"=": "is", "!=": "is not", "in": "is among", **{op: f"is {limit}" for op, limit in LIMITS.items()}}
UNCHANGEABLE = (core.Const, core.OptionValue, core.Field, core.TableRead)
"""The expressions that no decision can change."""


class _NoWords(Exception):
    """Raised for an expression that has no words for players."""


class Explainer:
    """Explain conditions and lists on one position, which ``reader`` reads as a seat sees it.

    ``slots`` hold the local values that an expression reads.
    """

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.setting = reader.setting
        self.program = reader.program

    def is_true(self, condition: core.Expr, slots: Slots) -> bool | None:
        """Return whether a condition holds, or None if that is hidden or the rules fail in it."""
        try:
            return self.reader.holds(condition, slots)
        except (HiddenValue, RulesetFault):
            return None

    def _get_query_body(self, call: core.CallQuery, slots: Slots) -> tuple[core.Expr, Slots] | None:
        """Return the expression of a query and its local slots, the arguments first.

        Return None if rules modify its value. Raise HiddenValue or RulesetFault if an argument has no known value.
        """
        query = self.program.queries[call.query]
        if query.modifiers:
            return None
        args = [self.reader.evaluate(arg, slots) for arg in call.args]
        return query.value, pad_slots(args, query.n_slots)

    def resolve(self, expr: core.Expr, slots: Slots) -> tuple[core.Expr, Slots]:
        """Return the expression that gives the value of another, behind queries that no rule modifies and conditionals.

        Raise HiddenValue or RulesetFault if a condition or an argument of a query has no known value.
        """
        while True:
            match expr:
                case core.CallQuery() if (body := self._get_query_body(expr, slots)) is not None:
                    expr, slots = body
                case core.IfExpr(condition=condition, then=then, otherwise=otherwise):
                    expr = then if self.reader.holds(condition, slots) else otherwise
                case _:
                    return expr, slots

    # ------------------------------------------------------------ reasons

    def explain_failure(self, condition: core.Expr, slots: Slots, label: str = "") -> list[Reason]:
        """Return a list with one reason why a condition fails, or [] if all of its parts are known to be true.

        The reason is about the first part of a chain of ``and`` that is known to be false, even after hidden ones. If
        this part is a query that a rule turns false, the message is ``NAME prevents this``, with the label of the
        rule's card or else the rule's name in words. The last such rule counts. Otherwise the message is what
        :meth:`say_failure` returns, joined by ``; ``. Without such words, a query that no rule modifies gives the
        reason of its own failing part. Anything else gives ``you can't pay this`` for a cost, else ``LABEL can't be
        chosen here``, or ``you can't do this now`` without ``label``. If no part is known to be false, the message is
        ``that depends on what you can't see``. ``span`` is that of the part, of the rule, or of the failing part of a
        query that no rule modifies. ``cause`` is ``absence`` for a LiesIn. It is ``condition`` for a rule and for
        words, or ``nature`` if the part reads no place. Otherwise it is "".
        """
        parts = list(_iterate_conjuncts(condition))
        for part in parts:
            if self.is_true(part, slots) is False:
                return [self._explain_failed_part(part, slots, label)]
        return [make_hidden_reason(part) for part in parts if self.is_true(part, slots) is None][:1]

    def _explain_failed_part(self, part: core.Expr, slots: Slots, label: str) -> Reason:
        """Return the reason that a part of a condition is false. Without words, it is that of the part of a query."""
        span = part.span
        sentences = self.say_failure(part, slots)
        if isinstance(part, core.CallQuery):
            if (rule := self._find_blocking_rule(part, slots)) is not None:
                name = self.program.entities[rule.copies[0]].label if rule.copies else humanise(rule.rule)
                return Reason(f"{name} prevents this", rule.span, cause="condition")
            body = self._get_query_body(part, slots)
            for reason in [] if body is None else self.explain_failure(*body, label):
                if not sentences:
                    return reason
                span = reason.span or span
        default = f"{label} can't be chosen here" if label else "you can't do this now"
        # The requirement of a cost has the span of the cost statement.
        is_cost = isinstance(part, core.Binary) and part.op == ">=" and part.left.span == part.span
        message = "; ".join(sentences) or ("you can't pay this" if is_cost else default)
        if isinstance(part, core.LiesIn):
            return Reason(message, span, cause="absence")
        can_change = bool(collect_reads(part, self.program.queries, self.program.zones))
        cause: Literal["condition", "nature"] = "condition" if can_change else "nature"
        return Reason(message, span, cause=cause if sentences else "")

    def _find_blocking_rule(self, call: core.CallQuery, slots: Slots) -> core.Modifier | None:
        """Return the rule that makes a query false, if it would hold without it, or None."""
        query = self.program.queries[call.query]
        blocking_rule, has_held = None, False
        for rule, _, value in self.reader.iterate_modifier_stages(
            query, [self.reader.evaluate(arg, slots) for arg in call.args]
        ):
            blocking_rule = rule if has_held and not value else blocking_rule
            has_held = bool(value)
        return blocking_rule

    def explain_absence(self, domain: core.Expr, value: Value, slots: Slots) -> list[Reason]:
        """Return reasons why a value is not in a list, which must not contain it. Return [] if the list shows none.

        A range gives the message ``you can choose 1 to 3, not 5`` (``only 3`` if it is one number). An empty range says
        what is lacking, or ``there is no number to choose``. The kinds of a pool give
        ``there is no Coin in P1's purse``. A zone gives ``Axe is in deck, not in P1's hand``, without ``in deck,`` if
        the place is hidden. A filter gives what :meth:`explain_failure` returns. ``with least`` gives
        ``the load of Farm is 2, and others have less``, and ``with most`` ends with ``more``. ``except`` gives
        ``sold cards excludes it``, or ``that excludes it`` if its right side has no words. If the list from which one
        of these four selects lacks the value, that list is explained. A union gives the reasons of its left side, or of
        its right if the left gives none. An ``if`` or an unmodified query gives those of its branch or body. If the
        seat can't see the reason, or the rules fail, it is ``that depends on what you can't see``. Except for a filter,
        ``span`` is that of the list, or of the right side of ``except``. A filter, ``with least`` and ``with most``
        write the value into their slot in ``slots``, except in the body of a query.
        """
        label = self.reader.label(value, unwrap_list_type(domain.type))
        try:
            domain, slots = self.resolve(domain, slots)
            match domain:
                case core.Filter(source=source, condition=condition, slot=slot):
                    if value not in self.reader.evaluate(source, slots):
                        return self.explain_absence(source, value, slots)
                    slots[slot] = value
                    return self.explain_failure(condition, slots, label)
                case core.Extreme(source=source, kind=kind, key=key, slot=slot):
                    if value not in self.reader.evaluate(source, slots):
                        return self.explain_absence(source, value, slots)
                    slots[slot] = value
                    number, words = self.reader.evaluate(key, slots), self._describe_or_none(key, slots)
                    limit = "more" if kind == "most" else "less"
                    measure = f"{words} is {number}" if words else f"{label} has {number}"
                    return [Reason(f"{measure}, and others have {limit}", domain.span, cause="condition")]
                case core.Binary(op="except", left=left, right=right):
                    if value in self.reader.evaluate(left, slots):
                        return [Reason(f"{self._describe_or_none(right, slots) or 'that'} excludes it", right.span)]
                    return self.explain_absence(left, value, slots)
                case core.Binary(op="union", left=left, right=right):
                    return self.explain_absence(left, value, slots) or self.explain_absence(right, value, slots)
                case core.Range(low=low, high=high):
                    numbers = self.reader.evaluate(domain, slots)
                    if not numbers:
                        message = self.say_empty_range(domain, slots) or "there is no number to choose"
                        return [Reason(message, domain.span)]
                    within = f"{self.show(low, slots)} to {self.show(high, slots)}"
                    within = within if len(numbers) > 1 else f"only {numbers[0]}"
                    return [Reason(f"you can choose {within}, not {value}", domain.span)]
                case core.PoolKinds(zone=name):
                    place = format_place_label(self.setting, name, self._read_indices(domain, slots))
                    return [Reason(f"there is no {label} in {place}", domain.span, cause="absence")]
                case core.ReadZone(zone=name, indices=indices):
                    place = self._describe_place(name, indices, slots)
                    elsewhere = self._find_other_place(core.Const(domain.type, domain.span, value), place)
                    message = f"{label} is {f'in {elsewhere}, ' if elsewhere else ''}not in {place}"
                    return [Reason(message, domain.span, cause="absence")]
        except (HiddenValue, RulesetFault):
            return [make_hidden_reason(domain)]
        return []

    def _find_other_place(self, card: core.Expr, place: str) -> str:
        """Return the label of the zone that holds a card, or "" if it is ``place`` or hidden, or if there is none."""
        try:
            address = self.reader.find_zone(card, [])
        except (HiddenValue, RulesetFault):
            return ""
        label = "" if address is None else format_place_label(self.setting, *address)
        return "" if label == place else label

    # ------------------------------------------------------------ sentences

    def say_failure(self, condition: core.Expr, slots: Slots) -> list[str]:
        """Return why a condition does not hold, each reason a clause without a full stop.

        There are at most :data:`MAX_SENTENCES`, without duplicates. The list is empty if there are no words for the
        condition, or if the seat can't see what it reads.
        """
        try:
            return list(dict.fromkeys(self._say(condition, slots, True)))[:MAX_SENTENCES]
        except (HiddenValue, RulesetFault):
            return []

    def say_empty_range(self, numbers: core.Range, slots: Slots) -> str:
        """Return why a range holds no number: ``needs 1 coin, and P1's pouch has 0``, or "" without words."""
        return next(self._say_comparison("<=", numbers.low, numbers.high, slots), "")

    def _say(self, expr: core.Expr, slots: Slots, is_wanted: bool) -> Iterator[str]:
        match expr:
            case core.Unary(op="not", operand=operand):
                yield from self._say(operand, slots, not is_wanted)
            case core.Binary(op="and" | "or" as op, left=left, right=right):
                parts = [part for part in (left, right) if self.reader.holds(part, slots) is not is_wanted]
                ways = [list(self._say(part, slots, is_wanted)) for part in parts]
                if (op == "and") is is_wanted:
                    yield from (sentence for sentences in ways for sentence in sentences)
                    return
                # All ways are closed. Ways that only an option of the game opens are of no use to a player.
                ways = [way for way, part in zip(ways, parts, strict=True) if not isinstance(part, core.OptionValue)]
                if ways and all(ways):
                    yield " and ".join(sentences[0] for sentences in ways)
            case core.Binary(op=op, left=left, right=right) if op in OPPOSITE:
                yield from self._say_comparison(op if is_wanted else OPPOSITE[op], left, right, slots)
            case core.Binary(op="in", left=left, right=right):
                yield from self._say_membership(left, right, slots, is_wanted)
            case core.Fold(kind="any" | "all"):
                yield from self._say_fold(expr, slots, is_wanted)
            case core.IfExpr(condition=condition, then=then, otherwise=otherwise):
                yield from self._say(then if self.reader.holds(condition, slots) else otherwise, slots, is_wanted)
            case core.CallQuery():
                yield from self._say_query(expr, slots, is_wanted)
            case core.LiesIn(component=component, zone=zone):
                yield from self._say_location(component, zone, slots, is_wanted)
            case core.ReadCell() if isinstance(expr.type, BoolType):
                yield from self._say_flag(expr, slots, is_wanted)

    def _say_query(self, call: core.CallQuery, slots: Slots, is_wanted: bool) -> Iterator[str]:
        """Say a query that is true or false: what it lacks if that can be counted, and else the author's phrase."""
        body = self._get_query_body(call, slots)
        sentences = [] if body is None else list(self._say(*body, is_wanted))
        phrase = self._fill_author_phrase(call, slots, not is_wanted)
        if phrase is None or (sentences and all(sentence.startswith(NEEDS) for sentence in sentences)):
            yield from sentences
        else:
            yield phrase

    def _say_flag(self, cell_read: core.ReadCell, slots: Slots, is_wanted: bool) -> Iterator[str]:
        """Say a variable that is true or false, by its phrase or by its label."""
        phrase = self._fill_author_phrase(cell_read, slots, not is_wanted)
        place = self.program.get_place(cell_read.place)
        if phrase is not None:
            yield phrase
        elif place.label != humanise(place.name) and place.label:
            label = format_place_label(self.setting, cell_read.place, self._read_indices(cell_read, slots))
            yield f"{label} is {self.show(cell_read, slots)}"

    def _say_membership(self, left: core.Expr, right: core.Expr, slots: Slots, is_wanted: bool) -> Iterator[str]:
        subject = self.describe(left, slots)
        if subject is None or self.reader.evaluate(left, slots) is None:
            return
        shown_value = self.show(left, slots)
        group = self.describe(right, slots) if not isinstance(right, core.ListLit | core.Const) else None
        if group is not None:
            preposition = "in" if isinstance(right, core.ReadZone) else "among"
            yield f"{shown_value} is {'not ' if is_wanted else ''}{preposition} {group}"
        elif not is_wanted:
            if shown_value != subject:
                yield f"{subject} is {shown_value}"
        else:
            values = self.reader.evaluate(right, slots)
            labels = " or ".join(self.reader.label(value, unwrap_list_type(right.type)) for value in values)
            facts = [] if shown_value == subject else [shown_value]
            facts += [f"not {labels}"] if labels and len(values) <= MAX_SENTENCES else []
            if facts:
                yield f"{subject} is {', '.join(facts)}"

    def _say_fold(self, fold: core.Fold, slots: Slots, is_wanted: bool) -> Iterator[str]:
        """Say which items contradict a condition about all or some items of a list."""
        items = list(self.reader.filter(fold.slot, fold.source, fold.condition, slots))
        group = self.describe(fold.source, slots)
        if not items and group is not None:
            yield f"there are no {group.removeprefix('the ')}"
        failures: list[list[str]] = []
        for item in items:
            slots[fold.slot] = item
            if self.reader.holds(fold.body, slots) is not is_wanted:
                label = self.reader.label(item, unwrap_list_type(fold.source.type))
                reasons = self._say(fold.body, slots, is_wanted)
                failures.append(
                    [text if label in text or text.startswith(NEEDS) else f"{label}: {text}" for text in reasons]
                )
        # “any” fails on every item, so that one item alone says nothing.
        if (fold.kind == "all") is is_wanted or len(failures) == 1:
            yield from (text for texts in failures for text in texts)

    def _say_location(self, component: core.Expr, zone: str, slots: Slots, is_wanted: bool) -> Iterator[str]:
        label = self.reader.format_value(component, slots)
        if not is_wanted:
            address = self.reader.find_zone(component, slots)
            if address is not None:
                yield f"{label} is in {format_place_label(self.setting, *address)}"
        else:
            yield f"{label} is not in {self.program.get_place(zone).label or humanise(zone)}"

    def _say_comparison(self, op: str, left: core.Expr, right: core.Expr, slots: Slots) -> Iterator[str]:
        """Say what one side of a comparison is, and what it has to be. The side that a decision can change is first."""
        if isinstance(left, UNCHANGEABLE) and not isinstance(right, UNCHANGEABLE):
            left, right, op = right, left, MIRRORED[op]
        sentence = self._say_number(op, left, right, slots)
        if sentence is not None:
            yield sentence
            return
        # `card is any axe` compares originals, which players call by the name of the card itself.
        subject_expr = left.component if isinstance(left, core.Field) and left.field == "original" else left
        subject, value, bound = self.describe(subject_expr, slots), self.show(left, slots), self.show(right, slots)
        if subject is None or subject == value:
            if subject_expr is not left and op == "=":
                yield f"{value} is not {bound}"
            return
        if op in LIMITS:
            yield f"{subject} is {value}, but must be {LIMITS[op]} {bound}"
        elif self.reader.evaluate(left, slots) is None or (op == "!=" and self.reader.evaluate(right, slots) is None):
            yield f"there is no {subject.removeprefix('the ')}"
        elif op == "=":
            yield f"{subject} is {value}, not {bound}"
        else:
            yield f"{subject} is {value}"

    def _say_number(self, op: str, left: core.Expr, right: core.Expr, slots: Slots) -> str | None:
        """Return how many things are needed and how many there are: ``needs 4 gold, and P1 has 0``.

        Return None if the left side counts nothing that has a plural, or if no least or greatest number is needed.
        """
        bound, current = self.show(right, slots), self.show(left, slots)
        nouns = self._get_counted_noun(left, slots) if is_integer_text(bound) and is_integer_text(current) else None
        if nouns is None:
            return None
        singular, plural, owner = nouns
        minimum = {">": int(bound) + 1, ">=": int(bound), "!=": 1 if bound == "0" else 0}.get(op, 0)
        have = f"{owner} has" if owner else "there is" if current == "1" else "there are"
        if minimum > 1 or (minimum and singular):
            return f"{NEEDS}{minimum} {plural if minimum > 1 else singular}, and {have} {current}"
        if minimum and current == "0":
            return f"{have} no {plural}"
        if op == "=" and bound == "0":
            return f"{have} {plural}" if current != "1" else None
        return None

    def _get_counted_noun(self, expr: core.Expr, slots: Slots) -> tuple[str, str, str] | None:
        """Return what an expression counts: the singular, which may be "", the plural, and the player who has it or "".

        These expressions count something: counters of one kind in pools, the size of a list, and a variable with a
        label in the plural. So does a variable or query with the phrase ``the number of …``, or with a phrase that
        begins with a plural.
        """
        match expr:
            case core.ReadCell(place=name) if name in self.program.pools:
                indices = self._read_indices(expr, slots)
                singular, plural = (format_counter_label(self.setting, name, int(indices[-1]), n) for n in (1, 2))
                pool = format_place_label(self.setting, name, indices)
                owner, _, own_name = pool.partition("'s ")
                return singular, plural, owner if own_name.casefold() == plural.casefold() else pool
            case core.ReadCell(place=name):
                phrase = self._fill_author_phrase(expr, slots)
                variable = self.program.get_place(name)
                players = [index for index in expr.indices if isinstance(index.type, PlayerType)]
                if phrase is None and variable.label.endswith("s") and len(variable.dims) == len(players):
                    owner = self.show(players[0], slots) if players else ""
                    return variable.label.removesuffix("s"), variable.label, owner
                return _parse_counting_phrase(phrase)
            case core.CallQuery():
                nouns = _parse_counting_phrase(self._fill_author_phrase(expr, slots))
                query = self.program.queries[expr.query]
                if nouns is not None and query.is_per_player and "{me}" not in query.phrase:
                    return *nouns[:2], self.show(expr.args[0], slots)
                body = self._get_query_body(expr, slots) if nouns is None else None
                return nouns if body is None else self._get_counted_noun(*body)
            case core.Fold(kind="sum", source=source, condition=condition, slot=slot, body=core.ReadCell() as body):
                for item in self.reader.filter(slot, source, condition, slots):
                    slots[slot] = item
                    nouns = self._get_counted_noun(body, slots) if body.place in self.program.pools else None
                    return None if nouns is None else (*nouns[:2], "")
            case core.PoolTotal():
                pool = format_place_label(self.setting, expr.zone, self._read_indices(expr, slots))
                return "", f"counters in {pool}", ""
            case core.CallBuiltin(name="count", args=(core.CallQuery(query=query, args=args) as call,)):
                owner = self.show(args[0], slots) if args and isinstance(args[0].type, PlayerType) else ""
                if (phrase := self._fill_author_phrase(call, slots)) is not None:
                    return _split_owner(phrase.removeprefix("the "))
                if len(args) == bool(owner):
                    return "", humanise(query.rpartition(".")[2]).lower(), owner
                return _parse_counting_phrase(self.describe(expr, slots))
            case core.CallBuiltin(name="count", args=(core.Filter(source=source),)):
                words = self.describe(source, slots)
                _, plural, owner = _split_owner((words or "").removeprefix("the "))
                return ("", f"matching {plural}", owner) if words else None
            case core.CallBuiltin(name="count"):
                return _parse_counting_phrase(self.describe(expr, slots))
        return None

    def _read_indices(self, expr: core.ReadCell | core.PoolKinds | core.PoolTotal, slots: Slots) -> tuple[Value, ...]:
        return tuple(self.reader.require(index, slots) for index in expr.indices)

    def describe(self, expr: core.Expr, slots: Slots) -> str | None:
        """Return an expression as a noun in the words of players, or None if there are none."""
        if isinstance(expr.type, ListType) and isinstance(expr, core.CallQuery) and _get_source_list(expr) is None:
            return self._fill_author_phrase(expr, slots)
        return self._describe_or_none(expr, slots)

    def show(self, expr: core.Expr, slots: Slots) -> str:
        """Return a value as players read it. An empty list is ``empty``. Raise HiddenValue if the seat can't see it."""
        value = self.reader.evaluate(expr, slots)
        return "empty" if value == () else "none" if value is None else self.reader.label(value, expr.type)

    # ------------------------------------------------------------ words

    def _describe_or_none(self, expr: core.Expr, slots: Slots) -> str | None:
        """Describe an expression in words for players. Return None if the expression has no such words.

        Locals are read from ``slots``. Words beyond :data:`MAX_DESCRIPTION_LENGTH` characters are cut, and end with
        ``…``.
        """
        try:
            words = self._describe(expr, slots, MAX_DEPTH)
        except _NoWords:
            return None
        return words if len(words) <= MAX_DESCRIPTION_LENGTH else f"{words[: MAX_DESCRIPTION_LENGTH - 1].rstrip()}…"

    def _fill_author_phrase(
        self, expr: core.CallQuery | core.ReadCell, slots: Slots, is_true: bool = True, depth: int = MAX_DEPTH
    ) -> str | None:
        """Return the author's phrase for a query or variable, with its arguments or indices in words.

        ``{unit} is exhausted`` gives ``Owl is exhausted``, or its negation with ``is_true`` false. A player of the
        query or among the indices is ``{me}``; any other index is its type in snake case, such as ``{wild_card}``.
        Return None without a phrase, or if an argument in it has no words, is hidden, or is nested deeper than
        ``depth``.
        """
        if isinstance(expr, core.CallQuery):
            query, arguments = self.program.queries[expr.query], expr.args
            phrase = query.phrase
            names = ["me" if query.is_per_player and not i else param.name for i, param in enumerate(query.params)]
        else:
            place, arguments = self.program.get_place(expr.place), expr.indices
            phrase = place.phrase if isinstance(place, core.Variable) else ""
            names = [
                "me" if isinstance(dim.type, PlayerType) else to_snake_case(str(dim.source_type)) for dim in place.dims
            ]
        if not phrase:
            return None
        try:
            words = {
                name: self._describe(argument, slots, depth - 1)
                for name, argument in zip(names, arguments, strict=False)
                if name in list_parameters(phrase)
            }
        except _NoWords:
            return None
        return fill_phrase(phrase, words, is_true)

    def _describe(self, expr: core.Expr, slots: Slots, depth: int) -> str:
        """Return the words for an expression.

        Raise :class:`_NoWords` if it is nested more than ``depth`` levels deep, or if a part has no words or is hidden.
        """
        if depth < 0:
            raise _NoWords

        def describe(inner: core.Expr) -> str:
            return self._describe(inner, slots, depth - 1)

        match expr:
            case core.Const() | core.Local():
                return self._describe_value(expr, slots)
            case core.ReadCell(place=name, indices=indices) if name in self.program.pools:
                kind = self._describe_value(indices[-1], slots)
                return f"{kind} in {self._describe_place(name, indices[:-1], slots)}"
            case core.ReadCell() | core.CallQuery() if (
                words := self._fill_author_phrase(expr, slots, True, depth)
            ) is not None:
                return words
            case core.ReadCell(place=name, indices=indices) | core.ReadZone(zone=name, indices=indices):
                return self._describe_place(name, indices, slots)
            case core.PoolTotal(zone=name, indices=indices) | core.PoolKinds(zone=name, indices=indices):
                return self._describe_place(name, indices, slots)
            case core.Field(component=component, field=field):
                return f"the {humanise(field)} of {describe(component)}"
            case core.CallQuery(query=query, args=args):
                list_argument = _get_source_list(expr)
                if list_argument is not None and isinstance(expr.type, ListType):
                    # Players don't know the name of such a selection, so name the list from which it selects.
                    return describe(list_argument)
                arguments = ", ".join(map(describe, args))
                name = humanise(query.rpartition(".")[2])
                is_preposition = name.rpartition(" ")[2] in PREPOSITIONS
                return name if not arguments else f"{name} {arguments}" if is_preposition else f"{name} of {arguments}"
            case core.CallBuiltin(name="count", args=(counted,)):
                zone = self._find_selected_zone(counted)
                kind = "" if zone is None else f"{pluralize(str(unwrap_list_type(counted.type)).lower())} in "
                return f"the number of {kind}{describe(counted)}"
            case core.Filter(source=source):
                return f"the matching ones of {describe(source)}"
            case core.Range(low=low, high=high):
                return f"{describe(low)} to {describe(high)}"
            case core.Unary(op="not", operand=operand):
                return f"not: {describe(operand)}"
            case core.Binary(op="and" | "or" as op, left=left, right=right):
                return f"{describe(left)} {op} {describe(right)}"
            case core.Binary(op=op, left=left, right=right) if op in VERBS:
                return f"{describe(left)} {VERBS[op]} {describe(right)}"
            case core.IfExpr(condition=condition, then=then, otherwise=otherwise):
                try:
                    return describe(then if self.reader.holds(condition, slots) else otherwise)
                except (HiddenValue, RulesetFault):
                    raise _NoWords from None
            case core.LiesIn(component=component, zone=zone):
                return f"{describe(component)} is in {self.program.get_place(zone).label or humanise(zone)}"
        raise _NoWords

    def _find_selected_zone(self, expr: core.Expr) -> core.ReadZone | None:
        """Return the zone whose components a list holds, if queries without a phrase select them, or None."""
        while isinstance(expr, core.CallQuery) and not self.program.queries[expr.query].phrase:
            expr = next(
                (arg for arg in expr.args if isinstance(arg.type, ListType)), core.Const(expr.type, expr.span, ())
            )
        return expr if isinstance(expr, core.ReadZone) else None

    def _describe_value(self, expr: core.Expr, slots: Slots) -> str:
        """Return the value of an expression as players read it. Raise :class:`_NoWords` if it is hidden or missing."""
        try:
            value = self.reader.evaluate(expr, slots)
            return self.reader.label(value, unwrap_list_type(expr.type) if not isinstance(value, tuple) else expr.type)
        except (HiddenValue, RulesetFault):
            if isinstance(expr, core.Local):
                return humanise(expr.name)
            raise _NoWords from None

    def _describe_place(self, name: str, indices: tuple[core.Expr, ...], slots: Slots) -> str:
        try:
            return format_place_label(self.setting, name, tuple(self.reader.require(index, slots) for index in indices))
        except (HiddenValue, RulesetFault):
            return self.program.get_place(name).label or humanise(name)


# ---------------------------------------------------------------- helpers


def make_hidden_reason(expr: core.Expr) -> Reason:
    """Return the reason that an expression depends on what the seat can't see."""
    return Reason("that depends on what you can't see", expr.span)


def _iterate_conjuncts(condition: core.Expr) -> Iterator[core.Expr]:
    """Yield the parts of a chain of ``and``, from left to right."""
    if isinstance(condition, core.Binary) and condition.op == "and":
        yield from _iterate_conjuncts(condition.left)
        yield from _iterate_conjuncts(condition.right)
    else:
        yield condition


def _get_source_list(call: core.CallQuery) -> core.Expr | None:
    """Return the list from which a query selects, or None."""
    return next((argument for argument in call.args if isinstance(argument.type, ListType)), None)


def _parse_counting_phrase(phrase: str | None) -> tuple[str, str, str] | None:
    """Return the singular, the plural and the owner of what a phrase counts, or None without any."""
    if phrase is None:
        return None
    head = "the number of "
    if phrase.startswith(head):
        return _split_owner(phrase.removeprefix(head))
    first, blank, remaining = phrase.partition(" ")
    if first.endswith("'s"):
        _, plural, owner = _split_owner(phrase)
        nouns = _parse_counting_phrase(plural)
        return None if nouns is None else (nouns[0], plural, owner)
    return (f"{first.removesuffix('s')}{blank}{remaining}", phrase, "") if first.endswith("s") else None


def _split_owner(phrase: str) -> tuple[str, str, str]:
    """Return no singular, a plural and its owner: ``P1's cards`` gives ``("", "cards", "P1")``."""
    owner, mark, plural = phrase.partition("'s ")
    return ("", plural, owner) if mark and " " not in owner else ("", phrase, "")
