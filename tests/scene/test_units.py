"""One unit for every signal and every slot: an angle or a length, by the kind of its joint."""

import pytest

import stiction
from stiction import (
    PID,
    Clock,
    Coulomb,
    DCMotor,
    Drive,
    FrictionSite,
    Gear,
    Joint,
    Link,
    LuGre,
    Moreau,
    Robot,
    Scene,
    Sphere,
    Trajectory,
    Viscous,
    methods,
    simulate,
)
from stiction.robot.ports import ACCELERATION, TORQUE, positions, velocities

ARM = stiction.library.rp_arm()  # "turn" is an angle, "slide" a length
QUANTITIES = {
    ("rad", "m"): ("q", "bend", "way", "target", "error"),
    ("rad/s", "m/s"): ("v", "fastest", "target_velocity"),
    ("rad/s²", "m/s²"): ("target_acceleration",),
    ("N·m", "N"): (
        "torque",
        "friction",
        "margin",
        "link_torque",
        "gear_joint_torque",
        "mesh_friction",
        "transmitted_torque",
    ),
    ("rad s", "m s"): ("control_sum",),
    ("V", "V"): ("command",),
    ("A", "A"): ("motor_current",),
    ("N·m", "N·m"): ("motor_torque", "gear_motor_torque"),
    ("rad", "rad"): ("motor_angle",),
    ("rad/s", "rad/s"): ("motor_speed",),
    ("1", "1"): ("mode", "lasting_mode", "direction", "switches", "ticks"),
}
MOTOR_SIDE = {
    "friction": "N·m",
    "margin": "N·m",
    "bend": "rad",
    "way": "rad",
    "fastest": "rad/s",
    "mode": "1",
    "lasting_mode": "1",
    "direction": "1",
    "switches": "1",
}


def expected(name):
    """The unit of a signal of the arm."""
    what, _, joint = name.partition(".")
    if joint.endswith(".motor"):
        return MOTOR_SIDE[what]
    return next(units[joint == "slide"] for units, words in QUANTITIES.items() if what in words)


def of_joints(units):
    return {
        name: unit for name, unit in units.items() if name.partition(".")[2].removesuffix(".motor") in ("turn", "slide")
    }


def driven(gear, **more):
    motor = DCMotor(resistance=1.0, constant=0.05, rotor_inertia=1e-4, **more)
    friction = {"motor_friction": Coulomb(level=0.01), "joint_friction": Coulomb(level=0.1)}
    drive = Drive(motor=motor, gear=gear, **friction)
    pid = PID(clock=Clock(period=1e-3), proportional=1.0, integral=1.0)
    return Scene(
        robot=ARM,
        drives={"turn": drive, "slide": drive},
        control={"turn": pid, "slide": pid},
        reference={"turn": 0.1, "slide": 0.1},
    )


SCENES = {
    "friction": Scene(
        robot=ARM,
        friction={"turn": Coulomb(level=0.1), "slide": Coulomb(level=0.1)},
        torque={"turn": 1.0, "slide": 1.0},
    ),
    "rigid gears": driven(Gear(ratio=10)),
    "elastic gears": driven(Gear(ratio=10, stiffness=100.0), inductance=1e-3),
    "lossy gears": driven(Gear(ratio=10, efficiency=0.8)),
}
PULLED = Moreau(rows="by_joint", scheme="gill", softness=1e-3, pull=0.1)


@pytest.mark.parametrize("method", ["moreau", "rk4", PULLED], ids=["moreau", "rk4", "pulled"])
@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES)
def test_joints_have_one_unit(scene, method):
    if scene is SCENES["lossy gears"] and method != "moreau":
        pytest.skip("friction in teeth is for moreau")
    run = simulate(scene, duration=1e-3, step=1e-4, method=method, energy=True)
    found = of_joints(run.units)
    assert found == {name: expected(name) for name in found} and {"q.turn", "v.slide", "margin.slide"} <= found.keys()
    slots = dict(zip(run.state.names, run.state.units, strict=True))
    visible = of_joints({name: unit for name, unit in slots.items() if not name.startswith(("work.", "start."))})
    assert visible == {name: expected(name) for name in visible} and "fastest.slide" in visible
    assert run.units["energy.kinetic"] == run.units["energy.residue"] == "J"


@pytest.mark.parametrize("method", methods.METHODS)
def test_a_residual_has_the_unit_of_its_sites(method):
    for sites, unit in (({"turn"}, "N·m"), ({"slide"}, "N"), ({"turn", "slide"}, "N·m or N")):
        scene = Scene(robot=ARM, friction={name: Coulomb(level=0.1) for name in sites})
        run = simulate(scene, duration=0.01, step=1e-3, method=method)
        assert run.units.get("residual", unit) == unit


def test_sites_on_several_joints_have_the_unit_of_the_first():
    laws = {
        "a": LuGre(level=1.0, static=1.1, velocity=0.1, stiffness=100.0, damping=1.0),
        "b": Viscous(coefficient=0.1),
    }
    sites = {
        "a": FrictionSite(law=laws["a"], joints={"turn": 1, "slide": 2}),
        "b": FrictionSite(law=laws["b"], joints={"slide": 1, "turn": 2}),
    }
    run = simulate(Scene(robot=ARM, friction=sites), duration=0.01, step=1e-3)
    assert [run.units[f"{what}.a"] for what in ("friction", "margin", "bend", "fastest")] == [
        "N·m",
        "N·m",
        "rad",
        "rad/s",
    ]
    assert [run.units[f"{what}.b"] for what in ("friction", "margin", "fastest")] == ["N", "N", "m/s"]


def test_units_survive_a_file(tmp_path):
    run = simulate(SCENES["elastic gears"], duration=1e-3, step=1e-4)
    run.save(tmp_path / "run.h5")
    read = Trajectory.load(tmp_path / "run.h5")
    assert read.units == run.units and read.state.units == run.state.units


def test_friction_on_a_floating_base_has_the_unit_of_its_direction():
    base = Joint(name="base", kind="floating", parent="world", child="body")
    body = Link.of("body", Sphere(radius=0.1, mass=1.0))
    robot = Robot(name="ball", links=[Link(name="world"), body], joints=[base])
    law = Coulomb(level=0.1)
    scene = Scene(robot=robot, friction={"base.wx": law, "base.vz": law})
    run = simulate(scene, duration=0.01, step=1e-3, method="rk4")
    assert (run.units["friction.base.wx"], run.units["bend.base.wx"], run.units["q.base.x"]) == ("N·m", "rad", "m")
    assert (run.units["friction.base.vz"], run.units["bend.base.vz"], run.units["q.base.qw"]) == ("N", "m", "1")


@pytest.mark.parametrize(
    "robot, units",
    [
        (stiction.library.two_link(), ("rad", "rad/s", "rad/s²", "N·m")),
        (ARM, ("rad, m", "rad/s, m/s", "rad/s², m/s²", "N·m, N")),
    ],
    ids=["two_link", "rp_arm"],
)
def test_ports_of_computations_name_the_units_that_there_are(robot, units):
    ports = (
        positions(robot),
        velocities(robot),
        velocities(robot, "a", ACCELERATION),
        velocities(robot, "torque", TORQUE),
    )
    assert tuple(port.unit for port in ports) == units
