/* The numbers that the functions work with.

   A NUMBER is a float, or with DOUBLE a double. Matrices are multiplied in LOWER, which is the
   same, or with BFLOAT16 the upper half of a float. */

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifdef DOUBLE
typedef double NUMBER;
typedef uint64_t BITS;
enum { FRACTION = 52, BIAS = 1023, LEAST = -708, MOST = 708, TERMS = 14 };
static const NUMBER UPPER = 0x1.62e42feep-1, REST = 0x1.a39ef35793c76p-33;
#else
typedef float NUMBER;
typedef uint32_t BITS;
enum { FRACTION = 23, BIAS = 127, LEAST = -87, MOST = 87, TERMS = 8 };
static const NUMBER UPPER = 0x1.63p-1f, REST = -0x1.bd0106p-13f;
#endif

/* Numbers that are not worth waking other threads for. */
enum { ALONE = 1 << 14 };

static inline BITS bits_of(NUMBER x)
{
    BITS bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline NUMBER number_of(BITS bits)
{
    NUMBER x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#ifdef BFLOAT16
typedef uint16_t LOWER;

static inline NUMBER widened(LOWER x)
{
    return number_of((BITS)x << 16);
}

/* To the nearest, and to the even one of two that are as near. */
static inline LOWER rounded(NUMBER x)
{
    const BITS bits = bits_of(x);
    return x == x ? (bits + 0x7fff + (bits >> 16 & 1)) >> 16 : 0x7fc0;
}
#else
typedef NUMBER LOWER;

static inline NUMBER widened(LOWER x)
{
    return x;
}

static inline LOWER rounded(NUMBER x)
{
    return x;
}
#endif

/* e^x; zero below LEAST, infinite above MOST. It is 2^n times the series of e^y, where
   x = n ln 2 + y, wrong by one or two of the last digit. GCC makes instructions for many numbers at
   a time of it, and of the C library's exp with -ffast-math alone. */
static inline NUMBER exponential(NUMBER x)
{
    static const NUMBER series[] = {
        1, 1, 1. / 2, 1. / 6, 1. / 24, 1. / 120, 1. / 720, 1. / 5040, 1. / 40320, 1. / 362880,
        1. / 3628800, 1. / 39916800, 1. / 479001600, 1. / 6227020800};
    /* So large that nothing behind the point is left, and n stands in the last bits. */
    const NUMBER large = (NUMBER)1.5 * ((BITS)1 << FRACTION);
    const NUMBER shifted = x * (NUMBER)0x1.71547652b82fep+0 + large, n = shifted - large;
    const NUMBER y = x - n * UPPER - n * REST;
    NUMBER sum = series[TERMS - 1];
#pragma GCC unroll 16
    for (int k = TERMS - 2; k >= 0; k--)
        sum = sum * y + series[k];
    const NUMBER power = number_of((bits_of(shifted) + BIAS) << FRACTION);
    return x < LEAST ? 0 : x > MOST ? INFINITY : sum * power;
}
