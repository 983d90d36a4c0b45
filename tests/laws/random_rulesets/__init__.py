"""Generate small random rulesets as text: well-typed programs that use the whole language.

A :class:`Maker` takes a source of choices: ``pick(n)`` returns a number from 0 to n - 1, and smaller numbers give
simpler rules. The maker writes each value for a given type, with the names in scope there. Therefore the checker
accepts nearly every ruleset.
"""

from .ruleset import Maker as Maker
