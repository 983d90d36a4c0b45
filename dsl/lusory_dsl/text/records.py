"""``dataclass`` for the records of the languages, of which there are so many that making the classes takes time.

The standard decorator writes and compiles four functions for each frozen class; that was most of what a command did
before it could begin. These classes share theirs. Everything else is as :mod:`dataclasses` has it, ``fields``,
``replace`` and ``match`` too; a field that is given by name alone (``kw_only``) has a default, and is kept only where
it differs. Only for frozen classes that are compared by identity; they inherit from such only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    import dataclasses
    import functools

    def dataclass(*, frozen: bool = False, eq: bool = True):
        """``@dataclass(frozen=True, eq=False)`` made quickly; any other is left to the standard library."""
        if eq or not frozen:
            return dataclasses.dataclass(frozen=frozen, eq=eq)

        def made(cls: type) -> type:
            cls.__doc__ = cls.__doc__ or cls.__name__  # or one is computed from the signature
            if cls.__init__ is object.__init__:
                cls.__init__, cls.__repr__, cls.__setattr__, cls.__delattr__ = _init, _repr, _refuse, _refuse
            return dataclasses.dataclass(init=False, repr=False, eq=False)(cls)

        return made

    def _init(self: Any, *args: Any, **named: Any) -> None:
        names = self.__match_args__
        if named or len(args) != len(names):
            self.__dict__.update(_by_name(type(self), named))
            args = _completed(type(self), args, named)
        self.__dict__.update(zip(names, args, strict=True))

    def _by_name(cls: type, named: dict[str, Any]) -> dict[str, Any]:
        """Takes the fields out that are given by name alone, and gives those that are not as they always are."""
        usual = _usual(cls)
        return {name: value for name in usual if (value := named.pop(name, usual[name])) is not usual[name]}

    @functools.cache
    def _usual(cls: type) -> dict[str, Any]:
        """The fields that are given by name alone, as they always are."""
        return {field.name: field.default for field in dataclasses.fields(cls) if field.kw_only}

    def _completed(cls: type, args: tuple[Any, ...], named: dict[str, Any]) -> list[Any]:
        """A value for each field, in order."""
        values = dict(zip(cls.__match_args__, args, strict=False))
        wrong = [*named.keys() & values.keys(), *named.keys() - set(cls.__match_args__)]
        if wrong or len(args) > len(values):
            raise TypeError(f"{cls.__name__} takes {', '.join(cls.__match_args__)}, each once")
        values |= named
        for field in dataclasses.fields(cls):
            if field.name not in values and not field.kw_only:
                if field.default is dataclasses.MISSING:
                    raise TypeError(f"{cls.__name__} lacks {field.name}")
                values[field.name] = field.default
        return [values[name] for name in cls.__match_args__]

    def _repr(self: Any) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__match_args__)
        return f"{type(self).__qualname__}({values})"

    def _refuse(self: Any, name: str, *_: Any) -> None:
        raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
