"""``lusory doctor``: what was found on this machine, what lusory does without, and why."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from lusory_dsl.text.printable import json_text

from ..console import streams
from ..console.health import abilities, health
from ..console.terminal import terminal
from ..findings.machine import WRONG, machine

JSON_VERSION = 1


def run(args: argparse.Namespace) -> int:
    """0: nothing is wrong; 1: something is."""
    found = [*machine(), *abilities(terminal())]
    wrong = any(one.state == WRONG for one in found)
    if args.json:
        streams.put_text(
            json_text({"version": JSON_VERSION, "fine": not wrong, "found": [asdict(one) for one in found]})
        )
    else:
        terminal().print(health(found))
    return int(wrong)
