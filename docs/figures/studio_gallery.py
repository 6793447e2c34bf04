"""Renders the demos for the studio's gallery: `python docs/figures/studio_gallery.py`, with Chromium installed."""

import io
import json
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE.parents[1] / "src")]

import numpy as np  # noqa: E402
from PIL import Image  # noqa: E402
from tests.app.animation.browser import Browser  # noqa: E402
from tests.app.studio.person import Person  # noqa: E402
from tests.app.studio.test_server import served  # noqa: E402

from sharnir.app.demos import ALL_DEMOS  # noqa: E402
from sharnir.app.studio import gallery  # noqa: E402

FIRST = ("slider-crank", "triple-pendulum", "car", "elastic-slider-crank")
BARE = """#studio { display: block !important } #studio > :not(main) { display: none !important }
main { position: fixed !important; inset: 0 } main > :not(canvas) { display: none !important }"""
STYLE = f"document.head.append(Object.assign(document.createElement('style'), {{textContent: {json.dumps(BARE)}}}))"
SIZE = (3 * gallery.WIDTH, 3 * gallery.HEIGHT)


def rendering(person: Person, document: dict) -> Image.Image:
    """A document as the studio draws it, without anything around it."""
    browser = person.browser
    browser.evaluate(f"window.studio.load({json.dumps(document)}, '')")
    person.settled()
    browser.evaluate("window.studio.picture.showJoints(false); window.studio.picture.axes.visible = false")
    browser.evaluate("window.studio.picture.resize(); window.studio.picture.refit(); window.studio.picture.axes.visible = false")
    browser.evaluate("new Promise((done) => setTimeout(done, 700))")
    image = cropped(browser.picture())
    return image.resize((gallery.WIDTH, gallery.HEIGHT), Image.Resampling.LANCZOS)


def cropped(pixels: np.ndarray) -> Image.Image:
    """The part of a picture around the mechanism: what is coloured or dark, with a margin."""
    strong = (pixels.max(axis=2) - pixels.min(axis=2) > 45) | (pixels.max(axis=2) < 150)
    rows, columns = np.flatnonzero(strong.sum(axis=1) > 2), np.flatnonzero(strong.sum(axis=0) > 2)
    (top, bottom), (left, right) = (rows[0], rows[-1]), (columns[0], columns[-1])
    height = min(pixels.shape[0], max(1.35 * (bottom - top), 1.35 * (right - left) * gallery.HEIGHT / gallery.WIDTH, 200))
    width = height * gallery.WIDTH / gallery.HEIGHT
    x = min(max(0.5 * (left + right) - 0.5 * width, 0), pixels.shape[1] - width)
    y = min(max(0.5 * (top + bottom) - 0.47 * height, 0), pixels.shape[0] - height)
    return Image.fromarray(pixels.astype("uint8")).crop((round(x), round(y), round(x + width), round(y + height)))


def main() -> None:
    """All demos that open as documents, side by side."""
    listed = []
    images = []
    with served(tempfile.mkdtemp()) as (client, _):
        browser = Browser(Path(tempfile.mkdtemp()), SIZE, timeout=600.0)
        person = Person(browser, f"{str(client.base_url).rstrip('/')}/?token={client.token}")
        browser.evaluate(STYLE)
        for name in (*FIRST, *(name for name in ALL_DEMOS if name not in FIRST)):
            model = ALL_DEMOS[name].model()
            if gallery.opens(model):
                document = client.get(f"/api/gallery/{name}").json()["ok"]["document"]
                images.append(rendering(person, document))
                listed.append({"name": name, "flexible": gallery.is_flexible(model)})
        browser.close()
    sheet = Image.new("RGB", (gallery.WIDTH * len(images), gallery.HEIGHT))
    for k, image in enumerate(images):
        sheet.paste(image, (k * gallery.WIDTH, 0))
    here = Path(gallery.__file__).parent
    (here / gallery.LIST).write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8")
    kept = io.BytesIO()
    sheet.save(kept, "WEBP", quality=82, method=6)
    (here / gallery.PICTURES).write_bytes(kept.getvalue())


if __name__ == "__main__":
    main()
