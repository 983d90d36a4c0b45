"""The automaton at work: a lexer that knows what can stand where it is, and an LALR(1) parser, over one text.

Both go by the tables of the grammar. Aho, Lam, Sethi, Ullman, *Compilers*, 2nd edition, 4.5 to 4.7; the lexer is
contextual, as in Lark, which the tables are made by: a terminal is one only where the parser can go on with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache

from .tables import ALWAYS, Production, tables
from .trees import Items, Token, Tree, token

END = "$END"
WHOLE_TEXTS = frozenset(("WORDS", "TEMPLATE_WORDS"))
"""Terminals that nearly everything is, where they can stand."""


class Unfit(Exception):
    """There is no way on from here. ``token``: what stands here; None: nothing that the language knows, at ``at``."""

    def __init__(self, token: Token | None, at: int) -> None:
        super().__init__()
        self.token = token
        self.at = at


@cache
def _scanner(kinds: frozenset[str] | None) -> Callable[[str, int], re.Match[str] | None]:
    """What finds the first of some terminals at a place, of the many that the tables try in order. None: of all."""
    wanted = [(name, way) for name, way in tables().terminals if kinds is None or name in kinds]
    return re.compile("|".join(f"(?P<{name}>{way})" for name, way in wanted)).match


@cache
def _scanner_in(state: int) -> Callable[[str, int], re.Match[str] | None]:
    """What finds what can stand in a state of the parser."""
    return _scanner(tables().ignored.union(ALWAYS, tables().actions[state]))


class Run:
    """One text from one of the starting rules."""

    def __init__(self, text: str, start: str) -> None:
        self._text = text
        self._tables = tables()
        first, self._last = self._tables.starts[start]
        self._states = [first]
        self._values: Items = []

    def tokens(self) -> Iterator[Token]:
        """The tokens of the text, each as the parser can take it when it is asked for. Raises :class:`Unfit`."""
        text, states = self._text, self._states
        terminals, words, _, ignored, _, actions, _, _ = self._tables
        always = ignored.union(ALWAYS)
        everywhere = _scanner(frozenset(name for name, _ in terminals) - WHOLE_TEXTS)
        at, size = 0, len(text)
        while at < size:
            row = actions[states[-1]]
            found = everywhere(text, at) if WHOLE_TEXTS.isdisjoint(row) else None
            if found is None or ((kind := found.lastgroup) not in row and kind not in always):
                # What comes first in the order of terminals can't stand here; another one may.
                found = _scanner_in(states[-1])(text, at)
                if found is None:
                    raise Unfit(self._anywhere(at), at)
                kind = found.lastgroup
            begun, at = at, found.end()
            if kind in ignored:
                continue
            word = found.group()
            if kind == "NAME" and words.get(word) in row:
                kind = words[word]
            yield token(kind or "", word, begun, at)

    def _anywhere(self, at: int) -> Token | None:
        """What stood here if everything could."""
        found = _scanner(None)(self._text, at)
        if found is None:
            return None
        word, kind = found.group(), found.lastgroup or ""
        return token(self._tables.words.get(word, kind) if kind == "NAME" else kind, word, at, found.end())

    def feed(self, fed: Token) -> None:
        """Goes on over a token. Raises :class:`Unfit`."""
        states, values = self._states, self._values
        _, _, _, _, productions, actions, gotos, _ = self._tables
        kind = fed.type
        while (action := actions[states[-1]].get(kind)) is not None:
            if action >= 0:
                states.append(action)
                values.append(fed)
                return
            made = productions[~action]
            if made.alone:
                states[-1] = gotos[states[-2]][made.origin]
                continue
            children: Items = []
            if size := made.size:
                children = values[-size:]
                del values[-size:], states[-size:]
            values.append(_made(made, children))
            states.append(gotos[states[-1]][made.origin])
            if kind == END and states[-1] == self._last:
                return
        raise Unfit(fed, fed.start_pos)

    def end(self, last: Token | None) -> Tree:
        """What the text is, which has ended. ``last``: its last token. Raises :class:`Unfit`."""
        self.feed(token(END, "", *((last.start_pos, last.end_pos) if last is not None else (0, 0))))
        tree: Tree = self._values[-1]
        return tree

    def takes(self, kind: str) -> bool:
        """Whether a terminal can stand here: what :meth:`feed` would do with it, without doing it."""
        states = self._states.copy()
        _, _, _, _, productions, actions, gotos, _ = self._tables
        while (action := actions[states[-1]].get(kind)) is not None:
            if action >= 0:
                return True
            made = productions[~action]
            if made.size:
                del states[-made.size :]
            states.append(gotos[states[-1]][made.origin])
            if kind == END and states[-1] == self._last:
                return True
        return False

    def expected(self) -> frozenset[str]:
        """The terminals that can stand here."""
        return frozenset(kind for kind in self._tables.actions[self._states[-1]] if self.takes(kind))


def _made(rule: Production, parts: Items) -> Tree | Token | None:
    """What comes of the parts of a rule."""
    children = parts
    if rule.parts is not None:
        children = []
        for index, opened, left_out in rule.parts:
            if left_out:
                children += [None] * left_out
            if not opened:
                children.append(parts[index])
            elif children:
                children += parts[index].children
            else:  # a list that grows behind: it is not copied for each item
                children = parts[index].children
        if rule.behind:
            children += [None] * rule.behind
    if rule.single and len(children) == 1:
        made: Tree | Token | None = children[0]
        if type(made) is not Tree:
            return made
    else:
        made = Tree(rule.name, children)
    for part in parts:
        if part is not None and (first := part.start_pos if type(part) is Token else part.first) is not None:
            break
    else:
        return made
    for part in reversed(parts):
        if part is not None and (last := part.end_pos if type(part) is Token else part.last) is not None:
            break
    if made.first is None:
        made.start_pos, made.end_pos = first, last
    made.first, made.last = first, last
    return made
