"""``python -m benchmarks``, from the checkout: run them and print one table of ratios."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from . import report
from .suite import BENCHMARKS, Run, Section, sections
from .timing import Effort


def main(argv: Sequence[str] | None = None) -> int:
    """Run what the arguments ask for."""
    args = _parser().parse_args(argv)
    repeats = args.repeat or (3 if args.quick else 7)
    run = Run(Effort(repeats, 0.05 if args.quick else 0.3), args.quick, args.peers)
    names = args.only or list(BENCHMARKS)
    done: list[Section] = []
    if args.format == "text":
        print(report.heading(run), end="\n\n", flush=True)
    for section in sections(names, run):
        done.append(section)
        if args.format == "text":
            print(report.section_text(section), end="\n\n", flush=True)
    if args.format == "text":
        print(report.verdicts_text([verdict for section in done for verdict in section.verdicts]))
    else:
        print(report.to_json(run, done))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="short slices, few repeats: a first impression")
    parser.add_argument("--repeat", type=_positive, metavar="N", help="repeats (default: 7, with --quick 3)")
    parser.add_argument("--only", action="append", choices=list(BENCHMARKS), metavar="NAME", help=_names())
    parser.add_argument("--peers", action="store_true", help="also OpenSpiel, PettingZoo and RLCard, where installed")
    parser.add_argument("--format", choices=["text", "json"], default="text", help="text for people or json")
    return parser


def _names() -> str:
    return f"only this one, may be repeated: {', '.join(BENCHMARKS)}"


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return int(text)


if __name__ == "__main__":
    raise SystemExit(main())
