/* What every kernel begins with. R(x): a number of the type `real`, which SINGLE makes float. */
#ifdef SINGLE
typedef float real;
#define R(x) x##f
#else
typedef double real;
#define R(x) x
#endif
#define DEVICE static __device__ __forceinline__
#define FUNCTION static __device__ __noinline__
#define CONSTANT static __device__ __constant__ const
#define ROLLED _Pragma("unroll 1")
#define W(k) W_[k]

DEVICE real sign_of(real x) { return x > R(0.0) ? R(1.0) : x < R(0.0) ? R(-1.0) : x; }
DEVICE real step_of(real x) { return x >= R(0.0) ? R(1.0) : R(0.0); }
DEVICE real lesser(real a, real b) { return b < a ? b : a; }
DEVICE real greater(real a, real b) { return b > a ? b : a; }

/* Reduce by multiples of pi/2, expand, swap and sign by the quadrant: no branches, no slow path for large angles. */
DEVICE void sine_and_cosine(const real x, real* s, real* c) {
#ifdef SINGLE
  const float n = rintf(x * 0.636619772367581343f);
  const float r = fmaf(-n, -1.71512451e-15f, fmaf(-n, -4.37113883e-8f, fmaf(-n, 1.57079637f, x))), z = r * r;
  const float sine = fmaf(r * z, fmaf(z, fmaf(z, fmaf(z, 2.7557319e-6f, -1.9841270e-4f), 8.3333333e-3f), -1.6666667e-1f), r);
  const float cosine = fmaf(z * z, fmaf(z, fmaf(z, fmaf(z, -2.7557319e-7f, 2.4801587e-5f), -1.3888889e-3f), 4.1666667e-2f), fmaf(-0.5f, z, 1.0f));
#else
  const double n = rint(x * 0.63661977236758134308);
  const double r = fma(-n, 6.123233995736766e-17, fma(-n, 1.5707963267948966, x)), z = r * r;
  const double p = -7.6471637318198164759e-13 * z + 1.6059043836821614599e-10;
  const double sine = r + r * z * (-1.6666666666666666667e-1 + z * (8.3333333333333333333e-3 + z * (-1.9841269841269841270e-4 + z * (2.7557319223985890653e-6 + z * (-2.5052108385441718775e-8 + z * p)))));
  const double u = 4.7794773323873852974e-14 * z - 1.1470745597729724714e-11;
  const double cosine = (1.0 - 0.5 * z) + z * z * (4.1666666666666666667e-2 + z * (-1.3888888888888888889e-3 + z * (2.4801587301587301587e-5 + z * (-2.7557319223985890653e-7 + z * (2.0876756987868098979e-9 + z * u)))));
#endif
  const int quadrant = (int)n;
  const real a = quadrant & 1 ? cosine : sine, b = quadrant & 1 ? sine : cosine;
  *s = quadrant & 2 ? -a : a;
  *c = (quadrant + 1) & 2 ? -b : b;
}

/* A table: cubic polynomials c[4 k ...] from x[k] on. outside: 0 the end values, 1 straight on, 2 not a number, 3 periodic. */
DEVICE real table_value(const int n, const real* x, const real* c, const int outside, const int order, real at) {
  int low = 0, high = n - 1;
  if (outside == 3) at -= floor((at - x[0]) / (x[n - 1] - x[0])) * (x[n - 1] - x[0]);
  const real inside = at < x[0] ? x[0] : at > x[n - 1] ? x[n - 1] : at;
  if (outside == 2 && inside != at) return (inside - inside) / (inside - inside);
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (x[middle] <= inside) low = middle;
    else high = middle;
  }
  c += 4 * low;
  const real d = inside - x[low], slope = c[1] + d * (R(2.0) * c[2] + R(3.0) * d * c[3]);
  if (order == 0) return c[0] + d * (c[1] + d * (c[2] + d * c[3])) + (outside == 1 ? slope * (at - inside) : R(0.0));
  if (order == 1) return outside == 1 || at == inside ? slope : R(0.0);
  return at == inside ? R(2.0) * c[2] + R(6.0) * d * c[3] : R(0.0);
}
