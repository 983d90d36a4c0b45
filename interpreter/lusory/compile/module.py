"""From generated text to a module that runs: compile, register, load.

The text is registered with ``linecache``, so that debuggers and tracebacks show it, and has a map from its lines to
the author's. What is needed to run it can be kept in a store; text and map are then made again, and the
compiler imported, only when somebody asks for them.
"""

from __future__ import annotations

import hashlib
import linecache
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..table.cost import Limits
from ..table.setting import Setting
from ..table.state import Asked
from ..table.store import CodeStore
from .python.admission import BUILTINS, NotAdmitted, admit
from .python.support import has_options, namespace
from .python.writing import plain_id

if TYPE_CHECKING:
    from .emission import Emission
    from .ir import Provenance

KINDS = ("silent", "events", "playout")
ROUTINES = ("effect", "value")  # how functions begin that are called from several places; others belong to one

# decisions, rank of each seat, payoff of each seat, end reason, columns of the final table
PlayoutResult = tuple[int, tuple[tuple[int, ...], ...], tuple[int, ...] | None, str | None, tuple[tuple[int, ...], ...]]


def key_of(setting: Setting, kind: str) -> str:
    """What the code of a build is kept under: everything that it depends on, but for the compiler itself."""
    options = sorted(setting.options.items()) if has_options(kind) else "any"
    limits = "" if setting.limits == Limits() else f" {setting.limits}"
    return f"{setting.program.digest} {setting.players} {options!r} {kind}{limits}"


class Module:
    """A generated module of one kind, loaded and ready to run. ``emit``: makes the text of its kind, where something of
    it is made already."""

    def __init__(
        self,
        setting: Setting,
        kind: str,
        store: CodeStore | None = None,
        emit: Callable[[str], Emission] | None = None,
    ) -> None:
        self.emit = emit
        self.setting = setting
        self.kind = kind
        self.key = key_of(setting, kind)
        short = hashlib.sha256(self.key.encode()).hexdigest()[:8]
        # the name of the file: in <> linecache would not look
        self.file = f"lusory {plain_id(setting.program.id)} {setting.players} {kind} {short}"
        code, types, sites, phases, starts, spills, awaited, naming = self._kept(store) or self._made(store)
        self.sites: tuple[int, ...] = sites
        self.phases: tuple[str, ...] = phases
        self.starts: dict[str, int] = dict(starts)
        self.spills: int = spills
        self.awaited: tuple[tuple[int, ...], ...] = awaited
        self.naming: tuple[int, ...] = naming
        self.names: dict[str, Any] = {**namespace(setting, types), "__builtins__": dict(BUILTINS)}
        linecache.cache[self.file] = (lambda: self.emission.text,)  # read when asked for
        # no author's text becomes code: it is in literals alone (writing.py), and what the rest may be is settled
        exec(admit(code, self.names), self.names)

    def _kept(self, store: CodeStore | None) -> Any:
        """What was kept of this module between runs, if it may run."""
        kept = store.code(self.key) if store is not None else None
        if kept is not None:
            try:
                admit(kept[0], namespace(self.setting, ()))
            except NotAdmitted:
                return None
        return kept

    def _made(self, store: CodeStore | None) -> Any:
        """The module made now, and kept."""
        made = self.emission
        code = compile(made.text, self.file, "exec")
        kept = (
            code,
            tuple(made.types),
            made.sites,
            made.phases,
            made.starts,
            made.spills,
            made.awaited,
            made.naming,
        )
        if store is not None:
            store.keep_code(self.key, kept)
        return kept

    @cached_property
    def emission(self) -> Emission:
        """The text, and where its lines come from."""
        from .emission import emit

        return emit(self.setting, self.kind) if self.emit is None else self.emit(self.kind)

    def place_of(self, error: BaseException) -> tuple[Provenance, dict[str, Any]]:
        """Where in the ruleset the innermost generated line stands that an error came through, and the local names."""
        places = self.emission.places
        found = places[0]  # the head of the module, which comes from nowhere
        names: dict[str, Any] = {}
        trace = error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == self.file:
                function = trace.tb_frame.f_code.co_name
                if not function.startswith("<"):  # a comprehension stands in the line around it
                    place = places[trace.tb_lineno - 1]
                    found = place.inside(found) if names and function.startswith(ROUTINES) else place
                names.update(trace.tb_frame.f_locals)
            trace = trace.tb_next
        return self.emission.called(found, names), names


class Steps(Module):
    """Stepwise play. Lists are by number of the choice, ``blocks`` by label."""

    def __init__(
        self,
        setting: Setting,
        kind: str,
        store: CodeStore | None = None,
        emit: Callable[[str], Emission] | None = None,
    ) -> None:
        super().__init__(setting, kind, store, emit)
        names = self.names
        self.blocks: dict[int, Callable[..., int | Asked | None]] = {
            int(name[1:]): f for name, f in names.items() if name[0] == "b" and name[1:].isdigit()
        }
        asked = range(len(self.sites))
        self.questions: list[Callable[..., Asked]] = [names[f"q{k}"] for k in asked]
        self.options: list[Callable[..., list[Any]]] = [names[f"o{k}"] for k in asked]
        self.resumes: list[Callable[..., int | Asked | None]] = [names[f"r{k}"] for k in asked]
        self.outcome: Callable[..., tuple[Any, ...]] = names["outcome"]
        self.standing: Callable[..., tuple[int, ...]] | None = names.get("standing")
        self.frames: list[Callable[..., dict[int, Any]]] = [names[f"f{k}"] for k in asked]


class Playout(Module):
    """Whole games. ``play`` takes ``(rnd, seed, table)``; see :mod:`lusory.compile.select.playout`."""

    def __init__(self, setting: Setting, store: CodeStore | None = None) -> None:
        super().__init__(setting, "playout", store)
        self.play: Callable[..., PlayoutResult] = self.names["playout"]
