"""The clockwork: programs of many steps, the loop over them, and what is seen of a run."""
