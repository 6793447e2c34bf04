"""Make the pictures of docs/examples.md: the plots of all examples, and the demos as a browser shows them (needs Chromium).

python examples/make_figures.py [name …]
"""

import io
import os
import runpy
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from PIL import Image

from sharnir.app.demos import ALL_DEMOS
from sharnir.model.files.model_file import load_run

HERE = Path(__file__).parent
FIGURES = HERE.parent / "docs" / "figures" / "examples"
PLOT_WIDTH, DEMO_WIDTH, PICTURE_WIDTH, MOST_BYTES = 720, 480, 900, 60_000
MODELS = {  # channels to plot of the model files
    "pendulum": ("hinge.q",),
    "satellite": ("left_root.q", "left_hinge.q", "hub.angular_velocity.z"),
    "shaker": ("linear.q", "hardening.q"),
    "slider_crank": ("slide.q", "O.v"),
    "quarter_car": ("chassis.position.z", "wheel.position.z", "tyre.force"),
}
MOMENTS = {  # seconds at which a demo looks best
    "satellite": 4.0,
    "robot-arm": 1.6,
    "quadruped": 3.4,
    "gymnast": 0.62,
    "car": 4.1,
    "cable": 2.0,
    "double-pendulums": 4.0,
    "triple-pendulum": 12.0,
    "top": 1.9,
    "handle": 1.05,
    "shaker": 26.2,
    "free-kick": 0.62,
    "engine": 0.52,
    "stewart": 2.1,
    "rover": 2.35,
    "spacecraft": 2.6,
    "slider-crank": 0.06,
    "squeezer": 0.012,
    "elastic-slider-crank": 0.1626,
    "landing-gear": 0.038,
    "rocket": 0.38,
    "dominoes": 0.42,
    "deployment": 6.0,
}


def reduced(picture: bytes, path: Path, width: int = PLOT_WIDTH) -> None:
    """Write a small copy of a PNG: narrow, and with as many colours as the size allows."""
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    image = image.resize((width, round(width * image.height / image.width)), Image.Resampling.LANCZOS)
    for colors in (127, 96, 64, 32, 16):
        # rare colours for the mechanism, frequent ones for the large background
        palettes = [image.quantize(colors, kind).getpalette() for kind in (Image.Quantize.MAXCOVERAGE, Image.Quantize.MEDIANCUT)]
        palette = Image.new("P", (1, 1))
        palette.putpalette([value for found in palettes for value in (found or [])[: 3 * colors]])
        image.quantize(palette=palette, dither=Image.Dither.NONE).save(path, optimize=True)
        if path.stat().st_size < MOST_BYTES:
            break
    print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


def plot_examples(folder: Path, wanted: list[str]) -> None:
    """The plots that scripts write themselves, and those of model files."""
    os.environ["SHARNIR_EXAMPLES_DIR"] = str(folder)
    for script in sorted(HERE.glob("*.py")):
        if script.stem != "make_figures" and (not wanted or script.stem in wanted):
            runpy.run_path(str(script), run_name="__main__")
            reduced((folder / f"{script.stem}.png").read_bytes(), FIGURES / f"{script.stem}.png")
    for name, channels in MODELS.items():
        if not wanted or f"{name}.toml" in wanted:
            model, settings = load_run(HERE / f"{name}.toml")
            model.simulate(**settings).plot(*channels, path=folder / f"{name}.png")
            reduced((folder / f"{name}.png").read_bytes(), FIGURES / f"{name}_toml.png")


def photograph_demos(folder: Path, wanted: list[str]) -> None:
    """The demos in headless Chromium, each at its best moment."""
    sys.path.insert(0, str(HERE.parent / "tests"))
    from app.animation.browser import Browser

    browser = Browser(folder / "profile", (900, 600))
    for name, demo in ALL_DEMOS.items():
        if not wanted or f"demo-{name}" in wanted:
            result = demo.run()
            page = replace(demo, plots=()).write_animation(result, folder / f"{name}.html")
            browser.open(page, f"#t={MOMENTS[name]}")
            browser.picture(folder / f"{name}.png")  # the first picture may miss labels
            browser.picture(folder / f"{name}.png")
            reduced((folder / f"{name}.png").read_bytes(), FIGURES / f"demo-{name}.png", DEMO_WIDTH)
            if demo.picture is not None:
                plot = demo.write_plot(result, folder / f"{name}-plot.png")
                reduced(plot.read_bytes(), FIGURES / f"demo-{name}-plot.png", PICTURE_WIDTH)
    browser.close()


if __name__ == "__main__":
    FIGURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        plot_examples(Path(temporary), sys.argv[1:])
        photograph_demos(Path(temporary), sys.argv[1:])
