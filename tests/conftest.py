"""Configure the whole test suite: slow and flaky markers, and fresh folders for the cache and user data."""

import gc
import os
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import programs
import pytest
from hypothesis import HealthCheck, settings

from lusory.support.cache import Cache

SLOW = {
    "laws": "random rulesets and random games",
    "fuzz": "mutants of files",
    "ui_textual": "screens that are drawn after each key",
    "terminal": "whole games in real terminals",
    "belief": "sampled positions of many games",
    "solve": "equilibria of small games",
    "formatter": "every bundled file, written in several ways",
    "checker/test_depth.py": "thousands of nested parts",
    "checker/test_limits.py": "rulesets of many parts",
    "codegen/test_engines.py": "whole games on both engines",
    "codegen/test_form.py": "random rulesets that cover the intermediate form",
    "codegen/test_nodes.py": "random rulesets that cover the language",
    "codegen/test_generated.py": "every build of every ruleset and chunk",
    "codegen/test_nesting.py": "every chunk, split",
    "codegen/test_faults.py": "every fault on every build",
    "codegen/test_routines.py": "whole games of large rulesets",
    "codegen/test_sorts.py": "every chunk, with inferred types",
    "testing/test_agreement.py": "games on three engines",
    "testing/test_coverage.py": "mutants of whole rulesets",
    "testing/test_fuzz.py": "many random games",
    "commands/test_cli.py": "a process for each command",
    "commands/test_who_searches.py": "a process for each command",
    "explain/test_rulebook.py": "rulebooks of every ruleset",
    "lsp/test_server.py": "a language server for each session",
    "play/test_players.py": "games of every kind of bot",
    "ruleset/test_schema.py": "every pattern on many texts, in two validators",
    "state/test_functions.py": "every function on many values",
    "stats/test_tournament.py": "tournaments",
    "test_quick_fixes.py": "slips in several rulesets",
    "commands/test_new.py": "a process for each command",
    "commands/test_save_commands.py": "a process for each command",
    "ui_line/test_human.py": "random input at a prompt",
    "ui_session/test_browser.py": "two browsers",
    "ui_session/test_mutants.py": "thousands of messages",
    "ui_session/test_secrets.py": "pairs of hosted games, message by message",
    "ui_model/test_words_of_games.py": "positions of whole games",
    "view/test_long_texts.py": "texts of hundreds of thousands of characters",
    "checker/test_text_reuse.py": "rulesets that are checked after each edit",
    "state/test_cost.py": "work up to each limit",
    "yaml/test_portable.py": "every bundled file, in several readers",
    "play/test_journal.py": "processes that are killed",
    "ui_model/test_foretelling.py": "each option of many positions",
    "ui_model/test_screens.py": "screens of whole games",
    "stats/test_gather.py": "pools of processes",
    "explain/test_rules_text.py": "every name of every ruleset",
    "test_benchmarks.py": "games of the benchmarks",
    "test_cache.py": "a process for each run",
    "test_cluster.py": "a cluster of processes",
    "test_conformance.py": "every chunk, on every engine, in every way",
    "test_docs.py": "a game or a process for each example",
    "test_constructs.py": "random rulesets that cover the language",
    "test_fuzz.py": "mutants of files",
    "test_mutation_corpus.py": "slips in every ruleset",
    "test_native.py": "programs that a C compiler builds",
    "test_native_search.py": "programs that a C compiler builds",
    "test_native_steps.py": "programs that a C compiler builds",
    "test_packaging.py": "wheels and environments",
    "test_rulesets.py": "all cases and whole games of every ruleset",
    "test_slips.py": "slips in many rulesets",
    "test_strange_files.py": "a process for each file and command",
    "test_tutorials.py": "every command of the pages for designers",
    "test_yardsticks.py": "whole games of hand-written code",
}
"""Slow folders and test files, each with the reason. ``-m "not slow"`` skips them."""

TIMED = {
    "ui_textual": "keys of a pilot, between which screens are drawn",
    "ui_session": "hosts and guests on sockets",
    "terminal": "whole games in terminals",
    "commands/test_cli.py": "signals at a moment of a command",
    "commands/test_watch.py": "what the system tells of files",
    "ui_line/test_console.py": "pagers and terminals",
    "play/test_journal.py": "processes that are killed in the middle",
    "stats/test_keeping.py": "games that are interrupted",
    "stats/test_simulate.py": "a cluster whose workers are killed",
    "test_native.py": "compilers that are killed and run out of time",
    "test_processes.py": "processes that are killed in the middle",
}
"""Timing-dependent folders and test files, each with the reason.

pytest repeats a failing test of these once and counts it as `rerun` in its last line.
"""

TESTS = Path(__file__).parent

CACHE = "LUSORY_CACHE"
OWN = (CACHE, "XDG_DATA_HOME", "XDG_STATE_HOME", "PYTHONPATH")

# An example may take long on a busy machine: no test depends on time.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

# Programs and their code stay alive from test to test: looking through them often took a quarter of the time.
gc.set_threshold(100_000, 20, 50)

# Without bytecode, each process that a test starts would compile some 400 modules again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


@pytest.fixture(scope="session", autouse=True)
def own_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Give the test session its own cache and user folders.

    Environment variables pass these folders on to the processes that tests start. All workers of one session share a
    cache, so each program is checked and compiled only once. These processes find lusory although it isn't installed.
    """
    before = {name: os.environ.get(name) for name in OWN}
    for name in OWN:
        os.environ[name] = str(tmp_path_factory.mktemp("own"))
    os.environ["PYTHONPATH"] = os.pathsep.join(str(TESTS.parent / folder) for folder in ("dsl", "interpreter"))
    if "PYTEST_XDIST_WORKER" in os.environ:
        os.environ[CACHE] = str(tmp_path_factory.getbasetemp().parent / "cache")
    programs.cache = Cache(Path(os.environ[CACHE]))
    yield
    for name, value in before.items():
        if value is None:
            del os.environ[name]
        else:
            os.environ[name] = value


@cache
def is_listed(path: Path, entries: frozenset[str]) -> bool:
    """Return whether a path is one of the entries, or in one of their folders."""
    path = path.relative_to(TESTS)
    return path.as_posix() in entries or any(folder in entries for folder in path.parts[:1])


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Don't import slow files for ``-m "not slow"``: to collect their tests takes as long as many tests."""
    return True if config.option.markexpr == "not slow" and is_listed(collection_path, frozenset(SLOW)) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    slow, timed = frozenset(SLOW), frozenset(TIMED)
    for item in items:
        if is_listed(item.path, slow):
            item.add_marker("slow")
        if is_listed(item.path, timed):
            item.add_marker(pytest.mark.flaky(reruns=1))


def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Collect garbage after each test file and exclude the surviving objects from later collections.

    Cached programs and their code stay alive for later tests. Scanning them again and again took as long as many tests.
    """
    if nextitem is None or nextitem.path != item.path:
        gc.collect()
        gc.freeze()
