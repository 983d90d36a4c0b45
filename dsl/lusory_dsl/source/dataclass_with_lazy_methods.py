"""Provide a ``dataclass`` decorator that creates the methods of a class lazily.

The standard decorator compiles several functions for each class, and imports modules to do so. With hundreds of
classes, this dominated the start-up time of every command. Here each method is compiled on its first call, and most
are never called.

Classes derived from :class:`Record` are frozen dataclasses without a decorator, and equal only if they are the same.
Those derived from :class:`ValueRecord` are equal if their fields are.

The interface is that of :mod:`dataclasses`, and the standard ``fields``, ``replace`` and ``match`` accept these
classes. There are these differences:

- A ``kw_only`` field must have a default. An instance stores the field only if its value differs from the default.
- The decorator has no ``frozen``. Derive from one of these base classes instead.
- ``slots``, ``order``, ``InitVar`` and ``init=False`` are not supported.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, dataclass_transform

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass, field as field, fields as fields, replace as replace

    @dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
    class Record:
        """The base class of frozen dataclasses that are equal only if they are the same."""

    @dataclass_transform(frozen_default=True, field_specifiers=(field,))
    class ValueRecord:
        """The base class of frozen dataclasses that are equal if their fields are."""
else:
    MISSING = object()

    class Field:
        """The settings of one field. If ``hash`` is None, ``compare`` decides whether the field is part of the hash."""

        def __init__(
            self,
            default: Any = MISSING,
            default_factory: Any = MISSING,
            compare: bool = True,
            hash: bool | None = None,
            kw_only: bool = False,
        ) -> None:
            self.default, self.default_factory = default, default_factory
            self.compare, self.hash, self.kw_only = compare, hash, kw_only
            self.name, self.type = "", None

    field = Field

    def dataclass(cls: type | None = None, *, eq: bool = True) -> Any:
        """Turn a class into a mutable dataclass. Each method is compiled on its first call."""
        if cls is None:
            return lambda cls: _made(cls, False, eq)
        return _made(cls, False, eq)

    class Record:
        def __init_subclass__(cls) -> None:
            _made(cls, True, False)

    class ValueRecord:
        def __init_subclass__(cls) -> None:
            _made(cls, True, True)

    def fields(record: Any) -> tuple[Field, ...]:
        """Return the fields of a dataclass or of an instance, in order."""
        return tuple(record.__record__.values())

    def replace(record: Any, /, **changes: Any) -> Any:
        """Return a copy of ``record`` in which ``changes`` replace the values of some fields.

        Without changes, the copy of a :class:`Record` is still not equal to it. Unknown fields raise TypeError.
        """
        stored = record.__dict__
        values = {name: stored[name] for name in record.__record__ if name in stored}
        return type(record)(**values | changes)

    def _made(cls: type, frozen: bool, eq: bool) -> type:
        own = cls.__dict__
        known = dict(getattr(cls, "__record__", {}))
        for name, of in own.get("__annotations__", {}).items():
            if not str(of).startswith("ClassVar"):
                said = own.get(name, MISSING)
                known[name] = one = said if isinstance(said, Field) else Field(said)
                one.name, one.type = name, of
                if isinstance(said, Field) and one.default is MISSING:
                    delattr(cls, name)
                elif isinstance(said, Field):
                    setattr(cls, name, one.default)
        cls.__record__ = known
        cls.__match_args__ = tuple(name for name, one in known.items() if not one.kw_only)
        cls.__doc__ = cls.__doc__ or cls.__name__
        cls.__dataclass_fields__, cls.__dataclass_params__ = _Standard(), _Params(frozen)
        _give(cls, "__init__", _init)
        _give(cls, "__repr__", _repr)
        if frozen:
            cls.__setattr__ = cls.__delattr__ = _refuse
        if eq:
            has_hash = own.get("__hash__") is not None
            _give(cls, "__eq__", _eq)
            if not has_hash:
                cls.__hash__ = _hash if frozen else None
        return cls

    def _give(cls: type, name: str, function: Any) -> None:
        if name not in cls.__dict__:
            setattr(cls, name, function)

    class _Params:
        """The ``__dataclass_params__`` that the standard library reads from the base class of a dataclass."""

        def __init__(self, frozen: bool) -> None:
            self.frozen = frozen

    class _Standard:
        """A descriptor that creates the standard library's ``__dataclass_fields__`` on first access."""

        def __get__(self, _: Any, cls: type) -> dict[str, Any]:
            import dataclasses

            found = {}
            for name, one in cls.__record__.items():
                given = {} if one.default is MISSING else {"default": one.default}
                if one.default_factory is not MISSING:
                    given = {"default_factory": one.default_factory}
                found[name] = made = dataclasses.field(compare=one.compare, hash=one.hash, kw_only=one.kw_only, **given)
                made.name, made.type, made._field_type = name, one.type, dataclasses._FIELD
            cls.__dataclass_fields__ = found
            return found

    # ------------------------------------------------------------ methods that replace themselves when first called

    def _compiled(cls: type, name: str, lines: list[str], names: dict[str, Any]) -> Any:
        """Compile the method ``name`` from source lines, store it in ``cls``, and return it."""
        exec("\n".join(lines), names)
        function = names[name]
        function.__qualname__ = f"{cls.__qualname__}.{name}"
        function.__module__ = cls.__module__
        setattr(cls, name, function)
        return function

    def _init(self: Any, *args: Any, **named: Any) -> None:
        _initialiser(_owner(type(self), "__init__", _init))(self, *args, **named)

    def _owner(cls: type, name: str, function: Any) -> type:
        """Return the class in the method resolution order that still has the uncompiled ``function``."""
        return next(one for one in cls.__mro__ if one.__dict__.get(name) is function)

    def _initialiser(cls: type) -> Any:
        """Create the ``__init__`` of a class, store it in the class, and return it.

        Classes with fields of the same kinds share one compiled code object. Only the names in it are replaced.
        Compiling one for each class took a sixteenth of the time to prepare a new ruleset.
        """
        known = sorted(cls.__record__.values(), key=lambda one: one.kw_only)
        kinds = "".join("N" if f.kw_only else "M" if f.default_factory is not MISSING else "P" for f in known)
        pattern, own = _pattern(kinds, hasattr(cls, "__post_init__")), [one.name for one in known]
        names = {f"f{number}": name for number, name in enumerate(own)}
        code = pattern.replace(
            co_varnames=tuple([names.get(name, name) for name in pattern.co_varnames]),
            co_consts=tuple([names.get(const, const) for const in pattern.co_consts]),
            co_qualname=f"{cls.__qualname__}.__init__",
        )
        given = {
            f"_{number}": one.default_factory if one.default is MISSING else one.default
            for number, one in enumerate(known)
        }
        function = type(_initialiser)(code, {"_missing": MISSING, **given, "__name__": cls.__module__})
        first = [MISSING if one.default_factory is not MISSING else one.default for one in known if not one.kw_only]
        bare = [one.name for one in known if one.default is one.default_factory is MISSING]
        if bare != own[: len(bare)]:
            raise TypeError(f"{cls.__qualname__}: a field without a default stands behind one with a default")
        function.__defaults__ = tuple(first[len(bare) :])
        function.__kwdefaults__ = {one.name: one.default for one in known if one.kw_only}
        cls.__init__ = function
        return function

    @cache
    def _pattern(kinds: str, has_more: bool) -> Any:
        """Return the code object of an ``__init__`` for fields ``f0``, ``f1``, … of the given kinds.

        ``kinds`` has one letter per field: ``P`` for a positional field, ``M`` for a field with a default factory,
        and ``N`` for a ``kw_only`` field. ``has_more`` adds a call of ``__post_init__``.
        """
        said = {
            "P": "    kept['f{0}'] = f{0}",
            "M": "    kept['f{0}'] = _{0}() if f{0} is _missing else f{0}",
            "N": "    if f{0} is not _{0}: kept['f{0}'] = f{0}",
        }
        lines = [said[kind].format(number) for number, kind in enumerate(kinds)]
        taken = ["self", *(f"f{number}" for number in range(len(kinds)))]
        if "N" in kinds:
            taken.insert(kinds.index("N") + 1, "*")
        end = ["    self.__post_init__()"] if has_more else []
        names: dict[str, Any] = {}
        exec("\n".join([f"def __init__({', '.join(taken)}):", "    kept = self.__dict__", *lines, *end]), names)
        return names["__init__"].__code__

    def _compared(cls: type, by_hash: bool) -> list[str]:
        return [
            name
            for name, one in cls.__record__.items()
            if (one.compare if one.hash is None or not by_hash else one.hash)
        ]

    def _listed(of: str, names: list[str]) -> str:
        return "(" + "".join(f"{of}.{name}, " for name in names) + ")"

    def _eq(self: Any, other: Any) -> Any:
        cls = _owner(type(self), "__eq__", _eq)
        names = _compared(cls, False)
        lines = [
            "def __eq__(self, other):",
            "    if other.__class__ is self.__class__:",
            f"        return {_listed('self', names)} == {_listed('other', names)}",
            "    return NotImplemented",
        ]
        return _compiled(cls, "__eq__", lines, {})(self, other)

    def _hash(self: Any) -> int:
        cls = _owner(type(self), "__hash__", _hash)
        lines = ["def __hash__(self):", f"    return hash({_listed('self', _compared(cls, True))})"]
        return _compiled(cls, "__hash__", lines, {})(self)

    def _repr(self: Any) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__record__)
        return f"{type(self).__qualname__}({values})"

    def _refuse(self: Any, name: str, *_: Any) -> None:
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot assign to field {name!r}")
