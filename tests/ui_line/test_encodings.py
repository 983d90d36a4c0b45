"""Test what a terminal with a narrow encoding receives."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from lusory.ui.line import plain_output_and_terminal_checks as plain_output
from lusory.ui.textual.terminal_and_signal_handling import _convert_to_ascii
from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_rulesets

SOURCES = Path(plain_output.__file__).parents[1]
WORDS = {"é", "漢", "？"}


def test_missing_letters_are_not_shown_as_hidden_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    output = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(output, encoding="ascii"))
    plain_output.prepare()
    plain_output.write_line("2♣ 2♦ 2♥ 2♠ é 漢 ？ and ?")
    sys.stdout.flush()
    assert output.getvalue().split() == b"2C 2D 2H 2S e * * and ?".split()


def test_every_sign_of_the_screens_has_an_ascii_form() -> None:
    folders = (SOURCES, *(path.parent if path.is_file() else path for path in find_bundled_rulesets().values()))
    files = [file for folder in folders for ending in ("py", "yaml") for file in folder.rglob(f"*.{ending}")]
    assert len(files) > 40
    letters = {letter for file in files for letter in file.read_text(encoding="utf-8") if not letter.isascii()}
    missing = {
        letter
        for letter in letters - WORDS
        if plain_output.make_ascii(letter) == "*" and letter not in plain_output.SIGNS
    }
    assert not missing
    assert all(len(form) == 1 and form.isascii() and form != "?" for form in plain_output.SIGNS.values())


def test_ascii_form_keeps_the_width() -> None:
    assert _convert_to_ascii("▸1 Take … “Farm” 漢") == '>1 Take . "Farm" **'


def test_ascii_is_chosen_if_the_encoding_lacks_signs(monkeypatch: pytest.MonkeyPatch) -> None:
    for encoding, is_ascii in (("utf-8", False), ("latin-1", True), ("ascii", True)):
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding=encoding))
        assert plain_output.is_ascii() == is_ascii


def test_redirection_skips_streams_without_a_descriptor(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for missing in (None, io.StringIO()):
        with (tmp_path / "errors").open("w", encoding="utf-8") as errors:
            monkeypatch.setattr(sys, "stdout", missing)
            monkeypatch.setattr(sys, "stderr", errors)
            plain_output.redirect_all_output()
            errors.write("lost")
        assert sys.stdout is missing and not (tmp_path / "errors").read_text(encoding="utf-8")


def test_user_can_choose_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    output = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(output, encoding="utf-8"))
    monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
    monkeypatch.setattr(plain_output, "_is_ascii", False)
    plain_output.prepare()
    plain_output.write_ascii()
    plain_output.write_line("▸ a → b")
    sys.stdout.flush()
    assert plain_output.is_ascii() and output.getvalue() == b"> a > b\n"
