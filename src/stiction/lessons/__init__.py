"""Eight lessons on the dynamics of robots, one for each section of the course, as marimo notebooks."""

from pathlib import Path

HERE = Path(__file__).parent
TITLES = {
    "lagrange": "Energy, Lagrange's equations, Coriolis and centripetal terms",
    "mass_matrix": "The mass matrix and the ellipse of torques",
    "rigid_body": "One rigid body: inertias, frames, Newton and Euler",
    "newton_euler": "Inverse dynamics, link by link",
    "forward_dynamics": "Forward dynamics and simulation",
    "task_space": "Dynamics at the tool",
    "constraints": "Closed loops, rolling, tools on surfaces",
    "actuation": "Motors, gears and friction",
}
"""Names of the lessons in their order, with what they are about."""


def file_of(name: str) -> Path:
    """The notebook of a lesson.

    Example:
        >>> from stiction.lessons import file_of
        >>> file_of("lagrange").name
        'lesson_1_lagrange.py'
    """
    return HERE / f"lesson_{list(TITLES).index(name) + 1}_{name}.py"
