"""Random rulesets, each played at random on both engines: where they part is a failure.

``python tests/laws/engines.py --rulesets 5000`` looks for such. Everything about a ruleset follows from its number, so
that a failure can be seen again with ``--first NUMBER --rulesets 1``; it is also written to a file, made as small as is
cheap.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from time import perf_counter, process_time
from traceback import extract_tb, format_exc
from typing import Any
from unittest.mock import patch

from exercised import Exercised
from random_rulesets import Maker

from lusory.codegen.lower import calls, lowerer
from lusory.commands.common import progress
from lusory.game import ENGINES, Game
from lusory.state.decision import RulesetFault
from lusory.state.state import State
from lusory.support.process_pool import in_order, processors
from lusory_dsl.core import Program
from lusory_dsl.pipeline import check_text
from lusory_dsl.source.diagnostics import Diagnostics

MOST_DECISIONS = 40  # of one game that is compared
PATIENCE = 60  # seconds for one ruleset, on a system that can say when they are over
FAULTY = 6  # percent: how likely what can go wrong is written where it may be
RINGS = 4  # percent: how likely a call between what cards do may close a ring
TRIES = 150  # rulesets that are tried to make one smaller
FOUND = Path("found")


def made(number: int, rewrite: Callable[[str], str] = str, rings: int = RINGS) -> str:
    """The ruleset of a number; what can go wrong in every second one is written now and then."""
    return Maker(Random(f"ruleset {number}").randrange, FAULTY * (number % 2), rewrite, rings).ruleset()


def checked(text: str) -> Program | None:
    return check_text(text, Diagnostics(), "made.yaml")


@contextmanager
def shared() -> Iterator[None]:
    """Each effect, query and rule of a card is a routine of its own, however small, and cards are sought in zones,
    however few there are."""
    with ExitStack() as stack:
        stack.enter_context(patch.multiple(calls, MOST_TERMS=1, COPIES_PER_LIST=0, MOST_IN_A_ROW=1))
        stack.enter_context(patch.multiple(lowerer, SHARE_SIZE=0, SHARE_USES=1))
        yield


# ---------------------------------------------------------------- playing


def options_of(program: Program, seed: int) -> dict[str, Any]:
    """Values of a program's options, by the seed of a game; 0: the defaults."""
    random = Random(f"options {seed}")
    return {
        option.name: random.choice(option.values or range(option.low or 0, (option.high or 1) + 1))
        if option.low is not None or option.values
        else random.choice([False, True])
        for option in program.options
        if seed
    }


def played(
    program: Program, engine: str, seed: int, players: int, logged: bool, observer: Any = None
) -> Iterator[tuple[Any, ...]]:
    """What can be seen of a game of random choices; the state goes through JSON where nothing is logged."""
    game = Game(program, players, options_of(program, seed), engine, observer=observer)
    random = Random(seed)
    log: list[Any] | None = [] if logged else None
    try:
        state = game.start(seed, log)
        for _ in range(MOST_DECISIONS):
            if log is None:
                state = State.from_json(json.loads(json.dumps(state.to_json())))
            decision = game.decision(state)
            yield "table", list(log or ()), state.cells[: game.layout.size], state.zones
            if decision is None:
                yield "end", game.outcome(state)
                return
            yield "asked", decision.site, decision.seat, [tuple(option) for option in decision.options]
            words = game.option_ids(state, decision), game.option_labels(state, decision)
            yield "words", game.prompt(state, decision), *words
            if log is not None:
                yield "seen", *(game.view(state, seat).to_json() for seat in (decision.seat, None))
                log.clear()
            before = state.copy()
            after = game.apply(state, int(random.random() * len(decision.options)), log)
            assert state == before, "a state is a value"
            state = after
    except RulesetFault as fault:
        yield "fault", fault.message, str(fault.span), fault.trail, fault.position


def whole_game(program: Program, engine: str, seed: int, players: int) -> tuple[Any, ...]:
    """The end of a game that is played without a stop. Places that no rule reads are not kept in such a game, so the
    position of a fault is not compared."""
    random = Random(seed)
    numbers = iter([random.random() for _ in range(MOST_DECISIONS)])

    def number() -> float:
        try:
            return next(numbers)
        except StopIteration:
            raise KeyboardInterrupt from None

    try:
        return tuple(Game(program, players, options_of(program, seed), engine).playout(number, seed, table=True))
    except RulesetFault as fault:
        return fault.message, str(fault.span), fault.trail
    except KeyboardInterrupt:
        return ("long",)


class Parted(AssertionError):
    """The engines do not say the same."""


def agree(program: Program, seed: int, observer: Any = None) -> None:
    """Play a game of a program on both engines, step by step with a log, through JSON without one, and in one go.

    ``observer``: looks on at the evaluator. Raises Parted, and what an engine raises that is no fault of the rules."""
    players = 2 + seed % 2
    for logged in (True, False):
        stories = [
            played(program, engine, seed, players, logged, observer if engine == "evaluator" else None)
            for engine in ENGINES
        ]
        for step, (oracle, other) in enumerate(zip(*stories, strict=True)):
            if visits_too_much(oracle) or visits_too_much(other):
                return
            compare(f"{oracle[0]}, {'with' if logged else 'without'} a log, step {step}", oracle, other)
    compare("the game in one go", *(whole_game(program, engine, seed, players) for engine in ENGINES))


def visits_too_much(seen: tuple[Any, ...]) -> bool:
    """Whether a game ends here since an engine went through too many items: each counts its own (decision note 24)."""
    return seen[0] == "fault" and seen[1].startswith("expressions go through more than ")


def compare(what: str, oracle: object, other: object) -> None:
    if oracle != other:
        raise Parted(f"{what}:\n  {ENGINES[0]}: {oracle}\n  {ENGINES[1]}: {other}")


# ---------------------------------------------------------------- one ruleset


@dataclass(frozen=True)
class Finding:
    """What became of a ruleset. ``kind``: ``right``, ``refused`` by the check, or how it failed."""

    number: int
    kind: str
    message: str = ""

    @property
    def failed(self) -> bool:
        return self.kind not in ("right", "refused")


def setting_of(number: int) -> AbstractContextManager[None]:
    """How the compiled engine is set for a ruleset: as it is, or, for every second pair, so that all is shared."""
    return shared() if number % 4 >= 2 else ExitStack()  # type: ignore[return-value]


def examine(number: int) -> Finding:
    return tried(number, made(number))


def tried(number: int, text: str) -> Finding:
    """What becomes of a text that has the number of a ruleset."""
    try:
        with patience(), setting_of(number):
            program = checked(text)
            if program is None:
                return Finding(number, "refused")
            agree(program, number)
    except Parted as found:
        return Finding(number, "the engines part", str(found))
    except Exception as error:
        return Finding(number, f"{type(error).__name__} in {extract_tb(error.__traceback__)[-1].name}", format_exc())
    return Finding(number, "right")


class TooLong(Exception):
    """A ruleset took too long."""


@contextmanager
def patience() -> Iterator[None]:
    """Within this, what takes too long is ended, where the system can do so."""

    def end(*_: object) -> None:
        raise TooLong(f"more than {PATIENCE} seconds")

    if not hasattr(signal, "SIGALRM"):
        yield
        return
    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def smaller(text: str, fails: Callable[[str], bool], most: int = TRIES) -> str:
    """A text that fails in the same way, without lines, and what is indented below them, that it fails without too."""
    tries = 0
    lines = text.splitlines()
    at = len(lines) - 1
    while at >= 0 and tries < most:
        indent = len(lines[at]) - len(lines[at].lstrip())
        end = at + 1
        while end < len(lines) and (len(lines[end]) - len(lines[end].lstrip())) > indent:
            end += 1
        less = lines[:at] + lines[end:]
        tries += 1
        if fails("\n".join(less) + "\n"):
            lines = less
            at = min(at, len(lines))
        at -= 1
    return "\n".join(lines) + "\n"


# ---------------------------------------------------------------- many


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rulesets", type=int, default=5_000, metavar="N", help="how many (default: 5,000)")
    parser.add_argument("--first", type=int, default=0, metavar="NUMBER", help="the number of the first (default: 0)")
    parser.add_argument("--jobs", type=int, default=processors(), metavar="J", help="processes at once")
    parser.add_argument("--most", type=int, default=10, metavar="N", help="failures after which to end (default: 10)")
    parser.add_argument("--cover", type=int, metavar="N", help="of the first N, few that exercise the whole language")
    args = parser.parse_args()
    if args.cover is not None:
        return cover(args.cover, args.jobs)
    numbers = range(args.first, args.first + args.rulesets)
    start, done, refused, failed = perf_counter(), 0, 0, 0
    try:
        with progress("rulesets", len(numbers)) as bar, closing(in_order(examine, numbers, args.jobs)) as findings:
            for done, finding in enumerate(findings, 1):
                bar(done)
                refused += finding.kind == "refused"
                if finding.failed:
                    failed += 1
                    with bar.paused():
                        report(finding)
                    if failed == args.most:
                        break
    except KeyboardInterrupt:
        print("interrupted")
    right = done - refused - failed
    seconds = perf_counter() - start
    print(
        f"{done:,} rulesets: both engines agree on {right:,}; {refused:,} refused, {failed:,} failed, {seconds:.0f} s"
    )
    return 1 if failed else 0


def exercise(number: int, exercised: Exercised) -> None:
    """Play the ruleset of a number on both engines, and note what that exercises."""
    text = made(number)
    with setting_of(number):
        program = checked(text)
        if program is not None:
            with exercised.looking():
                agree(program, number, exercised)
    exercised.statements(text)


def exercised_by(number: int) -> tuple[set[tuple[str, str]], float]:
    """What the ruleset of a number exercises, by engine, and the seconds of the processor's time that it takes."""
    exercised, start = Exercised(), process_time()
    exercise(number, exercised)
    sides = exercised.nodes, exercised.builtins
    return {(engine, what) for side in sides for engine in side for what in side[engine]}, process_time() - start


def cover(count: int, jobs: int) -> int:
    """Print numbers below ``count`` whose rulesets exercise all that those of all of them do, quick ones before slow
    ones: a greedy set cover."""
    with closing(in_order(exercised_by, range(count), jobs)) as found:
        reached = dict(enumerate(found))
    wanted = {(engine, what) for engine, names in Exercised().missing().items() for what in names}
    left, chosen = wanted & set[tuple[str, str]]().union(*(what for what, _ in reached.values())), []
    print("not exercised:", sorted(wanted - left) or "nothing")
    while left:
        chosen.append(max(reached, key=lambda number: len(reached[number][0] & left) / (reached[number][1] + 0.3)))
        left -= reached[chosen[-1]][0]
    print(f"{tuple(sorted(chosen))}, {sum(reached[number][1] for number in chosen):.0f} s")
    return 0


def report(finding: Finding) -> None:
    """Write a failing ruleset to a file, as small as can be, and say what came."""
    text = made(finding.number)
    if "TooLong" not in finding.kind:
        text = smaller(text, lambda less: tried(finding.number, less).kind == finding.kind)
        finding = tried(finding.number, text)
    FOUND.mkdir(exist_ok=True)
    file = FOUND / f"ruleset-{finding.number}.yaml"
    file.write_text(text, encoding="utf-8")
    print(f"ruleset {finding.number}: {finding.kind}\n{finding.message.strip()[-2000:]}\n{file}\n", flush=True)


if __name__ == "__main__":
    sys.exit(main())
