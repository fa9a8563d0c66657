"""What is rigid: friction at rest, limits, contacts and loops, as rows of one problem."""
