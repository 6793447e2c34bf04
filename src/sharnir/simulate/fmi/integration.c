/* A model between two times: Dormand and Prince's method of order 5 with step control, projection onto the constraints.

   model.c, which is made for each model, defines NQ, NV, NU, NP, NC, NY (lengths of arrays), N_QUATERNIONS and QUATERNIONS (first
   coordinate of each), START_Q, START_V, START_U, START_P, and the functions model_rates, model_accelerations, model_mass_matrix,
   model_constraints, model_outputs, model_solve. */

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.c"

#define N (NQ + NV)
#define STAGES 7
#define MOST_STEPS 1000000
#define NEWTON_STEPS 20
#define DEFAULT_TOLERANCE 1e-8
#define CLOSED 1e-12 /* residual of constraints below which nothing is corrected */

typedef struct {
  double t, q[NQ], v[NV], u[NU + 1], p[NP + 1]; /* + 1: arrays of length 0 are not C */
  double tolerance, step;
} Model;

static const double start_q[NQ] = START_Q, start_v[NV] = START_V, start_u[NU + 1] = START_U, start_p[NP + 1] = START_P;
static const int quaternions[N_QUATERNIONS + 1] = QUATERNIONS;

static const double C[STAGES] = {0.0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1.0, 1.0};
static const double A[STAGES][STAGES - 1] = {
    {0.0},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0.0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
static const double E[STAGES] = {71.0 / 57600, 0.0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

static void model_start(Model *m) {
  memset(m, 0, sizeof(Model));
  memcpy(m->q, start_q, sizeof(start_q));
  memcpy(m->v, start_v, sizeof(start_v));
  memcpy(m->u, start_u, sizeof(start_u));
  memcpy(m->p, start_p, sizeof(start_p));
  m->tolerance = DEFAULT_TOLERANCE;
}

static void model_derivatives(const Model *m, double t, const double *y, double *rates) {
  model_rates(t, y, y + NQ, m->u, m->p, rates);
  model_accelerations(t, y, y + NQ, m->u, m->p, rates + NQ, 0);
}

static void model_normalize(double *q) {
  int i, j;
  for (i = 0; i < N_QUATERNIONS; i++) {
    double *e = q + quaternions[i], size = 0.0;
    for (j = 0; j < 4; j++) size += e[j] * e[j];
    if (size > 0.0)
      for (j = 0; j < 4; j++) e[j] /= sqrt(size);
  }
}

static double largest(int n, const double *x) {
  double most = 0.0;
  int i;
  for (i = 0; i < n; i++)
    if (!(fabs(x[i]) <= most)) most = fabs(x[i]);
  return most;
}

/* The least motion d, in the metric of the masses, with G d = -residual; 1 in a singular position. */
static int model_correction(const Model *m, const double *G, const double *residual, double *d) {
  double K[(NV + NC) * (NV + NC)], b[NV + NC], M[NV * NV];
  const int n = NV + NC;
  int i, j;
  model_mass_matrix(m->t, m->q, m->v, m->u, m->p, M);
  memset(K, 0, sizeof(K));
  memset(b, 0, sizeof(b));
  for (i = 0; i < NV; i++)
    for (j = 0; j < NV; j++) K[i * n + j] = M[i * NV + j];
  for (i = 0; i < NC; i++) {
    for (j = 0; j < NV; j++) {
      K[(NV + i) * n + j] = G[i * NV + j];
      K[j * n + NV + i] = -G[i * NV + j];
    }
    b[NV + i] = -residual[i];
  }
  if (model_solve(n, K, b)) return 1;
  memcpy(d, b, NV * sizeof(double));
  return !(largest(NV, d) < HUGE_VAL);
}

/* Positions and speeds onto the constraints; 1 if that is not possible. */
static int model_project(Model *m) {
  double g[NC + 1], gdot[NC + 1], G[(NC + 1) * NV], gamma[NC + 1], d[NV], dq[NQ];
  int i, k;
  model_normalize(m->q);
  if (NC == 0) return 0;
  for (k = 0; k < NEWTON_STEPS; k++) {
    model_constraints(m->t, m->q, m->v, m->u, m->p, g, gdot, G, gamma);
    if (largest(NC, g) <= CLOSED) break;
    if (model_correction(m, G, g, d)) return 1;
    model_rates(m->t, m->q, d, m->u, m->p, dq);
    for (i = 0; i < NQ; i++) m->q[i] += dq[i];
    model_normalize(m->q);
  }
  if (!(largest(NC, g) <= 1e3 * CLOSED * (1.0 + largest(NQ, m->q)))) return 1;
  model_constraints(m->t, m->q, m->v, m->u, m->p, g, gdot, G, gamma);
  if (largest(NC, gdot) > CLOSED) {
    if (model_correction(m, G, gdot, d)) return 1;
    for (i = 0; i < NV; i++) m->v[i] += d[i];
  }
  return 0;
}

/* From m->t to `end`; 1 if steps become too short or the constraints cannot be kept. */
static int model_integrate(Model *m, double end) {
  double y[N], z[N], k[STAGES][N], scale = m->tolerance;
  int i, j, s, count;
  for (count = 0; m->t < end && count < MOST_STEPS; count++) {
    double left = end - m->t, h, error = 0.0, factor;
    int last;
    if (!(m->step > 0.0)) m->step = left < 1e-3 ? left : 1e-3;
    last = m->step >= left * (1.0 - 1e-12);
    h = last ? left : m->step;
    if (h <= 1e-14 * (fabs(m->t) + 1e-6) && !last) return 1;
    memcpy(y, m->q, sizeof(m->q));
    memcpy(y + NQ, m->v, sizeof(m->v));
    for (s = 0; s < STAGES; s++) {
      for (i = 0; i < N; i++) {
        z[i] = y[i];
        for (j = 0; j < s; j++) z[i] += h * A[s][j] * k[j][i];
      }
      model_derivatives(m, m->t + C[s] * h, z, k[s]);
    }
    for (i = 0; i < N; i++) {
      double e = 0.0, a = fabs(y[i]), b = fabs(z[i]);
      for (s = 0; s < STAGES; s++) e += h * E[s] * k[s][i];
      e /= scale * (1.0 + (a > b ? a : b));
      error += e * e / N;
    }
    error = sqrt(error);
    factor = error > 0.0 ? 0.9 * pow(error, -0.2) : 5.0;
    if (!(factor > 0.2)) factor = 0.2; /* not a number, too */
    if (factor > 5.0) factor = 5.0;
    if (error <= 1.0) {
      m->t = last ? end : m->t + h;
      memcpy(m->q, z, sizeof(m->q));
      memcpy(m->v, z + NQ, sizeof(m->v));
      if (model_project(m)) return 1;
      if (!last || factor < 1.0) m->step = h * factor;
    } else {
      m->step = h * (factor < 1.0 ? factor : 1.0);
    }
  }
  return m->t < end;
}
