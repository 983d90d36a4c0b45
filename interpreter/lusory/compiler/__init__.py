"""The compiled engine: a ruleset as generated Python, for one number of players and one set of options.

``lowering`` removes calls and constants (``lowering_expressions``, ``changes``, ``constants``) and leaves the language
of ``lowered``; ``expressions``, ``statements`` and ``choosing`` write Python text, ``steps``
arranges it for stepwise play and ``playout`` for whole games in one function, ``module`` compiles and registers it,
``engine`` runs it behind the same protocol as the evaluator.
"""

from .engine import CompiledEngine
from .module import CodeStore

__all__ = ["CodeStore", "CompiledEngine"]
