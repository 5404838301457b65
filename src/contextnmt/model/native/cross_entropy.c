/* The losses of words, and their slopes by the logits in the place of these.

   Shapes: rows N, words V. */

#include "numbers.h"

/* As into_slopes, but for the logarithm of the sums, which the losses lack. */
void into_slopes(
    LOWER *restrict logits,         /* [N, V]; then e^x over that of the largest, less at targets */
    const int64_t *restrict target, /* [N] */
    NUMBER *restrict sums,          /* [N]: what the softmax is divided by, written */
    NUMBER *restrict losses,        /* [N], written */
    long rows, long words, long threads)
{
#pragma omp parallel for schedule(static) num_threads(threads) if (rows * words > ALONE)
    for (long row = 0; row < rows; row++) {
        LOWER *line = logits + row * words;
        const NUMBER chosen = widened(line[target[row]]);
        NUMBER largest = widened(line[0]), sum = 0;
#pragma omp simd reduction(max : largest)
        for (long i = 0; i < words; i++)
            largest = widened(line[i]) > largest ? widened(line[i]) : largest;
#pragma omp simd reduction(+ : sum)
        for (long i = 0; i < words; i++) {
            const NUMBER slope = exponential(widened(line[i]) - largest);
            line[i] = rounded(slope);
            sum += slope;
        }
        /* Before it is rounded: what is left of p - 1 at a sure word is small. */
        line[target[row]] = rounded(exponential(chosen - largest) - sum);
        sums[row] = sum;
        losses[row] = largest - chosen;
    }
}
