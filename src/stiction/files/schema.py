"""The JSON Schema of scene files, from the same classes that read them."""

import inspect
from dataclasses import fields
from typing import Any, get_type_hints

from stiction.constraint import Constraint
from stiction.contact import Contacts
from stiction.control import Reference, Sensor
from stiction.drive import Drive
from stiction.extras import needed
from stiction.files.plain import file_type, one_of, struct
from stiction.files.scene_file import MACHINES, URDF
from stiction.friction import LAWS
from stiction.methods import DEFAULT, NAMED, Method
from stiction.network.wires import Wire
from stiction.parts import Digital, Part, Table
from stiction.robot.robot import Robot

TIME = {"type": "number", "exclusiveMinimum": 0}
NUMBERS = {"type": "array", "items": {"type": "number"}}


def schema() -> dict[str, Any]:
    """The schema, as plain data.

    Example:
        >>> from stiction.files.schema import schema
        >>> schema()["properties"]["method"]["anyOf"][0]["enum"][0]
        'moreau'
    """
    laws = [_law(kind) for kind in LAWS.values()]
    types = [
        one_of(laws),
        file_type(Part),
        struct(Robot),
        struct(Table),
        struct(Wire),
        struct(Drive),
        file_type(Digital),
        struct(Contacts),
        file_type(Reference),
        file_type(Sensor),
        file_type(Constraint),
    ]
    made, found = _msgspec().json.schema_components(types, ref_template="#/$defs/{name}")
    law, part, robot, table, wire, drive, controller, contacts, motion, sensor, constraint = made
    none = {
        "type": "object",
        "properties": {"law": {"const": "none"}},
        "required": ["law"],
        "additionalProperties": False,
    }
    law = {"anyOf": [none, *law["anyOf"]]}
    any_robot = {"anyOf": [_urdf(), *(_library(name) for name in MACHINES), robot]}
    first = {"anyOf": [NUMBERS, _by_name({"type": "number"})]}
    formula = {"type": "string", "description": "a formula of the time t [s]"}
    in_time = {"anyOf": [{"type": "number"}, formula, table]}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A scene of Stiction",
        "type": "object",
        "additionalProperties": False,
        "required": ["duration", "step"],
        "properties": {
            "duration": TIME | {"description": "[s]"},
            "step": TIME | {"description": "[s]"},
            "method": {"anyOf": [{"enum": list(NAMED)}, *map(_method, NAMED)], "default": DEFAULT},
            "record": TIME | {"description": "time between records [s]; every step by default"},
            "signals": {
                "type": "array",
                "items": {"type": "string"},
                "description": "which signals to keep, by the beginnings of their names",
            },
            "start": {"const": "held", "description": "at rest, held by the drives"},
            "dtype": {"enum": ["float64", "float32"], "default": "float64", "description": "of all numbers of the run"},
            "seed": {"type": "integer", "minimum": 0, "default": 0, "description": "of the noise of sensors"},
            "energy": {"type": "boolean", "default": False, "description": "keep the energy balance"},
            "limits": {"enum": ["act", "ignore"], "default": "act", "description": "whether joints stop at their ends"},
            "gravity": NUMBERS | {"minItems": 3, "maxItems": 3, "default": [0, 0, -9.81], "description": "[m/s²]"},
            "robot": any_robot,
            "robots": _by_name(any_robot),
            "friction": _by_name(law),
            "torque": _by_name(in_time) | {"description": "at joints [N·m or N]"},
            "motion": _by_name(in_time) | {"description": "positions of joints that move as they are told [rad or m]"},
            "drives": _by_name(drive)
            | {"description": "by joint; alone in a file arm.drives.toml beside arm.urdf, they are read with it"},
            "control": _by_name(controller) | {"description": "by joint"},
            "reference": _by_name({"anyOf": [*in_time["anyOf"], motion]})
            | {"description": "where joints should be, by joint or robot [rad or m]"},
            "sensors": _by_name({"type": "array", "items": sensor}) | {"description": "by joint"},
            "parts": _by_name(part),
            "contacts": contacts,
            "constraints": _by_name(constraint) | {"description": "motion that is kept, by names of your choice"},
            "near": _by_name({"type": "number"})
            | {"description": "positions near which those are sought that follow by constraints [rad or m]"},
            "wires": {"type": "array", "items": wire},
            "q": first | {"description": "positions at the start [rad or m]"},
            "v": first | {"description": "velocities at the start [rad/s or m/s]"},
        },
        "$defs": found,
    }


def _msgspec() -> Any:
    return needed("msgspec", "schemas of scene files")


def _method(name: str) -> dict[str, Any]:
    """A method with options, as a table."""
    options = {f.name: _option(hint) for f, hint in _options(name) if f.name != "nominal"}
    properties = {"name": {"const": name}, **options}
    return {"type": "object", "properties": properties, "required": ["name"], "additionalProperties": False}


def _option(hint: Any) -> dict[str, Any]:
    """An option of a method; one that is a method itself is a name or a table."""
    return {"type": ["string", "object"]} if hint is Method else _msgspec().json.schema(file_type(hint))


def _options(name: str) -> list[tuple[Any, Any]]:
    kind = type(NAMED[name]())
    hints = get_type_hints(kind)
    return [(f, hints[f.name]) for f in fields(kind)]  # type: ignore[arg-type]


def _by_name(of: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": of}


def _law(kind: type) -> Any:
    """A law in a file, which may name the joints that it acts on, and a load."""
    unset = _msgspec().UnsetType
    given = {"joints": dict[str, float], "load": float | str | dict, "load_from": str}
    own: Any = [(name, kind | unset, _msgspec().UNSET) for name, kind in given.items()]
    made = _msgspec().defstruct(
        f"{kind.__name__}Site",
        own,
        bases=(struct(kind),),
        kw_only=True,
        forbid_unknown_fields=True,
        tag_field="law",
        tag=kind.__name__,
    )
    made.__doc__ = struct(kind).__doc__
    return made


def _urdf() -> dict[str, Any]:
    kinds = {
        "urdf": {"type": "string"},
        "base": {"enum": ["fixed", "floating"]},
        "keep_fixed": {"type": "boolean"},
        "lumped": {"type": "boolean"},
    }
    return {
        "type": "object",
        "properties": {key: kinds[key] for key in URDF},
        "required": ["urdf"],
        "additionalProperties": False,
    }


def _library(name: str) -> dict[str, Any]:
    options = {
        key: _msgspec().json.schema(file_type(p.annotation))
        for key, p in inspect.signature(MACHINES[name]).parameters.items()
    }
    return {
        "type": "object",
        "properties": {"library": {"const": name}, **options},
        "required": ["library"],
        "additionalProperties": False,
    }
