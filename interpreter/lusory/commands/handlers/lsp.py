"""Run ``lusory lsp``: the language server for editors."""

from __future__ import annotations

import argparse

from ..errors import UsageError


def run(args: argparse.Namespace) -> int:
    """Serve until the editor disconnects, and return 0.

    ``args.port`` is a TCP port of this machine, or None for standard input and output. Over TCP, the notification
    ``exit`` raises SystemExit instead, with the code 0 after ``shutdown``, else 1. Raises UsageError if a needed
    package is missing, and OSError if the port is taken.
    """
    try:
        from ...lsp.server import serve
    except ModuleNotFoundError as problem:
        raise UsageError(
            f"the language server needs the package {problem.name}", "pip install 'lusory[lsp]'"
        ) from problem
    serve(args.port)
    return 0
