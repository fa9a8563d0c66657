"""Pictures. Needs matplotlib, which the extra `plot` installs."""
