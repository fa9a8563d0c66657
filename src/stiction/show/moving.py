"""Pictures that move: planar motion as one SVG text that any browser plays, without a script."""

from collections.abc import Callable, Mapping

import numpy as np

from stiction.errors import StictionError
from stiction.show.figure import COLORS

SIZE, MARGIN, FRAMES = 260, 16, 120  # of the picture [px], and how many moments are kept at most


def moving_picture(
    time: np.ndarray, lines: Mapping[str, np.ndarray], *, traces: Mapping[str, np.ndarray] | None = None
) -> str:
    """Lines that move, over and over again, in real time.

    Args:
        time: of the moments [s], shape (T,).
        lines: what moves, by name: corners of a line at each moment, x to the right and y upwards [m], shape
            (T, corners, 2).
        traces: paths that stay, by name [m], shape (points, 2).

    Returns:
        The text of an SVG.

    Example:
        >>> import numpy as np
        >>> from stiction.show.moving import moving_picture
        >>> t = np.linspace(0, 1, 11)
        >>> tip = np.stack([np.sin(t), -np.cos(t)], axis=1)
        >>> picture = moving_picture(t, {"pendulum": np.stack([0 * tip, tip], axis=1)})
        >>> picture.startswith("<svg") and "animate" in picture
        True
    """
    moving = {name: _checked(name, points, (len(time), None, 2)) for name, points in lines.items()}
    still = {name: _checked(name, points, (None, 2)) for name, points in (traces or {}).items()}
    everything = np.concatenate([points.reshape(-1, 2) for points in (*moving.values(), *still.values())])
    low, high = everything.min(axis=0), everything.max(axis=0)
    scale = (SIZE - 2 * MARGIN) / max(*(high - low), 1e-9)

    def placed(points: np.ndarray) -> np.ndarray:
        return (points - [low[0], high[1]]) * scale * [1, -1] + MARGIN

    seconds, every = float(time[-1] - time[0]), max(1, -(-len(time) // FRAMES))
    shapes = [_trace(name, placed(points)) for name, points in still.items()]
    for k, (name, points) in enumerate(moving.items()):
        shapes += _line(name, placed(points[::every]), COLORS[k % len(COLORS)], seconds)
    width, height = (high - low) * scale + 2 * MARGIN
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    style = "background:white;max-width:100%"
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} style="{style}">{"".join(shapes)}</svg>'


def _checked(name: str, points: np.ndarray, shape: tuple[int | None, ...]) -> np.ndarray:
    """Finite numbers of a shape, in which None is any size."""
    found = np.asarray(points, float)
    fits = len(found.shape) == len(shape) and all(b in (None, a) for a, b in zip(found.shape, shape, strict=True))
    if not fits or not np.isfinite(found).all():
        allowed = ", ".join("any" if n is None else str(n) for n in shape)
        raise StictionError(f"'{name}' of a moving picture has shape {found.shape}; allowed: finite, ({allowed})")
    return found


def _trace(name: str, points: np.ndarray) -> str:
    dashes = 'fill="none" stroke="#999" stroke-dasharray="3 3"'
    return f'<polyline points="{_listed(points)}" {dashes}><title>{name}</title></polyline>'


def _line(name: str, points: np.ndarray, color: str, seconds: float) -> list[str]:
    """A line and its corners, which move."""
    moved: Callable[[str, list[str]], str] = lambda what, values: (  # noqa: E731
        f'<animate attributeName="{what}" dur="{seconds:g}s" repeatCount="indefinite" values="{";".join(values)}"/>'
    )
    look = f'fill="none" stroke="{color}" stroke-width="5" stroke-linecap="round" stroke-linejoin="round"'
    line = moved("points", [_listed(moment) for moment in points])
    shapes = [f'<polyline points="{_listed(points[0])}" {look}><title>{name}</title>{line}</polyline>']
    for corner in np.moveaxis(points, 1, 0):
        x, y = ([f"{v:.1f}" for v in values] for values in corner.T)
        ring = f'<circle r="4" cx="{x[0]}" cy="{y[0]}" fill="white" stroke="{color}" stroke-width="2">'
        shapes.append(f"{ring}{moved('cx', x)}{moved('cy', y)}</circle>")
    return shapes


def _listed(points: np.ndarray) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
