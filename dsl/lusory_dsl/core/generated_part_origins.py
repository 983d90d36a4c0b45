"""Record which pass generated a part of a program, and for which declaration.

Generated names have a form that authors can't write. No code parses a name to find the origin: it is recorded here.
"""

from __future__ import annotations

from ..source.dataclass_with_lazy_methods import ValueRecord

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


class Origin(ValueRecord):
    """The origin of a part of a program.

    Attributes:
        generator: The pass that generated it, or the author.
        declaration: The declaration that it was generated for. For a copy, the original. Empty for statements and
            conditions that replace a statement in the same place.
        part: Distinguishes the things that are generated for one declaration.
        card: For a rule, the card on which it is printed.
    """

    generator: str
    declaration: str = ""
    part: str = ""
    card: str = ""

    @property
    def is_authored(self) -> bool:
        """True if the author wrote this part."""
        return self.generator == AUTHOR

    @property
    def label(self) -> str:
        """The text that people read instead of a generated name: ``GENERATOR of DECLARATION``.

        Without a declaration, it is the generator alone. For a copy of an effect, it is the declaration alone.
        """
        if self.part == EFFECT_COPY:
            return self.declaration
        return f"{self.generator} of {self.declaration}" if self.declaration else self.generator


AUTHORED = Origin(AUTHOR)
"""The origin of everything that the author wrote."""

UNSEEN_PICK = "unseen"
"""The part of a random draw that decides which card was chosen by a player who can't see the cards."""

EFFECT_COPY = "copy"
"""The part of an effect that copies an effect of the author, for state checks to call."""
