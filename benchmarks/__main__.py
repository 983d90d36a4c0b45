"""Run the benchmarks from the checkout with ``python -m benchmarks``, and print one table of ratios."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .suite import Section

FINE, USAGE, INTERRUPTED = 0, 2, 130
DESCRIPTION = "How fast lusory is beside hand-written Python and its peers, as ratios within one run."
EXAMPLES = """\
examples:
  python -m benchmarks --quick                      a first impression, in about a minute
  python -m benchmarks --only empire-engine         one game, properly
  python -m benchmarks --only load --only start-up  how long a command takes to get going
  python -m benchmarks --peers --format json        everything, also OpenSpiel, PettingZoo and RLCard

  python -m benchmarks --native --only othello      native code beside the playout build

docs/develop/benchmarks.md says what each row means. Ctrl-C ends the run and shows what was measured so far.

exit codes: 0 it ran, whatever it found; 2 it cannot run here; 130 interrupted
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run what the arguments ask for."""
    missing = _find_missing_module()
    if missing is not None:
        print(f"benchmarks: cannot import `{missing}`, which lusory needs", file=sys.stderr)
        print("  help: run in an environment made by `pip install -e .` in this checkout", file=sys.stderr)
        return USAGE
    from . import report
    from .suite import Run, run_sections
    from .timing import Effort

    args = _create_parser().parse_args(argv)
    repeats = args.repeat or (3 if args.quick else 7)
    run = Run(Effort(repeats, 0.05 if args.quick else 0.3), args.quick, args.peers, args.native)
    is_text = args.format == "text"
    sections: list[Section] = []
    is_interrupted = False
    if is_text:
        print(report.format_heading(run), end="\n\n", flush=True)
    try:
        for section in run_sections(args.only, run, _show_progress):
            sections.append(section)
            if is_text:
                print(report.format_section(section), end="\n\n", flush=True)
    except KeyboardInterrupt:
        is_interrupted = True
        _show_progress("")
        print("interrupted: what follows was measured before", file=sys.stderr)
    if is_text:
        print(report.format_verdicts([verdict for section in sections for verdict in section.verdicts]))
    else:
        print(report.format_json(run, sections))
    return INTERRUPTED if is_interrupted else FINE


def _find_missing_module() -> str | None:
    """Return the name of a required module that is missing, or None. Imports the code of this checkout first."""
    root = Path(__file__).resolve().parent.parent
    sys.path[:0] = [folder for folder in (str(root / "dsl"), str(root / "interpreter")) if folder not in sys.path]
    try:
        import_module("lusory_dsl.pipeline")
        import_module("lusory.game")
    except ModuleNotFoundError as problem:
        return problem.name
    return None


def _show_progress(title: str) -> None:
    """Write what is being measured to a person's terminal, over the last such line."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{title}", end="", file=sys.stderr, flush=True)


def _create_parser() -> argparse.ArgumentParser:
    from .suite import BENCHMARKS, list_native_benchmarks

    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--quick", action="store_true", help="short slices, few repeats: a first impression")
    parser.add_argument("--repeat", type=_parse_positive, metavar="N", help="repeats (default: 7, with --quick 3)")
    names = list({**BENCHMARKS, **list_native_benchmarks()})
    parser.add_argument(
        "--only",
        action="append",
        choices=names,
        metavar="NAME",
        help=f"only this one, may be repeated: {', '.join(names)}",
    )
    parser.add_argument("--native", action="store_true", help="native code beside the playout build, of each ruleset")
    parser.add_argument("--peers", action="store_true", help="also OpenSpiel, PettingZoo and RLCard, where installed")
    parser.add_argument("--format", choices=["text", "json"], default="text", help="text for people or json")
    return parser


def _parse_positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return int(text)


if __name__ == "__main__":
    raise SystemExit(main())
