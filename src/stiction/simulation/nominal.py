"""`nominal_motion`: a scene in, its robot linearised along its reference out."""

from stiction.errors import InputError
from stiction.methods.nominal import NominalMotion, nominal_of
from stiction.scene.scene import Scene


def nominal_motion(scene: Scene, *, points: int = 400, duration: float | None = None) -> NominalMotion:
    """The nominal motion of a scene's robot along its reference, and its linear equations there: what `Perturbation`
    makes by itself, to look at, to save, and to use again with other friction or controllers.

    Args:
        scene: with one robot, and a reference for all of its joints.
        points: intervals of time between linearisations.
        duration: [s]; until the reference ends if not given.

    Example:
        >>> import stiction
        >>> move = stiction.PointToPoint(start=[0, 0], stop=[1, 1], velocity=1.0, acceleration=5.0)
        >>> scene = stiction.Scene(robot=stiction.library.two_link(), reference=move)
        >>> stiction.nominal_motion(scene, points=50).torque.shape
        (51, 2)
    """
    if not isinstance(scene, Scene):
        raise InputError(f"nominal_motion takes a Scene; got {type(scene).__name__}")
    return nominal_of(scene.network, points, duration)


__all__ = ["NominalMotion", "nominal_motion"]
