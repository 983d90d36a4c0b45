"""Thinking ahead: many games played on from worlds that agree with what a seat knows, and what comes of each option.

Nothing here sees a match. ``positions`` goes on from a world, quickly; ``worth`` values ends; ``sampling`` and ``tree``
divide simulations among options; ``analysis`` puts them behind one call. All of it is exact: whole numbers for chance,
and of floats only what every machine computes alike (see docs/decisions/0045-players-that-think.md).
"""
