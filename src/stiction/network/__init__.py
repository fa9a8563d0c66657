"""Parts wired by name: wires and their checks, evaluation, state layout, terms of the equations of motion."""

from stiction.network.network import Network
from stiction.network.wires import NetworkError, Term, Wire

__all__ = ["Network", "NetworkError", "Term", "Wire"]
