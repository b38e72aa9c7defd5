// Distances other than Euclidean ones between four rows and a tile of columns.
#include "pair_tiles.h"

#include <bit>
#include <numbers>

namespace {

// Binary variables in a packed word.
constexpr i64 WORD = 64;
i64 words_of(i64 variables) { return variables / WORD + (variables % WORD != 0); }

// Accumulate over the variables, two at a time.
template <class Add> void over_tile(const Block &b, Add add) {
    for (int r = 0; r < ROWS; r++) {
        const double *row = b.rows + r * b.p;
        double *__restrict line = b.line(r);
        std::fill_n(line, b.width, 0.0);
        for (i64 d = 0; d < b.p; d += 2) {
            const double a = row[d], c = row[d + 1];
            const double *__restrict x = b.tile + d * b.tile_stride, *__restrict y = x + b.tile_stride;
            for (i64 j = 0; j < b.width; j++) line[j] = add(add(line[j], x[j], a), y[j], c);
        }
    }
}

// Count the binary variables that differ, packed into the first words.
void unequal_bits(const Block &b, i64 words) {
    for (int r = 0; r < ROWS; r++) {
        const double *row = b.rows + r * b.p;
        double *line = b.line(r);
        std::fill_n(line, b.width, 0.0);
        for (i64 d = 0; d < words; d++) {
            const double *column = b.tile + d * b.tile_stride;
            u64 own, other;
            std::memcpy(&own, row + d, sizeof own);
            for (i64 j = 0; j < b.width; j++) {
                std::memcpy(&other, column + j, sizeof other);
                line[j] += static_cast<double>(std::popcount(own ^ other));
            }
        }
    }
}

void divide(const Block &b, double by) {
    for (int r = 0; r < ROWS; r++)
        for (i64 j = 0; j < b.width; j++) b.line(r)[j] /= by;
}

// Divide by the number of variables set in either point; each point's own number follows its words.
void divide_by_union(const Block &b, i64 words) {
    const double *counts = b.tile + words * b.tile_stride;
    for (int r = 0; r < ROWS; r++) {
        const double own = b.rows[r * b.p + words];
        double *line = b.line(r);
        for (i64 j = 0; j < b.width; j++) {
            const double in_either = (own + counts[j] + line[j]) / 2;
            line[j] /= in_either > 0.0 ? in_either : 1.0;
        }
    }
}

// Sine of half the difference of two angles, from it and from the sines and cosines of the halves. For small angles it
// comes from a series: a difference of products would lose digits.
double half_sine(double half, double sine, double cosine, double other_sine, double other_cosine) {
    const double t = half * half;
    const double series = half * (1.0 - t / 6.0 * (1.0 - t / 20.0 * (1.0 - t / 42.0)));
    return t < 1e-3 ? series : sine * other_cosine - cosine * other_sine;
}

// (asin(r) / r - 1) / r^2 as a polynomial of r^2 up to 1/4, with the smallest error, 2e-16 (a Chebyshev fit).
constexpr double ARCSINE[] = {
    0.1666666666666665,   0.07500000000020764,  0.044642857103423646, 0.03038194736709848,
    0.02237204763174451,  0.017355259955786323, 0.013929652902326633, 0.011875494382636922,
    0.0078029494773533175, 0.01603551434914882, -0.010749050339697808, 0.028169218060881414,
};

// Twice the arcsine of the square root of z, without a branch, so that loops of it vectorise.
double arcsine_of_root(double z) {
    z = z < 1.0 ? z : 1.0;
    const double root = std::sqrt(z);
    const bool is_small = z < 0.25;
    const double t = is_small ? z : (1.0 - root) / 2.0;
    const double side = is_small ? root : std::sqrt(t);
    double series = ARCSINE[11];
    for (int k = 10; k >= 0; k--) series = ARCSINE[k] + t * series;
    const double angle = side + side * (t * series);
    return is_small ? 2.0 * angle : std::numbers::pi - 4.0 * angle;
}

// Angles between points on a sphere, for each of which `own_metrics` prepares seven numbers.
void haversine(const Block &b) {
    const double *tile[7];
    for (int d = 0; d < 7; d++) tile[d] = b.tile + d * b.tile_stride;
    for (int r = 0; r < ROWS; r++) {
        const double *row = b.rows + r * b.p;
        double *line = b.line(r);
        for (i64 j = 0; j < b.width; j++) {
            const double north = half_sine((tile[0][j] - row[0]) / 2.0, tile[2][j], tile[3][j], row[2], row[3]);
            const double east = half_sine((tile[1][j] - row[1]) / 2.0, tile[4][j], tile[5][j], row[4], row[5]);
            line[j] = arcsine_of_root(north * north + tile[6][j] * row[6] * (east * east));
        }
    }
}

// Distances of prepared points, (n, 7) and (m, 7), on a sphere.
NewMatrix<double> haversine_distances(Matrix<const double> rows, Matrix<const double> columns) {
    const i64 n = length(rows), m = length(columns);
    require(length(rows, 1) == 7 && length(columns, 1) == 7, "points have seven prepared numbers");
    const i64 padded = (n + ROWS - 1) / ROWS * ROWS;
    std::vector<double> found(padded * m);
    {
        const Unlocked unlocked;
        std::vector<double> own(padded * 7), tile(7 * m);
        std::copy_n(rows.data(), n * 7, own.data());
        for (i64 j = 0; j < m; j++)
            for (i64 d = 0; d < 7; d++) tile[d * m + j] = columns.data()[j * 7 + d];
        for (i64 first = 0; first < n; first += ROWS)
            haversine({own.data() + first * 7, 7, tile.data(), m, m, found.data() + first * m, m});
        found.resize(n * m);
    }
    return as_matrix(std::move(found), n, m);
}

}  // namespace

i64 numbers_of(std::pair<i64, i64> kind) {
    const auto [metric, variables] = kind;
    require(EUCLIDEAN <= metric && metric <= HAVERSINE && variables >= 0, "no such metric");
    switch (metric) {
    case HAVERSINE:
        return 7;
    case HAMMING_OF_BITS:
        return words_of(variables);
    case JACCARD_OF_BITS:
        return words_of(variables) + 1;
    default:
        return 2;
    }
}

void metric_distances(i64 metric, i64 variables, const Block &block) {
    const i64 words = words_of(variables);
    switch (metric) {
    case CITYBLOCK:
        return over_tile(block, [](double total, double u, double v) { return total + std::abs(u - v); });
    case CHEBYSHEV:
        return over_tile(block, [](double total, double u, double v) {
            const double difference = std::abs(u - v);
            return difference > total ? difference : total;
        });
    case CANBERRA:
        return over_tile(block, [](double total, double u, double v) {
            const double size = std::abs(u) + std::abs(v);
            return total + std::abs(u - v) / (size > 0.0 ? size : 1.0);
        });
    case HAMMING:
        over_tile(block, [](double total, double u, double v) { return total + (u != v ? 1.0 : 0.0); });
        return divide(block, static_cast<double>(variables));
    case HAVERSINE:
        return haversine(block);
    case HAMMING_OF_BITS:
        unequal_bits(block, words);
        return divide(block, static_cast<double>(variables));
    default:
        unequal_bits(block, words);
        return divide_by_union(block, words);
    }
}

void bind_metric_tiles(nb::module_ &m) {
    m.doc() = "Distances other than Euclidean ones.";
    const std::pair<const char *, i64> metrics[] = {
        {"EUCLIDEAN", EUCLIDEAN}, {"CITYBLOCK", CITYBLOCK}, {"CHEBYSHEV", CHEBYSHEV}, {"CANBERRA", CANBERRA}, {"HAMMING", HAMMING},
        {"HAMMING_OF_BITS", HAMMING_OF_BITS}, {"JACCARD_OF_BITS", JACCARD_OF_BITS}, {"HAVERSINE", HAVERSINE}, {"WORD", WORD},
    };
    for (const auto &[name, value] : metrics) m.attr(name) = value;
    define(m, "haversine_distances", haversine_distances, "rows", "columns");
}
