"""Keywords and operators of the effect language, and words of other languages that authors write by mistake.

The parser, its error messages and the checks of declared names use these tables.
"""

from __future__ import annotations

# fmt: off
KEYWORDS = frozenset((
    "all", "and", "any", "by", "can", "choose", "decrease", "div", "each", "else", "empty", "except", "false", "for",
    "has", "if", "in", "increase", "intersect", "is", "let", "may", "mod", "move", "none", "not", "of", "or", "then",
    "true", "union", "until", "when", "where", "while", "with",
))
# fmt: on
"""Reserved words, which can't be names.

Behind a dot (``zone.top``) and before the colon of an argument, they are ordinary words.
"""

# fmt: off
SOFT_KEYWORDS = frozenset((
    "action", "add", "announce", "anticlockwise", "as", "at", "because", "begin", "begins", "bottom", "cancel",
    "changes", "clockwise", "distinct", "end", "ends", "entering", "enters", "from", "game", "gets", "instead",
    "keywords", "label", "layer", "least", "leaves", "most", "once", "open", "option", "order", "over", "pick",
    "player", "privately", "prompt", "random", "remove", "repeat", "roll", "secret", "set", "shuffle", "sorted",
    "split", "stop", "take", "times", "to", "top", "unseen", "up", "use", "whenever", "within",
))
# fmt: on
"""Words that are keywords only where the grammar expects them. Everywhere else they are ordinary names."""

CONNECTIVES = frozenset(("from", "to"))
"""Soft keywords that stand between names. Formerly reserved; a name like this next to the keyword is hard to read."""

CALLABLE_KEYWORDS = frozenset(("add", "remove"))
"""Soft keywords that begin a statement and can also be names of effects: `add(x)` is a call."""

NOTATIONS = {
    "let": "let name = value",
    "set": "set place to value` or `set query to value until duration ends",
    "increase": "increase place by number` or `increase query by number until duration ends",
    "decrease": "decrease place by number` or `decrease query by number until duration ends",
    "move": "move 2 kind from pool to pool` or `move cards to zone",
    "add": "add value to list",
    "remove": "remove value from list",
    "shuffle": "shuffle zone",
    "if": "if condition: …",
    "else": "else: …` or `else if condition: …",
    "for": "for each name in list: …",
    "each": "each player from p clockwise where condition: …",
    "by": "by player: …",
    "privately": "privately: …",
    "repeat": "repeat 3 times: …` or `repeat while condition, at most 10 times: …",
    "stop": "stop",
    "choose": 'choose name in list where condition, by player, prompt "…", label "…": …',
    "order": 'order name in list, by player, prompt "…", label "…"',
    "option": 'option name "label" with x in list if condition: …',
    "may": 'may "question", by player: …',
    "split": "split 5 as n over name in list where condition, at most number: …",
    "take": "take action name, name of cards, by player` or `take action from menu",
    "use": "use action of card, by player",
    "roll": "roll name in 1..6: …",
    "pick": "pick name in list at random: …",
    "announce": 'announce "text" to players',
    "end": 'end duration` or `end game by chart for players because "text"',
    "open": "open window(value): …",
    "cancel": "cancel",
    "begin": "begin span",
    "when": "when effect(parameter: name) if condition: …",
    "instead": "instead of effect(parameter: name) if condition: …",
    "whenever": "whenever condition: …",
    "while": "while condition: query(parameter: name) is value in layer name",
}
"""First word of a statement or rule -> its notation, for the hint of a syntax error."""

STATEMENTS = tuple(word for word in NOTATIONS if word not in {"else", "option", "when", "instead", "whenever", "while"})

BLOCK_HEADS = frozenset(word for word, notation in NOTATIONS.items() if ": …" in notation or word == "while")
"""First words of statements, rules and options that end in a colon and have a block."""

MISTAKEN_WORDS = {
    "elif": "else if condition: …",
    "elsif": "else if condition: …",
    "elseif": "else if condition: …",
    "otherwise": "else: …",
    "unless": "if not condition: …",
    "foreach": "for each name in list: …",
    "while": NOTATIONS["repeat"],
    "loop": NOTATIONS["repeat"],
    "var": NOTATIONS["let"],
    "const": NOTATIONS["let"],
    "def": NOTATIONS["let"],
    "break": "stop",
    "print": NOTATIONS["announce"],
    "say": NOTATIONS["announce"],
    "log": NOTATIONS["announce"],
    "subtract": NOTATIONS["decrease"],
    "gain": "move 2 kind from pool to pool",
    "pay": "move 2 kind from pool to pool",
    "lose": "move 2 kind from pool to pool",
    "draw": "move take(deck, 2) to hand",
    "deal": "each player: move take(deck, 2) to hand",
    "steal": "move 2 kind from pool to pool",
    "discard": "move card to zone",
    "reveal": "move card to zone",
    "put": "move card to zone",
    "return": "move card to zone",
    "you": NOTATIONS["may"],
    "ask": NOTATIONS["choose"],
    "select": NOTATIONS["choose"],
    "chose": NOTATIONS["choose"],
}
"""First word that authors write by mistake -> notation of the statement in this language."""

FOREIGN_OPERATORS = {
    "==": "=",
    "&&": "and",
    "||": "or",
    "!": "not",
    "<>": "!=",
    "=<": "<=",
    "=>": ">=",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "%": "mod",
    "/": "div",
    "×": "*",
    "÷": "div",
    "−": "-",
    "–": "-",
    "…": "..",
    "'": '"',
    "“": '"',
    "”": '"',
    "„": '"',
}
"""Operator or quotation mark of another language or of a word processor -> the operator of this language."""

# Precedence levels, from loosest to tightest. VALUE and PLAIN are the rules `expr` and `plain` of the grammar.
VALUE, SELECTION, PLAIN, OR, AND, NOT, COMPARISON, COLLECTION, RANGE, SUM, PRODUCT, SIGN, POSTFIX = range(13)

BINARY = {
    "or": OR,
    "and": AND,
    **dict.fromkeys(("=", "!=", "<", "<=", ">", ">=", "in", "not in"), COMPARISON),
    **dict.fromkeys(("union", "except", "intersect"), COLLECTION),
    "..": RANGE,
    **dict.fromkeys(("+", "-"), SUM),
    **dict.fromkeys(("*", "div", "mod"), PRODUCT),
}
"""Binary operator -> its precedence level."""
