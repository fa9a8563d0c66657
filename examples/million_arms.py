"""A million arms that differ: how far from its target each one is after two seconds. Draws million_arms.png.

An arm of two links on geared DC motors goes to a target and stays there; its controllers have no integral part, so that
gravity and friction leave an error. Load, friction and losses of the gears are drawn for each arm.

    python examples/million_arms.py                              2000 arms on the processor
    python examples/million_arms.py --arms 1000000 --device cuda
"""

import argparse
import time

import numpy as np

import stiction
from stiction.show.figure import save, style, subplots

options = argparse.ArgumentParser(description=__doc__)
options.add_argument("--arms", type=int, default=2000)
options.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
given = options.parse_args()

motor = stiction.DCMotor(resistance=1.6, constant=0.05, rotor_inertia=2e-5, rated_voltage=48.0)
drive = stiction.Drive(
    motor=motor,
    gear=stiction.Gear(ratio=100, efficiency=0.8),
    joint_friction=stiction.Stribeck(level=1.0, static=1.3, velocity=0.02, viscous=0.5),
)
pid = stiction.PID(clock=stiction.Clock(period=2e-3), proportional=300.0, derivative=15.0, limit=48.0)
joints = ("shoulder", "elbow")
target = {"shoulder": 0.9, "elbow": 0.6}
scene = stiction.Scene(
    robot=stiction.library.two_link(lengths=(0.4, 0.3), masses=(3.0, 2.0)),
    drives=dict.fromkeys(joints, drive),
    control=dict.fromkeys(joints, pid),
    reference=target,
)

random, n = np.random.default_rng(1), given.arms
load, efficiency, scale = random.uniform(1.0, 6.0, n), random.uniform(0.5, 0.95, n), random.uniform(0.3, 3.0, n)
values = {"robot.forearm.mass": load}
for joint in joints:
    values[f"drive.{joint}.efficiency"] = values[f"drive.{joint}.back_efficiency"] = efficiency
    values[f"friction.{joint}.level"], values[f"friction.{joint}.static"] = scale, 1.3 * scale
began = time.perf_counter()
run = stiction.simulate(
    scene,
    duration=2.0,
    step=1e-3,
    record=2.0,
    signals=["q."],
    parameters=values,
    device=given.device,
    threads=None,
)
seconds = time.perf_counter() - began
error = 1e3 * (run["q.elbow"][-1] - target["elbow"])  # mrad
print(f"{n} arms, 2 s each at 1 ms, in {seconds:.1f} s: {n * 2000 / seconds:.2g} steps a second, {given.device}")
half, most = np.quantile(np.abs(error), (0.5, 0.95))
print(f"elbow: half of them within {half:.2f} mrad, 95 % within {most:.2f} mrad")

with style():
    picture, axes = subplots(3, 8.4, sharex=False)
    edges = np.linspace(*np.quantile(error, (0.001, 0.999)), 121)
    for ax, (name, x, unit) in zip(
        axes,
        (("friction", scale, "N·m"), ("mass of the forearm", load, "kg"), ("efficiency of the gears", efficiency, "1")),
        strict=True,
    ):
        low, high = np.quantile(x, (1 / 3, 2 / 3))
        for label, chosen in (
            (f"below {low:.2g}", x < low),
            ("between", (x >= low) & (x < high)),
            (f"above {high:.2g}", x >= high),
        ):
            counts, _ = np.histogram(error[chosen], edges)
            ax.stairs(100 * counts / max(1, chosen.sum()), edges, label=label, linewidth=1.5)
        ax.set_title(f"by {name} [{unit}]")
        ax.set_xlabel("error of the elbow after 2 s [mrad]")
        ax.set_ylabel("arms [%]")
        ax.legend()
    save(picture, "million_arms.png")
