"""Test the YAML reader: places, the origin of every character, and clear errors."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given, strategies as st
from programs import read_data

from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.yaml import reader

DATA = read_data(__file__)


def read(text: str) -> reader.YamlNode:
    diagnostics = Diagnostics()
    node = reader.read_text(reader.make_source("test.yaml", text), diagnostics)

    assert node is not None, diagnostics.list_sorted()
    return node


def get_value(text: str, *path: str) -> reader.YamlScalar:
    node = read(text)
    for name in path:
        assert isinstance(node, reader.YamlMapping)
        node = node.get(name) or pytest.fail(f"no {name}")
    assert isinstance(node, reader.YamlScalar)
    return node


def list_faults(text: str) -> list[tuple[str, int, int]]:
    """Return code, line and column of every error in a text."""
    diagnostics = Diagnostics()
    node = reader.read_text(reader.make_source("test.yaml", text), diagnostics)

    assert (node is None) == diagnostics.has_errors
    return [(error.code.id, error.span.line, error.span.column) for error in diagnostics.list_sorted()]


# ---------------------------------------------------------------- values


@pytest.mark.parametrize(("text", "value"), DATA["scalars follow the core schema"])
def test_scalars_follow_the_core_schema(text: str, value: object) -> None:
    """Values that surprise authors in YAML 1.1 (`no`, `1:30`, octal numbers) are read literally."""
    result = get_value(f"key: {text}\n", "key").value

    assert result == value
    assert type(result) is type(value)


def test_number_keeps_its_text() -> None:
    assert get_value("version: 1.10\n", "version").text == "1.10"


def test_keys_are_text() -> None:
    assert reader.to_plain_data(read("1: a\ntrue: b\nno: c\n")) == {"1": "a", "true": "b", "no": "c"}


def test_plain_data_round_trips() -> None:
    node = read("a: [1, {b: c}]\nd:\n- e\n- f: ''\n")

    assert reader.to_plain_data(node) == {"a": [1, {"b": "c"}], "d": ["e", {"f": ""}]}


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n", "---\n"])
def test_empty_file_has_the_value_null(text: str) -> None:
    assert reader.to_plain_data(read(text)) is None


# ---------------------------------------------------------------- places


def test_keys_and_values_have_places() -> None:
    text = "zones:\n  stock: {holds: Coin}\n  # comment\n  hand:\n    - 'a b'\nlast: x\n"
    root = read(text)
    assert isinstance(root, reader.YamlMapping)
    zones = root.get("zones")
    assert isinstance(zones, reader.YamlMapping)
    stock, hand = zones.get("stock"), zones.get("hand")
    assert isinstance(stock, reader.YamlMapping)
    assert isinstance(hand, reader.YamlSequence)

    def get_source(node: reader.YamlNode | None) -> str:
        assert node is not None
        return text[node.span.start : node.span.end]

    assert get_source(zones.get_key("stock")) == "stock"
    assert get_source(stock) == "{holds: Coin}"
    assert get_source(stock.get("holds")) == "Coin"
    assert get_source(hand) == "- 'a b'"
    assert get_source(zones) == "stock: {holds: Coin}\n  # comment\n  hand:\n    - 'a b'"


def test_places_count_characters_after_emoji_and_a_byte_order_mark() -> None:
    node = get_value("\ufeff# 🎲🎲\r\nkey: '😀' # é\r\nnext: here\r\n", "next")

    assert (node.span.line, node.span.column) == (3, 7)


@pytest.mark.parametrize(("text", "value", "origin"), DATA["characters of a scalar have their origin"])
def test_characters_of_a_scalar_have_their_origin(text: str, value: str, origin: str) -> None:
    root = read(text)
    node = root.items[0] if isinstance(root, reader.YamlSequence) else get_value(text, "k")
    assert isinstance(node, reader.YamlScalar)
    embedded = node.embedded_text

    assert embedded.text == value == node.text
    assert "".join(embedded.base.text[i] for i in embedded.offsets[:-1]).replace("\n", "⏎") == origin


line = st.text(st.sampled_from("abc gain{}()+-*>=<.,;é😀#:'\"|&!%@`\\\t "), max_size=12)
lines = st.lists(line, min_size=1, max_size=5).map("\n".join)


def check_origins(text: str) -> None:
    """Check that a scalar has the text of the parser, and that every visible character has the right origin."""
    diagnostics = Diagnostics()
    root = reader.read_text(reader.make_source("test.yaml", text), diagnostics)
    if root is None:
        return
    pending = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, reader.YamlMapping):
            pending += [n for entry in node.entries for n in entry]
        elif isinstance(node, reader.YamlSequence):
            pending += node.items
        elif isinstance(node, reader.YamlScalar):
            embedded = node.embedded_text
            source = embedded.base.text

            assert embedded.text == node.text
            assert len(embedded.offsets) == len(embedded.text) + 1
            assert list(embedded.offsets) == sorted(embedded.offsets)
            for character, offset in zip(embedded.text, embedded.offsets, strict=False):
                if not character.isspace():
                    assert source[offset] == character or (source[offset] == "\\" and node.style == '"')


@given(lines, st.integers(1, 4), st.sampled_from("|>"), st.sampled_from(["", "-", "+"]), st.booleans(), st.booleans())
@example("\t", 1, "|", "", True, False)
def test_origins_in_block_scalars(text: str, depth: int, mark: str, chomp: str, has_depth: bool, is_deep: bool) -> None:
    header = f"{mark}{depth if has_depth else ''}{chomp}"
    body = textwrap.indent(text, " " * (depth + 2 * is_deep), lambda _: True)

    check_origins(f"{'a:' if is_deep else ''}\n{'  ' * is_deep}k: {header}\n{body}\nz: 1\n")
    check_origins(f"- {header}\n{body}")


@given(lines, st.sampled_from(["'", '"', "|", ">", None]), st.sampled_from([10, 40, 80]))
def test_origins_in_dumped_scalars(text: str, style: str | None, width: int) -> None:
    check_origins(yaml.safe_dump({"k": text, "l": [text]}, default_style=style, allow_unicode=True, width=width))
    check_origins(yaml.safe_dump({"k": text}, default_style=style, allow_unicode=False, width=width))


@given(lines, st.sampled_from(["{}", "'{}'", '"{}"', "[{}]"]))
def test_origins_in_plain_and_quoted_scalars(text: str, form: str) -> None:
    check_origins("k: " + form.format(text.replace("\n", "\n  ")) + "\nz: 1\n")


# ---------------------------------------------------------------- faults


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        *DATA["a fault has its code and place"],
        ("a: b\ud800c\n", "E0105", (1, 5)),
        ("a: " + "[" * 900, "E0111", (1, 67)),
    ],
)
def test_error_has_its_code_and_place(text: str, code: str, place: tuple[int, int]) -> None:
    assert list_faults(text) == [(code, *place)]


def test_nesting_beyond_the_limit_of_libyaml_has_the_same_code() -> None:
    assert [code for code, *_ in list_faults("a: " + "[" * 100_000)] == ["E0111"]


def test_all_recoverable_errors_are_found() -> None:
    text = "a: &x 1\nb: *x\nc: !t 1\nc: 2\n"

    assert [code for code, *_ in list_faults(text)] == ["E0106", "E0106", "E0107", "E0101"]


def test_duplicate_key_points_at_the_first() -> None:
    diagnostics = Diagnostics()
    reader.read_text(reader.make_source("test.yaml", "a: 1\na: 2\n"), diagnostics)
    [error] = diagnostics.list_sorted()

    assert [str(span) for span, _ in error.notes] == ["test.yaml:1:1"]


def test_hint_says_how_to_fix_it() -> None:
    diagnostics = Diagnostics()
    reader.read_text(reader.make_source("test.yaml", 'label: "x" of y\n'), diagnostics)

    assert diagnostics.list_sorted()[0].hint == "put all of it in quotes: '\"x\" of y'"


@pytest.mark.parametrize(("escape", "message"), DATA["wrong escape explains the letter"])
def test_wrong_escape_explains_the_letter(escape: str, message: str) -> None:
    diagnostics = Diagnostics()
    reader.read_text(reader.make_source("test.yaml", f'a: "{escape}"\n'), diagnostics)

    assert [error.message for error in diagnostics.list_sorted()] == [message]


@pytest.mark.parametrize(
    ("data", "place"),
    [(b"a: 1\nb: caf\xe9\n", (2, 7)), (b"\xef\xbb\xbfa: \xc3\xa9\xff\n", (1, 5)), ("a: 1\n".encode("utf-16"), (1, 1))],
)
def test_bytes_that_are_not_utf_8(data: bytes, place: tuple[int, int]) -> None:
    diagnostics = Diagnostics()

    assert reader.decode_source("test.yaml", data, diagnostics) is None
    [error] = diagnostics.list_sorted()
    assert (error.code.id, error.span.line, error.span.column) == ("E0104", *place)


def test_missing_file_is_reported(tmp_path: Path) -> None:
    diagnostics = Diagnostics()

    assert reader.read_file(tmp_path / "nowhere.yaml", diagnostics) is None
    assert [error.code.id for error in diagnostics.list_sorted()] == ["E0112"]


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MAX_CHARACTERS", 20)
    assert list_faults("a: " + "x" * 30 + "\n") == [("E0111", 1, 1)]
    monkeypatch.setattr(reader, "MAX_NODES", 5)
    assert list_faults("[1,2,3,4,5,6]\n") == [("E0111", 1, 12)]


@given(st.text(st.sampled_from("ab:-[]{}'\"|>&*!%@#,? \t\n\\01.é~<="), max_size=60))
def test_any_text_gives_a_tree_or_a_diagnostic(text: str) -> None:
    list_faults(text)


def test_indented_first_row_of_a_picture_has_a_hint() -> None:
    """YAML needs the indentation of such a text. A block of effect text gets no such hint."""
    diagnostics = Diagnostics()
    reader.read_text(reader.make_source("a.yaml", "a:\n  b: |\n      x .\n     . . .\n      . x\nc: 1\n"), diagnostics)
    [error] = diagnostics.list_sorted()
    assert error.hint == "if the first line is indented more than others, begin the picture with `|3` instead of `|`"
    diagnostics = Diagnostics()
    reader.read_text(reader.make_source("a.yaml", "a:\n  b: |\n      stop\n     end game\nc: 1\n"), diagnostics)
    assert "picture" not in (diagnostics.list_sorted()[0].hint or "")


@pytest.mark.parametrize("text", ["a: b: c\n", "a: 'x\n", "a: {b: [1}\n", "a:\n  b: 1\n c: 2\n", "a: @\n", "a: *x\n"])
def test_pure_parser_gives_the_same_places(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """PyYAML may lack its C library."""
    fast = list_faults(text)
    monkeypatch.setattr(reader, "_LOADER", yaml.SafeLoader)

    assert list_faults(text) == fast
