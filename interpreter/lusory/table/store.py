"""Where engines keep between runs what takes long to find out (see :mod:`lusory.cache`)."""

from __future__ import annotations

from typing import Any, Protocol


class CodeStore(Protocol):
    """What is kept under a key is code objects and plain values; None where there is nothing."""

    def code(self, key: str) -> Any: ...

    def keep_code(self, key: str, value: Any) -> None: ...
