"""Runs that stop on the way: the event loop, clocks, changes of structure, stiffness."""
