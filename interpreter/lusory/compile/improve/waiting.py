"""Which locals matter while a game waits: those that may be read when it goes on, before they are set anew. What else
lies in the cells of locals is left over, and decides nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from .. import ir
from .liveness import Known, Liveness

Functions = Sequence[tuple[ir.Function, Liveness]]


def awaited(functions: Functions, choices: int, returns: Iterable[int]) -> list[set[int]]:
    """For each choice the locals that matter while it waits. ``returns``: the blocks behind calls of routines, to one
    of which a routine goes back. A fixed point over the functions, since loops lead back."""
    alive = {f.name: set(live.exposed) for f, live in functions}
    common = set[int]().union(*(alive[f.name] for f, _ in functions if f.role in ("effect", "query")))
    behind = [f"b{label}" for label in returns]
    changed = True
    while changed:
        changed = False
        for f, live in functions:
            found = set(alive[f.name])
            for end, known in live.ends:
                found |= _ahead(end, known, alive, behind if f.role == "block" else ())
            if found != alive[f.name]:
                alive[f.name], changed = found, True
    return [common | _of_choice(number, alive) for number in range(choices)]


def _of_choice(number: int, alive: Mapping[str, set[int]]) -> set[int]:
    """What the functions of a choice read."""
    return set[int]().union(*(alive.get(f"{kind}{number}", set()) for kind in "qorfp"))


def _ahead(
    end: ir.Goto | ir.Wait | ir.Return, known: Known, alive: Mapping[str, set[int]], behind: Sequence[str]
) -> set[int]:
    """What may be read behind the end of a function."""
    match end:
        case ir.Goto(label=label):
            found = alive[f"b{label}"]
        case ir.Wait(number=number):
            found = _of_choice(number, alive)
        case ir.Return(values=(ir.Local(),)):
            found = set[int]().union(*(alive[name] for name in behind if name in alive))
        case _:
            return set()
    return {slot for slot in found if slot not in known}
