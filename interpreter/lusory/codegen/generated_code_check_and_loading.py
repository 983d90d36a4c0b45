"""Compile, check and load generated Python.

The text is registered with ``linecache``, so debuggers and tracebacks show it. A store can keep the compiled code. Then
text and line map are generated again, and the code generator imported, only if somebody asks for them.

Before code first runs, its bytecode is checked: it may contain only what the printer writes. This covers new code as
well as code from the cache, and takes a few milliseconds. Admitted code knows only the names listed here, uses no
attributes except a few methods of lists and numbers, and has few builtins. So it can reach nothing but the game that
it is given.
"""

from __future__ import annotations

import builtins
import dis
import hashlib
import linecache
import re
from collections.abc import Callable, Container, Iterator
from functools import cached_property
from types import CodeType
from typing import TYPE_CHECKING, Any

from ..state.decisions_outcomes_and_faults import Outcome, rank_outcome
from ..state.setting_value_limits_builtins_and_names import Setting
from ..state.state import CachedDecision, CodeStore
from ..state.static_work_charges_and_list_bounds import Limits
from .python.printer import sanitize_id
from .python.runtime import has_options, make_namespace

if TYPE_CHECKING:
    from .build_stages_and_ir_listing import Emission
    from .ir import Provenance


KINDS = ("silent", "events", "playout")


ROUTINES = ("effect", "value")  # prefixes of the names of functions with several callers


PlayoutResult = tuple[int, tuple[tuple[int, ...], ...], tuple[int, ...] | None, str | None, tuple[tuple[int, ...], ...]]
"""The result of a playout.

The fields are the number of decisions, the rank and the payoff of each seat, the reason of the end, and the columns of
the final table.
"""


def make_cache_key(setting: Setting, kind: str) -> str:
    """Return the cache key of a build, a text. It covers everything that the code depends on, except the compiler
    itself.

    ``1f3a… 2 'any' silent`` has the digest of the ruleset, the number of players, ``'any'`` and ``kind``. The code of a
    ``playout`` contains the options, so their sorted pairs replace ``'any'``: ``1f3a… 2 [('deck', 1)] playout``. Limits
    that differ from the default ones follow, after a blank: ``Limits(decision=5, …)`` with all four fields.
    """
    options = sorted(setting.options.items()) if has_options(kind) else "any"
    limits = "" if setting.limits == Limits() else f" {setting.limits}"
    return f"{setting.program.digest} {setting.players} {options!r} {kind}{limits}"


class Module:
    """Hold a generated module of one kind, loaded and ready to run.

    Its tables (``sites``, ``phases``, …) are those of
    :class:`lusory.codegen.build_stages_and_ir_listing.Emission`, and ``names`` holds its global names. ``emit``
    generates its text. Pass it if a part of the compilation is already done; by default
    :func:`lusory.codegen.build_stages_and_ir_listing.emit` does it all. Raise NotAdmitted if the generated code
    is not admissible.
    """

    def __init__(
        self, setting: Setting, kind: str, store: CodeStore | None = None, emit: Callable[[str], Emission] | None = None
    ) -> None:
        self.emit = emit
        self.setting = setting
        self.kind = kind
        self.key = make_cache_key(setting, kind)
        digest = hashlib.sha256(self.key.encode()).hexdigest()[:8]
        # linecache ignores file names in angle brackets
        self.file = f"lusory {sanitize_id(setting.program.id)} {setting.players} {kind} {digest}"
        entry = self._load_cached(store) or self._compile(store)
        code, types, sites, phases, starts, spills, live_cells, component_cells = entry
        self.sites: tuple[int, ...] = sites
        self.phases: tuple[str, ...] = phases
        self.starts: dict[str, int] = dict(starts)
        self.spills: int = spills
        self.live_cells: tuple[tuple[int, ...], ...] = live_cells
        self.component_cells: tuple[int, ...] = component_cells
        self.names: dict[str, Any] = {**make_namespace(setting, types), "__builtins__": dict(BUILTINS)}
        linecache.cache[self.file] = (lambda: self.emission.text,)  # linecache calls this only for a traceback
        # Text of the ruleset's author appears only in literals. The function admit() checks all the code against a list
        # of what generated code may contain.
        exec(admit(code, self.names), self.names)

    def _load_cached(self, store: CodeStore | None) -> Any:
        """Return the cached code and tables of this module.

        Returns None if there are none, or if the code is not admissible.
        """
        entry = store.load_code(self.key) if store is not None else None
        if entry is not None:
            try:
                admit(entry[0], make_namespace(self.setting, ()))
            except NotAdmitted:
                return None
        return entry

    def _compile(self, store: CodeStore | None) -> Any:
        """Generate and compile the module now, put it into the cache, and return the entry: the code and its tables."""
        emission = self.emission
        code = compile(emission.text, self.file, "exec")
        steps = emission.sites, emission.phases, emission.starts, emission.spills
        entry = (code, tuple(emission.types), *steps, emission.live_cells, emission.component_cells)
        if store is not None:
            store.store_code(self.key, entry)
        return entry

    @cached_property
    def emission(self) -> Emission:
        """The text of the module, and the origin of its lines."""
        from .build_stages_and_ir_listing import emit  # late: it loads the code generator

        return emit(self.setting, self.kind) if self.emit is None else self.emit(self.kind)

    def find_error_place(self, error: BaseException) -> tuple[Provenance, dict[str, Any]]:
        """Return the place in the ruleset from which an error of the generated code came, and the local names there.

        The place is that of the innermost generated line in the traceback. Its ``trail`` names the phases and effects
        around it and its callers, outermost first. Without such a line, it is the head of the module, which has no
        span. The second result maps the local names of all generated functions in the traceback to their values. Names
        of an inner function replace equal names of an outer one.
        """
        places = self.emission.places
        origin = places[0]  # the head of the module has no place in the ruleset
        names: dict[str, Any] = {}
        trace = error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == self.file:
                function = trace.tb_frame.f_code.co_name
                if not function.startswith("<"):  # a comprehension belongs to the line around it
                    place = places[trace.tb_lineno - 1]
                    origin = place.add_caller(origin) if names and function.startswith(ROUTINES) else place
                names.update(trace.tb_frame.f_locals)
            trace = trace.tb_next
        return self.emission.complete_trail(origin, names), names


class Steps(Module):
    """Hold a stepwise build. Its lists are indexed by the number of the choice, and ``blocks`` by label."""

    def __init__(
        self, setting: Setting, kind: str, store: CodeStore | None = None, emit: Callable[[str], Emission] | None = None
    ) -> None:
        super().__init__(setting, kind, store, emit)
        names = self.names
        self.blocks: dict[int, Callable[..., int | CachedDecision | None]] = {
            int(name[1:]): function for name, function in names.items() if name[0] == "b" and name[1:].isdigit()
        }
        choices = range(len(self.sites))
        self.questions: list[Callable[..., CachedDecision]] = [names[f"q{number}"] for number in choices]
        self.options: list[Callable[..., list[Any]]] = [names[f"o{number}"] for number in choices]
        self.resumes: list[Callable[..., int | CachedDecision | None]] = [names[f"r{number}"] for number in choices]
        self._compute_result: Callable[..., Any] = names["outcome"]
        scoring = setting.program.scoring
        self._ranking_flags = scoring.is_selective, scoring.is_zero_sum
        self.standing: Callable[..., tuple[int, ...]] | None = names.get("standing")
        self.frames: list[Callable[..., dict[int, Any]]] = [names[f"f{number}"] for number in choices]

    def outcome(self, cells: list[Any], zones: list[list[int]]) -> Outcome:
        """Return the outcome, as if the game ended now. Raise what generated code raises."""
        reason, ranks, payoffs, scores = self._compute_result(cells, zones)
        return rank_outcome(reason, ranks, payoffs, scores, *self._ranking_flags)


class Playout(Module):
    """Hold the build that plays whole random games.

    The function ``play`` takes ``(rnd, seed, table)``. See :mod:`instruction_selection.playout_function`.
    """

    def __init__(self, setting: Setting, store: CodeStore | None = None) -> None:
        super().__init__(setting, "playout", store)
        self.play: Callable[..., PlayoutResult] = self.names["playout"]


_FUNCTIONS = "abs all any enumerate frozenset int len max min range sorted sum tuple"
BUILTINS: dict[str, Any] = {name: vars(builtins)[name] for name in _FUNCTIONS.split()}
"""The builtin functions of Python that generated code may use."""

METHODS = frozenset({"append", "bit_count", "bit_length", "count", "from_iterable", "insert", "pop"})
"""The attributes that generated code may read."""

OWN_NAMES = re.compile(r"K[0-9]+|(value|effect|[bfopqr])[0-9]+|outcome|standing|playout", re.ASCII)
"""The names that a generated module defines: constants and functions."""

_CONSTANTS = {bool, int, str, type(None), tuple, frozenset}
_REFUSED_INSTRUCTIONS = ("IMPORT_", "MATCH_", "DELETE_", "STORE_ATTR", "STORE_GLOBAL", "LOAD_BUILD_CLASS")


class NotAdmitted(Exception):
    """Signal that generated code contains something that the printer does not write."""


def admit(code: object, namespace: Container[str]) -> CodeType:
    """Return the code of a module if it may run. ``namespace`` holds the names that the module is given.

    Raise NotAdmitted if ``code`` is no code object, or if it or a function inside it has one of these:

    - a name that is not in ``namespace``, :data:`BUILTINS` or :data:`METHODS`, and does not match :data:`OWN_NAMES`;
    - an instruction that imports, deletes, sets an attribute or a declared global, builds a class, or matches a
      sequence, mapping or class pattern, such as ``[1]`` or ``int()``, but not ``1``;
    - a constant that is no whole number, truth value, text, None, tuple or frozenset. The items of a tuple or frozenset
      are not checked.

    The names are those of attributes and of globals, including the globals that the module defines. So the code of
    ``K1 = 3`` may run, but that of ``x = 3`` only if ``namespace`` has ``x``.
    """
    if not isinstance(code, CodeType):
        raise NotAdmitted(type(code).__name__)
    names: set[str] = set()
    instructions: set[int] = set()
    for inner_code in _list_code_objects(code):
        names.update(inner_code.co_names)
        instructions.update(inner_code.co_code[::2])
    for name in names:
        if not (name in namespace or name in BUILTINS or name in METHODS or OWN_NAMES.fullmatch(name)):
            raise NotAdmitted(f"the name {name!a}")
    for number in instructions:
        if dis.opname[number].startswith(_REFUSED_INSTRUCTIONS):
            raise NotAdmitted(f"the instruction {dis.opname[number]}")
    return code


def _list_code_objects(code: CodeType) -> Iterator[CodeType]:
    """Yield a code object and all code objects inside it.

    Raises NotAdmitted for a constant of a type that no ruleset has.
    """
    yield code
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from _list_code_objects(value)
        elif type(value) not in _CONSTANTS:
            raise NotAdmitted(f"a constant of type {type(value).__name__}")
