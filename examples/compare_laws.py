"""Four laws on one joint, loaded and shaken below break-away: who holds, who creeps. Draws compare_laws.png."""

import stiction
from stiction.show.figure import save, style, subplots
from stiction.trace import sin

arm = stiction.library.pendulum(1, length=0.4, mass=0.2)
bristle = {"stiffness": 2000.0, "damping": 1.0}
laws = {
    "Coulomb": stiction.Coulomb(level=0.5, **bristle),
    "Dahl": stiction.Dahl(level=0.5, stiffness=2000.0),
    "LuGre": stiction.LuGre(level=0.5, static=0.5, velocity=0.01, **bristle),
    "ElastoPlastic": stiction.ElastoPlastic(level=0.5, static=0.5, velocity=0.01, elastic=0.98, **bristle),
}
runs = {}
for name, law in laws.items():
    scene = stiction.Scene(
        robot=arm, friction={"joint1": law}, torque={"joint1": lambda t: 0.3 + 0.15 * sin(60 * t)}, gravity=(0, 0, 0)
    )
    runs[name] = run = stiction.simulate(scene, duration=10.0, step=1e-4, record=0.01)
    bend = run["bend.joint1"] if "bend.joint1" in run else 0.0  # rigid friction has none
    anchor = run["q.joint1"] - bend  # what the bristle holds on to: elastic motion is no creep
    print(
        f"{name:14} creeps {anchor[-1] - anchor[100]:9.2e} rad in 9 s, "
        f"{int(run['switches.joint1'][-1])} changes of mode"
    )

with style():
    picture, ax = subplots(1, 3.6)
    for name, run in runs.items():
        ax.plot(run.time, 1e3 * run["q.joint1"], label=name)
    ax.set_title("a joint under 30 to 90 % of break-away")
    ax.set_ylabel("joint [mrad]")
    ax.set_xlabel("time [s]")
    ax.legend()
    save(picture, "compare_laws.png")
