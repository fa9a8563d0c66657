"""The controllers that files can name."""

from stiction.registry import Registry

CONTROLLERS = Registry("kind")
