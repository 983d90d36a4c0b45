"""The table of diagnostic codes. One row a code; ``docs/diagnostics/<id>.md`` explains it and is executed.

Ids never change their meaning. Stages refer to the constants below, never to the text of an id.
"""

from __future__ import annotations

from .diagnostics import Code

CODES: dict[str, Code] = {}


def _code(id: str, name: str, meaning: str) -> Code:
    if id in CODES:
        raise ValueError(f"code {id} is declared twice")
    CODES[id] = Code(id, name, meaning)
    return CODES[id]


# 01 files and YAML (loader)

# 02 structure (loader: schema)

# 03 syntax of effect text (parser)

# 04 names (checker)

UNKNOWN_NAME = _code("E0401", "unknown-name", "A name that nothing declares.")
NAME_TAKEN = _code("E0402", "name-taken", "A name is declared twice.")
SHADOWING = _code("E0403", "shadowing", "A local name hides a declaration or another local.")
AMBIGUOUS_VALUE = _code("E0404", "ambiguous-value", "A bare value belongs to several enums.")
UNKNOWN_TYPE = _code("E0405", "unknown-type", "A type that nothing declares.")
UNKNOWN_MEMBER = _code("E0406", "unknown-member", "Something has no member of this name.")
NOBODY_ACTS = _code("E0407", "nobody-acts", "`me` or `it` is used where it stands for nothing.")
RESERVED_NAME = _code("E0408", "reserved-name", "A declared name that effect text can't use.")
UNKNOWN_PARAMETER = _code("E0409", "unknown-parameter", "An effect, query or kind has no parameter of this name.")

# 05 types (checker)

WRONG_TYPE = _code("E0501", "wrong-type", "A value of one type stands where another is asked for.")
WRONG_ARGUMENTS = _code("E0502", "wrong-arguments", "Arguments are missing, too many or given twice.")
WRONG_INDICES = _code("E0503", "wrong-indices", "A place is read with too few or too many indices.")
NOT_A_PLACE = _code("E0504", "not-a-place", "A statement changes something that can't be changed.")
MAYBE_NONE = _code("E0505", "maybe-none", "A value that may be `none` is used untested.")
INCOMPATIBLE_ZONES = _code("E0506", "incompatible-zones", "A move between zones that hold different things.")
KIND_NOT_HELD = _code("E0507", "kind-not-held", "A pool never holds this kind.")
EFFECT_AS_VALUE = _code("E0508", "effect-as-value", "An effect or action is used as a value.")
VALUE_AS_STATEMENT = _code("E0509", "value-as-statement", "A value stands where something should happen.")
NEVER_EQUAL = _code("E0510", "never-equal", "Values of unlike types are compared or put together.")
POOL_AS_VALUE = _code("E0511", "pool-as-value", "A whole pool is used as a value.")
OUT_OF_RANGE = _code("E0512", "out-of-range", "An index or value lies outside its range.")

# 06 shape of the program (checker)

RECURSION = _code("E0601", "recursion", "Something calls itself, directly or round a corner.")
UNBOUNDED = _code("E0602", "unbounded", "A repetition without a bound.")
MAY_BE_EMPTY = _code("E0603", "may-be-empty", "A choice without a block may have no option.")
STOP_OUTSIDE_LOOP = _code("E0604", "stop-outside-loop", "`stop` stands outside of every loop.")
NO_SCORING = _code("E0605", "no-scoring", "The ruleset does not say who wins.")
BAD_PHASE = _code("E0606", "bad-phase", "A phase has neither or both of `do` and `phases`.")
TABLE_SHAPE = _code("E0607", "table-shape", "A table's entries don't match its dimensions.")
CARD_FIELDS = _code("E0608", "card-fields", "A card's fields don't match its kind's.")
BAD_OPTION = _code("E0609", "bad-option", "An option's default or values don't fit.")
BAD_DIMENSION = _code("E0610", "bad-dimension", "A dimension or range that can't be one.")
EARLY_READ = _code("E0611", "early-read", "A start value reads what the game has not set up yet.")
BAD_ZONE = _code("E0612", "bad-zone", "A zone's keys don't fit what it holds.")

# 07 lints (checker)

UNUSED_LOCAL = _code("W0701", "unused-local", "A local name is never used.")
UNUSED_DEFINITION = _code("W0702", "unused-definition", "A definition is never used.")
UNREACHABLE = _code("W0703", "unreachable", "Statements that are never executed.")
NEVER_READ = _code("W0704", "never-read", "A variable is written but never read.")

# 08 case files (cases)
