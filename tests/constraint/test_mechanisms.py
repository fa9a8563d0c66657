"""Closed loops against closed forms, reduced equations, a published benchmark and peers."""

import mujoco
import numpy as np
import pytest
from benchmarks.peers.mechanisms import (
    COUPLER,
    CRANK,
    GROUND,
    LOOP,
    ROCKER,
    InPinocchio,
    four_bar,
    four_bar_robot,
    gripper,
    in_mujoco,
    rocker_angle,
    stewart,
    without,
)
from scipy.integrate import solve_ivp

from stiction import (
    PID,
    Clock,
    Coulomb,
    DCMotor,
    Drive,
    Gear,
    Moreau,
    Pin,
    Scene,
    StictionWarning,
    Stribeck,
    Viscous,
    simulate,
)
from stiction.trace import sin

from .mechanisms import SQUEEZED, SQUEEZED_SPEEDS, five_bar, slider_crank, squeezer

METHODS = ["rk4", "gill", "moreau", Moreau(scheme="gill"), "euler"]


def test_four_bar_is_closed_as_the_triangle_of_its_diagonal_says():
    for crank in np.linspace(-3, 3, 7):
        scene = four_bar(crank)
        assert scene.q[0] == crank
        assert abs(scene.q[2] - rocker_angle(crank)) < 1e-12


def test_a_crank_that_is_turned_moves_the_rocker():
    run = simulate(four_bar(motion={"crank": lambda t: 1 + 5 * t}), duration=2.0, step=1e-3)
    assert abs(np.unwrap(run["q.rocker"]) - np.unwrap(rocker_angle(1 + 5 * run.time))).max() < 1e-9


def reduced_four_bar(angle):
    """Inertia about the crank and its slope, and the torque of gravity, by differences of the rocker's angle."""

    def both(crank):
        rocker = rocker_angle(crank)
        end = np.array([GROUND + ROCKER * np.cos(rocker), ROCKER * np.sin(rocker)])
        start = np.array([CRANK * np.cos(crank), CRANK * np.sin(crank)])
        middle = np.array([(CRANK / 2) * np.cos(crank), (CRANK / 2) * np.sin(crank)])
        foot = np.array([GROUND, 0.0])
        centers = [middle, (start + end) / 2, (foot + end) / 2]
        turns = [crank, np.arctan2(*(end - start)[::-1]), rocker]
        return np.array(centers), np.array(turns)

    masses, lengths = np.array([1.0, 2.0, 1.5]), np.array([CRANK, COUPLER, ROCKER])

    def inertia(crank, d=1e-4):
        (c1, t1), (c0, t0) = both(crank + d), both(crank - d)
        turned = np.angle(np.exp(1j * (t1 - t0))) / (2 * d)
        return masses @ (((c1 - c0) / (2 * d)) ** 2).sum(axis=1) + (masses * lengths**2 / 12) @ turned**2

    d = 1e-4
    height = [masses @ both(angle + x)[0][:, 1] * 9.81 for x in (d, -d)]
    slope = (inertia(angle + d) - inertia(angle - d)) / (2 * d)
    return inertia(angle), slope, (height[0] - height[1]) / (2 * d)


def test_four_bar_accelerates_as_its_one_equation_says():
    for crank, speed, torque in ((1.0, 2.0, 0.0), (-0.5, -3.0, 1.5), (2.5, 0.0, -2.0)):
        J, slope, weight = reduced_four_bar(crank)
        moment = four_bar(crank, v={"crank": speed}).constrained()
        expected = (torque - weight - slope * speed**2 / 2) / J
        assert abs(moment.acceleration([torque, 0, 0])[0] - expected) < 1e-5 * max(1, abs(expected))  # differences


def test_slider_crank_moves_as_its_one_equation_says():
    """x = r cos a + √(l² − r² sin² a), and Lagrange's equation for a with SciPy."""
    r, length = 0.15, 0.4

    def motion(a):
        s = r * np.sin(a)
        x = r * np.cos(a) + np.sqrt(length**2 - s**2)
        return x, np.arctan2(-s, np.sqrt(length**2 - s**2))  # slider, rod

    def inertia_and_height(a, d=1e-5):
        (x1, b1), (x0, b0) = motion(a + d), motion(a - d)
        ends = [
            np.array([r * np.cos(y) + length / 2 * np.cos(motion(y)[1]), r / 2 * np.sin(y)]) for y in (a + d, a - d)
        ]
        rod = (((ends[0] - ends[1]) / (2 * d)) ** 2).sum() + length**2 / 12 * ((b1 - b0) / (2 * d)) ** 2
        return r**2 / 3 + rod + 0.8 * ((x1 - x0) / (2 * d)) ** 2, 9.81 * r * np.sin(a)  # both bars weigh 1 kg

    def flow(_, y, d=1e-4):
        a, w = y
        (up, high), (down, low) = inertia_and_height(a + d), inertia_and_height(a - d)
        J = inertia_and_height(a)[0]
        return [w, (-(high - low) / (2 * d) - (up - down) / (2 * d) * w * w / 2) / J]

    exact = solve_ivp(flow, (0, 1), [0.7, 3.0], rtol=1e-9, atol=1e-10).y[:, -1]
    run = simulate(slider_crank(q={"crank": 0.7}, v={"crank": 3.0}), duration=1.0, step=1e-3, method="rk4")
    assert abs(run["q.crank"][-1] - exact[0]) < 1e-5  # differences again
    assert abs(run["q.slider"] - motion(run["q.crank"])[0]).max() < 1e-11


def test_andrews_squeezing_mechanism():
    scene = squeezer()
    moment = scene.constrained()
    assert int(moment.rank) == 6  # of 9 rows: 3 are across the plane
    start = moment.acceleration([0.033, 0, 0, 0, 0, 0, 0])
    assert abs(start[:2] - [14222.44391995411, -10666.83293996558]).max() < 1e-7
    run = simulate(scene, duration=0.03, step=1e-5, method="rk4")
    for name, x in SQUEEZED.items():
        assert abs(run[f"q.{name}"][-1] - x) < 3e-9  # to which the published digits agree with the limit of small steps
    for name, x in SQUEEZED_SPEEDS.items():
        assert abs(run[f"v.{name}"][-1] - x) < 1e-6 * abs(x)
    rough = simulate(scene, duration=0.03, step=1e-5)
    assert abs(rough["q.beta"][-1] - SQUEEZED["beta"]) < 2e-4  # 16 turns' worth of angle, order 2


def test_accelerations_are_those_of_pinocchio():
    for scene in (
        *(four_bar(crank, v={"crank": speed}) for crank, speed in ((1.0, 2.0), (-2.0, -5.0), (0.1, 0.0))),
        without(gripper(v={"left_crank": 3.0}), "gears"),
    ):
        n = len(scene.v)
        torque = np.linspace(-0.1, 0.1, n)
        ours, theirs = (
            scene.constrained().acceleration(torque),
            InPinocchio(scene).acceleration(scene.q, scene.v, torque),
        )
        assert abs(ours - theirs).max() < 1e-8 * max(1, abs(ours).max())


@pytest.mark.parametrize(
    "scene", [four_bar(v={"crank": 2.0}), gripper(v={"left_crank": 3.0})], ids=["four-bar", "gripper"]
)
def test_motion_is_that_of_mujoco(scene):
    """Its equalities give a little: by some 1e−6 of the way where they are as stiff as these."""
    model, data = in_mujoco(scene, 1e-4)
    mujoco.mj_step(model, data, 5000)
    run = simulate(scene, duration=0.5, step=1e-4, method="rk4")
    assert abs(run.stack("q.")[-1] - data.qpos).max() < 2e-5


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_gaps_stay_closed_for_ten_seconds(method):
    scene = four_bar(v={"crank": 2.0}, friction={"rocker": Viscous(coefficient=0.01)})
    run = simulate(scene, duration=10.0, step=1e-3, method=method)
    q = [run[f"q.{name}"] for name in ("crank", "coupler", "rocker")]
    x = CRANK * np.cos(q[0]) + COUPLER * np.cos(q[0] + q[1]) - GROUND - ROCKER * np.cos(q[2])
    y = CRANK * np.sin(q[0]) + COUPLER * np.sin(q[0] + q[1]) - ROCKER * np.sin(q[2])
    assert max(abs(x).max(), abs(y).max()) < 1e-11
    slip = np.gradient(x, run.time)
    assert abs(slip).max() < 1e-8
    assert (run["constraint_rank"][1:] == 2).all()


@pytest.mark.parametrize(("method", "order"), [("euler", 1), ("moreau", 2), ("rk4", 4)])
def test_methods_keep_their_order(method, order):
    scene = four_bar(v={"crank": 2.0})
    exact = simulate(scene, duration=0.4, step=1e-4, method="rk4")["q.crank"][-1]
    steps = (8e-3, 4e-3) if method == "rk4" else (4e-4, 2e-4)
    errors = [abs(simulate(scene, duration=0.4, step=h, method=method)["q.crank"][-1] - exact) for h in steps]
    assert errors[0] / errors[1] > 0.8 * 2**order


def test_energy_is_kept():
    scene = four_bar(v={"crank": 2.0})
    run = simulate(scene, duration=2.0, step=1e-3, method="rk4", energy=True)
    assert abs(run["energy.residue"]).max() < 1e-6
    run = simulate(scene, duration=2.0, step=1e-4, energy=True)
    assert abs(run["energy.residue"]).max() < 1e-3


@pytest.mark.parametrize("step", [1e-4, 1e-3, 5e-3])
def test_joints_that_stick_do_not_creep_while_others_move(step):
    scene = five_bar(
        friction={"left": Coulomb(level=30.0), "right": Viscous(coefficient=2.0)},
        torque={"right": lambda t: 5 + 4 * sin(6 * t)},
    )
    run = simulate(scene, duration=5.0, step=step)
    assert np.ptp(run["q.right"]) > 1
    assert np.ptp(run["q.left"]) < 1e-11
    assert run["constraint_gap"][-1] < 1e-11
    fine = simulate(scene, duration=5.0, step=1e-4, method="rk4")
    assert abs(run["q.right"][-1] - fine["q.right"][-1]) < 2e-4 * (1 + (step / 1e-3) ** 2)


@pytest.mark.parametrize("step", [2e-4, 1e-3, 5e-3])
def test_friction_in_all_joints_of_one_degree_of_freedom_holds(step):
    """Three rows for one velocity: who holds how much is open, but what all hold is not."""
    scene = four_bar(v={"crank": 2.0}, friction=dict.fromkeys(("crank", "coupler", "rocker"), Coulomb(level=0.2)))
    run = simulate(scene, duration=10.0, step=step)
    assert abs(np.ptp(run["q.crank"][run.time > 9])) < 1e-12
    assert run["constraint_gap"][-1] < 1e-11
    rate = np.gradient(rocker_angle(run["q.crank"][-1] + np.linspace(-1e-4, 1e-4, 3)), 1e-4)[1]
    moment = scene.constrained(q=[run[f"q.{x}"][-1] for x in ("crank", "coupler", "rocker")], v=[0, 0, 0])
    way = np.linalg.svd(moment.A)[2][-1]  # along which it can move
    held = sum(run[f"friction.{x}"][-1] * w for x, w in zip(("crank", "coupler", "rocker"), way, strict=True))
    assert abs(held + moment.bias @ way) < 1e-9
    assert abs(way[2] / way[0] - rate) < 1e-5
    fine = simulate(scene, duration=10.0, step=1e-4, method="rk4")
    assert abs(run["q.crank"][-1] - fine["q.crank"][-1]) < 0.02  # where it comes to rest, after bristles have settled


def test_redundant_constraints_change_nothing():
    plain, twice = four_bar(v={"crank": 2.0}), four_bar(v={"crank": 2.0}, constraints={"a": LOOP, "b": LOOP})
    moment = twice.constrained()
    assert moment.A.shape == (6, 3)
    assert int(moment.rank) == 2
    assert abs(moment.acceleration() - plain.constrained().acceleration()).max() < 1e-9
    for method in ("moreau", "rk4"):
        a, b = (simulate(scene, duration=1.0, step=1e-3, method=method) for scene in (plain, twice))
        assert abs(a["q.crank"] - b["q.crank"]).max() < 1e-9
        assert (b["constraint_rank"][1:] == 2).all()


def test_a_stewart_platform_is_held_by_friction():
    """Six loops through one body, larger than a mass matrix is usually written for."""
    scene = stewart()
    run = simulate(scene, duration=0.3, step=1e-3)
    assert (run["constraint_rank"][1:] == 18).all()
    assert np.ptp(run["platform.position.z"]) < 1e-10
    less = {f"friction.leg{k}.slide.level": 1.0 for k in range(6)}
    freed = simulate(scene, duration=0.3, step=1e-3, parameters=less)
    other = simulate(scene, duration=0.3, step=1e-4, method="rk4", parameters=less)
    assert np.ptp(freed["platform.position.z"]) > 0.05
    assert abs(freed["platform.position.z"][-1] - other["platform.position.z"][-1]) < 1e-3


def test_projector():
    for scene in (four_bar(v={"crank": 1.0}), five_bar(), slider_crank(q={"crank": 0.3}), squeezer()):
        moment = scene.constrained()
        P, n = moment.projector, len(moment.velocities)
        assert abs(P @ P - P).max() < 1e-11
        assert np.linalg.matrix_rank(P, tol=1e-8) == n - int(moment.rank)
        a = moment.acceleration(np.linspace(-1, 1, n))
        torque = moment.torque(a)
        assert abs(moment.acceleration(torque) - a).max() < 1e-9 * max(1, abs(a).max())
        assert abs(P @ torque - torque).max() < 1e-9 * max(1, abs(torque).max())
        assert abs(moment.A @ a + moment.rate).max() < 1e-9 * max(1, abs(a).max())


def test_batches_are_their_runs():
    """Joints that are not given follow in each run."""
    cranks = np.array([0.2, 1.0, 2.0])
    many = simulate(four_bar(v={"crank": 2.0}), duration=0.5, step=1e-3, parameters={"q.crank": cranks})
    for k, crank in enumerate(cranks):
        one = simulate(four_bar(crank, v={"crank": 2.0}), duration=0.5, step=1e-3)
        assert abs(many["q.rocker"][:, k] - one["q.rocker"]).max() < 1e-10
        assert abs(many["v.rocker"][0, k] - one["v.rocker"][0]) < 1e-12


def test_a_run_goes_on_bit_for_bit():
    scene = four_bar(v={"crank": 2.0}, friction={"rocker": Coulomb(level=0.05)})
    for method in ("moreau", "rk4"):
        whole = simulate(scene, duration=0.4, step=1e-3, method=method)
        half = simulate(scene, duration=0.2, step=1e-3, method=method)
        rest = simulate(scene, duration=0.2, step=1e-3, method=method, start=half.state)
        for name in ("q.crank", "v.rocker", "constraint.loop.force.x"):
            assert rest[name][-1] == whole[name][-1]


def test_multipliers_are_the_force_of_the_pin():
    """The rocker alone: what turns it is the pin's push at its end, and its weight."""
    scene = four_bar(v={"crank": 2.0})
    for method in ("moreau", "rk4"):
        run = simulate(scene, duration=0.5, step=1e-4, method=method)
        q, a = run["q.rocker"], np.gradient(run["v.rocker"], run.time)
        fx, fy = (run[f"constraint.loop.force.{c}"] for c in "xy")  # with which the coupler pushes the rocker
        pushed = ROCKER * (fy * np.cos(q) - fx * np.sin(q)) - 1.5 * 9.81 * ROCKER / 2 * np.cos(q)
        taken = 1.5 * ROCKER**2 / 3 * a
        assert abs(pushed - taken)[5:-5].max() < 2e-3 * abs(taken).max()  # means over a step beside moments


def test_a_singular_position_is_told():
    """A parallelogram whose bars all lie on one line: rows depend on each other, and it may go on in two ways."""
    equal = Pin(between=("robot.coupler", "robot.rocker"), first_point=(GROUND, 0, 0), second_point=(CRANK, 0, 0))
    scene = Scene(robot=four_bar_robot(), constraints={"loop": equal}, gravity=(0, 0, 0), q=[0, 0, 0])
    assert int(scene.constrained().rank) == 1
    still = simulate(scene, duration=0.1, step=1e-3)
    assert (still["constraint_rank"][1:] == 1).all()
    crank = -0.1
    moving = Scene(
        robot=four_bar_robot(),
        constraints={"loop": equal},
        gravity=(0, 0, 0),
        q={"crank": crank},
        near={"coupler": -crank, "rocker": crank},
        v={"crank": 1.0},
    )
    with pytest.warns(StictionWarning, match="singular position"):
        run = simulate(moving, duration=0.2, step=1e-3)
    assert run["constraint_gap"][-1] < 1e-6


@pytest.mark.parametrize("stiffness", [None, 1.0])
def test_a_driven_four_bar(stiffness):
    """Motor, gear (rigid or elastic), friction on both sides, and a digital controller on the crank of a loop."""
    gear = Gear(ratio=50.0) if stiffness is None else Gear(ratio=50.0, stiffness=stiffness, damping=1e-3)
    drive = Drive(
        motor=DCMotor(resistance=1.0, constant=0.05, rotor_inertia=2e-5),
        gear=gear,
        motor_friction=Coulomb(level=0.002),
        joint_friction=Stribeck(level=0.3, static=0.4, velocity=0.05),
    )
    scene = four_bar(
        1.0,
        drives={"crank": drive},
        control={"crank": PID(clock=Clock(period=2e-3), proportional=60.0, derivative=2.0, integral=30.0)},
        reference={"crank": lambda t: 1 + 0.8 * t},
        friction={"rocker": Coulomb(level=0.2)},
    )
    run = simulate(scene, duration=2.0, step=1e-3)
    fine = simulate(scene, duration=2.0, step=1e-4, method="rk4")
    assert abs(run["q.crank"][-1] - fine["q.crank"][-1]) < 2e-3
    assert abs(run["q.crank"][-1] - 2.6) < 0.05
    assert run["constraint_gap"][-1] < 1e-11
