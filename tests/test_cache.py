"""The cache between runs: entries are reused, never outdated, and never trusted if anything about them is wrong."""

from __future__ import annotations

import hashlib
import io
import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from programs import BIDS, ROOT, read_data

import lusory_dsl.pipeline
from lusory.cli import main
from lusory.commands.game_loading_seats_and_output import load_cached_program
from lusory.support import cache as cache_module
from lusory.support.cache import Cache
from lusory_dsl import Program, load_program
from lusory_dsl.core import knowledge_of_locals
from lusory_dsl.source.ruleset_files_fingerprints_and_text_lock import (
    RulesetFiles,
    compute_fingerprint,
    read_ruleset_files,
)

DATA = read_data(__file__)

KEY = "0" * 64


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the test its own cache folder."""
    monkeypatch.setenv("LUSORY_CACHE", str(tmp_path / "kept"))
    return tmp_path / "kept"


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    """Create a folder with a copy of a ruleset."""
    (tmp_path / "rules" / "cards").mkdir(parents=True)
    shutil.copy(BIDS, tmp_path / "rules" / "ruleset.yaml")
    return tmp_path / "rules"


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Record the rulesets that are checked from now on."""
    rulesets: list[Path] = []
    check = lusory_dsl.pipeline.check_files

    def record_check(files: Sequence[RulesetFiles], *args: Any) -> Program | None:
        rulesets.append(files[0].path)
        return check(files, *args)

    monkeypatch.setattr(lusory_dsl.pipeline, "check_files", record_check)
    return rulesets


def test_valid_rules_are_not_checked_again(
    folder: Path, rules: Path, checks: list[Path], capsys: pytest.CaptureFixture[str]
) -> None:
    """This includes `lusory check`, which still checks the cases, and rules that have warnings."""
    for _ in range(2):
        assert main(["check", str(rules)]) == 0
    assert main(["simulate", str(rules), "--games", "1"]) == 0
    assert len(checks) == 1
    (rules / "cases").mkdir()
    (rules / "cases" / "a.yaml").write_text("cases: [{id: x, titel: y, steps: [{decision: P1}]}]\n", encoding="utf-8")
    assert main(["check", str(rules)]) == 1
    assert len(checks) == 1
    (rules / "cases" / "a.yaml").unlink()
    (rules / "more.yaml").write_text("queries: {lonely: {value: 1}}\n", encoding="utf-8")
    for _ in range(2):
        capsys.readouterr()
        assert main(["check", str(rules)]) == 0
        assert "warning" in capsys.readouterr().out
    assert len(checks) == 3


def create_cache(folder: Path) -> tuple[Cache, Path]:
    """Create a cache with one entry. Return the cache and the file of the entry."""
    cache = Cache(folder)
    cache.store_program(KEY, load_program(BIDS), 3)
    (entry,) = folder.iterdir()
    return cache, entry


# ---------------------------------------------------------------- reuse


def test_a_ruleset_is_checked_once(folder: Path, rules: Path, checks: list[Path]) -> None:
    first, again = load_cached_program(str(rules)), load_cached_program(str(rules))
    assert checks == [rules]
    assert again.digest == first.digest
    assert pickle.dumps(again) == pickle.dumps(load_cached_program(str(rules)))


def test_a_cached_program_keeps_its_locations(folder: Path) -> None:
    cache, _ = create_cache(folder)
    entry = cache.load_program(KEY)
    assert entry is not None
    program, warnings = entry
    assert warnings == 3
    expected = load_program(BIDS)
    assert program.variables["points"].type == expected.variables["points"].type
    assert str(program.scoring.rank[0].span) == str(expected.scoring.rank[0].span)


@pytest.mark.parametrize("rules", sorted((ROOT / "rulesets").rglob("ruleset.yaml")), ids=lambda path: path.parent.name)
def test_programs_of_all_games_can_be_cached(folder: Path, rules: Path) -> None:
    """Covers all parts of programs: boards, pictures and screen layouts."""
    cache = Cache(folder)
    original = load_program(rules.parent)
    cache.store_program(KEY, original, 0)
    entry = cache.load_program(KEY)
    assert entry is not None
    assert entry[0].digest == original.digest


def test_warnings_are_reported_every_time(folder: Path, rules: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with (rules / "ruleset.yaml").open("a", encoding="utf-8") as file:
        file.write("\nqueries:\n  unneeded: {value: 1 + 1}\n")
    for _ in range(2):
        assert main(["simulate", str(rules), "--games", "1"]) == 0
        assert f"the rules have a warning: `lusory check {rules}` shows it" in capsys.readouterr().err


@pytest.mark.parametrize("case", DATA["modules that are not loaded"], ids=lambda case: case["test"])
def test_slow_modules_are_not_loaded(case: dict[str, Any], folder: Path) -> None:
    """The second run finds a cached program."""
    code = case["code"].replace("BIDS", str(BIDS)) + "\nprint(*sys.modules)"
    for _ in range(2):
        result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, encoding="utf-8")
        assert result.returncode == 0, result.stderr
    module_names = result.stdout.splitlines()[-1].split()
    assert case.get("loaded", "sys") in module_names
    slow = tuple(f"{name}." for name in case["slow"])
    assert [name for name in module_names if f"{name}.".startswith(slow)] == []


def check_in_new_process(folder: Path) -> str:
    """Check a ruleset whose program isn't cached. Return the last line, which says whether parse tables were built."""
    result = subprocess.run(
        [sys.executable, "-c", DATA["check with tables"].replace("BIDS", str(BIDS))],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "TMPDIR": str(folder.parent / "tmp")},
    )
    assert result.returncode == 0, result.stderr
    assert list((folder.parent / "tmp").iterdir()) == []
    return result.stdout.splitlines()[-1]


def test_parse_tables_are_built_once_and_kept_in_the_cache_folder(folder: Path) -> None:
    (folder.parent / "tmp").mkdir()
    assert check_in_new_process(folder) == "built 0"
    tables = Cache(folder).find_parse_table_file()
    assert tables is not None and tables.exists()
    for entry in set(folder.iterdir()) - {tables}:
        entry.unlink()
    assert check_in_new_process(folder) == "read 0"


def test_damaged_parse_tables_are_built_again(folder: Path) -> None:
    (folder.parent / "tmp").mkdir()
    check_in_new_process(folder)
    for part in (slice(10_000), slice(80)):
        for entry in folder.iterdir():
            entry.write_bytes(entry.read_bytes()[part])
        assert check_in_new_process(folder) == "built 0"


def test_parse_tables_that_others_can_write_are_not_read(folder: Path) -> None:
    cache = Cache(folder)
    file = cache.find_parse_table_file()
    assert file is not None
    file.write_bytes(b"")
    file.chmod(0o666)
    assert cache.find_parse_table_file() is None
    file.chmod(0o600)
    folder.chmod(0o777)
    assert cache.find_parse_table_file() is None


def test_knowledge_is_cached_with_a_program(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Analysing a large ruleset takes longer than loading it."""
    cache, _ = create_cache(folder)
    entry = cache.load_program(KEY)
    assert entry is not None
    original = knowledge_of_locals.get_knowledge(load_program(BIDS))
    monkeypatch.setattr(knowledge_of_locals, "_KnowledgeAnalysis", None)  # it isn't analysed again
    knowledge = knowledge_of_locals.get_knowledge(entry[0])
    assert knowledge.site_levels == original.site_levels
    assert [str(text.span) for text in knowledge.text_levels] == [str(text.span) for text in original.text_levels]


def test_old_entries_are_removed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_module, "MAX_ENTRIES", 6)
    cache = Cache(folder)
    for number in range(20):
        cache.store_code(str(number), number)
    assert len(list(folder.iterdir())) <= 6
    assert cache.load_code("19") == 19


# ---------------------------------------------------------------- changes


def test_a_change_of_the_same_size_and_time_is_noticed(folder: Path, rules: Path) -> None:
    file = rules / "ruleset.yaml"
    status = file.stat()
    assert load_cached_program(str(rules)).name == "Bids"
    file.write_bytes(file.read_bytes().replace(b"name: Bids", b"name: Bods"))
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert file.stat().st_size == status.st_size
    assert load_cached_program(str(rules)).name == "Bods"


NEW_FILES = "more.yaml", "cards/more.yaml", "more.yml", "cards/more.yml", "more.csv", "texts.lock"


@pytest.mark.parametrize("name", NEW_FILES)
def test_a_new_file_is_noticed(name: str, rules: Path) -> None:
    before = compute_fingerprint(read_ruleset_files(rules))
    (rules / name).write_text("# nothing yet\n")
    assert compute_fingerprint(read_ruleset_files(rules)) != before


def test_a_renamed_file_and_a_moved_folder_are_noticed(rules: Path, tmp_path: Path) -> None:
    before = compute_fingerprint(read_ruleset_files(rules))
    copy = shutil.copytree(rules, tmp_path / "other")
    assert compute_fingerprint(read_ruleset_files(copy)) != before
    (rules / "ruleset.yaml").rename(rules / "rules.yaml")
    assert compute_fingerprint(read_ruleset_files(rules)) != before


def test_a_file_that_changes_during_a_check_is_cached_as_it_was_read(
    folder: Path, rules: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = lusory_dsl.pipeline.check_files
    file = rules / "ruleset.yaml"
    before = file.read_text(encoding="utf-8")

    def check_slowly(*args: Any) -> Program | None:
        file.write_text(before.replace("name: Bids", "name: Bods"), encoding="utf-8")
        return check(*args)

    with monkeypatch.context() as patch:
        patch.setattr(lusory_dsl.pipeline, "check_files", check_slowly)
        assert load_cached_program(str(rules)).name == "Bids"
    assert load_cached_program(str(rules)).name == "Bods"
    file.write_text(before, encoding="utf-8")
    assert load_cached_program(str(rules)).name == "Bids"


# ---------------------------------------------------------------- file accesses


_watching: list[list[str]] = []


def _record_open(event: str, args: tuple[Any, ...]) -> None:
    if event == "open" and _watching:
        _watching[-1].append(str(args[0]))


@contextmanager
def record_opened_files() -> Iterator[list[str]]:
    """Record the name of every file that this process opens within this context."""
    if not hasattr(sys, "_lusory_listens"):
        sys.addaudithook(_record_open)
        sys._lusory_listens = True  # type: ignore[attr-defined]  # an audit hook can't be removed
    _watching.append([])
    try:
        yield _watching[-1]
    finally:
        _watching.pop()


@pytest.mark.parametrize("command", [["check"], ["simulate", "--games", "1"], ["explain"]], ids=lambda c: c[0])
@pytest.mark.parametrize("cache_use", ["off", "first", "again"])
def test_each_file_is_read_once(
    cache_use: str, command: list[str], folder: Path, rules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The cache, the search for ignore comments and the loader share the content of each file, also of packs."""
    lonely = "queries:\n  lonely: {value: 1}  # lusory: ignore[W0701] nobody asks it\n"
    (rules / "more.yaml").write_text(lonely, encoding="utf-8")
    (rules / "cards" / "none.yaml").write_text("# none yet\n", encoding="utf-8")
    pack = tmp_path / "pack.yaml"
    pack.write_text("pack: {name: Few, for: bids}\n", encoding="utf-8")
    line = [command[0], str(rules), "--with", str(pack), *command[1:]]
    if cache_use == "off":
        monkeypatch.setenv("LUSORY_CACHE", "off")
    elif cache_use == "again":
        main(line)
    with record_opened_files() as names:
        assert main(line) == 0
    own_files = [Path(name).name for name in names if Path(name).is_relative_to(tmp_path) and name.endswith(".yaml")]
    assert sorted(own_files) == ["more.yaml", "none.yaml", "pack.yaml", "ruleset.yaml"]


# ---------------------------------------------------------------- damage and attacks


def test_a_damaged_entry_is_ignored(folder: Path) -> None:
    cache, entry = create_cache(folder)
    content = entry.read_bytes()
    for size in (0, 1, 31, 32, 33, len(content) // 2, len(content) - 1):
        entry.write_bytes(content[:size])
        assert cache.load_program(KEY) is None
    for position in range(0, len(content), len(content) // 50):
        entry.write_bytes(content[:position] + bytes([content[position] ^ 1]) + content[position + 1 :])
        assert cache.load_program(KEY) is None
    entry.write_bytes(content + b"x")
    assert cache.load_program(KEY) is None
    entry.write_bytes(content)
    assert cache.load_program(KEY) is not None


def test_a_copied_entry_is_ignored(folder: Path) -> None:
    cache, entry = create_cache(folder)
    cache.store_program("1" * 64, load_program(BIDS), 0)
    (other_entry,) = set(folder.iterdir()) - {entry}
    shutil.copy(entry, other_entry)
    assert cache.load_program("1" * 64) is None


def test_another_version_ignores_entries(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache, _ = create_cache(folder)
    monkeypatch.setattr(cache_module, "compute_stat_digest", lambda: "another version")
    assert cache.load_program(KEY) is None


def test_a_cached_program_contains_only_records(folder: Path, tmp_path: Path) -> None:
    """Even an entry with the right digest can't create other objects or run code."""

    class MakesFolder:
        def __reduce__(self) -> tuple[Any, ...]:
            return os.mkdir, (str(tmp_path / "made"),)

    cache, entry = create_cache(folder)
    for value in (MakesFolder(), [1, 2], (MakesFolder(), 0), ("no program", 0)):
        payload = pickle.dumps(value)
        entry.write_bytes(hashlib.sha256(entry.name.encode() + payload).digest() + payload)
        assert cache.load_program(KEY) is None
    assert not (tmp_path / "made").exists()
    for module, name in (("os", "mkdir"), ("lusory_dsl.core.program", "Unknown")):
        with pytest.raises(pickle.UnpicklingError, match=f"{module}.{name} does not belong in a program"):
            cache_module._ProgramUnpickler(io.BytesIO()).find_class(module, name)


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="this system has no such permissions")
class TestFolders:
    """Checks of the owner and permissions of the folder."""

    def test_a_folder_that_others_can_write_to_is_not_used(self, folder: Path) -> None:
        cache, entry = create_cache(folder)
        for mode in (0o777, 0o1777, 0o770):
            folder.chmod(mode)
            assert cache.load_program(KEY) is None
            cache.store_code("code", 1)
            assert list(folder.iterdir()) == [entry]
        folder.chmod(0o755)
        assert cache.load_program(KEY) is not None

    def test_a_link_to_a_folder_that_others_can_write_to_is_not_used(self, folder: Path, tmp_path: Path) -> None:
        create_cache(folder)
        link = tmp_path / "link"
        link.symlink_to(folder)
        assert Cache(link).load_program(KEY) is not None
        folder.chmod(0o777)
        assert Cache(link).load_program(KEY) is None

    def test_a_broken_link_is_ignored(self, folder: Path, tmp_path: Path) -> None:
        folder.symlink_to(tmp_path / "nowhere")
        cache = Cache(folder)
        cache.store_code("code", 1)
        assert cache.load_code("code") is None

    def test_an_entry_that_others_can_write_to_is_ignored(self, folder: Path) -> None:
        cache, entry = create_cache(folder)
        entry.chmod(0o666)
        assert cache.load_program(KEY) is None

    def test_a_folder_of_another_user_is_not_used(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        cache, _ = create_cache(folder)
        stranger = os.getuid() + 1
        monkeypatch.setattr(os, "getuid", lambda: stranger)
        assert cache.load_program(KEY) is None

    def test_a_file_in_place_of_the_folder_is_no_cache(self, folder: Path, rules: Path, checks: list[Path]) -> None:
        folder.write_text("a file in place of the folder")
        load_cached_program(str(rules))
        load_cached_program(str(rules))
        assert len(checks) == 2

    @pytest.mark.skipif(hasattr(os, "getuid") and os.getuid() == 0, reason="root may write everywhere")
    def test_a_read_only_folder_is_only_read(self, folder: Path) -> None:
        cache, _ = create_cache(folder)
        folder.chmod(0o500)
        cache.store_code("code", 1)
        assert cache.load_code("code") is None
        assert cache.load_program(KEY) is not None
        folder.chmod(0o700)


def test_several_processes_share_a_cache(folder: Path) -> None:
    command = [sys.executable, "-m", "lusory", "simulate", str(BIDS), "--games", "3", "--format", "json"]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(3)]
    outputs = {process.communicate(timeout=60)[0] for process in processes}
    assert len(outputs) == 1
    assert all(process.returncode == 0 for process in processes)
    assert all(len(entry.name) == 64 for entry in folder.iterdir())


def test_the_cache_can_be_switched_off(folder: Path, monkeypatch: pytest.MonkeyPatch, checks: list[Path]) -> None:
    monkeypatch.setenv("LUSORY_CACHE", "off")
    load_cached_program(str(BIDS))
    load_cached_program(str(BIDS))
    assert len(checks) == 2
