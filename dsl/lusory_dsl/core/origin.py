"""Who made a part of a program: its author, or a pass that writes out what stands for more.

Names of made things are such that no author can write them, and nobody reads anything else out of a name: what made a
thing, and for which declaration, stands here.
"""

from __future__ import annotations

from ..source.dataclasses import dataclass

AUTHOR = ""
ACTIONS = "actions"
AT_ONCE = "at once"
BLANK_CARDS = "blank cards"
CARDS = "cards"
CHOICES = "choices"
COSTS = "costs"
DURATIONS = "durations"
ENDINGS = "endings"
EVENTS = "events"
KEYWORDS = "keywords"
LETS = "lets"
OPTIONALS = "optional values"
RULES = "rules"
SAYS = "says"
SPANS = "spans"
SPLITS = "splits"
STATE_CHECKS = "state checks"
WINDOWS = "windows"


@dataclass(frozen=True)
class Origin:
    """``maker``: the pass, or the author. ``of``: the name of the declaration that it was made for; of a copy, of what
    it copies; of statements and conditions, nothing where they were made of the statement at whose place they stand.
    ``part``: which of the things that are made for one declaration. ``card``: of a rule, the card on which it
    stands."""

    maker: str
    of: str = ""
    part: str = ""
    card: str = ""

    @property
    def is_written(self) -> bool:
        """Whether the author wrote it."""
        return self.maker == AUTHOR

    @property
    def words(self) -> str:
        """What people read in place of the name of a made thing: what it was made of."""
        if self.part == COPY:
            return self.of
        return f"{self.maker} of {self.of}" if self.of else self.maker


WRITTEN = Origin(AUTHOR)
"""Of all that stands in the ruleset as it is here."""

UNSEEN = "unseen"
"""The part of the chance that decides which of some cards was chosen by somebody who can't see them."""

COPY = "copy"
"""The part of an effect that is the same as one that the author wrote, made for state checks to call."""
