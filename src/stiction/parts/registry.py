"""The parts that files can name."""

from stiction.registry import Registry

PARTS = Registry("part")
