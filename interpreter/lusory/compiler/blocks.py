"""Blocks of generated text, and how they are put into functions. Used by the emitter of stepwise play."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .statements import Line

GOTO = "goto "
INLINE_LINES = 6  # a block this short is written out at every place that goes to it
INLINE_DEPTH = 40
MARK = re.compile("«([0-9]+)»")
OWNS = re.compile(r"(z\[[0-9]+\]) = \1\[:\]")
LEAVES = ("return ", GOTO, "break", "continue")


@dataclass
class Function:
    """A generated function. ``parameters`` behind the state's; ``logs``: takes the log in the build with events."""

    name: str
    parameters: str
    logs: bool
    lines: list[Line] = field(default_factory=list)

    def header(self, build: str) -> str:
        log = ", log" if self.logs and build == "events" else ""
        return f"def {self.name}(c, z{self.parameters}{log}):"


def inlined(
    lines: list[Line], blocks: list[list[Line]], sources: dict[int, int], inside: tuple[int, ...]
) -> list[Line]:
    """Lines with every ``goto`` either replaced by the block's own lines or left to be a return."""
    result: list[Line] = []
    for line in lines:
        if not line.text.startswith(GOTO):
            result.append(line)
            continue
        label = int(line.text[len(GOTO) :])
        block = blocks[label]
        alone = sources.get(label, 0) == 1 or len(block) <= INLINE_LINES
        if alone and label not in inside and line.indent < INLINE_DEPTH and len(inside) < 60:
            shifted = [Line(x.indent + line.indent - 1, x.text, x.place, x.assigns) for x in block]
            result.extend(inlined(shifted, blocks, sources, (*inside, label)))
        else:
            result.append(line)
    return result


def targets(lines: list[Line]) -> list[int]:
    return [int(x.text[len(GOTO) :]) for x in lines if x.text.startswith(GOTO)]


class Ways:
    """What is so on every way to each line of a function: which locals are set, which card lists are its own."""

    def __init__(self, lines: list[Line]) -> None:
        self.lines = lines
        self.exposed: set[int] = set()  # locals that may be read before they are set
        self.repeated: set[int] = set()  # numbers of the lines that make a list the function's own once more
        if lines:
            self._block(0, set())

    def _block(self, at: int, known: set[object]) -> tuple[int, set[object] | None]:
        """The lines from ``at`` that stand as deep as it: the number of the line behind them, and what is known there
        (None: nothing gets there)."""
        lines = self.lines
        indent = lines[at].indent
        done = False
        while at < len(lines) and lines[at].indent == indent:
            text = lines[at].text
            if not text.endswith(":"):
                done = done or text.startswith(LEAVES)
                self._line(at, known)
                at += 1
            elif text.startswith(("for ", "while ")):
                self._reads(text.split(" in ", 1)[-1] if text.startswith("for ") else text, known)
                assigned = lines[at].assigns
                at, _ = self._block(at + 1, known | ({assigned} if assigned is not None else set()))
            else:
                at, after = self._branches(at, known)
                done = done or after is None
                known = known if after is None else after
        return at, None if done else known

    def _branches(self, at: int, known: set[object]) -> tuple[int, set[object] | None]:
        """An ``if`` with what belongs to it."""
        indent = self.lines[at].indent
        ends: list[set[object]] = []
        word = "if"
        while word:
            self._reads(self.lines[at].text, known)
            at, after = self._block(at + 1, set(known))
            if after is not None:
                ends.append(after)
            last = word
            text = self.lines[at].text if at < len(self.lines) and self.lines[at].indent == indent else ""
            word = text[:4] if text.startswith(("elif ", "else:")) else ""
        if last != "else":
            ends.append(known)
        return at, set.intersection(*ends) if ends else None

    def _line(self, at: int, known: set[object]) -> None:
        line = self.lines[at]
        if line.assigns is not None:
            self._reads(line.text.split(" = ", 1)[1], known)
            known.add(line.assigns)
            return
        self._reads(line.text, known)
        if OWNS.fullmatch(line.text):
            if line.text in known:
                self.repeated.add(at)
            known.add(line.text)

    def _reads(self, text: str, known: set[object]) -> None:
        self.exposed.update(slot for slot in map(int, MARK.findall(text)) if slot not in known)
