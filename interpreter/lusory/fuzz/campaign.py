"""A fuzzing campaign: rounds of random games, each planned from the coverage of the rounds before it.

The same ruleset, seed and number of games give the same findings, whatever the number of processes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from random import Random
from time import monotonic
from typing import Any

from lusory_dsl.core import Program

from ..state.state import CodeStore
from ..state.work_limits import Limits
from ..support.process_pool import map_in_order
from ..testing.coverage_items import Item
from .checks_and_goals import ENDINGS, GOALS, Problem
from .finding_files import Finding, create_finding_file
from .game_scripts_and_shrinking import Answer, Script, Shrinker, Variants
from .leak_check import Leak, shrink_leak
from .random_play import GameResult, GameRunner, Plan

JSON_VERSION = 1
ROUNDS = (8, 16, 32, 64)  # number of games of each round; the last number repeats
DECISION_LIMIT = 200  # maximum decisions of a game after its script …
LARGE_RULESET = 1_000  # … divided by 1 + goals // LARGE_RULESET
LEAK_INTERVAL = 4  # games between two leak checks
PLAYOUT_INTERVAL = 16  # games between two that look for an end with long playouts
DEFAULT_GAMES = 4  # number of first games that use the default variant
FROM_START = 0.5  # share of games that start from the beginning; the others start where a goal was first reached
MAX_FINDINGS = 20
MAX_COUNTED_ANSWERS = 200_000

Progress = Callable[[int], None]


@dataclass
class Campaign:
    """Fuzzing campaign of one program.

    ``games`` is the maximum number of games, None for no limit. ``starts`` are scripts that are played first. The
    findings and counts are valid whenever :meth:`run` is interrupted.
    """

    program: Program
    variants: Variants
    games: int | None
    seconds: float | None = None
    seed: int = 0
    jobs: int = 1
    limits: Limits = field(default_factory=Limits)
    store: CodeStore | None = None
    starts: Sequence[Script] = ()
    findings: list[Finding] = field(default_factory=list)
    played: int = 0
    decisions: int = 0
    unfinished: int = 0
    most_work: int = 0
    end_counts: Counter[str] = field(default_factory=Counter)
    goal_counts: Counter[int] = field(default_factory=Counter)  # games that reached each goal
    answer_counts: Counter[Answer] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.shortest: dict[int, tuple[int, Script]] = {}  # goal -> fewest decisions to it, and their game
        self.runner = GameRunner(self.program, self.limits, self.store)
        self._by_key: dict[tuple[str, str, str], Finding | None] = {}

    def run(self, progress: Progress | None = None) -> None:
        """Play until a limit of games, seconds or findings is reached. The counts and ``findings`` grow with each game.

        ``progress`` receives the number of games played so far, after each.
        """
        deadline = None if self.seconds is None else monotonic() + self.seconds
        while not self._is_done(deadline):
            self.runner.answer_counts = dict(self.answer_counts)
            size = ROUNDS[min(self.played // ROUNDS[-1], len(ROUNDS) - 1)]
            size = size if self.games is None else min(size, self.games - self.played)
            plans = [self._plan(number) for number in range(self.played, self.played + size)]
            with closing(map_in_order(self.runner.play, plans, self.jobs)) as results:
                for plan, result in zip(plans, results, strict=True):
                    self._add(plan, result)
                    if progress is not None:
                        progress(self.played)
                    if self._is_done(deadline):
                        break

    def _is_done(self, deadline: float | None) -> bool:
        if len(self.findings) >= MAX_FINDINGS or (deadline is not None and monotonic() >= deadline):
            return True
        return self.games is not None and self.played >= self.games

    # ------------------------------------------------------------ results

    def _add(self, plan: Plan, result: GameResult) -> None:
        """Count a game, and record its findings."""
        script = result.replay_script()
        self.played += 1
        self.decisions += len(result.answers)
        self.most_work = max(self.most_work, result.work)
        if result.is_over:
            self.end_counts[result.reason or ""] += 1
        else:
            self.unfinished += result.problem is None
        counts = self.answer_counts
        counts.update(answer for answer in result.answers if answer in counts or len(counts) < MAX_COUNTED_ANSWERS)
        self.goal_counts.update(result.reached.keys())
        for goal, step in result.reached.items():
            if goal not in self.shortest or step < self.shortest[goal][0]:
                self.shortest[goal] = step, script
        if result.problem is not None:
            self._add_problem(plan.number, script, result.problem)
        if result.leak is not None:
            self._add_leak(plan.number, result.leak)

    def _add_problem(self, number: int, script: Script, problem: Problem) -> None:
        if problem.key not in self._by_key:
            finding = Finding(problem, number, len(script.answers), script)
            self._by_key[problem.key] = finding
            self.findings.append(finding)
            self._shrink(finding, script, problem)
            return
        is_known = self._by_key[problem.key]
        if (
            is_known is not None
            and len(script.answers) < len(is_known.script.answers)
            and not is_known.script.takes_first
        ):
            self._shrink(is_known, script, problem)  # shrinking this script may get further

    def _shrink(self, finding: Finding, script: Script, problem: Problem) -> None:
        """Shrink a script; the finding keeps the result if it is smaller than the finding's own."""
        shrinker = Shrinker(self.runner.reproduce, self.variants, script, problem)
        try:
            shrinker.run()
        finally:
            if finding.file is None or len(shrinker.script.answers) < len(finding.script.answers):
                finding.script, finding.problem = shrinker.script, shrinker.problem
            finding.file = create_finding_file(self.runner, finding, self.findings.index(finding) + 1)

    def _add_leak(self, number: int, leak: Leak) -> None:
        game = self.runner.evaluator(leak.variant)
        key = leak.to_problem(game).key
        if key in self._by_key:
            return
        self._by_key[key] = None
        length, leak = len(leak.answers), shrink_leak(game, leak)
        finding = Finding(leak.to_problem(game), number, length, Script(leak.variant, 0, leak.answers), leak)
        self.findings.append(finding)
        finding.file = create_finding_file(self.runner, finding, len(self.findings))

    # ------------------------------------------------------------ plans

    def _plan(self, number: int) -> Plan:
        rng = Random(f"{self.seed} {number}")
        seed = rng.randrange(1 << 20)
        if number < len(self.starts):
            script = self.starts[number]
        elif not self.shortest or rng.random() < FROM_START:
            variant = self.variants.default() if number < DEFAULT_GAMES else self.variants.draw(rng)
            script = Script(variant, seed, ())
        else:
            script = self._mutate(self._draw_prefix(rng), rng, seed)
        limit = len(script.answers) + DECISION_LIMIT // (1 + len(self.runner.goals.items) // LARGE_RULESET)
        return Plan(number, script, limit, number % PLAYOUT_INTERVAL == 0, (number + 1) % LEAK_INTERVAL == 0)

    def _draw_prefix(self, rng: Random) -> Script:
        """Return the shortest game up to a goal, preferably a goal that few games reached."""
        goals = rng.choices(list(self.shortest), k=3)
        step, script = self.shortest[min(goals, key=lambda goal: self.goal_counts[goal])]
        return replace(script, answers=script.answers[:step])

    def _mutate(self, script: Script, rng: Random, seed: int) -> Script:
        """Return a script as it is, or in half of all cases with one change.

        It is cut, or lacks one answer, or has another seed or variant.
        """
        answers = script.answers
        at = rng.randrange(len(answers) + 1)
        match rng.randrange(8):
            case 0:
                return replace(script, answers=answers[:at])
            case 1:
                return replace(script, answers=answers[:at] + answers[at + 1 :])
            case 2:
                return replace(script, seed=seed)
            case 3:
                return replace(script, variant=self.variants.draw(rng))
        return script

    # ------------------------------------------------------------ report

    def count_reached_goals(self) -> dict[str, tuple[int, int]]:
        """Return kind of goal -> how many were reached and how many there are, in the order of :data:`GOALS`.

        Kinds without a goal are left out.
        """
        items = self.runner.goals.items
        return {
            kind: (sum(n in self.goal_counts for n, item in enumerate(items) if item.kind == kind), total)
            for kind in GOALS
            if (total := sum(item.kind == kind for item in items))
        }

    def list_unreached_goals(self) -> list[Item]:
        """Return the goals that no game reached: endings first, then the others, each in the order of the goals.

        Left out are goals, other than endings, inside another goal that was not reached either.
        """
        items = self.runner.goals.items
        unreached = {id(item): item for number, item in enumerate(items) if number not in self.goal_counts}
        goals = [item for item in unreached.values() if item.kind == ENDINGS or id(item.parent) not in unreached]
        return sorted(goals, key=lambda item: item.kind != ENDINGS)

    def to_json(self) -> dict[str, Any]:
        """Return the report as a JSON value.

        ``reached`` and ``never`` are about goals. Each finding has the number of decisions before and after shrinking,
        and the text of its file.
        """
        program = self.program
        return {
            "version": JSON_VERSION,
            "game": {"id": program.id, "version": program.version, "digest": program.digest},
            "seed": self.seed,
            "games": self.played,
            "decisions": self.decisions,
            "not_ended": self.unfinished,
            "ends": dict(sorted(self.end_counts.items(), key=lambda end: (-end[1], end[0]))),
            "most_work": self.most_work,
            "reached": {
                kind: {"reached": reached_count, "of": total}
                for kind, (reached_count, total) in self.count_reached_goals().items()
            },
            "never": [
                {"kind": item.kind, "name": item.name, "place": str(item.span), "what": item.gap}
                for item in self.list_unreached_goals()
            ],
            "findings": [
                {
                    "kind": finding.problem.kind,
                    "where": finding.problem.place,
                    "message": finding.problem.message,
                    "place": None if finding.problem.span is None else str(finding.problem.span),
                    "game": finding.game_number,
                    "decisions": [finding.original_length, len(finding.script.answers)],
                    "file": None if finding.file is None else {"name": finding.file.name, "text": finding.file.text},
                }
                for finding in self.findings
            ],
        }
