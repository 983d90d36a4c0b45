"""Belief states: what a seat has observed, and sampled game states that agree with it.

A seat with hidden information never knows the state of the match. It knows its *information set*: all states that look
the same to it. A search needs states to simulate from, so this package samples them. One sample is a *determinization*
[1]. The samples come from a *particle filter* [2]: each particle is a game that the engine itself has played, step by
step, and that would have shown the seat exactly what it observed.

Only views and redacted events reach this package. It never sees the state of a match.

References:
    [1] Cowling, Powley, Whitehouse: Information Set Monte Carlo Tree Search. IEEE TCIAIG, 2012.
    [2] Silver, Veness: Monte-Carlo Planning in Large POMDPs. NIPS 2010.
"""
