"""``python -m benchmarks.first_decision RULESET``: a fresh process that gets a game going and says how long it took.

It does what every command does first; imports count, the start of Python does not.
"""

from time import perf_counter

BEGAN = perf_counter()


def main() -> None:
    import sys

    from lusory.commands.common import load, make_game

    game = make_game(load(sys.argv[1]), None, [], None)
    game.decision(game.start())
    print(perf_counter() - BEGAN)


if __name__ == "__main__":
    main()
