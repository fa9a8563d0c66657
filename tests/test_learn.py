"""Environments are what Gymnasium says they are, and what the simulator does."""

import pickle
import runpy
import warnings

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import stiction
from stiction import Coulomb, Dahl, InputError, Scene, Simulator
from stiction.learn import Environment, Task, VectorEnvironment
from tests.gpu import Placed, imitate, placed
from tests.scenes import EXAMPLES, flywheel

ARM = stiction.library.two_link()
SCENE = Scene(robot=ARM, friction={"shoulder": Coulomb(level=0.3), "elbow": Coulomb(level=0.1)})
LEVELS = {"friction.*.level": lambda random, n: random.uniform(0.05, 0.4, (n, 2))}


def task(**more):
    return Task(
        **{
            "scene": SCENE,
            "step": 1e-3,
            "hold": 10,
            "method": "moreau",
            "actions": {"torque.shoulder": 3.0, "torque.*": 1.0},
            "reward": lambda seen: -(seen["q.shoulder"] ** 2) - 0.01 * seen["torque.elbow"] ** 2,
            "terminated": lambda seen: abs(seen["q.elbow"]) > 1.5,
            "duration": 0.5,
            "parameters": LEVELS,
            "q": lambda random, n: random.uniform(-1, 1, (n, 2)),
        }
        | more
    )


def test_gymnasiums_own_checker():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*Box observation space (minimum|maximum) value is.*infinity")
        warnings.filterwarnings("ignore", message=".*not wrapped|.*spec is not|.*env.spec is None")
        check_env(Environment(task()), skip_render_check=True)


def test_an_episode_is_a_run_of_the_simulator():
    """Actions are scaled and held; rewards are the user's function of what was seen; what was drawn counts."""
    env, actions = Environment(task()), np.random.default_rng(0).uniform(-1, 1, (20, 2))
    first, _ = env.reset(seed=4)
    random = np.random.default_rng(env.np_random_seed)
    levels, q = random.uniform(0.05, 0.4, (1, 2)), random.uniform(-1, 1, (1, 2))
    sim = Simulator(SCENE, step=1e-3, method="moreau", inputs=["torque.*"], outputs=["q.*", "v.*"])
    np.testing.assert_array_equal(first, sim.reset(q=q, parameters={"friction.*.level": levels}))
    for action in actions:
        seen, reward, *_ = env.step(action)
        expected = sim.step(action * [3.0, 1.0], steps=10)
        np.testing.assert_array_equal(seen, expected)
        assert reward == pytest.approx(-(expected[0] ** 2) - 0.01 * action[1] ** 2)
    clipped, twin = (pickle.loads(pickle.dumps(sim)) for _ in range(2))
    assert (env.step([5.0, -7.0])[0] == clipped.step([3.0, -1.0], steps=10)).all()
    assert (twin.step([15.0, -7.0], steps=10) != clipped.step(steps=0)).any()


def test_episodes_are_truncated_and_terminated():
    env = Environment(task(terminated=lambda seen: False))
    env.reset(seed=1)
    flags = [env.step([0.0, 0.0])[2:4] for _ in range(50)]
    assert flags[:-1] == [(False, False)] * 49 and flags[-1] == (False, True)
    env = Environment(task(actions={"torque.elbow": 50.0}))
    env.reset(seed=1)
    assert any(env.step([1.0])[2] for _ in range(50))


@pytest.mark.parametrize("mode", ["NextStep", "SameStep", "Disabled"])
def test_seeds_reproduce(mode):
    """The same seed, the same episodes, resets included; another seed, others."""

    def played(seed):
        envs = VectorEnvironment(task(), 5, autoreset=mode)
        assert envs.metadata["autoreset_mode"] is AutoresetMode(mode)
        seen, random = [envs.reset(seed=seed)[0]], np.random.default_rng(0)
        for _ in range(80):
            x, _, over, late, _ = envs.step(random.uniform(-1, 1, (5, 2)))
            if mode == "Disabled" and (over | late).any():
                x, _ = envs.reset(options={"reset_mask": over | late})
            seen.append(x)
        return np.array(seen)

    first = played(3)
    np.testing.assert_array_equal(first, played(3))
    assert (first != played(4)).any(axis=(1, 2)).all()


def test_runs_that_are_over_begin_anew():
    """Next step: an observation of the new start, reward 0. Same step: the last observation is in the info."""
    still = {"terminated": lambda seen: False, "q": np.array([0.4, 0.1]), "parameters": {}}
    later, now = (VectorEnvironment(task(**still), 3, autoreset=mode) for mode in ("NextStep", "SameStep"))
    start, _ = later.reset(seed=0)
    now.reset(seed=0)
    zero = np.zeros((3, 2))
    for _ in range(49):
        later.step(zero), now.step(zero)
    last, _, _, late, _ = later.step(zero)
    same, _, _, late_now, info = now.step(zero)
    assert late.all() and late_now.all()
    np.testing.assert_array_equal(info["final_obs"], last)
    np.testing.assert_array_equal(same, start)
    begun, reward, over, late, _ = later.step(zero)
    np.testing.assert_array_equal(begun, start)
    assert not reward.any() and not over.any() and not late.any()
    np.testing.assert_array_equal(later.step(zero)[0], now.step(zero)[0])


def test_one_environment_is_one_of_many():
    """A vector of environments with the same draws does what single ones do, to the last bit."""
    fixed = {"q": np.array([0.4, 0.1]), "parameters": {}, "terminated": lambda seen: False}
    envs, env = VectorEnvironment(task(**fixed), 4), Environment(task(**fixed))
    envs.reset(seed=0), env.reset(seed=0)
    for action in np.random.default_rng(0).uniform(-1, 1, (30, 2)):
        many, rewards, *_ = envs.step(np.tile(action, (4, 1)))
        one, reward, *_ = env.step(action)
        np.testing.assert_array_equal(many, np.tile(one, (4, 1)))
        np.testing.assert_allclose(rewards, reward, rtol=1e-14)


def test_a_run_that_leaves_the_numbers_is_over():
    scene = Scene(robot=flywheel(0.02), friction={"axle": Dahl(level=0.5, stiffness=10.0)}, v=[50.0])
    stiff = {"friction.axle.stiffness": [10.0, 1e5]}
    envs = VectorEnvironment(Task(scene=scene, step=1e-3, hold=500, method="rk4", duration=10.0, parameters=stiff), 2)
    envs.reset(seed=0)
    seen, _, over, late, info = envs.step(np.zeros((2, 1)))
    assert over.tolist() == info["diverged"].tolist() == [False, True] and not late.any() and np.isfinite(seen).all()


@pytest.mark.parametrize(
    "more, message",
    [
        ({"actions": {}}, "a value above 0 by input"),
        ({"actions": {"torque.*": -1.0}}, "a value above 0 by input"),
        ({"actions": {"torque.wrist": 1.0}}, "unknown input 'torque.wrist'"),
        ({"reward": 3.0}, "reward is 3.0; allowed: a function"),
        ({"duration": 0.505}, r"a whole number of actions of 0.01 s"),
        ({"observe": ["z."]}, "unknown signal 'z.'"),
        ({"hold": 0}, "hold is 0"),
    ],
)
def test_bad_tasks(more, message):
    with pytest.raises(InputError, match=message):
        Environment(task(**more))


def test_bad_actions():
    env = Environment(task())
    env.reset(seed=0)
    with pytest.raises(InputError, match=r"between -1 and 1, \(2,\), for torque.shoulder, torque.elbow"):
        env.step([0.0, 0.0, 0.0])
    with pytest.raises(InputError, match="numbers between"):
        env.step([np.nan, 0.0])
    with pytest.raises(InputError, match="autoreset is 'never'"):
        VectorEnvironment(task(), 2, autoreset="never")


def test_the_example_learns():
    """Untrained, no arm reaches the pose; after 25 rounds nearly all unseen ones reach and hold it."""
    example = runpy.run_path(str(EXAMPLES / "learn_to_hold.py"))
    policy, history = example["learned"](rounds=25)
    assert example["holds"](np.zeros((2, 5)))[0].sum() == 0
    assert example["holds"](policy)[0].sum() >= 18 and history[-1] > history[0]


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_environments_on_a_gpu_do_what_those_here_do(mode, monkeypatch):
    """Where all episodes begin at one place, by arrays that stay on the GPU; elsewhere at places that were drawn."""
    imitate(monkeypatch)
    pendulum = task(
        scene=Scene(robot=stiction.library.pendulum(1), friction={"joint1": Coulomb(level=0.2)}),
        hold=5,
        duration=0.05,
        actions={"torque.*": 3.0},
        reward=lambda seen: -(seen["q.joint1"] ** 2),
        terminated=lambda seen: np.abs(seen["q.joint1"]) > 0.305,
        parameters={},
        q=[0.3],
    )
    here, there = (VectorEnvironment(pendulum, 6, mode, device=device, starts=4) for device in ("cpu", "cuda"))
    first, second = here.reset(seed=1)[0], there.reset(seed=1)[0]
    np.testing.assert_array_equal(first, second)
    actions = np.linspace(-1, 1, 6)[:, None]
    for _ in range(25):
        a, b = here.step(actions), there.step(placed(actions))
        assert all(isinstance(x, Placed) for x in b[:4])
        for x, y in zip(a[:4], b[:4], strict=True):
            np.testing.assert_array_equal(x, y)


def test_environments_on_a_gpu_begin_where_it_was_drawn(monkeypatch):
    imitate(monkeypatch)
    env = VectorEnvironment(task(), 60, device="cuda", starts=5)
    first = np.unique(env.reset(seed=2)[0][:, 0])
    assert 2 < len(first) <= 5 and (np.abs(first) < 1).all()
    again = VectorEnvironment(task(), 60, device="cuda", starts=5).reset(seed=2)[0]
    np.testing.assert_array_equal(np.unique(again[:, 0]), first)
    with pytest.raises(InputError, match="starts is 0; allowed"):
        VectorEnvironment(task(), 4, device="cuda", starts=0)
