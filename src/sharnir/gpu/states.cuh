/* Rates of many states, one for each thread. Component k of state i stands at [k * count + i]. */
extern "C" __global__ void BOUNDS states(const int count, const real t, const real* start, const real* parameters, real* results) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  real y[N_Y], dy[N_Y], c[N_C > 0 ? N_C : 1], p[N_P > 0 ? N_P : 1];
  for (int k = 0; k < N_P; ++k) p[k] = parameters[k * count + i];
  SWEEP for (int k = 0; k < N_Y; ++k) y[k] = start[k * count + i];
  constants(p, c);
  rates(t, y, c, dy);
  SWEEP for (int k = 0; k < N_Y; ++k) results[k * count + i] = dy[k];
}
