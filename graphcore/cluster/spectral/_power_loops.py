"""Compiled loops of the power method on large graphs: eight vectors at a time, in single precision."""

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from ...base.compiling import compiled

LANES = 8


@intrinsic
def _row_product(typing_context, indices, values, X, start, stop, out, at):
    """``out[at + v] = sum of values[e] X[LANES indices[e] + v] over e from start to stop``, for v from 0 to LANES - 1.

    Written for LLVM's vectors: numba would make eight scalar additions of it, which take more than twice as long.
    """
    signature = types.void(indices, values, X, types.int64, types.int64, out, types.int64)

    def generate(context, builder, signature, arguments):
        number, lanes = ir.IntType(64), ir.VectorType(ir.FloatType(), LANES)
        indices, values, X, out = (
            context.make_array(signature.args[i])(context, builder, arguments[i]).data for i in (0, 1, 2, 5)
        )
        start, stop, at = arguments[3], arguments[4], arguments[6]

        def vector_at(array, position):
            return builder.bitcast(builder.gep(array, [position]), lanes.as_pointer())

        def to_all_lanes(value):
            undefined = ir.Constant(lanes, ir.Undefined)
            first = builder.insert_element(undefined, value, ir.Constant(ir.IntType(32), 0))
            return builder.shuffle_vector(first, undefined, ir.Constant(ir.VectorType(ir.IntType(32), LANES), None))

        total = cgutils.alloca_once(builder, lanes)
        builder.store(ir.Constant(lanes, None), total)
        with cgutils.for_range_slice(builder, start, stop, ir.Constant(number, 1)) as (e, _):
            column = builder.load(builder.gep(indices, [e]))
            if column.type.width < number.width:
                column = builder.zext(column, number)
            row = builder.load(vector_at(X, builder.mul(column, ir.Constant(number, LANES))))
            row.align = 4
            value = to_all_lanes(builder.load(builder.gep(values, [e])))
            product = builder.fmul(value, row, flags=("contract",))
            builder.store(builder.fadd(builder.load(total), product, flags=("contract",)), total)
        store = builder.store(builder.load(total), vector_at(out, at))
        store.align = 4
        return context.get_dummy_value()

    return signature, generate


@compiled
def smooth_rows(structure, scale, X, scaled, first, last, out, sums):
    """Rows first to last of ``out = (X + D^-1/2 A scaled) / 2``, where ``scaled = D^-1/2 X``.

    `structure` are the three arrays of A, `scale` the roots of the inverse degrees and the first eigenvector. All but
    the latter are of float32. X, scaled and out are of shape (n * LANES,): the vectors of a row
    lie side by side, so that one look at an entry serves them all. sums, of shape (2, LANES), gets the rows' part of
    the products with that eigenvector and of the squared norms.
    """
    indptr, indices, values = structure
    inverse, top = scale
    half = np.float32(0.5)
    for i in range(first, last):
        at = i * LANES
        _row_product(indices, values, scaled, indptr[i], indptr[i + 1], out, at)
        for v in range(LANES):
            smoothed = half * (X[at + v] + inverse[i] * out[at + v])
            out[at + v] = smoothed
            value = np.float64(smoothed)
            sums[0, v] += top[i] * value
            sums[1, v] += value * value


@compiled
def project_rows(product, scale, dots, factor, first, last, X, scaled):
    """``X = factor (product - top dots)`` and ``scaled = D^-1/2 X`` for rows first to last."""
    inverse, top = scale
    for i in range(first, last):
        for v in range(LANES):
            value = np.float32(factor * (product[i * LANES + v] - top[i] * dots[v]))
            X[i * LANES + v] = value
            scaled[i * LANES + v] = inverse[i] * value


@compiled
def combine_rows(product, scale, dots, factors, coefficient, first, last, vectors):
    """A step of Chebyshev's recurrence for rows first to last of (previous, X, scaled, total).

    ``next = f0 (product - top dots) - f1 X - f2 previous`` takes the place of X, X that of previous; scaled becomes
    ``D^-1/2 next``, and total grows by ``coefficient next``.
    """
    f0, f1, f2 = factors
    inverse, top = scale
    previous, X, scaled, total = vectors
    for i in range(first, last):
        for at in range(i * LANES, (i + 1) * LANES):
            value = np.float32(f0 * (product[at] - top[i] * dots[at - i * LANES]) - f1 * X[at] - f2 * previous[at])
            previous[at] = X[at]
            X[at] = value
            scaled[at] = inverse[i] * value
            total[at] += np.float32(coefficient) * value
