// The range of labels, and how often codes occur.
#pragma once
#include "arrays.h"

// Up to this many codes, four interleaved lanes stay in the first-level cache.
constexpr i64 FEW_CODES = 1024;

// Count the occurrences of codes 0..k-1 into zeros.
template <class Code> void count_into(Codes<Code> code, i64 n, i64 *counts) {
    const i64 k = code.k;
    i64 i = 0;
    if (k <= FEW_CODES) {
        std::vector<i64> lanes(4 * k);
        for (; i + 4 <= n; i += 4)
            for (int lane = 0; lane < 4; lane++) lanes[lane * k + code[i + lane]]++;
        for (i64 c = 0; c < k; c++) counts[c] = (lanes[c] + lanes[k + c]) + (lanes[2 * k + c] + lanes[3 * k + c]);
    }
    for (; i < n; i++) counts[code[i]]++;
}

template <class T> struct Range {
    T low, high;

    // Number of labels that it spans, at most `most`: signed differences of labels may overflow.
    i64 span(i64 most) const {
        const u64 steps = static_cast<u64>(high) - static_cast<u64>(low);
        return steps >= static_cast<u64>(most) ? most : static_cast<i64>(steps) + 1;
    }
};

template <class T> Range<T> range_of(const T *labels, i64 n) {
    Range<T> found{labels[0], labels[0]};
    for (i64 i = 1; i < n; i++) {
        found.low = labels[i] < found.low ? labels[i] : found.low;
        found.high = labels[i] > found.high ? labels[i] : found.high;
    }
    return found;
}

// Fill in how far each label is above the lowest, and how often each of these codes occurs; return the number of codes,
// or 0 if there are more codes than labels or one does not occur.
template <class T> i64 code_and_count_of(const T *labels, i64 n, i64 *codes, i64 *counts) {
    const Range<T> range = range_of(labels, n);
    const i64 k = range.span(n + 1);
    if (k > n) return 0;
    for (i64 i = 0; i < n; i++) codes[i] = static_cast<i64>(static_cast<u64>(labels[i]) - static_cast<u64>(range.low));
    std::fill_n(counts, k, 0);
    count_into(Codes<i64>{codes, k}, n, counts);
    return std::all_of(counts, counts + k, [](i64 count) { return count > 0; }) ? k : 0;
}
