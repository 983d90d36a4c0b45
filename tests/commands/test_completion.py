"""Shells complete what is typed, asked as they are when somebody presses Tab. Where a shell is missing it says so."""

from __future__ import annotations

import os
import re
import select
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from lusory.cli import main

pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")

TYPED = [
    ("lusory so", "solve"),
    ("lusory play empire-en", "empire-engine"),
    ("lusory solve --meth", "--method"),
    ("lusory complete zs", "zsh"),
    ("lusory play own-ga", "own-game.yaml"),
]
"""What is typed before Tab, and what its last word becomes."""

SECONDS = 60


def by_bash(script: Path, typed: str) -> str:
    """As readline calls what is registered."""
    words = typed.split()
    command = f"""source {script}; COMP_WORDS=({typed}); COMP_CWORD={len(words) - 1}; COMP_LINE='{typed}'
        COMP_POINT={len(typed)}; complete -p lusory | grep -q _shtab_lusory || exit 1
        _shtab_lusory lusory '{words[-1]}' '{words[-2]}'; printf '%s\\n' "${{COMPREPLY[@]}}" """
    return said(["bash", "--norc", "-c", command], script.parent)


def by_fish(script: Path, typed: str) -> str:
    return said(["fish", "--no-config", "-c", f"source {script}; complete -C '{typed}'"], script.parent)


def by_zsh(script: Path, typed: str) -> str:
    """At a terminal, as only its line editor completes: the line after Tab."""
    folder = script.parent
    script.rename(folder / "_lusory")
    ours, theirs = pty.openpty()
    shell = subprocess.Popen(
        ["zsh", "-f", "-i"], stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder, env=surroundings(folder)
    )
    os.close(theirs)
    try:
        begin = (
            f"PS1=; unsetopt prompt_sp; fpath=({folder} $fpath); autoload -Uz compinit; compinit -u -D; print rea''dy\n"
        )
        os.write(ours, begin.encode())
        until(ours, "ready")
        os.write(ours, f"{typed}\t".encode())
        return until(ours, rf"{typed}\S+ ").strip()
    finally:
        shell.kill()
        shell.wait()
        os.close(ours)


def until(terminal: int, pattern: str) -> str:
    """What comes, without colours, once it holds the pattern; or all of a while."""
    text, stop = "", time.monotonic() + SECONDS
    while not (found := re.search(pattern, text)) and time.monotonic() < stop:
        if select.select([terminal], [], [], 0.5)[0]:
            text += re.sub(
                r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]|\x08", "", os.read(terminal, 4096).decode(errors="replace")
            )
    return found[0] if found else text


def surroundings(folder: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(folder), "TERM": "xterm", "LC_ALL": "C.UTF-8"}


def said(command: list[str], folder: Path) -> str:
    env = surroundings(folder)
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=env, timeout=SECONDS, check=True)
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("shell", [by_bash, by_zsh, by_fish], ids=lambda shell: shell.__name__[3:])
@pytest.mark.parametrize(("typed", "becomes"), TYPED, ids=[typed for typed, _ in TYPED])
def test_what_is_typed_is_completed(
    shell: Callable[[Path, str], str], typed: str, becomes: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = shell.__name__[3:]
    if shutil.which(name) is None:
        pytest.skip(f"this machine has no {name}")
    assert main(["complete", name]) == 0
    script = tmp_path / "script"
    script.write_text(capsys.readouterr().out)
    (tmp_path / "own-game.yaml").touch()
    words = [re.split(r"\t|$", line)[0].split()[-1] for line in shell(script, typed).splitlines() if line.strip()]
    assert words == [becomes]
