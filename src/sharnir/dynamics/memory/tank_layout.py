"""Where tanks that empty stand in the header of `table`; see layout.py."""

F_MASSES = 80  # address: inertias of bodies with tanks from the masses in them; 0: there are none
T_TANK = 81  # how many tanks, then per tank: body, offset in `params` (as thrust.py says), offset in `work` of its mass
TANK_SIZE = 3

# params of a thrust: nozzle 3, axis 3, exhaust speed, mass of the full tank, 1 with jet damping,
NOZZLE, AXIS, SPEED, FULL, JET = 0, 3, 6, 7, 8
CONTENT = 9  # inertia of the full tank: mass, first moment 3, inertia about the origin 6, engine axes
WHOLE = 19  # inertia of the body with the full tank
SIZE = 29
