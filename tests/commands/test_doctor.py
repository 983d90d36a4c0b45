"""``lusory doctor``: what is there, what isn't and why, and what is not as it should be."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from native import needs_compiler

import lusory
from lusory.cli import main
from lusory.native import c_compiler
from lusory.ui.line import plain_output_and_terminal_checks as plain_output


def looked(capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, dict[str, Any]]]:
    """The exit code, and what was found by name."""
    code = main(["doctor", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert found["fine"] == (code == 0)
    return code, {one["name"]: one for one in found["found"]}


def script(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o700)
    return path


@pytest.mark.slow
@needs_compiler
def test_native_code_is_tried_out(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LUSORY_CACHE", str(tmp_path))
    code, found = looked(capsys)
    assert code == 0
    assert found["native code"]["state"] == "fine"
    assert {"lusory", "Python", "platform", "C compiler", "cache", "saved games", "journals", "terminal"} <= set(found)
    cc = script(
        tmp_path / "cc", '[ "$1" = --version ] && echo "some cc 1.0" && exit\necho "error: no headers" >&2; exit 1'
    )
    monkeypatch.setenv("LUSORY_CC", str(cc))
    code, found = looked(capsys)
    assert (code, found["C compiler"]["words"]) == (1, f"some cc 1.0 ({cc})")
    assert found["native code"]["state"] == "wrong"
    assert found["native code"]["words"].startswith("the C compiler gives up: error: no headers")


def test_what_is_not_there_is_not_wrong(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUSORY_CC", "off")
    monkeypatch.setenv("LUSORY_CACHE", "off")
    code, found = looked(capsys)
    assert (code, found["C compiler"]["state"], found["cache"]["state"]) == (0, "without", "without")
    assert found["lusory"]["words"].endswith(f", {Path(lusory.__file__).parent}")
    assert found["C compiler"]["words"] == "LUSORY_CC is off: Python plays all games"
    assert "native code" not in found
    assert main(["doctor"]) == 0
    assert "LUSORY_CC is off" in capsys.readouterr().out


def test_without_a_compiler_that_of_the_extra_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LUSORY_CC", raising=False)
    monkeypatch.setattr(c_compiler.shutil, "which", lambda name: None)
    monkeypatch.setattr(c_compiler, "find_spec", lambda name: None)
    c_compiler._find_compiler.cache_clear()
    with pytest.raises(c_compiler.NoNative, match=r"^no C compiler: `cc` is not on the path$"):
        c_compiler.find_compiler()
    said = c_compiler.subprocess.CompletedProcess([], 0, stdout=b"clang 1\n")
    monkeypatch.setattr(c_compiler.subprocess, "run", lambda *args, **others: said)
    monkeypatch.setattr(c_compiler, "find_spec", lambda name: name)
    assert c_compiler.find_compiler() == c_compiler.Compiler((sys.executable, "-m", "ziglang", "cc"), "clang 1")
    c_compiler._find_compiler.cache_clear()


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="folders have no modes here")
def test_a_cache_that_others_can_write_to_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It is not used."""
    monkeypatch.setenv("LUSORY_CC", "off")
    monkeypatch.setenv("LUSORY_CACHE", str(tmp_path))
    tmp_path.chmod(0o777)
    code, found = looked(capsys)
    assert (code, found["cache"]["state"]) == (1, "wrong")
    assert (
        f"{tmp_path}, mode 777, this user's: not used, because other users can write to it" == found["cache"]["words"]
    )
    tmp_path.chmod(0o700)
    monkeypatch.setattr(os, "getuid", lambda: tmp_path.stat().st_uid + 1)
    code, found = looked(capsys)
    assert (code, found["cache"]["state"]) == (1, "wrong")
    assert f"of user {tmp_path.stat().st_uid}" in found["cache"]["words"]


def test_why_there_is_no_full_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    assert plain_output.explain_no_full_screen() == "input or output is no terminal"
    for name in ("stdin", "stdout", "stderr"):
        monkeypatch.setattr(getattr(sys, name), "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys.stdout, "fileno", lambda: 1, raising=False)
    monkeypatch.delenv("ACCESSIBLE", raising=False)
    monkeypatch.setenv("TERM", "dumb")
    assert plain_output.explain_no_full_screen() == "TERM is `dumb`"
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(os, "get_terminal_size", lambda stream: os.terminal_size((50, 30)))
    assert plain_output.explain_no_full_screen() == "50×30 is too small: 60×20 is the least"
    monkeypatch.setattr(os, "get_terminal_size", lambda stream: os.terminal_size((80, 30)))
    assert plain_output.can_show_full_screen()
    monkeypatch.setenv("ACCESSIBLE", "1")
    assert plain_output.explain_no_full_screen() == "ACCESSIBLE is set"
