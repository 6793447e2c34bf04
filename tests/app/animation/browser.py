"""Headless Chromium for tests: what is seen as numbers, always drawn by software."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
from PIL import Image

from sharnir.app.animation.headless_browser import HeadlessBrowser, browser_path

CHROMIUM = browser_path()
SOFTWARE = [
    "--use-angle=swiftshader",
    "--disable-gpu-compositing",  # the page itself need not be drawn through a graphics card that is not there
]


class Browser(HeadlessBrowser):
    """As HeadlessBrowser, with pictures as arrays."""

    def __init__(self, folder: Path, size: tuple[int, int] = (1100, 700), timeout: float = 240.0) -> None:
        super().__init__(folder, size, SOFTWARE, timeout)

    def picture(self, path: Path | None = None) -> np.ndarray:
        """What the window shows, as an array (height, width, 3) of 0…255."""
        data = self.screenshot()
        if path is not None:
            path.write_bytes(data)
        return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"), dtype=int)
