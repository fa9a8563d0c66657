"""Files: scenes and drives in TOML, their JSON Schema, runs in HDF5 and CSV."""
