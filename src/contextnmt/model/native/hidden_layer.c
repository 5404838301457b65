/* The hidden layer of the attention, h = 1 / (1 + e^-q e^-k), which goes no further than a
   processor's registers.

   Shapes: sentences B, of one query each, source positions S, alignment a. */

#include "numbers.h"

/* The energies: the sum of each row of the layer times a weight. */
void forth(
    const NUMBER *restrict asked,   /* [B, a]: e^-q */
    const NUMBER *restrict keys,    /* [B, S, a]: e^-k */
    const NUMBER *restrict weight,  /* [a] */
    NUMBER *restrict energies,      /* [B, S], written */
    long sentences, long positions, long size, long threads)
{
    const long rows = sentences * positions;
#pragma omp parallel for schedule(static) num_threads(threads) if (rows * size > ALONE)
    for (long row = 0; row < rows; row++) {
        const NUMBER *q = asked + row / positions * size, *k = keys + row * size;
        NUMBER sum = 0;
#pragma omp simd reduction(+ : sum)
        for (long i = 0; i < size; i++)
            sum += weight[i] / (1 + q[i] * k[i]);
        energies[row] = sum;
    }
}

/* The gradients that slopes of the energies lead to, each but for a factor that is the same at all
   positions. Two of them are sums over a sentence's rows, and so a thread has all of these. */
void back(
    const NUMBER *restrict asked,   /* [B, a]: e^-q */
    const NUMBER *restrict keys,    /* [B, S, a]: e^-k */
    const NUMBER *restrict slopes,  /* [B, S] */
    NUMBER *restrict of_asked,      /* [B, a]: the sum of slope h (1 - h), written */
    NUMBER *restrict of_keys,       /* [B, S, a]: slope h (1 - h), added */
    NUMBER *restrict of_weight,     /* [B, a]: the sum of slope h, added */
    long sentences, long positions, long size, long threads)
{
#pragma omp parallel for schedule(static) num_threads(threads) \
    if (sentences * positions * size > ALONE)
    for (long sentence = 0; sentence < sentences; sentence++) {
        const NUMBER *q = asked + sentence * size;
        NUMBER *of_q = of_asked + sentence * size, *of_w = of_weight + sentence * size;
        for (long i = 0; i < size; i++)
            of_q[i] = 0;
        for (long row = sentence * positions; row < (sentence + 1) * positions; row++) {
            const NUMBER *k = keys + row * size;
            NUMBER *of_k = of_keys + row * size;
            const NUMBER slope = slopes[row];
#pragma omp simd
            for (long i = 0; i < size; i++) {
                const NUMBER h = 1 / (1 + q[i] * k[i]);
                const NUMBER weighed = slope * h, entered = weighed * (1 - h);
                of_w[i] += weighed;
                of_q[i] += entered;
                of_k[i] += entered;
            }
        }
    }
}
