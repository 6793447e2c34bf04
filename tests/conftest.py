"""Kernels are compiled before the whole suite runs: otherwise its processes wait for each other at every kernel that is new.

Property tests take the same examples in every run, and no test looks at the clock; limits of time only end what hangs.
Of families that are marked `sample(n)` the whole suite takes about every n-th case, at least one, and of tests that are marked
`slow` about every third; SHARNIR_TEST_CASES=all takes all, and so do runs of files or marks that are named. Tests that loop over
random cases ask `samples.count`.
Libraries of linear algebra use one thread in each process: on the small matrices of tests, threads wait longer than they
work.
"""

import contextlib
import gc
import os
import zlib

import pytest
from hypothesis import settings

for library in ("OPENBLAS", "MKL", "OMP"):  # before NumPy is imported
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")
os.environ.setdefault("SHARNIR_COMPILERS", "1")  # tests with an empty cache compile what they need and nothing beside

SLOW = 3  # of as many slow tests the whole suite runs one

settings.register_profile("reproducible", derandomize=True, deadline=None)
settings.load_profile("reproducible")


def pytest_configure(config):
    """In the process that starts the others, where all tests run and not some that were named."""
    of_all = config.args_source is pytest.Config.ArgsSource.TESTPATHS and not config.option.collectonly
    if of_all and not hasattr(config, "workerinput"):
        if not config.option.markexpr:
            os.environ.setdefault("SHARNIR_TEST_CASES", "sample")  # also for the processes that run the tests
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # hundreds of processes import the same files
        from sharnir.kernel.storage.warmup import warm_up

        for _ in warm_up(everything=True):
            pass


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """What is imported and collected stays until the end: the garbage collector need not look through it again and again.

    What tests leave behind is looked through more seldom than usual; that took a twentieth of their time.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(50_000, 20, 20)
        gc.enable()


def pytest_collection_modifyitems(config, items):
    """The sample of each family, the same in every run; the name of a case decides, so that it mixes all parameters."""
    if os.environ.get("SHARNIR_TEST_CASES") != "sample":
        return
    left_out, taken = {}, set()
    for item in items:
        family = item.get_closest_marker("sample")
        share = family.args[0] if family and "[" in item.name else SLOW if item.get_closest_marker("slow") else 1
        name = item.nodeid.partition("[")[0] if family else None
        if zlib.crc32(item.name.encode()) % share:
            left_out[item] = name
        else:
            taken.add(name)
    for item, name in list(left_out.items()):
        if name is not None and name not in taken:  # of each family at least one
            taken.add(name)
            del left_out[item]
    if left_out:
        items[:] = [item for item in items if item not in left_out]
        config.hook.pytest_deselected(items=list(left_out))


def all_families(base=None):
    """The families of joints, forces, … that have been imported."""
    from sharnir.families import Registered

    base = base or Registered
    found = [base.__dict__["family"]] if "family" in base.__dict__ else []
    for heir in base.__subclasses__():
        found += all_families(heir)
    return found


@contextlib.contextmanager
def forgotten_afterwards():
    """Elements that are defined meanwhile are not listed any more at the end; those of the package are, whoever imports them."""
    from sharnir.families import PACKAGE, Family

    before = {id(family): set(family.classes()) for family in all_families()}
    yield
    for family in all_families():
        known = before.get(id(family), ())
        kept = {word: x for word, x in family.classes().items() if word in known or x.__module__.split(".")[0] == PACKAGE}
        if len(kept) < len(family.classes()):
            family._classes = kept
            Family.changes += 1


@pytest.fixture(autouse=True, scope="module")
def only_listed_here():
    """Elements that tests and pages define are listed until the end of their file, so that others see the package as it is."""
    with forgotten_afterwards():
        yield
