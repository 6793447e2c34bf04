"""Kernels on disk: libraries that come with a wheel, the cache of this machine, and who fills it."""
