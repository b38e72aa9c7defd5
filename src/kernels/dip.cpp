// Hartigan's dip: the distance of a distribution function from the nearest one with a single mode.
#include "arrays.h"

namespace {

// Find the corners of the convex minorant (or concave majorant) of the points (x[i], i), low to high; count them.
i64 hull(const double *x, i64 low, i64 high, bool upper, i64 *corners) {
    const double sign = upper ? -1.0 : 1.0;
    i64 n = 0;
    for (i64 i = low; i <= high; i++) {
        while (n > 1) {
            const i64 a = corners[n - 2], b = corners[n - 1];
            const double slopes = static_cast<double>(b - a) * (x[i] - x[b]) - static_cast<double>(i - b) * (x[b] - x[a]);
            // Keep b if it is below the line from a to i (above it for the majorant).
            if (sign * slopes < 0.0) break;
            n--;
        }
        corners[n++] = i;
    }
    return n;
}

// Greatest height of the steps above a minorant's segments, or of a majorant's segments above the steps.
double excess(const double *x, const i64 *corners, i64 first, i64 last, bool upper) {
    double found = 1.0;
    for (i64 c = first; c < last; c++) {
        const i64 a = corners[c], b = corners[c + 1];
        if (b - a < 2 || x[b] == x[a]) continue;
        const double slope = static_cast<double>(b - a) / (x[b] - x[a]);
        for (i64 i = a; i <= b; i++) {
            const double over = static_cast<double>(i - a) - slope * (x[i] - x[a]);
            found = std::max(found, 1.0 + (upper ? -over : over));
        }
    }
    return found;
}

// Corners of a minorant, or of a majorant.
struct Hull {
    const i64 *corners;
    i64 n;

    // The segment that ends at or beyond the point i, searching from the last one found.
    i64 segment_of(i64 i, i64 segment) const {
        while (segment < n - 2 && corners[segment + 1] < i) segment++;
        return segment;
    }
    bool spans(const double *x, i64 segment, i64 i) const {
        const i64 a = corners[segment], b = corners[segment + 1];
        return a < i && i < b && x[b] > x[a];
    }
    // How far the segment has risen at the point i.
    double rise(const double *x, i64 segment, i64 i) const {
        const i64 a = corners[segment], b = corners[segment + 1];
        return static_cast<double>(b - a) * (x[i] - x[a]) / (x[b] - x[a]);
    }
};

struct Gap {
    double width = 0.0;
    i64 left = 0, right = 0;  // positions of the minorant's corner on the left, and of the majorant's on the right
};

// Greatest distance between majorant and minorant, at a corner of either. Both begin and end at the same points.
Gap widest_gap(const double *x, const Hull &minorant, const Hull &majorant) {
    Gap widest;
    // Corners of the minorant under segments of the majorant.
    i64 segment = 0;
    for (i64 c = 0; c < minorant.n; c++) {
        const i64 i = minorant.corners[c];
        segment = majorant.segment_of(i, segment);
        if (!majorant.spans(x, segment, i)) continue;
        const double gap = static_cast<double>(majorant.corners[segment]) + majorant.rise(x, segment, i) - static_cast<double>(i) + 1.0;
        if (gap >= widest.width) widest = {gap, c, segment + 1};
    }
    segment = 0;
    for (i64 c = 0; c < majorant.n; c++) {
        const i64 i = majorant.corners[c];
        segment = minorant.segment_of(i, segment);
        if (!minorant.spans(x, segment, i)) continue;
        const double gap = static_cast<double>(i + 1 - minorant.corners[segment]) - minorant.rise(x, segment, i);
        if (gap >= widest.width) widest = {gap, segment, c};
    }
    return widest;
}

struct Mode {
    double dip;  // in steps of the distribution function
    i64 low, high;
};

// Dip of n ascending values, and both ends of the modal interval; there is room for n corners of either kind.
//
// The interval shrinks: outside it, the unimodal law follows the convex minorant on the left and the concave majorant
// on the right, half the dip away from them (Hartigan & Hartigan 1985).
Mode modal_interval(const double *x, i64 n, i64 *minorant, i64 *majorant) {
    Mode found{1.0, 0, n - 1};
    while (x[found.low] < x[found.high]) {
        const i64 n_low = hull(x, found.low, found.high, false, minorant), n_high = hull(x, found.low, found.high, true, majorant);
        if (n_low == 2 && n_high == 2) break;
        const Gap gap = widest_gap(x, {minorant, n_low}, {majorant, n_high});
        if (gap.width <= found.dip) break;
        found.dip = std::max(found.dip, excess(x, minorant, 0, gap.left, false));
        found.dip = std::max(found.dip, excess(x, majorant, gap.right, n_high - 1, true));
        const i64 left = minorant[gap.left], right = majorant[gap.right];
        if ((left == found.low && right == found.high) || left >= right) break;
        found.low = left;
        found.high = right;
    }
    return found;
}

// Half the dip of n ascending values: the largest difference from the nearest unimodal distribution function.
double dip_of(const double *x, i64 n, std::vector<i64> &minorant, std::vector<i64> &majorant) {
    return 0.5 * modal_interval(x, n, minorant.data(), majorant.data()).dip / static_cast<double>(n);
}
double dip_of_sorted(Vector<const double> x) {
    const i64 n = length(x);
    require(n > 0, "no values");
    const Unlocked unlocked;
    std::vector<i64> minorant(n), majorant(n);
    return dip_of(x.data(), n, minorant, majorant);
}

// Dips of rows of ascending values.
NewVector<double> dips_of_sorted(Matrix<const double> rows) {
    const i64 n = length(rows, 1);
    require(n > 0, "no values");
    std::vector<double> found(length(rows));
    {
        const Unlocked unlocked;
        std::vector<i64> minorant(n), majorant(n);
        for (i64 i = 0; i < length(rows); i++) found[i] = dip_of(rows.data() + i * n, n, minorant, majorant);
    }
    return as_array(std::move(found));
}

// Positions of ascending values between which a unimodal law close to theirs is uniform.
NewVector<i64> unimodal_corners(Vector<const double> x) {
    const i64 n = length(x);
    require(n > 0, "no values");
    std::vector<i64> minorant(n), majorant(n);
    {
        const Unlocked unlocked;
        const Mode mode = modal_interval(x.data(), n, minorant.data(), majorant.data());
        minorant.resize(hull(x.data(), 0, mode.low, false, minorant.data()));
        majorant.resize(hull(x.data(), mode.high, n - 1, true, majorant.data()));
        minorant.insert(minorant.end(), majorant.begin() + (mode.high == mode.low), majorant.end());
    }
    return as_array(std::move(minorant));
}

}  // namespace

void bind_dip(nb::module_ &m) {
    m.doc() = "Hartigan's dip: how far a distribution function is from the nearest one with a single mode.";
    define(m, "dip_of_sorted", dip_of_sorted, "x");
    define(m, "dips_of_sorted", dips_of_sorted, "rows");
    define(m, "unimodal_corners", unimodal_corners, "x");
}
