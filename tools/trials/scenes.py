"""Random scenes against what must hold: bits over lanes, threads and interruptions, energy, and joints that stay."""

import pickle
import random
from pathlib import Path
from typing import Any

import numpy as np

import stiction
from stiction import library
from stiction.friction.law import Law
from stiction.parts import Fixed, FreeBody
from trials.trial import BrokenError, noted

STEPS, FIRST = 200, 80  # of a run, and of its first piece
GAINED = 0.02  # of all energy that is turned over: more from nothing, without a note, is broken
CREEP = 1e-18  # rad of rounding per step of a hold
SHORT = 1e-4  # s: at longer steps energies of drives are known not always to be right (docs/reliability.md)
SUPPLIED = "work.supply."  # to motors: what they make of it counts as their own work
METHODS = ("moreau", "rk4", "gill")


# Scenes.


def law(dice: random.Random, scale: float = 1.0) -> Law:
    """Friction of any kind, of about this size [N·m]."""
    level = scale * dice.uniform(0.01, 1)
    more = level * dice.uniform(1, 3)
    return dice.choice(
        [
            lambda: stiction.Coulomb(level=(level, more)),
            lambda: stiction.Stribeck(level=level, static=more, velocity=0.05),
            lambda: stiction.Viscous(coefficient=level),
            lambda: stiction.LuGre(level=level, static=more, velocity=0.05, stiffness=500.0 * scale, damping=2 * scale),
        ]
    )()


def arm(dice: random.Random) -> tuple[stiction.Scene, str]:
    """A chain with friction and gravity of any size; and what moves it at the start."""
    robot = dice.choice([library.pendulum, library.chain])(dice.randint(1, 4))
    names = [joint.name for joint in robot.moving_joints]
    friction = {name: law(dice) for name in names if dice.random() < 0.8}
    q, v = ([dice.uniform(-size, size) for _ in names] for size in (1, 2))
    return stiction.Scene(robot=robot, friction=friction, q=q, v=v), f"q.{names[0]}"


def drive(dice: random.Random) -> stiction.Drive:
    """A motor and a gear of any kind, with friction on both sides."""
    rotor, inductance = 10 ** dice.uniform(-6, -3), dice.choice([0.0, 1e-3])
    stiffness, backlash = dice.uniform(0.1, 5), dice.choice([0.0, 0.01])
    motor = dice.choice(
        [
            lambda: stiction.TorqueMotor(rotor_inertia=rotor, torque_limit=dice.choice([None, 1.0])),
            lambda: stiction.CurrentMotor(rotor_inertia=rotor, constant=0.1),
            lambda: stiction.DCMotor(
                rotor_inertia=rotor,
                constant=0.1,
                resistance=1.0,
                inductance=inductance,
                rated_voltage=24.0,
            ),
        ]
    )()
    ratio = dice.choice([-1, 1]) * 10 ** dice.uniform(0, 2)
    gear = dice.choice(
        [
            lambda: stiction.Gear(ratio=ratio),
            lambda: stiction.Gear(ratio=ratio, efficiency=dice.uniform(0.5, 1)),
            lambda: stiction.Gear(ratio=ratio, efficiency=0.4, self_locking=True),
            lambda: stiction.Gear(ratio=ratio, stiffness=stiffness, damping=1e-3, backlash=backlash),
        ]
    )()
    motor_friction, joint_friction = (dice.choice([None, law(dice, size)]) for size in (0.01, 1))
    return stiction.Drive(motor=motor, gear=gear, motor_friction=motor_friction, joint_friction=joint_friction)


def controller(dice: random.Random) -> Any:
    """A PID, or a cascade of loops, sampled by a clock."""
    clock = stiction.Clock(period=4e-3, delay=dice.randint(0, 1))
    if dice.random() < 0.5:
        return stiction.PID(clock=clock, proportional=20.0, integral=5.0, derivative=1.0, limit=24.0)
    return stiction.Cascade(
        position=stiction.PositionLoop(clock=clock, proportional=5.0),
        velocity=stiction.VelocityLoop(clock=clock, proportional=0.05, integral=0.1, limit=10.0),
    )


def driven(dice: random.Random) -> tuple[stiction.Scene, str]:
    """A chain with motors and gears, some of them under controllers that see it by sensors."""
    robot = library.chain(dice.randint(1, 3))
    names = [joint.name for joint in robot.moving_joints]
    drives = {name: drive(dice) for name in names if dice.random() < 0.8}
    control = {name: controller(dice) for name in drives if dice.random() < 0.7}
    sensors = {name: [stiction.Encoder(counts=4096, noise=1e-4)] for name in control if dice.random() < 0.5}
    q = [dice.uniform(-1, 1) for _ in names]
    scene = stiction.Scene(
        robot=robot,
        drives=drives,
        control=control,
        reference={name: dice.uniform(-1, 1) for name in control},
        sensors=sensors,
        torque={name: dice.uniform(-2, 2) for name in names if name not in drives},
        q=q,
    )
    return scene, f"q.{names[0]}"


def touching(dice: random.Random) -> tuple[stiction.Scene, str]:
    """Bodies that fall on the floor and on each other; perhaps a driven finger that pushes one."""
    bodies, height = {}, 0.0
    for k in range(dice.randint(1, 2)):
        size, mass = 10 ** dice.uniform(-1.3, -0.3), 10 ** dice.uniform(-1, 1)
        shape = dice.choice(
            [
                stiction.Box(size=(size, 0.6 * size, 0.3 * size), mass=mass),
                stiction.Sphere(radius=size / 2, mass=mass),
                stiction.Capsule(radius=size / 4, length=size / 2, mass=mass),
            ]
        )
        position = (0.1 * size * dice.uniform(-1, 1), 0.1 * size * dice.uniform(-1, 1), height + 0.8 * size)
        spin, turned = ([dice.gauss(0, 1) for _ in range(n)] for n in (3, 4))
        unit = np.array(turned) / np.linalg.norm(turned)
        bodies[f"body{k}"] = FreeBody.of(shape, position=position, quaternion=unit, angular=spin)
        height += 1.6 * size
    surface = stiction.Surface(static=dice.uniform(0, 1.2), restitution=dice.choice([0.0, 0.5]))
    parts = {**bodies, "floor": Fixed(shapes=(stiction.HalfSpace(),))}
    finger = pushing(dice) if dice.random() < 0.3 else {}
    scene = stiction.Scene(parts=parts, contacts=stiction.Contacts(most=8, surface=surface), **finger)
    return scene, "body0.position.z"


def pushing(dice: random.Random) -> dict[str, Any]:
    """A finger on a slide beside the bodies, with a motor and friction."""
    ball = stiction.Sphere(radius=0.05, mass=0.5)
    joint = stiction.Joint(
        name="slide",
        kind="prismatic",
        parent="base",
        child="finger",
        axis=(1, 0, 0),
        origin=stiction.Origin(xyz=(-1.0, 0, 0.1)),
        limits=stiction.Limits(lower=-1, upper=1),
    )
    links = [stiction.Link(name="base"), stiction.Link.of("finger", ball)]
    robot = stiction.Robot(name="finger", links=links, joints=[joint])
    motor = stiction.TorqueMotor(rotor_inertia=1e-4)
    pushes = stiction.Drive(motor=motor, gear=stiction.Gear(ratio=20.0), joint_friction=law(dice))
    pid = stiction.PID(clock=stiction.Clock(period=4e-3), proportional=2.0, derivative=0.2, limit=1.0)
    return {"robot": robot, "drives": {"slide": pushes}, "control": {"slide": pid}, "reference": {"slide": 0.9}}


# What must hold.


def arms(dice: random.Random, folder: Path) -> str:
    """A chain with friction."""
    return held(*arm(dice), dice, folder)


def drives(dice: random.Random, folder: Path) -> str:
    """A chain with motors, gears, controllers and sensors."""
    return held(*driven(dice), dice, folder)


def contacts(dice: random.Random, folder: Path) -> str:
    """Bodies in contact."""
    return held(*touching(dice), dice, folder)


def held(scene: stiction.Scene, first: str, dice: random.Random, folder: Path) -> str:
    """Batch = single, threads = one, continued = uninterrupted, to the last bit; and no energy from nothing."""
    options: dict[str, Any] = {"step": dice.choice([1e-4, 1e-3, 2e-3]), "method": dice.choice(METHODS), "energy": True}
    text = noted(folder, f"{options} {first} {scene!r}")
    step = options["step"]
    try:
        whole = stiction.simulate(scene, duration=STEPS * step, **options)
        piece = stiction.simulate(scene, duration=FIRST * step, **options)
        rest = stiction.simulate(scene, duration=(STEPS - FIRST) * step, start=piece.state, **options)
    except stiction.DivergedError:
        return text
    many = {first: scene.parameters[first] + 1e-3 * np.arange(dice.randint(2, 17))}
    one, two = (stiction.simulate(scene, duration=STEPS * step, parameters=many, threads=k, **options) for k in (1, 2))
    for name, values in whole.signals.items():
        if not np.array_equal(rest[name], values[FIRST:], equal_nan=True):
            raise BrokenError(f"{name} continued differs from uninterrupted by {off(rest[name], values[FIRST:])}")
        if not np.array_equal(one[name], two[name], equal_nan=True):
            raise BrokenError(f"{name} by two threads differs from one by {off(one[name], two[name])}")
        if not np.array_equal(one[name][:, 0], values, equal_nan=True):
            raise BrokenError(f"{name} in a batch differs from alone by {off(one[name][:, 0], values)}")
    if not scene.drives or step <= SHORT:
        check_energy(whole)
    return text


def off(one: np.ndarray, other: np.ndarray) -> str:
    """How far two records are apart, and from which on."""
    apart = np.abs(one - other)
    return f"{np.nanmax(apart):.2g}, from record {int(np.argmax(~(apart == 0)))} on"


def check_energy(run: stiction.Trajectory) -> None:
    """Nothing comes from nothing: neither by the method nor by what should lose."""
    works, losses = ({k: x for k, x in run.signals.items() if k.startswith(word)} for word in ("work.", "loss."))
    turned = sum(np.abs(x).max() for x in [*works.values(), *losses.values()])
    size = run["energy.kinetic"].max() + np.ptp(run["energy.potential"]) + turned + 1e-9
    bodies = run["energy.kinetic"] + run["energy.potential"] + run["energy.elastic"]
    brought = sum((x for name, x in works.items() if not name.startswith(SUPPLIED)), start=bodies[0])
    for name, gained in {"energy": bodies - brought, **{name: -x for name, x in losses.items()}}.items():
        if gained.max() > GAINED * size and not run.notes:
            raise BrokenError(f"{name} is {gained.max():.2g} J from nothing, of {size:.2g} J, without a note")


def simulator(dice: random.Random, folder: Path) -> str:
    """A `Simulator` in pieces, copied, put back: the bits of `simulate`."""
    scene, first = dice.choice([arm, driven, touching])(dice)
    options: dict[str, Any] = {"step": dice.choice([1e-3, 2e-3]), "method": dice.choice(METHODS)}
    text = noted(folder, f"Simulator {options} {first} {scene!r}")
    runs = dice.randint(1, 9)
    many = {first: scene.parameters[first] + 1e-3 * np.arange(runs)}
    whole = stiction.simulate(scene, duration=STEPS * options["step"], parameters=many, **options)
    names = [name for name in whole.signals if name.startswith(("q.", "v.", "body"))]
    wanted = np.stack([whole[name][-1] for name in names], axis=-1)
    sim = stiction.Simulator(scene, runs=runs, outputs=names, parameters=many, threads=dice.randint(1, 2), **options)
    sim.step(steps=FIRST)
    saved, twin = sim.state, pickle.loads(pickle.dumps(sim))
    found = {"in pieces": sim.step(steps=STEPS - FIRST), "a copy": twin.step(steps=STEPS - FIRST)}
    sim.state = saved
    found["put back"] = sim.step(steps=STEPS - FIRST)
    order = [sim.outputs.index(name) for name in names]
    alive = ~np.atleast_1d(whole.diverged)
    for what, values in found.items():
        if not np.array_equal(values[alive][:, order], wanted[alive]):
            raise BrokenError(f"a Simulator, {what}, differs from simulate by {off(values[:, order], wanted)}")
    return text


def hold(dice: random.Random, folder: Path) -> str:
    """A joint below break-away for a hundred thousand to three million steps."""
    level, part, step = 10 ** dice.uniform(-2, 2), dice.uniform(0.1, 0.95), dice.choice([1e-4, 1e-3, 2e-3])
    rigid, steps = dice.random() < 0.7, int(10 ** dice.uniform(5, 6.5))
    part, method = (part, "moreau") if rigid else (0.8 * part, dice.choice(["rk4", "gill"]))
    rubs = dice.choice(
        [stiction.Coulomb(level=level), stiction.Stribeck(level=0.7 * level, static=level, velocity=0.01)]
    )
    text = noted(folder, f"{rubs!r} part={part} step={step} steps={steps} method={method}")
    scene = stiction.Scene(
        robot=library.pendulum(1), friction={"joint1": rubs}, torque={"joint1": part * level}, gravity=(0, 0, 0)
    )
    run = stiction.simulate(scene, duration=steps * step, step=step, record=steps * step, method=method)
    moved = abs(float(run["q.joint1"][-1] - run.signals.get("bend.joint1", np.zeros(1))[-1]))
    if moved > 1e-12 + CREEP * steps:
        raise BrokenError(f"moved by {moved:.2g} rad")
    return text
