"""Programs are found by structure: what has another structure must never be given another's program."""

import numpy as np
import pytest

from stiction import Joint, Link, Origin, Robot, Scene, Table, Wire, simulate
from stiction.parts import Mass, Source
from stiction.trace import loop, where

HOW = {"duration": 0.5, "step": 1e-3, "record": 0.5}


def arm(joints=("joint1", "joint2"), links=("base", "link1", "link2")):
    """Two links in a plane; only names differ."""
    made, between = [Link(name=links[0])], []
    for k, (name, joint, mass, length) in enumerate(zip(links[1:], joints, (1.0, 2.0), (0.5, 0.3), strict=True)):
        inertia = np.diag([mass * length**2 / 12] * 2 + [1e-4])
        made.append(Link(name=name, mass=mass, center_of_mass=(0, 0, -length / 2), inertia=inertia))
        origin = Origin(xyz=(0, 0, -0.5 * k))
        between.append(Joint(name=joint, kind="revolute", parent=links[k], child=name, axis=(0, 1, 0), origin=origin))
    return Robot(name="arm", links=made, joints=between)


def test_signals_go_by_name():
    """Robots alike but for their names: "q.a" is the first joint of one, the second of the other."""
    found = [
        simulate(Scene(robot=arm(joints=names), q={"a": 0.5, "b": 0.2}), signals=["q.a"], **HOW)["q.a"]
        for names in (("a", "b"), ("b", "a"))
    ]
    assert found[0][0] == found[1][0] == 0.5 and found[0][1] != found[1][1]


def test_parameters_go_by_name():
    """ "link2" is the last link of one robot and the first of the other."""
    masses = np.array([0.5, 1.0, 3.0])
    for links in (("base", "link1", "link2"), ("link1", "link2", "link3")):
        batch = simulate(Scene(robot=arm(links=links), q=[0.5, 0.2]), parameters={"robot.link2.mass": masses}, **HOW)
        for k, mass in enumerate(masses):
            alone = Scene(robot=arm(links=links), q=[0.5, 0.2])
            one = simulate(alone, parameters={"robot.link2.mass": mass}, **HOW)
            np.testing.assert_allclose(batch["q.joint1"][:, k], one["q.joint1"], rtol=1e-12)
    assert batch["q.joint1"][-1, 0] < 0, "a light first link swings through"


def pushed(function):
    return Scene(parts={"m": Mass(mass=1.0), "p": Source(functions=(function,))}, wires=[Wire("m.force", ["p.force"])])


def test_own_kinds_of_tables_are_traced():
    class Scaled(Table):
        def __call__(self, t):
            return factor * super().__call__(t)

    for factor in (1.0, 3.0):
        table = Scaled(time=[0, 1], value=[1.0, 1.0])
        assert simulate(pushed(table), **HOW)["m.velocity"][-1] == pytest.approx(0.5 * factor)


def test_loops_of_another_shape_are_other_functions():
    """Three times, or once with the row 3; to the end, or until a value is 0."""

    def counted(k, x):
        return [x[0] + 1 + 0 * k, where(x[0] > 0, 0, 1)]

    def times(rows, until_zero=None):
        return lambda t: loop(rows, counted, [0 * t, 1 + 0 * t], until_zero)[0]

    for function in (times(3), times([3]), times(5), times(5, until_zero=1)):
        assert simulate(pushed(function), **HOW)["m.velocity"][-1] == pytest.approx(0.5 * function(1.0))
