"""The house style of figures, and saving them."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from stiction.errors import StictionError
from stiction.extras import needed

STYLE: Any = {
    "figure.dpi": 130,
    "font.size": 10,
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
    needed("matplotlib", "figures")
    if path.is_dir():
        raise StictionError(
            f"cannot write the figure '{path}': it is a folder; give a file name such as {path / 'figure.png'}"
        )
    if path.suffix.removeprefix(".").lower() not in ENDINGS:
        raise StictionError(f"cannot draw the figure '{path}'; allowed endings: {', '.join('.' + e for e in ENDINGS)}")
    if not path.parent.is_dir():
        raise StictionError(f"cannot write the figure '{path}': there is no folder '{path.parent}'; make it first")


def style() -> AbstractContextManager[Any]:
    """The house style, as long as a figure is drawn: `with style(): ...`; matplotlib's own settings stay as they were.

    Example:
        >>> import matplotlib
        >>> from stiction.show.figure import style
        >>> before = matplotlib.rcParams["legend.frameon"]
        >>> with style():
        ...     print(matplotlib.rcParams["legend.frameon"])
        False
        >>> matplotlib.rcParams["legend.frameon"] == before
        True
    """
    matplotlib = needed("matplotlib", "figures")
    from cycler import cycler

    return matplotlib.rc_context(STYLE | {"axes.prop_cycle": cycler(color=COLORS)})


def subplots(rows: int, height: float, width: float = 8.0, **options: Any) -> tuple[Any, Any]:
    """A figure of this size [inch] with panels above each other, on light grids; `options` are those of matplotlib's
    `subplots`.
    """
    needed("matplotlib", "figures")
    import matplotlib.pyplot as plt

    usual: dict[str, Any] = {"sharex": True, "figsize": (width, height), "layout": "constrained"}
    picture, axes = plt.subplots(rows, 1, **(usual | options))
    for ax in picture.axes:
        ax.grid(alpha=0.3, linewidth=0.6)
    return picture, axes


def save(figure: Any, path: Path) -> None:
    """Write a figure to a file; the ending chooses the format. pyplot then forgets it, which frees its memory."""
    try:
        figure.savefig(path)
    except (OSError, ValueError) as error:
        raise StictionError(f"cannot write the figure '{path}': {error}") from None
    finally:
        _forget(figure)


def leave_open(figure: Any) -> None:
    """Leave a figure to `pyplot.show()`; in a notebook to the cell that returns it, which else would show it twice."""
    if "inline" in needed("matplotlib", "figures").get_backend():
        _forget(figure)


def _forget(figure: Any) -> None:
    import matplotlib.pyplot as plt

    plt.close(figure)
