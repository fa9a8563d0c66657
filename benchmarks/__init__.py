"""Benchmarks, each a program: `./run bench NAME`."""
