"""Many values at once are as many runs one by one, to the bit."""

from dataclasses import replace

import numpy as np
import pytest

import stiction
from stiction import Coulomb, InputError, Scene, Stribeck, simulate
from stiction.trace import sin
from tests.scenes import TWO_LINK, everything, flywheel


def scene(level=0.5, mass=1.0):
    law = Stribeck(level=level, static=1.2, velocity=0.1, viscous=0.02)
    arm = stiction.library.two_link(lengths=(0.3, 0.3), masses=(1.0, mass))
    return Scene(
        robot=arm,
        friction={"shoulder": law, "elbow": Coulomb(level=0.3)},
        torque={"shoulder": lambda t: 2 * sin(5 * t)},
        gravity=(0, 0, 0),
    )


@pytest.mark.parametrize("method", ["moreau", "rk4"])
def test_a_batch_is_its_members(method):
    levels, masses = np.array([0.2, 0.5, 0.9]), np.array([0.5, 1.0, 2.0])
    one_by_one = [simulate(scene(a), duration=1.0, step=1e-3, method=method, record=0.1) for a in levels]
    together = simulate(
        scene(), duration=1.0, step=1e-3, method=method, record=0.1, parameters={"friction.shoulder.level": levels}
    )
    assert together["q.shoulder"].shape == (11, 3)
    for name in together.signals:
        for k, single in enumerate(one_by_one):
            assert together[name][:, k].tobytes() == single[name].tobytes(), name
    values = {"friction.shoulder.level": levels[:, None], "robot.forearm.mass": masses[None, :]}
    grid = simulate(scene(), duration=0.2, step=1e-3, method="moreau", parameters=values, threads=None)
    assert grid["q.elbow"].shape == (201, 3, 3)
    corner = simulate(scene(0.9, 2.0), duration=0.2, step=1e-3, method="moreau")
    np.testing.assert_allclose(grid["q.elbow"][:, 2, 2], corner["q.elbow"], rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(grid.valid_until, 0.2)


def test_names_of_parameters():
    known = scene().parameters
    assert known["friction.elbow.level"] == 0.3 and known["robot.forearm.mass"] == 1.0
    with pytest.raises(
        InputError, match=r"unknown parameter 'forearm.mass'; this simulation has: .*robot.forearm.mass"
    ):
        simulate(scene(), duration=0.1, step=1e-3, parameters={"forearm.mass": [1.0]})


def test_a_member_that_diverges_does_not_spoil_the_others():
    springy = replace(
        scene(),
        torque={"shoulder": 0.1},
        friction={"elbow": stiction.LuGre(level=0.3, static=0.4, velocity=0.1, stiffness=100.0, damping=1.0)},
    )
    how = {"duration": 2.0, "step": 2e-3, "record": 0.1, "method": "rk4"}
    fast = {"friction.elbow.stiffness": np.array([100.0, 2e4, 200.0]), "v.elbow": 0.5}
    run = simulate(springy, **how, parameters=fast)
    assert run.status == "diverged" and "run 1" in run.message
    assert run.valid_until[1] < 2.0 and run.valid_until[0] == run.valid_until[2] == pytest.approx(2.0)
    assert run.diverged.tolist() == [False, True, False]
    assert all(np.isfinite(x).all() for x in run.signals.values())
    for k, stiffness in ((0, 100.0), (2, 200.0)):
        alone = simulate(springy, **how, parameters={"friction.elbow.stiffness": stiffness, "v.elbow": 0.5})
        for name in run.signals:
            assert run[name][:, k].tobytes() == alone[name].tobytes(), name
    assert np.isfinite(run.state.values).all()
    last = np.searchsorted(run.time, run.valid_until[1] - 1e-9)
    assert np.ptp(run["q.elbow"][last:, 1]) == 0, "it stays where it was"
    bad, good = run.of(1), run.of(2)
    assert (bad.status, good.status) == ("diverged", "completed") and bad.message == run.message and bad.diverged
    assert bad.time[-1] == pytest.approx(run.valid_until[1]) and len(bad["q.elbow"]) == len(bad.time) == last + 1
    assert bad.state is None and good.state["q.elbow"] == good["q.elbow"][-1]


@pytest.mark.parametrize("shape", [(3,), (2, 3)], ids=str)
def test_one_run_out_of_a_batch_is_the_run_alone(shape):
    """Its signals, its state and the run that goes on from it, to the last bit."""
    levels = np.linspace(0.05, 0.6, int(np.prod(shape))).reshape(shape)
    how = {"duration": 0.3, "step": 1e-3, "method": "moreau", "record": 0.1}
    runs = simulate(scene(), **how, parameters={"friction.elbow.level": levels, "q.elbow": 0.2})
    for place in np.ndindex(shape):
        one = runs.of(place)
        alone = simulate(scene(), **how, parameters={"friction.elbow.level": levels[place], "q.elbow": 0.2})
        assert one.status == "completed" and one.message == "" and one.valid_until is None and not one.diverged
        assert all(one[name].tobytes() == alone[name].tobytes() for name in runs.signals)
        assert one.state.values.tobytes() == alone.state.values.tobytes() and one.state.tick == alone.state.tick
        assert one.state.parameters == alone.state.parameters == {"friction.elbow.level": levels[place]}
        assert one.state.chosen == alone.state.chosen and one.parameters == alone.parameters and one.parameters
        further, rest = (simulate(scene(), **how, start=run.state) for run in (one, alone))
        assert further["q.elbow"].tobytes() == rest["q.elbow"].tobytes()
    last = runs.of(-1) if len(shape) == 1 else runs.of((-1, -1))
    assert last["q.elbow"].tobytes() == one["q.elbow"].tobytes()
    for wrong in (7, (0, 0, 0), 0.5, "a", True, slice(2)):
        with pytest.raises(InputError, match=r"there is no run .* in this batch; allowed: a place in its shape"):
            runs.of(wrong)
    with pytest.raises(InputError, match="this is one run and no batch"):
        one.of(0)


def test_arrays_that_do_not_fit_are_named():
    many = {
        "friction.elbow.level": np.ones(3),
        "robot.forearm.mass": np.ones(3),
        "gravity.z": -9.0,
        "q.elbow": np.ones(4),
    }
    with pytest.raises(InputError, match=r"do not fit each other: 'friction.elbow.level' \(3,\), 'q.elbow' \(4,\)"):
        simulate(scene(), duration=0.1, step=1e-3, parameters=many)


def test_values_must_be_possible():
    for name, x, message in (
        ("friction.elbow.level", [-0.5, 0.1], "level is .-0.5"),
        ("friction.shoulder.static", [0.1], "static is 0.1 and below level"),
        ("friction.shoulder.velocity", 0.0, "velocity is 0"),
        ("robot.forearm.mass", [-1.0, 1.0], "forearm.mass is -1; allowed: above 0"),
        ("friction.elbow.level", ["a"], "allowed: a finite number, or an array"),
        ("friction.elbow.level", [], "allowed: a finite number, or an array"),
        ("friction.elbow.level", [np.nan], "allowed: a finite number"),
        (
            "friction.elbow.levl",
            [1.0],
            "unknown parameter 'friction.elbow.levl'; this simulation has: friction.elbow.level",
        ),
    ):
        with pytest.raises(InputError, match=message):
            simulate(scene(), duration=0.1, step=1e-3, parameters={name: x})
    with pytest.raises(InputError, match=r"too stiff for 'rk4'.*run 1 of the batch"):
        simulate(
            scene(),
            duration=0.1,
            step=1e-3,
            method="rk4",
            parameters={"friction.elbow.stiffness": [100.0, 1e9], "friction.elbow.damping": 1.0},
        )


def test_bristles_are_chosen_for_each_run():
    """Masses that change by a factor of a thousand: every run holds as it would alone."""
    arm = stiction.library.pendulum(1)
    hold = Scene(robot=arm, friction={"joint1": Coulomb(level=50.0)}, q=[0.3])
    masses = np.array([1.0, 0.1, 1e-3])
    run = simulate(hold, duration=1.0, step=1e-3, record=0.5, parameters={"robot.link1.mass": masses})
    for k, mass in enumerate(masses):
        alone = simulate(
            Scene(robot=stiction.library.pendulum(1, mass=mass), friction=hold.friction, q=[0.3]),
            duration=1.0,
            step=1e-3,
            record=0.5,
        )
        np.testing.assert_allclose(run["q.joint1"][:, k], alone["q.joint1"], atol=1e-12)


def test_first_marks_are_those_of_each_run():
    spun = simulate(scene(), duration=0.01, step=1e-3, parameters={"v.elbow": [0.0, 3.0]}, method="moreau")
    assert spun["mode.elbow"][0].tolist() == [0, 2] and spun["fastest.elbow"][0].tolist() == [0, 3]


@pytest.mark.parametrize("batch", [(), (2,)], ids=["one run", "a batch"])
def test_parameters_replaced_by_themselves_change_nothing(batch):
    """All of a scene with everything, at once, but those that turn a part: their rotations round otherwise."""
    scene = everything()
    known = {name: x for name, x in scene.parameters.items() if not turns(name)}
    assert len(known) > 200
    how = {"duration": 0.1, "step": 1e-3, "method": "moreau", "record": 0.01}
    run = simulate(scene, **how)
    same = simulate(scene, **how, parameters={name: np.full(batch, x) for name, x in known.items()})
    for name in run.signals:
        for x in same[name].reshape(len(run.time), -1).T:
            np.testing.assert_allclose(x, run[name], rtol=1e-9, atol=1e-12, err_msg=name)


def turns(name):
    """Whether a parameter turns a part of a robot."""
    return ".axis." in name or name.endswith(("roll", "pitch", "yaw"))


def test_axes_and_angles_of_a_robot_vary_in_a_batch():
    """As they do in `robot.forward_dynamics(..., parameters=...)`, and one by one in `simulate`."""
    arm = Scene(robot=TWO_LINK, q=[0.3, 0.2])
    how = {"duration": 0.1, "step": 1e-3, "record": 0.1}
    for name in filter(turns, arm.parameters):
        values = arm.parameters[name] + np.array([0.0, 0.1])
        batch = simulate(arm, **how, parameters={name: values})
        for k, x in enumerate(values):
            alone = simulate(arm, **how, parameters={name: x})
            np.testing.assert_allclose(batch["q.elbow"][:, k], alone["q.elbow"], rtol=1e-9)


def test_what_a_scene_lists_can_be_replaced():
    scene = Scene(robot=flywheel(0.02), friction={"axle": Coulomb(level=0.5)})
    simulate(scene, duration=0.1, step=1e-3, method="moreau", parameters=scene.parameters)
