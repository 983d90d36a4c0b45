"""Mutate inputs with knowledge of the language.

The changes insert keywords, signs, lines of valid rulesets, numbers near the limits, and special characters.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from random import Random

from lusory_dsl.source.safe_files_and_bundled_data import find_data_folder
from lusory_dsl.syntax.keywords_operators_and_mistaken_words import KEYWORDS, NOTATIONS, SOFT_KEYWORDS
from lusory_dsl.types.builtin_functions_members_and_statements import FUNCTIONS, MEMBERS

ROOT = Path(__file__).resolve().parents[2]
CORPUS = Path(__file__).parent / "corpus"

NUMBERS = ("0", "-1", "1", "2", "99999", "100001", "9" * 18, "9223372036854775808", "9" * 45, "1.0", "1e999")
SIGNS = (*"()[]{}:;,.+-*=<>#\"'|&!%@`\\?/~^$", "..", "!=", "<=", ">=", "{{", "}}", ": ", "- ", "\n", "  ", "---\n")
SPECIAL_CHARACTERS = "\x00\x07\t\r\x1b\x7f\x85\xa0\u0663\u00e9\u0130\u200b\u2028\u202e\ufeff\U0001f3b2\U000e0041"
TOKEN = re.compile(r"\w+|\s+|[^\w\s]")


@cache
def list_words() -> tuple[str, ...]:
    """Return the keywords of the language, the keys of its schemas, and the shapes of statements."""
    schemas = "".join(
        file.read_text(encoding="utf-8") for file in sorted(find_data_folder("schema").glob("*.schema.json"))
    )
    keys = set(re.findall(r'"(\w[\w -]*)": \{', schemas))
    return tuple(sorted({*KEYWORDS, *SOFT_KEYWORDS, *FUNCTIONS, *MEMBERS, *NOTATIONS.values(), *keys}))


@cache
def list_lines() -> tuple[str, ...]:
    """Return the lines of all bundled rulesets and of the conformance rulesets."""
    files = [
        *sorted(find_data_folder("rulesets").rglob("*.yaml")),
        *sorted((ROOT / "tests" / "conformance").glob("*.yaml")),
    ]
    lines = {line for file in files for line in file.read_text(encoding="utf-8").splitlines()}
    return tuple(sorted(line for line in lines if len(line) < 200))


@cache
def list_seeds(target: str) -> tuple[bytes, ...]:
    """Return the initial inputs of a target: its corpus, and small files of that kind from the repository."""
    inputs = [file.read_bytes() for file in sorted((CORPUS / target).iterdir())]
    tests = ROOT / "tests"
    if target in ("yaml", "rulesets", "formats"):
        for file in [*sorted((tests / "conformance").glob("*.yaml")), *sorted((tests / "errors").glob("*.yaml"))]:
            chunks = file.read_text(encoding="utf-8").split("---\n")
            inputs += [chunk.partition("\ncases:\n")[0].encode() + b"\n" for chunk in chunks]
        inputs += [
            file.read_bytes() for file in sorted((find_data_folder("rulesets") / "classics").rglob("ruleset.yaml"))
        ]
    if target == "effects":
        for text in list_lines():
            codes = re.findall(r'(?:value|do|when|rule|always|while): "?([^"#]{8,})', text)
            inputs += [code.encode() for code in codes]
    if target in ("cases", "formats"):
        inputs += [file.read_bytes() for file in sorted(find_data_folder("rulesets").rglob("cases/*.yaml"))[:20]]
    return tuple(seed for seed in dict.fromkeys(inputs) if len(seed) <= 2500)


def mutate(target: str, seed: bytes, random: Random, max_length: int) -> bytes:
    """Return a mutated copy of ``seed`` with at most ``max_length`` bytes."""
    text = seed.decode("utf-8", "surrogateescape")
    for _ in range(random.choice((1, 1, 1, 2, 2, 3, 5, 8))):
        text = random.choice(_MUTATIONS)(text, target, random)
        if len(text) > 2 * max_length:
            text = text[: 2 * max_length]
    return _encode(text)[:max_length]


def _encode(text: str) -> bytes:
    """Encode a text.

    Surrogate escapes turn into the bytes that they represent. If the text has other surrogates, question marks replace
    all surrogates.
    """
    return text.encode("utf-8", "surrogateescape" if not re.search("[\ud800-\udc7f\udd00-\udfff]", text) else "replace")


# ---------------------------------------------------------------- one change each


def _choose_range(text: str, random: Random) -> tuple[int, int]:
    start = random.randint(0, len(text))
    return start, min(len(text), start + random.choice((1, 1, 2, 4, 10, 40, 200)))


def _delete(text: str, target: str, random: Random) -> str:
    start, end = _choose_range(text, random)
    return text[:start] + text[end:]


def _repeat(text: str, target: str, random: Random) -> str:
    start, end = _choose_range(text, random)
    return text[:end] + text[start:end] * random.choice((1, 1, 2, 5, 120)) + text[end:]


def _insert(text: str, target: str, random: Random) -> str:
    position = random.randint(0, len(text))
    kinds: tuple[Sequence[str], ...] = (list_words(), SIGNS, NUMBERS, SPECIAL_CHARACTERS)
    return f"{text[:position]}{random.choice(random.choice(kinds))}{text[position:]}"


def _replace_token(text: str, target: str, random: Random) -> str:
    tokens = list(TOKEN.finditer(text))
    if not tokens:
        return text
    token = random.choice(tokens)
    kinds: tuple[Sequence[str], ...] = (list_words(), SIGNS, NUMBERS, [random.choice(tokens)[0]])
    return f"{text[: token.start()]}{random.choice(random.choice(kinds))}{text[token.end() :]}"


def _rename(text: str, target: str, random: Random) -> str:
    """Rename one name everywhere."""
    names = sorted(set(re.findall(r"\b[A-Za-z_]\w*\b", text)))
    if not names:
        return text
    old, new = random.choice(names), random.choice((*names, *SPECIAL_CHARACTERS, "é", "a b", '"', "x" * 300))
    return re.sub(rf"\b{re.escape(old)}\b", lambda _: new, text)


def _wrap(text: str, target: str, random: Random) -> str:
    """Wrap a token in brackets, quotes or signs, possibly many times."""
    tokens = list(TOKEN.finditer(text))
    if not tokens:
        return text
    token, depth = random.choice(tokens), random.choice((1, 1, 2, 30, 105, 400))
    before, after = random.choice(
        (("(", ")"), ("[", "]"), ("{", "}"), ('"{', '}"'), ("not ", ""), ("-", ""), ("f(", ")"))
    )
    return f"{text[: token.start()]}{before * depth}{token[0]}{after * depth}{text[token.end() :]}"


def _swap_lines(text: str, target: str, random: Random) -> str:
    rows = text.split("\n")
    first, second = random.randrange(len(rows)), random.randrange(len(rows))
    rows[first], rows[second] = rows[second], rows[first]
    return "\n".join(rows)


def _insert_line(text: str, target: str, random: Random) -> str:
    """Insert a line of some ruleset, with about the indentation of its neighbour."""
    rows = text.split("\n")
    position = random.randrange(len(rows))
    indent = len(rows[position]) - len(rows[position].lstrip(" "))
    rows.insert(position, " " * (indent + random.choice((0, 0, 2, -2))) + random.choice(list_lines()).strip())
    return "\n".join(rows)


def _indent(text: str, target: str, random: Random) -> str:
    rows = text.split("\n")
    start = random.randrange(len(rows))
    by = random.choice((1, 2, -1, -2))
    for n in range(start, min(len(rows), start + random.choice((1, 2, 5)))):
        rows[n] = " " * by + rows[n] if by > 0 else rows[n].removeprefix(" " * -by)
    return "\n".join(rows)


def _splice(text: str, target: str, random: Random) -> str:
    """Join the beginning of this input and the end of another, in half of the cases at line breaks."""
    other_text = random.choice(list_seeds(target)).decode("utf-8", "replace")
    if random.random() < 0.5 and "\n" in text and "\n" in other_text:
        start, end = text.split("\n"), other_text.split("\n")
        return "\n".join(start[: random.randrange(len(start))] + end[random.randrange(len(end)) :])
    return text[: random.randint(0, len(text))] + other_text[random.randint(0, len(other_text)) :]


def _replace_byte(text: str, target: str, random: Random) -> str:
    at = random.randint(0, max(len(text) - 1, 0))
    character = random.choice(("\udcff", "\udc80", chr(random.randrange(128)), random.choice(SPECIAL_CHARACTERS)))
    return text[:at] + character + text[at + 1 :]


def _quote(text: str, target: str, random: Random) -> str:
    """Replace a part by its JSON string, which is also a quoted YAML scalar."""
    start, end = _choose_range(text, random)
    return text[:start] + json.dumps(text[start:end]) + text[end:]


_MUTATIONS: tuple[Callable[[str, str, Random], str], ...] = (
    _delete,
    _delete,
    _repeat,
    _insert,
    _insert,
    _replace_token,
    _replace_token,
    _replace_token,
    _rename,
    _wrap,
    _swap_lines,
    _insert_line,
    _insert_line,
    _indent,
    _splice,
    _splice,
    _replace_byte,
    _quote,
)
