// The largest overlap of each cluster with another: the sum of their radii over the distance between their centroids.
#include "cluster_rows.h"
#include "pair_tiles.h"

namespace {

// How far rounding may move a ratio beyond its bound.
constexpr double ROUNDING = 1e-9;

// The largest (r_k + r_l) / d(k, l) of each cluster, given (K, p) centroids; 0/0 is left out.
NewVector<double> overlaps_of_few(Matrix<const double> rows, Vector<const double> radii) {
    const i64 n = length(rows), p = length(rows, 1);
    require(length(radii) == n, "centroids without a radius");
    std::vector<double> best(n, 0.0);
    {
        const Unlocked unlocked;
        largest_overlaps(rows.data(), radii.data(), n, p, best.data());
    }
    return as_array(std::move(best));
}

// Squared distances of a row from boxes, whose corners are (p, boxes).
void gaps_of_row(const double *row, i64 p, const double *low, const double *high, double *__restrict gaps, i64 n) {
    std::fill_n(gaps, n, 0.0);
    for (i64 d = 0; d < p; d++) {
        const double x = row[d];
        const double *__restrict lows = low + d * n, *__restrict highs = high + d * n;
        for (i64 b = 0; b < n; b++) {
            const double below = lows[b] - x, above = x - highs[b];
            double outside = below > above ? below : above;
            outside = outside > 0.0 ? outside : 0.0;
            gaps[b] += outside * outside;
        }
    }
}

// Squared distances from a row to the columns of a tile, four dimensions at a time; they only serve as bounds.
void squares_of_row(const double *row, i64 p, const double *tile, i64 stride, double *__restrict line, i64 n) {
    std::fill_n(line, n, 0.0);
    i64 d = 0;
    for (; d + 3 < p; d += 4) {
        const double *__restrict x = tile + d * stride, *__restrict y = x + stride, *__restrict z = y + stride, *__restrict w = z + stride;
        const double a = row[d], b = row[d + 1], c = row[d + 2], e = row[d + 3];
        for (i64 j = 0; j < n; j++) {
            const double u = x[j] - a, v = y[j] - b, s = z[j] - c, t = w[j] - e;
            line[j] = fused_square(t, fused_square(s, fused_square(v, fused_square(u, line[j]))));
        }
    }
    for (; d < p; d++) {
        const double *__restrict x = tile + d * stride;
        for (i64 j = 0; j < n; j++) line[j] = fused_square(x[j] - row[d], line[j]);
    }
}

// Centroids in blocks of `size`, with their radii.
struct Centroids {
    const double *rows;
    i64 p;
    const double *radii;
    double *best;

    // Raise the largest overlap of a centroid to those with a block that begins at `offset`, excluding itself.
    void take_larger(i64 k, i64 offset, const double *line, i64 n) const {
        const double radius = radii[k], *others = radii + offset, squared = best[k] * best[k] * (1.0 - ROUNDING);
        i64 found = 0;
        for (i64 j = 0; j < n; j++) {
            const double together = radius + others[j];
            found += together * together > squared * line[j];
        }
        if (found == 0) return;
        for (i64 j = 0; j < n; j++) {
            const double together = radius + others[j];
            if (together * together > best[k] * best[k] * (1.0 - ROUNDING) * line[j] && offset + j != k)
                best[k] = std::max(best[k], overlap(rows + k * p, rows + (offset + j) * p, p, together));
        }
    }
};

// Find the largest overlap of each cluster of some blocks of centroids.
//
// rows, tiles, widths : see `CompactBlocks`
// low, high : (p, blocks), corners of the boxes
// radii : (rows,), mean distance to the centroid
// widest : (blocks,), largest radius in each
// first, last : the range of blocks
// best : (rows,), raised to the largest (r_k + r_l) / d(k, l); 0/0 is left out
void overlaps_of_blocks(Matrix<const double> rows, Cube<const double> tiles, Vector<const i64> widths, Matrix<const double> low,
                        Matrix<const double> high, Vector<const double> radii, Vector<const double> widest, i64 first, i64 last,
                        Vector<double> best) {
    const i64 n = length(tiles), p = length(rows, 1), size = length(tiles, 2), dimensions = length(low);
    const i64 *width = widths.data();
    require(p > 0 && length(tiles, 1) == p && length(rows) == n * size && dimensions <= p, "tiles of other centroids");
    require(length(low, 1) == n && length(high) == dimensions && length(high, 1) == n, "boxes of other blocks");
    require(length(radii) == n * size && length(best) == n * size, "centroids without a radius");
    require(length(widths) == n && length(widest) == n && 0 <= first && last <= n, "fewer blocks than are wanted");
    require_below(widths, size + 1, "blocks wider than their room");
    const Unlocked unlocked;
    const Centroids centroids{rows.data(), p, radii.data(), best.data()};
    std::vector<double> gaps(n);
    Room line(size);
    for (i64 own = first; own < last; own++)
        for (i64 k = own * size; k < own * size + width[own]; k++) {
            const double *row = rows.data() + k * p;
            gaps_of_row(row, dimensions, low.data(), high.data(), gaps.data(), n);
            for (i64 step = -1; step < n; step++) {
                const i64 b = step < 0 ? own : step;
                const double reach = (radii.data()[k] + widest.data()[b]) * (1.0 + ROUNDING);
                if (step == own || reach * reach <= best.data()[k] * best.data()[k] * gaps[b]) continue;
                squares_of_row(row, p, tiles.data() + b * p * size, size, line.data(), width[b]);
                centroids.take_larger(k, b * size, line.data(), width[b]);
            }
        }
}

}  // namespace

void bind_overlaps(nb::module_ &m) {
    m.doc() = "The largest overlap of each cluster with another.";
    define(m, "overlaps_of_few", overlaps_of_few, "rows", "radii");
    define(m, "overlaps_of_blocks", overlaps_of_blocks, "rows", "tiles", "widths", "low", "high", "radii", "widest", "first", "last",
           "best");
}
