"""Test completion of command lines in each shell, as when somebody presses Tab. Shells that are missing are skipped."""

from __future__ import annotations

import os
import re
import select
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from lusory.cli import main

pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")

COMPLETIONS = [
    ("lusory so", "solve"),
    ("lusory play empire-en", "empire-engine"),
    ("lusory solve --meth", "--method"),
    ("lusory complete zs", "zsh"),
    ("lusory play own-ga", "own-game.yaml"),
]
"""Text before Tab, and the word that completion makes of its last word."""

SECONDS = 60


def complete_in_bash(script: Path, line: str) -> str:
    """Call the completion function that readline would call."""
    words = line.split()
    command = f"""source {script}; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; COMP_LINE='{line}'
        COMP_POINT={len(line)}; complete -p lusory | grep -q _shtab_lusory || exit 1
        _shtab_lusory lusory '{words[-1]}' '{words[-2]}'; printf '%s\\n' "${{COMPREPLY[@]}}" """
    return run_shell(["bash", "--norc", "-c", command], script.parent)


def complete_in_fish(script: Path, line: str) -> str:
    return run_shell(["fish", "--no-config", "-c", f"source {script}; complete -C '{line}'"], script.parent)


def complete_in_zsh(script: Path, line: str) -> str:
    """Return the line after Tab in a terminal, because only the line editor of zsh completes."""
    folder = script.parent
    script.rename(folder / "_lusory")
    master, slave = pty.openpty()
    shell = subprocess.Popen(
        ["zsh", "-f", "-i"], stdin=slave, stdout=slave, stderr=slave, cwd=folder, env=create_environment(folder)
    )
    os.close(slave)
    try:
        setup = (
            f"PS1=; unsetopt prompt_sp; fpath=({folder} $fpath); autoload -Uz compinit; compinit -u -D; print rea''dy\n"
        )
        os.write(master, setup.encode())
        read_until(master, "ready")
        os.write(master, f"{line}\t".encode())
        return read_until(master, rf"{line}\S+ ").strip()
    finally:
        shell.kill()
        shell.wait()
        os.close(master)


def read_until(terminal: int, pattern: str) -> str:
    """Return the match of the pattern in the output without colours, or all output after a while."""
    text, deadline = "", time.monotonic() + SECONDS
    while not (match := re.search(pattern, text)) and time.monotonic() < deadline:
        if select.select([terminal], [], [], 0.5)[0]:
            text += re.sub(
                r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]|\x08", "", os.read(terminal, 4096).decode(errors="replace")
            )
    return match[0] if match else text


def create_environment(folder: Path) -> dict[str, str]:
    return {"PATH": os.environ["PATH"], "HOME": str(folder), "TERM": "xterm", "LC_ALL": "C.UTF-8"}


def run_shell(command: list[str], folder: Path) -> str:
    env = create_environment(folder)
    process = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=env, timeout=SECONDS, check=True)
    assert process.stderr == ""
    return process.stdout


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
@pytest.mark.parametrize(("text", "completion"), COMPLETIONS, ids=[text for text, _ in COMPLETIONS])
def test_shell_completes_last_word(
    name: str, text: str, completion: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    complete = {"bash": complete_in_bash, "zsh": complete_in_zsh, "fish": complete_in_fish}[name]
    if shutil.which(name) is None:
        pytest.skip(f"this machine has no {name}")
    assert main(["complete", name]) == 0
    script = tmp_path / "script"
    script.write_text(capsys.readouterr().out)
    (tmp_path / "own-game.yaml").touch()
    words = [re.split(r"\t|$", line)[0].split()[-1] for line in complete(script, text).splitlines() if line.strip()]
    assert words == [completion]
