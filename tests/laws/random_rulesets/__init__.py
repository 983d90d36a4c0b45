"""Random small rulesets as text: typed programs that use the whole language. Used by the law that engines agree.

A :class:`Maker` is given a source of choices, ``pick(n)``: a number from 0 to n - 1, smaller where simpler. Every value
is written for a type and with the names that can be read there, so that nearly everything that is made is right.
"""

from .ruleset import Maker as Maker
