"""From files to one :class:`~lusory_dsl.ruleset.model.Ruleset`, whose effects are still text."""
