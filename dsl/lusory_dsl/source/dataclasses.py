"""``dataclass`` for records, of which there are so many that making the classes takes time.

The standard decorator writes and compiles several functions for each class, and imports the compiler's own tools to do
so; that was most of what a command did before it could begin. Here a class gets its functions when they are first
called, which most never are. Everything else is as :mod:`dataclasses` has it, whose ``fields``, ``replace`` and
``match`` take these records, too; a field that is given by name alone (``kw_only``) has a default, and is kept only
where it differs. There are no slots, no order, no ``InitVar`` and no ``__init__`` that is switched off.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass, field as field, fields as fields, replace as replace
else:
    MISSING = object()

    class Field:
        """What is known of a field. ``hash``: None where it is as ``compare``."""

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

    field = Field  # of which more is said than its type and what it is where nothing is given

    def dataclass(cls: type | None = None, *, frozen: bool = False, eq: bool = True) -> Any:
        """A record, as ``dataclasses.dataclass`` makes it, whose functions are made when they are first called."""
        if cls is None:
            return lambda cls: _made(cls, frozen, eq)
        return _made(cls, frozen, eq)

    def fields(record: Any) -> tuple[Field, ...]:
        """The fields of a record or of a class of records, in order."""
        return tuple(record.__record__.values())

    def replace(record: Any, /, **changes: Any) -> Any:
        """A record like this one, but for some fields."""
        values = {name: getattr(record, name) for name in record.__record__}
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
        """What the standard library asks of a class that others inherit from."""

        def __init__(self, frozen: bool) -> None:
            self.frozen = frozen

    class _Standard:
        """The fields as the standard library knows them, made when it asks."""

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

    # ------------------------------------------------------------ functions, until they are first called

    def _compiled(cls: type, name: str, lines: list[str], names: dict[str, Any]) -> Any:
        """The function of a class that has such lines; from now on it is called."""
        exec("\n".join(lines), names)
        function = names[name]
        function.__qualname__ = f"{cls.__qualname__}.{name}"
        function.__module__ = cls.__module__
        setattr(cls, name, function)
        return function

    def _init(self: Any, *args: Any, **named: Any) -> None:
        _initialiser(_owner(type(self), "__init__", _init))(self, *args, **named)

    def _owner(cls: type, name: str, function: Any) -> type:
        """The class that has a function that is still to be made."""
        return next(one for one in cls.__mro__ if one.__dict__.get(name) is function)

    def _initialiser(cls: type) -> Any:
        """The ``__init__`` of a class: that of all classes whose fields are of such kinds, with the fields' own names.
        To compile one for each class took a sixteenth of the time in which a new ruleset is made ready."""
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
        """The code of an ``__init__`` for fields of these kinds, called ``f0``, ``f1`` and so on: ``P``, a place;
        ``M``, one that is made where it is not given; ``N``, by name alone, and kept where it differs."""
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
