"""Analyse and transform the intermediate representation: blocks, liveness, promotion of state, and inference of
sorts.
"""
