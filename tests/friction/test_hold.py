"""Sticking must survive honest steps: no drift below break-away, the right acceleration above it."""

import numpy as np
import pytest

import stiction
from stiction import Joint, Link, Robot
from stiction.friction import Coulomb, Stribeck
from stiction.robot.numbers import Assembly, Numbers
from stiction.robot.programs import Formula, prepared
from stiction.simulation.semi_implicit import Site, semi_implicit_step
from stiction.spatial import Vector
from stiction.trace import Port, loop, sin

LAWS = {"Coulomb": Coulomb(level=0.5), "Stribeck": Stribeck(level=0.45, static=0.5, velocity=0.01, viscous=0.02)}


def flywheel(inertia):
    return Robot(
        name="flywheel",
        links=[Link(name="base"), Link(name="wheel", mass=1.0, inertia=np.diag([inertia, inertia, inertia]))],
        joints=[Joint(name="axle", kind="continuous", parent="base", child="wheel")],
    )


def simulator(robot, law):
    """Steps of a robot with one law at each joint, under constant torques plus a common oscillation of given parts."""
    n = robot.nv
    names = [f"{joint}.{f}" for joint in robot.velocity_names for f in _numbers(law)]

    def function(r: Assembly, g, h, steps, law_numbers, mean, swing, start, state):
        values = dict(zip(names, law_numbers, strict=True))

        def one(k, x):
            q, v, mode = x[:n], x[n : 2 * n], x[2 * n : 3 * n]
            t = (start + k) * h
            torque = [m + s * sin(100 * t) for m, s in zip(mean, swing, strict=True)]
            sites = [
                Site([int(i == j) for i in range(n)], law.with_numbers(lambda name, _, joint=joint: values[f"{joint}.{name}"]))
                for j, joint in enumerate(robot.velocity_names)
            ]
            step = semi_implicit_step(r.mechanism, q, v, torque, Vector(*g), sites, mode, h)
            return [*step.q, *step.v, *step.mode, *step.friction, step.residual]

        return (loop(steps, one, state),)

    uniform = [Port("gravity", (3,), "", "uniform"), *(Port(x, (), "", "uniform") for x in ("h", "steps"))]
    inputs = (*uniform, Port("law", (len(names),)), Port("mean", (n,)), Port("swing", (n,)), Port("start"), Port("state", (4 * n + 1,)))
    key = ("hold", type(law).__name__, tuple(_numbers(law)))
    return prepared(robot, "hold", key, (), lambda: Formula(inputs, (Port("state", (4 * n + 1,)),), function))


def _numbers(law):
    found = {}
    law.with_numbers(lambda name, value: found.setdefault(name, value))
    return found


def run(robot, laws, q, mean, swing, h, duration, gravity=(0, 0, 0), state=None, start=0):
    """State after a while; laws is one law per joint (of one class)."""
    program, numbers = simulator(robot, laws[0])
    values = [x for law in laws for x in _numbers(law).values()]
    state = np.concatenate([q, np.zeros(3 * robot.nv + 1)]) if state is None else state
    steps = round(duration / h)
    return program(numbers, gravity, h, steps, values, mean, swing, start, state)[0], start + steps


@pytest.mark.parametrize("h", [1e-4, 1e-3, 2e-3])
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("inertia", [1e-4, 1e-3, 0.0304, 10.0])
def test_one_joint_holds(inertia, law, h):
    robot = flywheel(inertia)
    for mean, swing in ((0.336, 0.144), (0.499, 0.0), (-0.3, 0.19)):
        early, k = run(robot, [LAWS[law]], [0.0], [mean], [swing], h, 1.0)
        late, _ = run(robot, [LAWS[law]], [0.0], [mean], [swing], h, 10.0, state=early, start=k)
        assert abs(late[0] - early[0]) < 1e-9
        assert late[2] == 0 and late[4] == 0, "stuck, and no contradiction left"


@pytest.mark.parametrize("h", [1e-4, 1e-3, 2e-3])
@pytest.mark.parametrize("inertia", [1e-4, 0.0304, 10.0])
def test_above_break_away_it_accelerates_as_it_should(inertia, h):
    for sign in (1, -1):
        state, k = run(flywheel(inertia), [LAWS["Coulomb"]], [0.0], [sign * 0.6], [0.0], h, 0.5)
        assert state[1] == pytest.approx(sign * 0.1 / inertia * k * h, rel=1e-6)
        assert state[3] == pytest.approx(sign * 0.5, rel=1e-12)


@pytest.mark.parametrize("law", LAWS)
def test_steady_sliding_reaches_the_curve(law):
    """Under a constant torque with viscous friction the speed settles where the curve meets the torque."""
    chosen = LAWS[law] if law == "Stribeck" else Coulomb(level=0.5, viscous=0.02)
    state, _ = run(flywheel(1e-3), [chosen], [0.0], [0.8], [0.0], 1e-3, 3.0)
    assert chosen.steady(float(state[1])) == pytest.approx(0.8, rel=1e-9)


@pytest.mark.parametrize("h", [1e-4, 1e-3, 2e-3])
@pytest.mark.parametrize("kind", ["Coulomb", "Stribeck"])
def test_an_arm_holds_against_gravity(kind, h):
    robot = stiction.library.puma560()
    q = np.array([0.2, 0.7, 2.8, 0.3, 0.6, 0.1])
    load = np.abs(robot.gravity_torque(q)) * 1.3 + 0.2
    extra = {"static": None, "velocity": 0.01} if kind == "Stribeck" else {}
    laws = [(Coulomb if kind == "Coulomb" else Stribeck)(level=F * 0.9 if extra else F, **(extra | {"static": F} if extra else {})) for F in load]
    early, k = run(robot, laws, q, np.zeros(6), np.full(6, 0.02), h, 0.2, gravity=(0, 0, -9.81))
    late, _ = run(robot, laws, q, np.zeros(6), np.full(6, 0.02), h, 2.0, gravity=(0, 0, -9.81), state=early, start=k)
    np.testing.assert_allclose(late[:6], early[:6], atol=1e-9)
    np.testing.assert_array_equal(late[12:18], 0)


def test_when_one_joint_breaks_away_its_neighbour_may_too():
    """Two coupled joints: the torque on the first alone is below the second's friction, but its motion is not."""
    robot = stiction.library.two_link(lengths=(0.5, 0.5), masses=(1.0, 1.0))
    laws = [Coulomb(level=0.1), Coulomb(level=0.05)]
    state, _ = run(robot, laws, [0.0, 0.0], [2.0, 0.0], [0.0, 0.0], 1e-3, 1e-3)
    assert list(state[4:6]) == [1, -1]
    M = robot.mass_matrix([0.0, 0.0])
    np.testing.assert_allclose(state[2:4], np.linalg.solve(M, [2.0 - 0.1, 0.05]) * 1e-3, rtol=1e-12)


def test_sites_may_be_sums_of_joints():
    """Friction on q̇1 + q̇2 alone: that sum sticks, the difference is free."""
    robot = stiction.library.two_link()
    m = Assembly(robot, Numbers()).mechanism
    site = Site([1, 1], Coulomb(level=5.0))
    q, v, mode = [0.1, 0.4], [0.0, 0.0], [0]
    for _ in range(200):
        q, v, mode, friction, residual = semi_implicit_step(m, q, v, [0.02, -0.01], Vector(0, 0, 0), [site], mode, 1e-3)
    assert abs(sum(v)) < 1e-15 and abs(v[0]) > 1e-3
    assert mode == [0] and residual == 0 and abs(friction[0]) < 5
