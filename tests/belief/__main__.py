"""``python -m tests.belief [RULESET …]``: check the laws in many games, and print how exact and fast samples are."""

from __future__ import annotations

import argparse
from time import monotonic

from lusory.game import Game
from lusory_dsl import load_program
from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets

from .laws import Results, check_laws


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.belief", description=__doc__)
    parser.add_argument("rulesets", nargs="*", help="names of bundled rulesets (default: all)")
    parser.add_argument("--games", type=int, default=2)
    parser.add_argument("--decisions", type=int, default=400, help="maximum per game")
    parser.add_argument("--every", type=int, default=3, help="check every n-th decision")
    parser.add_argument("--seconds", type=float, default=60.0, help="per setting; a game that has begun is finished")
    parser.add_argument("--players", type=int, action="append", help="number of players (repeatable)")
    parser.add_argument("--options", nargs="*", default=[], metavar="NAME=VALUE", help="instead of all options")
    parser.add_argument("--failures", action="store_true", help="print why samples could not be replayed")
    args = parser.parse_args()
    print(
        "| ruleset | players, options | positions | samples | exact | replayed | violations | ms per sample "
        "| ms per update |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    rulesets = find_bundled_rulesets()
    violations = 0
    for name in args.rulesets or sorted(rulesets):
        program = load_program(rulesets[name])
        typed_options = dict(option.split("=") for option in args.options)
        settings = [typed_options] if typed_options else [{}, *_list_settings(program)]
        possible = range(program.min_players, program.max_players + 1)
        for players in (n for n in args.players or possible if n in possible):
            for options in settings:
                violations += _print_row(name, Game(program, players, options), options, args)
    return min(violations, 1)


def _list_settings(program: object) -> list[dict[str, object]]:
    """Return each option with each value other than its default. For numbers, return the lowest and the highest."""
    settings: list[dict[str, object]] = []
    for option in program.options:  # type: ignore[attr-defined]
        if option.values:
            settings += [{option.name: value} for n, value in enumerate(option.values) if n != option.default]
        elif isinstance(option.default, bool):
            settings.append({option.name: not option.default})
        else:
            settings += [{option.name: n} for n in (option.low, option.high) if n not in (None, option.default)]
    return settings


def _print_row(name: str, game: Game, options: object, args: argparse.Namespace) -> int:
    results, end = Results(), monotonic() + args.seconds
    for seed in range(args.games):
        check_laws(game, seed, results, args.decisions, args.every)
        if monotonic() > end:
            break
    share = results.exact / max(1, results.samples)
    print(
        f"| {name} | {game.players} {options or ''} | {results.positions} | {results.samples} | {share:.3f} | "
        f"{results.n_replayed / max(1, results.exact):.3f} | {len(results.violations)} | "
        f"{1000 * results.sample_seconds / max(1, results.samples):.3f} | "
        f"{1000 * results.update_seconds / max(1, results.updates):.2f} |",
        flush=True,
    )
    for line in [*results.violations[:3], *(results.failed_replays if args.failures else ())]:
        print(line, flush=True)
    return len(results.violations)


if __name__ == "__main__":
    raise SystemExit(main())
