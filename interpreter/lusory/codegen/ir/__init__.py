"""Define the intermediate representation (IR) between the lowered game and the text of a backend.

A :class:`Module` holds functions. A function is a sequence of operations (:class:`Op`), and operations read values
(:class:`Value`). All nodes are frozen records. Instruction selection (:mod:`lusory.codegen.instruction_selection`)
creates them, and passes (:mod:`lusory.codegen.passes`) replace them. Only the printers of the backends produce text.

Each check that can fail at run time is a node of its own (:class:`NotNone`, :class:`IntCheck`, :class:`IndexCheck`, …).
Selection leaves out checks that it can prove. Each operation has a :class:`Provenance`, so that a fault can name its
place in the ruleset.
"""

from .operations import *  # noqa: F403
from .value_expressions import *  # noqa: F403
