"""Define the keys and the typed commands of the table, and the help page about them."""

from __future__ import annotations

from lusory_dsl.source.spelling_suggestions import find_nearest

from ...explain.styled_text_wrapping_and_values import Line, Run

KEYS = {
    "enter": "enter",
    "tab": "tab",
    "escape": "back",
    "backspace": "erase",
    "ctrl+z": "undo",
    "ctrl+y": "redo",
    "ctrl+s": "save",
    "ctrl+q": "leave",
    "ctrl+c": "interrupt",
    "f1": "help",
    "f2": "table",
    "f3": "story",
    "f4": "look",
    "f5": "rules",
    "f6": "recap",
    "f7": "glossary",
    "f8": "hint",
}
"""Key -> action of the table."""

SCROLLS = {"pageup": ("story", -5), "pagedown": ("story", 5), "shift+up": ("table", -3), "shift+down": ("table", 3)}
"""Key -> the part that scrolls, and the number of lines."""
SCROLLS_AT_END = SCROLLS | {
    key: ("options", rows) for key, rows in (("up", -1), ("down", 1), ("pageup", -5), ("pagedown", 5))
}
"""The same once the game is over: the result takes the place of the list of options."""

THROUGH = frozenset({*(f"f{number}" for number in range(1, 9)), "ctrl+q", "ctrl+c"})
"""Keys that do on a help page what they do at the table."""

COMMANDS = {
    "help": "help",
    "table": "table",
    "log": "story",
    "rules": "rules",
    "explain": "rules",
    "look": "look",
    "glossary": "glossary",
    "why": "why",
    "hint": "hint",
    "auto": "auto",
    "undo": "undo",
    "redo": "redo",
    "save": "save",
    "plain": "plain",
    "quit": "leave",
}
"""Command word -> action of the table. Some actions take arguments."""


def find_command(text: str) -> tuple[str, str]:
    """Split typed text into a command word in lower case and its arguments, both without surrounding blanks.

    Leading ``:`` and ``/`` are dropped; the word need not be a command. ``/Look Old Mill`` becomes ``look``, ``Old
    Mill``.
    """
    word, _, arguments = text.strip().lstrip(":/").partition(" ")
    return word.lower(), arguments.strip()


def suggest_command(word: str) -> Line:
    """Return a hint about a word that is neither an option nor a command, as one dim run.

    The hint is ``F1 tells what can be typed.`` If the name of a command is similar, it begins with a question:
    ``Did you mean “look”? F1 tells what can be typed.``
    """
    similar = find_nearest(word, COMMANDS)
    suggestion = f"Did you mean “{similar}”? " if similar else ""
    return (Run(f"{suggestion}F1 tells what can be typed.", dim=True),)


_KEY_ROWS = (
    ("Choosing", ""),
    ("arrows", "move the highlight from one option to the next"),
    ("1 2 3 …", "highlight an option; Enter takes it. Backspace erases a digit, and a wrong number is dropped"),
    ("letters", "show only the options with these words; Enter highlights one, and Enter again takes it"),
    ("Tab", "goes from the list to the table and back, or completes what you typed"),
    ("Enter", "takes the highlighted option, or confirms your picks"),
    ("Space", "picks one of several, and puts it back; it never confirms"),
    ("E", "ends your turn at once, or after a question if something useful is left"),
    ("Esc", "goes back a step"),
    ("mouse", "a click highlights an option or a thing on the table; a double click takes it"),
    ("Reading", ""),
    ("F1", "this page"),
    ("F2", "the whole table"),
    ("F3", "everything that happened; PgUp and PgDn scroll it on the table"),
    ("F4", "what the highlighted option is about; also: look NAME"),
    ("F5", "the rules; also: rules NAME"),
    ("F6", "what happened since your last decision"),
    ("R", "at what happened: the game stops there after each turn of others, each round, or never"),
    ("F7", "the words of this game"),
    ("F8", "a hint: what a bot would do; Esc stops the search for it"),
    ("Shift ↑ ↓", "scrolls a table that is too high"),
    ("why NAME", "says why something can't be chosen now"),
    ("auto", "a bot decides for you; auto 5, auto turn, auto game, auto until WORDS; any key stops it"),
    ("Playing", ""),
    ("Ctrl-Z", "takes back your last decision, if you have learned nothing new since; Ctrl-Y repeats it"),
    ("Ctrl-S", "saves the game; also: save FILE"),
    ("plain", "goes on line by line"),
    ("Ctrl-Q", "leaves the game"),
)


def _list_help() -> tuple[Line, ...]:
    lines: list[Line] = []
    for key, words in _KEY_ROWS:
        lines += [(Run(f"  {key:<10} ", colour="sky"), Run(words))] if words else [(), (Run(key, bold=True),)]
    return tuple(lines[1:])


HELP = _list_help()
"""The help page about keys and commands."""
