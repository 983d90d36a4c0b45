"""Thousands of games stepped at once from Python, arrays in and out: for learners. Needs ``lusory[batch]``."""

from .vector_env import HIDDEN as HIDDEN, NONE as NONE, Batch as Batch, Entry as Entry, NoAction as NoAction

__all__ = ["HIDDEN", "NONE", "Batch", "Entry", "NoAction"]
