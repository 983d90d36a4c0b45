"""Play random rulesets on both engines and report every difference between them.

``python tests/laws/engines.py --rulesets 5000`` searches for differences. The number of a ruleset determines everything
about it, so ``--first NUMBER --rulesets 1`` reproduces a failure. Each failing ruleset is also shrunk and written to a
file.
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

from feature_coverage import FeatureCoverage
from random_rulesets import Maker

from lusory.codegen.lower import calls_rules_and_modifiers, lowerer_with_constant_folding_and_inlining
from lusory.commands.game_loading_seats_and_output import show_progress
from lusory.game import ENGINES, Game
from lusory.state.decisions_outcomes_and_faults import RulesetFault
from lusory.state.state import State
from lusory.support.process_pool import count_processors, map_in_order
from lusory_dsl.core import Program
from lusory_dsl.pipeline import check_text
from lusory_dsl.source.diagnostics import Diagnostics

DECISION_LIMIT = 40  # decisions of each game that are compared
TIME_LIMIT = 60  # seconds for one ruleset, on systems that have SIGALRM
FAULTY = 6  # percent: how likely the maker writes a value that can cause a fault, where one is allowed
RINGS = 4  # percent: how likely a call between effects of cards may close a cycle
SHRINK_ATTEMPTS = 150  # attempts to shrink one ruleset
FAILURES = Path("found")


def generate_ruleset(number: int, rewrite: Callable[[str], str] = str, rings: int = RINGS) -> str:
    """Return the text of the ruleset with this number. Only rulesets with odd numbers may contain values that fault."""
    return Maker(Random(f"ruleset {number}").randrange, FAULTY * (number % 2), rewrite, rings).ruleset()


def check_ruleset(text: str) -> Program | None:
    return check_text(text, Diagnostics(), "made.yaml")


@contextmanager
def use_large_settings() -> Iterator[None]:
    """Compile with the settings for large rulesets, for every ruleset.

    Each effect, query and rule of a card becomes a routine, even a small one. Code searches zones for cards even if
    there are few cards.
    """
    with ExitStack() as stack:
        limits = {"MAX_UNROLLED_COPIES": 1, "MAX_CHAINED_MODIFIERS": 1}
        stack.enter_context(patch.multiple(calls_rules_and_modifiers, **limits))
        stack.enter_context(patch.multiple(lowerer_with_constant_folding_and_inlining, SHARE_SIZE=0, SHARE_USES=1))
        yield


# ---------------------------------------------------------------- playing


def draw_options(program: Program, seed: int) -> dict[str, Any]:
    """Return random values of a program's options. With the seed 0, return an empty mapping (all defaults)."""
    random = Random(f"options {seed}")
    return {
        option.name: random.choice(option.values or range(option.low or 0, (option.high or 1) + 1))
        if option.low is not None or option.values
        else random.choice([False, True])
        for option in program.options
        if seed
    }


def trace_game(
    program: Program, engine: str, seed: int, players: int, is_logged: bool, observer: Any = None
) -> Iterator[tuple[Any, ...]]:
    """Yield everything observable in a random game: tables, decisions, texts, views, the end, or a fault.

    If ``is_logged`` is false, the state goes through JSON before each decision instead.
    """
    game = Game(program, players, draw_options(program, seed), engine, observer=observer)
    random = Random(seed)
    log: list[Any] | None = [] if is_logged else None
    try:
        state = game.start(seed, log)
        for _ in range(DECISION_LIMIT):
            if log is None:
                state = State.from_json(json.loads(json.dumps(state.to_json())))
            decision = game.decision(state)
            yield "table", list(log or ()), state.cells[: game.layout.size], state.zones
            if decision is None:
                yield "end", game.outcome(state)
                return
            yield "asked", decision.site, decision.seat, [tuple(option) for option in decision.options]
            texts = game.option_ids(state, decision), game.option_labels(state, decision)
            yield "words", game.prompt(state, decision), *texts
            if log is not None:
                yield "seen", *(game.view(state, seat).to_json() for seat in (decision.seat, None))
                log.clear()
            before = state.copy()
            after = game.apply(state, int(random.random() * len(decision.options)), log)
            assert state == before, "a state is a value"
            state = after
    except RulesetFault as fault:
        yield "fault", fault.message, str(fault.span), fault.trail, fault.position


def play_in_one_go(program: Program, engine: str, seed: int, players: int) -> tuple[Any, ...]:
    """Return the result of a game that is played in one go: the playout, a fault, or ``("long",)``.

    A playout doesn't keep places that no rule reads, so the position of a fault is left out.
    """
    random = Random(seed)
    numbers = iter([random.random() for _ in range(DECISION_LIMIT)])

    def draw_number() -> float:
        try:
            return next(numbers)
        except StopIteration:
            raise KeyboardInterrupt from None

    try:
        return tuple(Game(program, players, draw_options(program, seed), engine).playout(draw_number, seed, table=True))
    except RulesetFault as fault:
        return fault.message, str(fault.span), fault.trail
    except KeyboardInterrupt:
        return ("long",)


class EnginesDiffer(AssertionError):
    """Raised when the engines give different results."""


def compare_engines(program: Program, seed: int, observer: Any = None) -> None:
    """Play one game on both engines: step by step with a log, step by step through JSON, and in one go.

    ``observer`` observes the evaluator. With one, only the game with a log is played: it exercises the most. Raises
    EnginesDiffer if the engines differ. Lets every exception of an engine pass except RulesetFault.
    """
    players = 2 + seed % 2
    for is_logged in (True, False) if observer is None else (True,):
        stories = [
            trace_game(program, engine, seed, players, is_logged, observer if engine == "evaluator" else None)
            for engine in ENGINES
        ]
        for step, (expected, actual) in enumerate(zip(*stories, strict=True)):
            if hits_visit_limit(expected) or hits_visit_limit(actual):
                return
            compare(f"{expected[0]}, {'with' if is_logged else 'without'} a log, step {step}", expected, actual)
    if observer is None:
        compare("the game in one go", *(play_in_one_go(program, engine, seed, players) for engine in ENGINES))


def hits_visit_limit(event: tuple[Any, ...]) -> bool:
    """Return whether a game ends here because an engine exceeded its limit of visited items.

    Each engine counts the visits that it makes. Compiled code makes fewer, so this is no difference.
    """
    return event[0] == "fault" and event[1].startswith("expressions go through more than ")


def compare(context: str, expected: object, actual: object) -> None:
    if expected != actual:
        raise EnginesDiffer(f"{context}:\n  {ENGINES[0]}: {expected}\n  {ENGINES[1]}: {actual}")


# ---------------------------------------------------------------- one ruleset


@dataclass(frozen=True)
class Finding:
    """Result for one ruleset. ``kind`` is ``right``, ``refused`` (by the checker), or the kind of failure."""

    number: int
    kind: str
    message: str = ""

    @property
    def is_failure(self) -> bool:
        return self.kind not in ("right", "refused")


def get_settings(number: int) -> AbstractContextManager[None]:
    """Return the compiler settings: the defaults or, for every second pair, :func:`use_large_settings`."""
    return use_large_settings() if number % 4 >= 2 else ExitStack()  # type: ignore[return-value]


def examine(number: int) -> Finding:
    return check_engines(number, generate_ruleset(number))


def check_engines(number: int, text: str) -> Finding:
    """Return the result for a ruleset text, played with the seed and settings of ``number``."""
    try:
        with limit_time(), get_settings(number):
            program = check_ruleset(text)
            if program is None:
                return Finding(number, "refused")
            compare_engines(program, number)
    except EnginesDiffer as difference:
        return Finding(number, "the engines differ", str(difference))
    except Exception as error:
        return Finding(number, f"{type(error).__name__} in {extract_tb(error.__traceback__)[-1].name}", format_exc())
    return Finding(number, "right")


class OutOfTime(Exception):
    """Raised when a ruleset takes longer than TIME_LIMIT."""


@contextmanager
def limit_time() -> Iterator[None]:
    """Raise OutOfTime if the block takes longer than TIME_LIMIT seconds. Does nothing on systems without SIGALRM."""

    def time_out(*_: object) -> None:
        raise OutOfTime(f"more than {TIME_LIMIT} seconds")

    if not hasattr(signal, "SIGALRM"):
        yield
        return
    previous_handler = signal.signal(signal.SIGALRM, time_out)
    signal.alarm(TIME_LIMIT)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous_handler)


def shrink(text: str, fails: Callable[[str], bool], attempt_limit: int = SHRINK_ATTEMPTS) -> str:
    """Shrink a failing text: delete lines, each with the lines indented below it, while ``fails`` stays true.

    Makes at most ``attempt_limit`` attempts.
    """
    attempts = 0
    lines = text.splitlines()
    index = len(lines) - 1
    while index >= 0 and attempts < attempt_limit:
        indent = len(lines[index]) - len(lines[index].lstrip())
        end = index + 1
        while end < len(lines) and (len(lines[end]) - len(lines[end].lstrip())) > indent:
            end += 1
        candidate = lines[:index] + lines[end:]
        attempts += 1
        if fails("\n".join(candidate) + "\n"):
            lines = candidate
            index = min(index, len(lines))
        index -= 1
    return "\n".join(lines) + "\n"


# ---------------------------------------------------------------- many


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rulesets", type=int, default=5_000, metavar="N", help="how many (default: 5,000)")
    parser.add_argument("--first", type=int, default=0, metavar="NUMBER", help="the number of the first (default: 0)")
    parser.add_argument("--jobs", type=int, default=count_processors(), metavar="J", help="processes at once")
    parser.add_argument("--most", type=int, default=10, metavar="N", help="failures after which to end (default: 10)")
    parser.add_argument("--cover", type=int, metavar="N", help="of the first N, few that exercise the whole language")
    args = parser.parse_args()
    if args.cover is not None:
        return cover(args.cover, args.jobs)
    numbers = range(args.first, args.first + args.rulesets)
    start, n_done, n_refused, n_failed = perf_counter(), 0, 0, 0
    try:
        with (
            show_progress("rulesets", len(numbers)) as bar,
            closing(map_in_order(examine, numbers, args.jobs)) as findings,
        ):
            for n_done, finding in enumerate(findings, 1):
                bar(n_done)
                n_refused += finding.kind == "refused"
                if finding.is_failure:
                    n_failed += 1
                    with bar.pause():
                        report(finding)
                    if n_failed == args.most:
                        break
    except KeyboardInterrupt:
        print("interrupted")
    n_right = n_done - n_refused - n_failed
    seconds = perf_counter() - start
    print(f"{n_done:,} rulesets: both engines agree on {n_right:,}; ", end="")
    print(f"{n_refused:,} refused, {n_failed:,} failed, {seconds:.0f} s")
    return 1 if n_failed else 0


def exercise(number: int, coverage: FeatureCoverage) -> None:
    """Play one ruleset on both engines and record the language features that it exercises."""
    text = generate_ruleset(number)
    with get_settings(number):
        program = check_ruleset(text)
        if program is not None:
            with coverage.record_generated_code():
                compare_engines(program, number, coverage)
    coverage.record_verbs(text)


def measure_exercise(number: int) -> tuple[set[tuple[str, str]], float]:
    """Return what a ruleset exercises, as pairs of engine and label, and the processor seconds that this takes."""
    coverage, start = FeatureCoverage(), process_time()
    exercise(number, coverage)
    tables = coverage.nodes, coverage.builtins
    return {(engine, label) for side in tables for engine in side for label in side[engine]}, process_time() - start


def cover(count: int, jobs: int) -> int:
    """Print numbers of rulesets that together exercise as much as all rulesets below ``count``.

    Uses a greedy set cover that prefers quick rulesets.
    """
    with closing(map_in_order(measure_exercise, range(count), jobs)) as results:
        features = dict(enumerate(results))
    all_features = {(engine, labels) for engine, names in FeatureCoverage().list_missing().items() for labels in names}
    missing, numbers = all_features & set[tuple[str, str]]().union(*(labels for labels, _ in features.values())), []
    print("not exercised:", sorted(all_features - missing) or "nothing")
    while missing:
        numbers.append(max(features, key=lambda n: len(features[n][0] & missing) / (features[n][1] + 0.3)))
        missing -= features[numbers[-1]][0]
    print(f"{tuple(sorted(numbers))}, {sum(features[number][1] for number in numbers):.0f} s")
    return 0


def report(finding: Finding) -> None:
    """Shrink a failing ruleset, write it to a file and print the failure."""
    text = generate_ruleset(finding.number)
    if "OutOfTime" not in finding.kind:
        text = shrink(text, lambda less: check_engines(finding.number, less).kind == finding.kind)
        finding = check_engines(finding.number, text)
    FAILURES.mkdir(exist_ok=True)
    file = FAILURES / f"ruleset-{finding.number}.yaml"
    file.write_text(text, encoding="utf-8")
    print(f"ruleset {finding.number}: {finding.kind}\n{finding.message.strip()[-2000:]}\n{file}\n", flush=True)


if __name__ == "__main__":
    sys.exit(main())
