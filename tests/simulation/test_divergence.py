"""A run that leaves the numbers is no result: it is raised with what it had; a batch says how many, and which."""

import numpy as np
import pytest

import stiction
from stiction import Coulomb, Dahl, DivergedError, InputError, Scene, StictionWarning, Stribeck, simulate
from tests.scenes import flywheel

FAST = Dahl(level=0.5, stiffness=1e5)  # holds at rest, and forgets within 5 μrad: too fast for a step of 1 ms


def spun(law=FAST, speed=50.0):
    return Scene(robot=flywheel(0.02), friction={"axle": law}, v=[speed])


@pytest.mark.parametrize("method", ["rk4", "gill", "euler"])
def test_a_single_run_is_raised_with_what_it_had(method):
    with pytest.raises(DivergedError, match=r"left the numbers at .* smaller step") as error:
        simulate(spun(), duration=2.0, step=1e-3, method=method, record=1e-3)
    run = error.value.run
    assert run.status == "diverged" and run.diverged and 0 < len(run.time) < 2001
    assert all(np.isfinite(x).all() for x in run.signals.values())
    with pytest.warns(StictionWarning, match="the run diverged"):
        kept = simulate(spun(), duration=2.0, step=1e-3, method=method, record=1e-3, on_divergence="keep")
    np.testing.assert_array_equal(kept["q.axle"], run["q.axle"])


def test_a_batch_says_how_many_and_which():
    stiffness = np.array([10.0, 1e5, 20.0, 1.2e5])
    with pytest.warns(StictionWarning, match=r"2 of 4 runs diverged .*run 1"):
        run = simulate(
            spun(), duration=1.0, step=1e-3, method="rk4", record=0.1, parameters={"friction.axle.stiffness": stiffness}
        )
    assert run.diverged.tolist() == [False, True, False, True]
    assert all(np.isfinite(x).all() for x in run.signals.values())
    for k in (0, 2):
        alone = simulate(
            spun(Dahl(level=0.5, stiffness=stiffness[k])), duration=1.0, step=1e-3, method="rk4", record=0.1
        )
        np.testing.assert_allclose(run["q.axle"][:, k], alone["q.axle"], rtol=1e-12)
        assert not alone.diverged


def test_words_for_it():
    with pytest.raises(InputError, match="on_divergence is 'ignore'; allowed: 'raise', 'keep'"):
        simulate(spun(), duration=1.0, step=1e-3, on_divergence="ignore")


LEVELS, STATICS = [0.1, 1.0, 0.5], [0.2, 2.0, 0.3]  # the third is impossible, and neither smallest nor largest


def test_every_run_of_a_batch_is_checked():
    """What is refused alone is refused in a batch, also between the extremes; the run is named with its values."""
    scene = spun(Stribeck(level=0.1, static=0.2, velocity=0.1), 0.0)
    with pytest.raises(stiction.FrictionError, match=r"static is 0\.3 and below level 0\.5"):
        Stribeck(level=0.5, static=0.3, velocity=0.1)
    both = {"friction.axle.level": LEVELS, "friction.axle.static": STATICS}
    for method in ("moreau", "rk4", "gears_implicit"):
        with pytest.raises(InputError, match=r"static is 0.3 and below level 0.5.*run 2 of the batch: .*level = 0.5"):
            simulate(scene, duration=0.1, step=1e-3, method=method, parameters=both)


def test_every_run_of_a_batch_is_checked_for_stability():
    scene = spun(Coulomb(level=0.5, stiffness=100.0, damping=1.0), 0.0)
    stiffness, damping = [100.0, 200.0, 1e3], [1.0, 1e3, 2.0]  # alone neither is extreme where both are too much
    simulate(scene, duration=0.01, step=1e-3, method="rk4", parameters={"friction.axle.stiffness": stiffness})
    with pytest.raises(InputError, match=r"too stiff for 'rk4'.*largest stable step.*run 1 of the batch"):
        simulate(
            scene,
            duration=0.01,
            step=1e-3,
            method="rk4",
            parameters={"friction.axle.stiffness": stiffness, "friction.axle.damping": damping},
        )


def test_masses_of_every_run_are_checked():
    with pytest.raises(
        InputError, match=r"mass matrix is not positive.*run 1, 0 of the batch: robot.link1.inertia.yy = -9"
    ):
        simulate(
            Scene(robot=stiction.library.pendulum(1)),
            duration=0.1,
            step=1e-2,
            parameters={"robot.link1.inertia.yy": np.array([[1.0, 2.0], [-9.0, 3.0]])},
        )


def test_parameters_that_shape_the_program_cannot_vanish():
    """An inductance makes the current a state: it cannot become 0 in some runs of a batch."""
    motor = stiction.DCMotor(resistance=1.0, constant=0.05, inductance=1e-2, rotor_inertia=1e-4)
    scene = Scene(robot=flywheel(0.02), drives={"axle": stiction.Drive(motor=motor, command=1.0)})
    simulate(scene, duration=0.01, step=1e-3, method="rk4", parameters={"drive.axle.inductance": [1e-2, 2e-2]})
    with pytest.raises(InputError, match="cannot become 0 in a batch"):
        simulate(scene, duration=0.01, step=1e-3, method="rk4", parameters={"drive.axle.inductance": [1e-2, 0.0]})
