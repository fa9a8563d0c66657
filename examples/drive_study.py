"""One geared drive: torque over speed, efficiency both ways, how hard it is to drive back. Draws drive_study.png."""

import numpy as np

import stiction
from stiction.show.figure import save, style, subplots

motor = stiction.DCMotor(resistance=2.36, constant=2.58e-2, rotor_inertia=7.03e-6, rated_voltage=24.0)
gear = stiction.Gear(ratio=120, efficiency=0.75, back_efficiency=0.55)
friction = stiction.Stribeck(level=0.6, static=0.8, velocity=0.01, viscous=0.3)
wheel = stiction.Robot(
    name="wheel",
    links=[stiction.Link(name="base"), stiction.Link(name="disc", mass=1.0, inertia=np.diag([0.05] * 3))],
    joints=[stiction.Joint(name="joint", kind="continuous", parent="base", child="disc")],
)


def steady(command, torque):
    """Speed and motor torque after a second, for many voltages or many loads at once."""
    drive = stiction.Drive(motor=motor, gear=gear, joint_friction=friction, command=1.0)
    scene = stiction.Scene(robot=wheel, drives={"joint": drive}, torque={"joint": 1.0}, gravity=(0, 0, 0))
    values = {"drive.joint.command": command, "torque.joint": torque}
    return stiction.simulate(
        scene, duration=2.0, step=1e-3, method="moreau", record=2.0, signals=("v.", "motor_torque"), parameters=values
    )


loads = np.linspace(0.0, 26.0, 53)  # N·m against the motion
driving = {volts: steady(volts, -loads) for volts in (8.0, 16.0, 24.0)}
driven = steady(0.0, loads)  # short-circuited, driven by the joint
stalls = loads[driving[24.0]["v.joint"][-1] < 1e-6][0]
gives = loads[driven["v.joint"][-1] > 1e-6][0]
print(f"stalls at {stalls:g} N·m and 24 V; driven back from {gives:g} N·m on")

with style():
    picture, (curve, efficiency, back) = subplots(3, 8.4, sharex=False)
    for volts, run in driving.items():
        speed, torque = run["v.joint"][-1], run["motor_torque.joint"][-1]
        moves = speed > 1e-6
        curve.plot(loads[moves], speed[moves], label=f"{volts:g} V")
        given = 120 * torque[moves] * speed[moves]
        efficiency.plot(loads[moves], 100 * loads[moves] * speed[moves] / given, label=f"driving, {volts:g} V")
    speed, torque = driven["v.joint"][-1], driven["motor_torque.joint"][-1]
    moves = speed > 1e-6
    efficiency.plot(loads[moves], -100 * 120 * torque[moves] / loads[moves], "--", label="driven back")
    back.plot(loads, speed)
    for ax, title, x, y in (
        (curve, "speed under load", "load at the joint [N·m]", "speed [rad/s]"),
        (efficiency, "power that arrives", "load at the joint [N·m]", "efficiency [%]"),
        (back, "driven back, motor short-circuited", "torque at the joint [N·m]", "speed [rad/s]"),
    ):
        ax.set_title(title)
        ax.set_xlabel(x)
        ax.set_ylabel(y)
    curve.legend()
    efficiency.legend()
    save(picture, "drive_study.png")
