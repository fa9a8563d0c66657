"""What a user does one step further: it is right, or it is refused."""

import pickle

import numpy as np
import pytest

import stiction
from stiction import (
    PID,
    Clock,
    Coulomb,
    Curve,
    Drive,
    Formula,
    Gear,
    InputError,
    NetworkError,
    Scene,
    SceneError,
    StictionError,
    Stribeck,
    Term,
    TorqueMotor,
    Wire,
    run_file,
    simulate,
    write_scene,
)
from stiction.parts import Fixed, FreeBody, Friction, Mass, PenaltyJoint, Source
from stiction.trace import where
from tests.scenes import flywheel

PENDULUM = stiction.library.pendulum(1)
HOW = {"duration": 0.1, "step": 1e-3}


def geared(**gear):
    drive = Drive(motor=TorqueMotor(rotor_inertia=1e-4), gear=Gear(**{"ratio": 50.0} | gear), command=0.2)
    return Scene(robot=flywheel(0.02), drives={"axle": drive})


def refused(message, error=InputError, scene=None, **more):
    with pytest.raises(error, match=message):
        simulate(scene or Scene(robot=PENDULUM), **HOW | more)


def test_one_source_has_one_term():
    with pytest.raises(NetworkError, match=r"two terms of 'p.force'; add up their gains"):
        Wire("c.force", [Term("p.force", 2.0), Term("p.force", 3.0)])


def test_an_axis_is_made_a_unit_vector_however_it_is_given():
    alone = simulate(Scene(robot=PENDULUM, q=[0.5]), **HOW, parameters={"robot.joint1.axis.x": 0.7})
    batch = simulate(Scene(robot=PENDULUM, q=[0.5]), **HOW, parameters={"robot.joint1.axis.x": [0.0, 0.7]})
    np.testing.assert_allclose(batch["q.joint1"][:, 1], alone["q.joint1"], rtol=1e-12)


def test_parameters_that_others_follow_are_not_offered():
    """Friction in the teeth holds the rotor's inertia, wires hold ratios and couplings: one alone would be wrong."""
    assert "drive.axle.rotor_inertia" in geared().parameters
    assert "drive.axle.rotor_inertia" not in geared(efficiency=0.7).parameters
    assert not any("gear_ratio" in name or "coupling" in name for name in geared().parameters)


def test_values_that_no_part_could_have():
    soft = geared(stiffness=10.0)
    for ratio in (0.0, -50.0):
        refused("changed its sign", scene=soft, parameters={"drive.axle.ratio": [50.0, ratio]}, step=1e-4)
    limited = Scene(robot=flywheel(0.02), drives={"axle": Drive(motor=TorqueMotor(torque_limit=2.0), command=1.0)})
    refused("torque_limit is not above 0", scene=limited, parameters={"drive.axle.torque_limit": [2.0, -3.0]})
    curve = Scene(robot=flywheel(0.02), friction={"axle": Curve(function=lambda w: 0.5 + 0 * w)})
    refused("below the function at speed 0", scene=curve, parameters={"friction.axle.static": [0.6, 0.1]})
    refused("mass is -1; allowed: above 0", parameters={"robot.link1.mass": [1.0, -1.0]})
    body = Scene(parts={"b": FreeBody(mass=1.0, inertia=(1, 1, 1))})
    refused("quaternion has not length 1", scene=body, parameters={"b.quaternion.w": 5.0})
    for wrong in ("0.5", True):
        refused("allowed: a finite number", parameters={"gravity.z": wrong})


def test_where_a_run_begins_is_said_once():
    first = simulate(Scene(robot=PENDULUM), **HOW)
    refused("start says where the run begins", start=first.state, parameters={"q.joint1": 2.0})


def test_friction_of_a_drive_is_not_taken_away_in_silence():
    drive = Drive(motor=TorqueMotor(), joint_friction=Coulomb(level=20.0))
    with pytest.raises(SceneError, match="friction both in its drive and in the scene"):
        Scene(robot=flywheel(0.02), drives={"axle": drive}, friction={"axle": None})


def test_friction_in_space_is_the_same_in_all_directions():
    with pytest.raises(InputError, match="differs for the two directions"):
        Friction(law=Stribeck(level=(0.1, 0.4), static=0.5, velocity=0.1), dimension=2)


def test_friction_that_pushes_is_refused_whatever_its_gains():
    scene = Scene(
        parts={"m": Mass(mass=1.0), "f": Friction(law=Coulomb(level=0.1))},
        wires=[Wire("f.velocity", [Term("m.velocity", 0.5)]), Wire("m.force", [Term("f.torque", 2.0)])],
    )
    refused("wired to push", NetworkError, scene)


def test_stiff_hinges_are_refused():
    joint = PenaltyJoint(anchor_b=(-0.1, 0, 0), stiffness=1e9, damping=1.0, turning_stiffness=10.0, turning_damping=0.1)
    ports = ("position", "quaternion", "velocity", "angular")
    wires = [Wire(f"h.{p}_{s}", [f"{b}.{p}"]) for s, b in (("a", "w"), ("b", "rod")) for p in ports]
    wires += [Wire("rod.force", ["h.force_b"]), Wire("rod.moment", ["h.moment_b"])]
    parts = {"w": Fixed(), "rod": FreeBody(mass=1.0, inertia=(0.01,) * 3, position=(0.1, 0, 0)), "h": joint}
    for method in ("rk4", "moreau"):
        refused("the spring of 'h' is too stiff", StictionError, Scene(parts=parts, wires=wires), method=method)


def test_the_balance_of_energy_can_begin_late():
    scene = Scene(robot=PENDULUM, q=[0.5])
    first = simulate(scene, **HOW, method="rk4")
    later = simulate(scene, **HOW, method="rk4", start=first.state, energy=True)
    assert np.abs(later["energy.residue"]).max() < 1e-9
    assert set(simulate(scene, **HOW, energy=True, signals=["energy.residue"]).signals) >= {"energy.residue"}


def test_a_run_that_diverged_stays_where_it_was():
    """A blow of 1e70 N for 20 ms ends one of two runs; the other is not touched. What is lost does not move on."""
    scene = Scene(
        parts={"m": Mass(mass=1.0), "p": Source(functions=(lambda t: where((t > 0.03) & (t < 0.05), 1e70, 1.0),))},
        wires=[Wire("m.force", [Term("p.force", 0.5)])],
    )
    run = simulate(scene, **HOW, record=0.01, parameters={"m.force.gain.p.force": [0.5, 1e-90]})
    assert run.diverged.tolist() == [True, False]
    stopped = run["m.position"][run.time > run.valid_until[0] - 1e-9, 0]
    assert np.ptp(stopped) == 0 and run.state["m.position"][0] == stopped[0]


def test_batches_go_on_with_their_parameters():
    scene = Scene(robot=PENDULUM, friction={"joint1": Coulomb(level=0.1)}, q=[0.5])
    levels = {"friction.joint1.level": [0.1, 0.5]}
    whole = simulate(scene, duration=0.4, step=1e-3, parameters=levels)
    half = simulate(scene, duration=0.2, step=1e-3, parameters=levels)
    rest = simulate(scene, duration=0.2, step=1e-3, start=half.state)
    np.testing.assert_array_equal(rest["q.joint1"][-1], whole["q.joint1"][-1])


def test_errors_of_files_name_the_file(tmp_path):
    law = Coulomb(level=0.5, stiffness=1e9, damping=1.0)
    scene = Scene(robot=flywheel(0.02), friction={"axle": law})
    write_scene(tmp_path / "s.toml", scene, duration=1.0, step=1e-3, method="rk4")
    with pytest.raises(StictionError, match=r"s\.toml: friction bristles are too stiff") as error:
        run_file(tmp_path / "s.toml")
    assert str(pickle.loads(pickle.dumps(error.value))) == str(error.value)


def test_gears_beside_free_bodies():
    scene = geared()
    both = Scene(robot=scene.robot, drives=scene.drives, parts={"b": FreeBody(mass=1.0, inertia=(1, 1, 1))})
    for method in ("gears_semi_implicit", "gears_implicit", "moreau"):
        alone, beside = (simulate(s, **HOW, method=method)["v.axle"][-1] for s in (scene, both))
        assert beside == pytest.approx(alone, rel=1e-12)


def test_nothing_moves_where_nothing_can():
    for method in ("rk4", "moreau"):
        assert len(simulate(Scene(parts={"w": Fixed()}), **HOW, method=method).time) == 101


def test_scenes_and_runs_can_be_copied():
    scene = Scene(robot=PENDULUM, torque={"joint1": Formula("sin(t)")})
    assert pickle.loads(pickle.dumps(scene)) == scene
    run = simulate(Scene(robot=PENDULUM, torque={"joint1": lambda t: t}), **HOW)
    assert pickle.loads(pickle.dumps(run))["q.joint1"].tolist() == run["q.joint1"].tolist()


def test_scenes_keep_what_they_were_given():
    friction = {"joint1": Coulomb(level=0.1)}
    scene = Scene(robot=PENDULUM, friction=friction)
    friction["joint1"] = Coulomb(level=9.0)
    assert scene.parameters["friction.joint1.level"] == 0.1 and scene.friction["joint1"].level == (0.1, 0.1)


def test_controllers_among_parts_are_not_written(tmp_path):
    pid = PID(clock=Clock(period=1e-3), proportional=1.0)
    scene = Scene(
        parts={"m": Mass(mass=1.0), "pid": pid},
        wires=[
            Wire("pid.position", ["m.position"]),
            Wire("pid.velocity", ["m.velocity"]),
            Wire("pid.target", [], [0.5]),
            Wire("m.force", ["pid.command"]),
        ],
    )
    with pytest.raises(SceneError, match="a controller among the parts"):
        write_scene(tmp_path / "s.toml", scene, duration=1.0, step=1e-3)


def test_many_slots_fit_a_file(tmp_path):
    """A thousand ticks of delay on five joints: more names than an attribute of HDF5 holds."""
    pid = PID(clock=Clock(period=1e-3, delay=1000), proportional=1.0)
    robot = stiction.library.chain(5)
    names = robot.velocity_names
    scene = Scene(robot=robot, control=dict.fromkeys(names, pid), reference=dict.fromkeys(names, 0.0))
    run = simulate(scene, duration=0.01, step=1e-3)
    run.save(tmp_path / "run.h5")
    assert stiction.Trajectory.load(tmp_path / "run.h5").state.names == run.state.names
