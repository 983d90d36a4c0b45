"""What a terminal of a narrow encoding is sent."""

from __future__ import annotations

import io
import sys

import pytest

from lusory.ui.line import streams


def test_what_an_encoding_lacks_is_not_shown_as_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
    streams.prepare()
    streams.put("2♣ 2♦ 2♥ 2♠ é 漢 ？ and ?")
    sys.stdout.flush()
    assert written.getvalue().split() == b"2C 2D 2H 2S e * * and ?".split()
