/* What a step of a recurrent unit computes between its products of matrices. The equations are
   those of LSTMUnit and GRUUnit.

   Shapes: directions D, batch B, hidden n. A tensor [D, B, ...] is in one piece; or each direction
   of it is, and they are as far apart as the number says that follows the tensor. A row is what one
   sentence has of one direction, and the work of one thread. */

#include "numbers.h"

/* Threads, and whether these numbers are worth them: each of four is a gate's or a gradient's. */
#define EACH_ROW \
    _Pragma("omp parallel for schedule(static) num_threads(threads) if (4 * rows * size > ALONE)") \
    for (long row = 0; row < rows; row++)

/* Where the row of a direction begins. */
static inline long place(long row, long batch, long apart, long width)
{
    return row / batch * apart + row % batch * width;
}

/* The numbers become their sigmoids. One function for all, which GCC compiles once. */
__attribute__((noinline)) static void sigmoids(NUMBER *numbers, long count)
{
#pragma omp simd
    for (long i = 0; i < count; i++)
        numbers[i] = 1 / (1 + exponential(-numbers[i]));
}

void lstm_forth(
    const NUMBER *restrict inputs, long inputs_apart, /* [D, B, 4 n] */
    const LOWER *restrict products,                   /* [D, B, 4 n]: U s */
    const NUMBER *restrict before, long before_apart, /* [D, B, n]: the cell */
    NUMBER *restrict gates,                           /* [D, B, 4 n], written */
    NUMBER *restrict cells,                           /* [D, B, n], written */
    NUMBER *restrict squashed,                        /* [D, B, n]: their tanh, written */
    NUMBER *restrict state, long state_apart,         /* [D, B, n], written */
    long directions, long batch, long size, long threads)
{
    const long rows = directions * batch;
    EACH_ROW {
        const NUMBER *entering = inputs + place(row, batch, inputs_apart, 4 * size);
        const LOWER *product = products + row * 4 * size;
        const NUMBER *was = before + place(row, batch, before_apart, size);
        NUMBER *gate = gates + row * 4 * size, *candidate = gate + 3 * size;
        NUMBER *cell = cells + row * size, *tanh = squashed + row * size;
        NUMBER *out = state + place(row, batch, state_apart, size);
#pragma omp simd
        for (long i = 0; i < 3 * size; i++)
            gate[i] = entering[i] + widened(product[i]);
#pragma omp simd
        for (long i = 3 * size; i < 4 * size; i++)
            gate[i] = 2 * (entering[i] + widened(product[i]));
        sigmoids(gate, 4 * size);
#pragma omp simd
        for (long i = 0; i < size; i++) {
            candidate[i] = 2 * candidate[i] - 1;
            cell[i] = gate[size + i] * was[i] + gate[i] * candidate[i];
            tanh[i] = 2 * cell[i];
        }
        sigmoids(tanh, size);
#pragma omp simd
        for (long i = 0; i < size; i++) {
            tanh[i] = 2 * tanh[i] - 1;
            out[i] = gate[2 * size + i] * tanh[i];
        }
    }
}

void lstm_back(
    const NUMBER *restrict gates,                     /* [D, B, 4 n] */
    const NUMBER *restrict before, long before_apart, /* [D, B, n]: the cell */
    const NUMBER *restrict squashed,                  /* [D, B, n]: the tanh of the one after */
    const NUMBER *restrict of_state,                  /* [D, B, n] */
    NUMBER *restrict of_cell,                         /* [D, B, n]; then of the one before */
    LOWER *restrict of_inputs, long of_inputs_apart,  /* [D, B, 4 n], written */
    long directions, long batch, long size, long threads)
{
    const long rows = directions * batch;
    EACH_ROW {
        const NUMBER *into = gates + row * 4 * size, *forget = into + size;
        const NUMBER *passed = into + 2 * size, *candidate = into + 3 * size;
        const NUMBER *was = before + place(row, batch, before_apart, size);
        const NUMBER *tanh = squashed + row * size, *state = of_state + row * size;
        NUMBER *of = of_cell + row * size;
        LOWER *out = of_inputs + place(row, batch, of_inputs_apart, 4 * size);
#pragma omp simd
        for (long i = 0; i < size; i++) {
            const NUMBER through = state[i] * passed[i];
            const NUMBER slope = of[i] + through * (1 - tanh[i] * tanh[i]);
            out[i] = rounded(slope * candidate[i] * into[i] * (1 - into[i]));
            out[size + i] = rounded(slope * was[i] * forget[i] * (1 - forget[i]));
            out[2 * size + i] = rounded(through * tanh[i] * (1 - passed[i]));
            out[3 * size + i] = rounded(slope * into[i] * (1 - candidate[i] * candidate[i]));
            of[i] = slope * forget[i];
        }
    }
}

void gru_gates(
    const NUMBER *restrict inputs, long inputs_apart, /* [D, B, 3 n] */
    const LOWER *restrict products,                   /* [D, B, 2 n]: U_z s, U_r s */
    const NUMBER *restrict state, long state_apart,   /* [D, B, n] */
    NUMBER *restrict gates,                           /* [D, B, 2 n], written */
    LOWER *restrict shortened,                        /* [D, B, n]: r s, written */
    long directions, long batch, long size, long threads)
{
    const long rows = directions * batch;
    EACH_ROW {
        const NUMBER *entering = inputs + place(row, batch, inputs_apart, 3 * size) + size;
        const LOWER *product = products + row * 2 * size;
        const NUMBER *was = state + place(row, batch, state_apart, size);
        NUMBER *gate = gates + row * 2 * size;
        LOWER *out = shortened + row * size;
#pragma omp simd
        for (long i = 0; i < 2 * size; i++)
            gate[i] = entering[i] + widened(product[i]);
        sigmoids(gate, 2 * size);
#pragma omp simd
        for (long i = 0; i < size; i++)
            out[i] = rounded(gate[size + i] * was[i]);
    }
}

void gru_forth(
    const NUMBER *restrict inputs, long inputs_apart, /* [D, B, 3 n] */
    const LOWER *restrict products,                   /* [D, B, n]: U (r s) */
    const NUMBER *restrict gates,                     /* [D, B, 2 n] */
    const NUMBER *restrict before, long before_apart, /* [D, B, n]: the state */
    NUMBER *restrict candidates,                      /* [D, B, n], written */
    NUMBER *restrict state, long state_apart,         /* [D, B, n], written */
    long directions, long batch, long size, long threads)
{
    const long rows = directions * batch;
    EACH_ROW {
        const NUMBER *entering = inputs + place(row, batch, inputs_apart, 3 * size);
        const LOWER *product = products + row * size;
        const NUMBER *update = gates + row * 2 * size;
        const NUMBER *was = before + place(row, batch, before_apart, size);
        NUMBER *candidate = candidates + row * size;
        NUMBER *out = state + place(row, batch, state_apart, size);
#pragma omp simd
        for (long i = 0; i < size; i++)
            candidate[i] = 2 * (entering[i] + widened(product[i]));
        sigmoids(candidate, size);
#pragma omp simd
        for (long i = 0; i < size; i++) {
            candidate[i] = 2 * candidate[i] - 1;
            out[i] = was[i] + update[i] * (candidate[i] - was[i]);
        }
    }
}

/* The gradient of what enters the candidate. */
void gru_back(
    const NUMBER *restrict gates,                    /* [D, B, 2 n] */
    const NUMBER *restrict candidates,               /* [D, B, n] */
    const NUMBER *restrict of_state,                 /* [D, B, n] */
    LOWER *restrict of_inputs, long of_inputs_apart, /* [D, B, 3 n], the first n written */
    long directions, long batch, long size, long threads)
{
    const long rows = directions * batch;
    EACH_ROW {
        const NUMBER *update = gates + row * 2 * size, *candidate = candidates + row * size;
        const NUMBER *state = of_state + row * size;
        LOWER *out = of_inputs + place(row, batch, of_inputs_apart, 3 * size);
#pragma omp simd
        for (long i = 0; i < size; i++)
            out[i] = rounded(state[i] * update[i] * (1 - candidate[i] * candidate[i]));
    }
}

/* The gradients of what enters the gates, once that of r s is known. */
void gru_gates_back(
    const LOWER *restrict products,                   /* [D, B, n]: the gradient of r s */
    const NUMBER *restrict gates,                     /* [D, B, 2 n] */
    const NUMBER *restrict candidates,                /* [D, B, n] */
    const NUMBER *restrict before, long before_apart, /* [D, B, n]: the state */
    NUMBER *restrict of_state,                        /* [D, B, n]; then of the one before */
    LOWER *restrict of_inputs, long of_inputs_apart,  /* [D, B, 3 n], the last 2 n written */
    long directions, long batch, long size, long threads)
{
    const long rows = directions * batch;
    EACH_ROW {
        const NUMBER *update = gates + row * 2 * size, *reset = update + size;
        const NUMBER *candidate = candidates + row * size;
        const NUMBER *was = before + place(row, batch, before_apart, size);
        const LOWER *product = products + row * size;
        NUMBER *of = of_state + row * size;
        LOWER *out = of_inputs + place(row, batch, of_inputs_apart, 3 * size) + size;
#pragma omp simd
        for (long i = 0; i < size; i++) {
            const NUMBER z = update[i], r = reset[i], after = of[i];
            const NUMBER shortened = widened(product[i]);
            out[i] = rounded((candidate[i] - was[i]) * after * z * (1 - z));
            out[size + i] = rounded(shortened * was[i] * r * (1 - r));
            of[i] = after * (1 - z) + shortened * r;
        }
    }
}
