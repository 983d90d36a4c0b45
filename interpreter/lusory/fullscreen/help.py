"""The keys and words of the table, and the page about them: one list of each."""

from __future__ import annotations

from lusory_dsl.text.diagnostics import nearest

from ..screen.text import Line, Run

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
    "f6": "details",
    "f7": "glossary",
}
"""Key → what the table does."""

SCROLLS = {"pageup": ("story", -5), "pagedown": ("story", 5), "shift+up": ("table", -3), "shift+down": ("table", 3)}
"""Key → which part scrolls, and by how many lines."""

THROUGH = frozenset({"f1", "f2", "f3", "f4", "f5", "f6", "f7", "ctrl+q", "ctrl+c"})
"""The keys that do on a page what they do at the table."""

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
"""Word → what the table does; some take more words behind them."""


def command_of(typed: str) -> tuple[str, str]:
    """The first word of what is typed, as commands are called, and the rest."""
    word, _, rest = typed.strip().lstrip(":/").partition(" ")
    return word.lower(), rest.strip()


def unknown(word: str) -> tuple[Line, ...]:
    """What to tell of a word that is no command, besides that it is no option."""
    near = nearest(word, COMMANDS)
    meant = f"Did you mean “{near}”? " if near else ""
    return ((), (Run(f"{meant}F1 tells what can be typed.", dim=True),))


_ABOUT = (
    ("Choosing", ""),
    ("↑ ↓ ← →", "go from one option to the next"),
    ("1 2 3 …", "go to the option of this number"),
    ("letters", "leave the options in which these words stand, in any order"),
    ("Tab", "goes on with what is typed; else from the list to the table and back"),
    ("Enter", "takes what is highlighted; where nothing is, twice: the usual answer"),
    ("Space", "picks one of several, and puts it back"),
    ("Escape", "goes back a step"),
    ("click", "goes to an option, or to what is underlined on the table; elsewhere it looks"),
    ("twice", "a double click takes it, as Enter does; keys in the last line can be clicked, too"),
    ("Reading", ""),
    ("PgUp PgDn", "scroll what happened; Shift ↑ ↓ the table"),
    ("F2", "the whole table"),
    ("F3", "everything that happened; F6 since your decision, with what it changed"),
    ("F4", "what the highlighted option is about; also: look NAME"),
    ("F5", "the rules; also: rules NAME, or explain NAME; F7 what each word of this game means"),
    ("pointing", "at a word or thing with the mouse tells what it is; a click tells all of it"),
    ("why NAME", "why something can't be chosen now"),
    ("hint", "what you could take, what it comes to and what is likely to follow"),
    (
        "auto",
        "a bot decides this for you; auto 5, auto turn, auto game, auto until WORDS; any key stops it",
    ),
    ("Playing", ""),
    (
        "Ctrl-Z",
        "takes your last decision back, unless chance or a secret came out since; Ctrl-Y decides it again",
    ),
    ("Ctrl-S", "saves the game; also: save FILE"),
    ("plain", "goes on line by line"),
    ("Ctrl-Q", "leaves the game"),
)


def _help() -> tuple[Line, ...]:
    lines: list[Line] = []
    for what, words in _ABOUT:
        if not words:
            lines += [(), (Run(what, bold=True),)]
        else:
            lines.append((Run(f"  {what:<10} ", colour="sky"), Run(words)))
    return tuple(lines[1:])


HELP = _help()
"""The page about keys and words."""
