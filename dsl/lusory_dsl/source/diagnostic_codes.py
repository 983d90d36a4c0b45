"""The table of diagnostic codes, one constant for each code.

The page ``docs/reference/diagnostics/<id>.md`` explains a code, and the tests execute its examples. The meaning of an
id never changes. Stages use the constants below and never write an id as text.
"""

from __future__ import annotations

from .diagnostics import Code

CODES: dict[str, Code] = {}


def _add(id: str, name: str, meaning: str) -> Code:
    if id in CODES:
        raise ValueError(f"code {id} is declared twice")
    CODES[id] = Code(id, name, meaning)
    return CODES[id]


# 01 files and YAML (loader)

DUPLICATE_KEY = _add("E0101", "duplicate-key", "A key is given twice in the same mapping.")
YAML_SYNTAX = _add("E0102", "yaml-syntax", "The file is not valid YAML.")
YAML_TAB = _add("E0103", "yaml-tab", "A line is indented with a tab.")
WRONG_ENCODING = _add("E0104", "wrong-encoding", "The file is not saved as UTF-8.")
CONTROL_CHARACTER = _add("E0105", "control-character", "The file contains an invisible character that is not allowed.")
ANCHOR_OR_ALIAS = _add("E0106", "anchor-or-alias", "YAML anchors (`&name`) and aliases (`*name`) are not allowed.")
YAML_TAG = _add("E0107", "yaml-tag", "YAML tags (`!name`) and directives (`%NAME`) are not allowed.")
MERGE_KEY = _add("E0108", "merge-key", "The YAML merge key `<<` is not allowed.")
SEVERAL_DOCUMENTS = _add("E0109", "several-documents", "One file contains several YAML documents.")
COMPLEX_KEY = _add("E0110", "complex-key", "A key is a list or a mapping instead of a word.")
TOO_LARGE = _add("E0111", "too-large", "A file, number or text is larger than lusory reads.")
NOTHING_TO_READ = _add("E0112", "nothing-to-read", "There is no ruleset here, or lusory can't read it.")
LINK_OUTSIDE = _add("E0113", "link-outside", "A link leads out of the folder of the ruleset.")
NOT_A_FILE = _add("E0114", "not-a-file", "A folder, pipe or device has the name of a rules file.")

# 02 structure (loader: schema)

UNKNOWN_KEY = _add("E0201", "unknown-key", "A key is not known in this place.")
MISSING_KEY = _add("E0202", "missing-key", "A required key is missing.")
WRONG_KIND = _add("E0203", "wrong-kind", "A key has the wrong kind of value, such as a text instead of a list.")
VALUE_NOT_ALLOWED = _add("E0204", "value-not-allowed", "This key does not allow this value.")
BAD_NAME = _add("E0205", "bad-name", "A name has a character or a capital letter that is not allowed.")
DECLARED_TWICE = _add("E0206", "declared-twice", "Something is declared twice.")
KEYS_EXCLUDE = _add("E0207", "keys-exclude", "Some keys can't be used together.")

# 03 syntax of effect text (parser)

UNEXPECTED_WORD = _add("E0301", "unexpected-word", "A word or sign is in the wrong place.")
MISSING_COLON = _add("E0302", "missing-colon", "The first line of a block has no colon at its end.")
UNMATCHED_BRACKET = _add("E0303", "unmatched-bracket", "A bracket has no partner.")
STRAY_CHARACTER = _add("E0304", "stray-character", "The language has no such character.")
FOREIGN_OPERATOR = _add("E0305", "foreign-operator", "This sign comes from another language.")
UNFINISHED_TEXT = _add("E0306", "unfinished-text", "A text has no closing quotation mark on its line.")
BAD_INDENTATION = _add("E0307", "bad-indentation", "The indentation of this line matches no line above it.")
TAB_INDENTATION = _add("E0308", "tab-indentation", "A line is indented with a tab.")
EMPTY_BLOCK = _add("E0309", "empty-block", "A block is empty.")
KEYWORD_AS_NAME = _add("E0310", "keyword-as-name", "A word of the language is used as a name.")
UNKNOWN_STATEMENT = _add("E0311", "unknown-statement", "No statement begins with this word.")
STRAY_ELSE = _add("E0312", "stray-else", "This `else` does not follow a block that can have one.")
MISSING_AMOUNT = _add("E0313", "missing-amount", "A `move` does not say how many counters.")
TOO_DEEP = _add("E0314", "too-deep", "Expressions or blocks are nested too deeply.")
NOT_A_STATEMENT = _add("E0315", "not-a-statement", "A value stands where a statement is needed.")
UNFINISHED = _add("E0316", "unfinished", "A line or text ends too early.")
BAD_ESCAPE = _add("E0317", "bad-escape", "A backslash or brace in a text has no meaning.")
NOT_A_LIST_FUNCTION = _add("E0318", "not-a-list-function", "This function can't be used with `for`.")
WRONG_CLAUSE = _add("E0319", "wrong-clause", "A choice has a part twice, or a part that it can't have.")
NUMBER_TOO_LARGE = _add("E0320", "number-too-large", "A number has too many digits.")

# 04 names (checker)

UNKNOWN_NAME = _add("E0401", "unknown-name", "The rules use a name that is not declared here.")
NAME_TAKEN = _add("E0402", "name-taken", "A name is declared twice.")
SHADOWING = _add("E0403", "shadowing", "A local name hides a declaration or another local name.")
AMBIGUOUS_VALUE = _add("E0404", "ambiguous-value", "A value belongs to several enums.")
UNKNOWN_TYPE = _add("E0405", "unknown-type", "There is no type of this name.")
UNKNOWN_MEMBER = _add("E0406", "unknown-member", "This value has no member of this name.")
NOBODY_ACTS = _add("E0407", "nobody-acts", "`me`, `it` or `this` has no meaning here.")
RESERVED_NAME = _add("E0408", "reserved-name", "A declared name is a word of the language.")
UNKNOWN_PARAMETER = _add("E0409", "unknown-parameter", "There is no parameter of this name.")
AMBIGUOUS_IT = _add("E0410", "ambiguous-it", "`it` could be an item of either of two lists.")
AMBIGUOUS_NAME = _add("E0411", "ambiguous-name", "This name means both a card and another value.")

# 05 types (checker)

WRONG_TYPE = _add("E0501", "wrong-type", "A value has the wrong type.")
WRONG_ARGUMENTS = _add("E0502", "wrong-arguments", "A call has too few or too many arguments, or the same one twice.")
WRONG_INDICES = _add("E0503", "wrong-indices", "A variable or table has too few or too many indices.")
NOT_A_PLACE = _add("E0504", "not-a-place", "A statement changes something that can't change.")
MAYBE_NONE = _add("E0505", "maybe-none", "This value might be `none`.")
INCOMPATIBLE_ZONES = _add("E0506", "incompatible-zones", "A move connects zones that hold different things.")
KIND_NOT_HELD = _add("E0507", "kind-not-held", "A pool never holds counters of this kind.")
EFFECT_AS_VALUE = _add("E0508", "effect-as-value", "An effect or action is used as a value.")
VALUE_AS_STATEMENT = _add("E0509", "value-as-statement", "A value stands where a statement is needed.")
NEVER_EQUAL = _add("E0510", "never-equal", "Values of different types are compared or put in one list.")
POOL_AS_VALUE = _add("E0511", "pool-as-value", "A whole pool is used as a value.")
OUT_OF_RANGE = _add("E0512", "out-of-range", "An index or value is outside its range.")
LIST_OF_WHAT = _add("E0516", "list-of-what", "Nothing shows what type an empty list or `none` has.")
NOT_WRITTEN = _add("E0517", "not-written", "A statement changes a name that is not from `let`.")
COUNTERS_MOVE = _add("E0518", "counters-move", "A statement sets or increases the counters of a pool.")

# 06 shape of the program (checker)

RECURSION = _add("E0601", "recursion", "An effect or query calls itself, directly or through others.")
MAY_BE_EMPTY = _add("E0603", "may-be-empty", "A choice without a block might have no options.")
STOP_OUTSIDE_LOOP = _add("E0604", "stop-outside-loop", "`stop` is outside every loop.")
NO_SCORING = _add("E0605", "no-scoring", "The ruleset doesn't say who wins.")
BAD_PHASE = _add("E0606", "bad-phase", "A phase needs `do` or `phases`, and can't have both.")
TABLE_SHAPE = _add("E0607", "table-shape", "The entries of a table don't match its dimensions.")
CARD_FIELDS = _add("E0608", "card-fields", "The fields of a card don't match the fields of its kind.")
BAD_OPTION = _add("E0609", "bad-option", "The default or the values of an option don't fit.")
BAD_DIMENSION = _add("E0610", "bad-dimension", "This dimension or range isn't possible.")
EARLY_READ = _add("E0611", "early-read", "A start value reads something that has no value yet.")
BAD_ZONE = _add("E0612", "bad-zone", "The keys of a zone don't fit what it holds.")
CARD_MEMBERS = _add(
    "E0613", "card-members", "A card has something that its kind doesn't allow, or lacks something that its kind needs."
)
CANCEL_OUTSIDE_ANSWER = _add("E0614", "cancel-outside-answer", "`cancel` is outside an action that answers a window.")
WRONG_ANSWER = _add("E0615", "wrong-answer", "An action that answers a window is used somewhere else.")
TOO_MANY = _add("E0616", "too-many", "The ruleset declares more components, places or entries than lusory allows.")
SORTED_ZONE = _add("E0620", "sorted-zone", "A sorted zone is shuffled, or a card is put on top of it.")
BOARD_SHAPE = _add("E0621", "board-shape", "A board has no shape, two shapes or a shape that isn't possible.")
UNKNOWN_SPACE = _add("E0622", "unknown-space", "The board has no space of this name.")
ODD_PICTURE = _add("E0623", "odd-picture", "The picture of a board doesn't fit the board.")
NO_SUCH_DIRECTION = _add("E0624", "no-such-direction", "The board has no such direction.")
NO_SUCH_SYMMETRY = _add("E0625", "no-such-symmetry", "The board has no such symmetry.")
OUTSIDE = _add("E0626", "outside", "A change might be to a space that doesn't exist.")
ENDLESS_REACH = _add("E0628", "endless-reach", "`reach` or `steps` might never end.")
STATE_IN_TABLE = _add("E0627", "state-in-table", "A table reads something that changes during a game.")
CARD_TWICE = _add("E0631", "card-twice", "Two declarations define the same card.")
SHEET_COLUMN = _add("E0632", "sheet-column", "lusory can't read a column or row of a sheet of cards.")
NOT_BEFORE_PLAY = _add("E0633", "not-before-play", "A family of cards uses something that isn't known before the game.")
UNSEEN_CARDS = _add("E0617", "unseen-cards", "Players would choose among cards that they can't see.")
NOT_AT_ONCE = _add("E0618", "not-at-once", "`each player at once` doesn't begin with `choose`.")
HIDDEN_END = _add("E0619", "hidden-end", "Fewer players see the top or bottom card of a zone than the rest of it.")
EVENT_RING = _add("E0641", "event-ring", "A rule triggers itself.")
MENU_ACTION = _add("E0651", "menu-action", "A menu lists an action that it can't offer.")

# 07 lints (checker)

UNUSED_LOCAL = _add("W0701", "unused-local", "A local name is never used.")
UNUSED_DEFINITION = _add("W0702", "unused-definition", "A declaration is never used.")
UNREACHABLE = _add("W0703", "unreachable", "These statements never run.")
NEVER_READ = _add("W0704", "never-read", "A variable or zone is filled but never read.")
UNUSED_IGNORE = _add("W0705", "unused-ignore", "A comment ignores a warning that doesn't exist.")
BAD_IGNORE = _add("W0706", "bad-ignore", "A comment for lusory is incomplete or names a code that can't be ignored.")
CONSTANT_CONDITION = _add("W0707", "constant-condition", "A condition is always true or always false.")
ONE_OPTION = _add("W0708", "one-option", "A choice or a roll has only one possible outcome.")
NEVER_LEGAL = _add("W0709", "never-legal", "Players can never choose this action or option.")
NEVER_PAYABLE = _add("W0710", "never-payable", "A card costs more counters than the game has.")
ENDLESS_CHECK = _add("W0711", "endless-check", "A state check changes nothing that its condition reads.")
NEVER_WRITTEN = _add("W0712", "never-written", "A variable never changes.")
TEXT_DIFFERS = _add(
    "W0713", "text-differs", "A text mentions a number or keyword that isn't in the rules it describes."
)
FIRST_COPY = _add("W0714", "first-copy", "A card is compared with only the first of its copies.")
LATE_CONDITION = _add("W0715", "late-condition", "A condition is tested after duplicates were dropped.")
EARLY_END = _add("W0716", "early-end", "The game can end before a loop has reached every item.")
TELLS_HIDDEN = _add("W0717", "tells-hidden", "A text mentions something that some of its readers can't see.")
ACTS_ON_SECRET = _add("W0719", "acts-on-secret", "Something that everybody sees reveals a secret.")
NO_HOLDER = _add("W0720", "no-holder", "The rules ask for the holder of a card that may be in a shared zone.")
WORD_AS_NAME = _add("W0724", "word-as-name", "A name is also a word of the language that is used beside it.")
UNOPENED_MENU = _add("W0725", "unopened-menu", "No statement opens this menu.")
SAME_SIGN = _add("W0730", "same-sign", "Two values of an enum have the same sign.")
UNREAD_SHEET = _add("W0731", "unread-sheet", "lusory doesn't read this sheet of cards.")
MISREAD = _add("W0732", "misread", "Other YAML readers read this value differently, or can't read it.")
SAME_RANK = _add("W0733", "same-rank", "A part of the rank is the same for every player.")
NEVER_IN_PLAY = _add("W0734", "never-in-play", "A card never comes into play.")
UNTESTED_PLACE = _add("W0735", "untested-place", "The rules read a member of a place that may be `none`.")
NO_TEXT = _add("W0736", "no-text", "A card has an ability but no text, and other cards have texts.")
RULES_DIFFER = _add("W0737", "rules-differ", "Rules changed after their text was accepted, and the text didn't.")
HIDES_CARD = _add("W0738", "hides-card", "A new name in a rule hides a card or value.")

# 08 case files (cases)

UNKNOWN_PHASE = _add("E0801", "unknown-phase", "The case starts at a phase that the ruleset doesn't have.")
UNKNOWN_PLACE = _add("E0802", "unknown-place", "The case names a variable or zone that the ruleset doesn't have.")
WRONG_POSITION = _add("E0803", "wrong-position", "The case puts something where it can't be.")
WRONG_SETTING = _add(
    "E0804", "wrong-setting", "The case sets an option or a number of players that the ruleset doesn't allow."
)
NO_SUCH_SEAT = _add("E0805", "no-such-seat", "The case names a player who isn't in it.")
DUPLICATE_CASE = _add("E0806", "duplicate-case", "Two cases or positions have the same name.")
WRONG_CHANCE = _add("E0807", "wrong-chance", "The case dictates a random result that can't occur or was never used.")
NOT_AN_OPTION = _add("E0808", "not-an-option", "The case chooses something that isn't an option.")
WRONG_SEAT = _add("E0809", "wrong-seat", "The case lets the wrong player decide.")
NOTHING_TO_DECIDE = _add("E0810", "nothing-to-decide", "The case continues after the end of the game.")
NEVER_CAME = _add("E0811", "never-came", "The moment that the case waits for never came.")
EXPECTATION_FAILED = _add("E0812", "expectation-failed", "A condition that the case expects is false.")
POSITION_DIFFERS = _add("E0813", "position-differs", "The table differs from what the case expects.")
DECISION_DIFFERS = _add("E0814", "decision-differs", "The pending decision differs from what the case expects.")
LEGAL_DIFFERS = _add("E0815", "legal-differs", "The options differ from what the case expects.")
NOT_REFUSED = _add(
    "E0816", "not-refused", "The rules allow what the case expects them to refuse, or refuse it for another reason."
)
SEES_DIFFERS = _add("E0817", "sees-differs", "A player sees something else than the case expects.")
LOG_DIFFERS = _add("E0818", "log-differs", "The log differs from what the case expects.")
OUTCOME_DIFFERS = _add("E0819", "outcome-differs", "The game didn't end as the case expects.")
RULES_FAULT = _add("E0820", "rules-fault", "The rules failed during the case, or didn't fail as expected.")
INVARIANT_BROKEN = _add("E0821", "invariant-broken", "An invariant of the ruleset is false during the case.")
ENGINES_DIFFER = _add("E0822", "engines-differ", "The two engines of lusory disagree.")
TWO_RESTS = _add("E0823", "two-rests", "Two places would hold the rest.")
CHECK_ABOVE = _add("E0824", "check-above", "A check is above the actions of its step.")
POSITION_RING = _add("E0825", "position-ring", "Shared positions are based on each other.")
UNKNOWN_POSITION = _add("E0826", "unknown-position", "The case uses a position that doesn't exist.")
NOT_FORCED = _add("E0827", "not-forced", "The game didn't make a decision automatically that the case expects.")
SCREEN_DIFFERS = _add("E0829", "screen-differs", "The screen differs from what the case expects.")
NOT_RUN_HERE = _add("E0828", "not-run-here", "`run` uses a statement that only a ruleset can contain.")

# 09 laws (what the interpreter checks about the data)

LAW_BROKEN = _add("E0901", "law-broken", "An invariant about the ruleset's own data is false.")
