"""Plain dataclasses as JSON and back. What is read is held against the types, so that nothing else comes through.

Fields hold texts, whole numbers, truth values, None, other dataclasses, and tuples of these. A dataclass becomes an
object of its fields, those left out that are as they are by default; one of several that could stand in a place says
its name under ``is``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from lusory_dsl.text.printable import printable

T = TypeVar("T")
KIND = "is"


class NotData(Exception):
    """Data that is not of the type which was expected; the words say what."""


def to_json(value: Any, kind: Any) -> Any:
    """A value of a type as JSON."""
    return _writer(kind)(value)


def from_json(kind: type[T], data: Any) -> T:
    """A value of a type out of JSON, its texts fit for a screen. Raises NotData for anything else."""
    whole: Any = kind
    found: T = _reader(whole)(data)
    return found


Turn = Callable[[Any], Any]


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _defaults(kind: type) -> dict[str, Any]:
    return {field.name: field.default for field in fields(kind)}


def _records(kind: Any) -> dict[str, type]:
    """The dataclasses that a type can be, by their names."""
    parts = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    return {part.__name__: part for part in parts if is_dataclass(part) and isinstance(part, type)}


@cache
def _writer(kind: Any) -> Turn:
    if get_origin(kind) is tuple:
        return _row_writer(get_args(kind))
    records = _records(kind)
    if not records:
        return lambda value: value
    several = len(records) > 1

    def write(value: Any) -> Any:
        if value is None:
            return None
        made = {KIND: type(value).__name__} if several else {}
        return made | _written_fields(value)

    return write


def _row_writer(items: tuple[Any, ...]) -> Turn:
    def write(value: Any) -> Any:
        kinds = items[:1] * len(value) if items[-1] is ... else items
        return [_writer(kind)(item) for kind, item in zip(kinds, value, strict=True)]

    return write


def _written_fields(value: Any) -> dict[str, Any]:
    kind: Any = type(value)
    hints, defaults = _hints(kind), _defaults(kind)
    given = ((name, getattr(value, name)) for name in hints)
    return {name: _writer(hints[name])(item) for name, item in given if item != defaults[name]}


@cache
def _reader(kind: Any) -> Turn:
    origin = get_origin(kind)
    if origin is tuple:
        return _row_reader(get_args(kind))
    if origin is Literal:
        return _one_of(get_args(kind))
    if kind in (str, int, bool, NoneType):
        return _plain(kind)
    if origin in (Union, UnionType):
        return _any_of(kind)
    if is_dataclass(kind) and isinstance(kind, type):
        return _record(kind)
    raise TypeError(f"{kind} is no plain data")


def _plain(kind: Any) -> Turn:
    def read(data: Any) -> Any:
        if type(data) is not kind:
            raise NotData(f"{kind.__name__} expected")
        return printable(data) if isinstance(data, str) else data

    return read


def _one_of(values: tuple[Any, ...]) -> Turn:
    def read(data: Any) -> Any:
        if not isinstance(data, str | int) or data not in values:
            raise NotData(f"one of {', '.join(map(str, values))} expected")
        return data

    return read


def _row_reader(items: tuple[Any, ...]) -> Turn:
    def read(data: Any) -> Any:
        if not isinstance(data, list) or (items[-1] is not ... and len(data) != len(items)):
            raise NotData("a list expected")
        kinds = items[:1] * len(data) if items[-1] is ... else items
        return tuple([_reader(kind)(item) for kind, item in zip(kinds, data, strict=True)])

    return read


def _any_of(kind: Any) -> Turn:
    records = _records(kind)
    others = [part for part in get_args(kind) if part not in records.values()]

    def read(data: Any) -> Any:
        if isinstance(data, dict) and records:
            name = data.get(KIND) if len(records) > 1 else next(iter(records))
            if not isinstance(name, str) or name not in records:
                raise NotData(f"one of {', '.join(records)} expected")
            return _reader(records[name])({field: value for field, value in data.items() if field != KIND})
        for part in others:
            try:
                return _reader(part)(data)
            except NotData:
                continue
        raise NotData("something else expected")

    return read


def _record(kind: type) -> Turn:
    hints, defaults = _hints(kind), _defaults(kind)

    def read(data: Any) -> Any:
        if not isinstance(data, dict) or not data.keys() <= hints.keys():
            raise NotData(f"{kind.__name__} expected")
        missing = [name for name in hints if name not in data and defaults[name] is MISSING]
        if missing:
            raise NotData(f"{kind.__name__} without {missing[0]}")
        return kind(**{name: _reader(hints[name])(value) for name, value in data.items()})

    return read
