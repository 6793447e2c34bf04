"""Some thousand bad arguments; all of them by `python -m tests.fuzz.arguments --count 28600`."""

from __future__ import annotations

import inspect

import sharnir as sr
from sharnir import flexible as fx

from .arguments import calls, outcome

# what comes out of the package, and is not made by hand
OUTPUTS = {"CyclicRun", "Ensemble", "Equations", "Equilibrium", "Linearization", "Modes", "System"}
OUTPUTS |= {"Fit", "OptimalControl", "Optimum", "StudyResult"}
OUTPUTS |= {"Joint", "Attachment", "approximate_cycle"}
OUTPUTS |= {"FEModel", "Interface", "ModalInertia", "ReducedModel", "ReductionReport", "RigidInertia"}


# raised raw errors in earlier versions
FOUND = (200734, 201669, 201999, 202908, 203787, 204496, 204647, 206741, 209556, 210779)


def test_bad_arguments_are_refused_in_words():
    found = [(seed, *outcome(seed)) for seed in (*range(2000), *FOUND)]
    assert [x for x in found if x[2] in ("raw", "hang")] == []


def test_everything_public_is_tried():
    """A new element must be listed in tests/fuzz/arguments.py."""
    for module in (sr, fx):
        for name in module.__all__:
            entry = getattr(module, name)
            error = isinstance(entry, type) and issubclass(entry, (Exception, Warning))
            if (inspect.isclass(entry) or callable(entry)) and not error and name not in OUTPUTS:
                assert name in calls(), name


def test_right_arguments_work():
    """Otherwise a bad one would be refused for another reason."""
    for name, call in calls().items():
        if name not in ("Result.node", "Result.displacements"):  # there is no flexible body
            call.then(call.function(**call.given))
