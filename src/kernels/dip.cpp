// Hartigan's dip: how far a distribution function is from the nearest one with a single mode.
#include "arrays.h"

namespace {

double gap_of(i64 a, i64 b) { return static_cast<double>(b - a); }

// Corners of the convex minorant, or the concave majorant, of the points (x[i], i).
struct Hull {
    const double *x;
    bool upper;
    std::vector<i64> corners;
    i64 n = 0;

    Hull(const double *x, i64 size, bool upper) : x(x), upper(upper), corners(size) {}

    // Find those from low to high.
    void fit(i64 low, i64 high) {
        const double sign = upper ? -1.0 : 1.0;
        n = 0;
        for (i64 i = low; i <= high; i++) {
            for (; n > 1; n--) {
                const i64 a = corners[n - 2], b = corners[n - 1];
                // b is not below the line from a to i, or not above it.
                if (sign * (gap_of(a, b) * (x[i] - x[b]) - gap_of(b, i) * (x[b] - x[a])) < 0.0) break;
            }
            corners[n++] = i;
        }
    }

    // Greatest height of the steps at the points above a minorant's segments, or of a majorant above the points.
    double excess(i64 first, i64 last) const {
        double found = 1.0;
        for (i64 c = first; c < last; c++) {
            const i64 a = corners[c], b = corners[c + 1];
            if (b - a < 2 || x[b] == x[a]) continue;
            const double slope = gap_of(a, b) / (x[b] - x[a]);
            for (i64 i = a; i <= b; i++) {
                const double over = gap_of(a, i) - slope * (x[i] - x[a]);
                found = std::max(found, 1.0 + (upper ? -over : over));
            }
        }
        return found;
    }

    // Segment, from `segment` on, in which the point i lies.
    i64 segment_of(i64 i, i64 segment) const {
        while (segment < n - 2 && corners[segment + 1] < i) segment++;
        return segment;
    }
};

// Greatest distance of majorant and minorant, at a corner of either, and the corners between which it is: the minorant's at
// the left, the majorant's at the right. Both begin and end at the same points.
struct Gap {
    double widest = 0.0;
    i64 left = 0, right = 0;

    Gap(const double *x, const Hull &minorant, const Hull &majorant) {
        // Corners of the minorant under segments of the majorant.
        i64 segment = 0;
        for (i64 c = 0; c < minorant.n; c++) {
            const i64 i = minorant.corners[c];
            segment = majorant.segment_of(i, segment);
            const i64 a = majorant.corners[segment], b = majorant.corners[segment + 1];
            if (!(a < i && i < b && x[b] > x[a])) continue;
            const double gap = static_cast<double>(a) + gap_of(a, b) * (x[i] - x[a]) / (x[b] - x[a]) - static_cast<double>(i) + 1.0;
            if (gap >= widest) *this = {gap, c, segment + 1};
        }
        segment = 0;
        for (i64 c = 0; c < majorant.n; c++) {
            const i64 i = majorant.corners[c];
            segment = minorant.segment_of(i, segment);
            const i64 a = minorant.corners[segment], b = minorant.corners[segment + 1];
            if (!(a < i && i < b && x[b] > x[a])) continue;
            const double gap = static_cast<double>(i) + 1.0 - static_cast<double>(a) - gap_of(a, b) * (x[i] - x[a]) / (x[b] - x[a]);
            if (gap >= widest) *this = {gap, segment, c};
        }
    }

private:
    Gap(double widest, i64 left, i64 right) : widest(widest), left(left), right(right) {}
};

// Dip of ascending values, in steps of the distribution function, and both ends of the interval of the mode.
//
// The interval shrinks: outside it the unimodal law follows the convex minorant at the left and the concave majorant at the
// right, half the dip away from them (Hartigan & Hartigan 1985).
struct Mode {
    double dip = 1.0;
    i64 low = 0, high;

    Mode(const double *x, i64 n, Hull &minorant, Hull &majorant) : high(n - 1) {
        while (x[low] < x[high]) {
            minorant.fit(low, high);
            majorant.fit(low, high);
            if (minorant.n == 2 && majorant.n == 2) return;
            const Gap gap(x, minorant, majorant);
            if (gap.widest <= dip) return;
            dip = std::max(dip, minorant.excess(0, gap.left));
            dip = std::max(dip, majorant.excess(gap.right, majorant.n - 1));
            const i64 left = minorant.corners[gap.left], right = majorant.corners[gap.right];
            if ((left == low && right == high) || left >= right) return;
            low = left;
            high = right;
        }
    }
};

double dip_of(const double *x, i64 n) {
    Hull minorant(x, n, false), majorant(x, n, true);
    return 0.5 * Mode(x, n, minorant, majorant).dip / static_cast<double>(n);
}

// Dip of ascending values: the largest difference from the distribution function of the nearest unimodal law.
double dip_of_sorted(Vector<const double> x) {
    require(length(x) > 0, "no values have no dip");
    const Unlocked unlocked;
    return dip_of(x.data(), length(x));
}

// Positions of ascending values between which a law with one mode, close to theirs, is uniform; their number.
i64 unimodal_corners(Vector<const double> x, Vector<i64> corners) {
    const i64 n = length(x);
    require(n > 0 && length(corners) >= n, "no room for a corner of each value");
    const Unlocked unlocked;
    Hull minorant(x.data(), n, false), majorant(x.data(), n, true);
    const Mode mode(x.data(), n, minorant, majorant);
    minorant.fit(0, mode.low);
    majorant.fit(mode.high, n - 1);
    const i64 first = mode.high == mode.low ? 1 : 0;
    i64 *end = std::copy_n(minorant.corners.begin(), minorant.n, corners.data());
    end = std::copy(majorant.corners.begin() + first, majorant.corners.begin() + majorant.n, end);
    return end - corners.data();
}

// Dips of rows of uniform values, which are sorted in place.
void dips_of_uniform(Matrix<double> draws, Vector<double> found) {
    const i64 n = length(draws), width = length(draws, 1);
    require(length(found) == n && width > 0, "not one dip for each row");
    const Unlocked unlocked;
    for (i64 i = 0; i < n; i++) {
        double *row = draws.data() + i * width;
        std::sort(row, row + width);
        found.data()[i] = dip_of(row, width);
    }
}

}  // namespace

void bind_dip(nb::module_ &m) {
    m.doc() = "Hartigan's dip.";
    define(m, "dip_of_sorted", dip_of_sorted, "x");
    define(m, "unimodal_corners", unimodal_corners, "x", "corners");
    define(m, "dips_of_uniform", dips_of_uniform, "draws", "found");
}
