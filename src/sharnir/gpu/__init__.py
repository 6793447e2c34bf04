"""Runs and evaluations of many states on a GPU: CUDA C of derived equations, integrators and reductions inside one kernel."""
