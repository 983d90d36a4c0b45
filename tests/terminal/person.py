"""Simulate a person who plays by the text on the screen and sometimes does something unusual."""

from __future__ import annotations

import re
from random import Random

from .emulator import Emulated

UP, DOWN, RIGHT, LEFT = (f"\x1b[{letter}" for letter in "ABCD")
FUNCTION_KEYS = ("\x1bOP", "\x1bOQ", "\x1bOR", "\x1bOS", "\x1b[15~", "\x1b[17~", "\x1b[18~")
ESCAPE, ENTER, TAB, SPACE, BACKSPACE = "\x1b", "\r", "\t", " ", "\x7f"
PAGES = ["\x1b[5~", "\x1b[6~", "\x1b[1;2A", "\x1b[1;2B"]
FORBIDDEN = set(b"\x03\x04\x11\x13\x1a\x1c\x1b\x0f\x16")
"""Bytes that leave, suspend or end the program. Other tests cover them."""
SIZES = ((80, 24), (120, 40), (60, 20), (200, 60), (61, 33), (100, 20))
GAME_OVER_TEXTS = ("R: play again", "To play it again")


class Person:
    """Simulated person at a terminal.

    ``size`` is the size that the terminal returns to after each move. ``meddles`` is the number of unusual moves in a
    thousand.
    """

    def __init__(self, terminal: Emulated, random: Random, meddles: int = 120) -> None:
        self.terminal, self.random, self.meddles = terminal, random, meddles
        self.mode = "line" if terminal.in_lines else "full"
        self.size = terminal.size
        self.last_moves: list[str] = []

    def play(self, moves: int) -> bool:
        """Make up to ``moves`` moves. Returns whether the game is over."""
        for _ in range(moves):
            if self.is_over or self.terminal.code is not None:
                return True
            self.move()
        return self.is_over

    @property
    def is_over(self) -> bool:
        return any(words in self.terminal.text for words in GAME_OVER_TEXTS)

    def move(self) -> None:
        """Make a random move: call one of the methods whose name begins with the kind and the mode."""
        kind = "odd" if self.random.randrange(1000) < self.meddles else "usual"
        names = [name for name in dir(self) if name.startswith(f"play_{kind}_{self.mode}_")]
        name = self.random.choice(names)
        self.last_moves = [*self.last_moves[-9:], name]
        getattr(self, name)()
        self.tidy()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.terminal.send(key)

    def tidy(self) -> None:
        """Close what covers the table and restore the usual size."""
        for _ in range(4):
            text = self.terminal.text
            if "Escape closes" in text and self.mode == "full":
                self.press(ESCAPE)
            elif "Leave the game?" in text and self.mode == "full":
                self.press("b")
            elif "Pass the keyboard" in text:
                self.press(ENTER)
            else:
                break
        if self.terminal.size != self.size:
            self.terminal.resize(*self.size)

    # ------------------------------------------------------------ full screen

    def play_usual_full_enter(self) -> None:
        """Press Enter on the highlighted option, possibly several times."""
        self.press(*[ENTER] * self.random.choice((1, 1, 2, 4)))

    def play_usual_full_arrows(self) -> None:
        self.press(*self.random.choices((UP, DOWN, DOWN, LEFT, RIGHT), k=self.random.randrange(1, 5)), ENTER)

    def play_usual_full_number(self) -> None:
        self.press(str(self.random.randrange(1, 10)), ENTER)

    def play_usual_full_words(self) -> None:
        """Type the beginning of a word near the bottom of the screen."""
        words = re.findall(r"[A-Za-z]{3,}", "\n".join(self.terminal.rows[-9:-1])) or ["end"]
        word = self.random.choice(words)[: self.random.randrange(1, 6)]
        self.press(*word, self.random.choice((ENTER, TAB)), ENTER)
        self.press(ESCAPE)

    def play_usual_full_click(self) -> None:
        """Click something underlined or an option."""
        where = self.terminal.list_underlined()
        entries = [(4, y) for y, row in enumerate(self.terminal.rows) if re.match(r" ?\d+ ", row)]
        if where or entries:
            self.click(*self.random.choice(where or entries))
            self.press(ENTER)

    def play_usual_full_board(self) -> None:
        self.press(TAB, *self.random.choices((UP, DOWN, LEFT, RIGHT), k=3), ENTER)

    def click(self, x: int, y: int) -> None:
        """Click with the left button."""
        self.terminal.send(f"\x1b[<0;{x + 1};{y + 1}M\x1b[<0;{x + 1};{y + 1}m")

    def play_odd_full_pages(self) -> None:
        """Open a page, scroll it and resize the terminal."""
        self.press(self.random.choice((*FUNCTION_KEYS, "?")), self.random.choice(PAGES))
        self.resize()
        self.press(DOWN, ESCAPE)

    def play_odd_full_asks(self) -> None:
        """Ask about a word on the screen."""
        word = self.random.choice(re.findall(r"[A-Za-z]{3,}", self.terminal.text) or ["it"])
        self.press(*f"{self.random.choice(('look', 'why', 'rules', 'explain'))} {word}", ENTER, ESCAPE, ESCAPE)

    def play_odd_full_undo(self) -> None:
        self.press("\x1a", self.random.choice(("\x19", "")))

    def play_odd_full_mouse(self) -> None:
        """Move the mouse, turn its wheel and click, possibly outside the terminal."""
        x, y = self.random.randrange(1, 260), self.random.randrange(1, 80)
        for button in (35, 64, 65, 0, 2):
            self.terminal.send(f"\x1b[<{button};{x};{y}M")
        self.terminal.send(f"\x1b[<0;{x};{y}m")
        self.press(ESCAPE)

    def play_odd_full_sizes(self) -> None:
        for _ in range(3):
            self.resize()
            self.press(self.random.choice((UP, DOWN, TAB)))

    def play_odd_full_leave(self) -> None:
        """Ask to leave, resize the terminal and stay."""
        self.press(self.random.choice(("\x11", "\x03")))
        self.resize()
        self.press("b")

    def play_odd_full_nonsense(self) -> None:
        self.terminal.send(self.draw_nonsense())
        self.press(ESCAPE, ESCAPE)

    def play_odd_full_paste(self) -> None:
        self.terminal.send(b"\x1b[200~" + self.draw_nonsense() + b"\n\x1b[201~")
        self.terminal.send("word " * 300)
        self.press(ESCAPE, ESCAPE)

    def play_odd_full_half(self) -> None:
        """Send an incomplete sequence."""
        self.terminal.send(
            self.random.choice((b"\x1b[", b"\x1b[<0;", b"\x1b[<0;3", b"\x1bO", b"\xe2\x82", b"\x1b[200~", b"\x1b]0;"))
        )
        self.press(ENTER if self.random.random() < 0.5 else ESCAPE)
        self.terminal.send("\x1b[201~")
        self.press(ESCAPE)

    def resize(self) -> None:
        self.terminal.resize(*self.random.choice(SIZES))

    def draw_nonsense(self) -> bytes:
        """Return random bytes without those in FORBIDDEN."""
        return bytes(byte for byte in self.random.randbytes(40) if byte not in FORBIDDEN)

    # ------------------------------------------------------------ line by line

    def play_usual_line_number(self) -> None:
        """Type the number of an option on the screen."""
        numbers = re.findall(r"^ *(\d+)\b", self.terminal.text, re.MULTILINE) or ["1"]
        self.type_line(self.random.choice(numbers))

    def play_usual_line_entry(self) -> None:
        """Type the words of an option, or its letter if options have letters."""
        entries = re.findall(r"^ {1,3}(\S.{1,30}?)(?:  |$)", "\n".join(self.terminal.rows[-14:]), re.MULTILINE) or ["1"]
        self.type_line(self.random.choice(entries))

    def play_usual_line_enter(self) -> None:
        self.type_line("")

    def play_usual_line_several(self) -> None:
        self.type_line(self.random.choice(("1 2", "1,2,3", "done", "1 2 3 4", "b", "2 1")))

    def play_odd_line_asks(self) -> None:
        word = self.random.choice(re.findall(r"[A-Za-z]{3,}", self.terminal.text) or ["it"])
        asks = (f"look {word}", f"why {word}", f"rules {word}", "log", "table", "?", "rules", "undo", "redo", "back")
        self.type_line(self.random.choice(asks))

    def play_odd_line_sizes(self) -> None:
        self.resize()
        self.type_line("table")

    def play_odd_line_nonsense(self) -> None:
        self.terminal.send(bytes(byte for byte in self.draw_nonsense() if byte >= 32) + b"\r")

    def play_odd_line_tab(self) -> None:
        self.press("a", TAB, TAB, "\x15", UP, DOWN, "\x15", ENTER)

    def type_line(self, words: str) -> None:
        self.terminal.send(f"{words}\r")
