/* A number that counts what is done with it, in the place of `double` and of `real`: operations of code for a GPU as executed. */
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <algorithm>
#include <vector>

static long additions, products, fused, quotients, functions;

struct Counted {
  double x;
  Counted(double v = 0.0) : x(v) {}
  explicit operator int() const { return (int)x; }
  explicit operator bool() const { return x != 0.0; }
  Counted operator-() const { return Counted(-x); } /* a sign costs nothing: instructions take operands with either */
  Counted& operator+=(const Counted& b) { ++additions; x += b.x; return *this; }
  Counted& operator-=(const Counted& b) { ++additions; x -= b.x; return *this; }
  Counted& operator*=(const Counted& b) { ++products; x *= b.x; return *this; }
  Counted& operator/=(const Counted& b) { ++quotients; x /= b.x; return *this; }
};
#define COUNTING(op, counter) \
  static inline Counted operator op(const Counted& a, const Counted& b) { ++counter; return Counted(a.x op b.x); }
COUNTING(+, additions) COUNTING(-, additions) COUNTING(*, products) COUNTING(/, quotients)
#define COMPARING(op) static inline bool operator op(const Counted& a, const Counted& b) { return a.x op b.x; }
COMPARING(<) COMPARING(>) COMPARING(<=) COMPARING(>=) COMPARING(==) COMPARING(!=)
static inline Counted fma(const Counted& a, const Counted& b, const Counted& c) { ++fused; return Counted(std::fma(a.x, b.x, c.x)); }
static inline Counted rint(const Counted& a) { ++additions; return Counted(std::rint(a.x)); }
#define FUNCTION_OF(name) static inline Counted name(const Counted& a) { ++functions; return Counted(std::name(a.x)); }
FUNCTION_OF(sin) FUNCTION_OF(cos) FUNCTION_OF(tan) FUNCTION_OF(asin) FUNCTION_OF(acos) FUNCTION_OF(atan) FUNCTION_OF(exp)
FUNCTION_OF(log) FUNCTION_OF(sqrt) FUNCTION_OF(sinh) FUNCTION_OF(cosh) FUNCTION_OF(tanh) FUNCTION_OF(floor) FUNCTION_OF(fabs)
static inline Counted pow(const Counted& a, const Counted& b) { ++functions; return Counted(std::pow(a.x, b.x)); }
static inline Counted atan2(const Counted& a, const Counted& b) { ++functions; return Counted(std::atan2(a.x, b.x)); }
static inline Counted fmin(const Counted& a, const Counted& b) { return Counted(std::fmin(a.x, b.x)); }
static inline Counted fmax(const Counted& a, const Counted& b) { return Counted(std::fmax(a.x, b.x)); }
static inline bool isfinite(const Counted& a) { return std::isfinite(a.x); }

static void begin() { additions = products = fused = quotients = functions = 0; }
static void end() { printf("%ld %ld %ld %ld %ld\n", additions, products, fused, quotients, functions); }
