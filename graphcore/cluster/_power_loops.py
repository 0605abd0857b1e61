"""The compiled product of the power method on large graphs: eight vectors at a time, in single precision."""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from ..base.loops import compiled

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
def multiply_rows(structure, inverse, scaled, first, last, out):
    """Rows first to last of ``out = D^-1/2 A scaled``, of shape (n * LANES,): a row's vectors lie side by side.

    `structure` are the three arrays of A, `inverse` the roots of the inverse degrees, all of float32.
    """
    indptr, indices, values = structure
    for i in range(first, last):
        at = i * LANES
        _row_product(indices, values, scaled, indptr[i], indptr[i + 1], out, at)  # type: ignore[call-arg]
        for v in range(LANES):
            out[at + v] *= inverse[i]
