"""Test that fast records behave like dataclasses of the standard library."""

from __future__ import annotations

import dataclasses
import pickle
from typing import Any

import pytest

from lusory_dsl import core
from lusory_dsl.ruleset import model
from lusory_dsl.source import dataclass_with_lazy_methods as records
from lusory_dsl.syntax import ast


class Quick(records.Record):
    """Fast record."""

    name: str
    size: int = 3


class QuickInner(Quick):
    inner: tuple[Quick, ...] = ()


@dataclasses.dataclass(frozen=True, eq=False)
class Plain:
    """Dataclass of the standard library."""

    name: str
    size: int = 3


@dataclasses.dataclass(frozen=True, eq=False)
class PlainInner(Plain):
    inner: tuple[Plain, ...] = ()


BOTH = pytest.mark.parametrize("record_class", [QuickInner, PlainInner])


@BOTH
def test_values_are_positional_or_named(record_class: Any) -> None:
    for args, keywords in ((("a", 3, ()), {}), (("a",), {}), ((), {"name": "a", "inner": ()}), (("a",), {"size": 3})):
        record = record_class(*args, **keywords)
        assert (record.name, record.size, record.inner) == ("a", 3, ())
        assert repr(record) == f"{record_class.__name__}(name='a', size=3, inner=())"


@BOTH
@pytest.mark.parametrize(
    ("args", "keywords"), [((), {}), (("a", 1, (), 2), {}), (("a",), {"name": "b"}), (("a",), {"nmae": "b"})]
)
def test_wrong_values_are_refused(record_class: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    with pytest.raises(TypeError):
        record_class(*args, **keywords)


@BOTH
def test_record_is_immutable(record_class: Any) -> None:
    record = record_class("a")
    with pytest.raises(dataclasses.FrozenInstanceError):
        record.name = "b"
    with pytest.raises(dataclasses.FrozenInstanceError):
        del record.name
    assert dataclasses.replace(record, size=4).size == 4
    assert [field.name for field in dataclasses.fields(record)] == ["name", "size", "inner"]


@BOTH
def test_records_compare_by_identity_and_match_by_position(record_class: Any) -> None:
    record = record_class("a")
    assert record != record_class("a")
    assert {record: 1}[record] == 1
    match record:
        case QuickInner(name, size) | PlainInner(name, size):
            assert (name, size) == ("a", 3)
    assert pickle.loads(pickle.dumps(record)).name == "a"


@pytest.mark.parametrize("module", [core, model, ast])
def test_every_record_of_a_module_is_frozen(module: Any) -> None:
    classes = [cls for cls in vars(module).values() if isinstance(cls, type) and dataclasses.is_dataclass(cls)]
    own_classes = [cls for cls in classes if module.__name__ in cls.__module__]
    assert own_classes
    for cls in own_classes:
        with pytest.raises(dataclasses.FrozenInstanceError):
            cls.__new__(cls).name = 1


def test_default_lists_are_not_shared_and_defaults_come_last() -> None:
    @records.dataclass
    class Listed:
        name: str
        items: list[int] = records.field(default_factory=list)
        note: str = records.field(default="", kw_only=True)
        size: int = 0

        def __post_init__(self) -> None:
            self.size += 1

    first, second = Listed("a"), Listed("b", [1], 4, note="n")
    first.items.append(7)
    assert Listed("c").items == []
    assert (first.name, first.items, first.size, first.note) == ("a", [7], 1, "")
    assert (second.name, second.items, second.size, second.note) == ("b", [1], 5, "n")
    assert Listed.__init__.__qualname__.endswith("Listed.__init__")

    @records.dataclass
    class Wrong:
        name: str = ""
        size: int

    with pytest.raises(TypeError, match="behind"):
        Wrong("a", 1)
