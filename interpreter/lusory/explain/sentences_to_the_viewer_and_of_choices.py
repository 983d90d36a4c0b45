"""Inflect the English sentences of the story: for the viewer in the second person, and from labels of options.

Announcements of rulesets are in the third person: ``{me} plays Guard``. Labels of options are mostly imperatives:
``Pay 1 Coin``. Both follow the regular forms of English verbs.
"""

from __future__ import annotations

import re
from itertools import pairwise

from .phrase_filling_and_negation import pluralize
from .styled_text_wrapping_and_values import Line, Run, set_text, to_text

_BASES = {"is": "are", "was": "were", "has": "have", "does": "do", "goes": "go"}
_BASES |= {"isn't": "aren't", "wasn't": "weren't", "hasn't": "haven't", "doesn't": "don't"}
_ADVERBS = frozenset(("also", "always", "again", "longer", "never", "no", "now", "once", "then"))
_FIRST_WORD = re.compile(r"[A-Za-z']+")
_WORD_FOLLOWS = re.compile(r" [A-Za-z']")
_SENTENCE_START = re.compile(r"(^|[.!?]) ?$")
_CLAUSE_START = re.compile(
    r"[,;:] ?$|\b(and|as|because|before|but|after|if|so|than|that|until|what|when|while) $", re.IGNORECASE
)
_SENTENCE_END = re.compile(r"[.!?]( |$)")
_OWNER = re.compile(r"['’]s\b")
_THEIR = re.compile(r"\btheir\b")
_YOUR = re.compile(r"\byour\b")
_AND_VERB = re.compile(r"(?<=\b(?:and|but) )[a-z']+")


def _make_third_person(verb: str) -> str:
    """Return the third person singular of a verb in lower case: ``pass`` becomes ``passes``, and ``have`` ``has``."""
    if verb in ("be", "have"):
        return "is" if verb == "be" else "has"
    return f"{verb}es" if verb.endswith("o") else pluralize(verb)


def _make_base_form(verb: str) -> str:
    """Return the base form of a third person singular: ``carries`` becomes ``carry``, ``doesn't`` becomes ``don't``.

    Words that don't end like one are returned unchanged.
    """
    if verb in _BASES:
        return _BASES[verb]
    if not verb.endswith("s") or verb.endswith("ss"):
        return verb
    if verb.endswith("ies") and len(verb) > 4:
        return f"{verb[:-3]}y"
    return verb[:-2] if verb.endswith(("sses", "xes", "zzes", "ches", "shes", "oes")) else verb[:-1]


def strip_brackets(label: str) -> str:
    """Return the part of a label before its first blank and bracket: ``Gold (yours)`` gives ``Gold``.

    A label without these, or that begins with them, comes back unchanged.
    """
    return label.partition(" (")[0] or label


_VERBS = (
    "activates adds assigns attaches attacks backstabs banks bets bids blocks boosts bribes builds burns buys calls"
    " captures checks chooses claims compares continues cuts deals declares defends delivers demands deploys destroys"
    " digs discards draws drops earns ends enters equips exchanges exhausts explores exports feeds fells fights fills"
    " finishes flips folds follows gains gets gives goes guesses harvests has heals hides hires holds hunts increases"
    " invents joins jumps keeps kills lays leads learns leaves loads locks looks loses makes marches mines moves names"
    " offers opens orders passes pays picks places plants plays ploughs produces promotes pulls pushes puts raises"
    " reaps recruits refreshes refuses releases removes repairs replaces rerolls researches resigns resolves rests"
    " retreats returns reveals robs rolls sacrifices sails saves scores scouts searches sells sends sets shields"
    " shoots shows shuffles skips sorts sows spends splits stacks stands starts stays steals steps stops strikes"
    " summons surrenders swaps takes taps tells throws ties trades trains trashes travels turns unlocks upgrades uses"
    " visits votes wagers waits walks wins withdraws works"
)
_THIRD = frozenset((*_VERBS.split(), *_BASES))
IMPERATIVES = frozenset(map(_make_base_form, _VERBS.split()))
"""Verbs that begin the label of an option. Other first words are taken for names of things."""


def write_choice_sentence(actor: Run, label: Line) -> Line:
    """Return a sentence in the third person, without a full stop, from the label of the option that a player took.

    A label that begins with one of :data:`IMPERATIVES`, also in capitals, without a colon after it, gives
    ``Ann pays 1 Coin``, with "their" for "your" outside names of values. If this word begins the name of a value (a run
    with a reference), it counts only if the name goes on with a word in lower case: ``Draw a card``, but not ``Trade``
    or ``Trade Route``. Any other label follows ``Ann chooses``: ``Ann chooses red``. A colon stands between if it has
    several words, not counting those from a bracket on: ``Ann chooses: North gate (2 gold)``. No colon stands if the
    label is a value, or begins with a value before a colon or comma. The first run is ``actor``.
    """
    first = _FIRST_WORD.match(label[0].text) if label else None
    is_name = bool(label and label[0].of) and (first is None or not label[0].text[first.end() :][1:2].islower())
    verb = first[0].lower() if first is not None and not is_name else ""
    if first is None or verb not in IMPERATIVES or to_text(label)[first.end() : first.end() + 1] == ":":
        label = tuple(run for run in label if run.text)
        words = to_text(label if not label or not label[0].of else label[1:]).partition(" (")[0]
        is_value = " " not in words or words.startswith((":", ","))
        return (actor, Run(" chooses " if is_value else " chooses: "), *label)
    object_runs = (set_text(label[0], label[0].text[first.end() :]), *label[1:])
    runs = (run if run.of else set_text(run, _YOUR.sub("their", run.text)) for run in object_runs)
    return (actor, Run(f" {_make_third_person(verb)}"), *(run for run in runs if run.text))


def address_viewer(line: Line, seat: int | None) -> Line:
    """Return a line about players with the viewer, who sits at ``seat`` (from 0), in the second person.

    ``Ann plays Guard and takes their card`` becomes ``You play Guard and take your card``, and ``Ann's`` becomes
    ``Your``. Within a sentence these begin with a small letter. Unless ``'s`` follows, the viewer is the subject at the
    start of a sentence, and after a comma, colon or semicolon, or a word in ``_CLAUSE_START``, such as "and" or "when".
    If a blank and a word follow, the first word that is no adverb is taken for the verb and changes. Adverbs are those
    in ``_ADVERBS``, such as "never", and words that end with "ly". A later "their" changes as well, and verbs of
    ``_THIRD``, such as "takes" and "is", after "and" or "but". This ends at the next player or the end of the sentence.
    ``Bob asks Ann and keeps their card`` becomes ``Bob asks you and keeps their card``. The run of seat 0 is the one
    with the reference ``Player:P1``, whatever its text. It keeps its reference and colour. A line without the viewer
    comes back unchanged, and any line for ``seat`` None, a spectator.
    """
    viewer = f"Player:P{seat + 1}" if seat is not None else ""
    if not viewer or all(run.of != viewer for run in line):
        return line
    runs: list[Run] = []
    text_before, follows = "", ""
    has_viewer_as_subject = False
    for i, run in enumerate(line):
        text = run.text
        if run.of == viewer:
            next_text = line[i + 1].text if i + 1 < len(line) else ""
            is_start = _SENTENCE_START.search(text_before) is not None
            is_owner = _OWNER.match(next_text) is not None
            is_subject = not is_owner and (is_start or _CLAUSE_START.search(text_before) is not None)
            has_viewer_as_subject = is_subject or (has_viewer_as_subject and not is_start)
            word = "Your" if is_owner else "You"
            runs.append(set_text(run, word if is_start else word.lower()))
            follows = "owner" if is_owner else "subject" if is_subject else ""
        elif run.of.startswith("Player:"):
            has_viewer_as_subject, follows = False, ""
            runs.append(run)
        else:
            if follows == "owner":
                text = _OWNER.sub("", text, count=1)
            elif follows == "subject" and _WORD_FOLLOWS.match(text):
                text = _use_base_verb(text)
            follows = ""
            if has_viewer_as_subject and not run.of:
                text = _make_second_person(text)
                has_viewer_as_subject = _SENTENCE_END.search(text) is None
            runs.append(set_text(run, text) if text != run.text else run)
        text_before += run.text
    return tuple(run for run in runs if run.text)


def address_owner(line: Line, seat: int | None) -> Line:
    """Return a text with "your" for the viewer's possessive: ``in Ann's hand`` → ``in your hand``.

    It is "Your" at the start of the text, and after ``.``, ``!`` or ``?`` with at most one space. The viewer is a run
    whose ``of`` is ``Player:P1`` for seat 0, and the next run begins with ``'s`` or ``’s``, which is dropped. All else
    is unchanged, also ``Ann`` without ``'s``, names in plain text, and the ``of`` and style of each run. For ``seat``
    None, a spectator, no words change. Runs without text are dropped in every case.
    """
    viewer = f"Player:P{seat + 1}" if seat is not None else ""
    runs = list(line)
    for i, (run, next_run) in enumerate(pairwise(line)):
        if viewer and run.of == viewer and _OWNER.match(next_run.text):
            is_start = _SENTENCE_START.search(to_text(line[:i])) is not None
            runs[i] = set_text(run, "Your" if is_start else "your")
            runs[i + 1] = set_text(next_run, _OWNER.sub("", next_run.text, count=1))
    return tuple(run for run in runs if run.text)


def _use_base_verb(text: str) -> str:
    """Return the text behind ``You``, with its first verb in the base form."""
    for word in _FIRST_WORD.finditer(text):
        if word[0] not in _ADVERBS and not word[0].endswith("ly"):
            return f"{text[: word.start()]}{_make_base_form(word[0])}{text[word.end() :]}"
    return text


def _make_second_person(text: str) -> str:
    """Replace ``their``, and verbs behind ``and`` and ``but``, up to the end of the sentence."""
    end = _SENTENCE_END.search(text)
    length = len(text) if end is None else end.start()
    sentence = _THEIR.sub("your", text[:length])
    sentence = _AND_VERB.sub(lambda match: _make_base_form(match[0]) if match[0] in _THIRD else match[0], sentence)
    return sentence + text[length:]
