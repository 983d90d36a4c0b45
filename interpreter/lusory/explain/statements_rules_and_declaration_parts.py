"""Translate statements, rules and the parts of declarations to English.

Example: ``if heap = 0: end game because "All taken."`` becomes “If the heap is 0: the game ends: “All taken.”.”
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from lusory_dsl.ruleset import model
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.source import (
    EmbeddedText,
    capitalize,
    humanise,
    join_items,
    make_title,
    prepend_article,
    to_snake_case,
)
from lusory_dsl.syntax import ast
from lusory_dsl.syntax.ast import AnyRule, Pattern
from lusory_dsl.syntax.parser import parse_block, parse_choice_vars, parse_expression, parse_rule, parse_template

from .declaration_names_and_lookup import Vocabulary, lowercase_first_letter
from .expression_structure_relative_clauses_and_amounts import (
    find_excluded_player,
    find_tested_card,
    get_holder_polarity,
    is_inequality,
    is_named,
    split_access,
    split_conjunction,
)
from .expressions import AMONG, ExpressionText, is_per_player
from .phrase_filling_and_negation import fill_phrase, list_parameters

INDENT = "  "
BULLET = "• "
SHORT = 92
"""The maximum length of a line that holds a title and a one-line block."""


class StatementText(ExpressionText):
    """Translate statements to English. A statement is a sentence, and its blocks are indented below it."""

    # ------------------------------------------------------------ statements

    def describe_block(self, block: ast.Block, depth: int = 0) -> list[str]:
        """Return the statements of a block as lines, indented by ``depth`` levels.

        Example: the variables are ``turn`` and ``heap``. ``by turn: set heap to 3; decrease heap by 1`` gives “As the
        turn, who is “you” here:”, and below it the lines “Set the heap to 3.” and “Decrease the heap by 1.”. A block
        of one short sentence stands on the line of its head.
        """
        return [line for stmt in block for line in self._describe_statement(stmt, depth)]

    def _describe_statement(self, stmt: ast.Stmt, depth: int) -> list[str]:
        if isinstance(stmt, ast.ChooseOption):
            chooser = capitalize(self._describe_chooser(stmt.by))
            lines = [f"{INDENT * depth}{chooser} one of these{self._format_prompt(stmt.prompt)}:"]
            for option in stmt.options:
                lines += self._format_titled_block(f"{BULLET}{self._describe_option(option)}", option.body, depth + 1)
            return lines
        head, parts = self._split_statement(stmt)
        lines = [] if parts else [f"{INDENT * depth}{capitalize(head)}."]
        for title, body in parts:
            lines += self._format_titled_block(capitalize(title or head), body, depth)
        return lines

    def _format_titled_block(self, title: str, body: ast.Block, depth: int) -> list[str]:
        """Return a block under its title. A single short sentence goes on the title's line."""
        inner_lines = self.describe_block(body, depth + 1)
        line = f"{INDENT * depth}{title}: {lowercase_first_letter(inner_lines[0].strip())}"
        if len(inner_lines) == 1 and len(line) <= SHORT:
            return [line]
        return [f"{INDENT * depth}{title}:", *inner_lines]

    def _split_statement(self, stmt: ast.Stmt) -> tuple[str, list[tuple[str, ast.Block]]]:
        """Return the words of a statement and its blocks with their titles.

        The first block belongs under the words of the statement, and later blocks under their own titles.
        """
        match stmt:
            case ast.If(branches=branches, otherwise=otherwise):
                titles = ["", *(f"Otherwise, if {self.say_condition(condition)}" for condition, _ in branches[1:])]
                blocks = [(title, body) for title, (_, body) in zip(titles, branches, strict=True)]
                blocks += _list_blocks(None, "Otherwise", otherwise)
                return f"if {self.say_condition(branches[0][0])}", blocks
            case ast.ForEach(name=name, source=source, condition=condition, body=body):
                return f"for each {self._describe_item(name, source, condition)}", [("", body)]
            case ast.EachPlayer(body=body):
                return self._describe_each_player(stmt), [("", body)]
            case ast.By(player=player, body=body):
                return f"as {self.say_value(player)}, who is “you” here", [("", body)]
            case ast.Privately(body=body):
                return "without the others learning what is chosen", [("", body)]
            case ast.Repeat(body=body):
                return self._describe_repeat(stmt), [("", body)]
            case ast.Choose(vars=vars, prompt=prompt, by=by, body=body, otherwise=otherwise):
                choices = f"{self.describe_choice_vars(vars)}{self._format_prompt(prompt)}"
                blocks = _list_blocks(body, "If there is nothing to choose", otherwise)
                return f"{self._describe_chooser(by)} {choices}", blocks
            case ast.ChooseSome(body=body, otherwise=otherwise):
                blocks = _list_blocks(body, "If there is nothing to choose", otherwise)
                return self._describe_choose_some(stmt), blocks
            case ast.Split(by=by, amount=amount, name=name, limit=limit, body=body):
                verb = "divide" if by is None else f"{self.say_value(by)} divides"
                receivers = self._describe_item(stmt.item, stmt.source, stmt.condition)
                limit_text = f"at most {self.say_operand(limit)} for each; for each part (called {humanise(name)})"
                return f"{verb} {self.say_value(amount)} among {receivers}, {limit_text}", [("", body)]
            case ast.May(prompt=prompt, by=by, body=body, otherwise=otherwise):
                chooser = self._persons["me"] if by is None else self.say_value(by)
                wording = f"{chooser} may say yes to “{self.format_text(prompt)}”; then"
                return wording, _list_blocks(body, "If not", otherwise)
            case ast.Open(call=call, body=body, otherwise=otherwise):
                wording, decl = self._describe_effect_call(call), self._words.windows.get(split_access(call.callee)[1])
                wording = f"open “{wording}”" if decl is None or decl.phrase is None else wording
                wording += "; unless it is cancelled" if body else ""
                return wording, _list_blocks(body, "If it is cancelled", otherwise)
            case ast.Random(body=body, otherwise=otherwise):
                return self._describe_random(stmt), _list_blocks(body, "If there is nothing to pick", otherwise)
        return self._describe_simple(stmt), []

    def _describe_simple(self, stmt: ast.Stmt) -> str:
        """Return the words for a statement without a block: no capital at the start, no full stop.

        A ``let`` forgets what its name meant before. Raise TypeError for other statements.
        """
        match stmt:
            case ast.Let(name=name, value=value):
                self.forget(name)
                return f"let {humanise(name)} be {self.say_value(value)}"
            case ast.SetTo(op="set", place=place, value=ast.BoolLit(value=flag), until=until):
                return f"from now on{self._describe_until(until)} {self._describe_truth(place, flag)}"
            case ast.SetTo(op=op, place=place, value=value, until=until):
                verb, word = {"set": ("set", "to"), "add": ("increase", "by"), "sub": ("decrease", "by")}[op]
                amount = self.say_operand(value) if isinstance(value, ast.IfExpr) else self.say_value(value)
                amount += self._describe_until(until)
                return f"{verb} {self.say_value(place)} {word} {amount}"
            case ast.AddTo(value=value, place=place):
                return f"add {self.say_operand(value, AMONG)} to {self.say_value(place)}"
            case ast.RemoveFrom(value=value, place=place):
                return f"remove {self.say_operand(value, AMONG)} from {self.say_value(place)}, if it is there"
            case ast.EndDuration(duration=duration):
                return f"{self.say_value(duration)} ends"
            case ast.MoveCount(source=source, target=target):
                amount = self._describe_moved_amount(stmt)
                return f"move {amount} from {self.say_value(source)} to {self.say_value(target)}"
            case ast.MoveCards(cards=cards, target=target, position=position):
                end = "the top of " if position == "top" else ""
                return f"move {self.say_value(cards)} to {end}{self.say_value(target)}"
            case ast.Shuffle(zone=zone):
                return f"shuffle {self.say_value(zone)}"
            case ast.Stop():
                return "go no further through this list"
            case ast.UseAction(action=action, card=card, by=by, prompt=prompt):
                actor = "" if by is None else f"{self.say_value(by)}: "
                return f"{actor}use “{humanise(action)}” of {self.say_value(card)}{self._format_prompt(prompt)}"
            case ast.TakeAction(offers=offers, menu=menu, by=by, prompt=prompt):
                actor = "take" if by is None else f"{self.say_value(by)} takes"
                actions = f"one of these actions: {join_items(map(self._quote_offer, offers), 'or')}"
                if menu is not None:
                    actions = f"an action from “{humanise(menu.name)}”"
                return f"{actor} {actions}{self._format_prompt(prompt)}"
            case ast.Do(call=call):
                return self._describe_effect_call(call)
            case ast.Announce(text=text, to=recipient):
                recipient_text = f" to {self.say_value(recipient)}" if recipient is not None else ""
                return f"announce “{self.format_text(text)}”{recipient_text}"
            case ast.EndGame(reason=reason, chart=chart, players=players):
                ranking = f", and the chart “{humanise(chart.name)}” says who wins" if chart is not None else ""
                winners = f"; only these can win: {self.say_value(players)}" if players is not None else ""
                cause = f": “{self._describe_reason(reason)}”" if reason is not None else ""
                return f"the game ends{ranking}{winners}{cause}"
            case ast.Cancel():
                return "what was answered is cancelled"
            case ast.Begin(place=place):
                owner, name, _ = split_access(place)
                owner_text = f" of {self.say_value(owner)}" if owner is not None else ""
                return f"from now on “{humanise(name)}{owner_text}” is watched"
        raise TypeError(f"no words for {type(stmt).__name__}")

    def _describe_reason(self, reason: ast.TextLit | ast.Name) -> str:
        """Return why the game ends. The name of an ending stands for its label."""
        if isinstance(reason, ast.TextLit):
            return self.format_text(reason)
        ending = self._words.endings.get(reason.name)
        label = None if ending is None else parse_template(ending.label, Diagnostics())
        return humanise(reason.name) if label is None else self.format_text(label)

    def _quote_offer(self, offer: ast.Offer) -> str:
        """Return an offered action in quotation marks: “Sell”. An action of cards gives “Name” of one of CARDS."""
        if offer.cards is None:
            return f"“{capitalize(self.describe_offer(offer))}”"
        return f"“{make_title(offer.name)}” of one of {self.say_operand(offer.cards)}"

    def describe_offer(self, offer: ast.Offer) -> str:
        """Return an offered action by its label: ``Buy a card``.

        Without a label, or if it contains values, return the name in words: ``buy_card`` gives ``buy card``. With
        cards, it is always the name in words, followed by the cards: ``dig of yard`` gives ``dig of one of the yard``.
        An unknown action has no label.
        """
        if offer.cards is not None:
            return f"{humanise(offer.name)} of one of {self.say_operand(offer.cards)}"
        decl = self._words.actions.get(offer.name)
        label = decl.label.text if decl is not None and decl.label is not None else None
        return label if label is not None and "{" not in label else humanise(offer.name)

    def _describe_effect_call(self, call: ast.Call) -> str:
        """Return the words for a call of an effect or window: the author's phrase, or its name with the arguments.

        The owner stands first, “the rival: draw (2)”. An effect of a card becomes “do “name” of this card, with 2”.
        """
        owner, name, _ = split_access(call.callee)
        decl = self._words.effects.get(name) or self._words.windows.get(name)
        names = [param.text for param, _type in decl.params] if decl is not None else []
        if decl is not None and decl.phrase is not None:
            pairs = zip(names, call.args, strict=False)
            arguments = {argument.name or name: self.describe_argument(argument.value) for name, argument in pairs}
            arguments["me"] = "you" if owner is None else self.say_value(owner)
            phrase = fill_phrase(decl.phrase.text, arguments)
            has_actor = owner is None or "me" in list_parameters(decl.phrase.text)
            return phrase if has_actor else f"{arguments['me']}: {phrase}"
        wordings = []
        for index, argument in enumerate(call.args):
            word = humanise(argument.name or (names[index] if index < len(names) else ""))
            value = self.say_value(argument.value)
            wordings.append(value if value == word or len(names) < 2 else f"{word}: {value}")
        if owner is not None and decl is None:
            extras = f", with {join_items(wordings)}" if wordings else ""
            return f"do “{humanise(name)}” of {self.say_value(owner)}{extras}"
        owner_text = f"{self.say_value(owner)}: " if owner is not None else ""
        arguments_text = f" ({', '.join(wordings)})" if wordings else ""
        return f"{owner_text}{humanise(name)}{arguments_text}"

    def _is_member_effect_of_player(self, kind: str, effect: str) -> bool:
        """Return whether an effect of a component kind is carried out by a player, who is ``me``."""
        kinds = (decl for decl in self._words.ruleset.components if decl.name.text == kind)
        return any(member.is_per_player for decl in kinds for member in decl.effects if member.name.text == effect)

    def _describe_moved_amount(self, stmt: ast.MoveCount) -> str:
        """Return the amount and kind of what is moved: “everything”, “all coins”, “1 coin”."""
        is_one = isinstance(stmt.amount, ast.IntLit) and stmt.amount.value == 1
        if stmt.kind is None:
            return "everything"
        kind = self._describe_counter_kind(stmt.kind, is_plural=not is_one)
        if isinstance(stmt.kind, ast.Name) and stmt.kind.name in self._introduced_names and stmt.amount is not None:
            return f"{self.say_operand(stmt.amount)} of {self._describe_name(stmt.kind.name)}"
        if stmt.amount is None:
            return f"all {kind}"
        amount = self.say_operand(stmt.amount)
        is_long = len(amount.split()) > 2 and not amount.startswith("(")
        return f"{f'({amount})' if is_long else amount} {kind}"

    def _describe_each_player(self, stmt: ast.EachPlayer) -> str:
        """Return the players of a loop, with their order unless it is clockwise from the first."""
        if stmt.is_simultaneous:
            order = f" of {self.say_value(stmt.source)}" if stmt.source is not None else ""
        elif stmt.source is not None:
            order = f", in this order: {self.say_value(stmt.source)}"
        elif stmt.start is not None:
            order = f", {stmt.direction} from {self.say_value(stmt.start)}"
        else:
            order = "" if stmt.direction == "clockwise" else f", {stmt.direction}"
        subject, restriction = self._describe_restricted_players(stmt.condition)
        return f"{subject}{order}{restriction}{', all choosing at the same time' if stmt.is_simultaneous else ''}"

    def _describe_restricted_players(self, condition: ast.Expr | None) -> tuple[str, str]:
        """Return the words for each player of a loop, and for the condition: “each player except the target”, “”."""
        parts = split_conjunction(condition)
        exceptions = [player for part in parts if (player := find_excluded_player(part)) is not None]
        conditions = [part for part in parts if find_excluded_player(part) is None]
        subject = "each player"
        if exceptions:
            subject += f" except {join_items(map(self.say_operand, exceptions))}"
        restriction = " and ".join(self.say_part(part, "and" if len(conditions) > 1 else "") for part in conditions)
        return subject, f" (only where {restriction})" if conditions else ""

    def _describe_repeat(self, stmt: ast.Repeat) -> str:
        if stmt.times is not None:
            return f"repeat {self.say_value(stmt.times)} times"
        assert stmt.condition is not None and stmt.bound is not None
        word = "until" if stmt.is_until else "while"
        limit = self.say_value(stmt.bound)
        return f"repeat {word} {self.say_condition(stmt.condition)} (at most {limit} times)"

    # ------------------------------------------------------------ choices

    def _describe_chooser(self, chooser_expr: ast.Expr | None) -> str:
        chooser = self._persons["me"] if chooser_expr is None else self.say_value(chooser_expr)
        return "choose" if chooser == "you" else f"{chooser} chooses"

    def _format_prompt(self, prompt: ast.TextLit | None) -> str:
        return "" if prompt is None else f" (“{self.format_text(prompt)}”)"

    def _describe_choose_some(self, stmt: ast.ChooseSome) -> str:
        """Return the words for a choice of several items, or of an order, and use “the NAME” from then on."""
        source = self.say_operand(stmt.var.domain) if stmt.is_ordered else self.describe_domain(stmt.var)
        source += self._describe_restriction(stmt.var.condition, stmt.var.name, is_plural=True)
        self.introduce(stmt.var.name)
        name_note = f" (called {humanise(stmt.var.name)})"
        if stmt.is_ordered:
            verb = "put" if stmt.by is None else f"{self.say_value(stmt.by)} puts"
            return f"{verb} {source} in any order{name_note}"
        if stmt.high is None:
            amount = "any number"
        elif stmt.low is None:
            amount = f"up to {self.say_value(stmt.high)}"
        elif stmt.low is stmt.high:
            amount = self.say_value(stmt.high)
        else:
            amount = f"{self.say_value(stmt.low)} to {self.say_value(stmt.high)}"
        secretly = "secretly " if stmt.var.is_secret else ""
        prompt = self._format_prompt(stmt.prompt)
        return f"{secretly}{self._describe_chooser(stmt.by)} {amount} of {source}{name_note}{prompt}"

    def _describe_option(self, option: ast.OptionClause) -> str:
        label = make_title(option.name) if option.label is None else self.format_text(option.label)
        choices = f", with {self.describe_choice_vars(option.vars)}" if option.vars else ""
        condition = f", if {self.say_condition(option.condition)}" if option.condition is not None else ""
        return f"{label}{choices}{condition}"

    def _describe_random(self, stmt: ast.Random) -> str:
        source = self.describe_domain(stmt.var)
        source += self._describe_restriction(stmt.var.condition, stmt.var.name, is_plural=True)
        self.introduce(stmt.var.name)
        secretly = "secretly " if stmt.var.is_secret else ""
        if stmt.stream == "dice":
            return f"{secretly}roll {humanise(stmt.var.name)}: {source}"
        return f"{secretly}pick {self.add_article(stmt.var.name)} at random from {source}"

    def _describe_until(self, until: ast.Until | None) -> str:
        """Return how long a change lasts."""
        return "" if until is None else f", until {self.say_value(until.duration)} ends"

    def describe_gains(self, bonuses: Iterable[ast.Gain]) -> str:
        """Return the bonuses that cards get, joined by “and”: “+1 attack and venom”."""
        return join_items(_describe_gain(self, gain) for gain in bonuses)

    def describe_recipient(self, node: ast.Recipient) -> str:
        """Return the cards that get the bonuses of a keyword: “each ally for which …”."""
        return f"each {humanise(node.name)} for which {self.say_condition(node.condition)}"

    def _get_query_name(self, query: str) -> str:
        """Return the label or name of a query that a rule modifies, in words."""
        decl = self._words.places.get(query)
        return self._words.name_place(decl) if decl is not None else humanise(query)

    def describe_zone(self, name: str, owner: str) -> str:
        """Return the words for a zone in a trigger: “your hand”, or “the deck” for a zone that exists once.

        ``owner`` precedes a zone that each player has.
        """
        decl = self._words.places.get(name)
        return f"{owner if decl is not None and is_per_player(decl) else 'the'} {self._get_query_name(name)}"

    def _describe_content(self, zone: str) -> str:
        """Return what a zone holds one of, with its article: “a building tile”. An unknown zone gives “a card”."""
        decl = self._words.places.get(zone)
        return prepend_article(humanise(to_snake_case(decl.holds.text)) if isinstance(decl, model.ZoneDecl) else "card")


def _list_blocks(body: ast.Block | None, title: str, otherwise: ast.Block) -> list[tuple[str, ast.Block]]:
    """Return the blocks of a statement that exist, with their titles: its body without one, and the other block."""
    return [*([] if body is None else [("", body)]), *([(title, otherwise)] if otherwise else [])]


def _describe_parsed_rule(prose: StatementText, rule: AnyRule) -> list[str]:
    """Return a rule as lines: its trigger or condition, and its statements below, indented by two blanks.

    Example: ``when card enters hand: increase score by 1`` gives “When a card enters your hand:” and “Increase your
    score by 1.”. A rule on an effect begins with “After” or “Instead of”. A ``while`` rule, and a rule with gains, take
    one line.
    """
    if isinstance(rule, ast.WhileRule | ast.GainRule):
        change, condition = _describe_change(prose, rule), prose.say_condition(rule.condition)
        return [f"{'Always' if condition == 'always' else f'While {condition}'}: {change}."]
    if isinstance(rule, ast.WheneverRule):
        return [f"Whenever {prose.say_condition(rule.condition)}:", *prose.describe_block(rule.body, 1)]
    if isinstance(rule, ast.EventRule):
        return _describe_event_rule(prose, rule)
    restriction = f", if {prose.say_condition(rule.condition)}" if rule.condition is not None else ""
    return [f"{_describe_trigger(prose, rule)}{restriction}:", *prose.describe_block(rule.body, 1)]


def _describe_event_rule(prose: StatementText, rule: ast.EventRule) -> list[str]:
    """Return a rule about an effect as lines.

    If ``me`` is another player than the holder of the card, the text addresses the holder, who reads it: “After a Thief
    is played by another player:” and “Move 1 coin from the Bank to your pouch.”.
    """
    parts = split_conjunction(rule.condition)
    holders = [part for part in parts if get_holder_polarity(part) is not None]
    conditions = [part for part in parts if get_holder_polarity(part) is None]
    if len(holders) == 1 and get_holder_polarity(holders[0]):
        actor, person = "you", "you"
    elif len(holders) == 1 and all(
        isinstance(node, IMPERSONAL) for stmt in rule.body for node in ast.walk(stmt) if isinstance(node, ast.Stmt)
    ):
        actor, person = "another player", "that player"
    else:
        return _describe_addressed_event_rule(prose, rule, parts, "you")
    with prose.address_holder(person):
        return _describe_addressed_event_rule(prose, rule, conditions, actor)


def _describe_addressed_event_rule(
    prose: StatementText, rule: ast.EventRule, parts: Sequence[ast.Expr], actor: str
) -> list[str]:
    """Return a rule about an effect as lines. ``parts`` are the conditions, and ``actor`` is the player who acts."""
    kind, _, effect = rule.event.rpartition(".")
    if kind:
        card, conditions = _describe_event_card(rule, kind, parts, prose)
        actor_text = f" by {actor}" if prose._is_member_effect_of_player(kind, effect) else ""
        if effect.endswith("ed") and rule.kind == "when":
            trigger = f"After {card} is {humanise(effect)}{actor_text}"
        else:
            trigger = f"{_EVENT_WORDS[rule.kind]} “{humanise(effect)}” of {card}{actor_text}"
    else:
        conditions = list(parts)
        trigger = f"{_EVENT_WORDS[rule.kind]} “{humanise(effect)}”{f' by {actor}' if actor != 'you' else ''}"
    binding_texts = [_describe_binding(binding) for binding in rule.bindings if not kind or binding.parameter != "this"]
    prose.introduce(*(binding.name for binding in rule.bindings if binding.name == binding.parameter))
    binding_text = f" ({join_items(binding_texts)})" if binding_texts else ""
    word = "and" if len(conditions) > 1 else ""
    condition = " and ".join(prose.say_part(part, word) for part in conditions)
    return [f"{trigger}{binding_text}{f', if {condition}' if conditions else ''}:", *prose.describe_block(rule.body, 1)]


def _describe_event_card(
    rule: ast.EventRule, kind: str, parts: Sequence[ast.Expr], prose: StatementText
) -> tuple[str, list[ast.Expr]]:
    """Return the card of a rule about an effect of cards, and the conditions that its words don't cover.

    Examples are “this card”, “a Thief” and “another card (called other)”.
    """
    name = next((binding.name for binding in rule.bindings if binding.parameter == "this"), None)
    noun = humanise(to_snake_case(kind))
    if name is None:
        return prepend_article(noun), list(parts)
    if name == "this":
        return "this card", list(parts)
    cards = [card for part in parts if (card := find_tested_card(part, name)) is not None]
    conditions = [part for part in parts if find_tested_card(part, name) is None]
    if len(cards) != 1:
        cards, conditions = [], list(parts)
    is_other = any(is_inequality(part, name, "this") for part in conditions)
    conditions = [part for part in conditions if not is_inequality(part, name, "this")]
    words = prose.say_value(ast.Name(rule.span, cards[0])) if cards else noun
    words = f"another {words}" if is_other else prepend_article(words)
    return words if not is_named(name, *conditions, *rule.body) else f"{words} (called {humanise(name)})", conditions


_EVENT_WORDS = {"when": "After", "instead": "Instead of"}
IMPERSONAL = (
    ast.AddTo, ast.Announce, ast.Choose, ast.ChooseOption, ast.ChooseSome, ast.ForEach, ast.If, ast.Let, ast.May,
    ast.MoveCards, ast.MoveCount, ast.Random, ast.RemoveFrom, ast.SetTo, ast.Shuffle, ast.Stop,
)  # fmt: skip
"""Statements whose words are also right for a reader who is not ``me``."""


def _describe_trigger(prose: StatementText, rule: Pattern) -> str:
    """Describe the trigger of a rule that is not an effect: “When a card enters your hand”."""
    match rule:
        case ast.ZoneRule(verb=verb, card=card, zone=zone, other_zone=other_zone):
            card_text = "this card" if card == "this" else _add_name(prose._describe_content(zone.name), card)
            opening = "Instead of" if verb == "entering" else "When"
            sentence = f"{opening} {card_text} {verb} {prose.describe_zone(zone.name, 'your')}"
            if other_zone is None:
                return sentence
            return f"{sentence} {'to' if verb == 'leaves' else 'from'} {prose.describe_zone(other_zone.name, 'any')}"
        case ast.PhaseRule(phase=phase, verb=verb):
            return f"When the phase “{humanise(phase)}” {verb}"
        case ast.ChangeRule(place=place, indices=indices, kind=kind):
            counter_text = "" if kind is None else f"{humanise(kind.name)} in "
            index_text = f" of {join_items(_name_subject(name.name) for name in indices)}" if indices else ""
            return f"At a change of {counter_text}{prose.describe_zone(place, 'your')}{index_text}"
    raise AssertionError(rule)


def _add_name(noun: str, name: str) -> str:
    """Return a thing with the name that a rule gives it, unless both are the same."""
    return noun if noun.split()[-1] == humanise(name) else f"{noun} (called {humanise(name)})"


def _describe_change(prose: StatementText, rule: ast.WhileRule | ast.GainRule) -> str:
    """Return the words for what a ``while`` rule or a rule with gains changes, without its condition."""
    layer = f" (layer {humanise(rule.layer)})" if rule.layer else ""
    if isinstance(rule, ast.GainRule):
        return f"{_name_subject(rule.name)} gets {prose.describe_gains(rule.gains)}{layer}"
    query = prose._get_query_name(rule.query)
    target = f" for {join_items(_name_subject(binding.name) for binding in rule.bindings)}" if rule.bindings else ""
    if isinstance(rule.value, ast.BoolLit):
        return f"“{query}” {'holds' if rule.value.value else 'does not hold'}{target}{layer}"
    note = ", where “it” is what it would be otherwise" if is_named("it", rule.value) else ""
    return f"“{query}”{target} becomes {prose.say_value(rule.value)}{layer}{note}"


def _name_subject(name: str) -> str:
    return "this card" if name == "this" else humanise(name)


def _describe_gain(prose: StatementText, gain: ast.Gain) -> str:
    """Return the words for one gain: a keyword, “+2 strength”, or “the keywords of …”."""
    name = prose._get_query_name(gain.name)
    match gain.form, gain.value:
        case "", _:
            return name
        case "()", ast.ListLit(items=items):
            return f"{name} ({join_items(map(prose.say_value, items))})"
        case "keywords", ast.Expr() as card:
            return f"the keywords of {prose.say_value(card)}"
        case "is", ast.Expr() as value:
            return f"“{name}” as {prose.say_value(value)}"
        case sign, ast.Expr() as amount:
            return f"{sign.replace('-', '−')}{prose.say_operand(amount)} {name}"
    raise AssertionError(gain)


def _describe_binding(binding: ast.Binding) -> str:
    """Return a parameter of an event with the name that a rule gives it: “its n is called many”, or “with a target”."""
    parameter, name = humanise(binding.parameter), humanise(binding.name)
    if binding.name == "this":
        return f"its {parameter} is this card"
    if name != parameter:
        return f"its {parameter} is called {name}"
    return f"with {prepend_article(name) if name[1:] else name}"


T = TypeVar("T")
PrintedDecl = (
    model.ActionDecl | model.CardDecl | model.ChartDecl | model.EffectDecl | model.EndingDecl | model.EnumValueDecl
    | model.PhaseDecl
)  # fmt: skip
"""Declarations that can have a printed text."""
_RANGE = re.compile(r"(-?\d+)\s*\.\.\s*(-?\d+)")


class DeclarationText:
    """Translate the parts of declarations to English."""

    def __init__(self, ruleset: model.Ruleset, is_at_table: bool = False, shows_rules: bool = False) -> None:
        """Prepare the descriptions. With ``is_at_table``, they serve players, and prefer the words of the author.

        A printed text takes the place of a description, unless ``shows_rules`` asks for both.
        """
        self._ruleset = ruleset
        self._is_at_table = is_at_table
        self._shows_rules = shows_rules
        self._words = Vocabulary(ruleset)
        self._prose = StatementText(self._words)

    def _make_entry(self, title: str, doc: str, lines: Iterable[str] = ()) -> list[str]:
        lines, doc = list(lines), " ".join(doc.split())
        return [title, *(f"{INDENT}{line}" for line in ([doc, *lines] if doc and [doc] != lines else lines))]

    def _is_printed(self, decl: PrintedDecl) -> bool:
        """Return whether a declaration is told by its printed text alone."""
        return bool(decl.text) and not self._shows_rules

    def _make_printed_entry(self, title: str, decl: PrintedDecl) -> list[str]:
        """Return the title and the printed text of a declaration."""
        return [f"{title.removesuffix(':')}:", *(f"{INDENT}{' '.join(line.text.split())}" for line in decl.text)]

    def _join_texts(self, decl: PrintedDecl, doc: str = "") -> str:
        """Return the printed text of a declaration and its doc as one paragraph."""
        return " ".join([*(" ".join(line.text.split()) for line in decl.text), doc.strip()]).strip()

    def _get_player_text(self, decl: PrintedDecl, doc: str) -> str:
        """Return the printed text of a declaration, or else its doc."""
        return self._join_texts(decl) or doc

    def _begin_entry(self, params: Iterable[tuple[model.Word, model.Word]] = ()) -> None:
        """Begin an entry with these parameters, and forget the names that earlier entries introduced."""
        self._prose.begin_text(*(name.text for name, _ in params))

    def describe_data(self, value: model.Value) -> str:
        """Return plain data in words.

        Truth values are “yes” and “no”, ``2..4`` is “2 to 4”, and None, ``none`` or an empty list is “nothing”. Numbers
        stay. Lists are “a, b and c”, and mappings “a 1; b 2”, nested data likewise. An empty mapping is ``""``. A list
        with repetitions is “3 coins and 1 gem” if all its items are enum values with a declared plural. Names of enum
        values and cards appear as their labels. In other texts, underscores and dots become blanks: ``red_hat`` is “red
        hat”. The label of a value is in lower case if its plural is, except for acronyms.
        """
        if value.is_map:
            return "; ".join(f"{self.get_label(key)} {self.describe_data(item)}" for key, item in list_entries(value))
        if isinstance(value.data, tuple):
            items_text = self._count_items([item.data for item in value.data])
            return items_text or join_items(map(self.describe_data, value.data))
        if isinstance(value.data, bool):
            return "yes" if value.data else "no"
        if isinstance(value.data, str) and (bounds := _RANGE.fullmatch(value.data)):
            return f"{bounds[1]} to {bounds[2]}"
        return "nothing" if value.data in (None, "none") else self.get_label(str(value.data))

    def _count_items(self, items: Sequence[object]) -> str:
        """Describe a list of counters with repeated ones: “3 materials and 1 capital”, or "" for any other list."""
        numbers = Counter(items)
        counters = [(self._words.values.get(item) if isinstance(item, str) else None, n) for item, n in numbers.items()]
        values = [(value, n) for value, n in counters if value is not None and value.plural is not None]
        if len(numbers) == len(items) or len(values) < len(counters):
            return ""
        return join_items(f"{n} {self._words.name_value(value, is_plural=n > 1)}" for value, n in values)

    def get_label(self, name: str) -> str:
        """Return the label of an enum value or card, or any other name as words."""
        if name in self._words.values:
            return self._words.name_value(self._words.values[name])
        return self._words.name_card(self._words.cards[name]) if name in self._words.cards else humanise(name)

    def describe_action(self, decl: model.ActionDecl, prose: StatementText | None = None) -> list[str]:
        """Return an action as lines: its label with a colon, then lines indented by two blanks.

        They are its doc (left out if it equals the only other line), ``Allowed only if …`` for each condition,
        ``Choose …``, its announcement ``All are told: “…”.`` and its statements. If it has a cost, this stands under
        ``This is the cost:``, and the announcement and the statements under ``For that:``, all indented by four. A
        value in the label stands in brackets: ``Dodge [c]:``. Without a label, ``draw_card`` gives ``Draw card:``.
        ``prose`` words the label of an action on a card. An action with a printed text has only its name, as
        ``Draw card:``, and the lines of this text. With ``shows_rules``, it has all lines, and its printed text and doc
        are joined to one line.
        """
        self._begin_entry()
        label = make_title(decl.name.text)
        if self._is_printed(decl):
            return self._make_printed_entry(label, decl)
        if decl.label is not None:
            label = self._translate(parse_template, decl.label, (prose or self._prose).format_text)
        return self._make_entry(f"{label}:", self._join_texts(decl, decl.doc), self._describe_action_body(decl))

    def _describe_says(self, text: EmbeddedText | None) -> list[str]:
        """Return the line about the announcement of an action or effect."""
        return [] if text is None else [f"All are told: “{self._format_template(text)}”."]

    def _describe_action_body(self, decl: model.ActionDecl) -> list[str]:
        """Describe the conditions, the choices, the cost and the effect of an action."""
        lines = [f"Allowed only if {self._say_condition(condition)}." for condition in decl.conditions]
        if decl.choose is not None:
            choices = self._translate(parse_choice_vars, decl.choose, self._prose.describe_choice_vars)
            lines.append(f"Choose {choices}.")
        if decl.cost is None:
            return [*lines, *self._describe_says(decl.says), *self.describe_block(decl.do)]
        lines += ["This is the cost:", *(f"{INDENT}{line}" for line in self.describe_block(decl.cost)), "For that:"]
        body = [*self._describe_says(decl.says), *self.describe_block(decl.do)]
        return [*lines, *(f"{INDENT}{line}" for line in body)]

    def _format_while(self, active: EmbeddedText) -> str:
        condition = self._say_condition(active)
        return "Always:" if condition == "always" else f"While {condition}:"

    def _describe_rule(self, text: EmbeddedText) -> list[str]:
        rule = parse_rule(text, Diagnostics())
        return text.text.splitlines() if rule is None else _describe_parsed_rule(self._prose, rule)

    def _translate(
        self, parse: Callable[[EmbeddedText, Diagnostics], T | None], text: EmbeddedText, describe: Callable[[T], str]
    ) -> str:
        """Parse a text and describe it. Return the text itself if it doesn't parse."""
        node = parse(text, Diagnostics())
        return describe(node) if node is not None else text.text.strip()

    def describe_block(self, text: EmbeddedText) -> list[str]:
        """Return the statements of an effect text as lines, or the lines of the text itself if it doesn't parse."""
        return self._translate(
            parse_block, text, lambda block: "\n".join(self._prose.describe_block(block))
        ).splitlines()

    def say_value(self, text: EmbeddedText) -> str:
        """Return an expression in words, or the text itself if it doesn't parse."""
        return self._translate(parse_expression, text, self._prose.say_value)

    def _say_condition(self, text: EmbeddedText | None) -> str:
        return "always" if text is None else self._translate(parse_expression, text, self._prose.say_condition)

    def _format_template(self, text: EmbeddedText) -> str:
        return self._translate(parse_template, text, self._prose.format_text)

    def _get_phase_title(self, decl: model.PhaseDecl) -> str:
        return self._format_template(decl.label) if decl.label is not None else make_title(decl.id.text)


def walk_phases(phases: Iterable[model.PhaseDecl], depth: int = 0) -> Iterator[tuple[model.PhaseDecl, int]]:
    """Yield every phase with its nesting depth. Each phase comes before its parts."""
    for phase in phases:
        yield phase, depth
        yield from walk_phases(phase.phases, depth + 1)


def describe_type(type: str) -> str:
    """Return a type as written in words: ``Int?`` gives “a number or nothing”, and ``List[Int]`` “a list of Int”.

    ``Int``, ``Bool``, ``Text`` and ``Player`` give “a number”, “yes or no”, “a text” and “a player”. Any other name,
    such as ``Colour``, gives “one of Colour”.
    """
    if type.endswith("?"):
        return f"{describe_type(type.rstrip('? '))} or nothing"
    if type.startswith("List["):
        return f"a list of {type[5:-1]}"
    type_names = {"Int": "a number", "Bool": "yes or no", "Text": "a text", "Player": "a player"}
    return type_names.get(type, f"one of {type}")


def list_entries(value: model.Value) -> list[tuple[str, model.Value]]:
    """Return the (key, value) pairs of a mapping in order, each key as a string, or [] for any other data."""
    return [(word.text, row) for word, row in value.data] if value.is_map and isinstance(value.data, tuple) else []
