"""Where a match is held: ``HOST:PORT/TOKEN``, as it is handed to who joins."""

from __future__ import annotations

import re
from typing import NamedTuple

HOME = "127.0.0.1"
PORT = 4653
TOKEN = "LUSORY_TOKEN"
"""The variable of the environment by which a process behind a browser learns its token: it is on no command line."""
TOUCH = "LUSORY_TOUCH"
"""The variable of the environment that tells a process behind a browser that its page is used with fingers."""
_FORM = re.compile(
    r"(?:(?P<host>\[[0-9a-fA-F:.]+\]|[\w.-]+)(?::(?P<port>\d{1,5}))?)(?:/(?P<token>[\w-]{1,64}))?", re.ASCII
)


class Address(NamedTuple):
    """``token``: the secret of a seat, or of spectators; "" where it was not said."""

    host: str
    port: int
    token: str

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}/{self.token}" if self.token else f"{host}:{self.port}"


def address_of(typed: str) -> Address | None:
    """An address as it was typed; None where it is none."""
    found = _FORM.fullmatch(typed.strip())
    if found is None or int(found["port"] or PORT) > 65535:
        return None
    return Address(found["host"].strip("[]"), int(found["port"] or PORT), found["token"] or "")
