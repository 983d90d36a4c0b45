"""Lint leaks of hidden information.

They report five kinds of problems:

- texts that some readers may never know
- choices among cards that the chooser can't see
- answers that everybody reads, although they are written to a hidden variable
- visible consequences of a secret answer or a hidden place
- values of an enum that are drawn with the same sign

Only certain problems are reported: a place must always be hidden, and a name must belong to a secret choice or draw. A
place that an answer is written to counts even if it is hidden only at times.
:mod:`lusory_dsl.core.knowledge_of_locals` finds the texts that a reader may not know. If a place is hidden only at
times, the engines hide it during play.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set

from .. import core
from ..checker.check import CheckedRuleset
from ..core.knowledge_levels_and_knowledge_results import Knowledge
from ..core.knowledge_of_locals import get_knowledge
from ..source import diagnostic_codes as codes
from ..source.diagnostics import Diagnostics
from ..source.source import Span
from ..types.types import ListType, PlayerType, is_component

Name = tuple[int, str]  # slot and name of a local
Block = tuple[core.Stmt, ...]
Places = Mapping[str, core.Place]


class LeakLint:
    """Search routines for leaks of hidden information.

    Example: with ``secret_role`` visible to nobody, ``announce "{secret_role}"`` is reported, because readers get
    ``?``.
    """

    def __init__(self, places: Places, private_sites: Set[int], diagnostics: Diagnostics) -> None:
        """Take the places by name, and the sites of choices that other players don't read about."""
        self.places = places
        self.private_sites = private_sites
        self.diagnostics = diagnostics

    def _check_routine(self, block: tuple[core.Stmt, ...]) -> None:
        """Report leaks of hidden information in a block and its nested blocks:

        - a secret answer or draw, or a hidden place, in an announcement to everybody or a reason of an ending
        - a card that still lies in a hidden place, in an announcement to everybody
        - a place that nobody sees, in an announcement to some players
        - a place that the chooser can't see, in a prompt, a label or an offer of cards
        - a shuffle, an announcement to everybody or the game's end, after a condition on a secret answer or draw
        - an announcement to everybody after a condition on a hidden place, unless others see the branch anyway
        - an answer that isn't secret and goes into a variable that is hidden, even if only at times

        For all but the last, a hidden place is hidden at all times. The number of cards in a zone is never hidden.
        """
        statements = list(core.walk_statements(block))
        self._check_open_answers(statements)
        secret_names = {name: span for stmt in statements for name, span in _iterate_secrets(stmt)}
        hidden_components: dict[Name, Span] = {}  # components that still lie in a hidden place -> that place
        for stmt in statements:
            match stmt:
                case core.Let(slot=slot, name=name, value=source) | core.ForEach(slot=slot, name=name, source=source):
                    zone_reads = list(_iterate_source_zones(source)) if is_component(source.type) else []
                    if zone_reads and all(self._is_hidden(zone_read, None, True) for zone_read in zone_reads):
                        hidden_components[slot, name] = zone_reads[0].span
                    if isinstance(stmt, core.ForEach) and stmt.condition is not None:
                        self._check_hidden_branch([stmt.condition], stmt.body)
                case _ if isinstance(stmt, core.CallEffect) or core.get_moves(stmt):
                    hidden_components.clear()
                    for local in self._iterate_revealed(stmt):
                        secret_names.pop((local.slot, local.name), None)
                case core.Announce(text=text, to=None):
                    self._check_text(text, secret_names, None, True)
                    self._check_components(text, hidden_components)
                case core.Announce(text=text):
                    self._check_text(text, {}, None, False)
                case core.EndGame(reason=text) if text is not None:
                    self._check_text(text, secret_names, None, True)
                case core.Ask(chooser=chooser, prompt=prompt, alternatives=alternatives):
                    self._check_text(prompt, {}, chooser, True)
                    for alternative in alternatives:
                        if alternative.label is not None:
                            self._check_text(alternative.label, {}, chooser, True)
                        for var in alternative.vars:
                            self._check_offer(var.domain, chooser, alternative.name is not None)
                case core.AskMany(chooser=chooser, prompt=prompt, source=source):
                    self._check_text(prompt, {}, chooser, True)
                    self._check_offer(source, chooser, False)
                case core.If(branches=branches, otherwise=otherwise):
                    for condition, body in branches:
                        self._check_secret_branch(condition, body, secret_names)
                    conditions = [condition for condition, _ in branches]
                    for number, body in enumerate([*(body for _, body in branches), otherwise], 1):
                        self._check_hidden_branch(conditions[:number], body)
                case core.Repeat(condition=condition, body=body) if condition is not None:
                    self._check_hidden_branch([condition], body)

    def _check_text(
        self, text: core.TextTemplate, secret_spans: Mapping[Name, Span], reader: core.Expr | None, hides_owned: bool
    ) -> None:
        """Report parts of a text that a reader may not know.

        ``reader`` is the only player who reads it, or None. If ``hides_owned`` is true, a place that only its owner
        sees counts as hidden from other readers.
        """
        for part in text.parts:
            if isinstance(part, str):
                continue
            for expr in _iterate_reads(part, self.places):
                if isinstance(expr, core.Local) and (expr.slot, expr.name) in secret_spans:
                    notes = [(secret_spans[expr.slot, expr.name], "it is secret here")]
                    self._report_text(part.span, f"`{expr.name}` is secret, so its readers get `?` instead", notes)
                elif self._is_hidden(expr, reader, hides_owned):
                    self._report_text(part.span, "some readers can't see this value and get `?` instead", [])

    def _check_components(self, text: core.TextTemplate, hidden_components: Mapping[Name, Span]) -> None:
        """Report components that a public announcement names although they are still in a hidden place."""
        for part in text.parts:
            nodes = () if isinstance(part, str) else (node for node in core.walk(part) if isinstance(node, core.Local))
            for local in nodes:
                if (local.slot, local.name) in hidden_components:
                    notes = [(hidden_components[local.slot, local.name], "it is still here")]
                    self._report_text(
                        local.span, f"some readers can't see where `{local.name}` is and get `?` instead", notes
                    )

    def _report_unreadable(self, knowledge: Knowledge) -> None:
        """Report parts of texts that no reader can know, or only one of the recipients."""
        for span, is_for_nobody in knowledge.unreadable_parts.items():
            group, readers = ("no reader", "everybody gets") if is_for_nobody else ("only one player", "the others get")
            self._report_text(span, f"{group} can know this when it is announced, so {readers} `?`", [])

    def _report_text(self, span: Span, message: str, notes: list[tuple[Span, str]]) -> None:
        hint = "announce it once it is public, or only `to` the players who know it"
        self.diagnostics.add(codes.TELLS_HIDDEN, message, span, hint, notes)

    def _iterate_revealed(self, stmt: core.Stmt) -> Iterator[core.Local]:
        """Yield the locals whose components a statement may bring into sight.

        It may move them to a zone that isn't always hidden, or call an effect that gets them.
        """
        if isinstance(stmt, core.CallEffect):
            components = list(stmt.args)
        else:
            components = [
                move.components
                for move in core.get_moves(stmt)
                if self.places[move.target].visible.constant in (None, "all")
            ]
        yield from (local for local in components if isinstance(local, core.Local) and is_component(local.type))

    def _is_hidden(self, expr: core.Expr, reader: core.Expr | None, hides_owned: bool) -> bool:
        """Return whether ``expr`` reads a place that is always hidden from ``reader``."""
        if not isinstance(expr, core.ReadCell | core.ReadZone | core.PoolKinds | core.PoolTotal):
            return False
        (name,) = core.get_reads(expr)
        place = self.places.get(name)
        if place is None or place.visible.constant in (None, "all"):
            return False
        if place.visible.constant == "nobody":
            return True
        pairs = zip(expr.indices, place.dims, strict=False)
        owner = next((index for index, dim in pairs if isinstance(dim.type, PlayerType)), None)
        return hides_owned and owner is not None and not _is_same_player(owner, reader)

    # ------------------------------------------------------------ choices

    def _check_offer(self, domain: core.Expr, chooser: core.Expr, has_name: bool) -> None:
        """Report cards that the chooser can't see. ``has_name`` is true for an option or action."""
        if not is_component(domain.type):
            return
        source = next((zone for zone in _iterate_source_zones(domain) if self._is_hidden(zone, chooser, True)), None)
        if source is not None:
            message = "the player who chooses can't see these cards"
            choice = "unseen card in …" if has_name else "choose unseen card in …"
            hint = f"write `{choice}`, or move the cards to a zone that this player sees"
            self.diagnostics.add(codes.UNSEEN_CARDS, message, source.span, hint, [])

    def _check_open_answers(self, statements: Sequence[core.Stmt]) -> None:
        """Warn about answers that everybody reads in the log, and that are then written to a hidden variable.

        Example: ``choose n in 0..9: set bid to n`` reveals ``n`` if only the owner sees ``bid``.
        """
        answers: dict[Name, Span] = {}
        for stmt in statements:
            match stmt:
                case core.Ask(site=site, alternatives=alternatives):
                    for var in (var for alternative in alternatives for var in alternative.vars):
                        answers.pop((var.slot, var.name), None)
                        if not var.is_secret and site not in self.private_sites:
                            answers[var.slot, var.name] = var.span
                case core.Let(slot=slot, name=name) | core.ForEach(slot=slot, name=name):
                    answers.pop((slot, name), None)
                case core.Random(slot=slot, name=name) | core.AskMany(slot=slot, name=name):
                    answers.pop((slot, name), None)
                case core.SetCell(place=name, op="set", value=core.Local() as value) if stmt.origin.is_authored:
                    span = answers.get((value.slot, value.name))
                    if span is not None and self.places[name].visible.constant != "all":
                        message = f"everybody reads this answer, although `{name}` is hidden"
                        hint = f"write `secret {value.name}`"
                        self.diagnostics.add(codes.ACTS_ON_SECRET, message, span, hint, [(stmt.span, "hidden here")])

    # ------------------------------------------------------------ branches

    def _check_secret_branch(
        self, condition: core.Expr, body: tuple[core.Stmt, ...], secret_spans: Mapping[Name, Span]
    ) -> None:
        """Warn about the first public statement in a branch whose condition reads a secret choice.

        ``secret_spans`` maps each secret name to the place where it is chosen. Public are a shuffle, the game's end,
        and an announcement to everybody.
        """
        locals_read = [node for node in core.walk(condition) if isinstance(node, core.Local)]
        local = next((node for node in locals_read if (node.slot, node.name) in secret_spans), None)
        if local is None:
            return
        for stmt in core.walk_statements(body):
            is_open = isinstance(stmt, core.Shuffle | core.EndGame) or (
                isinstance(stmt, core.Announce) and stmt.to is None
            )
            if is_open:
                message = f"everybody sees this, and it reveals the secret choice `{local.name}`"
                hint = "keep the answer in a hidden variable, and act on it once the answers are public"
                notes = [(secret_spans[local.slot, local.name], "it is secret here")]
                self.diagnostics.add(codes.ACTS_ON_SECRET, message, stmt.span, hint, notes)
                return

    def _check_hidden_branch(self, conditions: Sequence[core.Expr], body: Block) -> None:
        """Report public announcements in a branch that reveal its hidden condition.

        Reports nothing if something else in the branch reveals the condition, too.
        """
        sources = (source for condition in conditions for source in _iterate_reads(condition, self.places))
        source = next((source for source in sources if self._is_hidden(source, None, True)), None)
        if source is None or self._has_visible_effect(body):
            return
        for stmt in core.walk_statements(body):
            if isinstance(stmt, core.Announce) and stmt.to is None and stmt.origin.is_authored:
                message = "everybody reads this, and it reveals a hidden condition"
                hint = "announce it `to` the players who know, or in both cases of the condition"
                self.diagnostics.add(codes.ACTS_ON_SECRET, message, stmt.span, hint, [(source.span, "this is hidden")])

    def _has_visible_effect(self, body: Block) -> bool:
        """Return whether a block does something other than an announcement that other players can see."""
        for stmt in core.walk_statements(body):
            if isinstance(stmt, core.SetCell):
                if stmt.place not in self.places or self.places[stmt.place].visible.constant in (None, "all"):
                    return True
            elif not isinstance(stmt, core.Announce | core.Let | core.If | core.ForEach | core.Repeat | core.Stop):
                return True
        return False


def _iterate_secrets(stmt: core.Stmt) -> Iterator[tuple[Name, Span]]:
    """Yield the names of the secret answers and draws of a statement, with their spans."""
    match stmt:
        case core.Ask(alternatives=alternatives):
            for alternative in alternatives:
                yield from (((var.slot, var.name), var.span) for var in alternative.vars if var.is_secret)
        case core.AskMany(slot=slot, name=name, is_secret=True) | core.Random(slot=slot, name=name, is_secret=True):
            yield (slot, name), stmt.span


def _iterate_reads(expr: core.Expr, places: Places) -> Iterator[core.Expr]:
    """Yield the parts of an expression that read something that can be hidden.

    Leaves out the number of components in a zone, which all players may know. Leaves out the end of a zone that
    shows its end to others.
    """
    if isinstance(expr, core.CallBuiltin) and expr.name == "count" and isinstance(expr.args[0], core.ReadZone):
        return
    end_read = core.match_end_read(expr)
    zone = None if end_read is None else places.get(end_read[0].zone)
    if isinstance(zone, core.CardZone) and len(zone.visibilities) > 1:
        return
    yield expr
    for child in core.get_children(expr):
        yield from _iterate_reads(child, places)


def _iterate_source_zones(expr: core.Expr) -> Iterator[core.Expr]:
    """Yield the zones from which a component or the items of a list come."""
    match expr:
        case core.Filter(source=source) | core.Extreme(source=source) | core.Distinct(source=source):
            yield from _iterate_source_zones(source)
        case core.CallBuiltin(args=(items, *_)) if isinstance(items.type, ListType) and is_component(expr.type):
            yield from _iterate_source_zones(items)
        case core.Binary(op="union" | "join", left=left, right=right):
            yield from _iterate_source_zones(left)
            yield from _iterate_source_zones(right)
        case core.Binary(op="except", left=left):
            yield from _iterate_source_zones(left)
        case core.ReadZone():
            yield expr


def _is_same_player(first: core.Expr, second: core.Expr | None) -> bool:
    """Return whether two expressions are the same player. Returns true if the analysis can't tell them apart."""
    if isinstance(first, core.Local) and isinstance(second, core.Local):
        return first.slot == second.slot
    return second is not None and not isinstance(first, core.CallBuiltin)


def report_leaks(checked_ruleset: CheckedRuleset, report: Diagnostics) -> None:
    """Report leaks of hidden information in the setup, phases, effects and their rules.

    A choice among cards of a zone that is always hidden from the chooser is an error, UNSEEN_CARDS. All other leaks are
    warnings: TELLS_HIDDEN for a part of a text, and ACTS_ON_SECRET for the rest.

    :meth:`LeakLint._check_routine` lists the kinds of leaks. Effects of state checks are not searched for these. In the
    whole program, state checks included, two kinds of texts are examined: announcements and reasons of endings. A part
    of them is reported if nobody can know it, or only one player in a text for everybody. Each place in the text is
    reported once.
    """
    program = checked_ruleset.program
    lint = LeakLint({**program.variables, **program.pools, **program.zones}, program.private_sites, report)
    for body in core.iterate_bodies(checked_ruleset.phases, checked_ruleset.effects.values()):
        lint._check_routine(body)
    lint._report_unreadable(get_knowledge(program))


# ---------------------------------------------------------------- signs


def report_same_signs(checked_ruleset: CheckedRuleset, report: Diagnostics) -> None:
    """Warn about values of an enum that ``view`` draws with the same sign as an earlier value.

    A value without a sign is drawn by its short label. The warning stands at the sign, or at the type if the value has
    none. Types that are no enum are skipped.
    """
    view = checked_ruleset.ruleset.view
    for look in () if view is None else view.looks:
        enum = checked_ruleset.program.enums.get(look.type.text)
        if enum is None:
            continue
        signs_by_value = {word.text: sign for word, sign in look.signs}
        first_values: dict[str, str] = {}
        for value in enum.values:
            written_sign = signs_by_value.get(value.name)
            sign = value.short if written_sign is None else written_sign.text
            if sign in first_values:
                message = f"`{value.name}` and `{first_values[sign]}` of `{enum.name}` have the same sign `{sign}`"
                span = look.type.span if written_sign is None else written_sign.span
                report.add(codes.SAME_SIGN, message, span, "give each value its own sign: not everybody sees colours")
            first_values.setdefault(sign, value.name)
