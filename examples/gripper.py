"""A two-finger gripper with geared motors picks up a box. Draws gripper.png."""

import numpy as np

import stiction
from stiction.parts import Fixed, FreeBody
from stiction.show.figure import save, style, subplots

HALF, HIGH = 0.05, 0.12  # fingers beside the middle, the lift above the floor [m]
tip = stiction.Box(size=(0.01, 0.03, 0.06), mass=0.1, material="rubber")
fingers = {
    name: stiction.Joint(
        name=name,
        kind="prismatic",
        parent="hand",
        child=f"{name}_finger",
        axis=(-side, 0, 0),  # closing is positive
        origin=stiction.Origin(xyz=(side * HALF, 0, -0.08)),
        limits=stiction.Limits(lower=0, upper=HALF),
    )
    for name, side in (("left", -1), ("right", 1))
}
lift = stiction.Joint(
    name="lift",
    kind="prismatic",
    parent="base",
    child="hand",
    axis=(0, 0, 1),
    origin=stiction.Origin(xyz=(0, 0, HIGH)),
    limits=stiction.Limits(lower=-0.1, upper=0.5),
)
gripper = stiction.Robot(
    name="gripper",
    links=[
        stiction.Link(name="base"),
        stiction.Link(name="hand", mass=0.5, inertia=np.diag([1e-3] * 3)),
        *(stiction.Link.of(f"{name}_finger", tip) for name in fingers),
    ],
    joints=[lift, *fingers.values()],
)
drive = stiction.Drive(
    motor=stiction.DCMotor(resistance=2.36, constant=2.58e-2, rotor_inertia=7e-7, rated_voltage=12.0),
    gear=stiction.Gear(ratio=600.0),  # rad/m
    joint_friction=stiction.Stribeck(level=3.0, static=4.0, velocity=0.005),
    command=stiction.Table(time=(0.0, 0.2, 0.4, 3.4, 3.5), value=(0.0, 0.0, 3.0, 3.0, -3.0)),  # V: close, hold, open
)
scene = stiction.Scene(
    robot=gripper,
    parts={
        "box": FreeBody.of(stiction.Box(size=(0.05, 0.04, 0.08), mass=0.3), position=(0, 0, 0.04)),
        "floor": Fixed(shapes=(stiction.HalfSpace(),)),
    },
    drives=dict.fromkeys(fingers, drive),
    motion={"lift": stiction.Table(time=(0.0, 1.0, 2.0, 4.0), value=(0.0, 0.0, 0.15, 0.15))},
    contacts=stiction.Contacts(
        most=12,
        surface=stiction.Surface(static=0.4, kinetic=0.3),
        surfaces={"rubber/default": stiction.Surface(static=0.9, kinetic=0.7)},
        off=[("robot.left_finger", "robot.right_finger")],
    ),
)
run = stiction.simulate(scene, duration=4.0, step=1e-3)
held = (run.time > 2.0) & (run.time < 3.3)
slipped = np.ptp((run["box.position.z"] - run["q.lift"])[held])
print(f"lifted to {run['box.position.z'][held].max():.3f} m, slipped {1e6 * slipped:.2g} µm while held")
print(f"grip {abs(run['contact.robot.left_finger.force.x'][held]).mean():.1f} N for a box of {0.3 * 9.81:.2f} N")

with style():
    picture, (height, grip, touch) = subplots(3, 7.5)
    height.plot(run.time, run["box.position.z"], label="box")
    height.plot(run.time, run["q.lift"] + HIGH - 0.08, "--", label="fingers")
    for name in ("left", "right"):
        grip.plot(run.time, run[f"contact.robot.{name}_finger.force.x"], label=f"{name} finger")
    grip.plot(run.time, run["contact.box.force.z"], color="black", linewidth=0.8, label="box, upwards")
    for k in range(12):
        mode = run[f"contact.{k + 1}.state"]
        for value, color in ((1, "tab:blue"), (2, "tab:orange")):
            touch.fill_between(run.time, k, k + 0.8, where=mode == value, color=color, linewidth=0)
    height.set_title("a gripper picks up a box, and lets it go")
    height.set_ylabel("height [m]")
    grip.set_title("contact forces on each body")
    grip.set_ylabel("force [N]")
    grip.set_ylim(-60, 60)
    touch.set_title("contacts: stuck (blue), sliding (orange)")
    touch.set_ylabel("slot")
    touch.set_xlabel("time [s]")
    height.legend()
    grip.legend()
    save(picture, "gripper.png")
