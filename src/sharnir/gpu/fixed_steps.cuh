/* Classical Runge-Kutta: equal steps, not longer than `step`, from one output to the next. */
extern "C" __global__ void BOUNDS runs(const int count, const real* start, const real* parameters, const double* grid, const int outputs,
    const double step, const double most, const double tolerance, const real* least, const real* extent, double* results, real* end,
    int* status) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  (void)most; (void)tolerance; (void)least; (void)extent;
  if (i >= count) return;
  Run run;
  real y[N_Y], stage[N_Y], sum[N_Y], k[N_Y];
  begin(run, count, i, start, parameters, grid[0], y);
  for (int g = 1; g < outputs && run.status == FINISHED; ++g) {
    const double first = grid[g - 1], goal = grid[g];
    const int steps = max(1, (int)ceil((goal - first) / step * (1.0 - 1e-12)));
    const double length = (goal - first) / steps;
    const real h = (real)length;
    ROLLED for (int n = 0; n < steps && run.status == FINISHED; ++n) {
      const double t = first + n * length;
      SWEEP for (int j = 0; j < N_Y; ++j) { sum[j] = R(0.0); stage[j] = y[j]; }
      ROLLED for (int s = 0; s < 4; ++s) {
        const real weight = s == 0 || s == 3 ? R(0.16666666666666666) : R(0.3333333333333333);
        const real next = s == 2 ? h : R(0.5) * h;
        rates((real)(s == 0 ? t : s == 3 ? t + length : t + 0.5 * length), stage, run.c, k);
        SWEEP for (int j = 0; j < N_Y; ++j) { sum[j] += weight * k[j]; stage[j] = y[j] + next * k[j]; }
      }
      SWEEP for (int j = 0; j < N_Y; ++j) y[j] += h * sum[j];
      restore(y);
      if (!is_finite(y)) run.status = NOT_FINITE;
      else if (!project((real)(n + 1 == steps ? goal : t + length), y, run.c)) run.status = ASTRAY;
    }
    if (run.status == FINISHED) note(run, goal, y);
  }
  finish(run, count, i, y, results, end, status);
}
