"""The headers of the C runtime compile alone without a warning, are formatted, and can be pasted into printed C."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from native import needs_compiler

from lusory.codegen.c import runtime_header_loading_and_search_formats
from lusory.codegen.c.runtime_header_loading_and_search_formats import load_header
from lusory.native.c_compiler import find_compiler
from lusory.support import cache
from lusory.support.cache import compute_content_digest, compute_stat_digest

FOLDER = Path(runtime_header_loading_and_search_formats.__file__).parent / "runtime"
HEADERS = sorted(path.stem for path in FOLDER.glob("*.h"))
WARNINGS = ("-Wall", "-Wextra", "-Werror", "-Wno-unused-function")
"""A header defines functions for other headers, so some are unused when it is compiled alone."""

CLANG_FORMAT = shutil.which("clang-format", path=str(Path(sys.executable).parent))
"""The version of constraints.txt. Other versions format differently."""


@pytest.mark.slow
@needs_compiler
@pytest.mark.parametrize("name", HEADERS)
def test_a_header_compiles_alone_without_warnings(name: str, tmp_path: Path) -> None:
    text = f'#include "game.h"\n#include "{name}.h"\n'
    command = [*find_compiler().command, "-std=gnu11", "-O2", *WARNINGS, f"-I{FOLDER}", "-x", "c", "-c", "-"]
    command += ["-o", str(tmp_path / "header.o")]
    result = subprocess.run(command, input=text, capture_output=True, text=True, timeout=60, check=False)
    assert not result.returncode, result.stderr


@pytest.mark.skipif(CLANG_FORMAT is None, reason="clang-format is not installed")
@pytest.mark.parametrize("name", HEADERS)
def test_a_header_is_formatted(name: str) -> None:
    """`clang-format -i interpreter/lusory/codegen/c/runtime/*.h` formats them."""
    path = FOLDER / f"{name}.h"
    command = [str(CLANG_FORMAT), "--style=file", str(path)]
    expected = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    assert path.read_text(encoding="utf-8") == expected


@pytest.mark.parametrize("name", HEADERS)
def test_a_pasted_header_includes_no_other_file_of_the_package(name: str) -> None:
    text = load_header(name)
    assert text.isascii()
    assert '#include "' not in text
    assert "#pragma" not in text


@pytest.mark.parametrize("digest", [compute_stat_digest, compute_content_digest])
def test_headers_are_part_of_the_cache_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, digest: Any) -> None:
    """Native code in the cache is built again after a header changes."""
    header_file = tmp_path / FOLDER.relative_to(Path(cache.lusory.__file__).parent) / "types.h"
    header_file.parent.mkdir(parents=True)
    monkeypatch.setattr(cache.lusory, "__file__", str(tmp_path / "__init__.py"))
    digests = set()
    for text in ("one", "another"):
        header_file.write_text(text, encoding="ascii")
        digests.add(digest.__wrapped__())  # bypasses the cache of this process
    assert len(digests) == 2
