"""The workflow and the hooks of docs/design/ci.md are valid, and their commands run."""

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
COMMAND_NAMES = {command.name for command in COMMANDS}


def load_file_of_page(file: str) -> Any:
    """Return the YAML that the page writes to a file."""
    match = re.search(rf"<!-- write {re.escape(file)} -->\n```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert match is not None
    return yaml.safe_load(match[1])


def list_steps() -> list[dict[str, Any]]:
    return [step for job in load_file_of_page(".github/workflows/rules.yml")["jobs"].values() for step in job["steps"]]


def list_commands() -> list[str]:
    """Return every command `lusory …` of the workflow."""
    lines = [line for step in list_steps() for line in step.get("run", "").splitlines()]
    return [line for line in lines if line.startswith("lusory ")]


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create a repository with a game, and the target branch of a pull request."""
    shutil.copytree(find_bundled_rulesets()["tic-tac-toe"], tmp_path / "my-game")
    monkeypatch.chdir(tmp_path)
    author = ("-c", "user.name=a", "-c", "user.email=a@b")
    for step in (("init", "-q"), ("add", "."), (*author, "commit", "-qm", "first")):
        subprocess.run(["git", *step], check=True)
    subprocess.run(["git", "update-ref", "refs/remotes/origin/main", "HEAD"], check=True)
    monkeypatch.setenv("GITHUB_BASE_REF", "main")
    return tmp_path


def run(line: str, capsys: pytest.CaptureFixture[str]) -> int:
    """Run a command line like a shell, with redirection of its output. Return the exit status."""
    words, _, target = line.partition(" > ")
    code = main(shlex.split(os.path.expandvars(words))[1:])
    output = capsys.readouterr().out
    if target:
        Path(target.strip()).write_text(output, encoding="utf-8")
    return code


def test_the_workflow_is_valid() -> None:
    workflow = load_file_of_page(".github/workflows/rules.yml")
    assert set(workflow) == {"name", True, "permissions", "env", "jobs"}  # YAML 1.1 reads `on` as true
    for job in workflow["jobs"].values():
        assert {"runs-on", "steps"} <= set(job) <= {"if", "runs-on", "steps", "permissions"}
    for step in list_steps():
        assert set(step) <= {"name", "uses", "with", "run", "if"}
        assert ("uses" in step) != ("run" in step)
        assert "run" in step or re.fullmatch(r"[\w./-]+@v\d+", step["uses"])


def test_every_command_of_the_workflow_runs(repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_commands = []
    for line in list_commands():
        name = shlex.split(line)[1]
        if name in COMMAND_NAMES:
            code = run(line, capsys)
            assert code == 0 or (name == "fmt" and code == 1), line
            run_commands.append(name)
    assert {"check", "test", "replay", "simulate"} <= set(run_commands)
    assert (repository / "rules.sarif").is_file()
    assert (repository / "cases.xml").is_file()


def test_uploaded_files_are_written_first() -> None:
    words = {word for line in list_commands() for word in shlex.split(line)}
    uploads = [
        value for step in list_steps() for key, value in step.get("with", {}).items() if key in ("path", "sarif_file")
    ]
    assert len(uploads) == 2
    assert set(uploads) <= words


def test_the_hooks_are_valid_for_pre_commit() -> None:
    for hook in HOOKS:
        assert {"id", "name", "entry", "language"} <= set(hook)
        assert set(hook) <= {"id", "name", "description", "entry", "args", "language", "files", "pass_filenames"}
        assert hook["language"] == "python"
        assert re.search(hook["files"], "my-game/cards/swords.yaml")
        assert hook["pass_filenames"] is False  # a whole ruleset is checked, by the folders in `args`
    assert len({hook["id"] for hook in HOOKS}) == len(HOOKS)


@pytest.mark.parametrize("hook", HOOKS, ids=lambda hook: hook["id"])
def test_every_hook_runs(hook: dict[str, Any], repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = shlex.split(hook["entry"])
    if words[1] in COMMAND_NAMES:
        code = run(f"{hook['entry']} my-game/", capsys)
        assert code == 0 or (words[1] == "fmt" and code == 1)


def test_the_page_uses_all_hooks() -> None:
    (repo,) = load_file_of_page(".pre-commit-config.yaml")["repos"]
    assert [hook["id"] for hook in repo["hooks"]] == [hook["id"] for hook in HOOKS]
    assert all(hook["args"] for hook in repo["hooks"])
