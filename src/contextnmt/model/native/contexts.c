/* What a step of the decoder looks up: the softmax of the energies, and the sum of what stands at
   the source positions by these weights.

   Shapes: sentences B, of which the first ones A take another step; source positions S, what enters
   the gates g. The work of a sentence is that of one thread. */

#include "numbers.h"

#define EACH_SENTENCE \
    _Pragma("omp parallel for schedule(static) num_threads(threads) \
        if (sentences * positions * width > ALONE)") \
    for (long sentence = 0; sentence < sentences; sentence++)

/* Rows that are added at a time: so often is the sum not fetched and put away. */
enum { TOGETHER = 4 };

/* Up to the last position with a weight: behind it there is padding. */
static inline long looked_at(const NUMBER *weights, long positions)
{
    while (positions && weights[positions - 1] == 0)
        positions--;
    return positions;
}

void forth(
    const NUMBER *restrict energies, /* [B, S] */
    const NUMBER *restrict padding,  /* [B, S]: minus infinity there, else zero */
    const LOWER *restrict values,    /* [B, S, g] */
    const LOWER *restrict words,     /* [A, g]: what else enters the gates */
    NUMBER *restrict weights,        /* [B, S], written */
    NUMBER *restrict inputs,         /* [A, g], written */
    long sentences, long positions, long width, long advancing, long threads)
{
    EACH_SENTENCE {
        const NUMBER *energy = energies + sentence * positions;
        const NUMBER *added = padding + sentence * positions;
        NUMBER *weight = weights + sentence * positions, largest = -INFINITY, sum = 0;
        for (long j = 0; j < positions; j++) {
            weight[j] = energy[j] + added[j];
            largest = weight[j] > largest ? weight[j] : largest;
        }
#pragma omp simd reduction(+ : sum)
        for (long j = 0; j < positions; j++) {
            weight[j] = exponential(weight[j] - largest);
            sum += weight[j];
        }
        for (long j = 0; j < positions; j++)
            weight[j] /= sum;
        if (sentence >= advancing)
            continue;
        const LOWER *word = words + sentence * width, *value = values + sentence * positions * width;
        NUMBER *input = inputs + sentence * width;
        for (long i = 0; i < width; i++)
            input[i] = widened(word[i]);
        const long end = looked_at(weight, positions), whole = end - end % TOGETHER;
        for (long j = 0; j < whole; j += TOGETHER) {
            const LOWER *one = value + j * width, *two = one + width, *three = two + width;
            const LOWER *four = three + width;
#pragma omp simd
            for (long i = 0; i < width; i++)
                input[i] += weight[j] * widened(one[i]) + weight[j + 1] * widened(two[i])
                    + weight[j + 2] * widened(three[i]) + weight[j + 3] * widened(four[i]);
        }
        for (long j = whole; j < end; j++) {
            const LOWER *one = value + j * width;
#pragma omp simd
            for (long i = 0; i < width; i++)
                input[i] += weight[j] * widened(one[i]);
        }
    }
}

void back(
    const NUMBER *restrict weights,    /* [B, S] */
    const NUMBER *restrict of_weights, /* [B, S], but for what comes by the inputs */
    const LOWER *restrict values,      /* [B, S, g] */
    const LOWER *restrict of_inputs,   /* [A, g] */
    NUMBER *restrict of_energies,      /* [B, S], written */
    long sentences, long positions, long width, long advancing, long threads)
{
    EACH_SENTENCE {
        const NUMBER *weight = weights + sentence * positions;
        const NUMBER *of_weight = of_weights + sentence * positions;
        const LOWER *of_input = of_inputs + sentence * width;
        NUMBER *of_energy = of_energies + sentence * positions, sum = 0;
        const long end = sentence < advancing ? looked_at(weight, positions) : 0;
        for (long j = 0; j < positions; j++) {
            const LOWER *value = values + (sentence * positions + j) * width;
            NUMBER product = 0;
            if (j < end) {
#pragma omp simd reduction(+ : product)
                for (long i = 0; i < width; i++)
                    product += widened(of_input[i]) * widened(value[i]);
            }
            of_energy[j] = of_weight[j] + product;
            sum += of_energy[j] * weight[j];
        }
        for (long j = 0; j < positions; j++)
            of_energy[j] = weight[j] * (of_energy[j] - sum);
    }
}
