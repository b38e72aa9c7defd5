// One sweep over all distances for several partitions of the same points.
//
// Points are sorted by atom, a set of points that no partition splits, and stored dimension by dimension, padded with
// dimensions of zeros to a multiple of four.
#include "arrays.h"

namespace {

// Columns processed at a time.
constexpr i64 WIDTH = 512;

// Points, (p, n), and the cluster of each in several partitions, (partitions, n); atom a is starts[a] to starts[a + 1].
struct Labelled {
    const double *points;
    i64 p, n;
    const i64 *starts;
    const i32 *codes;
    i64 n_partitions;

    Labelled(const Matrix<const double> &points, const Vector<const i64> &starts, const Matrix<const i32> &codes)
        : points(points.data()), p(length(points)), n(length(points, 1)), starts(starts.data()), codes(codes.data()),
          n_partitions(length(codes)) {
        require(p % 4 == 0 && length(codes, 1) == n, "not one cluster of each partition for each point");
        require_runs(starts, n, "atoms of other points");
        require(length(starts) > 1 && starts.data()[0] == 0 && starts.data()[length(starts) - 1] == n, "atoms of other points");
    }

    // Squared distances from point i to a run of points; nothing is fused, so that equal distances stay equal.
    void fill(i64 i, i64 start, i64 stop, double *__restrict out) const {
        std::fill_n(out, stop - start, 0.0);
        for (i64 h = 0; h < p; h += 4) {
            const double *at = points + h * n;
            const double u = at[i], v = at[n + i], w = at[2 * n + i], z = at[3 * n + i];
            const double *__restrict a = at + start, *__restrict b = a + n, *__restrict c = b + n, *__restrict d = c + n;
            for (i64 j = 0; j < stop - start; j++)
                out[j] = out[j] + (u - a[j]) * (u - a[j]) + (v - b[j]) * (v - b[j]) + (w - c[j]) * (w - c[j]) + (z - d[j]) * (z - d[j]);
        }
    }

    bool joins(i64 partition, i64 i, i64 j) const { return codes[partition * n + i] == codes[partition * n + j]; }

    // A mask in which bit b is set if partition b joins the points i and j.
    i64 joined(i64 i, i64 j) const {
        i64 mask = 0;
        for (i64 b = 0; b < n_partitions; b++) mask |= static_cast<i64>(joins(b, i, j)) << b;
        return mask;
    }
};

// List the distances from the points first..last to all earlier ones, and masks of the partitions that join the pairs.
//
// They begin at position first (first - 1) / 2.
void list_distances(Matrix<const double> points, i64 first, i64 last, Vector<const i64> starts, Matrix<const i32> codes,
                    Vector<double> distances, Vector<i64> found) {
    const Labelled labelled(points, starts, codes);
    require(0 <= first && first <= last && last <= labelled.n && labelled.n_partitions < 64, "points or partitions that there are not");
    require(length(distances) >= last * (last - 1) / 2 && length(found) == length(distances), "fewer distances than pairs");
    const Unlocked unlocked;
    double *distance = distances.data() + first * (first - 1) / 2;
    i64 *mask_at = found.data() + first * (first - 1) / 2;
    double room[WIDTH];
    for (i64 i = first; i < last; i++) {
        i64 a = 0;
        for (i64 offset = 0; offset < i; offset += WIDTH) {
            const i64 stop = std::min(offset + WIDTH, i);
            labelled.fill(i, offset, stop, room);
            for (i64 j = 0; j < stop - offset; j++) distance[j] = std::sqrt(room[j]);
            distance += stop - offset;
            for (i64 j = offset; j < stop;) {
                while (labelled.starts[a + 1] <= j) a++;
                const i64 end = std::min(labelled.starts[a + 1], stop);
                mask_at = std::fill_n(mask_at, end - j, labelled.joined(i, j));
                j = end;
            }
        }
    }
}

// Compare sorted distances; bit b of a mask is set where partition b joins the pair.
//
// Adds to `larger` and `ties`, for each partition, the comparisons in which the within-cluster distance is larger than
// the between-cluster distance, and those in which both are equal. Returns the number of pairs of equal distances.
i64 compare_in_order(Vector<const double> distances, Vector<const i64> masks, Vector<i64> larger, Vector<i64> ties) {
    const i64 n = length(distances), k = length(larger);
    require(length(masks) == n && length(ties) == k && k < 64, "not one mask for each distance");
    const Unlocked unlocked;
    const double *distance = distances.data();
    const i64 *mask = masks.data();
    std::vector<i64> below(k), within(k);
    i64 tied = 0;
    for (i64 first = 0, t = 0; t < n; first = t) {
        std::fill(within.begin(), within.end(), 0);
        do {
            for (i64 b = 0; b < k; b++) within[b] += (mask[t] >> b) & 1;
            t++;
        } while (t < n && distance[t] == distance[first]);
        const i64 count = t - first;
        tied += count * (count - 1) / 2;
        for (i64 b = 0; b < k; b++) {
            const i64 between = count - within[b];
            larger.data()[b] += within[b] * below[b];
            ties.data()[b] += within[b] * between;
            below[b] += between;
        }
    }
    return tied;
}

// Count the distances from the points first..last to all earlier ones in bins.
//
// counts[0] counts all distances, counts[1 + b] those within the clusters of partition b; `sums` are over all.
void count_distances(Matrix<const double> points, i64 first, i64 last, Vector<const i64> starts, Matrix<const i32> codes, double scale,
                     Matrix<u32> counts, Vector<double> sums) {
    const Labelled labelled(points, starts, codes);
    const i64 n_bins = length(sums);
    require(0 <= first && last <= labelled.n && n_bins > 0 && scale >= 0.0, "points or bins that there are not");
    require(length(counts) == 1 + labelled.n_partitions && length(counts, 1) == n_bins, "not one line for each partition");
    const Unlocked unlocked;
    const double top = static_cast<double>(n_bins - 1);
    double room[WIDTH];
    u32 bins[WIDTH];
    i64 begun = 0;
    for (i64 offset = 0; offset < last - 1; offset += WIDTH) {
        while (labelled.starts[begun + 1] <= offset) begun++;
        for (i64 i = std::max(first, offset + 1); i < last; i++) {
            const i64 stop = std::min(offset + WIDTH, i), width = stop - offset;
            labelled.fill(i, offset, stop, room);
            for (i64 j = 0; j < width; j++) {
                room[j] = std::sqrt(room[j]);
                bins[j] = static_cast<u32>(static_cast<i32>(std::min(top, room[j] * scale)));
            }
            for (i64 j = 0; j < width; j++) counts.data()[bins[j]]++;
            for (i64 j = 0; j < width; j++) sums.data()[bins[j]] += room[j];
            for (i64 a = begun, j = offset; j < stop; a++) {
                const i64 end = std::min(labelled.starts[a + 1], stop);
                for (i64 b = 0; b < labelled.n_partitions; b++) {
                    u32 *own = counts.data() + (1 + b) * n_bins;
                    if (labelled.joins(b, i, j))
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
