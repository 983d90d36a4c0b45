"""The fuzzer itself: its corpus does nothing that it may not, it finds what is planted, and makes it small."""

from __future__ import annotations

import re
import time
from pathlib import Path
from random import Random

import pytest
from fuzz import judging
from fuzz.__main__ import NAMES
from fuzz.mutator import CORPUS, mutate, seeds
from fuzz.targets import TARGETS

FILES = sorted(file for file in CORPUS.rglob("*") if file.is_file() and file.name != "README.md")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(CORPUS).as_posix())
def test_what_is_in_the_corpus_is_refused_in_words_or_taken(file: Path) -> None:
    judging.with_limit(TARGETS[file.parent.name].run, file.read_bytes())


def test_the_corpus_says_why_each_file_is_there() -> None:
    listed = re.findall(r"^\| `(\S+)` \| \S", (CORPUS / "README.md").read_text(encoding="utf-8"), re.MULTILINE)

    assert listed == [file.relative_to(CORPUS).as_posix() for file in FILES]
    assert tuple(TARGETS) == NAMES
    assert {file.parent.name for file in FILES} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_mutants_are_refused_in_words_or_taken(name: str) -> None:
    """A few; many more by ``python -m tests.fuzz``."""
    random, target = Random(11), TARGETS[name]
    for _ in range(20):
        data = mutate(name, random.choice(seeds(name)), random, target.longest)
        found = judging.judged(target.run, data)

        assert len(data) <= target.longest
        assert found is None, f"{found.data!r}\n{found.trace}"


def planted(data: bytes) -> None:
    """Fails on a 7 that stands behind an x, hangs on a z."""
    if re.search(rb"x[^z]*7", data, re.DOTALL):
        raise KeyError("planted")
    while b"z" in data:
        time.sleep(0)


def test_what_is_planted_is_found_and_made_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "SECONDS", 0.02)
    find = judging.judged(planted, b"one\ntwo x\n" * 30 + b"a 7 b\n" * 20)
    hang = judging.judged(planted, b"a lazy dog")

    assert find is not None and hang is not None
    assert find.kind.startswith("KeyError in test_fuzz.py:planted:")
    assert judging.smaller(planted, find).data == b"x7"
    assert (hang.kind, judging.smaller(planted, hang).data) == ("Hang", b"z")
    assert judging.judged(planted, b"nothing") is None
