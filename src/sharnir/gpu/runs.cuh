/* Whole runs, one for each thread. Component k of run i stands at [k * count + i]. Before this: N_Y, N_C, N_P, N_X, N_R, and
   constants, rates, restore, project, quantities, reduce. status: 0, or why the run ended before its time. */
enum { FINISHED, NOT_FINITE, TOO_SMALL, TOO_MANY, ASTRAY };
#define AT_LEAST(n) ((n) > 0 ? (n) : 1)

/* What a run has beside its state. */
struct Run {
  real c[AT_LEAST(N_C)];
  double x[2][AT_LEAST(N_X)], r[AT_LEAST(N_R)];
  double before;
  int turn, status;
};

DEVICE bool is_finite(const real* y) {
  real sum = R(0.0);
  ROLLED for (int k = 0; k < N_Y; ++k) sum += R(0.0) * y[k];
  return sum == R(0.0);
}

/* The state at an output. */
DEVICE void note(Run& run, const double t, const real* y) {
  real dy[N_Y];
  if (NEEDS_RATES) rates((real)t, y, run.c, dy);
  quantities((real)t, y, dy, run.c, run.x[run.turn & 1]);
  reduce(run.r, run.x[run.turn & 1], run.x[(run.turn + 1) & 1], t, run.before, run.turn == 0);
  run.before = t;
  ++run.turn;
}

DEVICE void begin(Run& run, const int count, const int i, const real* start, const real* parameters, const double t, real* y) {
  real p[AT_LEAST(N_P)];
  for (int k = 0; k < N_P; ++k) p[k] = parameters[k * count + i];
  ROLLED for (int k = 0; k < N_Y; ++k) y[k] = start[k * count + i];
  constants(p, run.c);
  run.turn = 0;
  run.before = t;
  run.status = is_finite(y) ? FINISHED : NOT_FINITE;
  restore(y);
  if (!project((real)t, y, run.c)) run.status = ASTRAY;
  note(run, t, y);
}

DEVICE void finish(const Run& run, const int count, const int i, const real* y, double* results, real* end, int* status) {
  for (int k = 0; k < N_R; ++k) results[k * count + i] = run.r[k];
  ROLLED for (int k = 0; k < N_Y; ++k) end[k * count + i] = y[k];
  status[i] = run.status;
}
