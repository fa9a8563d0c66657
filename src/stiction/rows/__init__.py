"""What is rigid: friction at rest and, later, limits, contacts and loops, as rows of one problem."""
