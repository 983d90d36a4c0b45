"""Run the stages of the compiler: lower, select, optimize, print and load.

There are three kinds of builds. ``silent`` and ``events`` play step by step, from decision to decision; only ``events``
logs what happens. ``playout`` plays a whole random game in one function. The function :func:`format_module` prints the
intermediate representation of a build for debugging.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from lusory_dsl.types.types import INT, Type, is_component

from ..state.setting_value_limits_builtins_and_names import Setting
from . import ir
from .instruction_selection import playout_function, stepwise_play
from .instruction_selection.bitboards import MASK_LOCAL_NAME, make_initial_masks
from .instruction_selection.selector_state_and_ir_emission import Selector
from .ir import types
from .ir.types import NEVER
from .lower import calls_rules_and_modifiers, lower_game
from .lower.lowerer_with_constant_folding_and_inlining import Lowerer
from .lower.whole_game_ranges import analyse_game
from .passes.live_locals_across_choices import Liveness, ReadSets, find_live_locals, insert_loads_and_stores
from .passes.playout_state_promotion import promote_state
from .passes.split_at_choices import arrange_blocks, split_into_blocks
from .passes.type_inference import Sorts
from .python.printer import Printer, Storage, format_comment, format_literal, make_identifier, print_module
from .python.runtime import EXTRA_CELLS, has_options, make_option_name

# The stepwise builds. They keep their locals in the same cells, so their states are interchangeable.
STEPWISE = ("events", "silent")


@dataclass(frozen=True, eq=False)
class Emission:
    """Hold the text of a generated module, and what maps it back to the ruleset.

    Attributes:
        text: The Python source.
        places: The origin of each line, from line 0.
        slots: Name of a local in the text -> slot in the lowered game.
        types: The types whose labels the code displays, by name.
        sites: The site of each choice.
        phases: The phase of each choice. Empty if a routine asks, since it has several callers.
        starts: Pairs of a phase and its first block.
        spills: The number of cells for locals that survive a choice.
        return_locals: Name of a routine that asks -> the local that holds its return block, and the cell of this local.
            The cell is -1 if the local has none.
        calls: Return block -> the place of the call before it.
        live_cells: For each choice, the cells of the locals that are live while it waits.
        component_cells: The cells of the locals that hold components or lists of components.
    """

    text: str
    places: tuple[ir.Provenance, ...]
    slots: dict[str, int]
    types: dict[str, Type]
    sites: tuple[int, ...] = ()
    phases: tuple[str, ...] = ()
    starts: tuple[tuple[str, int], ...] = ()
    spills: int = 0
    return_locals: dict[str, tuple[str, int]] = field(default_factory=dict)
    calls: dict[int, ir.Provenance] = field(default_factory=dict)
    live_cells: tuple[tuple[int, ...], ...] = ()
    component_cells: tuple[int, ...] = ()

    def complete_trail(self, place: ir.Provenance, names: Mapping[str, Any]) -> ir.Provenance:
        """Return ``place`` with its full trail, including the calls of routines that led to it.

        A routine that asks can stop in the middle, so the Python stack does not show its callers. The return blocks
        that it keeps do. ``names`` holds the local names at the point of the error, and the cells as ``c``. A place
        outside such routines is returned as it is.
        """
        while place.trail[:1] == (ir.CALLER_TRAIL,) and place.trail[1] in self.return_locals:
            name, cell = self.return_locals[place.trail[1]]
            place = place.add_caller(self.calls[names["c"][cell] if cell >= 0 else names[name]])
        return place


def select_module(setting: Setting, kind: str, keeps_masks: bool = False) -> ir.Module:
    """Return the intermediate representation of a build before any pass, new at each call.

    ``kind`` is ``silent``, ``events`` or ``playout``. The first two are stepwise and read the options of the game at
    run time. They differ only in the ``kind`` of the module, though its ``functions`` and ``facts`` are never ``==``
    those of another call. In a playout the options are constants. With ``keeps_masks``, loops can iterate over bits in
    all kinds, and stepwise play keeps bit masks for variables of spaces, as a playout always does. This suits backends
    with fast bit operations.
    """
    has_fixed_options = has_options(kind)
    game_ranges = analyse_game(setting, starts_anywhere=not has_fixed_options)
    lowerer = Lowerer(setting, game_ranges, lower_game.FORMS, reads_options=not has_fixed_options)
    game = calls_rules_and_modifiers.split_deep_nesting(
        lower_game.lower_game(lowerer, has_heuristic=not has_fixed_options), lowerer, nests_choices=kind == "playout"
    )
    selector: Selector
    if kind == "playout":
        selector = playout_function.make_selector(lowerer, setting.layout)
        selector.iterates_bits = keeps_masks
        playout_function.select_game(selector, game)
    else:
        selector = stepwise_play.make_selector(lowerer, setting.layout, keeps_masks)
        stepwise_play.select_game(selector, game)
    ranges = lowerer.ranges
    return ir.Module(
        kind,
        tuple(selector.functions),
        tuple(selector.tables.values),
        lowerer.names,
        selector.label_types,
        tuple(selector.choices),
        selector.return_slots,
        types.Facts(lowerer.types, ranges.number_ranges, ranges.list_sizes, ranges.text_lengths, game_ranges.places),
    )


def emit(setting: Setting, kind: str) -> Emission:
    """Generate a build: its Python source ``text``, and the tables that map it back to the ruleset.

    ``kind`` is ``playout``, or ``silent`` or ``events`` for a stepwise build. Any other raises KeyError. In a playout,
    the Emission has only ``text``, ``places``, ``slots`` and ``types``; its other fields are empty or 0. Nothing is
    compiled or cached. The same setting gives the same text.
    """
    if kind != "playout":
        return Stepwise(setting).emit(kind)
    # A playout is a single function, whose locals hold most of the state.
    module = select_module(setting, kind)
    marks = partial(make_initial_masks, setting.program, setting.players)
    playout = promote_state(module, setting, marks)
    storage = Storage(False, playout.places, playout.streams, playout.shares_counters, playout.separate_none_masks)
    text, places = _make_module_text(setting, playout.module, storage)
    return Emission(text, places, _map_names_to_slots(module), module.label_types)


class Stepwise:
    """Hold the intermediate representation that both stepwise builds share, split into basic blocks.

    The builds also share the cells in which locals survive a choice: ``cells`` maps the slot of each such local to its
    cell, in ascending order. ``keeps_masks`` is the argument of :func:`select_module`.
    """

    def __init__(self, setting: Setting, keeps_masks: bool = False) -> None:
        self.setting = setting
        self.module = module = select_module(setting, STEPWISE[0], keeps_masks)
        self.blocks = split_into_blocks(module.functions)
        reads: ReadSets = {}
        self.functions_by_kind = {
            kind: [(function, Liveness(function, reads)) for function in arrange_blocks(self.blocks, kind)]
            for kind in STEPWISE
        }
        # Each local that needs a cell in either build gets one. They come after those of the layout and the engine.
        exposed_slots = [liveness.exposed_locals for pairs in self.functions_by_kind.values() for _, liveness in pairs]
        slots = set(module.return_slots.values()).union(*exposed_slots)  # the fault report reads return slots, too
        first = setting.layout.size + EXTRA_CELLS
        self.cells = {slot: first + position for position, slot in enumerate(sorted(slots))}

    def build_module(self, kind: str) -> ir.Module:
        """Return the module of one build, ``events`` or ``silent``, in the form that is printed as Python or C.

        Its functions are the blocks and helpers of that build, with loads and stores of the locals in ``cells``. Raises
        KeyError for any other ``kind``, also for ``playout``.
        """
        pairs, cells = self.functions_by_kind[kind], self.cells
        functions = [replace(function, ops=insert_loads_and_stores(liveness, cells)) for function, liveness in pairs]
        return replace(self.module, kind=kind, functions=tuple(functions))

    def emit(self, kind: str) -> Emission:
        """Return the Python source of a stepwise build, with the tables that map it back to the ruleset.

        ``kind`` is ``silent``, or ``events`` for a build that records events. Raises KeyError for any other, also for
        ``playout``. Only ``text`` and ``places`` differ between the two builds. The source is not compiled.

        Example: the game ``duel`` of two players has one phase ``move`` with one choice. For ``silent``, ``text``
        begins with ``# duel 2 players silent``. ``starts`` has the first block of each phase, ``(("setup", 1), ("move",
        2))``. ``phases`` has the phase of each choice, ``("move",)``; with two choices it would be ``("move",
        "move")``. A choice in a shared effect has ``""``.
        """
        module, cells, blocks, local_types = self.module, self.cells, self.blocks, self.module.facts.types
        build = self.build_module(kind)
        text, places = _make_module_text(self.setting, build, Storage(True))
        # A local is live at a choice if it is in either build, because states of one build can continue in the other.
        live_by_build = [
            find_live_locals(pairs, len(module.choices), blocks.returns) for pairs in self.functions_by_kind.values()
        ]
        live_slots = [set[int]().union(*slot_sets) for slot_sets in zip(*live_by_build, strict=True)]
        return Emission(
            text=text,
            places=places,
            slots=_map_names_to_slots(module),
            types=module.label_types,
            sites=tuple(site for site, _ in module.choices),
            phases=tuple(phase for _, phase in module.choices),
            starts=tuple(blocks.starts.items()),
            spills=len(cells),
            return_locals={
                name: (make_identifier(module.names[slot], slot), cells.get(slot, -1))
                for name, slot in module.return_slots.items()
            },
            calls=blocks.returns,
            live_cells=tuple(tuple(sorted(cells[slot] for slot in slots)) for slots in live_slots),
            component_cells=tuple(cell for slot, cell in cells.items() if is_component(local_types.get(slot, INT))),
        )


def select_stepwise_with_masks(setting: Setting) -> tuple[Stepwise, dict[int, int]]:
    """Return stepwise play, with bit masks if possible, and the slots of the locals that it keeps across choices.

    The second result maps each of these slots, in ascending order, to the position of the same local in ``cells`` of
    the build without masks. The positions count from 0. The position is -1 if that build does not keep the local.
    Without boards, the first result is a new ``Stepwise(setting)``, the build without masks: if it keeps the slots 4
    and 9, the second result is ``{4: 0, 9: 1}``. The same holds if the builds differ in their number of blocks or in
    their choices, or if the one with masks lacks a local that the other keeps.
    """
    plain = Stepwise(setting)
    positions = {slot: position for position, slot in enumerate(plain.cells)}
    if setting.program.boards:
        with_masks = Stepwise(setting, keeps_masks=True)
        slot_map = _match_locals(with_masks.module.names, plain.module.names)
        kept_slots = {slot: positions.get(slot_map.get(slot, -1), -1) for slot in with_masks.cells}
        has_same_blocks = len(with_masks.blocks.blocks) == len(plain.blocks.blocks)
        is_similar = has_same_blocks and with_masks.module.choices == plain.module.choices
        names = [[build.module.names[slot] for slot in build.cells] for build in (with_masks, plain)]
        if is_similar and names[0] == names[1]:
            return with_masks, {slot: position for position, slot in enumerate(with_masks.cells)}
        if is_similar and set(positions.values()) <= set(kept_slots.values()):
            return with_masks, kept_slots
    return plain, positions


def _match_locals(all_names: dict[int, str], plain_names: dict[int, str]) -> dict[int, int]:
    """Map the locals of a build with masks to those of the build without.

    The build with masks has some locals more. The result is empty if the other locals differ.
    """
    shared_slots = [slot for slot in sorted(all_names) if all_names[slot] != MASK_LOCAL_NAME]
    if [all_names[slot] for slot in shared_slots] != [plain_names[slot] for slot in sorted(plain_names)]:
        return {}
    return dict(zip(shared_slots, sorted(plain_names), strict=True))


def _map_names_to_slots(module: ir.Module) -> dict[str, int]:
    """Return a map from the names in the generated text to the slots of the locals."""
    return {make_identifier(name, slot): slot for slot, name in module.names.items()}


def _make_module_text(setting: Setting, module: ir.Module, storage: Storage) -> tuple[str, tuple[ir.Provenance, ...]]:
    """Return the Python text of a module, and the origin of each line. ``storage`` says where the code keeps the
    state.
    """
    options = {name: make_option_name(setting.program, name) for name in setting.options}
    printer = Printer(setting.layout, module.names, options, storage)
    title = format_comment(setting.program.id, setting.players, "players", module.kind)
    lines = print_module(printer, title, module)
    return "\n".join(line for line, _ in lines) + "\n", tuple(place for _, place in lines)


MAX_CONSTANT_LENGTH = 2_000  # characters of a constant that are shown


def format_module(module: ir.Module, sorts: Sorts, title: tuple[str | int, ...]) -> str:
    """Return the intermediate representation of a module as text, with the sorts of its locals.

    The first line, for the ``title`` ``("chess", 2, "players")``, is ``# chess 2 players intermediate form``. Constants
    (``K1 = …``, sets as sorted tuples), cells (``cell gold: …``) and locals (``local x_3: …``) follow, one a line, then
    the functions after an empty line each. A function begins with a line like ``query value0 x_3 gives …:``, without
    ``gives`` if it has no result. Its temporaries (``own t1: …``) and operations follow, indented. Constants of more
    than :data:`MAX_CONSTANT_LENGTH` characters are cut there and end with `` ...``. The text ends with a line break.
    """
    formatter = _Formatter(module.names)
    lines = [format_comment(*title, "intermediate", "form")]
    for number, value in enumerate(module.tables, 1):
        literal = format_literal(tuple(sorted(value)) if isinstance(value, frozenset) else value)
        lines.append(
            f"K{number} = {literal if len(literal) <= MAX_CONSTANT_LENGTH else literal[:MAX_CONSTANT_LENGTH] + ' ...'}"
        )
    lines += [f"cell {name}: {sort}" for name, sort in sorts.cells.items()]
    lines += [f"local {formatter.format_local(slot)}: {sort}" for slot, sort in sorts.locals.items()]
    for function in module.functions:
        parameters = "".join(f" {formatter.format_local(slot)}" for slot in function.params)
        name = re.sub("[^A-Za-z0-9_-]", "", function.name)
        result_sort = sorts.results.get(function.name, NEVER)
        result = "" if result_sort.kind == NEVER.kind else f" gives {result_sort}"
        lines += ["", f"{function.role} {name}{parameters}{result}:"]
        lines += [f"    own {name}: {sort}" for name, sort in sorts.temporaries[function.name].items()]
        lines += formatter.format_block(function.ops, 1)
    return "\n".join(lines) + "\n"


class _Formatter:
    """Print operations and values of the intermediate representation."""

    def __init__(self, names: dict[int, str]) -> None:
        self.names = names

    def format_local(self, slot: int) -> str:
        return make_identifier(self.names[slot], slot)

    # ------------------------------------------------------------ operations

    def format_block(self, ops: ir.Ops, level: int) -> Iterator[str]:
        for op in ops:
            yield from self.format_op(op, level)

    def format_op(self, op: ir.Op, level: int) -> Iterator[str]:
        """Yield the lines of an operation at an indentation level. Branches (``when TEST:``, ``or when TEST:``,
        ``otherwise:``) and assignments (``x_3 := 1``, ``x_3 += 1``) have forms of their own. Any other line begins with
        the name of the class in lower case, such as ``loop``.
        """
        margin = "    " * level
        match op:
            case ir.If(branches=branches):
                keyword = "when"
                for branch in branches:
                    test = "otherwise" if branch.test is None else f"{keyword} {self.format_value(branch.test)}"
                    yield f"{margin}{test}:{self.format_place(branch.place)}"
                    yield from self.format_block(branch.ops, level + 1)
                    keyword = "or when"
            case ir.Set(target=target, value=value, op=sign):
                sign = {"=": ":="}.get(sign, f"{sign}=")
                assignment = f"{self.format_value(target)} {sign} {self.format_value(value)}"
                yield f"{margin}{assignment}{self.format_place(op.place)}"
            case _:
                yield from self._format_fields_and_blocks(op, margin, level)

    def _format_fields_and_blocks(self, op: ir.Op, margin: str, level: int) -> Iterator[str]:
        """Yield the lines of an operation. The first has the lower-case name of its class, its plain fields, and the
        line number in the ruleset as a comment. If the operation is limited to a build, ``[events]``, ``[silent]`` or
        ``[located]`` stands after the name.

        The blocks in its fields follow, indented. A line with the name of the field comes before each block. If the
        only block is that of ``ops``, it has no such line. For the blocks of ``bodies``, the line is ``alternative 0``
        and so on. A field that is None, and an empty tuple of operations, are left out.
        """
        words = [] if op.only_build is None else [f"[{op.only_build}]"]
        blocks: list[tuple[str, ir.Ops]] = []
        field_names: tuple[str, ...] = op.__match_args__
        for name in field_names:
            content = getattr(op, name)
            if name == "bodies":
                blocks += [(f"alternative {number}", body) for number, body in enumerate(content)]
            elif isinstance(content, ir.Branch):
                blocks.append((name, content.ops))
            elif isinstance(content, tuple) and (name in BLOCK_FIELDS or (content and isinstance(content[0], ir.Op))):
                if content:
                    blocks.append((name, content))
            elif name not in ("place", "build") and content is not None:
                words.append(self.format_part(content))
        yield f"{margin}{' '.join([type(op).__name__.lower(), *words])}{self.format_place(op.place)}"
        for title, block in blocks:
            if title != "ops" or len(blocks) > 1:
                yield f"{margin}  {title}:"
            yield from self.format_block(block, level + 1)

    def format_place(self, place: ir.Provenance) -> str:
        """Return the line number in the ruleset as a comment, ``# 12`` after two spaces, or an empty text without a
        span.
        """
        return "" if place.span is None else f"  # {place.span.line}"

    # ------------------------------------------------------------ values

    def format_part(self, content: Any) -> str:
        if isinstance(content, ir.Value):
            return self.format_value(content)
        if isinstance(content, tuple):
            return f"({', '.join(map(self.format_part, content))})"
        return format_literal(content)

    def format_value(self, node: ir.Value) -> str:
        """Return a value on one line: a literal, ``K1`` for a constant of the module, ``gold[0]`` for a cell.

        An index is a sum such as ``me_5 + 3``. Other operators stand in parentheses, and most other values are calls.
        """
        match node:
            case ir.Const(value=value):
                return format_literal(value)
            case ir.Table(number=number):
                return f"K{number}"
            case ir.Local(slot=slot) | ir.BoundLocal(slot=slot):
                return self.format_local(slot)
            case ir.Temporary(name=name):
                return name
            case ir.Register(name=name, phase=phase):
                return f"{name} of {phase}" if phase else name
            case ir.Entry(container=container, index=index, low=low):
                return f"{self.format_value(container)}[{self.format_value(index)}{f' - {low}' if low else ''}]"
            case ir.Binary(op=op, left=left, right=right):
                return f"({self.format_value(left)} {op} {self.format_value(right)})"
            case ir.Unary(op=op, operand=operand):
                return f"({op} {self.format_value(operand)})"
            case ir.Primitive(name=name, args=args):
                return f"{name}({', '.join(map(self.format_value, args))})"
            case ir.Index(terms=terms, constant=constant, base=base):
                pairs = [(self.format_value(term), stride) for term, stride in terms]
                parts = [text if stride == 1 else f"{text} * {stride}" for text, stride in pairs]
                return " + ".join([*parts, str(constant + base)] if constant + base or not parts else parts)
            case ir.Cell(place=place, index=index):
                return f"{place}[{self.format_value(index)}]"
        return self._format_call(node)

    def _format_call(self, value: ir.Value) -> str:
        """Return a value as a call with the lower-case name of its class, and all its fields as arguments in order:
        ``notnone(x_3)``. A slot is shown as the name of its local.
        """
        names: tuple[str, ...] = value.__match_args__
        arguments = [
            self.format_local(getattr(value, name)) if name == "slot" else self.format_part(getattr(value, name))
            for name in names
        ]
        return f"{type(value).__name__.lower()}({', '.join(arguments)})"


BLOCK_FIELDS = ("ops", "otherwise")
