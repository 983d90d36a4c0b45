"""The section `view` of a ruleset -> its records."""

from __future__ import annotations

from ..yaml.reader import YamlMapping, YamlNode
from . import model
from .keys import Keys


def view_of(keys: Keys) -> model.ViewDecl:
    """How the table is laid out."""
    status, players, shared, own = (
        tuple(_item(Keys(item)) for item in keys.items(part)) for part in ("status", "players", "shared", "own")
    )
    boards = tuple(_board(Keys(board)) for board in keys.items("boards"))
    panels = tuple(_panel(panel) for panel in keys.items("panels"))
    looks = tuple(
        model.LookDecl(
            model.Word(name.text, name.span),
            look.word_pairs("signs"),
            look.word_pairs("colours"),
            look.embedded_or_none("like"),
            look.embedded_or_none("short"),
            look.embedded_or_none("dim"),
            tuple(
                (mark.text("sign"), mark.text("colour"), mark.embedded_or_none("if"))
                for mark in map(Keys, look.items("marks"))
            ),
        )
        for name, look in ((name, Keys(inner)) for name, inner in keys.entries("show"))
    )
    return model.ViewDecl(status, players, shared, own, boards, panels, looks)


def _item(keys: Keys) -> model.ViewItemDecl:
    return model.ViewItemDecl(
        keys.text("title"),
        keys.embedded_or_none("text"),
        keys.embedded_or_none("if"),
        keys.embedded_or_none("short"),
        keys.embedded_or_none("pool"),
        keys.flag("below"),
        keys.number("from"),
    )


def _board(board: Keys) -> model.BoardViewDecl:
    return model.BoardViewDecl(
        board.text("title"),
        board.embedded_or_none("rows"),
        board.embedded_or_none("columns"),
        board.embedded_or_none("text"),
        board.embedded_or_none("if"),
        "headings" not in board or board.flag("headings"),
        board.word_or_none("board"),
        board.embedded_or_none("cells"),
        board.flag("crop"),
        board.embedded_or_none("short"),
        board.flag("boxed"),
        board.number("from"),
    )


def _panel(node: YamlNode) -> model.BoardViewDecl | model.PanelDecl | model.PilesDecl:
    """What stands under the one key that says which kind of panel it is."""
    assert isinstance(node, YamlMapping)
    ((kind, inner),) = node.entries
    keys = Keys(inner)
    if kind.text == "board":
        return _board(keys)
    title, condition, since = keys.text("title"), keys.embedded_or_none("if"), keys.number("from")
    if kind.text == "piles":
        piles = (
            (pile.text("title"), pile.embedded("cards"), pile.embedded_or_none("if"))
            for pile in map(Keys, keys.items("of"))
        )
        return model.PilesDecl(title, condition, since, tuple(piles))
    leads = (
        (lead.embedded("to"), lead.embedded("sign"), lead.embedded_or_none("if"))
        for lead in map(Keys, keys.items("leads"))
    )
    return model.PanelDecl(
        kind.text,
        title,
        condition,
        since,
        keys.embedded_or_none("of"),
        keys.word_or_none("board"),
        "per" in keys,
        keys.embedded_or_none("text"),
        keys.embedded_or_none("short"),
        keys.embedded_or_none("under"),
        keys.embedded_or_none("faces"),
        keys.embedded_or_none("at"),
        keys.embedded_or_none("note"),
        keys.embedded_or_none("dim"),
        keys.flag("boxed"),
        tuple(leads),
    )
