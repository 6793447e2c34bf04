"""How quickly the studio answers: pictures per second, clicks, checks and curves, in headless Chromium.

    python benchmarks/studio.py

Headless Chromium draws without a graphics processor (SwiftShader), so pictures per second are a lower bound; times of clicks and
curves hold for any machine of this speed. Results are the median of some tries, in milliseconds unless stated otherwise.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.app.animation.browser import Browser
from tests.app.studio.person import Person
from tests.app.studio.test_server import served

TRIES = 7
MEDIAN = "(times) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)]"
FRAMES = f"""(async () => {{
  const {"{"} picture {"}"} = window.studio, gl = picture.stage.renderer.getContext(), times = [];
  for (let k = 0; k < {TRIES}; k++) {{
    picture.stage.camera.position.applyAxisAngle(picture.stage.camera.up, 0.05);
    picture.stage.controls.update();
    const begun = performance.now();
    picture.stage.render();
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
    times.push(performance.now() - begun);
    await new Promise((done) => setTimeout(done, 30));
  }}
  return ({MEDIAN})(times);
}})()"""
# the script of a click, without the picture that follows it: what the page does before it can answer again
CLICK = f"""(async (selector) => {{
  const times = [];
  for (let k = 0; k < {TRIES}; k++) {{
    const rows = [...document.querySelectorAll(selector)];
    const begun = performance.now();
    rows[(7 * k + 3) % rows.length].click();
    document.body.getBoundingClientRect(); // styles and places of what has changed
    times.push(performance.now() - begun);
    await new Promise((done) => setTimeout(done, 60));
  }}
  return ({MEDIAN})(times);
}})"""
PICK = f"""(async () => {{
  const {"{"} picture {"}"} = window.studio, times = [];
  const box = picture.canvas.getBoundingClientRect();
  for (let k = 0; k < {TRIES}; k++) {{
    const begun = performance.now();
    picture.pick({{ clientX: box.left + box.width * (0.3 + 0.05 * k), clientY: box.top + 0.5 * box.height }});
    times.push(performance.now() - begun);
  }}
  return ({MEDIAN})(times);
}})()"""
CHECK = f"""(async () => {{
  const times = [];
  for (let k = 0; k < 3; k++) {{
    const begun = performance.now();
    window.studio.document.set(["bodies", "b1", "mass"], 1 + 0.01 * (k + 1));
    await new Promise((done) => {{
      const isDone = () => window.studio.root.dataset.checked === String(window.studio.document.revision);
      const wait = () => (isDone() ? done() : setTimeout(wait, 5));
      wait();
    }});
    times.push(performance.now() - begun);
  }}
  return ({MEDIAN})(times);
}})()"""
CURVES = f"""(async () => {{
  const times = [], plots = window.studio.plots;
  for (let k = 0; k < {TRIES}; k++) {{
    const begun = performance.now();
    plots.zoom = k % 2 ? [10, 20 + k] : null;
    await plots.load();
    times.push(performance.now() - begun);
  }}
  return ({MEDIAN})(times);
}})()"""


def chain(count: int) -> dict[str, Any]:
    """Arms of ten links each, so that the mechanism has many bodies and short paths."""
    bodies, joints = {}, {}
    for k in range(1, count + 1):
        arm, link = divmod(k - 1, 10)
        place = [0.25 * (arm % 25), 0.25 * (arm // 25), -0.2 * link - 0.1]
        bodies[f"b{k}"] = {"mass": 1, "shape": {"type": "box", "size": [0.05, 0.05, 0.18]}, "position": place}
        parent = "ground" if link == 0 else f"b{k - 1}"
        at = [place[0], place[1], -0.2 * link]
        joints[f"j{k}"] = {"type": "revolute", "parent": parent, "child": f"b{k}", "at": at, "axis": "y", "q": 0.1}
    return {"model": {"name": f"{count} bodies"}, "bodies": bodies, "joints": joints, "simulation": {"t_end": 1.0, "step": 0.02}}


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as (client, _):
        browser = Browser(Path(folder) / "chromium", (1366, 768), timeout=300.0)
        try:
            person = Person(browser, f"{str(client.base_url).rstrip('/')}/?token={client.token}")
            for count in (100, 1000):
                browser.evaluate(f"window.studio.load({json.dumps(chain(count))}, '')")
                person.settled()
                frame = browser.evaluate(FRAMES)
                rows = {
                    "picture": frame,
                    "click in the tree": browser.evaluate(f"{CLICK}('.tree [data-id]')"),
                    "pick in the picture": browser.evaluate(PICK),
                    "edit until it is checked": browser.evaluate(CHECK),
                }
                print(
                    f"{count} bodies: " + ", ".join(f"{name} {x:.1f} ms" for name, x in rows.items()),
                    f"({1000 / frame:.0f} pictures/s)",
                )
            long_run(browser, person)
        finally:
            browser.evaluate("window.onbeforeunload = null; window.studio.document.markSaved('x')")
            browser.close()


def long_run(browser: Browser, person: Person) -> None:
    """Curves of a run of a million samples."""
    document = chain(1) | {"simulation": {"t_end": 1000.0, "step": 0.001}}
    browser.evaluate(f"window.studio.load({json.dumps(document)}, '')")
    person.settled()
    browser.evaluate("window.studio.plots.channels = ['j1.q', 'j1.v']")
    person.press("F5")
    browser.wait_for("window.studio.runs.size === 1 && !window.studio.running.going")
    samples = browser.evaluate("window.studio.curves('A', ['j1.q'])")["curves"][0]["samples"]
    print(f"{samples} samples, two channels, asked for, thinned out and drawn: {browser.evaluate(CURVES):.0f} ms")
    assert np.isfinite(samples)


if __name__ == "__main__":
    main()
