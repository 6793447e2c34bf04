"""Kernels are compiled before the whole suite runs: otherwise its processes wait for each other at every kernel that is new.

Property tests take the same examples in every run, and no test looks at the clock; limits of time only end what hangs.
"""

import pytest
from hypothesis import settings

settings.register_profile("reproducible", derandomize=True, deadline=None)
settings.load_profile("reproducible")


def pytest_configure(config):
    """In the process that starts the others, where all tests run and not some that were named."""
    of_all = config.args_source is pytest.Config.ArgsSource.TESTPATHS and not config.option.collectonly
    if of_all and not hasattr(config, "workerinput"):
        from sharnir.kernel.storage.warmup import warm_up

        for _ in warm_up(everything=True):
            pass
