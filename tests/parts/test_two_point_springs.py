"""Springs between two points."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import stiction
from stiction import InputError, Scene, simulate
from stiction.network import NetworkError
from stiction.parts import Fixed, FreeBody, TwoPointSpring

ARM = stiction.library.two_link(lengths=(0.4, 0.3), masses=(1.0, 0.5))
HOOK = {"stiffness": 200.0, "damping": 2.0, "length": 0.3, "preload": 5.0}


def sprung():
    """An arm in the vertical plane whose tip hangs on a post that stands 0.5 m above its shoulder."""
    return Scene(
        robot=ARM,
        parts={
            "post": Fixed(position=(0.1, 0.5, 0.0)),
            "spring": TwoPointSpring(between=("post", "robot.tip"), **HOOK),
        },
        gravity=(0, -9.81, 0),
        q=[0.3, 0.4],
    )


def expected(t_eval):
    """The textbook's 2R arm, written again: M q̈ + c + g = Jᵀ f."""
    L1, L2, m1, m2, g = 0.4, 0.3, 1.0, 0.5, 9.81

    def rates(_, y):
        a, b, u, w = y
        tip = np.array([L1 * np.cos(a) + L2 * np.cos(a + b), L1 * np.sin(a) + L2 * np.sin(a + b)])
        J = np.array([[-tip[1], -L2 * np.sin(a + b)], [tip[0], L2 * np.cos(a + b)]])
        way = np.array([0.1, 0.5]) - tip
        L = np.linalg.norm(way)
        rate = -(way / L) @ (J @ [u, w])
        force = (5 + 200 * (L - 0.3) + 2 * rate) * way / L
        c = L1 * L2 * np.cos(b)
        M = np.array([[(m1 + m2) * L1**2 + m2 * (L2**2 + 2 * c), m2 * (L2**2 + c)], [m2 * (L2**2 + c), m2 * L2**2]])
        h = m2 * L1 * L2 * np.sin(b)
        C = np.array([-h * (2 * u * w + w * w), h * u * u])
        G = g * np.array([(m1 + m2) * L1 * np.cos(a) + m2 * L2 * np.cos(a + b), m2 * L2 * np.cos(a + b)])
        return [u, w, *np.linalg.solve(M, J.T @ force - C - G)]

    return solve_ivp(rates, (0, t_eval[-1]), [0.3, 0.4, 0, 0], t_eval=t_eval, rtol=1e-11, atol=1e-12).y


@pytest.mark.parametrize(("method", "bar"), [("moreau", 2e-5), ("rk4", 1e-9), ("rosenbrock", 1e-4)])
def test_an_arm_on_a_spring(method, bar):
    run = simulate(sprung(), duration=1.5, step=5e-4, method=method, record=0.05)
    y = expected(run.time)
    np.testing.assert_allclose(run.stack("q."), y[:2].T, atol=bar * 10)
    assert run.units["spring.tension"] == "N" and np.ptp(run["spring.tension"]) > 5


def test_its_energy_is_in_the_balance():
    undamped = Scene(
        robot=ARM,
        parts={
            "post": Fixed(position=(0.1, 0.5, 0.0)),
            "spring": TwoPointSpring(between=("post", "robot.tip"), stiffness=200.0, length=0.3, preload=5.0),
        },
        gravity=(0, -9.81, 0),
        q=[0.3, 0.4],
    )
    run = simulate(undamped, duration=1.0, step=1e-4, method="rk4", energy=True, record=0.01)
    total = run["energy.kinetic"] + run["energy.potential"] + run["energy.elastic"]
    assert np.ptp(total) < 1e-8 * np.ptp(run["energy.kinetic"])
    assert np.abs(run["loss.spring"]).max() < 1e-8


def test_between_two_bodies_and_two_robots():
    """Momentum and its moment are kept: both ends feel the same force along one line."""
    balls = {
        "a": FreeBody(mass=1.0, inertia=(0.1, 0.1, 0.1), gravity=(0, 0, 0), velocity=(0, 0.3, 0)),
        "b": FreeBody(mass=2.0, inertia=(0.1, 0.1, 0.1), gravity=(0, 0, 0), position=(0.5, 0.1, 0.2)),
        "rope": TwoPointSpring(between=("a", "b"), **HOOK),
    }
    run = simulate(Scene(parts=balls), duration=1.0, step=1e-3, record=0.1)
    p = {k: np.stack([run[f"{k}.position.{c}"] for c in "xyz"], axis=1) for k in "ab"}
    v = {k: np.stack([run[f"{k}.velocity.{c}"] for c in "xyz"], axis=1) for k in "ab"}
    np.testing.assert_allclose(v["a"] + 2 * v["b"], np.broadcast_to([0, 0.3, 0], (11, 3)), atol=1e-9)
    spin = np.cross(p["a"], v["a"]) + 2 * np.cross(p["b"], v["b"])
    np.testing.assert_allclose(spin, np.broadcast_to(spin[0], (11, 3)), atol=1e-6)
    two = Scene(
        robots={"left": ARM, "right": ARM},
        parts={"rope": TwoPointSpring(between=("left.tip", "right.forearm"), **HOOK)},
        gravity=(0, 0, 0),
        q=[0.3, 0.4, 2.0, -0.5],
    )
    assert np.ptp(simulate(two, duration=0.5, step=1e-3)["q.right.shoulder"]) > 0.01


def test_bad_springs_are_refused():
    with pytest.raises(InputError, match="the names of two frames or bodies"):
        TwoPointSpring(between=("robot.tip",), stiffness=1.0)
    with pytest.raises(InputError, match="stiffness is -1"):
        TwoPointSpring(stiffness=-1.0)
    with pytest.raises(NetworkError, match=r"robot\.tipp"):
        Scene(robot=ARM, parts={"spring": TwoPointSpring(between=("robot.tipp", "robot.tip"), stiffness=1.0)})
    rod = TwoPointSpring(between=("robot.base", "robot.tip"), stiffness=1e9)
    stiff = Scene(robot=ARM, parts={"spring": rod}, q=[0.3, 0.4])
    with pytest.raises(stiction.StictionError, match=r"too stiff for 'moreau' at 0\.001 s"):
        simulate(stiff, duration=0.1, step=1e-3)
