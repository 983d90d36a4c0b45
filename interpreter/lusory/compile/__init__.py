"""The compiled engine: a ruleset as generated Python, for one number of players and one set of options.

``lowering``, with ``lowering_expressions``, ``changes`` and ``constants``, removes calls and constants; what is left is
the language of ``lowered``. ``places``, ``lists``, ``expressions``, ``statements`` and ``choosing``, each on top of the
one before, write Python text of it, ``steps`` arranges it for stepwise play and ``playout`` for whole games in one
function, ``module`` compiles and registers it, ``engine`` runs it behind the same protocol as the evaluator.
"""

from .engine import CompiledEngine
from .module import CodeStore

__all__ = ["CodeStore", "CompiledEngine"]
