"""`python -m stiction`: the command."""

from stiction.cli import main

main()
