"""What gears do to the mass matrix: a 2R arm with rotors of 5e-4 kg m² behind ratios of 1, 10 and 100. Prints M with
reflected inertia, and with the rotors as bodies that constraints gear to the joints; draws gear_ratio.png, the torques
that unit accelerations take.
"""

from dataclasses import replace

import numpy as np

import stiction
from stiction import Follow, Joint, Link, Robot, Scene
from stiction.show.figure import save, style, subplots

ROTOR = 5e-4  # kg m²
arm = stiction.library.two_link(lengths=(0.5, 0.5), masses=(1.0, 1.0))


def with_rotors(ratio, elbow):
    """M over the joints, where the rotors are bodies on the links that carry the motors."""
    names = {f"{joint.name}_rotor": joint for joint in arm.joints}
    rotors = [Link(name=name, mass=1e-9, inertia=ROTOR * np.eye(3)) for name in names]
    hinges = [
        Joint(name=name, kind="continuous", parent=joint.parent, child=name, origin=joint.origin, axis=joint.axis)
        for name, joint in names.items()
    ]
    whole = Robot(name="rotors", links=[*arm.links, *rotors], joints=[*arm.joints, *hinges])
    gears = {name: Follow(joint=name, of=joint.name, ratio=ratio) for name, joint in names.items()}
    moment = Scene(robot=whole, constraints=gears, q={"elbow": elbow}).constrained()
    free = np.array(
        [  # the two ways that the constraints leave: a joint, and its rotor with it
            [(name == joint.name) + ratio * (name == f"{joint.name}_rotor") for joint in arm.joints]
            for name in moment.velocities
        ]
    )
    return free.T @ moment.mass_matrix @ free


with style():
    picture, axes = subplots(3, 9.0, 5.0, sharex=False)
    for ax, ratio in zip(axes, (1.0, 10.0, 100.0), strict=True):
        print(f"ratio {ratio:g}: reflected inertia {ROTOR * ratio**2:g} kg m²")
        geared = replace(arm, joints=[replace(x, rotor_inertia=ROTOR, gear_ratio=ratio) for x in arm.joints])
        for word, elbow in (("bent", 2.0), ("stretched", 0.2)):
            M, exact = geared.mass_matrix([0.0, elbow]), with_rotors(ratio, elbow)
            print(f"  {word:9} M = {M.round(4).tolist()}; with rotors as bodies {exact.round(4).tolist()}")
            ax.plot(*geared.ellipsoid([0.0, elbow], "torque").points().T, label=word)
        ax.set_title(f"ratio {ratio:g}")
        ax.set_aspect("equal")
        ax.set_ylabel("elbow [N·m]")
    axes[-1].set_xlabel("shoulder [N·m]")
    axes[0].legend()
    save(picture, "gear_ratio.png")
