"""The Jacobian that implicit integrators ask for (`Problem.jacobian`), as text of an LLVM function."""

from __future__ import annotations

from sharnir.dynamics.straight_line.graph_code import literal
from sharnir.dynamics.straight_line.lane_code import LANES
from sharnir.dynamics.straight_line.module_text import ARGUMENTS, RATES

SIZE = 8 * LANES  # bytes of a row of lanes


def jacobian_text(n_q: int, n_v: int, n_z: int, column: int, numbers: int, turns: bool) -> str:
    """Columns of ∂ẇ/∂q T, then of ∂ẇ/∂w, w = (v, z), each `column` numbers long, by the function `rate_changes`.

    numbers : how many numbers of the model stand in memory.   turns : whether T is not 1, but what the function in the slot RATES
    computes.
    """
    n, n_w = n_q + n_v + n_z, n_v + n_z
    one = literal(1.0)
    tangent = turned_tangent(n_q, n_v) if turns else f"  call void @set(i64 %seeds, i64 %k, i64 %l, double {one})"
    return f"""declare void @llvm.memset.p0i8.i64(i8*, i8, i64, i1)
declare void @llvm.memcpy.p0i8.p0i8.i64(i8*, i8*, i64, i1)
define internal void @set(i64 %base, i64 %row, i64 %lane, double %x) alwaysinline {{
  %a = mul i64 %row, {SIZE}
  %b = mul i64 %lane, 8
  %c = add i64 %a, %b
  call void @write_at(i64 %base, i64 %c, double %x)
  ret void
}}
define void @jacobian({ARGUMENTS}) {{
start:
  %seed_memory = alloca i8, i64 {SIZE * n}, align 64
  %found_memory = alloca i8, i64 {SIZE * n}, align 64
  %number_memory = alloca i8, i64 {SIZE * max(1, numbers)}, align 64
  %trial_memory = alloca i8, i64 {8 * n}, align 64
  %along_memory = alloca i8, i64 {8 * n}, align 64
  %seeds = ptrtoint i8* %seed_memory to i64
  %found = ptrtoint i8* %found_memory to i64
  %changes = ptrtoint i8* %number_memory to i64
  %trial = ptrtoint i8* %trial_memory to i64
  %along = ptrtoint i8* %along_memory to i64
  call void @llvm.memset.p0i8.i64(i8* %number_memory, i8 0, i64 {SIZE * max(1, numbers)}, i1 false)
  br label %group
group:
  %first = phi i64 [0, %start], [%after, %copied]
  call void @llvm.memset.p0i8.i64(i8* %seed_memory, i8 0, i64 {SIZE * n}, i1 false)
  br label %lane
lane:
  %l = phi i64 [0, %group], [%l1, %next_lane]
  %k = add i64 %first, %l
  %is_tangent = icmp slt i64 %k, {n_v}
  br i1 %is_tangent, label %tangent, label %other
other:
  %is_speed = icmp slt i64 %k, {n_v + n_w}
  br i1 %is_speed, label %speed, label %next_lane
speed:
  %own = add i64 %k, {n_q - n_v}
  call void @set(i64 %seeds, i64 %own, i64 %l, double {one})
  br label %next_lane
tangent:
{tangent}
  br label %next_lane
next_lane:
  %l1 = add i64 %l, 1
  %more_lanes = icmp slt i64 %l1, {LANES}
  br i1 %more_lanes, label %lane, label %evaluate
evaluate:
  call void @rate_changes(double %t, i64 %y, i64 %seeds, i64 %changes, i64 {SIZE}, i64 %found)
{columns_text(n_q, n_v + n_w, n_w, column)}
}}"""


def columns_text(n_q: int, columns: int, n_w: int, column: int) -> str:
    """What was found along the directions of one group, written into its columns; then the next group."""
    return f"""  br label %copy
copy:
  %c = phi i64 [0, %evaluate], [%c1, %next_column]
  %number = add i64 %first, %c
  %wanted = icmp slt i64 %number, {columns}
  br i1 %wanted, label %entry, label %next_column
entry:
  %i = phi i64 [0, %copy], [%i1, %entry]
  %r0 = add i64 %i, {n_q}
  %r1 = mul i64 %r0, {SIZE}
  %r2 = mul i64 %c, 8
  %r3 = add i64 %r1, %r2
  %x = call double @number_at(i64 %found, i64 %r3)
  %w0 = mul i64 %number, {column}
  %w1 = add i64 %w0, %i
  %w2 = mul i64 %w1, 8
  call void @write_at(i64 %out, i64 %w2, double %x)
  %i1 = add i64 %i, 1
  %more_entries = icmp slt i64 %i1, {n_w}
  br i1 %more_entries, label %entry, label %next_column
next_column:
  %c1 = add i64 %c, 1
  %more_columns = icmp slt i64 %c1, {LANES}
  br i1 %more_columns, label %copy, label %copied
copied:
  %after = add i64 %first, {LANES}
  %more_groups = icmp slt i64 %after, {columns}
  br i1 %more_groups, label %group, label %end
end:
  ret void"""


def turned_tangent(n_q: int, n_v: int) -> str:
    """T e_k, from the rates of coordinates at unit speeds."""
    return f"""  %state = inttoptr i64 %y to i8*
  call void @llvm.memcpy.p0i8.p0i8.i64(i8* %trial_memory, i8* %state, i64 {8 * n_q}, i1 false)
  %speeds = getelementptr i8, i8* %trial_memory, i64 {8 * n_q}
  call void @llvm.memset.p0i8.i64(i8* %speeds, i8 0, i64 {8 * n_v}, i1 false)
  %e0 = add i64 %k, {n_q}
  %e1 = mul i64 %e0, 8
  call void @write_at(i64 %trial, i64 %e1, double {literal(1.0)})
  %address = call i64 @slot(i64 {RATES})
  %rates = inttoptr i64 %address to void (double, i64, i64, i64, i64, i64)*
  call void %rates(double %t, i64 %trial, i64 %along, i64 %table, i64 %params, i64 %work)
  br label %direction
direction:
  %j = phi i64 [0, %tangent], [%j1, %direction]
  %j8 = mul i64 %j, 8
  %d = call double @number_at(i64 %along, i64 %j8)
  call void @set(i64 %seeds, i64 %j, i64 %l, double %d)
  %j1 = add i64 %j, 1
  %more_q = icmp slt i64 %j1, {n_q}
  br i1 %more_q, label %direction, label %next_lane_too
next_lane_too:"""
