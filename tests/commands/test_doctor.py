"""Test which parts of the machine ``lusory doctor`` reports as fine, as missing or as wrong."""

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


def run_doctor(capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, dict[str, Any]]]:
    """Return the exit code, and the checks by name."""
    code = main(["doctor", "--json"])
    report = json.loads(capsys.readouterr().out)
    assert report["fine"] == (code == 0)
    return code, {check["name"]: check for check in report["found"]}


def write_script(path: Path, text: str) -> Path:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o700)
    return path


@pytest.mark.slow
@needs_compiler
def test_doctor_runs_the_compiler(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LUSORY_CACHE", str(tmp_path))
    code, checks = run_doctor(capsys)
    assert code == 0
    assert checks["native code"]["state"] == "fine"
    assert {"lusory", "Python", "platform", "C compiler", "cache", "saved games", "journals", "terminal"} <= set(checks)
    compiler = write_script(
        tmp_path / "cc", '[ "$1" = --version ] && echo "some cc 1.0" && exit\necho "error: no headers" >&2; exit 1'
    )
    monkeypatch.setenv("LUSORY_CC", str(compiler))
    code, checks = run_doctor(capsys)
    assert (code, checks["C compiler"]["words"]) == (1, f"some cc 1.0 ({compiler})")
    assert checks["native code"]["state"] == "wrong"
    assert checks["native code"]["words"].startswith("the C compiler gives up: error: no headers")


def test_missing_parts_are_not_wrong(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUSORY_CC", "off")
    monkeypatch.setenv("LUSORY_CACHE", "off")
    code, checks = run_doctor(capsys)
    assert (code, checks["C compiler"]["state"], checks["cache"]["state"]) == (0, "without", "without")
    assert checks["lusory"]["words"].endswith(f", {Path(lusory.__file__).parent}")
    assert checks["C compiler"]["words"] == "LUSORY_CC is off: Python plays all games"
    assert "native code" not in checks
    assert main(["doctor"]) == 0
    assert "LUSORY_CC is off" in capsys.readouterr().out


def test_ziglang_is_used_without_a_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LUSORY_CC", raising=False)
    monkeypatch.setattr(c_compiler.shutil, "which", lambda name: None)
    monkeypatch.setattr(c_compiler, "find_spec", lambda name: None)
    c_compiler._find_compiler.cache_clear()
    with pytest.raises(c_compiler.NoNative, match=r"^no C compiler: `cc` is not on the path$"):
        c_compiler.find_compiler()
    version = c_compiler.subprocess.CompletedProcess([], 0, stdout=b"clang 1\n")
    monkeypatch.setattr(c_compiler.subprocess, "run", lambda *args, **options: version)
    monkeypatch.setattr(c_compiler, "find_spec", lambda name: name)
    assert c_compiler.find_compiler() == c_compiler.Compiler((sys.executable, "-m", "ziglang", "cc"), "clang 1")
    c_compiler._find_compiler.cache_clear()


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="folders have no modes here")
def test_cache_that_others_can_write_to_is_reported_and_unused(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LUSORY_CC", "off")
    monkeypatch.setenv("LUSORY_CACHE", str(tmp_path))
    tmp_path.chmod(0o777)
    code, checks = run_doctor(capsys)
    assert (code, checks["cache"]["state"]) == (1, "wrong")
    assert f"{tmp_path} is not used, because other users can write to it" == checks["cache"]["words"]


def test_reason_for_no_full_screen(monkeypatch: pytest.MonkeyPatch) -> None:
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
