"""Belief states: what a seat has observed, and sampled game states that agree with it.

A seat with hidden information never knows the state of the match. It knows its *information set*: all states that look
the same to it. A search needs states to simulate from, so this package samples them. One sample is a *determinization*
[1]. The samples come from a *particle filter* [2]. Each particle is a game that the engine itself has played, step by
step. It would have shown the seat exactly what it observed.

Only views and redacted events reach this package. It never sees the state of a match.

- ``belief_state``: the entry point, which keeps the observations and particles of one seat
- ``hidden_information_and_event_subjects``: facts about a game that don't change
- ``observation_and_matching``: what a seat learned from a step, and the comparison of a sampled step with it
- ``dictated_chance_and_component_permutations``: dictated chance, and permutations of hidden components
- ``particle_and_step_records``: the records that the other modules share
- ``step_repair``: simulates one step, and repairs it until it agrees with the observation
- ``particle_step_and_exchange_of_hidden_components``: advances particles over their whole history, and deals hidden
  components anew
- ``backtracking_to_earlier_steps``: changes earlier steps when no particle agrees any more
- ``inference_of_hidden_actions``: finds sequences of private actions that explain an observation

References:
    [1] Cowling, Powley, Whitehouse: Information Set Monte Carlo Tree Search. IEEE TCIAIG, 2012.
    [2] Silver, Veness: Monte-Carlo Planning in Large POMDPs. NIPS 2010.
"""
