"""Inputs that nobody should give: mutated files, words thrown together, damaged runs, odd values in calls."""

import random
import shutil
import string
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import stiction
from stiction.errors import StictionError
from stiction.scene import Formula
from trials.trial import BrokenError, noted

ROOT = Path(__file__).parent.parent.parent
URDF = ROOT / "tests/robot/arm.urdf"
ODD = (0, -1, 1e-320, 1e308, -1e308, float("nan"), float("inf"), 10**400, True, None, "", "x", [], {}, b"a", 1j)
ODD_TEXT = ("nan", "inf", "-1", "1e400", "0", '""', "[]", "true", "9" * 400, "1e-320", '"\\u0000"', "{}", "2020-01-01")
DRIVES = """
[shoulder]
gear = { ratio = 100, efficiency = 0.8 }
motor = { kind = "DCMotor", resistance = 2.0, constant = 0.05, rotor_inertia = 1e-5, rated_voltage = 24.0 }
joint_friction = { law = "Stribeck", level = 0.5, static = 0.6, velocity = 0.01 }
command = "3*sin(t)"

[elbow]
gear.ratio = -50
gear.stiffness = 5.0
gear.damping = 0.01
gear.backlash = 0.002
motor.kind = "TorqueMotor"
motor.rotor_inertia = 1e-5
motor.torque_limit = [[0.0, 2.0], [300.0, 1.0]]
motor_friction = { law = "LuGre", level = 0.01, static = 0.02, velocity = 0.1, stiffness = 5.0, damping = 1e-3 }
command = { time = [0.0, 1.0], value = [0.0, 0.1] }
"""


def mutated(text: str, dice: random.Random) -> str:
    """A text with a few changes: characters, lines, numbers."""
    for _ in range(dice.randint(1, 4)):
        lines = text.splitlines() or [""]
        at = dice.randrange(len(lines))
        match dice.randrange(6):
            case 0:
                lines[at] = lines[at].replace(dice.choice("=[]\"'.,0123456789 "), dice.choice(string.printable), 1)
            case 1:
                del lines[at]
            case 2:
                lines.insert(at, dice.choice(lines))
            case 3:
                head, equals, _ = lines[at].partition("=")
                lines[at] = head + equals + dice.choice(ODD_TEXT) if equals else lines[at]
            case 4:
                other = dice.randrange(len(lines))
                lines[at], lines[other] = lines[other], lines[at]
            case 5:
                cut = dice.randrange(len(lines[at]) + 1)
                lines[at] = lines[at][:cut]
        text = "\n".join(lines)
    return text


def scene_file(dice: random.Random, folder: Path) -> str:
    """A scene file of the examples, mutated, read, and run for some steps."""
    source = dice.choice(sorted((ROOT / "examples").glob("*.toml")))
    text = noted(folder, mutated(source.read_text(encoding="utf-8"), dice))
    path = folder / "scene.toml"
    path.write_text(text, encoding="utf-8", errors="surrogateescape")
    read = stiction.read_scene(path)
    if dice.random() < 0.1:
        short = {**read.settings, "duration": read.settings["step"] * 5, "record": None}
        stiction.simulate(read.scene, **short)
    return text


def drives_file(dice: random.Random, folder: Path) -> str:
    """Drives beside a URDF, mutated, read, and run for some steps."""
    text = noted(folder, mutated(DRIVES, dice))
    shutil.copy(URDF, folder / "driven.urdf")
    (folder / "driven.drives.toml").write_text(text, encoding="utf-8", errors="surrogateescape")
    path = folder / "driven.toml"
    path.write_text('duration = 0.005\nstep = 1e-3\n[robot]\nurdf = "driven.urdf"\n')
    read = stiction.read_scene(path)
    if dice.random() < 0.1:
        stiction.run_file(read)
    return text


def urdf(dice: random.Random, folder: Path) -> str:
    """A URDF, mutated."""
    text = noted(folder, mutated(URDF.read_text(encoding="utf-8"), dice))
    path = folder / "arm.urdf"
    path.write_text(text, encoding="utf-8", errors="surrogateescape")
    stiction.Robot.from_urdf(path)
    return text


def formula(dice: random.Random, folder: Path) -> str:
    """Words of formulas, thrown together."""
    words = [
        "t",
        "1",
        "0",
        "-",
        "+",
        "*",
        "/",
        "^",
        "(",
        ")",
        "min(",
        "where(",
        ",",
        "<",
        "sin(",
        "1e308",
        "exp(",
        "and",
    ]
    text = noted(folder, "".join(dice.choice(words) for _ in range(dice.randint(1, 40))))
    Formula(text)(dice.choice([0.0, 1.0, -1e9]))
    return text


def damaged_run(dice: random.Random, folder: Path) -> str:
    """A saved run with some bytes that changed must be refused."""
    path = folder / "run.h5"
    if not path.exists():
        scene = stiction.Scene(robot=stiction.library.pendulum(1), friction={"joint1": stiction.Coulomb(level=0.1)})
        stiction.simulate(scene, duration=0.05, step=1e-3).save(path)
    whole = bytearray(path.read_bytes())
    place, bit = dice.randrange(len(whole)), dice.randrange(8)
    whole[place] ^= 1 << bit
    other = folder / "damaged.h5"
    other.write_bytes(bytes(whole))
    try:
        stiction.Trajectory.load(other)
    except StictionError:
        return f"byte {place}, bit {bit}"
    raise BrokenError(f"byte {place}, bit {bit} changed, and nobody noticed")


# Calls.


def call(dice: random.Random, folder: Path) -> str:
    """A public class or function with odd values."""
    odd = lambda: dice.choice(ODD)  # noqa: E731
    calls: dict[str, Callable[[], Any]] = {
        "Stribeck": lambda: stiction.Stribeck(level=odd(), static=odd(), velocity=odd()),
        "LuGre": lambda: stiction.LuGre(level=odd(), static=1.0, velocity=odd(), stiffness=odd(), damping=odd()),
        "DCMotor": lambda: stiction.DCMotor(resistance=odd(), constant=odd(), rotor_inertia=odd()),
        "Gear": lambda: stiction.Gear(ratio=odd(), efficiency=odd(), backlash=odd()),
        "PID": lambda: stiction.PID(clock=odd(), proportional=odd()),
        "Link": lambda: stiction.Link(name=odd(), mass=odd(), center_of_mass=odd(), inertia=odd()),
        "Box": lambda: stiction.Box(size=odd(), mass=odd()),
        "Pin": lambda: stiction.Pin(between=odd(), first_point=odd()),
        "pendulum": lambda: stiction.library.pendulum(odd(), length=odd()),
        "Scene": lambda: stiction.Scene(
            robot=stiction.library.pendulum(1), q=odd(), gravity=odd(), friction=odd() or {}
        ),
        "simulate": lambda: stiction.simulate(
            stiction.Scene(robot=stiction.library.pendulum(1)), duration=odd(), step=odd(), record=odd(), seed=odd()
        ),
        "parameters": lambda: stiction.simulate(
            stiction.Scene(robot=stiction.library.pendulum(1)),
            duration=0.01,
            step=1e-3,
            parameters={"q.joint1": dice.choice([odd(), [odd(), 1.0], np.array([0.1, 0.2])])},
        ),
        "mass_matrix": lambda: stiction.library.two_link().mass_matrix([odd(), 0.1]),
    }
    name = noted(folder, dice.choice(list(calls)))
    calls[name]()
    return name
