"""Which loops count towards the limit of steps: all but those that are known to be short."""

from __future__ import annotations

import pytest
from programs import checked

from lusory.flow import counted_loops

RULES = """\
game: {{id: loops, name: Loops, version: "1", language: 1, players: 2}}
variables: {{n: {{type: Int, start: 0}}}}
phases: [{{id: main, do: "{loop}"}}]
scoring: {{rank: [n]}}
"""


@pytest.mark.parametrize(
    ("loop", "counts"),
    [
        ("for each i in 1..100: set n to i", False),
        ("for each i in 1..101: set n to i", True),
        ("for each i in 1..n: set n to i", True),
        ("for each i in 1..200 where it > 195: set n to i", True),
        ("for each i in (1..60) union (41..100): set n to i", True),
        ("for each i in (1..40) + (1..40): set n to i", False),
        ("for each i in (1..60) + (1..60): set n to i", True),
        ("for each i in (1..60) except (1..60): set n to i", False),
        ("for each p in players: set n to 1", False),
        ("repeat 100 times: set n to 1", False),
        ("repeat n times: set n to 1", True),
        ("repeat while n < 1, at most 101 times: set n to 1", True),
    ],
)
def test_long_loops_are_counted(loop: str, counts: bool) -> None:
    assert bool(counted_loops(checked(RULES.format(loop=loop)))) is counts
