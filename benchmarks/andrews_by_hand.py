"""Andrews' squeezing mechanism as the test set writes it, compiled: the right-hand side that SUNDIALS gets."""

from __future__ import annotations

from time import process_time

import numba
import numpy as np
from loop_models import ANDREWS, ANDREWS_START

ORDER = ("rr", "ra", "d", "da", "e", "ea", "ss", "sa", "sb", "sc", "sd", "ta", "tb", "u", "ua", "ub", "zf", "zt", "fa")
NUMBERS = np.array(
    [*(ANDREWS[k] for k in ORDER), ANDREWS["c0"], ANDREWS["l0"], ANDREWS["mom"], *ANDREWS["B"][:2], *ANDREWS["C"][:2]]
)
MASSES, INERTIAS = np.array(ANDREWS["m"]), np.array(ANDREWS["I"])


@numba.njit(cache=True)
def accelerations(y, p, m, J):
    """q̈ and λ of M q̈ + Gᵀ λ = f, G q̈ = -Ġ q̇, in the letters of the test set."""
    rr, ra, d, da, e, ea, ss, sa, sb, sc, sd, ta, tb, u, ua, ub, zf, zt, fa, c0, l0, mom, xb, yb, xc, yc = p
    be, th, ga, ph, de, om, ep = y[:7]
    bep, thp, gap, php, dep, omp, epp = y[7:14]
    sth, cth, sga, cga, sph, cph = np.sin(th), np.cos(th), np.sin(ga), np.cos(ga), np.sin(ph), np.cos(ph)
    sde, cde, som, com, sep, cep = np.sin(de), np.cos(de), np.sin(om), np.cos(om), np.sin(ep), np.cos(ep)
    sbe, cbe, sbt, cbt = np.sin(be), np.cos(be), np.sin(be + th), np.cos(be + th)
    spd, cpd, soe, coe = np.sin(ph + de), np.cos(ph + de), np.sin(om + ep), np.cos(om + ep)
    K, r = np.zeros((13, 13)), np.zeros(13)
    K[0, 0] = m[0] * ra**2 + m[1] * (rr**2 - 2 * da * rr * cth + da**2) + J[0] + J[1]
    K[1, 0] = K[0, 1] = m[1] * (da**2 - da * rr * cth) + J[1]
    K[1, 1] = m[1] * da**2 + J[1]
    K[2, 2] = m[2] * (sa**2 + sb**2) + J[2]
    K[3, 3] = m[3] * (e - ea) ** 2 + J[3]
    K[4, 3] = K[3, 4] = m[3] * ((e - ea) ** 2 + zt * (e - ea) * sph) + J[3]
    K[4, 4] = m[3] * (zt**2 + 2 * zt * (e - ea) * sph + (e - ea) ** 2) + m[4] * (ta**2 + tb**2) + J[3] + J[4]
    K[5, 5] = m[5] * (zf - fa) ** 2 + J[5]
    K[6, 5] = K[5, 6] = m[5] * ((zf - fa) ** 2 - u * (zf - fa) * som) + J[5]
    K[6, 6] = m[5] * ((zf - fa) ** 2 - 2 * u * (zf - fa) * som + u**2) + m[6] * (ua**2 + ub**2) + J[5] + J[6]
    xd, yd = sd * cga + sc * sga + xb, sd * sga - sc * cga + yb
    L = np.sqrt((xd - xc) ** 2 + (yd - yc) ** 2)
    fx, fy = -c0 * (L - l0) / L * (xd - xc), -c0 * (L - l0) / L * (yd - yc)
    r[0] = mom - m[1] * da * rr * thp * (thp + 2 * bep) * sth
    r[1] = m[1] * da * rr * bep**2 * sth
    r[2] = fx * (sc * cga - sd * sga) + fy * (sd * cga + sc * sga)
    r[3] = m[3] * zt * (e - ea) * dep**2 * cph
    r[4] = -m[3] * zt * (e - ea) * php * (php + 2 * dep) * cph
    r[5] = -m[5] * u * (zf - fa) * epp**2 * com
    r[6] = m[5] * u * (zf - fa) * omp * (omp + 2 * epp) * com
    for k in range(3):  # E by way of K2 in every loop
        K[7 + 2 * k, 0], K[7 + 2 * k, 1] = -rr * sbe + d * sbt, d * sbt
        K[8 + 2 * k, 0], K[8 + 2 * k, 1] = rr * cbe - d * cbt, -d * cbt
    K[7, 2], K[8, 2] = -ss * cga, -ss * sga
    K[9, 3], K[9, 4], K[10, 3], K[10, 4] = -e * cpd, -e * cpd + zt * sde, -e * spd, -e * spd - zt * cde
    K[11, 5], K[11, 6], K[12, 5], K[12, 6] = zf * soe, zf * soe - u * cep, -zf * coe, -zf * coe - u * sep
    for i in range(6):
        for j in range(7):
            K[j, 7 + i] = K[7 + i, j]
    x, yy = rr * cbe * bep**2 - d * cbt * (bep + thp) ** 2, rr * sbe * bep**2 - d * sbt * (bep + thp) ** 2
    r[7], r[8] = x - ss * sga * gap**2, yy + ss * cga * gap**2
    r[9] = x - e * spd * (php + dep) ** 2 - zt * cde * dep**2
    r[10] = yy + e * cpd * (php + dep) ** 2 - zt * sde * dep**2
    r[11] = x - zf * coe * (omp + epp) ** 2 - u * sep * epp**2
    r[12] = yy - zf * soe * (omp + epp) ** 2 + u * cep * epp**2
    return np.linalg.solve(K, r)


@numba.njit(cache=True)
def _right(y, out, p, m, J):
    out[:7] = y[7:14]
    out[7:14] = accelerations(y, p, m, J)[:7]


@numba.njit(cache=True)
def _residual(y, yp, out, p, m, J):
    out[:7] = yp[:7] - y[7:14]
    out[7:14] = yp[7:14] - accelerations(y, p, m, J)[:7]


def cvode_run(tolerance: float, method: str = "Adams", t_end: float = 0.03) -> tuple[float, np.ndarray]:
    """CVODE on the equations with the multipliers eliminated; CPU seconds and the seven angles at the end."""
    from sksundae.cvode import CVODE

    solver = CVODE(
        lambda t, y, yp: _right(y, yp, NUMBERS, MASSES, INERTIAS),
        method=method,
        rtol=tolerance,
        atol=1e-2 * tolerance,
        max_num_steps=1_000_000,
    )
    begin = process_time()
    solution = solver.solve(np.array([0.0, t_end]), np.array([*ANDREWS_START, *[0.0] * 7]))
    return process_time() - begin, np.array(solution.y[-1][:7])


def ida_run(tolerance: float, t_end: float = 0.03) -> tuple[float, np.ndarray]:
    """IDA on the same; CPU seconds and the seven angles at the end."""
    from sksundae.ida import IDA

    solver = IDA(
        lambda t, y, yp, out: _residual(y, yp, out, NUMBERS, MASSES, INERTIAS),
        rtol=tolerance,
        atol=1e-2 * tolerance,
        max_num_steps=1_000_000,
    )
    y0, yp0 = np.array([*ANDREWS_START, *[0.0] * 7]), np.zeros(14)
    _right(y0, yp0, NUMBERS, MASSES, INERTIAS)
    begin = process_time()
    solution = solver.solve(np.array([0.0, t_end]), y0, yp0)
    return process_time() - begin, np.array(solution.y[-1][:7])
