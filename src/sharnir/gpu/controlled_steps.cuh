/* Dormand-Prince 5(4) with its dense output: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, II.4 to II.6. */
CONSTANT double NODES[6] = {0.0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1.0};
CONSTANT double STAGES[7][6] = {
    {0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
    {1.0 / 5, 0.0, 0.0, 0.0, 0.0, 0.0},
    {3.0 / 40, 9.0 / 40, 0.0, 0.0, 0.0, 0.0},
    {44.0 / 45, -56.0 / 15, 32.0 / 9, 0.0, 0.0, 0.0},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729, 0.0, 0.0},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656, 0.0},
    {35.0 / 384, 0.0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
CONSTANT double ERRORS[7] = {71.0 / 57600, 0.0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
CONSTANT double DENSE[7] = {-12715105075.0 / 11282082432.0, 0.0, 87487479700.0 / 32700410799.0, -10690763975.0 / 1880347072.0,
    701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0, 69997945.0 / 29380423.0};

struct Scale {
  const real *least, *extent;
  real tolerance;
};

/* Size of d relative to the tolerance at two states; large angles count no more than their extent. */
DEVICE real size_of(const Scale& scale, const real* d, const real* a, const real* b) {
  real sum = R(0.0);
  ROLLED for (int k = 0; k < N_Y; ++k) {
    const real large = greater((real)fabs(a[k]), (real)fabs(b[k]));
    const real ratio = d[k] / (scale.least[k] + scale.tolerance * lesser(large, scale.extent[k]));
    sum += ratio * ratio;
  }
  return sqrt(sum / N_Y);
}

/* A step whose error should be about 1 % of the tolerance; z and f are scratch. */
DEVICE double first_step(const Run& run, const Scale& scale, const double t, const double longest, const real* y, const real* f0,
    real* z, real* f) {
  const double d0 = size_of(scale, y, y, y), d1 = size_of(scale, f0, y, y);
  const double h = fmin(d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1, longest);
  ROLLED for (int k = 0; k < N_Y; ++k) z[k] = y[k] + (real)h * f0[k];
  rates((real)(t + h), z, run.c, f);
  ROLLED for (int k = 0; k < N_Y; ++k) f[k] -= f0[k];
  const double d2 = size_of(scale, f, y, y) / h, largest = fmax(d1, d2);
  if (!(largest < 1e300)) return 1e-3 * h;
  return fmin(fmin(100.0 * h, largest <= 1e-15 ? fmax(1e-6, 1e-3 * h) : pow(0.01 / largest, 0.2)), longest);
}

extern "C" __global__ void BOUNDS runs(const int count, const real* start, const real* parameters, const double* grid, const int outputs,
    const double step, const double most, const double tolerance, const real* least, const real* extent, double* results, real* end,
    int* status) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  Run run;
  const Scale scale = {least, extent, (real)tolerance};
  real y[N_Y], next[N_Y], z[N_Y], k[7][N_Y];
  const double goal = grid[outputs - 1];
  double t = grid[0], past = 1e-4, made = 2.0;
  int g = 1;
  bool failed = false;
  begin(run, count, i, start, parameters, t, y);
  rates((real)t, y, run.c, k[0]);
  if (!is_finite(k[0])) run.status = NOT_FINITE;
  double h = run.status == FINISHED ? first_step(run, scale, t, fmin(step, goal - t), y, k[0], z, k[1]) : step;
  while (g < outputs && run.status == FINISHED) {
    double length = fmin(h, step), t1;
    const double rest = goal - t;
    if (1.01 * length >= rest && rest <= step) length = rest;
    else if (2.0 * length > rest) length = 0.5 * rest;
    t1 = length == rest ? goal : t + length;
    if (length < 1e-15 * fmax(fabs(t1), 1e-8 * goal)) { run.status = TOO_SMALL; break; }
    if (made > most) { run.status = TOO_MANY; break; }
    made += 6.0;
    const real dt = (real)length;
    ROLLED for (int s = 1; s < 7; ++s) {
      real* at = s < 6 ? z : next;
      ROLLED for (int j = 0; j < N_Y; ++j) {
        real sum = R(0.0);
        for (int m = 0; m < 6; ++m) if (m < s) sum += (real)STAGES[s][m] * k[m][j];
        at[j] = y[j] + dt * sum;
      }
      if (s == 6) {
        restore(next);
        if (is_finite(next) && !project((real)t1, next, run.c)) next[0] = (real)nan("");
      }
      rates((real)(s < 6 ? t + NODES[s] * length : t1), at, run.c, k[s]);
    }
    ROLLED for (int j = 0; j < N_Y; ++j) {
      real sum = R(0.0);
      for (int m = 0; m < 7; ++m) sum += (real)ERRORS[m] * k[m][j];
      z[j] = dt * sum;
    }
    const double error = is_finite(next) && is_finite(k[6]) ? (double)size_of(scale, z, y, next) : nan("");
    if (!(error <= 1.0)) {
      h = error < 1e300 ? length * fmin(0.9, fmax(0.2, 0.9 * pow(error, -0.17))) : 0.1 * length;
      failed = true;
      continue;
    }
    for (; g < outputs && grid[g] <= t1; ++g) {
      if (grid[g] == t1) { note(run, t1, next); continue; }
      const real a = (real)((grid[g] - t) / length), b = R(1.0) - a;
      ROLLED for (int j = 0; j < N_Y; ++j) {
        real sum = R(0.0);
        for (int m = 0; m < 7; ++m) sum += (real)DENSE[m] * k[m][j];
        const real change = next[j] - y[j], bend = dt * k[0][j] - change;
        z[j] = y[j] + a * (change + b * (bend + a * (change - dt * k[6][j] - bend + b * (dt * sum))));
      }
      restore(z);
      if (!project((real)grid[g], z, run.c)) run.status = ASTRAY;
      note(run, grid[g], z);
    }
    const double present = fmax(error, 1e-10);
    const double factor = fmin(failed ? 1.0 : 10.0, fmax(0.2, 0.9 * pow(past, 0.04) * pow(present, -0.17)));
    h = factor * length < h && length < 0.5 * h && !failed ? h : factor * length;
    past = fmax(present, 1e-4);
    failed = false;
    t = t1;
    ROLLED for (int j = 0; j < N_Y; ++j) { y[j] = next[j]; k[0][j] = k[6][j]; }
  }
  finish(run, count, i, y, results, end, status);
}
