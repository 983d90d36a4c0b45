"""Keywords: words that cards of a kind can have, printed or given by rules. A part of the checker.

A keyword is a query of the card, `Kind.keyword`, whose value is what is printed, or nothing: so it can be asked for and
changed like any other. The rules that come with it are read with the others, by :mod:`rules`.
"""

from __future__ import annotations

from .. import core
from ..core.origin import KEYWORDS, Origin
from ..core.sugar import BlankableKeyword
from ..language.types import BOOL, NOTHING, BoolType, ComponentType, IntType, ListType, Type, optional
from ..ruleset import model
from ..text import codes
from ..text.diagnostics import about_name, did_you_mean
from ..text.source import Embedded, Span
from ..text.spelling import article, listed
from .call_graph import Owner
from .declarations import Declarations
from .names import BrokenSymbol, KeywordSymbol
from .texts import Texts, template_in


def full_name(decl: model.KeywordDecl) -> str:
    """The query that a keyword is: for its value, or for whether a card has it, where it is an effect or action."""
    return f"{decl.kind.text}.{decl.name.text if decl.member is None else f'has {decl.name.text}'}"


class Keywords:
    """The keywords of all kinds."""

    def __init__(self, ruleset: model.Ruleset, declared: Declarations, texts: Texts) -> None:
        self.ruleset = ruleset
        self.declared = declared
        self.texts = texts
        self.names = declared.names
        self.notes = texts.notes
        self.diagnostics = texts.report
        self.queries: dict[str, core.Query] = {}
        self._decls: dict[str, model.KeywordDecl] = {}  # by the query that each is

    def declare(self) -> None:
        """Makes a query of each keyword, and notes what is printed on which card."""
        decls = {(decl.kind.text, decl.name.text): decl for decl in self.ruleset.keywords if self._keyword(decl)}
        for card in self.ruleset.cards:
            self._printed(card, decls)

    def bearers(self, name: str) -> tuple[int, ...]:
        """The cards on which a keyword is printed."""
        kind, word = self._decls[name].kind.text, self._decls[name].name.text
        return tuple(e.number for e in self.declared.entities if e.kind == kind and e.fields.get(word))

    def is_deed(self, name: str) -> bool:
        """Whether a keyword is an effect or action, which rules neither give nor take away."""
        return self._decls[name].member is not None

    def blankable(self) -> tuple[BlankableKeyword, ...]:
        """Those of cards that can be blank."""
        found = []
        for name, query in self.queries.items():
            kind = self._decls[name].kind.text
            if kind in self.texts.names.blank_kinds:
                found.append(BlankableKeyword(name, kind, _or_nothing(query.type)[1], bool(self.bearers(name))))
        return tuple(found)

    def _keyword(self, decl: model.KeywordDecl) -> bool:
        name, span, full = decl.name.text, decl.name.span, full_name(decl)
        if decl.member is None:
            self.declared.check_name(name, span)
            self.declared.unlike_members(name, span)
        kind = self.names.kinds.get(decl.kind.text)
        if kind is None:
            hint = did_you_mean(decl.kind.text, self.names.kinds) or "declare it under `components`"
            message = f"there is no component kind `{decl.kind.text}`"
            about = about_name(decl.kind.text)
            self.diagnostics.add(codes.UNKNOWN_TYPE, message, decl.kind.span, hint, about=about)
            return False
        self.notes.used.add(kind.name)
        if decl.member is not None and isinstance(self.names.symbols[f"{kind.name}.{name}"], BrokenSymbol):
            return False
        if decl.member is None and (full in self.names.symbols or name in kind.fields):
            message = f"{article(f'`{kind.name}`')} has a `{name}` already"
            notes = [(kind.span, "declared here")]
            self.diagnostics.add(codes.NAME_TAKEN, message, span, "give one of them another name", notes)
            self.names.symbols[full] = BrokenSymbol(full, span)
            return False
        of_value = BOOL if decl.type is None else self.declared.data.type(decl.type)
        type, nothing = _or_nothing(of_value)
        this = ComponentType(kind.name)
        self.names.symbols[full] = KeywordSymbol(full, span, False, (("this", this),), type)
        value = core.Field(type, span, core.Local(this, span, 0, "this"), name)
        origin = core.WRITTEN if decl.member is None else Origin(KEYWORDS, name, "has")
        self.queries[full] = core.Query(full, False, (core.Param(0, "this", this),), type, 1, value, (), origin)
        self._decls[full] = decl
        for entity in self.declared.entities[kind.first : kind.first + kind.size]:
            entity.fields[name] = nothing
        if kind.name in self.texts.names.blank_kinds:
            self.texts.notes.graph.call(Owner("query", full), Owner("query", f"{kind.name}.blank"), span)
        routine = self.texts.routine(Owner("reminder", full))
        if decl.type is not None:
            routine.bind_quietly(name, of_value, span, "value")
        template_in(routine, decl.label)
        template_in(routine, decl.reminder)
        return True

    def _printed(self, card: model.CardDecl, decls: dict[tuple[str, str], model.KeywordDecl]) -> None:
        """The keywords of a card: each known to its kind, once, with a value or without."""
        kind = card.kind.text
        seen: dict[str, Span] = {}
        for word, value in card.keywords:
            full = f"{kind}.{word.text}"
            decl = decls.get((kind, word.text))
            if decl is None or decl.member is None:
                self.notes.used.add(full)
            if word.text in seen:
                hint, notes = "remove one of them", [(seen[word.text], "first here")]
                self.diagnostics.add(codes.CARD_MEMBERS, f"`{word.text}` is listed twice", word.span, hint, notes)
            elif decl is not None:
                self._value(card, decl, word, value)
            elif full not in self.names.symbols:
                known = [d.name.text for d in decls.values() if d.kind.text == kind]
                hint = did_you_mean(word.text, known) or (
                    f"its keywords are {listed(known)}" if known else f"declare it under `keywords` with `kind: {kind}`"
                )
                message = f"{article(f'`{kind}`')} has no keyword `{word.text}`"
                about = (f"member {kind}.{word.text}",) if kind in self.names.kinds else about_name(kind)
                self.diagnostics.add(codes.CARD_MEMBERS, message, word.span, hint, about=about)
            seen.setdefault(word.text, word.span)

    def _value(
        self,
        card: model.CardDecl,
        decl: model.KeywordDecl,
        word: model.Word,
        value: model.Value | Embedded | model.ActionDecl | None,
    ) -> None:
        name, notes = word.text, [(decl.name.span, "declared here")]
        if decl.member is not None and not isinstance(value, Embedded | model.ActionDecl):
            message = f"the keyword `{name}` needs what the card does"
            hint = f"write it behind a colon: `{{{name}: …}}`"
            self.diagnostics.add(codes.CARD_MEMBERS, message, word.span, hint, notes)
        elif decl.to is not None and not isinstance(value, Embedded):
            message = f"the keyword `{name}` needs what it gives"
            hint = f"write it behind a colon: `{{{name}: +1 strength}}`"
            self.diagnostics.add(codes.CARD_MEMBERS, message, word.span, hint, notes)
        elif decl.member is None and decl.type is None and decl.to is None and value is not None:
            message = f"the keyword `{name}` has no value"
            self.diagnostics.add(codes.CARD_MEMBERS, message, word.span, f"write `{name}` alone", notes)
        elif decl.type is not None and value is None:
            message = f"the keyword `{name}` needs its value, {article(f'`{decl.type.text}`')}"
            self.diagnostics.add(codes.CARD_MEMBERS, message, word.span, f"write `{{{name}: …}}`", notes)
        else:
            type = NOTHING if decl.type is None else self.declared.data.type(decl.type)
            printed: object = True
            if isinstance(value, model.Value):
                printed = self.declared.data.value(type, value, f"the value of `{name}`")
            for entity in self.declared.entities:
                if entity.card == card.id.text:
                    entity.fields[name] = printed
                    entity.written[name] = value.span if isinstance(value, model.Value) else word.span


def _or_nothing(type: Type) -> tuple[Type, object]:
    """The type of a keyword's value, and the value of cards that don't have it."""
    match type:
        case BoolType():
            return type, False
        case IntType():
            return type, 0
        case ListType():
            return type, ()
    return optional(type), None
