"""Small MJCF models, one for each group of features that the file format has, for comparison with MuJoCo."""

BOXES = '<inertial pos="0.1 0.02 -0.03" mass="1.5" diaginertia="0.02 0.03 0.04" euler="20 30 40"/>'


def one(body: str, settings: str = "", rest: str = "") -> str:
    """A model with one body, that hangs on another one."""
    return f"""<mujoco model="one">{settings}<worldbody><body name="base" pos="0.1 0.2 0.3" euler="10 20 30">
      <joint name="base x" type="hinge" axis="1 0.2 0"/>{BOXES}
      {body}</body></worldbody>{rest}</mujoco>"""


def link(attributes: str = "", joint: str = '<joint name="j" axis="0 1 0.3" pos="0.1 0 0.05"/>', inside: str = BOXES) -> str:
    """A body with a joint."""
    return f'<body name="link" {attributes}>{joint}{inside}</body>'


SHAPES = """<body name="link" pos="0 0 0.2"><joint name="j" axis="1 0 0"/>
  <geom type="sphere" size="0.1" pos="0.1 0 0"/><geom type="capsule" size="0.05 0.2" euler="20 30 0" density="500"/>
  <geom type="cylinder" size="0.06 0.1" pos="0 0.2 0" mass="0.7"/><geom type="box" size="0.1 0.2 0.05" zaxis="1 1 1"/>
  <geom type="ellipsoid" size="0.1 0.05 0.08" pos="0 0 0.3"/><geom type="capsule" fromto="0 0 0 0.1 0.2 0.3" size="0.02"/>
  <geom type="cylinder" fromto="0 0 0.1 -0.1 0.2 0.3" size="0.03"/><geom type="box" fromto="0 0 0.1 -0.1 0.2 0.3" size="0.02"/>
  <geom size="0.3" mass="0"/></body>"""
CLASSES = """<default><joint armature="0.1" damping="2"/><geom density="2000"/>
  <default class="leg"><joint axis="0 1 0" armature="0.2"/><default class="foot"><joint pos="0 0 0.1"/></default></default>
  </default>"""
NESTED = f"""<body name="a" childclass="leg"><joint name="a1"/>{BOXES}<body name="b" pos="0 0 1">
  <joint name="b1" class="foot"/><geom size="0.1" pos="0.1 0 0"/><body name="c" childclass="foot">
  <frame childclass="leg" pos="0 0.1 0"><joint name="c1"/></frame>
  <geom size="0.1"/><body name="d"><joint name="d1" axis="1 0 0"/><geom size="0.2"/></body></body></body></body>"""
SEVERAL = """<body name="hand" pos="0 0 0.4"><joint name="slide" type="slide" axis="1 1 0" armature="0.3"/>
  <joint name="turn" axis="0 0 1" pos="0.1 0 0"/><joint name="tilt" axis="0 1 0" pos="0 0.2 0" armature="0.05"/>{0}
  <body name="head" pos="0 0 0.1" quat="1 0.2 0 0.3"><joint name="neck" type="ball" pos="0 0 0.1" armature="0.02"/>
  {0}</body></body>"""
FLYING = """<mujoco><worldbody><body name="bird" pos="1 2 3" euler="20 30 40"><freejoint/>{0}
  <body name="wing" pos="0 1 0" axisangle="1 0 0 30"><joint name="flap" axis="1 0 0"/>{0}</body></body>
  <body pos="0 0 1"><joint name="alone" type="free"/><geom size="0.1"/></body></worldbody></mujoco>"""
FRAMES = """<frame pos="0.1 0 0" euler="0 0 30"><frame xyaxes="0 1 0 -1 0 0"><body name="link" pos="0 0.2 0">
  <frame pos="0 0 0.1" axisangle="0 1 0 40"><joint name="j" pos="0.1 0 0" axis="0 0 1"/>
  <geom type="box" size="0.1 0.2 0.3"/></frame></body></frame></frame>"""
COPIES = """<replicate count="3" offset="0.3 0 0" euler="0 0 10"><body name="copy" pos="0 0.1 0"><joint name="of" axis="0 1 0"/>
  <geom size="0.1"/></body></replicate>"""

TREES = {
    "angles": one(link('euler="10 20 30" pos="0 0 1"')),
    "radians": one(link('euler="0.1 0.2 0.3"'), '<compiler angle="radian"/>'),
    "sequence of angles": one(link('euler="10 20 30"'), '<compiler eulerseq="ZYx"/>'),
    "quaternion": one(link('quat="2 0.1 0.4 0.3"')),
    "axis and angle": one(link('axisangle="1 2 3 40"')),
    "two axes": one(link('xyaxes="1 0.1 0 0 1 1"')),
    "third axis": one(link('zaxis="-0.2 0.1 -1"')),
    "third axis backwards": one(link('zaxis="0 0 -1"')),
    "slide": one(link(joint='<joint name="j" type="slide" axis="1 2 0" pos="1 1 1" armature="0.7"/>')),
    "full inertia": one(link(inside='<inertial pos="0 0 1" mass="2" fullinertia="0.3 0.4 0.5 0.02 0.03 0.01"/>')),
    "shapes": one(SHAPES),
    "geoms before inertial": one(link(inside=BOXES + '<geom size="0.2"/>'), '<compiler inertiafromgeom="true"/>').replace(
        BOXES + "\n", BOXES + '<geom size="0.1"/>\n'
    ),
    "groups": one(link(inside='<geom size="0.2" group="1"/><geom size="0.3" group="3"/>'), '<compiler inertiagrouprange="0 2"/>'),
    "bounds": one(
        link(inside='<inertial pos="0 0 0" mass="1e-3" diaginertia="1e-6 1e-6 1e-6"/>'),
        '<compiler boundmass="0.01" boundinertia="0.001"/>',
    ),
    "balance": one(
        link(inside='<inertial pos="0 0 0" mass="1" diaginertia="0.1 0.1 0.5"/>'), '<compiler balanceinertia="true"/>'
    ),
    "total mass": one(link(), '<compiler settotalmass="5"/>'),
    "no gravity": one(link(), '<option><flag gravity="disable"/></option>'),
    "gravity": one(link(), '<option gravity="1 2 3"/>'),
    "classes": one(NESTED, CLASSES),
    "several joints": one(SEVERAL.format(BOXES)),
    "flying": FLYING.format(BOXES),
    "frames": one(FRAMES),
    "copies": one(COPIES),
    "reference": one(link(joint='<joint name="j" axis="0 1 0" ref="30"/>')),
    "fixed bodies": one(f'<body pos="0 0 1">{BOXES}<body euler="0 10 0"><geom size="0.1"/></body></body>'),
}

DRIVEN = """<mujoco><compiler autolimits="true"/><option gravity="0 0 -9.81"/>
  <default><joint damping="0.3" armature="0.1"/><position kp="30" kv="2"/>
  <default class="strong"><general gainprm="7" biastype="affine" biasprm="1 -2 -3"/><motor gear="4"/></default></default>
  <worldbody><body name="a"><joint name="a" axis="0 1 0" stiffness="3" springref="20"/>{0}
  <body name="b" pos="0.5 0 0"><joint name="b" type="slide" axis="1 0 1" stiffness="5" springref="0.1" ref="0.2"/>{0}
  <body name="c" pos="0.5 0 0" gravcomp="0.7"><joint name="c" axis="0 0 1" actuatorfrcrange="-1 1"/>{0}
  <body name="d" pos="0.5 0 0"><joint name="d" type="ball" stiffness="2"/>{0}</body></body></body></body></worldbody>
  <tendon><fixed name="t" stiffness="4" damping="0.5" springlength="0.1"><joint joint="a" coef="0.3"/>
  <joint joint="b" coef="-0.6"/></fixed></tendon>
  <actuator>{1}</actuator><keyframe><key name="up" ctrl="{2}"/></keyframe></mujoco>"""
ACTUATORS = {
    "motor": '<motor joint="a" gear="3"/>',
    "motor of a class": '<motor joint="a" class="strong"/>',
    "position": '<position joint="a"/>',
    "position by its damping ratio": '<position joint="a" kp="20" dampratio="0.8"/>',
    "range of a force": '<position joint="b" kp="500" forcerange="-3 2"/>',
    "range of a control": '<position joint="b" kp="50" ctrlrange="-0.1 0.1" gear="2"/>',
    "range of a joint": '<motor joint="c" gear="9"/>',
    "velocity": '<velocity joint="a" kv="3"/>',
    "general": '<general joint="a" class="strong" gear="-2"/>',
    "affine gain": '<general joint="a" gaintype="affine" gainprm="1 2 3"/>',
    "damper": '<damper joint="a" kv="4" ctrlrange="0 2"/>',
    "speed integrated": '<intvelocity joint="a" kp="5" actrange="-1 1"/>',
    "filter": '<general joint="a" dyntype="filter" dynprm="0.2" gainprm="3"/>',
    "tendon": '<motor tendon="t" gear="2"/>',
    "position of a tendon": '<position tendon="t" kp="8" kv="0"/>',
}


def driven(name: str, control: float = 0.8) -> str:
    """A chain with springs, dampers, a tendon and one actuator."""
    return DRIVEN.format(BOXES, ACTUATORS[name], control)
