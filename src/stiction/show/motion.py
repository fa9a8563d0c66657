"""The figure of a run or of many: signals over time, panel by panel."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from stiction.show.figure import COLORS, style, subplots
from stiction.show.panels import Panel, panels, split, usual

FEW = 8  # runs that have a line each; more are drawn as bands
MOST = 16  # signals in a panel: every colour twice
WIDTH, HEIGHT = 9.0, 1.75  # of the figure and of a panel [inch]
LINES = ("-", "--")
MODES = {"stuck": "#004488", "pre-sliding": "#DDAA33", "sliding": "#BB5566"}  # the numbers 0, 1, 2; dark, light, mid


@dataclass(frozen=True)
class Motion:
    """What is drawn.

    Attributes:
        time: of the records [s], (T,).
        signals: by name, (T, runs).
        units: of the signals, by name.
        values: what differs between the runs, by name, (runs,).
        lost: how many more runs there were, which diverged.
    """

    time: np.ndarray
    signals: Mapping[str, np.ndarray]
    units: Mapping[str, str]
    values: Mapping[str, np.ndarray]
    lost: int = 0

    @property
    def runs(self) -> int:
        """How many runs there are."""
        return max(x.shape[1] for x in self.signals.values())

    @property
    def apart(self) -> bool:
        """Whether the runs are so few that each has a line."""
        return 1 < self.runs <= FEW

    @property
    def labels(self) -> tuple[str, list[str]]:
        """What differs between the runs, a line for each, and the runs by their values of it."""
        names: dict[tuple, list[str]] = {}
        for name, x in self.values.items():
            names.setdefault(tuple(x), []).append(name)
        heading = [f"{first} and {len(more)} more" if more else first for first, *more in names.values()]
        columns = [[f"{x:g}" for x in values] for values in names] or [list(map(str, range(self.runs)))]
        return "\n".join(heading or ["run"]), [", ".join(run) for run in zip(*columns, strict=True)]


class Strand(NamedTuple):
    """What has one colour: a signal of one run, or of all runs together, (T, runs)."""

    label: str
    color: int
    x: np.ndarray


def figure(motion: Motion, chosen: Iterable[str] | None, title: str) -> Any:
    """The figure of these signals, the usual ones by default."""
    names = usual(motion.signals, motion.units, motion.apart) if chosen is None else chosen
    shown = _each_alone(panels(names, motion.units)) if motion.apart else panels(names, motion.units)
    heights = [_height(panel, motion) for panel in shown]
    with style():
        grid = {"squeeze": False, "height_ratios": heights}
        picture, axes = subplots(len(shown), sum(heights) + 0.7, WIDTH, **grid)
        common = _common(shown)
        for ax, panel in zip(axes[:, 0], shown, strict=True):
            if panel.modes:
                _rows_of_modes(ax, motion, panel)
            else:
                _curves(ax, motion, panel, common)
        if motion.apart:
            _name_runs(axes[0, 0], motion, shown[0].modes)
        axes[0, 0].set_title("\n".join(filter(None, (title, _remark(motion)))))
        axes[-1, 0].set_xlabel("time [s]")
        axes[-1, 0].set_xlim(motion.time[0], motion.time[-1] if len(motion.time) > 1 else None)
        picture.align_ylabels()
    return picture


def _each_alone(shown: list[Panel]) -> list[Panel]:
    """One panel for each signal, in which the runs have the colours; modes stay together."""
    made = []
    for panel in shown:
        alone = [panel._replace(title=f"{panel.title}\n{who}", names={who: name}) for who, name in panel.names.items()]
        made += [panel] if panel.modes else alone
    return made


def _height(panel: Panel, motion: Motion) -> float:
    """Of a panel [inch]: modes take a row for each site, with a strip for each run that is drawn alone."""
    strips = motion.runs if motion.apart else 1
    return 0.35 + min(len(panel.names), MOST) * (0.14 + 0.11 * strips) if panel.modes else HEIGHT


def _remark(motion: Motion) -> str:
    """What must be said of many runs."""
    if motion.runs == 1 and not motion.lost:
        return ""
    bands = "" if motion.runs <= FEW else ": median, 25 to 75 % and 5 to 95 % of them"
    lost = f" ({motion.lost} more diverged)" if motion.lost else ""
    return f"{motion.runs} run{'s' * (motion.runs > 1)}{bands}{lost}"


def _owner(who: str) -> str:
    """Whose colour a signal has: the loss of friction.elbow that of the elbow."""
    return split(who)[1]


def _common(shown: list[Panel]) -> dict[str, int]:
    """Numbers of colours of all that is in several panels: it has the same one everywhere."""
    seen = Counter(who for panel in shown if not panel.modes for who in dict.fromkeys(map(_owner, panel.names)))
    return {who: k for k, who in enumerate(who for who, times in seen.items() if times > 1)}


def _strands(motion: Motion, panel: Panel, common: Mapping[str, int]) -> list[Strand]:
    """What is drawn in a panel of curves; what is in no other panel takes the colours that are left."""
    if motion.apart:
        (name,) = panel.names.values()
        return [Strand(label, k, motion.signals[name][:, [k]]) for k, label in enumerate(motion.labels[1])]
    taken = {common[_owner(who)] for who in panel.names if _owner(who) in common}
    free = (k for k in count() if k not in taken)
    found = []
    for who, name in list(panel.names.items())[:MOST]:
        color = common[_owner(who)] if _owner(who) in common else next(free)
        found.append(Strand(who, color, motion.signals[name]))
    return found


def _curves(ax: Any, motion: Motion, panel: Panel, common: Mapping[str, int]) -> None:
    """Lines; of many runs the median, in bands that hold half of them and nearly all."""
    for label, number, x in _strands(motion, panel, common):
        color = COLORS[number % len(COLORS)]
        line = LINES[number // len(COLORS) % len(LINES)]
        middle = x[:, 0] if x.shape[1] == 1 else np.median(x, axis=1)
        width = 1.3 + 0.3 * (motion.runs - 1 - number) if motion.apart else 1.5  # equal runs: the lower ones look out
        ax.plot(motion.time, middle, line, color=color, label=label, linewidth=width)
        if x.shape[1] > 1:
            for share, alpha in ((0.25, 0.35), (0.05, 0.15)):
                low, high = np.quantile(x, (share, 1 - share), axis=1)
                ax.fill_between(motion.time, low, high, color=color, alpha=alpha, linewidth=0)
    ax.set_ylabel(f"{panel.title}\n[{panel.unit}]" if panel.unit else panel.title)
    if not motion.apart:
        _legend(ax, f"{MOST} of {len(panel.names)}" if len(panel.names) > MOST else None)


def _name_runs(ax: Any, motion: Motion, modes: bool) -> None:
    """The legend of runs that have a line each, in the first panel; the lines of the others have the same colours."""
    from matplotlib.lines import Line2D

    heading, labels = motion.labels
    if modes:  # their colours say something else
        ax.get_legend().set_title("\n".join(["strips, from above:", heading, *labels]))
        return
    _legend(ax, heading, handles=[Line2D([], [], color=COLORS[k], label=label) for k, label in enumerate(labels)])


def _rows_of_modes(ax: Any, motion: Motion, panel: Panel) -> None:
    """A row for each site, coloured by its mode; of many runs by the shares of them that are in each mode."""
    sites = list(panel.names)[:MOST]
    strips = motion.runs if motion.apart else 1
    for row, name in enumerate(panel.names[site] for site in sites):
        for k in range(strips):
            x = motion.signals[name][:, [k]] if motion.apart else motion.signals[name]
            _strip(ax, motion.time, x, row - 0.4 + 0.8 * (k + 1) / strips, (0.7 if motion.apart else 0.8) / strips)
    ax.set_yticks(range(len(sites)), sites)
    ax.set_ylim(len(sites) - 0.5, -0.5)
    ax.grid(False, axis="y")
    ax.set_ylabel(panel.title)
    from matplotlib.patches import Patch

    heading = "shares of the runs" if motion.runs > FEW else "strips: runs in order" if motion.apart else None
    _legend(ax, heading, handles=[Patch(color=color, label=mode) for mode, color in MODES.items()])


def _strip(ax: Any, time: np.ndarray, modes: np.ndarray, bottom: float, height: float) -> None:
    """The shares of runs in each mode, on top of each other; a mode holds until the next record."""
    shares = np.stack([(modes == k).mean(axis=1) for k in range(len(MODES))], axis=1)
    changes = np.flatnonzero(np.diff(shares, axis=0).any(axis=1)) + 1
    at = np.unique([0, *changes, len(time) - 1])
    levels = bottom - height * np.cumsum(np.pad(shares[at], ((0, 0), (1, 0))), axis=1)
    for k, color in enumerate(MODES.values()):
        if shares[:, k].any():
            ax.fill_between(time[at], levels[:, k], levels[:, k + 1], step="post", color=color, linewidth=0)


def _legend(ax: Any, heading: str | None, **options: Any) -> None:
    """The legend of a panel, right of it."""
    columns = 2 if len(options.get("handles", ax.lines)) > FEW else 1
    ax.legend(
        loc="upper left",
        bbox_to_anchor=(1.02, 1.0),
        borderaxespad=0.0,
        ncols=columns,
        title=heading,
        title_fontsize=9,
        alignment="left",
        **options,
    )
