"""Very many robots on a GPU of NVIDIA: steps per second, in float64 and float32; MJX beside them where it is installed.

    ./run bench gpu [--quick] [--json]        (needs the extra cuda)

Robots start at different places, with different friction. All is on the GPU when the clock starts; a call makes 100
steps (of the legged robot 20), the best of five counts. Steps per second are those of all robots together.

- UR5 and Panda with dry friction in every joint, rows found together, 1 ms;
- a Puma on geared DC motors under PID controllers at 2 ms;
- the six-link pendulum of contact.md on the ground, 1 ms;
- Go1, a quadruped, standing on the ground under PD controllers, 1 ms;
- a vector environment with a policy of PyTorch on the GPU, one step of physics each.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measure import Report, arguments
from benchmarks.peers.robots import quadruped, real_arm
from stiction import (
    PID,
    Clock,
    Contacts,
    Coulomb,
    HalfSpace,
    Robot,
    Scene,
    Simulator,
    StictionError,
    Surface,
    read_scene,
)
from stiction.parts import Fixed
from stiction.reproduce.pendulum import pendulum

SIZES = (4096, 65_536, 1_048_576)
LEVEL = 10.0  # N·m
FILE = Path(__file__).parent.parent / "examples" / "geared_arm.toml"
TARGETS = {  # steps per second, by job, type and robots
    ("UR5", "float64", 1_048_576): 5e9,
    ("UR5", "float64", 4096): 1e9,
    ("UR5", "float32", 1_048_576): 1e10,
    ("six-link pendulum", "float64", 65_536): 5e8,
}
OVER_MJX, ENVIRONMENT = 300, 2e8
ENVIRONMENTS = 65_536


@dataclass
class Job:
    """What is simulated: a scene, its step [s], what differs from robot to robot, and how many steps a call makes."""

    scene: Scene
    step: float = 1e-3
    method: str | None = "moreau"
    vary: Mapping[str, Callable[[np.random.Generator, int], Any]] = field(default_factory=dict)
    steps: int = 100
    most: int = SIZES[-1]

    def simulator(self, runs: int, dtype: str) -> Simulator:
        """So many robots on the GPU."""
        return Simulator(
            self.scene,
            step=self.step,
            method=self.method,
            runs=runs,
            outputs=["q.*"],
            parameters=self.vary,
            device="cuda",
            dtype=dtype,
        )


def arm(robot: Robot) -> Job:
    scene = Scene(robot=robot, limits="ignore", friction=dict.fromkeys(robot.velocity_names, Coulomb(level=LEVEL)))
    n = robot.nv
    vary = {
        "friction.*.level": lambda random, count: random.uniform(LEVEL / 2, 2 * LEVEL, (count, n)),
        "q.*": lambda random, count: random.uniform(-1, 1, (count, n)),
    }
    return Job(scene, vary=vary)


def legged() -> Job:
    go1 = quadruped()
    legs = [joint.name for joint in go1.joints if joint.kind in ("revolute", "continuous")]
    pose = {name: {"hip": 0.0, "thigh": 0.9, "calf": -1.8}[name.split("_")[1]] for name in legs}
    scene = Scene(
        robot=go1,
        parts={"floor": Fixed(shapes=(HalfSpace(),))},
        control={name: PID(clock=Clock(period=2e-3), proportional=80.0, derivative=2.0, limit=35.0) for name in legs},
        reference=pose,
        friction=dict.fromkeys(legs, Coulomb(level=0.2, viscous=0.05)),
        contacts=Contacts(surface=Surface(static=0.8, kinetic=0.6), off=[("robot.*", "robot.*")]),
        q={"root.z": 0.34, **pose},
    )
    return Job(scene, vary={"q.root.z": lambda random, count: random.uniform(0.33, 0.4, count)}, steps=20, most=65_536)


def jobs() -> dict[str, Job]:
    swing = {"q.joint1": lambda random, count: -np.pi / 3 + random.uniform(0, 0.01, count)}
    load = {"friction.joint2.level": lambda random, count: random.uniform(4, 9, count)}
    return {
        "UR5": arm(real_arm("ur5")[0]),
        "Panda": arm(real_arm("panda")[0]),
        "geared arm, PID at 2 ms": Job(read_scene(FILE).scene, vary=load),
        "six-link pendulum": Job(pendulum(), vary=swing),
        "quadruped": legged(),
    }


def timed(cupy: Any, call: Callable[[], Any], rounds: int) -> float:
    """Best time of a call, to its end on the GPU [s]."""
    best = float("inf")
    for _ in range(rounds + 1):  # the first one warms up
        cupy.cuda.Device().synchronize()
        began = time.perf_counter()
        call()
        cupy.cuda.Device().synchronize()
        best = min(best, time.perf_counter() - began)
    return best


def of_jobs(report: Report, cupy: Any, quick: bool) -> dict[tuple[str, str, int], float]:
    found: dict[tuple[str, str, int], float] = {}
    for name, job in jobs().items():
        for dtype in ("float64", "float32"):
            cells: dict[str, Any] = {"job": name, "type": dtype}
            for runs in SIZES[: 2 if quick else 3]:
                if runs > job.most:
                    continue
                sim = job.simulator(runs, dtype)
                sim.step(steps=job.steps)
                speed = runs * job.steps / timed(cupy, lambda s=sim, n=job.steps: s.step(steps=n), 5)
                found[name, dtype, runs] = cells[f"{runs} robots"] = speed
                cells["lost"] = int(sim.diverged.sum())
                del sim
            report.row("steps per second", {key: f"{x:.2e}" if isinstance(x, float) else x for key, x in cells.items()})
    return found


def of_mjx(report: Report, cupy: Any, ours: Mapping[tuple[str, str, int], float]) -> None:
    """The UR5 with frictionloss in MJX, float32, compiled as one scan of 100 steps."""
    try:
        import jax
        import mujoco
        from mujoco import mjx
    except ImportError:
        return
    from benchmarks.peers.mujoco_model import mjcf

    robot = real_arm("ur5")[0]
    for integrator in ("Euler",):  # its fastest here
        text = mjcf(
            robot,
            option=f'timestep="1e-3" integrator="{integrator}" iterations="4" ls_iterations="6"',
            joint=f'frictionloss="{LEVEL}"',
        )
        model = mjx.put_model(mujoco.MjModel.from_xml_string(text))
        cells: dict[str, Any] = {"job": "UR5, MJX", "integrator": integrator}
        for runs in SIZES[:2]:
            start = jax.random.uniform(jax.random.PRNGKey(1), (runs, robot.nq), minval=-1.0)
            data = jax.vmap(lambda q, m=model: mjx.make_data(m).replace(qpos=q))(start)
            one = jax.vmap(mjx.step, in_axes=(None, 0))

            @jax.jit
            def many(d: Any, m: Any = model, one: Any = one) -> Any:
                return jax.lax.scan(lambda x, _: (one(m, x), None), d, None, length=100)[0]

            many(data).qpos.block_until_ready()
            best = min(_seconds(lambda d=data, f=many: f(d).qpos.block_until_ready()) for _ in range(3))
            cells[f"{runs} robots"] = f"{runs * 100 / best:.2e}"
            speed = ours["UR5", "float32", runs] * best / (runs * 100)
            report.target(f"UR5, {runs} robots, float32: ours over MJX {integrator}", speed, OVER_MJX)
        report.row("MJX, steps per second", cells)


def _seconds(call: Callable[[], Any]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def of_environments(report: Report, cupy: Any) -> None:
    """Environments with a policy of PyTorch: what is copied to the host is nothing."""
    try:
        import torch
    except ImportError:
        return
    from stiction.learn import Task, VectorEnvironment

    job = arm(real_arm("ur5")[0])
    for dtype in ("float64", "float32"):
        task = Task(
            scene=job.scene,
            step=1e-3,
            method="moreau",
            duration=1.0,
            actions={"torque.*": 50.0},
            reward=lambda seen: -(seen["q.shoulder_pan_joint"] ** 2),
            parameters=job.vary,
        )
        envs = VectorEnvironment(task, ENVIRONMENTS, "SameStep", device="cuda", dtype=dtype, starts=4096)
        kind = getattr(torch, dtype)
        policy = torch.nn.Sequential(
            torch.nn.Linear(12, 32), torch.nn.Tanh(), torch.nn.Linear(32, 6), torch.nn.Tanh()
        ).to("cuda", kind)
        seen = [envs.reset(seed=1)[0]]

        def steps(envs: Any = envs, policy: Any = policy, seen: list = seen) -> None:
            with torch.no_grad():
                for _ in range(100):
                    seen[0] = envs.step(policy(torch.as_tensor(seen[0], device="cuda")))[0]

        speed = ENVIRONMENTS * 100 / timed(cupy, steps, 3)
        cells = {"environments": ENVIRONMENTS, "type": dtype, "steps per second": f"{speed:.2e}"}
        report.row("vector environment with a policy of PyTorch", cells)
        report.target(f"{ENVIRONMENTS} environments with a policy, {dtype}: steps per second", speed, ENVIRONMENT)


def main() -> None:
    """Measure and print."""
    options = arguments(__doc__ or "")
    try:
        import cupy

        name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    except Exception as error:
        raise SystemExit(f"there is no GPU that CuPy can use: {error}") from None
    report = Report(f"Very many robots on one {name}", options.json)
    try:
        found = of_jobs(report, cupy, options.quick)
        for (job, dtype, runs), bound in TARGETS.items():
            if (job, dtype, runs) in found:
                report.target(f"{job}, {dtype}, {runs} robots: steps per second", found[job, dtype, runs], bound)
        of_environments(report, cupy)
        of_mjx(report, cupy, found)
    except StictionError as error:
        raise SystemExit(str(error)) from None
    report.finish()


if __name__ == "__main__":
    main()
