"""Print the seconds from a fresh process to a game's first decision: ``python -m benchmarks.first_decision RULESET``.

It does what ``lusory play`` does before it shows the table. With a second argument it uses the compiled engine, as for
seats that search. Imports count, but the start of Python does not.
"""

from time import perf_counter

BEGAN = perf_counter()


def main() -> None:
    import gc
    import sys

    gc.set_threshold(20_000)  # as the command line does, before it imports anything of a command
    from lusory.commands.game_loading_seats_and_output import HUMAN, choose_engine, create_game, load_cached_program

    ruleset, *options = sys.argv[1:]
    game = create_game(load_cached_program(ruleset), None, [], "compiled" if options else choose_engine([HUMAN]))
    game.decision(game.start(0, []))
    print(perf_counter() - BEGAN)


if __name__ == "__main__":
    main()
