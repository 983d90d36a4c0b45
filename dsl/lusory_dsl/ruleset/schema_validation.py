"""Validate YAML nodes against the JSON Schemas, and report errors with their positions and hints."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, reduce
from itertools import islice, takewhile
from operator import getitem
from typing import TYPE_CHECKING, Any

from jsonschema_rs import Draft202012Validator

from ..source import diagnostic_codes as codes
from ..source.dataclass_with_lazy_methods import Record
from ..source.diagnostics import MAX_FINDINGS, Code, Diagnostic, Diagnostics, Fix, replace_text
from ..source.safe_files_and_bundled_data import load_schema
from ..source.source import Span, join_items, quote_list
from ..source.spelling_suggestions import suggest_name
from ..yaml.reader import YamlMapping, YamlNode, YamlScalar, YamlSequence, to_plain_data

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError


_TYPE_WORDS = {
    "object": "a mapping",
    "array": "a list",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "`true` or `false`",
}


def _get_description(schemas: Iterable[Any]) -> str | None:
    """Return the first ``description`` among schemas, with a small first letter and no full stop.

    Returns None if no schema has one. Example: ``[{}, {"description": "The name of a card."}]`` gives ``the name of a
    card``.
    """
    for schema in schemas:
        if isinstance(schema, dict) and isinstance(schema.get("description"), str):
            sentence: str = schema["description"]
            return sentence[0].lower() + sentence[1:].removesuffix(".")
    return None


def _get_scalar_text(node: YamlNode | None) -> str:
    """Return the text of a scalar, or "" for anything else."""
    return node.text if isinstance(node, YamlScalar) else ""


def _shorten(text: str) -> str:
    """Return the first line of a text.

    If the text has more lines, or the line more than 40 characters, at most 39 of its characters remain, followed by
    ``…``.
    """
    line = text.partition("\n")[0]
    return line if line == text and len(line) <= 40 else f"{line[:39]}…"


def _describe_node(node: YamlNode) -> str:
    """Return a value in words for a message.

    The forms are ``a mapping``, ``a list``, ``no value``, ``empty text``, ``the number 3``, and a text or truth value
    in backticks. Of a text with several lines or more than 40 characters, at most 39 of the first line remain, and
    ``…``.
    """
    if isinstance(node, YamlMapping):
        return "a mapping"
    if isinstance(node, YamlSequence):
        return "a list"
    text = _shorten(_get_scalar_text(node).strip())
    if isinstance(node, YamlScalar) and isinstance(node.value, str):
        return f"`{text}`" if text else "empty text"
    value = to_plain_data(node)
    return "no value" if value is None else f"`{text}`" if isinstance(value, bool) else f"the number {text}"


def _suggest_block(node: YamlNode, key: YamlScalar | None, schema: Mapping[str, Any]) -> str | None:
    """Suggest how to write statements that have the wrong YAML form.

    If ``schema`` needs statements under ``key`` and ``node`` is a list or mapping, the hint is to write ``key: |``. If
    ``schema`` has a property ``do`` and ``node`` is a block scalar, it is to write ``do: |``. Returns None in any other
    case, and in the first one without a ``key``.
    """
    is_block = schema.get("contentMediaType") == "text/x-lusory-block"
    if is_block and key is not None and isinstance(node, YamlSequence | YamlMapping):
        dashes = ", without `- `" if isinstance(node, YamlSequence) else ""
        return f"write `{key.text}: |`, and each statement on a line of its own below{dashes}"
    if isinstance(node, YamlScalar) and node.style in ("|", ">") and "do" in schema.get("properties", {}):
        return "write `do: |` before the statements"
    return None


def _iterate_conversions(node: YamlNode, types: list[str]) -> Iterator[str]:
    """Yield suggestions how to convert a value of the wrong kind to one of ``types``, types of JSON Schema.

    A scalar may become a truth value, an integer without quotes, a list of one item, a mapping, or a text in quotes, in
    this order of likelihood. A mapping may need dashes, and an unquoted ``[`` or ``{`` quotes. Yields nothing if the
    intention is unclear. Example: the text ``yes`` with ``["boolean"]`` gives ``write `true` ``.
    """
    if isinstance(node, YamlScalar):
        text = node.text.strip()
        if "boolean" in types and text.lower() in ("yes", "on", "no", "off", "true", "false"):
            yield f"write `{'true' if text.lower() in ('yes', 'on', 'true') else 'false'}`"
        if "integer" in types and re.fullmatch(r"-?\d+", text):
            yield f"write it without quotes: `{text}`"
        if "array" in types and "string" not in types and "\n" not in text:
            yield f"write `[{_format_list_item(text)}]`"
        if isinstance(node.value, float) and "integer" in types:
            yield "numbers must be whole"
        sign = re.fullmatch(r"([a-z]\w*)[ :] *(\S+)", text)
        if "object" in types and "string" not in types and sign:
            yield f"write `{sign[1]}: {sign[2]}`"
        if "string" in types and not isinstance(node.value, str):
            yield f'if it is meant as text, put it in quotes: `"{text}"`'
    elif "array" in types and "object" not in types and isinstance(node, YamlMapping):
        if node.span.source.text[node.span.start] != "{":
            yield "begin each item with `- `"
    elif "string" in types:
        first_character = node.span.source.text[node.span.start]
        if first_character in "[{":
            yield f"a text that begins with `{first_character}` needs quotes"


def _suggest_mapping(node: YamlNode, schema: Mapping[str, Any]) -> str | None:
    """Suggest the shape of the mapping that ``schema`` needs in place of a list or a scalar.

    The shape is the first of the schema's ``examples``. Without one, it names the required keys or else the first known
    ones, or stands for any ``name``; a scalar then gets no suggestion (None). Example: ``required: [id, do]`` gives
    ``write `{id: …, do: …}` ``.
    """
    if schema.get("type") != "object" or isinstance(node, YamlMapping):
        return None
    if isinstance(node, YamlScalar) and "examples" not in schema:
        return None
    names = schema.get("required") or list(schema.get("properties", {}))[:2] or ["name"]
    shape = schema.get("examples", [dict.fromkeys(names, "…")])[0]
    return f"write `{json.dumps(shape, ensure_ascii=False)}`".replace('"', "")


def _format_list_item(text: str) -> str:
    """Format a text as an item of a bracketed list, in quotes if it contains special characters."""
    if not re.search(r"[\[\]{},#&*!|>'\"%@`]|: |^[-?:]", text):
        return text
    return f'"{text}"' if not re.search(r'["\\]', text) else "'" + text.replace("'", "''") + "'"


def _respell_name(name: str, pattern: str) -> str | None:
    """Return ``name`` in the spelling that the regular expression ``pattern`` requires, or None if no simple one fits.

    Tries snake case, kebab case and camel case in this order: ``Royal Guard`` becomes ``royal_guard``. Signs other than
    ASCII letters and digits are dropped. An empty ``pattern`` gives None.
    """
    words = re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+", name)
    camel_case = "".join(word[:1].upper() + word[1:] for word in words)
    candidates = ("_".join(words).lower(), "-".join(words).lower(), camel_case)
    return next((candidate for candidate in candidates if pattern and re.search(pattern, candidate)), None)


_NAME_TITLES = ("Name", "Type name", "Card id", "Id")
"""Titles of the schema definitions that restrict the spelling of declared names."""


def validate(
    root: YamlNode, schema_name: str, diagnostics: Diagnostics, definition: str | None = None, label: str = ""
) -> None:
    """Add a diagnostic for each violation of ``schema/<schema_name>.schema.json`` in a file, sorted by position.

    Violations that another one explains are left out: ``game: {nam: x}`` only gives “`game.nam`: unknown key”. With
    ``definition``, check a single value, called ``label`` in messages, against ``$defs/<definition>`` of the schema.
    The root without a label is called “this file”. All missing keys of a mapping give one diagnostic: ``game: {}``
    gives “`game`: `id`, `name`, `version`, `language` and `players` are missing”. Violations beyond ``MAX_FINDINGS``
    (500) are only counted. A valid file adds none.
    """
    content = to_plain_data(root)
    if not _has_decimals(content) and _make_quick_validator(schema_name, definition).is_valid(content):
        return
    findings = Diagnostics()
    validator = _make_exact_validator(_load_schema(schema_name, definition))
    report = _Report(root, validator.schema, findings, label)
    for number, error in enumerate(validator.iter_errors(content)):
        if findings.is_full or len(report.missing_keys) > MAX_FINDINGS:
            total = sum(1 for _ in _make_quick_validator(schema_name, definition).iter_errors(content))
            findings.count_omitted(max(total - number, 1))
            break
        report.add(error)
    report.finish()
    diagnostics.extend(findings.list_sorted())


def has_valid_shape(root: YamlNode, schema_name: str) -> bool:
    """Return whether a file fits ``schema/<schema_name>.schema.json``, without a search for what is wrong."""
    return bool(_make_quick_validator(schema_name, None).is_valid(to_plain_data(root)))


_SYNONYMS = {"rounds": "phases", "turns": "phases", "ends": "endings", "end": "endings", "winner": "scoring"}
"""Words that authors write for sections of a ruleset."""


@cache
def list_sections() -> frozenset[str]:
    """Return the names of the sections of a ruleset."""
    return frozenset(load_schema("ruleset")["properties"])


def find_first_faults(root: YamlNode, schema_name: str) -> list[Diagnostic]:
    """List the faults of a file by ``schema/<schema_name>.schema.json``, sorted by position. [] means that it is valid.

    Each fault is a Diagnostic. The search ends after ``MAX_FINDINGS`` (500) violations. All missing keys of a mapping
    are one fault. They are not reported if the mapping has any unknown key for which a spelling is suggested, or a key
    with a blank. The schema must have no references or alternatives, and the file no decimals.

    Example: ``{"format": 1, "plays": 3}`` with the schema ``transcript`` gives one fault, E0201. Its message is
    “`plays`: unknown key”, and its hint “did you mean `players`?”.
    """
    content = to_plain_data(root)
    findings = Diagnostics()
    report = _Report(root, _load_schema(schema_name, None), findings, "")
    for error in islice(_make_quick_validator(schema_name, None).iter_errors(content), MAX_FINDINGS):
        report._add_quick(error.instance_path, error.schema_path, content)
    report.finish()
    return findings.list_sorted()


@cache
def _load_schema(schema_name: str, definition: str | None) -> Any:
    schema = load_schema(schema_name)
    return schema if definition is None else {"$ref": f"#/$defs/{definition}", "$defs": schema["$defs"]}


def _make_exact_validator(schema: Any) -> Any:
    # imported late, because it is slow to import and only faulty files need it
    from jsonschema import Draft202012Validator, validators

    # 1.0 is no integer
    types = Draft202012Validator.TYPE_CHECKER.redefine("integer", lambda _, value: type(value) is int)
    keywords = {"additionalProperties": _check_additional_properties}
    validator_class = validators.extend(Draft202012Validator, keywords, type_checker=types)  # type: ignore[no-untyped-call]
    return validator_class(_convert_patterns(schema))


def _check_additional_properties(validator: Any, rule: Any, content: Any, schema: Any) -> Iterator[ValidationError]:
    """Check ``additionalProperties`` as the library does, but in the order of the file."""
    from jsonschema.exceptions import ValidationError

    if not isinstance(content, dict):
        return
    known_keys, patterns = schema.get("properties", {}), list(schema.get("patternProperties", {}))
    extra_keys = (
        key for key in content if key not in known_keys and not any(re.search(pattern, key) for pattern in patterns)
    )
    if isinstance(rule, dict):
        for key in extra_keys:
            yield from validator.descend(content[key], rule, path=key)
    elif not rule and (first := next(extra_keys, None)) is not None:
        yield ValidationError(f"{first!r} is unexpected")


def _convert_patterns(schema: Any) -> Any:
    """Convert the patterns of a schema to Python's syntax, in which `$` also matches before a final line break."""
    if isinstance(schema, list):
        return [_convert_patterns(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    new_schema = {key: _convert_patterns(value) for key, value in schema.items()}
    if isinstance(new_schema.get("pattern"), str):
        new_schema["pattern"] = _convert_pattern(new_schema["pattern"])
    if "patternProperties" in new_schema:
        new_schema["patternProperties"] = {
            _convert_pattern(key): value for key, value in new_schema["patternProperties"].items()
        }
    return new_schema


def _convert_pattern(pattern: str) -> str:
    """Convert a pattern of ECMA 262 to Python's syntax. It covers the features that the schemas use."""
    return re.sub(r"\\.|\[(?:\\.|[^\]\\])*\]|\$", lambda match: r"\Z" if match[0] == "$" else match[0], pattern)


@cache
def _make_quick_validator(schema_name: str, definition: str | None) -> Draft202012Validator:
    return Draft202012Validator(_load_schema(schema_name, definition))


def _has_decimals(content: Any) -> bool:
    """Return whether any number has decimals. The quick validator would accept 1.0 as an integer."""
    if isinstance(content, dict):
        return any(map(_has_decimals, content.values()))
    return any(map(_has_decimals, content)) if isinstance(content, list) else isinstance(content, float)


class _Fault(Record):
    """An error of the validator: a value that violates a keyword of a schema."""

    keyword: str
    demand: Any  # the value of the keyword in the schema
    schema: dict[str, Any]
    value: Any
    path: tuple[str | int, ...]
    place: _Place
    hint: str | None  # the description of the value in the schema
    message: str
    is_conditional: bool  # the keyword is under `then` or `else`


class _Report:
    """Convert the errors of one file to diagnostics."""

    def __init__(self, root: YamlNode, schema: dict[str, Any], diagnostics: Diagnostics, label: str) -> None:
        self.root, self.schema, self.diagnostics, self.label = root, schema, diagnostics, label
        # path -> missing keys, each with a hint
        self.missing_keys: dict[tuple[str | int, ...], list[tuple[str, str | None]]] = {}
        self.misspelt_keys: set[tuple[str | int, ...]] = set()  # paths of mappings with a misspelt key
        self.misplaced_paths: list[tuple[str | int, ...]] = []  # paths of declarations that belong to another section
        self.vague_values: list[_Fault] = []  # values that fit no alternative, reported if nothing inside is wrong
        self.name_faults: list[_Fault] = []  # misspelt names, reported only if they are no keys that belong elsewhere
        self.faulty_paths: list[tuple[str | int, ...]] = []  # paths of reported faults

    def add(self, error: ValidationError) -> None:
        """Report one error of the validator, or keep it for :meth:`finish`.

        Kept are missing keys, names that break ``propertyNames``, and values that fit none of several alternatives. But
        if ``best_match`` of jsonschema prefers one error inside the alternatives, that one counts instead, as if it
        stood alone. It prefers the deepest, then the first by path: ``a`` before ``b``, and 2 before 10. At the same
        place it prefers alternatives inside the alternative, then an error whose schema allows the value's type. If the
        two best are equally good, it prefers none, as for two missing keys of one alternative.

        At or inside one of ``misplaced_paths``, missing keys and errors that are reported at once are left out.
        """
        if error.context:
            from jsonschema.exceptions import best_match

            error = best_match([error]) or error
        keyword = "propertyNames" if "propertyNames" in error.absolute_schema_path else str(error.validator)
        schema = error.schema if isinstance(error.schema, dict) else {}
        path, schema_path = tuple(error.absolute_path), list(error.absolute_schema_path)
        self._sort_in(keyword, error.validator_value, schema, error.instance, path, schema_path, error.message)

    def _sort_in(
        self,
        keyword: str,
        demand: Any,
        schema: dict[str, Any],
        value: Any,
        path: tuple[str | int, ...],
        schema_path: Sequence[str | int],
        message: str,
    ) -> None:
        place, hint = _Place(self.root, path, self.label), self._find_description(schema_path[:-1])
        is_conditional = "then" in schema_path or "else" in schema_path
        fault = _Fault(keyword, demand, schema, value, path, place, hint, message, is_conditional)
        if fault.keyword in ("anyOf", "oneOf"):
            self.vague_values.append(fault)
        elif fault.keyword == "propertyNames":
            self.name_faults.append(fault)
        else:
            self._report(fault)

    def _report(self, fault: _Fault) -> None:
        if not any(fault.path[: len(path)] == path for path in self.misplaced_paths):
            self.faulty_paths.append(fault.path)
            getattr(self, f"_on_{fault.keyword}", self._on_other)(fault)

    def _add_quick(self, path: Sequence[str | int], schema_path: Sequence[str | int], content: Any) -> None:
        """Report one error of the quick validator, given by its paths in the file and in the schema.

        Missing keys and values that fit no alternative are kept, and reported by :meth:`finish`, all others at once.
        ``path`` leads through ``content``, the whole file as plain data, and ``schema_path`` through the schema to the
        violated keyword. Both must exist.
        """
        schema: Any = reduce(getitem, schema_path[:-1], self.schema)  # type: ignore[arg-type]
        keyword, value = str(schema_path[-1]), reduce(getitem, path, content)
        message = f"this does not fit `{keyword}`"
        self._sort_in(keyword, schema[keyword], schema, value, tuple(path), schema_path, message)

    def finish(self) -> None:
        """Report the faults that had to wait for all others.

        - keys that break the schema's ``propertyNames``, except inside a declaration that belongs to another section
        - values that fit no alternative, unless a reported fault at or inside the value explains that
        - all missing keys of a mapping, in one diagnostic: `` `cards.imp`: `a` and `b` are missing``

        The missing keys of a mapping are not reported if one of its keys resembles a known key, as ``nam`` does
        ``name``, or belongs elsewhere. They aren't either if a key contains a blank, because the mapping is then
        probably meant as a text. Another unknown key, such as ``zzz``, changes nothing.
        """
        for fault in self.name_faults:
            self._report(fault)
        for fault in self.vague_values:
            if not any(path[: len(fault.path)] == fault.path for path in self.faulty_paths):
                self._on_other(fault)
        for path, missing_keys in self.missing_keys.items():
            if path in self.misspelt_keys:
                continue
            place = _Place(self.root, path, self.label)
            if isinstance(place.node, YamlMapping) and any(" " in key.text for key, _ in place.node.entries):
                continue  # a text that isn't meant as a mapping
            names = quote_list(name for name, _ in missing_keys)
            message = f"{place}: {names} {'is' if len(missing_keys) == 1 else 'are'} missing"
            self.diagnostics.add(
                codes.MISSING_KEY, message, place.key_span, missing_keys[0][1] if len(missing_keys) == 1 else None
            )

    def _add(self, code: Code, fault: _Fault, message: str, hint: str | None = None, span: Span | None = None) -> None:
        fixes = _find_fix(fault, hint)
        self.diagnostics.add(
            code, f"{fault.place}: {message}", span or fault.place.span, hint or fault.hint, fixes=fixes
        )

    # ------------------------------------------------------------ one method for each keyword of JSON Schema

    def _on_additionalProperties(self, fault: _Fault) -> None:
        """Report each unknown key of a mapping, unless the mapping belongs to another section.

        A key with a blank is taken for a text that contains ``: ``.
        """
        known_keys, patterns = fault.schema.get("properties", {}), fault.schema.get("patternProperties", {})
        assert isinstance(fault.place.node, YamlMapping)
        if self._belongs_to_other_section(fault):
            return
        for key, _ in fault.place.node.entries:
            if key.text in known_keys or any(re.search(pattern, key.text) for pattern in patterns):
                continue
            if self.diagnostics.is_full:
                self.diagnostics.count_omitted(1)
            elif " " in key.text:
                start = _shorten(" ".join(key.text.split(maxsplit=2)[:2]))
                message = f"the text `{start} …` has a `: ` in it, so that YAML reads its beginning as a key"
                self.diagnostics.add(codes.UNKNOWN_KEY, message, key.span, _QUOTES)
            else:
                self._report_unknown_key(fault, key, known_keys)

    def _report_unknown_key(self, fault: _Fault, key: YamlScalar, known_keys: Iterable[str]) -> None:
        """Report an unknown key. If the key before it has no value, suggest to indent the key.

        The hint names the known keys, and the titles of the patterns that other keys may match.
        """
        assert isinstance(fault.place.node, YamlMapping)
        hint = self._suggest_section(fault, key.text) or suggest_name(key.text, known_keys)
        message = f"`{fault.place.join_name(key.text)}`: unknown key"
        if hint is not None:
            self.misspelt_keys.add(fault.path)
        above = takewhile(lambda other_key: other_key is not key, (name for name, _ in fault.place.node.entries))
        keys_above = [other_key for other_key in above if other_key.text in known_keys]
        subjects: tuple[str, ...] = ()
        if hint is None and keys_above and fault.value[keys_above[-1].text] is None:
            subjects = (f"under {keys_above[-1].span}",)
            hint = f"indent it, if it belongs to `{keys_above[-1].text}`"
        titles = [pattern.get("title", "").lower() for pattern in fault.schema.get("patternProperties", {}).values()]
        names = [*(f"`{name}`" for name in known_keys), *(f"the name of a {title}" for title in titles if title)]
        hint = hint or f"known here: {join_items(names)}"
        self.diagnostics.add(codes.UNKNOWN_KEY, message, key.span, hint, subjects=subjects)

    def _suggest_section(self, fault: _Fault, key: str) -> str | None:
        """Suggest a section for an unknown key at the top of a file.

        ``turns`` stands for ``phases``. ``language`` belongs under ``game``, the first section that knows it.
        """
        if fault.path:
            return None
        schemas = {name: self._resolve(schema)[-1] for name, schema in fault.schema.get("properties", {}).items()}
        if _SYNONYMS.get(key) in schemas:
            return f"did you mean `{_SYNONYMS[key]}`?"
        section = next((name for name, schema in schemas.items() if key in schema.get("properties", {})), None)
        return f"it belongs under `{section}`" if section else None

    def _belongs_to_other_section(self, fault: _Fault) -> bool:
        """Return whether a declaration has the keys of another section's declarations. Report that once."""
        if len(fault.path) != 2 or all(key in fault.value for key in fault.schema.get("required", ["value"])):
            return False
        candidates = []
        for section, schema in self.schema.get("properties", {}).items():
            decl_schema = self._resolve(schema)[-1].get("additionalProperties")
            shape = self._resolve(decl_schema)[-1] if isinstance(decl_schema, dict) else {}
            required_keys, known_keys = shape.get("required", ()), shape.get("properties", {})
            if required_keys and set(required_keys) <= fault.value.keys() <= known_keys.keys():
                candidates.append(section)
        if not candidates:
            return False
        keys = quote_list(fault.value)
        message = f"{fault.place} stands under `{fault.path[0]}`, which has no declarations with {keys}"
        hint = f"put it under {quote_list(candidates, 'or')}"
        self.misspelt_keys.add(fault.path)
        self.misplaced_paths.append(fault.path)
        self.diagnostics.add(codes.UNKNOWN_KEY, message, fault.place.key_span, hint)
        return True

    def _on_required(self, fault: _Fault) -> None:
        for name in fault.demand:
            if name not in fault.value:
                self._add_missing(fault, name, fault.hint if fault.is_conditional else None)

    def _on_dependentRequired(self, fault: _Fault) -> None:
        for name, required_names in fault.demand.items():
            for required_name in required_names:
                if name in fault.value and required_name not in fault.value:
                    schemas = self._resolve(fault.schema.get("properties", {}).get(required_name, {}))
                    description = _get_description(schemas)
                    hint = f"`{name}` goes with `{required_name}`" + (f", {description}" if description else "")
                    self._add_missing(fault, required_name, hint)

    def _add_missing(self, fault: _Fault, name: str, hint: str | None) -> None:
        missing_keys = self.missing_keys.setdefault(fault.path, [])
        if name not in (missing_name for missing_name, _ in missing_keys):
            schemas = self._resolve(fault.schema.get("properties", {}).get(name, {}))
            missing_keys.append((name, hint or _get_description(schemas)))

    def _on_type(self, fault: _Fault) -> None:
        """Report a value of the wrong type. An empty value is reported at its key."""
        types = [fault.demand] if isinstance(fault.demand, str) else fault.demand
        hidden_types = ("null", "number") if "string" in types else ("null",)
        nouns = [_TYPE_WORDS[type] for type in types if type not in hidden_types]
        # with other types, `true` or `false` becomes `true`/`false`
        expected = nouns[0] if len(nouns) == 1 else join_items((noun.replace(" or ", "/") for noun in nouns), "or")
        if fault.value is None:
            subject = f"{fault.place}: this" if fault.path else fault.place
            message = f"{subject} is empty, expected {expected}"
            subjects = (f"under {fault.place.key_span}",)
            span, hint = fault.place.key_span, fault.hint
            self.diagnostics.add(codes.WRONG_KIND, message, span, hint, subjects=subjects, is_consequence=True)
        else:
            message = f"expected {expected}, found {_describe_node(fault.place.node)}"
            hint = _suggest_block(fault.place.node, fault.place.key, fault.schema)
            hint = hint or next(_iterate_conversions(fault.place.node, types), None)
            if hint is None and fault.path:
                shape = _suggest_mapping(fault.place.node, fault.schema)
                hint = f"{shape}: {fault.hint}" if shape and fault.hint else shape
            self._add(codes.WRONG_KIND, fault, message, hint)

    def _on_enum(self, fault: _Fault) -> None:
        expected = quote_list(fault.demand, "or")
        guess = suggest_name(
            _get_scalar_text(fault.place.node), [value for value in fault.demand if isinstance(value, str)]
        )
        message = f"expected {expected}, found {_describe_node(fault.place.node)}"
        self._add(codes.VALUE_NOT_ALLOWED, fault, message, guess)

    def _on_const(self, fault: _Fault) -> None:
        message = f"expected `{fault.demand}`, found {_describe_node(fault.place.node)}"
        self._add(codes.VALUE_NOT_ALLOWED, fault, message)

    def _on_propertyNames(self, fault: _Fault) -> None:
        assert isinstance(fault.place.node, YamlMapping)
        key = fault.place.node.get_key(fault.value)
        self._report_bad_name(fault, key.span if key else fault.place.span)

    def _on_pattern(self, fault: _Fault) -> None:
        """Report a text in the wrong form, or a bad name if the schema says that it is a name."""
        if fault.schema.get("title") in _NAME_TITLES:
            self._report_bad_name(fault, fault.place.span)
        else:
            pair = re.fullmatch(r"([a-z]\w*) +(\d+)", _get_scalar_text(fault.place.node))
            hint = f"write `{pair[1]}: {pair[2]}`" if pair else None
            self._add(
                codes.VALUE_NOT_ALLOWED, fault, f"{_describe_node(fault.place.node)} does not have the right form", hint
            )

    def _report_bad_name(self, fault: _Fault, span: Span) -> None:
        title = fault.schema.get("title", "Name").lower()
        correction = _respell_name(fault.value, fault.schema.get("pattern", ""))
        description = _get_description([fault.schema])
        hint = f"write `{correction}`: {description}" if correction and description else description
        self.diagnostics.add(codes.BAD_NAME, f"`{_shorten(fault.value)}` is not a valid {title}", span, hint)

    def _on_minItems(self, fault: _Fault) -> None:
        entries = "at least one entry" if fault.demand == 1 else f"at least {fault.demand} entries"
        self._add(codes.VALUE_NOT_ALLOWED, fault, f"this needs {entries}")

    _on_minProperties = _on_minItems

    def _on_maxProperties(self, fault: _Fault) -> None:
        keys = "one key" if fault.demand == 1 else f"{fault.demand} keys"
        self._add(codes.KEYS_EXCLUDE, fault, f"only {keys} are allowed here")

    def _on_uniqueItems(self, fault: _Fault) -> None:
        assert isinstance(fault.place.node, YamlSequence)
        first: dict[str, Span] = {}
        for item in fault.place.node.items:
            text = _get_scalar_text(item) or str(to_plain_data(item))
            if text in first:
                message = f"{fault.place}: `{text}` appears twice in this list"
                notes = [(first[text], f"`{text}` first appears here")]
                self.diagnostics.add(codes.DECLARED_TWICE, message, item.span, "keep one of them", notes)
            first.setdefault(text, item.span)

    def _on_not(self, fault: _Fault) -> None:
        self._add(codes.KEYS_EXCLUDE, fault, "this key is not allowed here", span=fault.place.key_span)

    def _on_other(self, fault: _Fault) -> None:
        message = _MESSAGES.get(fault.keyword, "{0.message}").format(fault)
        self._add(codes.VALUE_NOT_ALLOWED, fault, message)

    # ------------------------------------------------------------ words of the schema

    def _find_description(self, schema_path: Sequence[str | int]) -> str | None:
        """Return the description of a value that a path in the schema leads to: the one nearest to the value's key."""
        description: str | None = None
        schemas: list[Any] = self._resolve(self.schema)
        is_name = False  # True: the step is the name of a key
        for step in schema_path:
            parent: Any = next(schema for schema in schemas if isinstance(schema, list) or step in schema)
            schemas = self._resolve(parent[step])
            if step in _MAPS_OF_SCHEMAS and not is_name:
                is_name = True
                continue
            if is_name or step in _NEW_SUBJECTS:
                description = None
            is_name = False
            description = description or _get_description(schemas)
        return description

    def _resolve(self, schema: Any) -> list[Any]:
        """Return a schema, followed by the chain of schemas that it refers to."""
        chain = [schema]
        while isinstance(chain[-1], dict) and isinstance(chain[-1].get("$ref"), str):
            chain.append(reduce(getitem, chain[-1]["$ref"].removeprefix("#/").split("/"), self.schema))
        return chain


_WRITTEN = re.compile(r"(?:write|write it without quotes:|if it is meant as text, put it in quotes:) `([^`…|]+)`")


def _find_fix(fault: _Fault, hint: str | None) -> tuple[Fix, ...]:
    """Return the fix that writes the only allowed value, or what a hint says, in place of a value. Or nothing."""
    node, match = fault.place.node, _WRITTEN.fullmatch(hint or "")
    if fault.keyword in ("const", "enum") and hint is None:
        values = fault.demand if fault.keyword == "enum" else [fault.demand]
        return (replace_text(node.span, str(values[0])),) if len(values) == 1 else ()
    if match is None or not isinstance(node, YamlScalar) or node.style in ("|", ">"):
        return ()
    return (replace_text(node.span, match[1]),)


_MESSAGES = {
    "minimum": "{0.value} is too small; the smallest value is {0.demand}",
    "maximum": "{0.value} is too large; the largest value is {0.demand}",
}
"""Keyword of JSON Schema -> what is wrong with a value that violates it. Other keywords have the library's message."""

_QUOTES = "put the whole text in quotes, or write `|` here and the text in the next line, indented"

_MAPS_OF_SCHEMAS = ("properties", "patternProperties", "dependentSchemas")
_NEW_SUBJECTS = ("additionalProperties", "items", "prefixItems", "then", "else")


class _Place:
    """A value in the file, found by its path of keys and list positions.

    Its string form is the name that authors use.
    """

    def __init__(self, root: YamlNode, path: tuple[str | int, ...], label: str) -> None:
        """Follow a path of keys and numbers (from 0) from ``root``. The value must exist.

        ``label`` stands for the root. The label of the place is extended by each key, and by the ``id`` or number
        (from 1) of each item.
        """
        self.node = root
        self.key: YamlScalar | None = None
        self.label = label
        for step in path:
            if isinstance(self.node, YamlMapping) and isinstance(step, str):
                self.key, self.node = next(entry for entry in self.node.entries if entry[0].text == step)
                self.label = self.join_name(step)
            elif isinstance(self.node, YamlSequence) and isinstance(step, int):
                self.node, self.key = self.node.items[step], None
                name = _get_scalar_text(self.node.get("id")) if isinstance(self.node, YamlMapping) else ""
                self.label = self.join_name(name) if name else f"{self.label}[{step + 1}]"

    def join_name(self, name: str) -> str:
        """Return the label of a place inside this one: ``imp`` in ``cards`` gives ``cards.imp``."""
        return f"{self.label}.{name}" if self.label else name

    def __str__(self) -> str:
        return f"`{self.label}`" if self.label else "this file"

    @property
    def span(self) -> Span:
        """The span of a scalar, or of the key of a list or mapping, which is easier to see."""
        return self.node.span if isinstance(self.node, YamlScalar) else self.key_span

    @property
    def key_span(self) -> Span:
        """The span of the key, or without a key the first line of the value."""
        if self.key is not None:
            return self.key.span
        span = self.node.span
        line_end = span.source.text.find("\n", span.start, span.end)
        return Span(span.source, span.start, span.end if line_end < 0 else line_end)
