"""What a team copies into its repository: workflow and hooks of docs/design/ci.md are right, and their commands run."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from programs import ROOT

from lusory.cli import main
from lusory.commands.command_table import COMMANDS
from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets

PAGE = (ROOT / "docs" / "design" / "ci.md").read_text(encoding="utf-8")
HOOKS: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
KNOWN = {name for name, *_ in COMMANDS}


def block(file: str) -> Any:
    """The YAML that the page writes to a file."""
    found = re.search(rf"<!-- write {re.escape(file)} -->\n```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    return yaml.safe_load(found[1])


def steps() -> list[dict[str, Any]]:
    return [step for job in block(".github/workflows/rules.yml")["jobs"].values() for step in job["steps"]]


def commands() -> list[str]:
    """Every `lusory …` of the workflow."""
    lines = [line for step in steps() for line in step.get("run", "").splitlines()]
    return [line for line in lines if line.startswith("lusory ")]


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a game, and the branch that a change of it is asked to go into."""
    shutil.copytree(find_bundled_rulesets()["tic-tac-toe"], tmp_path / "my-game")
    monkeypatch.chdir(tmp_path)
    who = ("-c", "user.name=a", "-c", "user.email=a@b")
    for step in (("init", "-q"), ("add", "."), (*who, "commit", "-qm", "first")):
        subprocess.run(["git", *step], check=True)
    subprocess.run(["git", "update-ref", "refs/remotes/origin/main", "HEAD"], check=True)
    monkeypatch.setenv("GITHUB_BASE_REF", "main")
    return tmp_path


def run(line: str, capsys: pytest.CaptureFixture[str]) -> int:
    """A command as a shell runs it, with its output perhaps written to a file."""
    words, _, target = line.partition(" > ")
    code = main(shlex.split(os.path.expandvars(words))[1:])
    printed = capsys.readouterr().out
    if target:
        Path(target.strip()).write_text(printed, encoding="utf-8")
    return code


def test_the_workflow_is_one() -> None:
    workflow = block(".github/workflows/rules.yml")
    assert set(workflow) == {"name", True, "permissions", "env", "jobs"}  # YAML 1.1 takes `on` for true
    for job in workflow["jobs"].values():
        assert {"runs-on", "steps"} <= set(job) <= {"if", "runs-on", "steps", "permissions"}
    for step in steps():
        assert set(step) <= {"name", "uses", "with", "run", "if"}
        assert ("uses" in step) != ("run" in step)
        assert "run" in step or re.fullmatch(r"[\w./-]+@v\d+", step["uses"])


def test_every_command_of_the_workflow_runs(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ran = []
    for line in commands():
        name = shlex.split(line)[1]
        if name in KNOWN:
            code = run(line, capsys)
            assert code == 0 or (name == "fmt" and code == 1), line
            ran.append(name)
    assert {"check", "test", "replay", "simulate"} <= set(ran)
    assert (repository / "rules.sarif").is_file()
    assert (repository / "cases.xml").is_file()


def test_files_that_a_step_uploads_are_written_by_one_before() -> None:
    written = {word for line in commands() for word in shlex.split(line)}
    uploaded = [
        value for step in steps() for key, value in step.get("with", {}).items() if key in ("path", "sarif_file")
    ]
    assert len(uploaded) == 2
    assert set(uploaded) <= written


def test_the_hooks_are_what_pre_commit_expects() -> None:
    for hook in HOOKS:
        assert {"id", "name", "entry", "language"} <= set(hook)
        assert set(hook) <= {"id", "name", "description", "entry", "args", "language", "files", "pass_filenames"}
        assert hook["language"] == "python"
        assert re.search(hook["files"], "my-game/cards/swords.yaml")
        assert hook["pass_filenames"] is False  # a ruleset is checked as a whole, by the folders in `args`
    assert len({hook["id"] for hook in HOOKS}) == len(HOOKS)


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_every_hook_runs(hook: dict[str, Any], repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = shlex.split(hook["entry"])
    if words[1] in KNOWN:
        code = run(f"{hook['entry']} my-game/", capsys)
        assert code == 0 or (words[1] == "fmt" and code == 1)


def test_the_page_uses_hooks_that_there_are() -> None:
    (repo,) = block(".pre-commit-config.yaml")["repos"]
    assert [hook["id"] for hook in repo["hooks"]] == [hook["id"] for hook in HOOKS]
    assert all(hook["args"] for hook in repo["hooks"])
