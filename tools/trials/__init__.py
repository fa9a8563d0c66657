"""What `tools/soak.py` tries: odd inputs, scenes against what must hold, processes that are killed."""
