"""Curves in text files beside a model file."""

import numpy as np
import pytest

import sharnir as sr

MODEL = """
[bodies.arm]
mass = 1
inertia = [1, 1, 1]
[joints.O]
type = "revolute"
parent = "ground"
child = "arm"
axis = "z"
motion = {file = "lift.csv", kind = "cubic", columns = [0, 2]}
"""


def test_a_motion_from_a_file(tmp_path):
    t = np.linspace(0, 2, 41)
    lines = ["t, other, angle", *(f"{x!r}, 7, {float(np.sin(x))!r}" for x in t.tolist())]
    (tmp_path / "lift.csv").write_text("\n".join(lines))
    (tmp_path / "arm.toml").write_text(MODEL)
    r = sr.Model.load(tmp_path / "arm.toml").simulate(2.0, output=0.1)
    np.testing.assert_allclose(r["O.q"], np.sin(r.t), atol=1e-5)
    np.testing.assert_allclose(r["O.drive"][2:-2], -np.sin(r.t)[2:-2], atol=5e-3)


@pytest.mark.parametrize(("given", "match"), [("nowhere.csv", "no such file"), ("words.csv", "cannot be read")])
def test_files_that_cannot_be_read(tmp_path, given, match):
    (tmp_path / "words.csv").write_text("no numbers here\n")
    (tmp_path / "arm.toml").write_text(MODEL.replace("lift.csv", given))
    with pytest.raises(sr.ModelError, match=match) as caught:
        sr.Model.load(tmp_path / "arm.toml")
    assert "joints.O.motion.file" in str(caught.value) and str(caught.value).count("motion") == 1
