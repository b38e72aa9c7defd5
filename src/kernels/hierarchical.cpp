// Gibbs sampler for the hierarchical model of differences over folds and data sets.
#include "logarithm.h"

#include <numeric>

namespace {

// The C interface of NumPy's generators: numpy/random/bitgen.h.
struct BitGenerator {
    void *state;
    u64 (*next_uint64)(void *);
    u32 (*next_uint32)(void *);
    double (*next_double)(void *);
    u64 (*next_raw)(void *);
};

// At least a third of all attempts succeed, unless something is nan or out of range.
constexpr int MOST_ATTEMPTS = 10000;

// Random numbers made from the uniform numbers of a NumPy generator.
class Random {
  public:
    explicit Random(const nb::object &generator) {
        if (!nb::hasattr(generator, "bit_generator")) throw nb::type_error("a generator of NumPy is wanted");
        const nb::object capsule = generator.attr("bit_generator").attr("capsule");
        bits = static_cast<BitGenerator *>(PyCapsule_GetPointer(capsule.ptr(), "BitGenerator"));
        if (bits == nullptr) throw nb::python_error();
    }
    // In [0, 1).
    double uniform() { return bits->next_double(bits->state); }
    // Marsaglia's polar method, which makes two at a time.
    double normal() {
        if (has_spare) {
            has_spare = false;
            return spare;
        }
        for (;;) {
            const double u = 2.0 * uniform() - 1.0, v = 2.0 * uniform() - 1.0, square = u * u + v * v;
            if (square >= 1.0 || square == 0.0) continue;
            const double scale = std::sqrt(-2.0 * natural_log(square) / square);
            spare = v * scale;
            has_spare = true;
            return u * scale;
        }
    }
    // With scale 1: Marsaglia & Tsang (2000). With a shape below 1, it is one with the shape plus 1, times a power.
    double gamma(double shape) {
        if (shape < 1.0) {
            require(shape >= 0.0, "a gamma number has a shape that is not negative");
            const double larger = gamma(shape + 1.0);
            return larger * std::pow(1.0 - uniform(), 1.0 / shape);
        }
        const double d = shape - 1.0 / 3.0, c = 1.0 / std::sqrt(9.0 * d);
        for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
            const double x = normal(), root = 1.0 + c * x;
            if (root <= 0.0) continue;
            const double v = root * root * root, u = 1.0 - uniform();
            // A squeeze that avoids most of the logarithms.
            if (u < 1.0 - 0.0331 * (x * x) * (x * x)) return d * v;
            if (natural_log(u) < 0.5 * x * x + d - d * v + d * natural_log(v)) return d * v;
        }
        refuse("no gamma number of such a shape can be drawn");
    }

  private:
    BitGenerator *bits;
    bool has_spare = false;
    double spare = 0.0;
};

double squared(double x) { return x * x; }

// Draw a normal number between two bounds, by rejection.
double truncated_normal(Random &random, double mean, double sd, double low, double high) {
    for (int attempt = 0; attempt < 50; attempt++) {
        const double x = mean + sd * random.normal();
        if (low <= x && x <= high) return x;
    }
    const double twice_variance = 2 * sd * sd;
    if (low <= mean && mean <= high)  // the bounds are close to each other
        for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
            const double x = low + (high - low) * random.uniform();
            if (natural_log(random.uniform()) <= -squared(x - mean) / twice_variance) return x;
        }
    // Beyond a bound, the density falls roughly exponentially.
    const double away = mean < low ? low - mean : mean - high, slope = std::max(away, sd) / (sd * sd);
    const double bound = squared(std::max(0.0, sd - away)) / twice_variance, within = -std::expm1(-slope * (high - low));
    for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        const double step = -log_of_one_plus(-within * random.uniform()) / slope;
        const double excess = slope * step - (2 * away * step + step * step) / twice_variance;
        if (natural_log(random.uniform()) <= excess - bound) return mean < low ? low + step : high - step;
    }
    refuse("no normal number between such ends can be drawn");
}

// Log density of log(nu - 1), on an even grid.
struct Prior {
    const double *grid, *values;
    i64 size;

    // -inf outside.
    double operator()(double nu) const {
        const double place = (natural_log(nu - 1) - grid[0]) / (grid[1] - grid[0]);
        if (!(0.0 <= place && place < static_cast<double>(size - 1))) return -INF;
        const i64 low = static_cast<i64>(place);
        const double share = place - static_cast<double>(low);
        return values[low] * (1 - share) + values[low + 1] * share;
    }
};

// Log density of standardised Student numbers, given their squares, without terms that do not depend on nu.
double log_student(const std::vector<double> &squares, double nu) {
    double total = static_cast<double>(squares.size()) * (std::lgamma((nu + 1) / 2) - std::lgamma(nu / 2) - 0.5 * natural_log(nu));
    for (double square : squares) total -= (nu + 1) / 2 * log_of_one_plus(square / nu);
    return total;
}

// Data sets: means over folds, sums of squared deviations from these, numbers of folds, and correlations between folds.
struct DataSets {
    i64 q;
    const double *means, *squares, *sizes, *rhos;
};

// Largest delta_0, s_0 and sigma.
struct Limits {
    double mean, spread, sigma;
};

// A chain: the data sets' delta and lambda (of the Student distribution as a scale mixture), the variances of their
// means, and the parameters of the distribution of delta.
class Chain {
  public:
    Chain(Random &random, const DataSets &data, Limits most, const Prior &prior)
        : random(random), data(data), most(most), prior(prior), q(data.q), delta(data.means, data.means + q), lambda(q, 1.0), error(q),
          squares(q) {
        d0 = std::accumulate(delta.begin(), delta.end(), 0.0) / static_cast<double>(q);
        double variance = 0.0;
        for (double value : delta) variance += squared(value - d0) / static_cast<double>(q);
        s0 = std::min(std::max(std::sqrt(variance), 1e-3), most.spread);
    }
    // Draw sigma, delta, nu, lambda, then delta_0 and s_0 twice: given the data sets' delta, and given the standardised
    // delta, without which s_0 would get stuck near 0.
    void draw() {
        draw_data_sets();
        draw_nu();
        for (i64 i = 0; i < q; i++) lambda[i] = random.gamma((nu + 1) / 2) / ((nu + squares[i]) / 2);
        draw_given_delta();
        draw_given_standardised();
    }
    // Tune the steps of nu so that about half are accepted.
    void tune() {
        step = std::min(std::max(step * (accepted > 20 ? 1.3 : 0.75), 0.05), 8.0);
        accepted = 0;
    }
    double d0, s0, nu = 5.0;

  private:
    void draw_data_sets() {
        for (i64 i = 0; i < q; i++) {
            const double of_mean = (1 + (data.sizes[i] - 1) * data.rhos[i]) / data.sizes[i];  // variance, in sigma^2
            const double rate = data.squares[i] / (2 * (1 - data.rhos[i])) + squared(data.means[i] - delta[i]) / (2 * of_mean);
            double variance = INF;
            for (int attempt = 0; attempt < 100 && !(variance <= most.sigma * most.sigma); attempt++)
                variance = rate / random.gamma((data.sizes[i] - 1) / 2);
            error[i] = variance * of_mean;
            const double precision = 1 / error[i] + lambda[i] / (s0 * s0);
            const double centre = (data.means[i] / error[i] + d0 * lambda[i] / (s0 * s0)) / precision;
            delta[i] = centre + random.normal() / std::sqrt(precision);
        }
    }
    // With lambda integrated out.
    void draw_nu() {
        for (i64 i = 0; i < q; i++) squares[i] = squared((delta[i] - d0) / s0);
        const double proposed = 1 + (nu - 1) * std::exp(step * random.normal());
        double ratio = prior(proposed) - prior(nu);
        if (!(ratio > -INF)) return;
        ratio += log_student(squares, proposed) - log_student(squares, nu);
        if (natural_log(random.uniform()) < ratio) {
            nu = proposed;
            accepted++;
        }
    }
    // Sum over the data sets.
    template <class Of> double sum(Of of) const {
        double total = 0.0;
        for (i64 i = 0; i < q; i++) total += of(i);
        return total;
    }
    void draw_given_delta() {
        const double weight = sum([&](i64 i) { return lambda[i]; });
        const double mean = sum([&](i64 i) { return lambda[i] * delta[i]; }) / weight;
        d0 = truncated_normal(random, mean, s0 / std::sqrt(weight), -most.mean, most.mean);
        const double rate = sum([&](i64 i) { return lambda[i] * squared(delta[i] - d0); }) / 2;
        for (int attempt = 0; q > 1 && attempt < 100; attempt++) {
            const double variance = rate / random.gamma(static_cast<double>(q - 1) / 2);
            if (variance > most.spread * most.spread) continue;
            s0 = std::sqrt(variance);
            break;
        }
    }
    void draw_given_standardised() {
        std::vector<double> &eta = squares;
        for (i64 i = 0; i < q; i++) eta[i] = (delta[i] - d0) / s0;
        double precision = sum([&](i64 i) { return eta[i] * eta[i] / error[i]; });
        const double spread = sum([&](i64 i) { return eta[i] * (data.means[i] - d0) / error[i]; }) / precision;
        s0 = truncated_normal(random, spread, 1 / std::sqrt(precision), 0.0, most.spread);
        precision = sum([&](i64 i) { return 1 / error[i]; });
        const double mean = sum([&](i64 i) { return (data.means[i] - s0 * eta[i]) / error[i]; }) / precision;
        d0 = truncated_normal(random, mean, 1 / std::sqrt(precision), -most.mean, most.mean);
        for (i64 i = 0; i < q; i++) delta[i] = d0 + s0 * eta[i];
    }

    Random &random;
    DataSets data;
    Limits most;
    Prior prior;
    i64 q, accepted = 0;
    double step = 1.0;
    std::vector<double> delta, lambda, error, squares;
};

// Number of steps of the chain after which its step in nu is tuned.
constexpr i64 TUNED = 50;

// Draw (delta_0, s_0, nu) n times; `limits` are the largest delta_0, s_0 and sigma.
NewMatrix<double> draw_chain(nb::object generator, Vector<const double> means, Vector<const double> squares, Vector<const double> sizes,
                             Vector<const double> rhos, Vector<const double> limits, Vector<const double> grid,
                             Vector<const double> log_prior, i64 n_warm_up, i64 n_draws) {
    const i64 q = length(means);
    require(q > 0 && length(squares) == q && length(sizes) == q && length(rhos) == q, "not the same numbers of each data set");
    require(length(limits) == 3 && length(grid) > 1 && length(log_prior) == length(grid), "three limits and a density are wanted");
    require(n_warm_up >= 0 && n_draws >= 0, "numbers of draws are counts");
    Random random(generator);
    std::vector<double> draws;
    {
        const Unlocked unlocked;
        const double *most = limits.data();
        Chain chain(random, {q, means.data(), squares.data(), sizes.data(), rhos.data()}, {most[0], most[1], most[2]},
                    {grid.data(), log_prior.data(), length(grid)});
        draws.reserve(3 * n_draws);
        for (i64 round = 0; round < n_warm_up + n_draws; round++) {
            chain.draw();
            if (round >= n_warm_up)
                draws.insert(draws.end(), {chain.d0, chain.s0, chain.nu});
            else if (round % TUNED == TUNED - 1)
                chain.tune();
        }
    }
    return as_matrix(std::move(draws), n_draws, 3);
}

// Draw n normal numbers between two bounds.
NewVector<double> truncated_normals(nb::object generator, double mean, double sd, double low, double high, i64 n) {
    require(low < high && sd > 0.0 && n >= 0, "a range and a deviation are wanted");
    Random random(generator);
    std::vector<double> found(n);
    {
        const Unlocked unlocked;
        for (double &number : found) number = truncated_normal(random, mean, sd, low, high);
    }
    return as_array(std::move(found));
}
// Draw n gamma numbers with scale 1.
NewVector<double> gammas(nb::object generator, double shape, i64 n) {
    require(shape > 0.0 && n >= 0, "a shape is positive");
    Random random(generator);
    std::vector<double> found(n);
    {
        const Unlocked unlocked;
        for (double &number : found) number = random.gamma(shape);
    }
    return as_array(std::move(found));
}

}  // namespace

void bind_hierarchical(nb::module_ &m) {
    m.doc() = "Gibbs sampler of the hierarchical model of differences over folds and data sets.";
    define(m, "draw_chain", draw_chain, "rng", "means", "squares", "sizes", "rhos", "limits", "grid", "log_prior", "n_warm_up", "n_draws");
    define(m, "truncated_normals", truncated_normals, "rng", "mean", "sd", "low", "high", "n");
    define(m, "gammas", gammas, "rng", "shape", "n");
}
