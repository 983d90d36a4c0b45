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

DUPLICATE_KEY = _code("E0101", "duplicate-key", "A key stands twice in one mapping.")
YAML_SYNTAX = _code("E0102", "yaml-syntax", "The file is not well-formed YAML.")
YAML_TAB = _code("E0103", "yaml-tab", "A line is indented with a tab.")
WRONG_ENCODING = _code("E0104", "wrong-encoding", "The file is not text in UTF-8.")
CONTROL_CHARACTER = _code("E0105", "control-character", "The file holds a character that can't be seen or printed.")
ANCHOR_OR_ALIAS = _code("E0106", "anchor-or-alias", "YAML anchors (`&name`) and aliases (`*name`) are not allowed.")
YAML_TAG = _code("E0107", "yaml-tag", "YAML tags (`!name`) and directives (`%NAME`) are not allowed.")
MERGE_KEY = _code("E0108", "merge-key", "The YAML merge key `<<` is not allowed.")
SEVERAL_DOCUMENTS = _code("E0109", "several-documents", "One file holds several YAML documents.")
COMPLEX_KEY = _code("E0110", "complex-key", "A key is a list or a mapping.")
TOO_LARGE = _code("E0111", "too-large", "A file, a number, a text or the nesting exceeds what is read.")
NOTHING_TO_READ = _code("E0112", "nothing-to-read", "There is no ruleset in this place, or it can't be read.")
LINK_OUTSIDE = _code("E0113", "link-outside", "A link leads out of the folder of the ruleset.")
NOT_A_FILE = _code("E0114", "not-a-file", "A pipe, socket, device or folder lies where a file is wanted.")

# 02 structure (loader: schema)

UNKNOWN_KEY = _code("E0201", "unknown-key", "A key that has no meaning in this place.")
MISSING_KEY = _code("E0202", "missing-key", "A key that must be there is not.")
WRONG_KIND = _code("E0203", "wrong-kind", "A text, number, list or mapping where another of these is asked for.")
VALUE_NOT_ALLOWED = _code("E0204", "value-not-allowed", "A value of the right kind that this key doesn't take.")
BAD_NAME = _code("E0205", "bad-name", "A declared name is not spelt like a name.")
DECLARED_TWICE = _code("E0206", "declared-twice", "Something that may be declared once is declared twice.")
KEYS_EXCLUDE = _code("E0207", "keys-exclude", "Keys that don't go together stand together.")
LATER_EDITION = _code("E0208", "later-edition", "Something that the edition of the language of its file does not have.")

# 03 syntax of effect text (parser)

UNEXPECTED_WORD = _code("E0301", "unexpected-word", "A word or sign stands where it doesn't fit.")
MISSING_COLON = _code("E0302", "missing-colon", "The head of a block does not end in a colon.")
UNMATCHED_BRACKET = _code("E0303", "unmatched-bracket", "A bracket is opened but not closed, or closed but not opened.")
STRAY_CHARACTER = _code("E0304", "stray-character", "A character that means nothing in the language.")
FOREIGN_OPERATOR = _code("E0305", "foreign-operator", "An operator of another language.")
UNFINISHED_TEXT = _code("E0306", "unfinished-text", "A text in quotation marks does not end on its line.")
BAD_INDENTATION = _code("E0307", "bad-indentation", "A line is indented like none of the blocks around it.")
TAB_INDENTATION = _code("E0308", "tab-indentation", "A line is indented with a tab.")
EMPTY_BLOCK = _code("E0309", "empty-block", "Nothing stands in a block.")
KEYWORD_AS_NAME = _code("E0310", "keyword-as-name", "A word of the language is used as a name.")
UNKNOWN_STATEMENT = _code("E0311", "unknown-statement", "A statement begins with a word that begins none.")
STRAY_ELSE = _code("E0312", "stray-else", "An `else` has nothing before it that it could belong to.")
MISSING_AMOUNT = _code("E0313", "missing-amount", "A move of counters does not say how many.")
TOO_DEEP = _code("E0314", "too-deep", "Expressions or blocks are nested too deeply.")
NOT_A_STATEMENT = _code("E0315", "not-a-statement", "A value stands alone where something should happen.")
UNFINISHED = _code("E0316", "unfinished", "A line or text ends before it says everything.")
BAD_ESCAPE = _code("E0317", "bad-escape", "A backslash or brace in a text that means nothing there.")
NOT_A_LIST_FUNCTION = _code("E0318", "not-a-list-function", "A function that can't go through a list does.")
WRONG_CLAUSE = _code("E0319", "wrong-clause", "A choice says something twice, or something that it can't use.")
NUMBER_TOO_LARGE = _code("E0320", "number-too-large", "A number with too many digits.")

# 04 names (checker)

UNKNOWN_NAME = _code("E0401", "unknown-name", "A name that nothing declares.")
NAME_TAKEN = _code("E0402", "name-taken", "A name is declared twice.")
SHADOWING = _code("E0403", "shadowing", "A local name hides a declaration or another local.")
AMBIGUOUS_VALUE = _code("E0404", "ambiguous-value", "A bare value belongs to several enums.")
UNKNOWN_TYPE = _code("E0405", "unknown-type", "A type that nothing declares.")
UNKNOWN_MEMBER = _code("E0406", "unknown-member", "Something has no member of this name.")
NOBODY_ACTS = _code("E0407", "nobody-acts", "`me`, `it` or `this` is used where it stands for nothing.")
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
CARD_MEMBERS = _code("E0613", "card-members", "What a card does is not what its kind lets it do, or lacks something.")
CANCEL_OUTSIDE_ANSWER = _code("E0614", "cancel-outside-answer", "`cancel` stands outside of every answer to a window.")
WRONG_ANSWER = _code("E0615", "wrong-answer", "An action that answers a window is used elsewhere.")
TOO_MANY = _code("E0616", "too-many", "More components, places or entries are declared than a game can have.")
BOARD_SHAPE = _code("E0621", "board-shape", "A board has no shape, two, or one that can't be.")
UNKNOWN_SPACE = _code("E0622", "unknown-space", "A board has no space of this name.")
ODD_PICTURE = _code("E0623", "odd-picture", "A picture of a board, or what it shows, does not fit the board.")
NO_SUCH_DIRECTION = _code("E0624", "no-such-direction", "A board has no such direction.")
NO_SUCH_SYMMETRY = _code("E0625", "no-such-symmetry", "A board has no such symmetry.")
OUTSIDE = _code("E0626", "outside", "Something is written that may be beside the board.")
ENDLESS_REACH = _code("E0628", "endless-reach", "What is reached could go on for ever.")
STATE_IN_TABLE = _code("E0627", "state-in-table", "The values of a table are worked out of what changes in a game.")
CARD_TWICE = _code("E0631", "card-twice", "Two declarations make the same card, or say the same of it twice.")
SHEET_COLUMN = _code("E0632", "sheet-column", "A sheet of cards has a column or a row that can't be read.")
NOT_BEFORE_PLAY = _code("E0633", "not-before-play", "A family of cards is made with what is not known before a game.")
UNSEEN_CARDS = _code(
    "E0617", "unseen-cards", "A choice among cards that the one who chooses can't see, or `unseen` of others."
)
HIDDEN_END = _code("E0619", "hidden-end", "A card at an end of a zone is shown to fewer than the cards between.")
EVENT_RING = _code("E0641", "event-ring", "A rule would set itself off, through what is moved or set.")
MENU_ACTION = _code("E0651", "menu-action", "A menu lists an action that can't be taken from it.")

# 07 lints (checker)

UNUSED_LOCAL = _code("W0701", "unused-local", "A local name is never used.")
UNUSED_DEFINITION = _code("W0702", "unused-definition", "A definition, or a part of one, is never used.")
UNREACHABLE = _code("W0703", "unreachable", "Statements that are never executed.")
NEVER_READ = _code("W0704", "never-read", "A variable is written or a zone filled, but never read.")
UNUSED_IGNORE = _code("W0705", "unused-ignore", "A remark ignores a warning that is not there.")
BAD_IGNORE = _code("W0706", "bad-ignore", "A remark to lusory names no code that can be ignored, or gives no reason.")
CONSTANT_CONDITION = _code("W0707", "constant-condition", "A condition always holds, or never does.")
ONE_OPTION = _code("W0708", "one-option", "A choice or a roll has one outcome at most.")
NEVER_LEGAL = _code("W0709", "never-legal", "An action or option can never be chosen.")
NEVER_PAYABLE = _code("W0710", "never-payable", "A card costs more counters than there are.")
ENDLESS_CHECK = _code("W0711", "endless-check", "A state check changes nothing that its condition reads.")
NEVER_WRITTEN = _code("W0712", "never-written", "A variable never changes.")
TEXT_DIFFERS = _code("W0713", "text-differs", "A text for people says a number that the rules do not have.")
FIRST_COPY = _code("W0714", "first-copy", "A card is compared with the first of several copies only.")
LATE_CONDITION = _code("W0715", "late-condition", "One of each is kept before the items are asked about themselves.")
EARLY_END = _code("W0716", "early-end", "The game can end in the middle of what is done to all items of a list.")
TELLS_HIDDEN = _code("W0717", "tells-hidden", "A text speaks of what not everybody who reads it may know.")
UNSEEN_OPTIONS = _code("W0718", "unseen-options", "A choice among cards that the one who chooses can't see.")
ACTS_ON_SECRET = _code("W0719", "acts-on-secret", "What all see tells the answer to a secret choice.")
NO_HOLDER = _code("W0720", "no-holder", "The holder of a card is asked for where nobody holds it.")
ALWAYS_OUTSIDE = _code("W0721", "always-outside", "What is named is never on the board.")
UNOPENED_MENU = _code("W0725", "unopened-menu", "A menu that no statement opens.")
COPY_OR_DIFFERENCE = _code("W0727", "copy-or-difference", "What is written as a copy of a card could be a difference.")

# 08 case files (cases)

UNKNOWN_PHASE = _code("E0801", "unknown-phase", "A case begins at a phase that the ruleset does not have.")
UNKNOWN_PLACE = _code("E0802", "unknown-place", "A case speaks of a variable or zone that the ruleset does not have.")
WRONG_POSITION = _code("E0803", "wrong-position", "A case lays something where it can't lie.")
WRONG_SETTING = _code("E0804", "wrong-setting", "A case asks for an option or a number of players that can't be.")
NO_SUCH_SEAT = _code("E0805", "no-such-seat", "A case speaks of a seat that nobody has in it.")
DUPLICATE_CASE = _code("E0806", "duplicate-case", "Two cases of a ruleset have the same id.")
WRONG_CHANCE = _code("E0807", "wrong-chance", "A case dictates chance that the rules can't have, or that never came.")
NOT_AN_OPTION = _code("E0808", "not-an-option", "A case decides something that is not among the options.")
WRONG_SEAT = _code("E0809", "wrong-seat", "A case lets somebody decide who need not decide now.")
NOTHING_TO_DECIDE = _code("E0810", "nothing-to-decide", "A case goes on after the end of the game.")
NEVER_CAME = _code("E0811", "never-came", "The moment that a case plays to never came.")
EXPECTATION_FAILED = _code("E0812", "expectation-failed", "A condition that a case expects does not hold.")
POSITION_DIFFERS = _code("E0813", "position-differs", "The table does not show what a case expects.")
DECISION_DIFFERS = _code("E0814", "decision-differs", "Not the one whom a case expects must decide, or not about that.")
LEGAL_DIFFERS = _code("E0815", "legal-differs", "The options are not those that a case expects.")
NOT_REFUSED = _code(
    "E0816", "not-refused", "What a case expects to be refused is allowed, or refused for another reason."
)
SEES_DIFFERS = _code("E0817", "sees-differs", "A seat sees what it should not, or something else than a case expects.")
LOG_DIFFERS = _code("E0818", "log-differs", "The log does not read as a case expects.")
OUTCOME_DIFFERS = _code("E0819", "outcome-differs", "The game did not end as a case expects.")
RULES_FAULT = _code("E0820", "rules-fault", "The rules went wrong during a case, or did not where they should.")
INVARIANT_BROKEN = _code("E0821", "invariant-broken", "An invariant of the ruleset does not hold during a case.")
ENGINES_DIFFER = _code("E0822", "engines-differ", "The two engines that play the rules do not say the same.")
TWO_RESTS = _code("E0823", "two-rests", "Two places shall hold what lies nowhere else.")
CHECK_ABOVE = _code("E0824", "check-above", "A check stands above what its step does.")
POSITION_RING = _code("E0825", "position-ring", "A shared position begins from itself.")
UNKNOWN_POSITION = _code("E0826", "unknown-position", "A position begins from another that there is not.")
NOT_FORCED = _code("E0827", "not-forced", "The game does not do by itself what a case says it must.")
NOT_RUN_HERE = _code("E0828", "not-run-here", "What a case runs has to be declared in the ruleset.")

# 09 laws (the interpreter's look at the data)

LAW_BROKEN = _code("E0901", "law-broken", "An invariant that is a law of the data does not hold.")
