"""Blocks of generated text, and how they are put into functions. Used by the emitter of stepwise play."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from .statements import Line, for_build

GOTO = "goto "
INLINE_LINES = 6  # a block this short is written out at every place that goes to it
COPY_LINES = 120  # that such a copy may have, with the blocks written out in it
INLINE_DEPTH = 40
DEPTH = 96  # levels of a function (Python reads a hundred)
MARK = re.compile("«([0-9]+)»")
OWNS = re.compile(r"(z\[[0-9]+\]) = \1\[:\]")
LEAVES = ("return ", GOTO, "break", "continue")


@dataclass
class Function:
    """A generated function. ``parameters`` behind the state's; ``logs``: takes the log in the build with events;
    ``given``: locals among the parameters."""

    name: str
    parameters: str
    logs: bool
    lines: list[Line] = field(default_factory=list)
    given: tuple[int, ...] = ()

    def header(self, build: str) -> str:
        log = ", log" if self.logs and build == "events" else ""
        return f"def {self.name}(c, z{self.parameters}{log}):"


def inlined(
    lines: list[Line],
    blocks: list[list[Line]],
    sources: dict[int, int],
    inside: tuple[int, ...],
    room: list[int] | None = None,
) -> list[Line]:
    """Lines with every ``goto`` either replaced by the block's own lines or left to be a return. ``room``: the lines
    that a copy of a block may still grow by, so that copies inside copies come to an end; None: this is no copy."""
    result: list[Line] = []
    for line in lines:
        if not line.text.startswith(GOTO):
            result.append(line)
            continue
        label = int(line.text[len(GOTO) :])
        block = blocks[label]
        alone = sources.get(label, 0) == 1
        fits = alone or len(block) <= INLINE_LINES
        grown = room if room is not None or alone else [COPY_LINES]
        if grown is not None:
            fits = fits and len(block) <= grown[0]
        deep = line.indent >= INLINE_DEPTH or line.indent + max((x.indent for x in block), default=0) > DEPTH
        if fits and label not in inside and not deep and len(inside) < 60:
            if grown is not None:
                grown[0] -= len(block)
            shifted = [Line(x.indent + line.indent - 1, x.text, x.place, x.assigns) for x in block]
            result.extend(inlined(shifted, blocks, sources, (*inside, label), grown))
        else:
            result.append(line)
    return result


def arranged(blocks: list[list[Line]], helpers: list[Function], entries: set[int], build: str) -> list[Function]:
    """The functions of a build: the helpers, and the blocks that are not written out where they are reached from.
    ``entries``: blocks that may be reached from outside."""
    blocks = [for_build(lines, build) for lines in blocks]
    helpers = [replace(f, lines=for_build(f.lines, build)) for f in helpers]
    sources: dict[int, int] = {}
    for lines in [*blocks, *(f.lines for f in helpers)]:
        for label in targets(lines):
            sources[label] = sources.get(label, 0) + 1
    functions = [replace(f, lines=inlined(f.lines, blocks, sources, ())) for f in helpers]
    queue = sorted(entries)
    for f in functions:
        queue.extend(targets(f.lines))
    done: set[int] = set()
    while queue:
        label = queue.pop(0)
        if label in done:
            continue
        done.add(label)
        lines = inlined(blocks[label], blocks, sources, (label,))
        functions.append(Function(f"b{label}", "", True, lines))
        queue.extend(targets(lines))
    return functions


def targets(lines: list[Line]) -> list[int]:
    return [int(x.text[len(GOTO) :]) for x in lines if x.text.startswith(GOTO)]


class Ways:
    """What is so on every way to each line of a function: which locals are set, which card lists are its own."""

    def __init__(self, lines: list[Line], given: tuple[int, ...] = ()) -> None:
        self.lines = lines
        self.exposed: set[int] = set()  # locals that may be read before they are set
        self.repeated: set[int] = set()  # numbers of the lines that make a list the function's own once more
        if lines:
            self._block(0, set(given))

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
