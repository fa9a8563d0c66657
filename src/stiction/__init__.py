"""Stiction: the robot-dynamics simulator that gets friction right."""

from importlib import import_module
from typing import Any

from stiction.errors import unknown

__version__ = "0.1.0"

_HOME = {
    "friction": (
        "Coulomb",
        "Curve",
        "Dahl",
        "ElastoPlastic",
        "FrictionError",
        "Leuven",
        "LuGre",
        "MaxwellSlip",
        "Stribeck",
        "Viscous",
    ),
    "constraint": ("ConstraintError", "Follow", "Holonomic", "OnSurface", "Pfaffian", "Pin", "Rolling", "Weld"),
    "contact": ("ContactError", "Contacts", "Surface"),
    "control": (
        "PID",
        "Arc",
        "Callback",
        "CartesianImpedance",
        "Cascade",
        "Chain",
        "Clock",
        "ComputedTorque",
        "CurrentLoop",
        "CurrentSensor",
        "Encoder",
        "GravityCompensation",
        "HybridControl",
        "JointImpedance",
        "Line",
        "OperationalSpace",
        "PathError",
        "PointToPoint",
        "PositionLoop",
        "SCurve",
        "Spline",
        "Tachometer",
        "ToolPath",
        "Trapezoid",
        "VelocityLoop",
    ),
    "drive": ("CurrentMotor", "DCMotor", "Drive", "DriveError", "Gear", "ServoMotor", "TorqueMotor"),
    "methods": (
        "RK4",
        "Euler",
        "Gill",
        "Moreau",
        "Perturbation",
        "Rosenbrock",
        "gears_implicit",
        "gears_semi_implicit",
    ),
    "parts": ("Table",),
    "network": ("NetworkError", "Term", "Wire"),
    "scene": ("Formula", "FrictionSite", "Scene", "SceneError"),
    "simulation.nominal": ("NominalMotion", "nominal_motion"),
    "simulation.simulate": ("run_file", "simulate"),
    "simulation.simulator": ("Simulator",),
    "simulation.state": ("State",),
    "simulation.trajectory": ("Trajectory",),
    "show.ellipses": ("plot_ellipses",),
    "files.scene_file": ("SceneFile", "read_drives", "read_scene", "write_scene"),
    "errors": ("DivergedError", "InputError", "RobotError", "StictionError", "StictionWarning", "TraceError"),
    "robot": (
        "Box",
        "Capsule",
        "Cylinder",
        "Ellipsoid",
        "Frame",
        "HalfSpace",
        "Joint",
        "Limits",
        "Link",
        "MassProperties",
        "Mesh",
        "Mimic",
        "Origin",
        "PointMass",
        "Points",
        "Polyhedron",
        "Robot",
        "Shape",
        "Solid",
        "Sphere",
        "ad",
        "adjoint",
        "lagrange_equations",
    ),
}
_PLACE = {name: module for module, names in _HOME.items() for name in names}
_ROOMS = ("learn", "library", "parts", "trace")  # modules whose names have no place here
__all__ = [*_PLACE, "library"]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: `import stiction` alone stays quick."""
    if name in _ROOMS:
        return import_module(f"stiction.{name}")
    if name in _PLACE:
        return getattr(import_module(f"stiction.{_PLACE[name]}"), name)
    raise AttributeError(unknown("name", name, "the module stiction", __all__, source="dir(stiction)"))


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
