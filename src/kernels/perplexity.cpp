// Weights of near neighbours with a given perplexity, and the effective number of clusters among them.
//
// The weights depend only on distances: they are fitted once for several partitions of the same points.
#include "exponential.h"

namespace {

// Bound of |log beta|: weights are equal at one end, and concentrated on the nearest at the other.
constexpr double FARTHEST = 60.0;
constexpr int ROUNDS = 200;
constexpr double SETTLED = 1e-15;

struct Entropy {
    double value, slope;  // in nats, and its derivative with respect to log beta
};

// Distances of a point's neighbours minus the smallest, in units of their mean, and their weights.
class Weights {
  public:
    explicit Weights(i64 m) : m(m), unit(m), weights(m) {}

    // Take the distances of a row; return how many equal the smallest.
    i64 take(const double *distances) {
        i64 ties = 0;
        double total = 0.0;
        for (i64 j = 0; j < m; j++) {
            unit[j] = distances[j] - distances[0];
            ties += unit[j] == 0.0;
            total += unit[j];
        }
        const double mean = total / static_cast<double>(m);
        for (double &distance : unit) distance /= mean;
        return ties;
    }
    // Compute weights exp(-beta d), which add up to 1, and return their entropy.
    Entropy weigh(double beta) {
        double total = 0.0, mean = 0.0, spread = 0.0;
        for (i64 j = 0; j < m; j++) total += weights[j] = exponential(-beta * unit[j]);
        for (i64 j = 0; j < m; j++) {
            weights[j] /= total;
            mean += weights[j] * unit[j];
        }
        for (i64 j = 0; j < m; j++) spread += weights[j] * ((unit[j] - mean) * (unit[j] - mean));
        return {natural_log(total) + beta * mean, -(beta * beta) * spread};
    }
    // Find beta so that the entropy is `wanted`, by Newton's method, with bisection where it fails.
    double solve(double wanted) {
        double low = -INF, high = INF, log_beta = 0.0, beta = 1.0;
        for (int round = 0; round < ROUNDS; round++) {
            beta = exponential(log_beta);
            const Entropy entropy = weigh(beta);
            const double excess = entropy.value - wanted;
            (excess > 0 ? low : high) = log_beta;
            double next = entropy.slope != 0.0 ? log_beta - excess / entropy.slope : INF;
            if (!(low < next && next < high)) next = high == INF ? log_beta + 1.0 : low == -INF ? log_beta - 1.0 : (low + high) / 2;
            next = std::min(std::max(next, -FARTHEST), FARTHEST);
            if (std::abs(next - log_beta) < SETTLED || std::abs(excess) < SETTLED) break;
            log_beta = next;
        }
        return beta;
    }
    double operator[](i64 j) const { return weights[j]; }

  private:
    i64 m;
    std::vector<double> unit, weights;
};

// Fill in the beta of each row of sorted distances, in units of their mean; nan if no weights fit.
void fit_weights(Matrix<const double> distances, double perplexity, Vector<double> betas) {
    const i64 n = length(distances), m = length(distances, 1);
    require(length(betas) == n && m > 0, "no beta for each row of distances");
    const Unlocked unlocked;
    Weights weights(m);
    const double wanted = natural_log(perplexity);
    for (i64 i = 0; i < n; i++) {
        // In the limit, the ties have all the weight; they must not exceed the perplexity.
        const bool fits = static_cast<double>(weights.take(distances.data() + i * m)) <= perplexity && perplexity < static_cast<double>(m);
        betas.data()[i] = fits ? weights.solve(wanted) : std::numeric_limits<double>::quiet_NaN();
    }
}

// Inverse sum of the squared shares of the clusters; `shares` is all zeros before and after.
template <class Label> double effective_number(const Weights &weights, Codes<Label> labels, i64 m, double *shares) {
    for (i64 j = 0; j < m; j++) shares[labels[j]] += weights[j];
    double squares = 0.0;
    for (i64 j = 0; j < m; j++) {
        double &share = shares[labels[j]];
        squares += share * share;
        share = 0.0;
    }
    return 1.0 / squares;
}

// Fill in the inverse sum of the squared shares of the k clusters, by rows; nan where beta is.
void effective_numbers(Matrix<const double> distances, Vector<const double> betas, AnyMatrix labels, i64 k, Vector<double> found) {
    const i64 n = length(distances), m = length(distances, 1);
    require(length(betas) == n && length(found) == n && m > 0, "no beta for each row of distances");
    require(length(labels) == n && length(labels, 1) == m && k > 0, "no label for each distance");
    with_type<i64, i32, i16, i8, u8, u16>(labels, "labels are integers", [&](const auto *label) {
        const Unlocked unlocked;
        Weights weights(m);
        std::vector<double> shares(k, 0.0);
        for (i64 i = 0; i < n; i++) {
            found.data()[i] = std::numeric_limits<double>::quiet_NaN();
            if (std::isnan(betas.data()[i])) continue;
            weights.take(distances.data() + i * m);
            weights.weigh(betas.data()[i]);
            found.data()[i] = effective_number(weights, Codes{label + i * m, k}, m, shares.data());
        }
    });
}

}  // namespace

void bind_perplexity(nb::module_ &m) {
    m.doc() = "Weights of near neighbours with a given perplexity, and the effective number of clusters among them.";
    define(m, "fit_weights", fit_weights, "distances", "perplexity", "betas");
    define(m, "effective_numbers", effective_numbers, "distances", "betas", "labels", "k", "found");
}
