"""Records of events and of their compiled actions, in the section T_ACTION of `table`; see layout.py and compiled_actions.py."""

# ---- per event ----------------------------------------------------------------------------------------------------------
EVENT_SIZE = 7
LIGHT = 0  # 1: its actions are compiled
FIRST, END = 1, 2  # its actions: offsets in `table`
MOST = 3  # how often it may happen; 0: always
TIME = 4  # signal with its next time, or -1
CLOCK = 5  # offset in `params`: its first time, its period (0: there is none)
TURN = 6  # the direction in which it counts, when it does

# ---- per action ---------------------------------------------------------------------------------------------------------
ACTION_SIZE = 5
KIND = 0
SET_STATE, SWITCH, STRIKE = 0, 1, 2
TARGET = 1  # state, event function, or the signal that is the rate
SIGNAL = 2  # with the value, or -1: the number; of SWITCH: 1 on, 0 off
NUMBER = 3  # offset in `params`
REBOUNDS = 4  # 1: the number is a restitution
