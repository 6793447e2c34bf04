"""Every array of the engine: three flat blocks, `table` (int64), `params` and `work` (float64), and what lies where.

A system is these three blocks and nothing else, so kernels take three addresses, threads take a copy of `work`, and no
kernel is recompiled for another model. Per-body data lie together, in the order of the recursion: a pass over 10⁵ bodies
streams through memory. In batch runs each number of `work`, `q`, `v` becomes a vector of lanes; `table` and `params` stay.
"""

# ---- header of `table`: counts, flags, addresses (F_…) and offsets of sections (T_… in `table`, P_… in `params`, W_… in `work`)
(
    # counts
    N_BODY,  # bodies, in regular numbering: parent < body
    N_Q,  # coordinates
    N_V,  # speeds
    N_Z,  # tracked coordinates of cut joints, after q and v in the state
    N_MOTION,  # elementary freedoms with prescribed motion
    N_MIMIC,  # speeds that are multiples of another speed
    N_ELASTIC,  # elastic coordinates of all bodies
    LONE,  # 1: every body flies by itself, on a free joint to the base: absolute coordinates
    # bodies, freedoms, coordinates
    T_BODY,  # per body T_BODY_SIZE numbers
    T_FREEDOM,
    T_MOTION,
    T_MIMIC,
    T_COORDINATE,  # per speed: the index of its coordinate, or -1
    T_ANCESTOR,  # per speed: the speed before it on the way to the base, or -1
    T_RUN,  # per speed: the first of the consecutive T_SOLVE ancestors that end at it
    T_SOLVE,  # as T_ANCESTOR, but all speeds in one line where mimic joints couple branches
    P_BODY,  # per body P_BODY_SIZE numbers
    P_FREEDOM,
    P_FRAME,
    P_MIMIC,  # per dependent speed: its multiplier
    P_ARMATURE,  # per speed, then per prescribed freedom: inertia of the rotor that turns with it
    ARMATURED,  # which freedoms have such a rotor, as a checksum: 0, none
    P_INVERSE,  # per body 21: its inverse inertia; free_bodies
    W_BODY,  # per body W_BODY_SIZE numbers
    W_AXES,
    W_POSE,
    W_MOTION,
    # methods
    T_METHOD,
    P_METHOD,
    W_METHOD,
    W_ELIMINATION,
    W_BRANCH,
    W_GATHER,  # per body what it has and its children hand over, where there are flexible bodies
    W_REACTION,
    W_VDOT,  # per speed: scratch between the order of the state and that of a factorization; flexible_composite_body
    F_ELIMINATION,  # addresses: backward and forward recursion with flexible bodies; flexible_articulated_body
    F_ACCELERATION,
    F_REACTION,  # address: what flexible bodies need from outside; newton_euler
    # forces
    N_FORCE,  # force elements that act on bodies
    N_JOINT_FORCE,  # functions of one joint coordinate
    N_BALL_SPRING,  # isotropic springs in ball joints
    HAS_COORDINATE_FORCE,  # 1 if any constant force, damping or stiffness stands in P_COORDINATE
    N_HELD_SPRING,  # springs and drives in freedoms that events have locked
    N_POTENTIAL,  # force elements with a potential energy
    T_FORCE,
    T_JOINT_FORCE,
    T_BALL_SPRING,
    T_HELD_SPRING,
    T_POTENTIAL,  # per such element: what computes it, where it is left; energy
    P_COORDINATE,
    P_HELD_SPRING,
    W_EXTERNAL,
    W_TAU,
    W_DRIVE,  # per speed: generalized force given by the caller; zero unless asked for
    N_APPROACH,  # force elements that act on one side only: contacts, wheels; conservative_advancement
    T_APPROACH,  # per such element: address of what bounds a step, its record, offset in `work` of what it reports
    W_APPROACH,  # the step, and how every body is expected to move in it
    N_STOP,  # stops in joints, with a law; joint_stops
    T_STOP,
    W_STOP,
    F_MASSES,  # address: inertias of bodies with tanks from the masses in them; 0: there are none
    T_TANK,  # how many tanks, then per tank: body, offset in `params`, offset in `work` of its mass; thrust
    # constraint equations
    N_ELEMENT,  # constraint elements: cut joints and constraints of their own
    N_ROW,  # constraint equations
    N_CUT_FORCE,  # forces along coordinates of cut joints
    T_ELEMENT,
    T_CUT_FORCE,
    P_CUT_FORCE,
    W_G,  # per equation: residual g; update_constraints
    W_GDOT,  # per equation: ġ = C v + ∂g/∂t; update_constraints
    W_ROW_BIAS,  # per equation: what g̈ holds without accelerations; update_constraints
    W_LAMBDA,  # per equation: multiplier, C^T λ acts on the mechanism; solve_multipliers
    W_ROW_RIGHT,  # per equation: right-hand side of A λ = b
    W_ROW_SIZE,  # per equation: what its diagonal of A is at least, if it moves anything (sparse: whether it does); update_path
    W_ROW_REST,  # per equation: what a first solution leaves
    CORRECT_POSITION,  # 1: projection corrects positions
    CORRECT_SPEED,  # 1: projection corrects speeds
    W_STATE,  # a copy of (q, v, z), corrected
    # multipliers
    SOLVER,  # how A λ = b is solved: DENSE, SPARSE, NULL_SPACE
    LEAST_NORM,  # 1: of redundant equations, λ of the least forces and torques; the dense solver
    N_PAIR,
    T_PAIR,  # pairs of elements that share speeds
    T_PLACE,  # per pair: where its block stands in the work of the sparse solver
    T_SOLVER,  # the solver's own section of `table`
    W_SOLVER,  # the solver's own section of `work`
    W_MATRIX,  # A = C M⁻¹ Cᵀ (dense: m², then scratch of the solver)
    W_PATH,  # scratch of update_path: forces on the bodies of one path
    W_SHADOW,  # u/D of every equation and speed of the path of one element, the last one whose path was made
    W_LOAD,  # per speed: Σ λ u, the multipliers' part in the elimination
    W_RESPONSE,  # per speed: M⁻¹ Cᵀ λ, then per body 6: acceleration that goes with it
    F_SOLVE,  # addresses: of the solver of A λ = b, and of the paths and blocks of one element; multiplier_solvers
    F_BLOCKS,
    F_TREE,  # addresses of the method that solves the tree part, 0: separate bodies: free accelerations, factors alone, M⁻¹ Cᵀ λ
    F_FACTORS,
    F_RESPOND,
    W_COLUMNS,  # per equation and speed: M⁻¹ Cᵀ, of methods that have no factors for every equation; response_columns
    F_EQUATIONS,  # addresses: equations, and blocks of A, of a part of the elements, for two threads; threaded_elements
    F_PART_BLOCKS,
    IN_PARTS,  # 1: there are such parts
    HAND_SHADOW,  # distance from W_SHADOW of one thread to that of the other
    # signals
    F_SIGNALS,  # address: sensors and signals before forces; 0: there are none; signal_evaluation
    F_DYNAMICS,  # address: the right-hand side without states of control
    F_PROGRAM,  # address: signals from sensors, those that forces may use
    F_LATE,  # address: signals that need accelerations, and rates of the states of control
    F_OBSERVED,  # address: numbers that depend on accelerations, for signals; 0: there are none
    T_OBSERVED,  # how many there are, and their records; late_sensor_layout
    N_SIGNAL,
    N_HELD,
    N_CONTROL,  # states of control: the last of z
    T_SENSOR,  # record of an element whose measures are all sensors
    W_SIGNAL,  # per signal its value, then values that stay between events (held), then states of control
    W_SENSED,  # the state (q, v, z) as sensors of cut joints see it
    SENSES_CUTS,  # 1: some sensor measures a coordinate of a cut joint
    SENSES_LATE,  # 1: some signal needs accelerations
    # balance of power
    F_BALANCE,  # address: the right-hand side around which power_balance adds the power
    T_BALANCE,  # which terms it has, and which constraint elements may depend on time
    # friction in joints
    F_FRICTIONLESS,  # address: the right-hand side with given loads of friction
    T_FRICTION,  # joints with friction and the memory of their iteration; load_iteration
    # events
    N_EVENT,  # functions of events
    T_EVENT,  # per event function: which signal it is
    EVENTS_LATE,  # 1: some of them need accelerations
    W_EVENT,  # rates of a state, as scratch for these
    N_SWITCH,  # switches of formulas whose sides are held in a run: functions behind those of events
    W_SWITCH,  # their memory; held_sides
    W_AHEAD,  # a state a moment later and its rates, as scratch
    T_PLAIN,  # how many functions hold sides, then pairs of addresses: such a function, the same one without; potential_of
    T_ACTION,  # records of events and of their actions; event_layout
    W_ACTION,  # scratch: a state, the mass matrix, a row, a response; composites of bodies at W_COMPOSITE
    W_COMPOSITE,
    HEADER,  # length of the header
) = range(130)

DENSE, SPARSE, NULL_SPACE = 0, 1, 2

# ---- params: header -----------------------------------------------------------------------------------------------------
GRAVITY = 0  # 3: acceleration of gravity, m/s²
STABILIZE_POSITION = 3  # k₀ of g̈ = -k₀ g - k₁ ġ, 1/s²
STABILIZE_SPEED = 4  # k₁, 1/s
RANK_TOLERANCE = 5  # pivot of the scaled matrix A below which a constraint counts as redundant
POSITION_TOLERANCE = 6  # projection leaves residuals below this alone
SPEED_TOLERANCE = 7
TOTAL_MASS = 8  # kg, of all bodies
REACH = 9  # m, size of the mechanism
SINGULAR = 10  # smallest pivot of A below which a position counts as singular; a part of the one at the start
P_HEADER = 12

# ---- one body in `table` -------------------------------------------------------------------------------------------------
T_BODY_SIZE = 15
PARENT = 0  # body number, -1 for the fixed frame
KIND = 1  # how coordinates become a relative position: below
FIRST_Q = 2
FIRST_V = 3
COUNT_V = 4  # free speeds of the joint
FIRST_FREEDOM = 5  # elementary freedoms, prescribed ones among them
COUNT_FREEDOM = 6
BRANCH = 7  # record in W_BRANCH if it has children besides body i + 1, else -1
COUNT_ELASTIC = 8  # elastic coordinates of a flexible body, or of the body that a node belongs to
DEPTH = 9  # joints between the body and the base
ELASTIC_Q = 10  # first elastic coordinate and speed (of a node: those of its body)
ELASTIC_V = 11
ELASTIC_P = 12  # offset in `params`: inertia, stiffness, damping (flexible_memory), or the shape of a node, 6 per coordinate
ELASTIC_W = 13  # offset in `work`: see flexible_memory; of a node its motion axes S, 6 per coordinate
ELIMINATED_AS = 14  # KIND; SEQUENCE where a freedom has a rotor: what its elimination leaves has no zeros

REVOLUTE, PRISMATIC, BALL, FREE, SEQUENCE, NODE = 0, 1, 2, 3, 4, 5  # revolute and prismatic: along z of the body's frame

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
W_ELIMINATION_SIZE = 8  # one free speed: U = I s (6), 1/sᵀU, u; then one prescribed motion: U, sᵀp; joint_elimination
INVERSE_D, LITTLE_U, DRIVE_FORCE = 6, 7, 6  # 1/sᵀU and u = τ - sᵀp of a free speed, sᵀp of a prescribed motion
W_AXES_SIZE = 6  # one elementary freedom: its motion axis s in body axes; assemble (constant ones), update_kinematics
W_BRANCH_SIZE = 27  # blocks A, B, C and force gathered from children; articulated_body
W_POSE_SIZE = 18  # world: rotation body -> world 9, origin 3, velocity of the origin 3, angular velocity 3; update_poses
W_EXTERNAL_SIZE = 6  # force and torque of force elements, body axes, at the origin; update_forces
W_REACTION_SIZE = 6  # force and torque through the joint on the body, body axes, at the origin; update_reactions
W_APPROACH_HEADER = 6  # the step that is asked for, what elements answer; conservative_advancement
W_APPROACH_SIZE = 26  # one body: accelerations 6, bounds of their change 2, pose 18
W_APPROACH_ELEMENT = 5  # one element: what it reports at the end of a run
W_MOTION_SIZE = 3  # prescribed value, rate, acceleration; update_motions

# ---- elementary freedoms ----------------------------------------------------------------------------------------------------
T_FREEDOM_SIZE = 8
TYPE = 0  # below
SPEED = 1  # index of its speed, -1 if prescribed
COORDINATE = 2  # index of its coordinate, -1 if prescribed or part of a quaternion
MOTION = 3  # record in W_MOTION, -1 if free
BODY = 4
JOINT_FUNCTION = 5  # the first freedom of a joint by formulas: address of its function, joint_function
JOINT_MEMORY = 6  # and offset in `work`: 3 numbers per freedom in, then 24 and 6 per freedom out
HAS_ROTOR = 7  # 1: a rotor turns with it, see P_ARMATURE
ROTATION, TRANSLATION, SCREW, QUATERNION, OF_FORMULA = 0, 1, 2, 3, 4
FORMULA_OUT = 24  # H 9, r, v, ω, accelerations without q̈ (linear, angular); then motion axes
P_FREEDOM_SIZE = 4  # axis 3, pitch; the first of a free joint: 9 numbers, axes of the drawing -> joint axes
T_MOTION_SIZE = 3  # addresses of functions: value, rate, acceleration; 0: W_MOTION holds a constant

# ---- forces along one coordinate ----------------------------------------------------------------------------------------
P_COORDINATE_SIZE = 4  # constant force, damping, stiffness, rest value
T_JOINT_FORCE_SIZE = 5  # speed index, coordinate index, address of f(q, v, t), what is known of its integral (2)
T_BALL_SPRING_SIZE = 2  # first speed index, first coordinate index; the stiffness stands in P_COORDINATE
T_HELD_SPRING_SIZE = 4
HELD_MOTION, HELD_ADDRESS = 0, 1  # motion that gives its coordinate, or -1; address of f(q, v, t), then its integral (2)
P_HELD_SPRING_SIZE = 4
HELD_CONSTANT, HELD_STIFFNESS, HELD_REST, HELD_VALUE = 0, 1, 2, 3  # the last: the coordinate if no motion gives it
T_MIMIC_SIZE = 2
FOLLOWER, LEADER = 0, 1  # dependent speed, leading speed; its multiplier stands in P_MIMIC

# ---- force elements -----------------------------------------------------------------------------------------------------------
T_FORCE_SIZE = 8
F_PARAMS = 0  # offset in `params`: its numbers
BODY_A = 1  # bodies that it acts on, -1 for the fixed frame or none
BODY_B = 2
FUNCTION = 3  # address of its C function f(t, record, 0, table, params, work), which adds its forces by `apply`
F_DATA = 4  # 3 integers of its own: offsets, or addresses of functions of the user
W_OUT = 7  # offset in `work`: its outputs, in the order of `outputs` of its class
T_APPROACH_SIZE = 3  # address of f(t, record, place, table, params, work), record, place of what it reports in `work`
T_POTENTIAL_SIZE = 3  # address of f(t, record, place, table, params, work) or 0, record, place of the energy in `work`

# ---- constraint elements -------------------------------------------------------------------------------------------------------
T_ELEMENT_SIZE = 22
E_KIND = 0  # below
E_ROW = 1  # first equation
E_COUNT = 2  # equations
E_HOLONOMIC = 3  # how many of them, the first ones, hold for positions
E_TERM = 4  # offset in `table`: per term its target (body, -1 the base, -2 - k speed k) and its place in the path
# columns 5 and 6 are FIRST_FREEDOM and COUNT_FREEDOM, as in the record of a body
E_TERMS = 7  # terms
E_PARAMS = 8  # offset in `params`
E_WORK = 9  # offset in `work`: the element's own numbers
E_JACOBIAN = 10  # offset in `work`: per equation and term 6 numbers (a force on the body, body axes; a speed: the first one)
E_PATH = 11  # offset in `table`: per body of the path, children first: body, place of its parent (-1), place of its first speed
E_BODIES = 12  # bodies of the path
E_SPEEDS = 13  # speeds of the path; distance of equations in E_LOAD and W_SHADOW
E_LOAD = 14  # offset in `work`: u of every equation and speed of the path; update_path
E_Z = 15  # first tracked coordinate
E_DATA = 16  # offset in `table`, or an address: what else a kind needs
E_N_Z = 17  # tracked coordinates of its own
E_Z_VALUE = 18  # offsets in `work` of their values and rates
E_Z_RATE = 19
E_FUNCTION = 20  # address of what updates its equations; 0: nothing to do; constraints
E_PAIR = 21  # its first pair with an element up to itself
CUT_BALL, CUT_JOINT, CUT_FREE_JOINT = 0, 1, 2
LINEAR, FORMULA, ON_SURFACE, ON_CURVE, ROLLING = 3, 4, 5, 6, 7

# a cut joint: params are the joint's frame on both bodies (rotation 9, position 3 in engine axes), then of ball and free joints
# the rotation from axes of the joint on the child to the child's own
CUT_FRAME_A, CUT_FRAME_B, CUT_CHILD_AXES = 0, 12, 24
CUT_U = 0  # coordinates found from the bodies' positions
CUT_RATE = 6
CUT_Q = 12  # orthonormal basis of the motion axes, 6 × 6, row by row
CUT_T = 48  # triangular factor: axis_k = Σ_{j≤k} T[j, k] Q_j
CUT_N = 84  # orthonormal basis of what the joint holds fast
CUT_PSI = 120  # acceleration of the joint's own motion without second derivatives
CUT_GAP = 126  # 6: how far the bodies are from the joint's motion, axes of the joint on the second body
CUT_TWIST = 132  # 6: relative velocity, the same axes
CUT_BIAS = 138  # 6: relative acceleration that is there without accelerations of bodies
CUT_FREE = 144  # number of freedoms that are not prescribed
CUT_TAU = 145  # 6: forces along the freedoms; update_cut_forces
CUT_SIZE = 151

T_PAIR_SIZE = 4
PAIR_E, PAIR_F, PAIR_RUNS, PAIR_COUNT = 0, 1, 2, 3  # element e, element f ≤ e, offset of its runs in `table`, their number
T_RUN_SIZE = 3
RUN_E, RUN_F, RUN_LENGTH = 0, 1, 2  # place among the speeds of e, place among those of f, length
T_CUT_FORCE_SIZE = 5  # sorted by elements
CUT_FORCE_ELEMENT, CUT_FORCE_FREEDOM, CUT_FORCE_ADDRESS = (
    0,
    1,
    2,
)  # freedom among the free ones; f(q, v, t) or 0, its integral (2)
P_CUT_FORCE_SIZE = 4  # constant force, damping, stiffness, rest value

# linear and formula constraints: E_DATA leads to the number of measures, the address of the formula, and the measures
T_MEASURE_SIZE = 6
M_KIND = 0  # below
M_A = 1  # places of its bodies among the element's terms, -1: none; SPEED: M_B is that of the speed
M_B = 2
M_DATA = 3  # SPEED: coordinate, speed; GIVEN: record in W_MOTION; CUT: element, freedom; VELOCITY: body; TIME: three addresses
SPEED_MEASURE, GIVEN_MEASURE, TIME_MEASURE = 0, 1, 2
CUT_MEASURE, POINT_MEASURE, DISTANCE_MEASURE, COSINE_MEASURE, VELOCITY_MEASURE = 3, 4, 5, 6, 7
P_MEASURE_SIZE = 12  # points on a and b, directions fixed in a and b (VELOCITY: in its own body); then per equation c₀, c_1 …
# work of n measures: values n, rates n, time, outputs of the formula 3 + n, second rates without accelerations n, blocks 12 n

# a point on a surface or curve: params are the frame on the first body (12), the point on the second (3)
SURFACE_IN = 0  # x, y, z
SURFACE_OUT = 3  # F, gradient 3, Hessian xx yy zz xy xz yz
SURFACE_SIZE = 13
CURVE_S = 0
CURVE_RATE = 1
CURVE_OUT = 2  # c, c', c''
CURVE_SIZE = 11

# rolling: params are the plane's frame on the first body (z: normal), centre and axis on the second, ring and tube radius
ROLLING_CENTRE, ROLLING_AXIS, RING, TUBE = 12, 15, 18, 19
ROLLING_PARAMS = 20
