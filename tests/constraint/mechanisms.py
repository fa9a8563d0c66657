"""More mechanisms with closed loops."""

import numpy as np
from benchmarks.peers.mechanisms import DOWN, bar, hinge

from stiction import Frame, Joint, Link, Origin, Pin, Robot, Scene
from stiction.parts import Fixed, TwoPointSpring


def slider_crank(**more):
    """A crank, a rod and a slider along x, which carries the rod's end."""
    robot = Robot(
        name="slider-crank",
        links=[Link(name="base"), bar("crank", 0.15), bar("rod", 0.4), Link(name="slider", mass=0.8)],
        joints=[
            hinge("crank", "base", "crank"),
            hinge("rod", "crank", "rod", 0.15),
            Joint(name="slider", kind="prismatic", parent="base", child="slider", axis=(1, 0, 0)),
        ],
    )
    pin = Pin(between=("robot.rod", "robot.slider"), first_point=(0.4, 0, 0))
    return Scene(robot=robot, constraints={"end": pin}, gravity=DOWN, near={"slider": 0.5}, **more)


def five_bar(**more):
    """Two cranks that hold one point between them: a parallel arm with two degrees of freedom."""
    robot = Robot(
        name="five-bar",
        links=[Link(name="base"), bar("left", 0.3), bar("left_rod", 0.4), bar("right", 0.3), bar("right_rod", 0.4)],
        joints=[
            hinge("left", "base", "left"),
            hinge("left_elbow", "left", "left_rod", 0.3),
            hinge("right", "base", "right", 0.3),
            hinge("right_elbow", "right", "right_rod", 0.3),
        ],
    )
    pin = Pin(between=("robot.left_rod", "robot.right_rod"), first_point=(0.4, 0, 0), second_point=(0.4, 0, 0))
    near = {"left_elbow": -1.2, "right_elbow": 1.2}
    return Scene(robot=robot, constraints={"tool": pin}, gravity=DOWN, q={"left": 2.2, "right": 1.0}, near=near, **more)


# Andrews' squeezing mechanism: parameters, start and end at 0.03 s as the test set for initial value problems (CWI,
# later Bari) publishes them.
SQUEEZED = {
    "beta": 15.81077119629904,
    "theta": -15.75637105984298,
    "gamma": 0.04082224013073101,
    "phi": -0.5347301163226948,
    "delta": 0.5244099658805304,
    "omega": 0.5347301163226948,
    "epsilon": 1.048080741042263,
}
SQUEEZED_SPEEDS = {"beta": 1139.920302151208, "theta": -1424.379294994111, "gamma": 11.03291221937134}


def squeezer():
    """Seven bodies of which three loops meet in one point, driven by a constant torque against a spring."""

    def body(name, mass, inertia, x, y=0.0):
        return Link(name=name, mass=mass, center_of_mass=(x, y, 0), inertia=inertia * np.eye(3))

    a, b = (-0.06934, -0.00227), (-0.03635, 0.03273)
    robot = Robot(
        name="squeezer",
        links=[
            Link(name="base"),
            body("K1", 0.04325, 2.194e-6, 92e-5),
            body("K2", 0.00365, 4.410e-7, -115e-4),
            body("K3", 0.02373, 5.255e-6, 1043e-5, -1874e-5),
            body("K4", 0.00706, 5.667e-7, 0.0, -(2e-2 - 1421e-5)),
            body("K5", 0.07050, 1.169e-5, 2308e-5, 916e-5),
            body("K6", 0.00706, 5.667e-7, 2e-2 - 1421e-5),
            body("K7", 0.05498, 1.912e-5, -449e-5, -1228e-5),
        ],
        joints=[
            hinge("beta", "base", "K1"),
            hinge("theta", "K1", "K2", 7e-3),
            hinge("gamma", "base", "K3", *b),
            hinge("delta", "base", "K5", *a),
            hinge("phi", "K5", "K4", 4e-2),
            hinge("epsilon", "base", "K7", *a),
            hinge("omega", "K7", "K6", 0.0, -4e-2),
        ],
        frames=[Frame(name="D", link="K3", origin=Origin(xyz=(2e-2, -18e-3, 0)))],
    )
    ends = {"K3": (0, -35e-3, 0), "K4": (0, -2e-2, 0), "K6": (2e-2, 0, 0)}
    return Scene(
        robot=robot,
        constraints={
            name: Pin(between=("robot.K2", f"robot.{name}"), first_point=(-28e-3, 0, 0), second_point=point)
            for name, point in ends.items()
        },
        parts={
            "C": Fixed(position=(0.014, 0.072, 0)),
            "spring": TwoPointSpring(between=("robot.D", "C"), stiffness=4530, length=7785e-5),
        },
        torque={"beta": 0.033},
        gravity=(0, 0, 0),
        q={
            "beta": -0.0617138900142764496,
            "theta": 0.0,
            "gamma": 0.455279819163070380,
            "phi": 0.222668390165885885,
            "delta": 0.487364979543842550,
            "omega": -0.222668390165885885,
            "epsilon": 1.230547444549821192,
        },
    )
