"""Analyse and transform the intermediate representation: split, liveness, promotion of state, and type inference."""
