"""Provide a ``dataclass`` decorator that creates the methods of a class lazily.

The standard decorator compiles several functions for each class, and imports modules to do so. With hundreds of
classes, this dominated the start-up time of every command. Here the constructor of a class is compiled on its first
call, and most are never called. The other methods are not compiled.

Classes derived from :class:`Record` are frozen dataclasses without a decorator, and equal only if they are the same.
Instances of classes derived from :class:`ValueRecord` are equal if their fields are.

The interface is that of :mod:`dataclasses`, and the standard ``fields``, ``replace`` and ``match`` accept these
classes. There are these differences:

- A ``kw_only`` field must have a default. An instance stores the field only if its value differs from the default.
- The decorator has no ``frozen``. Derive from one of these base classes instead.
- ``slots``, ``order``, ``InitVar`` and ``init=False`` are not supported.
"""

from __future__ import annotations

from functools import cache
from operator import attrgetter
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
        """Turn a class into a mutable dataclass. Its constructor is compiled on the first call."""
        if cls is None:
            return lambda cls: _build_dataclass(cls, False, eq)
        return _build_dataclass(cls, False, eq)

    class Record:
        def __init_subclass__(cls) -> None:
            _build_dataclass(cls, True, False)

    class ValueRecord:
        def __init_subclass__(cls) -> None:
            _build_dataclass(cls, True, True)

    def fields(record: Any) -> tuple[Field, ...]:
        """Return the fields of a dataclass or of an instance, in order."""
        return tuple(record.__record__.values())

    def replace(record: Any, /, **changes: Any) -> Any:
        """Return a copy of ``record`` in which ``changes`` replace the values of some fields.

        The class of ``record`` must be made with ``dataclass`` of this module, or derive from :class:`Record` or
        :class:`ValueRecord`; a standard dataclass raises AttributeError. A :class:`Record` is equal only to itself, so
        that its copy isn't equal to it, even without changes. Unknown fields raise TypeError.
        """
        attributes = record.__dict__
        values = {name: attributes[name] for name in record.__record__ if name in attributes}
        return type(record)(**values | changes)

    def _build_dataclass(cls: type, is_frozen: bool, has_eq: bool) -> type:
        class_dict = cls.__dict__
        specs: dict[str, Field] = {}
        for base in reversed(cls.__mro__[1:]):
            specs |= base.__dict__.get("__record__", {})
        for name, annotation in class_dict.get("__annotations__", {}).items():
            if not str(annotation).startswith("ClassVar"):
                default = class_dict.get(name, MISSING)
                specs[name] = spec = default if isinstance(default, Field) else Field(default)
                spec.name, spec.type = name, annotation
                if isinstance(default, Field) and spec.default is MISSING:
                    delattr(cls, name)
                elif isinstance(default, Field):
                    setattr(cls, name, spec.default)
        cls.__record__ = specs
        cls.__match_args__ = tuple(name for name, spec in specs.items() if not spec.kw_only)
        cls.__doc__ = cls.__doc__ or cls.__name__
        cls.__dataclass_fields__, cls.__dataclass_params__ = _StandardFields(), _Params(is_frozen)
        _give(cls, "__init__", _init)
        _give(cls, "__repr__", _repr)
        if is_frozen:
            cls.__setattr__ = cls.__delattr__ = _refuse
        if has_eq:
            has_hash = class_dict.get("__hash__") is not None
            _give(cls, "__eq__", _make_equality([name for name, spec in specs.items() if spec.compare]))
            if not has_hash:
                is_hashed = {name: spec.compare if spec.hash is None else spec.hash for name, spec in specs.items()}
                cls.__hash__ = _make_hash(list(filter(is_hashed.get, specs))) if is_frozen else None
        return cls

    def _give(cls: type, name: str, function: Any) -> None:
        if name not in cls.__dict__:
            setattr(cls, name, function)

    class _Params:
        """The ``__dataclass_params__`` that the standard library reads from the base class of a dataclass."""

        def __init__(self, is_frozen: bool) -> None:
            self.frozen = is_frozen

    class _StandardFields:
        """A descriptor that creates the standard library's ``__dataclass_fields__`` on first access."""

        def __get__(self, _: Any, cls: type) -> dict[str, Any]:
            import dataclasses

            standard_fields = {}
            for name, spec in cls.__record__.items():
                default = {} if spec.default is MISSING else {"default": spec.default}
                if spec.default_factory is not MISSING:
                    default = {"default_factory": spec.default_factory}
                copy = dataclasses.field(compare=spec.compare, hash=spec.hash, kw_only=spec.kw_only, **default)
                copy.name, copy.type, copy._field_type = name, spec.type, dataclasses._FIELD
                standard_fields[name] = copy
            cls.__dataclass_fields__ = standard_fields
            return standard_fields

    def _make_equality(names: list[str]) -> Any:
        """Return an ``__eq__`` that compares the fields ``names``."""
        get_values = attrgetter("__class__", *names)

        def __eq__(self: Any, other: Any) -> Any:
            return get_values(self) == get_values(other) if other.__class__ is self.__class__ else NotImplemented

        return __eq__

    def _make_hash(names: list[str]) -> Any:
        """Return a ``__hash__`` of the fields ``names``."""
        get_values = attrgetter(*names) if names else lambda _: ()
        return lambda self: hash(get_values(self))

    # ------------------------------------------------------------ the constructor, which is compiled when first called

    def _init(self: Any, *args: Any, **keywords: Any) -> None:
        owner = next(base for base in type(self).__mro__ if base.__dict__.get("__init__") is _init)
        _make_initialiser(owner)(self, *args, **keywords)

    def _make_initialiser(cls: type) -> Any:
        """Create the ``__init__`` of a class, store it in the class, and return it.

        Classes with fields of the same kinds share one compiled code object. Only the names in it are replaced.
        Compiling one for each class took a sixteenth of the time to prepare a new ruleset.
        """
        specs = sorted(cls.__record__.values(), key=lambda spec: spec.kw_only)
        kinds = "".join("N" if spec.kw_only else "M" if spec.default_factory is not MISSING else "P" for spec in specs)
        pattern, field_names = _compile_pattern(kinds, hasattr(cls, "__post_init__")), [spec.name for spec in specs]
        names = {f"f{number}": name for number, name in enumerate(field_names)}
        code = pattern.replace(
            co_varnames=tuple([names.get(name, name) for name in pattern.co_varnames]),
            co_consts=tuple([names.get(const, const) for const in pattern.co_consts]),
            co_qualname=f"{cls.__qualname__}.__init__",
        )
        defaults_by_name = {
            f"_{number}": spec.default_factory if spec.default is MISSING else spec.default
            for number, spec in enumerate(specs)
        }
        function = type(_make_initialiser)(code, {"_missing": MISSING, **defaults_by_name, "__name__": cls.__module__})
        defaults = [spec.default if spec.default_factory is MISSING else MISSING for spec in specs if not spec.kw_only]
        required_names = [spec.name for spec in specs if spec.default is spec.default_factory is MISSING]
        if required_names != field_names[: len(required_names)]:
            raise TypeError(f"{cls.__qualname__}: a field without a default stands behind one with a default")
        function.__defaults__ = tuple(defaults[len(required_names) :])
        function.__kwdefaults__ = {spec.name: spec.default for spec in specs if spec.kw_only}
        cls.__init__ = function
        return function

    @cache
    def _compile_pattern(kinds: str, has_post_init: bool) -> Any:
        """Return the code object of an ``__init__`` for fields ``f0``, ``f1``, … of the given kinds.

        ``kinds`` has one letter per field: ``P`` for a positional field, ``M`` for a field with a default factory,
        and ``N`` for a ``kw_only`` field. ``has_post_init`` adds a call of ``__post_init__``.
        """
        line_by_kind = {
            "P": "    attributes['f{0}'] = f{0}",
            "M": "    attributes['f{0}'] = _{0}() if f{0} is _missing else f{0}",
            "N": "    if f{0} is not _{0}: attributes['f{0}'] = f{0}",
        }
        lines = [line_by_kind[kind].format(number) for number, kind in enumerate(kinds)]
        params = ["self", *(f"f{number}" for number in range(len(kinds)))]
        if "N" in kinds:
            params.insert(kinds.index("N") + 1, "*")
        end = ["    self.__post_init__()"] if has_post_init else []
        names: dict[str, Any] = {}
        exec("\n".join([f"def __init__({', '.join(params)}):", "    attributes = self.__dict__", *lines, *end]), names)
        return names["__init__"].__code__

    def _repr(self: Any) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__record__)
        return f"{type(self).__qualname__}({values})"

    def _refuse(self: Any, name: str, *_: Any) -> None:
        from dataclasses import FrozenInstanceError

        raise FrozenInstanceError(f"cannot assign to field {name!r}")
