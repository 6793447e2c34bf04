"""Kernels are compiled before the whole suite runs: otherwise its processes wait for each other at every kernel that is new."""

import pytest


def pytest_configure(config):
    """In the process that starts the others, where all tests run and not some that were named."""
    of_all = config.args_source is pytest.Config.ArgsSource.TESTPATHS and not config.option.collectonly
    if of_all and not hasattr(config, "workerinput"):
        from sharnir.kernel.storage.warmup import warm_up

        for _ in warm_up(everything=True):
            pass
