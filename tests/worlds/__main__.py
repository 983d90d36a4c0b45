"""``python -m tests.worlds [RULESET …]``: the laws of worlds in many games, and how exact and how quick they are."""

from __future__ import annotations

import argparse
from pathlib import Path
from time import monotonic

from lusory.game import Game
from lusory_dsl import load_program

from .laws import Found, tried

ROOT = Path(__file__).resolve().parents[2] / "rulesets"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.worlds", description=__doc__)
    parser.add_argument("rulesets", nargs="*", help="folders under rulesets/; all of them unless given")
    parser.add_argument("--games", type=int, default=2)
    parser.add_argument("--decisions", type=int, default=400, help="of a game, at most")
    parser.add_argument("--every", type=int, default=3, help="decisions from one position looked at to the next")
    parser.add_argument("--seconds", type=float, default=60.0, help="for each setting; what was begun is ended")
    parser.add_argument("--players", type=int, action="append", help="only so many (may be given several times)")
    parser.add_argument("--options", nargs="*", default=[], metavar="NAME=VALUE", help="in place of each value of each")
    parser.add_argument("--amiss", action="store_true", help="tell of worlds whose steps are not found to lead to them")
    given = parser.parse_args()
    print(
        "| ruleset | players, options | positions | worlds | exact | retold | broken | ms a world | ms a step learned |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    names = given.rulesets or sorted(str(path.parent.relative_to(ROOT)) for path in ROOT.rglob("ruleset.yaml"))
    broken = 0
    for name in names:
        program = load_program(ROOT / name)
        chosen = [dict(option.split("=") for option in given.options)] if given.options else [{}, *_each(program)]
        possible = range(program.min_players, program.max_players + 1)
        for players in (n for n in given.players or possible if n in possible):
            for options in chosen:
                broken += _row(name, Game(program, players, options), options, given)
    return min(broken, 1)


def _each(program: object) -> list[dict[str, object]]:
    """Each option at each value that is not its usual one; of numbers at the least and the greatest."""
    found: list[dict[str, object]] = []
    for option in program.options:  # type: ignore[attr-defined]
        if option.values:
            found += [{option.name: v} for n, v in enumerate(option.values) if n != option.default]
        elif isinstance(option.default, bool):
            found.append({option.name: not option.default})
        else:
            found += [{option.name: n} for n in (option.low, option.high) if n not in (None, option.default)]
    return found


def _row(name: str, game: Game, options: object, given: argparse.Namespace) -> int:
    found, until = Found(), monotonic() + given.seconds
    for seed in range(given.games):
        tried(game, seed, found, given.decisions, given.every)
        if monotonic() > until:
            break
    share = found.exact / max(1, found.worlds)
    print(
        f"| {name} | {game.players} {options or ''} | {found.positions} | {found.worlds} | {share:.3f} | "
        f"{found.retold / max(1, found.exact):.3f} | {len(found.broken)} | "
        f"{1000 * found.seconds / max(1, found.worlds):.3f} | {1000 * found.learning / max(1, found.learned):.2f} |",
        flush=True,
    )
    for words in [*found.broken[:3], *(found.amiss if given.amiss else ())]:
        print(words, flush=True)
    return len(found.broken)


if __name__ == "__main__":
    raise SystemExit(main())
