"""Run the fuzzer's corpus and a few mutants, and check that the fuzzer finds and shrinks planted bugs."""

from __future__ import annotations

import re
import time
from pathlib import Path
from random import Random

import pytest
from fuzz import judging
from fuzz.__main__ import NAMES
from fuzz.mutator import CORPUS, list_seeds, mutate
from fuzz.targets import TARGETS

FILES = sorted(file for file in CORPUS.rglob("*") if file.is_file() and file.name != "README.md")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(CORPUS).as_posix())
def test_inputs_of_the_corpus_give_a_result_or_diagnostics(file: Path) -> None:
    judging.run_with_limit(TARGETS[file.parent.name].run, file.read_bytes())


def test_the_readme_of_the_corpus_lists_every_file() -> None:
    names = re.findall(r"^\| `(\S+)` \| \S", (CORPUS / "README.md").read_text(encoding="utf-8"), re.MULTILINE)

    assert names == [file.relative_to(CORPUS).as_posix() for file in FILES]
    assert tuple(TARGETS) == NAMES
    assert {file.parent.name for file in FILES} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_mutants_give_a_result_or_diagnostics(name: str) -> None:
    """Tries a few; ``python -m tests.fuzz`` tries many more."""
    random, target = Random(11), TARGETS[name]
    for _ in range(20):
        data = mutate(name, random.choice(list_seeds(name)), random, target.max_length)
        failure = judging.find_failure(target.run, data)

        assert len(data) <= target.max_length
        assert failure is None, f"{failure.data!r}\n{failure.trace}"


def fail_or_hang(data: bytes) -> None:
    """Fail on a 7 after an x, and hang on a z."""
    if re.search(rb"x[^z]*7", data, re.DOTALL):
        raise KeyError("planted")
    while b"z" in data:
        time.sleep(0)


def test_planted_bugs_are_found_and_shrunk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "SECONDS", 0.02)
    failure = judging.find_failure(fail_or_hang, b"one\ntwo x\n" * 30 + b"a 7 b\n" * 20)
    hang = judging.find_failure(fail_or_hang, b"a lazy dog")

    assert failure is not None and hang is not None
    assert failure.kind.startswith("KeyError in test_fuzz.py:fail_or_hang:")
    assert judging.shrink(fail_or_hang, failure).data == b"x7"
    assert (hang.kind, judging.shrink(fail_or_hang, hang).data) == ("Hang", b"z")
    assert judging.find_failure(fail_or_hang, b"nothing") is None
