"""Every method, and scenes that tests share: wheels on an axle, a mass on a spring, an arm, all at once; and files."""

from pathlib import Path

import numpy as np

from stiction import (
    PID,
    Clock,
    Coulomb,
    Curve,
    Dahl,
    DCMotor,
    Drive,
    ElastoPlastic,
    Encoder,
    Euler,
    FrictionSite,
    Gear,
    Joint,
    Link,
    LuGre,
    Moreau,
    Robot,
    Scene,
    Stribeck,
    Table,
    Tachometer,
    TorqueMotor,
    Viscous,
    library,
    methods,
    parts,
)
from stiction.network import Term, Wire
from stiction.parts import Mass, PenaltyJoint, SpringDamper
from stiction.scene import Formula

METHODS = {name: make() for name, make in methods.METHODS.items()} | {
    "by joint, midpoint": Moreau(rows="by_joint"),
    "together, RK4": Moreau(scheme="rk4"),
    "by joint, RK4": Moreau(rows="by_joint", scheme="rk4"),
}
TWO_LINK = library.two_link(lengths=(0.3, 0.3), masses=(0.5, 0.5))


def order(method):
    """The order of a method for all that is smooth."""
    midpoint = isinstance(method, Moreau) and method.scheme == "midpoint"
    return 1 if isinstance(method, Euler) else 2 if midpoint else 4


def flywheel(inertia):
    """A wheel on an axle along gravity."""
    return Robot(
        name="flywheel",
        links=[Link(name="base"), Link(name="wheel", mass=1.0, inertia=np.diag([inertia] * 3))],
        joints=[Joint(name="axle", kind="continuous", parent="base", child="wheel")],
    )


def on_axle(inertia, law, torque):
    """That wheel with friction under a torque."""
    return Scene(robot=flywheel(inertia), friction={"axle": law}, torque={"axle": torque})


def driven(inertia, drive, **more):
    """That wheel with a drive."""
    return Scene(robot=flywheel(inertia), drives={"axle": drive}, **more)


def anchor(run, name):
    """What must not drift: the position less the bending of the bristle."""
    return run[f"q.{name}"] - run.signals.get(f"bend.{name}", 0.0)


def oscillator(mass=2.0, stiffness=50.0, damping=1.0):
    """A mass on a spring, let go 1 m from where it rests."""
    return Scene(
        parts={"ball": Mass(mass=mass, position=1.0), "spring": SpringDamper(stiffness=stiffness, damping=damping)},
        wires=[
            Wire("spring.position", ["ball.position"]),
            Wire("spring.velocity", ["ball.velocity"]),
            Wire("ball.force", [Term("spring.force", -1.0)]),
        ],
    )


URDF = Path(__file__).parent / "robot" / "arm.urdf"
EXAMPLES = Path(__file__).parent.parent / "examples"

GOOD = """
duration = 1.0
step = 1e-3
method = "moreau"
record = 0.1
[robot]
library = "two_link"
[friction.shoulder]
law = "Stribeck"
level = 0.4
static = [0.5, 0.6]
velocity = 0.01
[friction.both]
law = "Coulomb"
level = 0.1
joints = { shoulder = 1, elbow = 1 }
[torque]
shoulder = "0.3*sin(3*t)"
elbow = 0.01
[q]
elbow = 0.5
"""


def write(tmp_path, text, name="scene.toml"):
    path = tmp_path / name
    path.write_text(text)
    return path


def everything():
    """A scene with every law, every part and every kind of torque."""
    arm = library.rp_arm()
    ball = {port: f"ball.{port}" for port in ("position", "quaternion", "velocity", "angular")}
    cart = [
        Wire("spring.position", ["cart.position"]),
        Wire("spring.velocity", ["cart.velocity"]),
        Wire("brake.velocity", [Term("cart.velocity", [[2.0]])]),
    ]
    return Scene(
        robots={"left": arm, "right": library.puma560()},
        friction={
            "right.joint6": Stribeck(level=0.4, static=(0.5, 0.6), velocity=0.01, viscous=0.1),
            "left.slide": Curve(function=Formula("0.4 + 0.1*exp(-w/0.01)", "w")),
            "right.joint1": LuGre(level=1.0, static=1.5, velocity=0.1, stiffness=100.0, damping=1.0),
            "right.joint2": ElastoPlastic(
                level=1.0, static=1.5, velocity=0.1, stiffness=100.0, damping=1.0, elastic=0.5
            ),
            "right.joint3": Dahl(level=1.0, stiffness=100.0),
            "right.joint4": Viscous(coefficient=0.1),
            "right.joint5": None,
            "wrist": FrictionSite(law=Coulomb(level=0.1), joints={"right.joint5": 1, "right.joint6": -0.5}),
        },
        drives={
            "left.turn": Drive(
                motor=DCMotor(resistance=2.0, constant=0.05, rotor_inertia=1e-5, rated_voltage=24.0),
                gear=Gear(ratio=50, stiffness=10.0, damping=0.01, backlash=0.01),
                motor_friction=Coulomb(level=0.01),
            ),
            "right.joint6": Drive(
                motor=TorqueMotor(torque_limit=((0, 1.0), (10, 0.5))),
                gear=Gear(ratio=-30, efficiency=0.8),
                command=Formula("0.01*sin(t)"),
            ),
        },
        control={"left.turn": PID(clock=Clock(period=2e-3, delay=1), proportional=10.0, limit=24.0)},
        reference={"left.turn": Formula("0.1*t")},
        sensors={"left.turn": [Encoder(counts=4096, side="motor", delay=2, window=3), Tachometer(delay=1)]},
        torque={
            "left.turn": Formula("0.3*sin(5*t)"),
            "left.slide": 0.25,
            "right.joint1": Table(time=[0, 0.5, 2], value=[0, 1, -1]),
        },
        gravity=(0, 0, -1.62),
        q={"left.slide": 0.3, "right.joint2": 0.1},
        v={"left.turn": 1 / 3},
        parts={
            "ball": parts.FreeBody(mass=1.0, inertia=(0.1, 0.2, 0.25), position=(0, 0, 1)),
            "ground": parts.TouchingPoint(point=(0, 0, -0.1), stiffness=1e4, damping=1.0, coefficient=0.5),
            "world": parts.Fixed(position=(0, 0, 1)),
            "hinge": PenaltyJoint(
                stiffness=100.0,
                damping=1.0,
                turning_stiffness=10.0,
                turning_damping=0.1,
                law=Coulomb(level=0.1, stiffness=10.0, damping=0.1),
            ),
            "cart": parts.Mass(mass=2.0, velocity=1.0),
            "spring": parts.SpringDamper(stiffness=10.0, damping=0.1),
            "brake": parts.Friction(law=Coulomb(level=0.2)),
            "push": parts.Source(functions=(Formula("cos(t)"), Table(time=[0, 1], value=[0, 0.5]))),
        },
        wires=[
            *(Wire(f"ground.{port}", [source]) for port, source in ball.items()),
            *(Wire(f"hinge.{port}_a", [f"world.{port}"]) for port in ball),
            *(Wire(f"hinge.{port}_b", [source]) for port, source in ball.items()),
            Wire("ball.force", [Term("ground.force", -1.0), "hinge.force_b"], shift=(0.1, 0, 0)),
            Wire("ball.moment", ["hinge.moment_b", Term("ground.moment", -1.0)]),
            *cart,
            Wire(
                "cart.force", [Term("spring.force", -1.0), Term("brake.torque", -2.0), Term("push.force", [[1.0, 1.0]])]
            ),
        ],
    )
