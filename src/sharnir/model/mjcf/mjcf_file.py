"""Models of MuJoCo (MJCF) as models: bodies, joints, inertias, springs, limits, actuators, equalities, tendons, keyframes.

See https://mujoco.readthedocs.io/en/stable/XMLreference.html for the format.
"""

from __future__ import annotations

from collections import Counter
from os import PathLike
from typing import Any, Literal

import numpy as np

from sharnir.arguments import bool_of, integer, with_advice
from sharnir.arguments import text as text_of_name
from sharnir.errors import ModelError, ModelFileError
from sharnir.model.bodies.body import Body
from sharnir.model.checks import number
from sharnir.model.contact import ContactLaw, check_law
from sharnir.model.joints import Joint
from sharnir.model.mjcf.body_tree import BodyTree, all_of, colors_of, meshes_of
from sharnir.model.mjcf.geom_inertias import Inertia, body_inertia
from sharnir.model.mjcf.mjcf_actuators import Words, add_actuators
from sharnir.model.mjcf.mjcf_contacts import add_contacts, note_contacts
from sharnir.model.mjcf.mjcf_equalities import add_equalities, followers, with_leaders
from sharnir.model.mjcf.mjcf_joints import JointRow, JointRows, add_part, body_of, frictions, stop
from sharnir.model.mjcf.mjcf_keyframes import Keyframe, keyframe_of, with_state
from sharnir.model.mjcf.mjcf_numbers import number_of, vector_of
from sharnir.model.mjcf.mjcf_shapes import pictures
from sharnir.model.mjcf.mjcf_source import Source, source_of
from sharnir.model.mjcf.mjcf_tendons import tendons_of
from sharnir.model.model import Model

GRAVITY = (0.0, 0.0, -9.81)
TAKEN = {"compiler", "option", "size", "visual", "statistic", "default", "asset", "worldbody", "contact", "equality", "tendon"}
TAKEN |= {"actuator", "keyframe", "custom"}


@with_advice
def load_mjcf(
    source: str | PathLike[str],
    *,
    name: str | None = None,
    keyframe: str | int | None = None,
    stops: ContactLaw | Literal["soft"] | None = "soft",
    friction_speed: float | None = 0.01,
    contacts: ContactLaw | None = None,
    actuators: bool = True,
    meshes: bool = True,
) -> Model:
    """A model from an MJCF file of MuJoCo, or from its text.

    Parameters
    ----------
    source : path of the file, or the text itself (it begins with "<").
    name : name of the model; default: that of the file.
    keyframe : name or number of the keyframe that gives initial coordinates, speeds and controls; default: the drawing.
    stops : law of the stops at the ends of ranges, such as HuntCrossley; "soft": springs and dampers with the time constant and
        damping ratio of the file; None: ranges are only stored in the joints. They become JointLimits, "<joint> stop".
    friction_speed : speed [rad/s or m/s] below which dry friction (frictionloss) decreases to zero; None leaves it out.
    contacts : law of contacts of spheres, capsules and boxes with planes of the world, and of <pair>; default: none.
    actuators : False leaves them out.   meshes : False draws none.

    Coordinates are those of MuJoCo, except that free joints are counted from the drawing, with speeds in axes of the body. An
    actuator becomes an Input "<name>_ctrl" and a force "<name> actuator". What cannot be taken over is listed in one warning.

    >>> text = '''<mujoco model="pendulum"><worldbody><body name="bob"><joint name="O" axis="0 1 0" armature="0.5"/>
    ... <geom size="0.1" pos="0 0 -1" mass="2"/></body></worldbody></mujoco>'''
    >>> m = load_mjcf(text)
    >>> m.compile().mass_matrix([0.0]).round(6)
    array([[2.508]])
    """
    for key, value in (("actuators", actuators), ("meshes", meshes)):
        bool_of(value, "load_mjcf", key)
    if name is not None:
        text_of_name(name, "load_mjcf", "name")
    if stops is not None and not (isinstance(stops, str) and stops == "soft"):
        check_law(stops, "load_mjcf")
    if contacts is not None:
        check_law(contacts, "load_mjcf")
    if keyframe is not None and not isinstance(keyframe, str):
        integer(keyframe, "load_mjcf", "keyframe", low=0)
    if friction_speed is not None:
        number(friction_speed, "load_mjcf", "friction_speed", above=0)
    file = source_of(source)
    try:
        model = _model(file, name, keyframe, stops, friction_speed, contacts, actuators, meshes)
    except ModelFileError:
        raise
    except ModelError as error:
        raise ModelFileError([("", str(error))], source=file.file) from None
    file.notes.warn_once()
    return model


def _model(
    file: Source,
    name: str | None,
    keyframe: str | int | None,
    stops: ContactLaw | Literal["soft"] | None,
    friction_speed: float | None,
    contacts: ContactLaw | None,
    actuators: bool,
    meshes: bool,
) -> Model:
    """All parts in their order."""
    tree = BodyTree(file)
    if len(tree.parts) == 1:
        raise file.problem("worldbody", "has no bodies")
    assets, colors = meshes_of(file, tree.defaults), colors_of(file, tree.defaults)
    inertias = _inertias(tree, assets)
    joints = JointRows(tree, inertias)
    key = keyframe_of(file, keyframe, joints.rows)
    model = Model(name or file.root.get("model") or "mujoco model", gravity=_gravity(file))
    mimics = followers(tree, joints)
    bodies: list[Body] = [
        body_of(part, x, pictures(part, assets, colors, meshes, file.notes) if k else ())
        for k, (part, x) in enumerate(zip(tree.parts, inertias, strict=True))
    ]
    following = []
    for k in range(1, len(tree.parts)):
        following += add_part(model, tree, joints, k, bodies[k], lambda joint, row: _settled(joint, row, key, joints, mimics))
    model.add(*following)
    add_equalities(model, tree, joints, mimics)
    for row in joints.rows:
        model.add(*([] if friction_speed is None else frictions(row, float(friction_speed))))
        limit = None if stops is None else stop(row, stops)
        model.add(*([] if limit is None else [limit]))
    words = Words()
    tendons = tendons_of(model, tree, joints, words, friction_speed)
    if actuators:
        add_actuators(model, tree, joints, tendons, words, key.controls)
    if contacts is None:
        note_contacts(tree)
    else:
        add_contacts(model, tree, contacts)
    _note_rest(file)
    return model


def _settled(joint: Joint, row: JointRow, key: Keyframe, joints: JointRows, mimics: Any) -> Joint:
    """The joint with its leader, or with the state of a keyframe."""
    return with_state(with_leaders(joint, mimics), row, key, joints.rows)


def _inertias(tree: BodyTree, assets: Any) -> list[Inertia]:
    """Of all parts; the world has none. With a total mass they are scaled."""
    compiler = tree.compiler
    found = [Inertia(0.0, np.zeros(3), np.zeros((3, 3)))]
    found += [body_inertia(part, compiler, assets, tree.notes) for part in tree.parts[1:]]
    whole = sum(x.mass for x in found)
    if compiler.total_mass > 0.0 and whole > 0.0:
        scale = compiler.total_mass / whole
        found = [Inertia(scale * x.mass, x.center, scale * x.J) for x in found]
    return found


def _gravity(file: Source) -> tuple[float, ...]:
    """That of <option>, later ones win; a flag switches it off."""
    found, on = np.array(GRAVITY), True
    for option in file.root.findall("option"):
        found = vector_of(option.attrib, "gravity", tuple(found))
        for flag in option.findall("flag"):
            on = flag.get("gravity", "enable") != "disable"
        if any(number_of(option.attrib, key, 0.0) for key in ("density", "viscosity")) or option.get("wind"):
            file.notes.add("forces of a surrounding fluid", "<option>")
    return tuple(found.tolist()) if on else (0.0, 0.0, 0.0)


def _note_rest(file: Source) -> None:
    """Sections that are not read, with what they contain."""
    for section in file.root:
        if section.tag not in TAKEN:
            counts = Counter(element.tag for element in section)
            text = ", ".join(f"{count} {tag}" for tag, count in counts.items())
            file.notes.add(f"<{section.tag}>", text or "empty")
    for element in all_of(file.root, "asset"):
        if element.tag == "model":
            file.notes.add("models inside of models", element.get("file", ""))
