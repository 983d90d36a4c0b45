"""Thousands of games stepped at once from Python, arrays in and out: for learners. Needs ``lusory[batch]``."""

from .seen import HIDDEN as HIDDEN, NONE as NONE, Entry as Entry
from .states import Batch as Batch, NoAction as NoAction

__all__ = ["HIDDEN", "NONE", "Batch", "Entry", "NoAction"]
