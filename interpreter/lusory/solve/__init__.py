"""Solve small games: build the game tree, evaluate perfect-information games, and find equilibria by CFR."""
