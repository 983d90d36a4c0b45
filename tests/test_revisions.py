"""Rulesets of a git revision: requests and answers of git are limited, and no code of the repository runs."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from programs import BIDS

from lusory.cli import main
from lusory.support import ruleset_at_git_revision
from lusory.support.ruleset_at_git_revision import RevisionNotFound, read_revision


def run_git(folder: Path, *arguments: str) -> None:
    own = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "PATH": os.environ["PATH"], "HOME": str(folder)}
    author = ["-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *author, *arguments], cwd=folder, env=own, check=True, capture_output=True)


@pytest.fixture
def game(tmp_path: Path) -> Path:
    """Create a ruleset in a repository, and change it after the first commit."""
    folder = tmp_path / "repo" / "my game"
    (folder / "cards").mkdir(parents=True)
    text = BIDS.read_text(encoding="utf-8")
    (folder / "ruleset.yaml").write_text(text, encoding="utf-8")
    (folder / "cards" / "none.yaml").write_text("queries: {}\n", encoding="utf-8")
    (folder / "notes.txt").write_text("not read", encoding="utf-8")
    (folder / ".hidden.yaml").write_text("not: read", encoding="utf-8")
    run_git(tmp_path / "repo", "init", "--quiet")
    run_git(tmp_path / "repo", "add", "--all")
    run_git(tmp_path / "repo", "commit", "--quiet", "--message", "first")
    (folder / "ruleset.yaml").write_text(text.replace("then 6 else 3", "then 6 else 1"), encoding="utf-8")
    return folder


def test_files_come_from_the_revision(game: Path) -> None:
    revision = read_revision("HEAD", game)
    assert [path.relative_to(game).as_posix() for path, _ in revision.files] == ["cards/none.yaml", "ruleset.yaml"]
    assert b"then 6 else 3" in revision.files[1][1]  # type: ignore[operator]
    single_file = read_revision("HEAD^0", game / "ruleset.yaml")
    assert [path for path, _ in single_file.files] == [game / "ruleset.yaml"]


@pytest.mark.parametrize(
    "revision",
    ["--output=x", "-h", "", "a b", "a\nb", "main;touch x", "$(touch x)", "x" * 300, "nobody", "HEAD:my game"],
)
def test_invalid_names_of_revisions_are_refused(revision: str, game: Path) -> None:
    with pytest.raises(RevisionNotFound):
        read_revision(revision, game)
    assert not list(game.rglob("x"))


def test_missing_folders_are_reported(game: Path, tmp_path: Path) -> None:
    (game.parent / "new").mkdir()
    with pytest.raises(RevisionNotFound, match="has no"):
        read_revision("HEAD", game.parent / "new")
    with pytest.raises(RevisionNotFound, match="lies in no repository"):
        read_revision("HEAD", tmp_path)


def test_links_and_too_much_data_are_refused(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (game / "link.yaml").symlink_to("/etc/passwd")
    run_git(game, "add", "--all")
    run_git(game, "commit", "--quiet", "--message", "link")
    with pytest.raises(RevisionNotFound, match="is no plain file there"):
        read_revision("HEAD", game)
    monkeypatch.setattr(ruleset_at_git_revision, "MAX_BYTES", 100)
    with pytest.raises(RevisionNotFound, match="too many files"):
        read_revision("HEAD~1", game)
    monkeypatch.setattr(ruleset_at_git_revision, "MAX_OUTPUT_SIZE", 10)
    with pytest.raises(RevisionNotFound, match="at too great a length"):
        read_revision("HEAD~1", game)


def test_no_code_of_a_repository_runs(game: Path, tmp_path: Path) -> None:
    """Git could run filters, text conversions, hooks, pagers or file watchers."""
    marker = tmp_path / "sprung"
    (game.parent / ".gitattributes").write_text("*.yaml filter=trap diff=trap export-subst\n", encoding="utf-8")
    for key in ("filter.trap.smudge", "diff.trap.textconv", "core.pager", "core.fsmonitor", "core.sshCommand"):
        run_git(game, "config", key, f"touch {marker}; cat")
    for hook in ("post-checkout", "reference-transaction"):
        file = game.parent / ".git" / "hooks" / hook
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/sh\ntouch {marker}\n", encoding="utf-8")
        file.chmod(0o755)
    assert read_revision("HEAD", game).files
    assert not marker.exists()


def test_simulate_compares_with_a_revision(game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["simulate", str(game), "--games", "60", "--option", "rounds=1", "--format", "json"]
    main([*command, "--compare", "git:HEAD"])
    comparison = json.loads(capsys.readouterr().out)["comparison"]
    assert comparison["paired"] == 60
    assert any(change["before"] != change["after"] for change in comparison["changes"])
    assert main([*command, "--compare", "git:--help"]) == 2
    assert "this is no name of a revision" in capsys.readouterr().err
    run_git(game, "commit", "--quiet", "--all", "--message", "broken")
    (game / "ruleset.yaml").write_text("game: 1\n", encoding="utf-8")
    run_git(game, "commit", "--quiet", "--all", "--message", "broken")
    run_git(game, "checkout", "--quiet", "HEAD~1", ".")
    assert main([*command, "--compare", "git:HEAD"]) == 2
    assert "these rules have errors" in capsys.readouterr().err
