/* The losses of words, and their slopes by the logits in the place of these.

   Shapes: rows N, words V. */

#include "numbers.h"

/* Words that are summed up by themselves: in a sum near 1, what many of them have would be lost. */
enum { TOGETHER = 256 };

/* As that of contextnmt.model.cross_entropy, but the losses lack the logarithm of the sums. */
void into_slopes(
    LOWER *restrict logits,         /* [N, V]; then e^x over that of the largest, less at targets */
    const int64_t *restrict target, /* [N] */
    NUMBER *restrict sums,          /* [N]: what the softmax is divided by, written */
    NUMBER *restrict losses,        /* [N], written */
    long rows, long words, long threads)
{
#pragma omp parallel for schedule(static) num_threads(threads) if (rows * words > ALONE)
    for (long row = 0; row < rows; row++) {
        LOWER *line = logits + row * words, *own = line + target[row];
        const NUMBER chosen = widened(*own);
        NUMBER largest = widened(line[0]), others = 0;
#pragma omp simd reduction(max : largest)
        for (long i = 0; i < words; i++)
            largest = widened(line[i]) > largest ? widened(line[i]) : largest;
        *own = rounded(-INFINITY); /* p - 1 is minus the others' sum: nothing of it cancels */
        for (long first = 0; first < words; first += TOGETHER) {
            const long end = first + TOGETHER < words ? first + TOGETHER : words;
            NUMBER sum = 0;
#pragma omp simd reduction(+ : sum)
            for (long i = first; i < end; i++) {
                const NUMBER slope = exponential(widened(line[i]) - largest);
                line[i] = rounded(slope);
                sum += slope;
            }
            others += sum;
        }
        *own = rounded(-others);
        sums[row] = others + exponential(chosen - largest);
        losses[row] = largest - chosen;
    }
}
