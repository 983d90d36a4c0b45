"""The compiled engine: a ruleset as generated Python, for one number of players and one set of options.

``lower`` takes calls and options out; what is left is the language of ``lowered``. ``select`` makes operations on
cells, lists and locals of it, stepwise or for whole games in one function, ``improve`` changes those, and ``python``
prints them. ``module`` compiles and registers the text, ``engine`` runs it behind the same protocol as the evaluator.
"""

from .engine import CompiledEngine, Functions

__all__ = ["CompiledEngine", "Functions"]
