"""Names that are asked for: by name, by the beginning of it, or by a pattern with *."""

from fnmatch import fnmatchcase


def fits(name: str, pattern: str) -> bool:
    """Whether a name is, or begins with, what was asked for, or fits the pattern.

    Example:
        >>> from stiction.patterns import fits
        >>> [fits("q.joint1", pattern) for pattern in ("q.joint1", "q.", "*.joint1", "joint1")]
        [True, True, True, False]
    """
    return fnmatchcase(name, pattern) if "*" in pattern else name.startswith(pattern)
