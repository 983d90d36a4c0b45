"""Blocks of generated text, and how they are put into functions. Used by the emitter of stepwise play."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .statements import Line

GOTO = "goto "
INLINE_LINES = 6  # a block this short is written out at every place that goes to it
INLINE_DEPTH = 40
MARK = re.compile("«([0-9]+)»")


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


def set_first(lines: list[Line]) -> set[int]:
    """Locals that a function certainly sets (at its outermost level) before it reads them."""
    result: set[int] = set()
    seen: set[int] = set()
    for line in lines:
        slots = [int(x) for x in MARK.findall(line.text)]
        if line.assigns is not None and line.indent == 1 and not line.text.startswith("for "):
            right = [int(x) for x in MARK.findall(line.text.split(" = ", 1)[1])]
            seen.update(right)
            if line.assigns not in seen:
                result.add(line.assigns)
            seen.add(line.assigns)
        seen.update(slots)
    return result
