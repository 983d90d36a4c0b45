"""Run ``lusory compile``: print or measure the code that is generated for a ruleset."""

from __future__ import annotations

import argparse
from pathlib import Path
from time import perf_counter

from lusory_dsl.source.safe_files_and_bundled_data import write_atomically
from lusory_dsl.source.source import count_noun

from ...codegen.build_stages_and_ir_listing import STEPWISE, Emission, emit, format_module, select_module
from ...codegen.generated_code_check_and_loading import KINDS
from ...codegen.passes.type_inference import infer_sorts
from ...game import Game
from ...native import NotNative, generate_games_c, generate_steps_c
from ...ui.line import plain_output_and_terminal_checks as plain_output
from ..game_loading_seats_and_output import create_game, load_cached_program

IR, C, C_STEPS = "ir", "c", "c-steps"
HEAD = ("build", "lines", "bytes", "seconds")


def run(args: argparse.Namespace) -> int:
    """Print or write the code of ``--build``, by default ``silent``, or measure builds. Returns 0.

    ``-o`` writes the code, also without ``--emit``, and prints nothing. Without ``-o``, ``--emit`` and the builds
    ``ir``, ``c`` and ``c-steps`` print it. With none of these, it measures: it prints a table with a row for
    ``--build``, or for all Python builds. The game and the names of the columns stand above it, on a line each.
    Returns 1 if a C build can't be generated. Standard error then has ``lusory: not native: REASON``, with `` at
    FILE:LINE:COLUMN`` if the place is known.
    """
    game = create_game(load_cached_program(args.game, args.packs), args.players, args.options, None)
    if args.emit or args.output or args.build in (IR, C, C_STEPS):
        try:
            text = _generate(game, args.build or KINDS[0])
        except NotNative as refusal:
            plain_output.report_error(str(refusal))
            return 1
        if args.output:
            write_atomically(Path(args.output), text)
        else:
            plain_output.write_content(text)
        return 0
    plain_output.write_line(f"{game.program.name}, {count_noun(game.players, 'player')}")
    rows = [HEAD, *(_measure_build(game, kind) for kind in ([args.build] if args.build else KINDS))]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        numbers = (cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
        plain_output.write_line("  ".join((row[0].ljust(widths[0]), *numbers)))
    return 0


def _generate(game: Game, build: str) -> str:
    if build == IR:
        module = select_module(game.setting, STEPWISE[0])
        return format_module(module, infer_sorts(game.setting, module), (game.program.id, game.players, "players"))
    if build == C:
        return generate_games_c(game.setting).text
    if build == C_STEPS:
        return generate_steps_c(game.setting).text
    return emit(game.setting, build).text


def _measure_build(game: Game, kind: str) -> tuple[str, ...]:
    """Return the row of a build: name, lines, bytes and seconds."""
    start = perf_counter()
    emission: Emission = emit(game.setting, kind)
    compile(emission.text, f"<{kind}>", "exec")
    seconds = perf_counter() - start
    size = len(emission.text.encode())
    return kind, f"{emission.text.count(chr(10)):,}", f"{size:,}", f"{seconds:.2f}"
