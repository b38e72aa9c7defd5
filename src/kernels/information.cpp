// Entropies and mutual information, summed so that nothing cancels.
#include "deviance.h"

namespace {

// Up to here n^2 fits 64 bits, and k n - a b is exact.
constexpr i64 EXACT = 3'000'000'000;
// Terms whose logarithms are taken together.
constexpr i64 HELD = 256;

// Neumaier's compensated sum of terms >= 0: millions of cells keep their digits.
struct Compensated {
    double sum = 0.0, lost = 0.0;

    void add(double term) {
        const double grown = sum + term;
        lost += sum >= term ? (sum - grown) + term : (term - grown) + sum;
        sum = grown;
    }
    double total() const { return sum + lost; }
};

// Add k log(whole / k) for some counts; `terms` is a buffer for them.
void add_logarithms(const double *__restrict wholes, const double *__restrict counts, i64 n, double *__restrict terms, Compensated &sum) {
    for (i64 i = 0; i < n; i++) terms[i] = counts[i] * log_of_normal(wholes[i] / counts[i]);
    for (i64 i = 0; i < n; i++) sum.add(terms[i]);
}

// Strided vectors, as `numpy.nonzero` makes them.
using Spread = nb::ndarray<const i64, nb::ndim<1>, nb::device::cpu>;

// Margins and counts of some cells, as real numbers.
struct Cells {
    double a[HELD], b[HELD], k[HELD], terms[HELD];
};

// n_ij - a_i b_j / n, without cancellation as long as integers are exact; those that overflow wrap around.
double excess(i64 k, i64 a, i64 b, i64 n, double product, double scale) {
    if (n >= EXACT) return (static_cast<double>(k) * scale - product) / scale;
    const u64 exact = static_cast<u64>(k) * static_cast<u64>(n) - static_cast<u64>(a) * static_cast<u64>(b);
    return static_cast<double>(static_cast<i64>(exact)) / scale;
}

// Mutual information and the two conditional entropies (of the true partition given the predicted one, and the
// reverse), in nats.
//
// Mutual information is the sum over all cells of the deviance of n_ij from mu = a_i b_j / n, divided by n: every term
// is >= 0, and an empty cell contributes mu.
std::tuple<double, double, double> information_sums(Spread rows, Spread cols, Vector<const i64> counts, Vector<const i64> row_sums,
                                                    Vector<const i64> col_sums, i64 n) {
    const i64 n_cells = length(counts);
    require(length(rows) == n_cells && length(cols) == n_cells, "not one row and one column for each count");
    const i64 row_stride = rows.stride(0), col_stride = cols.stride(0), n_rows = length(row_sums), n_cols = length(col_sums);
    const Unlocked unlocked;
    const double scale = static_cast<double>(n);
    std::vector<i64> beside(n_rows, n);
    Compensated mutual, true_given_pred, pred_given_true;
    Cells cells;
    for (i64 first = 0; first < n_cells; first += HELD) {
        const i64 held = std::min(HELD, n_cells - first);
        for (i64 c = 0; c < held; c++) {
            const i64 row = rows.data()[(first + c) * row_stride], col = cols.data()[(first + c) * col_stride];
            require(0 <= row && row < n_rows && 0 <= col && col < n_cols, "a cell of no row or column");
            const i64 a = row_sums.data()[row], b = col_sums.data()[col], k = counts.data()[first + c];
            beside[row] -= b;
            cells.a[c] = static_cast<double>(a);
            cells.b[c] = static_cast<double>(b);
            cells.k[c] = static_cast<double>(k);
            const double product = cells.a[c] * cells.b[c];
            mutual.add(deviance(cells.k[c], product / scale, excess(k, a, b, n, product, scale)));
        }
        add_logarithms(cells.b, cells.k, held, cells.terms, true_given_pred);
        add_logarithms(cells.a, cells.k, held, cells.terms, pred_given_true);
    }
    for (i64 row = 0; row < n_rows; row++)
        mutual.add(static_cast<double>(row_sums.data()[row]) * (static_cast<double>(beside[row]) / scale));
    return {mutual.total() / scale, true_given_pred.total() / scale, pred_given_true.total() / scale};
}

// Entropy of the shares sizes / n, in nats; every term is >= 0.
double entropy(Vector<const i64> sizes, i64 n) {
    const Unlocked unlocked;
    Compensated sum;
    double wholes[HELD], counts[HELD], terms[HELD];
    std::fill_n(wholes, HELD, static_cast<double>(n));
    for (i64 first = 0; first < length(sizes); first += HELD) {
        const i64 held = std::min(HELD, length(sizes) - first);
        std::copy_n(sizes.data() + first, held, counts);
        add_logarithms(wholes, counts, held, terms, sum);
    }
    return sum.total() / static_cast<double>(n);
}

}  // namespace

void bind_information(nb::module_ &m) {
    m.doc() = "Entropies and mutual information, summed so that nothing cancels.";
    define(m, "information_sums", information_sums, "rows", "cols", "counts", "row_sums", "col_sums", "n");
    define(m, "entropy", entropy, "sizes", "n");
}
