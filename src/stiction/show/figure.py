"""The house style of figures, and saving them."""

from pathlib import Path
from typing import Any

from stiction.errors import StictionError
from stiction.extras import needed

STYLE: Any = {
    "figure.dpi": 130,
    "font.size": 10,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "grid.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "legend.frameon": False,
    "legend.fontsize": 9,
    "lines.linewidth": 1.5,
}
COLORS = (  # that the colour-blind can tell apart
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#332288",
    "#999999",
)


ENDINGS = ("png", "pdf", "svg", "jpg", "jpeg", "webp", "eps", "ps", "tif", "tiff")


def check(path: Path) -> None:
    """Refuse a figure that could not be drawn or written, before anything is computed for it."""
    _matplotlib()
    if path.is_dir():
        raise StictionError(
            f"cannot write the figure '{path}': it is a folder; give a file name such as {path / 'figure.png'}"
        )
    if path.suffix.removeprefix(".").lower() not in ENDINGS:
        raise StictionError(f"cannot draw the figure '{path}'; allowed endings: {', '.join('.' + e for e in ENDINGS)}")
    if not path.parent.is_dir():
        raise StictionError(f"cannot write the figure '{path}': there is no folder '{path.parent}'; make it first")


def _matplotlib() -> Any:
    matplotlib = needed("matplotlib", "figures")
    matplotlib.use("Agg")
    return matplotlib


def subplots(rows: int, height: float, **options: Any) -> tuple[Any, Any]:
    """A figure with panels above each other, in the house style."""
    _matplotlib()
    import matplotlib.pyplot as plt
    from cycler import cycler

    plt.rcParams.update(STYLE | {"axes.prop_cycle": cycler(color=COLORS)})
    return plt.subplots(rows, 1, figsize=(8, height), layout="constrained", **({"sharex": True} | options))


def save(figure: Any, path: Path) -> None:
    """Write a figure to a file; the ending chooses the format."""
    try:
        figure.savefig(path)
    except (OSError, ValueError) as error:
        raise StictionError(f"cannot write the figure '{path}': {error}") from None
