"""Records of reactions, drives and energies that signals measure, in the section T_OBSERVED of `table`; see layout.py."""

# ---- section T_OBSERVED -------------------------------------------------------------------------------------------------
O_COUNT = 0
O_SAVED = 1  # offset in `work`: copy of W_EXTERNAL
O_DRIVES = 2  # offset in `work`: forces of all prescribed freedoms, or -1: nobody asks
O_CUTS = 3  # offset in `work`: what passes through all constraint elements, 6 each
O_REACTIONS = 4  # 1: reactions or drives are asked for
O_HEADER = 5

OBSERVED_SIZE = 6
KIND = 0  # below
TO = 1  # offset in `work`
A, B, P, SIGN = 2, 3, 4, 5  # numbers of the kind
TREE_REACTION = 0  # A: body that the tree reaches by the joint; B: the joint's child; P: params; SIGN: 1, or -1 against the tree
CUT_REACTION = 1  # A: constraint element; B: child; P: params
COPY = 2  # A: offset in `work`; B: how many
DRIVE = 3  # A: prescribed freedom
ENERGY = 4  # kinetic, potential, total
MOMENTUM = 5  # mass, centre of mass, momentum, angular momentum
REACTION_NUMBERS = 12  # force and torque on the child, world axes, then in axes of the joint
P_REACTION = 12  # params: the joint's point on the child, axes of the joint → the child's engine axes
