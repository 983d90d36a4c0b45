"""Test the rulebook file: complete, well formed, escaped, and written whole."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest
from programs import load_bundled, read_data

from lusory.cli import main
from lusory.explain.declarations_in_english import RulesText
from lusory.explain.rulebook import (
    Rulebook,
    RulebookBuilder,
    build_players_rulebook,
    build_rulebook,
    render_html,
    render_markdown,
)
from lusory.testing.cases.suite_runner import list_covered_clauses
from lusory_dsl.ruleset import model
from lusory_dsl.ruleset.loader_and_merging_of_files_and_packs import load, load_text
from lusory_dsl.source.diagnostics import Diagnostics
from lusory_dsl.source.safe_files_and_bundled_data import find_bundled_packs, find_bundled_rulesets

DATA = read_data(__file__)

VOID = {"meta", "br", "link", "hr", "img"}
every_ruleset = pytest.mark.parametrize("name", sorted(find_bundled_rulesets()))


@cache
def load_ruleset(name: str) -> model.Ruleset:
    ruleset = load(find_bundled_rulesets()[name], Diagnostics())
    assert ruleset is not None
    return ruleset


@cache
def load_cases(name: str) -> dict[str, list[str]]:
    return list_covered_clauses(load_bundled(name))


@cache
def build_book(name: str) -> Rulebook:
    return build_rulebook(load_ruleset(name), load_cases(name))


@cache
def build_players_book(name: str) -> Rulebook:
    return build_players_rulebook(load_ruleset(name))


class Page(HTMLParser):
    """Parse a page. Fail if an element is closed that is not open."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tags: set[str] = set()
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        values = dict(attrs)
        assert not {"src", "onclick"} & values.keys()
        self.ids += [values["id"]] if values.get("id") else []
        self.links += [values["href"]] if values.get("href") else []
        if tag == "ul":
            assert self.open[-1] in ("li", "div", "td")
        if tag == "li":
            assert self.open[-1] in ("ul", "ol")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.words.append(data)


both_editions = pytest.mark.parametrize("edition", [build_book, build_players_book])


@both_editions
@every_ruleset
def test_page_is_well_formed_and_loads_nothing(name: str, edition: Callable[[str], Rulebook]) -> None:
    page = Page(render_html(edition(name)))

    assert page.open == []
    assert "script" not in page.tags
    assert len(set(page.ids)) == len(page.ids)
    assert {link.removeprefix("#") for link in page.links} <= set(page.ids)
    assert all(link.startswith("#") for link in page.links)


def test_narrow_screens_show_table_rows_as_blocks() -> None:
    text = render_html(build_book("empire-city"))
    assert "table, tbody, tr, td { display: block; }" in text.partition("(max-width: 40rem)")[2]
    tables = re.findall("<table>.*?</table>", text, re.DOTALL)
    assert tables
    for table in tables:
        heads = re.findall('<th scope="col">(.*?)</th>', table)
        for row in re.findall("<tr[ >].*?</tr>", table.partition("<tbody>")[2], re.DOTALL):
            assert re.findall('<td data-head="(.*?)">', row) == heads


@both_editions
@every_ruleset
def test_markdown_has_even_tables_and_valid_links(name: str, edition: Callable[[str], Rulebook]) -> None:
    text = render_markdown(edition(name))
    titles = re.findall("^## (.*)", text, re.M)
    headings = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}
    tables = re.findall(r"(?:^\|.*\n)+", text, re.M)

    assert set(re.findall(r"\]\(#(.*)\)", text)) == headings
    for table in tables:
        head, line, *rows = [len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()]
        assert {head, line, *rows} == {head}
        assert table.splitlines()[1].replace(" ", "").strip("|").split("|") == ["---"] * (head - 1)


OPTIONS = DATA["options"]


def test_option_has_one_bullet() -> None:
    ruleset = load_text(OPTIONS, Diagnostics())
    assert ruleset is not None
    book = build_rulebook(ruleset)
    assert "- Drink tea" in render_markdown(book)
    assert "<li>Drink tea" in render_html(book)


@every_ruleset
def test_rulebook_is_complete(name: str) -> None:
    """Every card, option, phase and clause with a case is on the page and in the Markdown text."""
    ruleset, cases = load_ruleset(name), load_cases(name)
    text = render_markdown(build_book(name)).replace("\\", "")
    page = "".join("".join(Page(render_html(build_book(name))).words).split())
    texts = [card.label or card.id.text.capitalize() for card in ruleset.cards]
    texts += [option.name.text.replace("_", " ").capitalize() for option in ruleset.options]
    texts += [*cases, *(case.split(" ")[0] for covering in cases.values() for case in covering), ruleset.game.name]

    assert [word for word in texts if "".join(word.split()) not in page] == []
    assert [word for word in texts if word.replace("&", "&amp;") not in text] == []
    assert set(cases) <= build_book(name).clauses


@every_ruleset
def test_players_edition_starts_with_aim_setup_turn_and_end(name: str) -> None:
    book, page = build_players_book(name), load_ruleset(name).game.start_page
    assert page is not None and book.about == page.aim
    assert [chapter.id for chapter in book.chapters[:3]] == ["setup", "turn", "end"]
    setup, _, end = book.chapters[:3]
    assert setup.entries[0].lines
    assert end.entries[0].title == "The game ends"
    assert end.entries[0].lines[0].text.startswith(page.end[0])


@every_ruleset
def test_players_edition_has_cards_and_options_but_no_code(name: str) -> None:
    ruleset, book = load_ruleset(name), build_players_book(name)
    text = render_markdown(book).replace("\\", "")
    labels = [card.label or card.id.text.capitalize() for card in ruleset.cards]
    labels += [option.name.text.replace("_", " ").capitalize() for option in ruleset.options]

    assert [word for word in labels if word.replace("&", "&amp;") not in text] == []
    assert not {"places", "memory", "effects", "meanings", "clauses"} & {chapter.id for chapter in book.chapters}
    assert not [clause for clause in load_cases(name) if re.search("[0-9]", clause) and f"({clause}" in text]
    assert not re.search(r"at most \d{3,} times", text)


def test_players_edition_draws_the_board() -> None:
    page = render_html(build_players_book("empire-city"))
    assert page.count("<rect ") == 14
    assert page.count("<line ") > 14
    assert ">North Street</text>" in page
    assert "    Hydra         North Street  Chimera\n" in render_markdown(build_players_book("empire-city"))
    assert render_html(build_players_book("tic-tac-toe")).count("<rect ") == 9


def test_clauses_are_sorted_by_letters_and_number() -> None:
    ruleset = load_ruleset("tic-tac-toe")
    builder = RulebookBuilder(ruleset, {"part R9": [], "R10": [], "R1.2": []}, RulesText(ruleset))
    assert builder.list_clauses("R2, R1a, FN-3, T95, R1") == ["FN-3", "R1", "R1a", "R2", "R10", "part R9", "R1.2"]


SHARP = DATA["sharp"]


def test_texts_of_authors_are_escaped() -> None:
    ruleset = load_text(SHARP, Diagnostics())
    assert ruleset is not None
    book = build_rulebook(ruleset, {"SH-2": ["rules:one It <b>"]})
    page, text = render_html(book), render_markdown(book)

    assert book.clauses == {"SH-1", "SH-2", "OP-7"}
    assert "<b>" not in page
    assert "<i>" not in page
    assert "<h1>A &lt;b&gt;|*game*</h1>" in page
    assert '<a href="#clause-SH-1">SH-1</a>' in page
    assert r"# A \<b\>\|\*game\*" in text
    assert r"| \<i\>\|\_one\_ | \`a\|b\` SH-2, T95 |" in text
    assert "| SH-1 | Go" in text
    assert "| SH-2 | <i>".replace("<i>", r"\<i\>") in text


# ---------------------------------------------------------------- the command


def test_rulebook_is_written_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "rules.html"

    assert main(["explain", "kuhn-poker", "--rulebook", str(path), "--rules"]) == 0
    assert "Wrote the rulebook of Kuhn poker to" in capsys.readouterr().out
    first = path.read_text(encoding="utf-8")
    assert first == render_html(build_book("kuhn-poker"))

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    assert main(["explain", "tic-tac-toe", "--rulebook", str(path)]) == 2
    assert "No space left on device" in capsys.readouterr().err
    assert path.read_text(encoding="utf-8") == first
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(("args", "message"), DATA["wrong arguments are refused"])
def test_wrong_arguments_are_refused(
    args: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)

    assert main(["explain", *args]) == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_wrong_cases_leave_a_rulebook_without_cases(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "game.yaml").write_text(SHARP.replace("shuffle deck}", "shuffle dekc}"), encoding="utf-8")

    assert main(["explain", "game.yaml", "--rules", "--rulebook", "rules.md"]) == 0
    assert "without examples from its cases" in capsys.readouterr().out
    assert "| Clause | Spoken of in |\n" in (tmp_path / "rules.md").read_text(encoding="utf-8")


def test_pack_adds_its_cases(tmp_path: Path) -> None:
    path = tmp_path / "rules.md"
    pack, folder = "the-tide", find_bundled_packs()["the-tide"]
    game = re.search(r"for: ([\w-]+)", (folder / "pack.yaml").read_text(encoding="utf-8"))
    assert game is not None

    assert main(["explain", game[1], "--with", pack, "--rules", "--rulebook", str(path)]) == 0
    files = [file.stem for file in (folder / "cases").glob("*.yaml")]
    assert files
    assert all(f"{file}:" in path.read_text(encoding="utf-8").replace("\\", "") for file in files)


def test_players_edition_notes_actions_without_a_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = tmp_path / "rest.yaml"
    page = "start_page: {aim: Rest., turn: Rest.}"
    text = f"""\
game: {{id: rest, name: Rest, version: "1", language: 2, players: 2, {page}}}
variables: {{rest: {{type: Int, per: [Player], start: 0}}}}
actions:
  sit: {{do: increase rest by 1}}
  lie: {{text: You lie down., do: increase rest by 2}}
phases: [{{id: day, do: "each player: take action sit, lie"}}]
scoring: {{rank: [rest]}}
"""
    note = "\nLeft out: 1 action without a `text`; `--rules` adds all rules\n"

    def write_book(text: str, *options: str) -> str:
        game.write_text(text, encoding="utf-8")
        assert main(["explain", str(game), "--rulebook", str(tmp_path / "book.md"), *options]) == 0
        return capsys.readouterr().out

    assert write_book(text).endswith(note)
    assert "Left out" not in write_book(text, "--rules")
    assert "Left out" not in write_book(text.replace(f", {page}", ""))
    assert "Left out" not in write_book(text.replace("sit: {", "sit: {text: You sit., "))


def test_players_edition_uses_the_author_s_words_for_setup_and_end(tmp_path: Path) -> None:
    game = tmp_path / "rest.yaml"
    page = "start_page: {aim: Rest., turn: Rest., preparation: [Lie down., Sleep.], end: After a day.}"
    text = f"""\
game: {{id: rest, name: Rest, version: "1", language: 2, players: 2, {page}}}
endings: {{rested: {{label: Rested, text: Everybody is awake.}}}}
phases: [{{id: day, do: end game because rested}}]
scoring: {{rank: ["1"]}}
"""
    game.write_text(text, encoding="utf-8")
    assert main(["explain", str(game), "--rulebook", str(tmp_path / "book.md")]) == 0
    book = (tmp_path / "book.md").read_text(encoding="utf-8")

    lines = [line for line in book.splitlines() if line.startswith(("#", "- ")) and not line.startswith("- [")]
    assert lines == DATA["players edition uses the author s words for setup and end"]


def test_without_a_start_page_the_doc_of_an_action_replaces_its_rules_for_players() -> None:
    text = """\
game: {id: rest, name: Rest, version: "1", language: 2, players: 2}
variables: {rest: {type: Int, per: [Player], start: 0}}
actions:
  sit: {label: "sit {chair}", doc: You sit (R-1)., choose: chair in 1..3, do: increase rest by chair}
  lie: {text: You lie down., do: increase rest by 2}
  stand: {do: increase rest by 1}
phases: [{id: day, do: "each player: take action sit, lie, stand"}]
"""
    ruleset = load_text(text, Diagnostics())
    assert ruleset is not None

    def list_actions(book: Rulebook) -> dict[str, list[str]]:
        (entries,) = (chapter.entries for chapter in book.chapters if chapter.id == "actions")
        return {entry.title: [line.text for line in entry.lines] for entry in entries}

    players, authors = list_actions(build_players_rulebook(ruleset)), list_actions(build_rulebook(ruleset))
    assert players["Sit"] == ["You sit."]
    assert authors["sit [chair]"][0] == "You sit (R-1)."
    assert len(authors["sit [chair]"]) == 3
    assert players["Lie"] == authors["Lie"] == ["You lie down."]
    assert players["Stand"] == authors["Stand"] != []


def test_several_names_are_explained_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "kuhn-poker", "deck", "hand"]) == 0
    output = capsys.readouterr().out

    assert output.index("Deck") < output.index("Hand")
