"""How robots move: the mechanics, written once as scalar Python."""
