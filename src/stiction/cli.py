"""The command line. Everything heavy is imported inside the commands, so that `--help` answers at once."""

import sys
from pathlib import Path
from typing import Any

from cyclopts import App

import stiction
from stiction.errors import unknown

app = App(name="stiction", help="The robot-dynamics simulator that gets friction right.", version=stiction.__version__)


@app.command
def demo(*, out: Path = Path("stiction-demo.png")) -> None:
    """Drop a Puma 560 from a bent pose without friction and watch its energy: 5 s at 1 ms with Runge–Kutta 4.

    Parameters
    ----------
    out
        The figure to write.
    """
    from stiction.show import falling
    from stiction.show.figure import check, save
    from stiction.simulation.passive import fall

    check(out)
    robot = stiction.library.puma560()
    motion = fall(robot, [0.0, 0.8, 2.6, 0.9, 0.8, 0.0], [0.0] * 6, duration=5.0, step=1e-3, record=1e-2)
    how = "from the cache" if motion.kernel.cached else "traced and compiled"
    _table(
        "Puma 560, left to itself",
        [
            ("simulated", f"{motion.time[-1]:g} s in {motion.steps} steps of 1 ms, Runge–Kutta 4"),
            ("speed", f"{motion.steps / motion.seconds:,.0f} steps/s, {motion.time[-1] / motion.seconds:,.0f} times real time, one core"),
            ("energy drift", f"{motion.energy_drift:.1e} of the largest kinetic energy ({motion.kinetic.max():.0f} J)"),
            ("machine code", f"{how} in {motion.kernel.seconds * 1e3:.0f} ms, {motion.kernel.bytes / 1024:.0f} KiB"),
        ],
    )
    save(falling.figure(robot, motion), out)
    print(f"\nfigure: {out}")


@app.command
def run(scene: Path, *, out: Path | None = None, plot: Path | None = None) -> None:
    """Simulate a scene file.

    Parameters
    ----------
    scene
        The scene, a TOML file; examples/ has some.
    out
        Where to write the run: .h5 (HDF5) or .csv.
    plot
        Where to draw positions, velocities and friction.
    """
    import time

    from stiction.show import motion
    from stiction.show.figure import check, save
    from stiction.simulation.files import read_scene

    if plot:
        check(plot)
    if out and out.suffix not in (".h5", ".csv"):
        raise stiction.StictionError(f"cannot save a run as '{out.name}'; allowed endings: .h5, .csv")
    if out and not out.parent.is_dir():
        raise stiction.StictionError(f"cannot write '{out}': there is no folder '{out.parent}'; make it first")
    read = read_scene(scene)
    began = time.perf_counter()
    record = read.run()
    robot = read.scene.robot
    rows = [
        ("robot", f"{robot.name}, {robot.nv} velocities, friction at {', '.join(read.scene.sites) or 'no joint'}"),
        ("method", f"{read.settings.get('method', 'rk4')}, step {read.settings['step']:g} s"),
        ("simulated", f"{record.time[-1]:g} s in {time.perf_counter() - began:.2f} s, {record.status}"),
    ]
    for name in robot.velocity_names:
        if f"q.{name}" in record.signals:
            rows.append((name, f"ends at {record[f'q.{name}'][-1]:.6g}, moves at {record[f'v.{name}'][-1]:.3g}"))
    _table(str(scene), rows)
    if out:
        record.save(out)
        print(f"\nrun: {out}")
    if plot:
        save(motion.figure(record, robot.name), plot)
        print(f"figure: {plot}")
    if record.status != "completed":
        raise stiction.StictionError(record.message)


@app.command
def plot(run: Path, *, out: Path | None = None) -> None:
    """Draw a run that was saved as HDF5.

    Parameters
    ----------
    run
        The file, as `stiction run --out run.h5` writes it.
    out
        The figure to write; beside the run by default.
    """
    from stiction.show import motion
    from stiction.show.figure import check, save

    target = out or run.with_suffix(".png")
    check(target)
    save(motion.figure(stiction.Trajectory.load(run), run.stem), target)
    print(f"figure: {target}")


@app.command
def reproduce(case: str = "", *, out: Path | None = None, json: bool = False) -> None:
    """List the papers' experiments, or run one and compare: exit status 0 only if every claim holds.

    Parameters
    ----------
    case
        Name of an experiment, or "all"; nothing lists them.
    out
        Folder for the figures.
    json
        Print the claims as JSON.
    """
    from json import dumps

    from stiction.reproduce import CASES
    from stiction.show.figure import save

    if not case:
        _table("experiments", [(name, f"{one.title} ({one.source})") for name, one in CASES.items()])
        return
    if case != "all" and case not in CASES:
        raise stiction.StictionError(unknown("experiment", case, "reproduce", ["all", *CASES]))
    if out and not out.is_dir():
        raise stiction.StictionError(f"cannot write figures to '{out}': there is no such folder; make it first")
    found = {name: CASES[name].run() for name in (CASES if case == "all" else [case])}
    if json:
        print(dumps({name: [vars(claim) for claim in claims] for name, (claims, _) in found.items()}, indent=1, ensure_ascii=False))
    for name, (claims, draw) in found.items():
        if not json:
            _verdicts(f"{name}: {CASES[name].title}", claims)
        if out:
            save(draw(), out / f"{name}.png")
    sys.exit(0 if all(claim.holds for claims, _ in found.values() for claim in claims) else 1)


def _verdicts(title: str, claims: list[Any]) -> None:
    rows = [("", "paper", "ours", "verdict"), *((c.what, c.paper, c.ours, "holds" if c.holds else "FAILS") for c in claims)]
    widths = [max(len(row[k]) for row in rows) for k in range(4)]
    print(title)
    for row in rows:
        print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _table(title: str, rows: list[tuple[str, str]]) -> None:
    width = max(len(name) for name, _ in rows)
    print(title)
    for name, value in rows:
        print(f"  {name:<{width}}  {value}")


def main() -> None:
    """Run the command line: errors of ours in one line, `--debug` for the traceback; exit status 1 on error, 130 on Ctrl-C."""
    words = sys.argv[1:]
    debug = "--debug" in words
    try:
        app([word for word in words if word != "--debug"])
    except stiction.StictionError as error:
        if debug:
            raise
        print(f"error: {error}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
