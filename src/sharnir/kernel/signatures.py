"""C signatures of functions that kernels call by address."""

import ctypes

DERIVATIVE = "void(float64, int64, int64, int64, int64, int64)"  # t, y, ydot, table, params, work
SCALAR = "float64(float64, float64, float64)"  # a function of up to three numbers
GIVEN = "float64(float64, float64, float64, int64)"  # the same, and where signals stand
NOTED_SCALAR = "float64(float64, float64, float64, int64)"  # a user's function, and where to note what it raised
NOTED_BODY_FORCE = "void(float64, int64, int64, int64, int64)"  # t, count of bodies, states, forces; where to note
VECTOR = "void(int64, int64)"  # many numbers in, many numbers out
JOB = "void(int64, int64, int64)"  # item, hand, arguments; threads

DERIVATIVE_C = ctypes.CFUNCTYPE(None, ctypes.c_double, *(ctypes.c_int64,) * 5)
SCALAR_C = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double, ctypes.c_double, ctypes.c_double)
GIVEN_C = ctypes.CFUNCTYPE(ctypes.c_double, *(ctypes.c_double,) * 3, ctypes.c_int64)
BODY_FORCE_C = ctypes.CFUNCTYPE(None, ctypes.c_double, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
VECTOR_C = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64)
