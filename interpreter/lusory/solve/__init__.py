"""Solve small games: the game tree, retrograde values, and equilibria by CFR."""
