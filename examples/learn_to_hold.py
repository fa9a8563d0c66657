"""A geared arm with friction learns to reach a pose and to hold it, in a few seconds on two cores.

512 arms step together, each with friction and a payload of its own: 64 policies on eight arms each. A policy is linear:
motor voltages from positions, speeds and a constant. The cross-entropy method keeps the best policies of each round and
draws the next ones around them. What was learned is then compared with the untrained policy (no voltage) on 20 seeds
that it has not seen. Draws learn_to_hold.png.
"""

import time

import numpy as np

import stiction
from stiction.learn import Task, VectorEnvironment
from stiction.show.figure import save, subplots

GOAL = np.array([0.6, 0.9])  # shoulder and elbow [rad]; 0 hangs straight down
NEAR = 0.02  # rad: an arm holds if both joints stay within it in the last half second
POLICIES, ARMS, BEST, ROUNDS, SEEDS = 64, 8, 10, 40, 20

arm = stiction.library.two_link(lengths=(0.4, 0.3), masses=(1.5, 0.8))
motor = stiction.DCMotor(resistance=1.2, constant=0.05, rotor_inertia=2e-5, rated_voltage=24.0)
friction = stiction.Stribeck(level=0.8, static=1.1, velocity=0.02, viscous=0.2)
drive = stiction.Drive(motor=motor, gear=stiction.Gear(ratio=80, efficiency=0.8), joint_friction=friction)


def error(seen):
    """How far the joints are from the goal [rad], the worse of both."""
    return np.maximum(abs(seen["q.shoulder"] - GOAL[0]), abs(seen["q.elbow"] - GOAL[1]))


task = Task(
    scene=stiction.Scene(robot=arm, drives={"shoulder": drive, "elbow": drive}, gravity=(9.81, 0, 0)),
    step=1e-3,
    hold=10,
    method="moreau",
    duration=2.0,
    actions={"drive.*.command": 24.0},  # V
    reward=lambda seen: -error(seen) - np.minimum(error(seen), NEAR) / NEAR,  # near is good, within NEAR is better
    parameters={
        "friction.*.level": lambda random, n: random.uniform(0.4, 1.0, (n, 2)),  # N·m
        "robot.forearm.mass": lambda random, n: random.uniform(0.6, 1.2, n),  # kg
    },
    q=lambda random, n: random.uniform(-0.3, 0.3, (n, 2)),
)


def play(envs, policies, seed):
    """Rewards of an episode, (runs,), and positions over time, (T, runs, 2), under one policy (2, 5) for each run."""
    (seen, _), rewards, positions = envs.reset(seed=seed), 0.0, []
    for _ in range(round(task.duration / (task.step * task.hold))):
        inputs = np.concatenate([seen[:, :2] - GOAL, 0.1 * seen[:, 2:], np.ones((len(seen), 1))], axis=1)
        seen, reward, *_ = envs.step(np.clip(np.einsum("rij,rj->ri", policies, inputs), -1, 1))
        rewards = rewards + reward
        positions.append(seen[:, :2])
    return rewards, np.array(positions)


def learned(rounds=ROUNDS, seed=0):
    """The mean of the last best policies, (2, 5), and the mean reward of the best ones in each round."""
    envs, random = VectorEnvironment(task, POLICIES * ARMS, autoreset="Disabled"), np.random.default_rng(seed)
    mean, spread, history = np.zeros((2, 5)), np.ones((2, 5)), []
    for k in range(rounds):
        policies = random.normal(mean, spread, (POLICIES, 2, 5))
        rewards, _ = play(envs, np.repeat(policies, ARMS, axis=0), 1000 * seed + k)
        best = policies[np.argsort(rewards.reshape(POLICIES, ARMS).mean(axis=1))[-BEST:]]
        mean, spread = best.mean(axis=0), best.std(axis=0) + 0.2 / (k + 1)
        history.append(np.sort(rewards.reshape(POLICIES, ARMS).mean(axis=1))[-BEST:].mean())
        print(f"\rround {k + 1} of {rounds}: mean reward of the best {history[-1]:.1f} ", end="", flush=True)
    print()
    return mean, history


def holds(policy, seeds=SEEDS):
    """Which of these seeds end with both joints held at the goal, and all positions, (T, seeds, 2)."""
    envs = VectorEnvironment(task, 1, autoreset="Disabled")
    paths = np.concatenate([play(envs, policy[None], 10_000_000 + seed)[1] for seed in range(seeds)], axis=1)
    last = paths[-round(0.5 / (task.step * task.hold)) :]
    return (abs(last - GOAL) < NEAR).all(axis=(0, 2)), paths


if __name__ == "__main__":
    began = time.perf_counter()
    policy, history = learned()
    seconds = time.perf_counter() - began
    untrained, trained = holds(np.zeros((2, 5))), holds(policy)
    steps = len(history) * POLICIES * ARMS * round(task.duration / task.step)
    print(f"learned in {seconds:.0f} s: {steps / 1e6:.0f} million steps of robots")
    print(f"untrained: holds on {untrained[0].sum()} of {SEEDS} seeds; learned: on {trained[0].sum()} of {SEEDS}")
    picture, (curve, paths) = subplots(2, 6, sharex=False)
    curve.plot(range(1, len(history) + 1), history)
    curve.set(xlabel="round", ylabel="mean reward of the best")
    t = np.arange(1, len(trained[1]) + 1) * task.step * task.hold
    for k, joint in enumerate(("shoulder", "elbow")):
        paths.plot(t, trained[1][:, :, k], color=f"C{k}", alpha=0.4, linewidth=0.8)
        paths.axhspan(GOAL[k] - NEAR, GOAL[k] + NEAR, color=f"C{k}", alpha=0.3, label=f"goal of the {joint}")
    paths.set(xlabel="time [s]", ylabel="position [rad]", title=f"what was learned, on {SEEDS} unseen seeds")
    paths.legend(loc="lower right")
    save(picture, "learn_to_hold.png")
