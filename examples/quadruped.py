"""A quadruped from example-robot-data lands, stands and is pushed. Draws quadruped.png.

Needs the package example-robot-data, which comes with `pip install '.[test]'`.
"""

from importlib.util import find_spec
from pathlib import Path

import numpy as np

import stiction
from stiction.parts import Fixed, Source
from stiction.show.figure import save, style, subplots

spec = find_spec("cmeel")
if spec is None or spec.origin is None:
    raise SystemExit("this example needs a robot of example-robot-data: pip install '.[test]'")
robots = Path(spec.origin).parent.parent / "cmeel.prefix/share/example-robot-data/robots"
go1 = stiction.Robot.from_urdf(robots / "go1_description/urdf/go1.urdf", base="floating", lumped=True)

POSE = {"hip": 0.0, "thigh": 0.9, "calf": -1.8}
legs = [joint.name for joint in go1.joints if joint.kind in ("revolute", "continuous")]
pose = {name: POSE[name.split("_")[1]] for name in legs}
feet = [link.name for link in go1.links if link.name.endswith("_foot")]


def push(t):
    """40 N to the side for a fifth of a second, after two seconds."""
    return stiction.trace.where((t > 2.0) & (t < 2.2), 40.0, 0.0)


scene = stiction.Scene(
    robot=go1,
    parts={"floor": Fixed(shapes=(stiction.HalfSpace(),)), "push": Source(functions=(0.0, push, 0.0))},
    wires=[stiction.Wire("robot.trunk.force", ["push.force"])],
    control={
        name: stiction.PID(clock=stiction.Clock(period=2e-3), proportional=80.0, derivative=2.0, limit=35.0)
        for name in legs
    },
    reference=pose,
    friction={name: stiction.Coulomb(level=0.2, viscous=0.05) for name in legs},
    contacts=stiction.Contacts(surface=stiction.Surface(static=0.8, kinetic=0.6), off=[("robot.*", "robot.*")]),
    q={"root.z": 0.4, **pose},
)
run = stiction.simulate(scene, duration=4.0, step=1e-3)
weight = sum(link.mass for link in go1.links) * 9.81
stands = sum(run[f"contact.robot.{foot}.force.z"][-1] for foot in feet)
print(f"it weighs {weight:.1f} N and stands with {stands:.1f} N; the push moved it by {run['q.root.y'][-1]:.3f} m")

with style():
    picture, (height, forces, touch) = subplots(3, 7.5)
    height.plot(run.time, run["q.root.z"], label="height")
    height.plot(run.time, run["q.root.y"], label="to the side")
    for foot in feet:
        forces.plot(run.time, run[f"contact.robot.{foot}.force.z"], label=foot)
    numbers = [k for k, x in enumerate(scene.candidates) if x.body.endswith("_foot")]
    for row, number in enumerate(numbers):
        for value, color in ((1, "tab:blue"), (2, "tab:orange")):
            here = [
                (run[f"contact.{k}.candidate"] == number) & (run[f"contact.{k}.state"] == value) for k in range(1, 9)
            ]
            touch.fill_between(run.time, row, row + 0.8, where=np.any(here, axis=0), color=color, linewidth=0)
    touch.set_yticks([row + 0.4 for row in range(len(numbers))], feet)
    height.set_title("a quadruped lands, stands, and is pushed to the side at 2 s")
    height.set_ylabel("trunk [m]")
    forces.set_title("force on each foot")
    forces.set_ylabel("force [N]")
    forces.set_ylim(-5, 150)
    touch.set_title("feet: stuck (blue), sliding (orange)")
    touch.set_xlabel("time [s]")
    height.legend()
    forces.legend(ncols=4)
    save(picture, "quadruped.png")
