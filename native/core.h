/* Declarations that the files of the compiled core share. */
#ifndef CRFCLEAN_CORE_H
#define CRFCLEAN_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

/* The place of the lowest bit of a number that is not 0. */
static inline int lowest_bit(uint64_t bits)
{
#if defined(__GNUC__)
    return __builtin_ctzll(bits);
#else
    int place = 0;
    for (; !(bits & 1); bits >>= 1)
        place++;
    return place;
#endif
}

/* Return whether all numbers are at least `low` and below `end`. */
static inline int are_inside(const int32_t *numbers, Py_ssize_t count, Py_ssize_t low, Py_ssize_t end)
{
    for (Py_ssize_t i = 0; i < count; i++)
        if (numbers[i] < low || numbers[i] >= end)
            return 0;
    return 1;
}

static inline int are_below(const int64_t *numbers, Py_ssize_t count, Py_ssize_t end)
{
    for (Py_ssize_t i = 0; i < count; i++)
        if (numbers[i] < 0 || numbers[i] >= end)
            return 0;
    return 1;
}

/* A hash table that numbers pairs in order of occurrence: open addressing, at most half full. A slot of an earlier
 * round than the present one is free. */
typedef struct {
    int64_t first, second, number, round;
} Pair;

typedef struct {
    Pair *slots;
    size_t room;
    int64_t next, round;
} Pairs;

/* Allocate room for so many pairs; -1 without memory. */
static inline int open_pairs(Pairs *pairs, Py_ssize_t count)
{
    for (pairs->room = 16; pairs->room < 2 * (size_t)count;)
        pairs->room *= 2;
    pairs->slots = PyMem_RawCalloc(pairs->room, sizeof(Pair));
    pairs->next = 0;
    pairs->round = 1;
    return pairs->slots == NULL ? -1 : 0;
}

static inline void close_pairs(Pairs *pairs) { PyMem_RawFree(pairs->slots); }

static inline void forget_pairs(Pairs *pairs)
{
    pairs->round++;
    pairs->next = 0;
}

/* Find the slot of a pair, or a free slot for it. */
static inline Pair *slot_of(const Pairs *pairs, int64_t first, int64_t second)
{
    uint64_t hash = (uint64_t)first * 0x9E3779B97F4A7C15u ^ ((uint64_t)second + 0x7F4A7C15u) * 0xC2B2AE3D27D4EB4Fu;
    size_t at = (size_t)(hash ^ hash >> 29) & (pairs->room - 1);
    Pair *slot = pairs->slots + at;
    while (slot->round == pairs->round && (slot->first != first || slot->second != second)) {
        at = (at + 1) & (pairs->room - 1);
        slot = pairs->slots + at;
    }
    return slot;
}

static inline int has_pair(const Pairs *pairs, int64_t first, int64_t second)
{
    return slot_of(pairs, first, second)->round == pairs->round;
}

static inline int64_t number_of_pair(Pairs *pairs, int64_t first, int64_t second)
{
    Pair *slot = slot_of(pairs, first, second);
    if (slot->round != pairs->round)
        *slot = (Pair){first, second, pairs->next++, pairs->round};
    return slot->number;
}

/* Add numbers in the order of numpy's `add.reduce`, so that the sum is equal to the last bit. */
static inline double pairwise_sum(const double *items, Py_ssize_t n)
{
    if (n < 8) {
        double sum = -0.0;
        for (Py_ssize_t i = 0; i < n; i++)
            sum += items[i];
        return sum;
    }
    if (n > 128) {
        Py_ssize_t half = n / 2;
        half -= half % 8;
        return pairwise_sum(items, half) + pairwise_sum(items + half, n - half);
    }
    double part[8];
    memcpy(part, items, sizeof part);
    Py_ssize_t i = 8;
    for (; i < n - n % 8; i += 8)
        for (int k = 0; k < 8; k++)
            part[k] += items[i + k];
    double sum = ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
    for (; i < n; i++)
        sum += items[i];
    return sum;
}

#endif
