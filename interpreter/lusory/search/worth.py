"""What a position is worth to each seat. Ends by what the rules pay, others by how the seats would rank now."""

from __future__ import annotations

from collections.abc import Sequence

from ..game import Game
from .guidance import Guidance
from .positions import Position

Values = tuple[float, ...]
REASON, RANKS, WINNERS, PLACES, PAYOFFS = range(5)
"""Fields of an outcome."""


class Worth:
    """The scale is the payoffs' where the rules declare some, the first rank's of a game for one, and 0 to 1 elsewhere:
    half of it for winning, shared among those who win together, half for the part of the others that rank behind."""

    def __init__(self, game: Game, guidance: Guidance) -> None:
        scoring = game.program.scoring
        self.players = game.players
        self.valued = guidance.valued
        self.is_paid = scoring.payoff is not None or scoring.zero_sum
        self.column = 1 if scoring.selective and len(scoring.rank) > 1 else 0

    def of(self, position: Position) -> Values:
        """Of any position. What the rules can't tell of one that is no end is nothing to anybody."""
        if position.over:
            return self.end(position.outcome())
        return self.compared(self.standing(position))

    def end(self, outcome: Sequence) -> Values:  # type: ignore[type-arg]
        """Of how a game ended."""
        if self.players == 1:
            return (float(outcome[RANKS][0][self.column]),)
        payoffs: Values = outcome[PAYOFFS]
        if self.is_paid:
            return payoffs
        places = outcome[PLACES]
        rivals = 2 * (self.players - 1)
        behind = [sum((other > own) + (other >= own) for other in places) - 1 for own in places]
        return tuple([(share + beaten / rivals) / 2 for share, beaten in zip(payoffs, behind, strict=True)])

    def standing(self, position: Position) -> Sequence[float]:
        """How well each seat stands, in the units of the ranks."""
        if self.valued:
            return position.standing()
        return [rank[self.column] for rank in position.outcome()[RANKS]]

    def compared(self, standing: Sequence[float]) -> Values:
        """What each seat is ahead of the best of the others by, in proportion to what both have."""
        if self.players == 1:
            return (float(standing[0]),)
        found = []
        for seat, own in enumerate(standing):
            best = max(other for at, other in enumerate(standing) if at != seat)
            lead = (own - best) / (1 + abs(own) + abs(best))
            found.append(lead if self.is_paid else (1 + lead) / 2)
        return tuple(found)
