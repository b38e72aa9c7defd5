// All distances once, for several partitions of the same points.
//
// Points are sorted by atom, a set of points that no partition parts, and stored dimension by dimension, with dimensions of
// zeros to make them a multiple of four: (p, n). codes[b, i] is the cluster of point i in partition b; atom a holds the
// points starts[a] to starts[a + 1], the latter not included.
#include "arrays.h"

namespace {

// Columns at a time.
constexpr i64 WIDTH = 512;
// Partitions whose marks a mask has room for.
constexpr i64 MOST_MASKED = 64;

struct Sorted {
    const double *points;
    i64 p, n;
    const i64 *starts;
    const i32 *codes;
    i64 n_partitions;

    Sorted(const Matrix<const double> &points, i64 first, i64 last, const Vector<const i64> &starts, const Matrix<const i32> &codes)
        : points(points.data()), p(length(points)), n(length(points, 1)), starts(starts.data()), codes(codes.data()), n_partitions(length(codes)) {
        require(p > 0 && p % 4 == 0 && length(codes, 1) == n, "dimensions in fours, and a code for each point, are wanted");
        require(0 <= first && last <= n, "fewer points than are wanted");
        const i64 *end = starts.data() + length(starts);
        require(starts.data() < end && starts.data()[0] == 0 && end[-1] == n && std::is_sorted(starts.data(), end),
                "the atoms do not hold all points");
    }
    bool are_joined(i64 b, i64 i, i64 j) const { return codes[b * n + i] == codes[b * n + j]; }
    // A mask in which bit b is set if partition b joins the points i and j.
    i64 mask(i64 i, i64 j) const {
        u64 found = 0;
        for (i64 b = 0; b < n_partitions; b++) found |= u64{are_joined(b, i, j)} << b;
        return static_cast<i64>(found);
    }
    // Squared distances of point i to a run of points; nothing is fused, so that equal distances stay equal.
    void fill(i64 i, i64 start, i64 stop, double *__restrict out) const {
        const i64 width = stop - start;
        for (i64 h = 0; h < p; h += 4) {
            const double *__restrict a = points + h * n, *__restrict b = a + n, *__restrict c = b + n, *__restrict d = c + n;
            const double u = a[i], v = b[i], w = c[i], z = d[i];
            a += start, b += start, c += start, d += start;
            if (h == 0)
                for (i64 j = 0; j < width; j++)
                    out[j] = (u - a[j]) * (u - a[j]) + (v - b[j]) * (v - b[j]) + (w - c[j]) * (w - c[j]) + (z - d[j]) * (z - d[j]);
            else
                for (i64 j = 0; j < width; j++)
                    out[j] = out[j] + (u - a[j]) * (u - a[j]) + (v - b[j]) * (v - b[j]) + (w - c[j]) * (w - c[j]) + (z - d[j]) * (z - d[j]);
        }
    }
};

// Distances of the points `first` to `last` to all before them, and masks of the partitions that join the pairs.
//
// They begin at position first (first - 1) / 2.
void list_distances(Matrix<const double> points, i64 first, i64 last, Vector<const i64> starts, Matrix<const i32> codes,
                    Vector<double> distances, Vector<i64> found) {
    const Sorted sorted(points, first, last, starts, codes);
    require(sorted.n_partitions <= MOST_MASKED, "more partitions than a mask has bits");
    require(length(distances) >= last * (last - 1) / 2 && length(found) >= length(distances), "fewer places than pairs");
    const Unlocked unlocked;
    double buffer[WIDTH];
    double *distance = distances.data() + first * (first - 1) / 2;
    i64 *mask = found.data() + first * (first - 1) / 2;
    for (i64 i = first; i < last; i++) {
        i64 a = 0;
        for (i64 offset = 0; offset < i; offset += WIDTH) {
            const i64 stop = std::min(offset + WIDTH, i);
            sorted.fill(i, offset, stop, buffer);
            for (i64 j = 0; j < stop - offset; j++) distance[j] = std::sqrt(buffer[j]);
            for (i64 j = offset; j < stop;) {
                while (sorted.starts[a + 1] <= j) a++;
                const i64 end = std::min(sorted.starts[a + 1], stop);
                std::fill(mask + (j - offset), mask + (end - offset), sorted.mask(i, j));
                j = end;
            }
            distance += stop - offset;
            mask += stop - offset;
        }
    }
}

// Walk over sorted distances; bit b of a mask is set where partition b joins the pair.
//
// Adds to `larger` and `ties`, for each partition, the comparisons in which the within-cluster distance is larger than the
// between-cluster distance, and in which both are equal. Returns the pairs of equal distances.
i64 compare_in_order(Vector<const double> distances, Vector<const i64> masks, Vector<i64> larger, Vector<i64> ties) {
    const i64 n = length(distances), n_partitions = length(larger);
    require(length(masks) == n && length(ties) == n_partitions && n_partitions <= MOST_MASKED, "not one mask for each distance");
    const Unlocked unlocked;
    const double *d = distances.data();
    std::vector<i64> below(n_partitions, 0), within(n_partitions);
    i64 tied = 0;
    i64 *__restrict lower = below.data(), *__restrict above = larger.data(), *__restrict joined = within.data();
    for (i64 t = 0; t < n;) {
        if (t + 1 == n || d[t + 1] != d[t]) {
            const u64 mask = static_cast<u64>(masks.data()[t++]);
            for (i64 b = 0; b < n_partitions; b++) {
                const i64 bit = static_cast<i64>((mask >> b) & 1);
                above[b] += -bit & lower[b];
                lower[b] += 1 - bit;
            }
            continue;
        }
        const i64 first = t;
        std::fill(within.begin(), within.end(), 0);
        for (; t < n && d[t] == d[first]; t++) {
            const u64 mask = static_cast<u64>(masks.data()[t]);
            for (i64 b = 0; b < n_partitions; b++) joined[b] += static_cast<i64>((mask >> b) & 1);
        }
        const i64 count = t - first;
        tied += count * (count - 1) / 2;
        for (i64 b = 0; b < n_partitions; b++) {
            const i64 between = count - joined[b];
            above[b] += joined[b] * lower[b];
            ties.data()[b] += joined[b] * between;
            lower[b] += between;
        }
    }
    return tied;
}

// Take roots, and find the bin of each distance: the last one for all that lie beyond.
void find_bins(double *__restrict buffer, i64 width, double scale, i64 n_bins, i32 *__restrict bins) {
    const double last = static_cast<double>(n_bins - 1);
    for (i64 j = 0; j < width; j++) {
        const double d = std::sqrt(buffer[j]), bin = d * scale;
        buffer[j] = d;
        bins[j] = static_cast<i32>(bin < last ? bin : last);
    }
}

// Count the distances of the points `first` to `last` to all before them in bins.
//
// counts[0] is of all distances, counts[1 + b] of those within the clusters of partition b; `sums` are of all.
void count_distances(Matrix<const double> points, i64 first, i64 last, Vector<const i64> starts, Matrix<const i32> codes, double scale,
                     Matrix<u32> counts, Vector<double> sums) {
    const Sorted sorted(points, first, last, starts, codes);
    const i64 n_bins = length(sums);
    require(length(counts) == 1 + sorted.n_partitions && length(counts, 1) == n_bins && 0 < n_bins && n_bins < (i64{1} << 31),
            "not one line of bins for each partition");
    const Unlocked unlocked;
    double buffer[WIDTH];
    i32 bins[WIDTH];
    i64 begun = 0;
    for (i64 offset = 0; offset < last - 1; offset += WIDTH) {
        while (sorted.starts[begun + 1] <= offset) begun++;
        for (i64 i = std::max(first, offset + 1); i < last; i++) {
            const i64 stop = std::min(offset + WIDTH, i), width = stop - offset;
            sorted.fill(i, offset, stop, buffer);
            find_bins(buffer, width, scale, n_bins, bins);
            u32 *__restrict all = counts.data();
            for (i64 j = 0; j < width; j++) all[bins[j]]++;
            double *__restrict sum = sums.data();
            for (i64 j = 0; j < width; j++) sum[bins[j]] += buffer[j];
            for (i64 a = begun, j = offset; j < stop; a++) {
                const i64 end = std::min(sorted.starts[a + 1], stop);
                for (i64 b = 0; b < sorted.n_partitions && j < end; b++) {
                    if (!sorted.are_joined(b, i, j)) continue;
                    u32 *__restrict own = counts.data() + (1 + b) * n_bins;
                    for (i64 c = j - offset; c < end - offset; c++) own[bins[c]]++;
                }
                j = end;
            }
        }
    }
}

}  // namespace

void bind_label_sweep(nb::module_ &m) {
    m.doc() = "All distances once, for several partitions of the same points.";
    define(m, "list_distances", list_distances, "points", "first", "last", "starts", "codes", "distances", "found");
    define(m, "compare_in_order", compare_in_order, "distances", "masks", "larger", "ties");
    define(m, "count_distances", count_distances, "points", "first", "last", "starts", "codes", "scale", "counts", "sums");
}
