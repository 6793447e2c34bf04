"""Equations as C99 without dependencies beyond the C library, and as CUDA C of the same."""

from __future__ import annotations

from dataclasses import dataclass

from sharnir.equations.equations_of_motion import Equations
from sharnir.equations.exports.assignments import Assignments
from sharnir.equations.exports.program import Function, Program, program_of
from sharnir.model import Table
from sharnir.symbolic.expression_graph import names_of
from sharnir.symbolic.nodes import Node

LIBRARY = ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "atan2", "hypot", "floor")
RENAMED = {"abs": "fabs", "^": "pow"}
STATES = "double t, const double *q, const double *v, const double *u, const double *p"
HELPERS = {
    "sign": "double {0}sign(double x) {{ return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x; }}",
    "step": "double {0}step(double x) {{ return x >= 0.0 ? 1.0 : 0.0; }}",
    "min": "double {0}min(double a, double b) {{ return b < a ? b : a; }}",
    "max": "double {0}max(double a, double b) {{ return b > a ? b : a; }}",
}
OUTSIDE = ("constant", "extend", "error", "repeat")
TABLE = """double {0}table(int n, const double *x, const double *c, int outside, int order, double at) {{
  /* polynomials c[4 k ...] from x[k] on; outside: 0 the end values, 1 straight on, 2 not a number, 3 periodic */
  double inside, d, slope;
  int low = 0, high = n - 1;
  if (outside == 3) at = at - floor((at - x[0]) / (x[n - 1] - x[0])) * (x[n - 1] - x[0]);
  inside = at < x[0] ? x[0] : at > x[n - 1] ? x[n - 1] : at;
  if (outside == 2 && inside != at) return (inside - inside) / (inside - inside);
  while (high - low > 1) {{
    int middle = (low + high) / 2;
    if (x[middle] <= inside) low = middle;
    else high = middle;
  }}
  c += 4 * low;
  d = inside - x[low];
  slope = c[1] + d * (2.0 * c[2] + 3.0 * d * c[3]);
  if (order == 0) return c[0] + d * (c[1] + d * (c[2] + d * c[3])) + (outside == 1 ? slope * (at - inside) : 0.0);
  if (order == 1) return outside == 1 || at == inside ? slope : 0.0;
  return at == inside ? 2.0 * c[2] + 6.0 * d * c[3] : 0.0;
}}"""
SOLVE = """int {0}solve(int n, double *a, double *b) {{
  /* a x = b by elimination with row exchanges; x is left in b. Returns 0, or 1 for a singular matrix. */
  int i, j, k, best;
  double most, factor, swap;
  for (k = 0; k < n; k++) {{
    best = k;
    most = fabs(a[k * n + k]);
    for (i = k + 1; i < n; i++)
      if (fabs(a[i * n + k]) > most) {{ best = i; most = fabs(a[i * n + k]); }}
    if (!(most > 0.0)) return 1;
    if (best != k) {{
      for (j = k; j < n; j++) {{ swap = a[k * n + j]; a[k * n + j] = a[best * n + j]; a[best * n + j] = swap; }}
      swap = b[k]; b[k] = b[best]; b[best] = swap;
    }}
    for (i = k + 1; i < n; i++) {{
      factor = a[i * n + k] / a[k * n + k];
      if (factor == 0.0) continue;
      for (j = k + 1; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
      b[i] -= factor * b[k];
    }}
  }}
  for (k = n - 1; k >= 0; k--) {{
    for (j = k + 1; j < n; j++) b[k] -= a[k * n + j] * b[j];
    b[k] /= a[k * n + k];
  }}
  return 0;
}}"""
DENSE = """{head} {{
  /* M v' - G^T lambda = tau - h, G v' = -gamma: some unknowns have no inertia, so that one linear system gives all */
  double a[({n}) * ({n})], b[{n}], M[{nv} * {nv}], h[{nv}], tau[{nv}], g[{nc}], gdot[{nc}], G[{nc} * {nv}], gamma[{nc}];
  int i, j;
  {name}_mass_matrix(t, q, v, u, p, M);
  {name}_bias(t, q, v, u, p, h);
  {name}_applied(t, q, v, u, p, tau);
  {name}_constraints(t, q, v, u, p, g, gdot, G, gamma);
  for (i = 0; i < ({n}) * ({n}); i++) a[i] = 0.0;
  for (i = 0; i < {nv}; i++) {{
    for (j = 0; j < {nv}; j++) a[i * ({n}) + j] = M[i * {nv} + j];
    b[i] = tau[i] - h[i];
  }}
  for (i = 0; i < {nc}; i++) {{
    for (j = 0; j < {nv}; j++) {{
      a[({nv} + i) * ({n}) + j] = G[i * {nv} + j];
      a[j * ({n}) + {nv} + i] = -G[i * {nv} + j];
    }}
    b[{nv} + i] = -gamma[i];
  }}
  {name}_solve({n}, a, b);
  for (i = 0; i < {nv}; i++) vdot[i] = b[i];
  if (lambda)
    for (i = 0; i < {nc}; i++) lambda[i] = b[{nv} + i];
}}"""
BATCH = """/* One thread per state. Component k of state i is at [k * n + i]; p holds {np_} numbers for all states, or with
   own = 1 is also at [k * n + i]. qdot, vdot and lambda may be 0. */
extern "C" __global__ void {name}_batch(int n, const double *t, const double *q, const double *v, const double *u,
    const double *p, int own, double *qdot, double *vdot, double *lambda) {{
  int k, i = blockIdx.x * blockDim.x + threadIdx.x;
  double Q[{nq}], V[{nv}], U[{nu}], P[{np}], A[{nv}], R[{nq}], L[{nc}];
  if (i >= n) return;
  for (k = 0; k < {nq_}; k++) Q[k] = q[k * n + i];
  for (k = 0; k < {nv_}; k++) V[k] = v[k * n + i];
  for (k = 0; k < {nu_}; k++) U[k] = u[k * n + i];
  for (k = 0; k < {np_}; k++) P[k] = own ? p[k * n + i] : p[k];
  if (qdot) {{
    {name}_rates(t[i], Q, V, U, P, R);
    for (k = 0; k < {nq_}; k++) qdot[k * n + i] = R[k];
  }}
  if (vdot || lambda) {{
    {name}_accelerations(t[i], Q, V, U, P, A, L);
    if (vdot)
      for (k = 0; k < {nv_}; k++) vdot[k * n + i] = A[k];
    if (lambda)
      for (k = 0; k < {nc_}; k++) lambda[k * n + i] = L[k];
  }}
}}"""


@dataclass(frozen=True)
class Dialect:
    """How functions and constants begin."""

    public: str
    private: str
    constant: str


C99 = Dialect("", "static ", "static const ")
CUDA = Dialect("__device__ ", "static __device__ ", "static __device__ const ")
INSIDE = Dialect("static ", "static ", "static const ")  # as a part of a larger file


class CSource:
    """A program in C; `solver`: with a function that solves linear systems, also where none of its own needs one."""

    def __init__(self, program: Program, dialect: Dialect, solver: bool = False) -> None:
        self.program, self.dialect = program, dialect
        self.solver = solver or program.dense
        self.name = program.name
        self.helpers: set[str] = set()
        self.known = {"t": "t"}
        for array, places in program.symbols.items():
            self.known |= {name: f"{array}[{k}]" for name, k in places.items()}
        self.tables = program.used_tables()

    def called(self, function: str, arguments: list[str]) -> str:
        """The text of a call."""
        if function in LIBRARY:
            return f"{function}({', '.join(arguments)})"
        if function in RENAMED:
            return f"{RENAMED[function]}({', '.join(arguments)})"
        if function in ("<", "<=", ">", ">=", "==", "!="):
            return f"({arguments[0]} {function} {arguments[1]} ? 1.0 : 0.0)"
        if function == "if":
            return f"({arguments[0]} != 0.0 ? {arguments[1]} : {arguments[2]})"
        own = f"{self.name}_{function}"
        if function in ("min", "max"):
            self.helpers.add(function)
            found = arguments[0]
            for other in arguments[1:]:
                found = f"{own}({found}, {other})"
            return found
        if function in HELPERS:
            self.helpers.add(function)
        return f"{own}({', '.join(arguments)})"

    def declaration(self, function: Function) -> str:
        """void name_function(t, q, v, u, p, results)."""
        results = "".join(f", double *{c_symbol(x.symbol)}" for x in function.outputs)
        gap = ",\n    " if len(results) > 30 else ", "
        return f"void {self.name}_{function.name}({STATES}{gap}{results[2:]})"

    def definition(self, function: Function) -> str:
        """A function, straight-line; what `system` asks for where unknowns have no inertia."""
        head = f"/* {function.meaning} */\n{self.dialect.public}{self.declaration(function)}"
        if function.system and self.program.dense:
            n, m = len(self.program.v), self.program.n_constraints
            return DENSE.format(head=head, name=self.name, nv=n, nc=m, n=f"{n} + {m}")
        code = Assignments(self.known, self.called)
        roots = [node for output in function.outputs for node in output.nodes]
        texts = iter(code.texts(roots))
        lines = [f"  const double {name} = {text};" for name, text in code.lines]
        for output in function.outputs:
            own, entries = c_symbol(output.symbol), [next(texts) for _ in output.nodes]
            stores = [f"{own}[{k}] = {text};" for k, text in enumerate(entries)]
            optional = function.system and output.symbol == "lam" and stores
            lines += [f"  if ({own}) {{", *(f"    {x}" for x in stores), "  }"] if optional else [f"  {x}" for x in stores]
        lines += [f"  {unused}" for unused in self._unused(function, roots)]
        return "\n".join([f"{head} {{", *lines, "}"])

    def _unused(self, function: Function, roots: list[Node]) -> list[str]:
        """Arguments that a function does not need, named so that compilers do not complain."""
        names = names_of(*roots)
        arrays = self.program.symbols
        found = [array for array in "qvup" if not names & set(arrays[array])]
        found = ([] if "t" in names else ["t"]) + found
        empty = [c_symbol(x.symbol) for x in function.outputs if not x.nodes]
        return ["".join(f"(void){name}; " for name in [*found, *empty]).rstrip()] if found or empty else []

    def table(self, name: str, table: Table, order: int) -> list[str]:
        """A table as constants and a function."""
        own, d = f"{self.name}_{name}", self.dialect
        first = next(other for other, (x, _) in self.tables.items() if x is table)
        lines = []
        if first == name:
            x, c = (", ".join(repr(float(y)) for y in values) for values in (table.x, table.coefficients().ravel()))
            lines += [f"{d.constant}double {own}_x[{len(table.x)}] = {{{x}}};"]
            lines += [f"{d.constant}double {own}_c[{4 * len(table.x) - 4}] = {{{c}}};"]
        base = f"{self.name}_{first}"
        given = f"{len(table.x)}, {base}_x, {base}_c, {OUTSIDE.index(table.outside)}, {order}, x"
        return [*lines, f"{d.private}double {own}(double x) {{ return {self.name}_table({given}); }}"]

    def body(self) -> str:
        """Helpers, tables and functions."""
        definitions = [self.definition(function) for function in self.program.functions]
        parts = [self.dialect.private + HELPERS[x].format(f"{self.name}_") for x in HELPERS if x in self.helpers]
        if self.tables:
            parts.append(self.dialect.private + TABLE.format(f"{self.name}_"))
            parts += ["\n".join(self.table(name, *x)) for name, x in self.tables.items()]
        if self.solver:
            parts.append(self.dialect.private + SOLVE.format(f"{self.name}_"))
        return "\n\n".join([*parts, *definitions])

    def sizes(self) -> dict[str, int]:
        """Lengths of the arrays."""
        p = self.program
        return {"NQ": len(p.q), "NV": len(p.v), "NU": len(p.u), "NP": len(p.p), "NC": p.n_constraints}

    def comment(self) -> str:
        """What the arrays hold."""
        p = self.program
        lines = [f"Equations of motion of '{p.title}': M v' + h = tau + G^T lambda, g = 0. Units: SI, angles in radians.", ""]
        lines += [f"q: {', '.join(p.q)}", f"v: {', '.join(p.v)}"]
        lines += [f"u[{k}]: {name}, {p.notes.get(name, 'input')}" for k, name in enumerate(p.u)]
        lines += [f"p[{k}]: {name} = {value!r}" for k, (name, value) in enumerate(p.p.items())]
        lines += ["Matrices are stored by rows. Arrays that are empty may be 0, and so may lambda."]
        return "/* " + "\n   ".join(line.replace("*/", "* /") for line in lines) + " */"


def c_symbol(symbol: str) -> str:
    """lam is called lambda."""
    return "lambda" if symbol == "lam" else symbol


def c_source(equations: Equations) -> str:
    """The equations as one file in C99; see Equations.c."""
    source = CSource(program_of(equations), C99)
    values = ", ".join(repr(x) for x in source.program.p.values()) or "0.0"
    defaults = f"const double {source.name}_parameters[{max(1, len(source.program.p))}] = {{{values}}};"
    declared = "\n".join(f"{source.declaration(f)};" for f in source.program.functions)
    return "\n\n".join([source.comment(), "#include <math.h>", declared, defaults, source.body()]) + "\n"


def c_header(equations: Equations) -> str:
    """The declarations of `c_source`; see Equations.c_header."""
    source = CSource(program_of(equations), C99)
    guard = f"{source.name.upper()}_H"
    sizes = [f"#define {source.name.upper()}_{name} {size}" for name, size in source.sizes().items()]
    declared = [f"/* {f.meaning} */\n{source.declaration(f)};" for f in source.program.functions]
    defaults = f"extern const double {source.name}_parameters[{max(1, len(source.program.p))}];"
    opening = '#ifdef __cplusplus\nextern "C" {\n#endif'
    closing = "#ifdef __cplusplus\n}\n#endif\n#endif"
    start = f"#ifndef {guard}\n#define {guard}"
    return "\n\n".join([source.comment(), start, "\n".join(sizes), opening, defaults, *declared, closing]) + "\n"


def cuda_source(equations: Equations) -> str:
    """The equations as CUDA C: device functions and a kernel for many states; see Equations.cuda."""
    source = CSource(program_of(equations), CUDA)
    sizes = {f"{name.lower()}_": size for name, size in source.sizes().items()}
    sizes |= {name.rstrip("_"): max(1, size) for name, size in sizes.items()}
    kernel = BATCH.format(name=source.name, **sizes)
    values = ", ".join(repr(x) for x in source.program.p.values()) or "0.0"
    defaults = f"{CUDA.constant}double {source.name}_parameters[{sizes['np']}] = {{{values}}};"
    return "\n\n".join([source.comment(), defaults, source.body(), kernel]) + "\n"
