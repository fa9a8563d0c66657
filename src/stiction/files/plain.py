"""Descriptions as plain data (tables, lists, numbers and texts, as TOML and JSON have them) and back.

The fields of a class are the keys of its table; msgspec checks their types against the class, so nothing is described
twice. Formulas are texts. A Python function has no text: it is refused by name, or replaced by its readable trace.
"""

import collections.abc
import dataclasses
import functools
import inspect
import operator
import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Union

from stiction.constraint import CONSTRAINTS, Constraint
from stiction.contact import Contacts, Surface
from stiction.control import (
    CONTROLLERS,
    PROFILES,
    REFERENCES,
    SEGMENTS,
    SENSORS,
    CurrentLoop,
    PositionLoop,
    Profile,
    Reference,
    Segment,
    Sensor,
    VelocityLoop,
)
from stiction.drive import MOTORS, Drive, Gear, Motor
from stiction.errors import StictionError, unknown
from stiction.extras import needed
from stiction.friction import LAWS, Law
from stiction.network.wires import Term, Wire
from stiction.parts import PARTS, Clock, Digital, Part, Table
from stiction.registry import Registry
from stiction.robot.joint import Joint, Limits, Mimic
from stiction.robot.link import Frame, Link
from stiction.robot.origin import Origin
from stiction.robot.robot import Robot
from stiction.robot.shape import SHAPES, Shape
from stiction.scene import Formula, SceneError
from stiction.trace.readable import readable

PLAIN = (
    Drive,
    Gear,
    Clock,
    Origin,
    Limits,
    Mimic,
    Link,
    Joint,
    Frame,
    Robot,
    Table,
    Term,
    Wire,
    Surface,
    Contacts,
    PositionLoop,
    VelocityLoop,
    CurrentLoop,
)  # classes that stand for themselves
TAGS: dict[Any, Registry] = {  # classes that tables name
    Law: LAWS,
    Part: PARTS,
    Motor: MOTORS,
    Digital: CONTROLLERS,
    Sensor: SENSORS,
    Reference: REFERENCES,
    Profile: PROFILES,
    Segment: SEGMENTS,
    Shape: SHAPES,
    Constraint: CONSTRAINTS,
}


VARIABLES = {  # of formulas, by the field that they are for; in others it is the time
    "function": "w",
    "surface": "x y z",
    **dict.fromkeys(("equations", "coefficients"), " ".join(f"q{k + 1}" for k in range(100))),
}
MAKING: list[Any] = []  # classes whose types are being made: none holds another of itself


def refused(where: str, error: Exception | str) -> SceneError:
    """An error with its place in the file."""
    return SceneError(f"{where}: {error}")


# From plain data.


def read(kind: Any, data: Any, where: str) -> Any:
    """An object from its table; errors name the place."""
    kind, table = _kind(kind, data, where)
    hints = _hints(kind)
    for key in table:
        if key not in hints:
            raise refused(where, unknown("key", key, kind.__name__, hints, "takes"))
    for f in dataclasses.fields(kind):
        if f.name not in table and f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING:
            raise refused(where, f"{kind.__name__} needs '{f.name}'")
    values = {key: _value(hints[key], x, f"{where}.{key}", key) for key, x in table.items()}
    msgspec = needed("msgspec", "scene files")
    try:
        msgspec.convert(table, struct(kind))
    except msgspec.ValidationError as error:
        raise refused(where, _own_words(str(error))) from None
    try:
        return kind(**values)
    except StictionError as error:
        raise (error if str(error).startswith(where) else refused(where, error)) from None


def _kind(kind: Any, data: Any, where: str) -> tuple[Any, dict[str, Any]]:
    """The class that a table stands for, and the table without the key that says so."""
    if not isinstance(data, dict):
        raise refused(where, f"it is {data!r}; allowed: a table")
    if kind not in TAGS:
        return kind, data
    known = TAGS[kind]
    tag = known.key
    if tag not in data:
        raise refused(where, f"it lacks '{tag}'; allowed: {', '.join(known)}")
    if not isinstance(data[tag], str) or data[tag] not in known:
        raise refused(f"{where}.{tag}", unknown(tag, data[tag], "stiction", known))
    return known[data[tag]], {key: x for key, x in data.items() if key != tag}


def _value(hint: Any, data: Any, where: str, key: str) -> Any:
    """A field's value from plain data."""
    if isinstance(data, str) and _has(hint, collections.abc.Callable):
        try:
            return Formula(data, VARIABLES.get(key, "t"))
        except StictionError as error:
            raise refused(where, error) from None
    if isinstance(data, dict):
        for kind in (*TAGS, *PLAIN):
            if _has(hint, kind):
                return read(kind, data, where)
        inner = [typing.get_args(x) for x in _alternatives(hint) if typing.get_origin(x) is collections.abc.Mapping]
        if inner:
            return {name: _value(inner[0][1], x, f"{where}.{name}", key) for name, x in data.items()}
    if isinstance(data, list):
        lists = [x for x in _alternatives(hint) if typing.get_origin(x) in (tuple, collections.abc.Sequence, list)]
        element = typing.get_args(lists[0])[0] if lists else Any
        return tuple(_value(element, x, f"{where}[{k}]", key) for k, x in enumerate(data))
    return data


def _own_words(text: str) -> str:
    """The message of msgspec with our words: `$.level` is a key of the table at hand."""
    what, _, path = text.partition(" - at `$")
    what = what.replace("Expected", "allowed:").replace("`", "").replace(", got", "; given:")
    return f"{path.strip('`.')}: {what}" if path.strip("`.") else what


# To plain data.


def write(value: Any, where: str, traced: bool = False) -> Any:
    """Plain data of a value; a Python function is refused, or (`traced`) replaced by its readable trace."""
    if isinstance(value, Formula):
        usual = VARIABLES.get(_field(where), "t").split()
        if value.variable.split() != usual[: len(value.variable.split())]:
            raise SceneError(
                f"{where} is a formula of {value.variable}; in files its variables are "
                f"{', '.join(usual[:3])}{' …' if len(usual) > 3 else ''}, in this order: write it so"
            )
        return value.text
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _table(value, where, traced)
    if isinstance(value, Mapping):
        return {key: write(x, f"{where}.{key}", traced) for key, x in value.items()}
    if isinstance(value, (tuple, list)):
        return [write(x, f"{where}[{k}]", traced) for k, x in enumerate(value)]
    if callable(value):
        if traced:
            return f"Python: {readable(value, _variables(value, where))}"
        name = getattr(value, "__name__", type(value).__name__)
        raise SceneError(
            f"{where} is the Python function '{name}', which a file cannot hold; write it as a formula, "
            f"{_example(where)}"
        )
    return value


def _table(value: Any, where: str, traced: bool) -> dict[str, Any]:
    table: dict[str, Any] = {}
    if isinstance(value, Digital) and where.startswith("parts."):
        raise SceneError(
            f"{where} is a controller among the parts, which a file cannot hold; put it on a joint, in control"
        )
    known = next((known for known in TAGS.values() if type(value) in known.values()), None)
    if known is not None:
        table[known.key] = type(value).__name__
    elif isinstance(value, tuple(TAGS)):
        kin = [base for base in TAGS if isinstance(value, base)]
        nearest = next(base for base in kin if not any(issubclass(x, base) and x is not base for x in kin))
        raise SceneError(
            f"{where} is a {type(value).__name__} of your own, which a file cannot hold; "
            f"allowed: {', '.join(TAGS[nearest])}"
        )
    for f in dataclasses.fields(value):
        x = getattr(value, f.name)
        usual = f.default_factory() if f.default_factory is not dataclasses.MISSING else f.default
        if x is not None and not (type(x) is type(usual) and x == usual):
            table[f.name] = write(x, f"{where}.{f.name}", traced)
    return table


def _example(where: str) -> str:
    """A formula as a field takes it."""
    names = VARIABLES.get(_field(where), "t").split()[:3]
    if names == ["t"]:
        return "Formula('0.3*sin(5*t)'), or as a Table"
    return f"Formula('0.3*sin({names[0]})', '{' '.join(names)}')"


def _field(where: str) -> str:
    """The field that a place in a file is in."""
    return where.rpartition(".")[2].partition("[")[0]


def _variables(function: Any, where: str) -> str:
    """The names of the arguments of a function that stands somewhere in a file."""
    names = VARIABLES.get(_field(where), "t")
    needed_ = [p for p in inspect.signature(function).parameters.values() if p.default is p.empty]
    return " ".join(names.split()[: max(1, len(needed_))])


# Types, for checks and for the schema.


@cache
def _hints(kind: type) -> dict[str, Any]:
    hints = typing.get_type_hints(kind)
    return {f.name: hints[f.name] for f in dataclasses.fields(kind)}


def _alternatives(hint: Any) -> Sequence[Any]:
    return typing.get_args(hint) if typing.get_origin(hint) in (Union, types.UnionType) else (hint,)


def _has(hint: Any, kind: Any) -> bool:
    """Whether a hint allows this class at its top."""
    return kind in [typing.get_origin(x) or x for x in _alternatives(hint)]


def one_of(kinds: Iterable[Any]) -> Any:
    """The union of types that are known only now."""
    return functools.reduce(operator.or_, kinds)


@cache
def struct(kind: Any) -> Any:
    """The msgspec class of one of ours."""
    msgspec = needed("msgspec", "scene files")
    made: list[Any] = []
    MAKING.append(kind)
    for f in dataclasses.fields(kind):
        hint = file_type(_hints(kind)[f.name])
        if f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING:
            made.append((f.name, hint))
        elif isinstance(f.default, (int, float, str, bool)) or f.default is None:
            made.append((f.name, hint, f.default))
        else:
            made.append((f.name, hint | msgspec.UnsetType, msgspec.UNSET))
    MAKING.remove(kind)
    tag = next((known.key for known in TAGS.values() if kind in known.values()), None)
    options: dict[str, Any] = {"tag_field": tag, "tag": kind.__name__} if tag else {}
    found = msgspec.defstruct(kind.__name__, made, kw_only=True, forbid_unknown_fields=True, **options)
    found.__doc__ = (kind.__doc__ or "").partition("\n")[0]
    return found


def file_type(hint: Any) -> Any:
    """The type that a field has in a file."""
    if hint in TAGS:
        return one_of(struct(kind) for kind in TAGS[hint].values() if kind not in MAKING)
    if hint in PLAIN:
        return struct(hint)
    head, inner = typing.get_origin(hint), typing.get_args(hint)
    if head in (Union, types.UnionType):
        return one_of(file_type(x) for x in inner)
    if head is collections.abc.Callable:
        return str
    if head is tuple and Ellipsis not in inner:
        return tuple[tuple(file_type(x) for x in inner)]  # type: ignore[misc]
    if head in (tuple, collections.abc.Sequence):
        return list[file_type(inner[0])]  # type: ignore[misc]
    if head is collections.abc.Mapping:
        return dict[str, file_type(inner[1])]  # type: ignore[misc]
    return hint
