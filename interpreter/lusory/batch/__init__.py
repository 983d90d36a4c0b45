"""Step thousands of games at once from Python, with arrays of numpy in and out, for machine learning.

Needs the extra ``lusory[batch]``. The class :class:`Batch` is the entry point.
"""

from .vector_env import HIDDEN as HIDDEN, NONE as NONE, Batch as Batch, Entry as Entry, NoAction as NoAction

__all__ = ["HIDDEN", "NONE", "Batch", "Entry", "NoAction"]
