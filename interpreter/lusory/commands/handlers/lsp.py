"""Run ``lusory lsp``: the language server for editors."""

from __future__ import annotations

import argparse

from ..errors import UsageError


def run(args: argparse.Namespace) -> int:
    """Serve until the editor disconnects, and return 0.

    ``args.port`` is a TCP port of this machine, or None for standard input and output. Raises UsageError if a needed
    package is missing.
    """
    try:
        from ...lsp.server import serve
    except ModuleNotFoundError as problem:
        raise UsageError(
            f"the language server needs the package {problem.name}", "pip install 'lusory[lsp]'"
        ) from problem
    serve(args.port)
    return 0
