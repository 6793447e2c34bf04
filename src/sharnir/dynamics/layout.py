"""Every array of the engine: three flat blocks, `table` (int64), `params` and `work` (float64), and what lies where.

A system is these three blocks and nothing else, so kernels take three addresses, threads take a copy of `work`, and no
kernel is recompiled for another model. Per-body data lie together, in the order of the recursion: a pass over 10⁵ bodies
streams through memory. In batch runs each number of `work`, `q`, `v` becomes a vector of lanes; `table` and `params` stay.
"""

# ---- header of `table`: counts and offsets of the sections ------------------------------------------------------------
N_BODY = 0  # bodies, in regular numbering: parent < body
N_Q = 1  # coordinates
N_V = 2  # speeds
N_MOTION = 3  # elementary freedoms with prescribed motion
N_FORCE = 4  # force elements that act on bodies
N_JOINT_FORCE = 5  # functions of one joint coordinate
N_BALL_SPRING = 6  # isotropic springs in ball joints
N_MIMIC = 7  # speeds that are multiples of another speed
HAS_COORDINATE_FORCE = 8  # 1 if any constant force, damping or stiffness stands in P_COORDINATE
T_BODY = 9  # offsets in `table`
T_FREEDOM = 10
T_MOTION = 11
T_FORCE = 12
T_JOINT_FORCE = 13
T_BALL_SPRING = 14
T_MIMIC = 15
T_METHOD = 16
P_BODY = 17  # offsets in `params`
P_FREEDOM = 18
P_COORDINATE = 19
P_FRAME = 20
P_METHOD = 21
W_BODY = 22  # offsets in `work`
W_ELIMINATION = 23
W_AXES = 24
W_BRANCH = 25
W_POSE = 26
W_EXTERNAL = 27
W_MOTION = 28
W_TAU = 29
W_VDOT = 30
W_METHOD = 31
W_REACTION = 32
P_MIMIC = 33  # per dependent speed: its multiplier
T_COORDINATE = 34  # per speed: the index of its coordinate, or -1
T_ANCESTOR = 35  # per speed: the speed before it on the way to the base, or -1
T_RUN = 36  # per speed: the first of the consecutive T_SOLVE ancestors that end at it
T_SOLVE = 37  # as T_ANCESTOR, but all speeds in one line where mimic joints couple branches
W_DRIVE = 38  # per speed: generalized force given by the caller; zero unless asked for
HEADER = 40

# ---- params: header -----------------------------------------------------------------------------------------------------
GRAVITY = 0  # 3: acceleration of gravity, m/s²
P_HEADER = 4

# ---- one body in `table` -------------------------------------------------------------------------------------------------
T_BODY_SIZE = 10
PARENT = 0  # body number, -1 for the fixed frame
KIND = 1  # how coordinates become a relative position: below
FIRST_Q = 2
FIRST_V = 3
COUNT_V = 4  # free speeds of the joint
FIRST_FREEDOM = 5  # elementary freedoms, prescribed ones among them
COUNT_FREEDOM = 6
BRANCH = 7  # record in W_BRANCH if it has children besides body i + 1, else -1
COUNT_ELASTIC = 8  # elastic coordinates H of a body with 6 + H coordinates: always 0 here, reserved, no kernel reads it yet
DEPTH = 9  # joints between the body and the base

REVOLUTE, PRISMATIC, BALL, FREE, SEQUENCE = 0, 1, 2, 3, 4  # revolute and prismatic: along z of the body's frame

# ---- one body in `params`, filled by assemble ---------------------------------------------------------------------------
P_BODY_SIZE = 24
TREE_ROTATION = 0  # 9: parent axes -> axes of the joint at zero coordinates
TREE_POSITION = 9  # 3: joint origin in the parent's frame
MASS = 12
FIRST_MOMENT = 13  # 3: m r_c
INERTIA = 16  # 6: about the frame's origin
P_FRAME_SIZE = 12  # the user's body frame in the engine's: 9 rotation (user -> engine axes), 3 position

# ---- one body in `work` --------------------------------------------------------------------------------------------------
W_BODY_SIZE = 32
G = 0  # 9: rotation parent axes -> body axes; filled by update_kinematics
RHO = 9  # 3: origin offset in the parent's frame; update_kinematics
VEL = 12  # 6: velocity of the origin and angular velocity, body axes; update_kinematics
BIAS = 18  # 6: w* = acceleration that is there without q̈; update_kinematics
ACC = 24  # 6: acceleration less gravity, body axes; the method
W_ELIMINATION_SIZE = 8  # one free speed: U = I s (6), 1/sᵀU, u; articulated_body
W_AXES_SIZE = 6  # one elementary freedom: its motion axis s in body axes; assemble (constant ones), update_kinematics
W_BRANCH_SIZE = 27  # blocks A, B, C and force gathered from children; articulated_body
W_POSE_SIZE = 18  # world: rotation body -> world 9, origin 3, velocity of the origin 3, angular velocity 3; update_poses
W_EXTERNAL_SIZE = 6  # force and torque of force elements, body axes, at the origin; update_forces
W_REACTION_SIZE = 6  # force and torque through the joint on the body, body axes, at the origin; update_reactions
W_MOTION_SIZE = 3  # prescribed value, rate, acceleration; update_motions

# ---- elementary freedoms ----------------------------------------------------------------------------------------------------
T_FREEDOM_SIZE = 5
TYPE = 0  # below
SPEED = 1  # index of its speed, -1 if prescribed
COORDINATE = 2  # index of its coordinate, -1 if prescribed or part of a quaternion
MOTION = 3  # record in W_MOTION, -1 if free
BODY = 4
ROTATION, TRANSLATION, SCREW, QUATERNION = 0, 1, 2, 3
P_FREEDOM_SIZE = 4  # axis 3, pitch; the first of a free joint: 9 numbers, axes of the drawing -> joint axes
T_MOTION_SIZE = 3  # addresses of functions: value, rate, acceleration

# ---- forces along one coordinate ----------------------------------------------------------------------------------------
P_COORDINATE_SIZE = 4  # constant force, damping, stiffness, rest value
T_JOINT_FORCE_SIZE = 3  # speed index, coordinate index, address of f(q, v, t)
T_BALL_SPRING_SIZE = 2  # first speed index, first coordinate index; the stiffness stands in P_COORDINATE
T_MIMIC_SIZE = 2  # dependent speed, leading speed; its multiplier stands in P_MIMIC

# ---- force elements -----------------------------------------------------------------------------------------------------------
T_FORCE_SIZE = 8
FORCE_KIND = 0  # below
BODY_A = 1
BODY_B = 2
F_PARAMS = 3  # offset in `params`
FUNCTION = 4  # 3 addresses, 0 where the value is constant (world/body force), or 1 (spring); user force: address, count, bodies
W_OUT = 7  # offset in `work`: spring: length, rate, tension; user force: state and force buffers
WORLD_FORCE, BODY_FORCE, WORLD_TORQUE, BODY_TORQUE, SPRING, BUSHING, USER = 0, 1, 2, 3, 4, 5, 6
