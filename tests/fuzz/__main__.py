"""`python -m tests.fuzz --count 10000`: random mechanisms, each run in two ways."""

from .mechanisms import main

raise SystemExit(1 if main() else 0)
