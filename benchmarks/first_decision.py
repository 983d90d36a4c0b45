"""``python -m benchmarks.first_decision RULESET``: a fresh process that gets a game going and says how long it took.

It does what ``lusory play`` does before the table is shown; with a second word what it does where somebody thinks
ahead. Imports count, the start of Python does not.
"""

from time import perf_counter

BEGAN = perf_counter()


def main() -> None:
    import gc
    import sys

    gc.set_threshold(20_000)  # as the command line does, before it imports anything of a command
    from lusory.commands.game_loading_seats_and_output import HUMAN, choose_engine, create_game, load_cached_program

    ruleset, *rest = sys.argv[1:]
    game = create_game(load_cached_program(ruleset), None, [], "compiled" if rest else choose_engine([HUMAN]))
    game.decision(game.start(0, []))
    print(perf_counter() - BEGAN)


if __name__ == "__main__":
    main()
