// Limits of sums of counts of events: values beyond which a tail has a probability, found one by one.
//
// The incomplete gamma function and its inverse are SciPy's, called as C functions.
#include "exponential.h"

namespace {

using OfTwo = double (*)(double, double, int);
using OfOne = double (*)(double, int);

// A function of SciPy, called after its signature: `functions` has capsules of such by name.
template <class Function> Function function_in(const nb::object &functions, const char *name, const char *signature) {
    require(nb::isinstance<nb::dict>(functions), "no functions of SciPy by name");
    const auto all = nb::borrow<nb::dict>(functions);
    require(all.contains(name) && nb::isinstance<nb::capsule>(all[name]), "a function of SciPy is missing");
    const auto capsule = nb::borrow<nb::capsule>(all[name]);
    require(capsule.name() && !std::strcmp(capsule.name(), signature), "a function of SciPy has another signature");
    return reinterpret_cast<Function>(capsule.data());
}

struct Side {
    OfTwo tail, inverse;
    double sign;
};

constexpr double TINY = std::numeric_limits<double>::min();
// Steps of a search, and the relative distance of two steps that ends it; most take four.
constexpr int MOST_STEPS = 100;
constexpr double TOLERANCE = 1e-12;

// A gamma distribution with the mean and the variance of a sum.
struct Gamma {
    double shape, scale, constant;
};

// The value beyond which the tail is: half that of what was seen, half that of one more event of the largest size.
double beyond(double total, double squares, double largest, double tail, bool upper, const Side &side, OfOne log_gamma) {
    const bool seen = total > 0.0;
    const auto law = [&](double mean, double variance) {
        const double shape = mean * mean / variance;
        return Gamma{shape, variance / mean, seen ? log_gamma(shape, 0) : 0.0};
    };
    const Gamma more = law(total + largest, squares + largest * largest);
    // Without any event, what was seen is a mass at 0.
    const double wanted = seen ? tail : std::min(2.0 * tail, 1.0), end = side.inverse(more.shape, wanted, 0) * more.scale;
    if (!seen) return end;
    const Gamma laws[2] = {law(total, squares), more};
    const double other = side.inverse(laws[0].shape, tail, 0) * laws[0].scale;
    double least = std::min(end, other), most = std::max(end, other), at = (least + most) / 2.0;
    for (int step = 0; step < MOST_STEPS; step++) {
        // Newton's step for the logarithm of the tail, which is nearly linear.
        double reached = 0.0, density = 0.0;
        for (const Gamma &own : laws) {
            const double ratio = at / own.scale;
            reached += side.tail(own.shape, ratio, 0) / 2.0;
            density += exponential((own.shape - 1.0) * natural_log(std::max(ratio, TINY)) - ratio - own.constant) / own.scale / 2.0;
        }
        reached = std::max(reached, TINY);
        const double slope = side.sign * std::max(density, TINY) / reached, off = natural_log(reached / tail);
        ((off > 0.0) != upper ? most : least) = at;
        // The lower tail is nearly a power.
        double moved = upper ? at - off / slope : at * exponential(std::clamp(-off / (slope * at), -50.0, 50.0));
        if (!(moved >= least && moved <= most)) moved = (least + most) / 2.0;
        const bool done = std::abs(moved - at) <= TOLERANCE * std::abs(at);
        at = moved;
        if (done) break;
    }
    return at;
}

// How far the limit of each sum is from it, above it or below.
NewVector<double> reach_of_sums(Vector<const double> total, Vector<const double> squares, Vector<const double> largest, Vector<const double> tails,
                                Vector<const bool> upper, nb::object functions) {
    const i64 n = length(total);
    for (i64 size : {length(squares), length(largest), length(tails), length(upper)}) require(size == n, "not one of each for each sum");
    const auto of_two = [&](const char *name) {
        return function_in<OfTwo>(functions, name, "double (double, double, int __pyx_skip_dispatch)");
    };
    const Side sides[2] = {{of_two("gammainc"), of_two("gammaincinv"), 1.0}, {of_two("gammaincc"), of_two("gammainccinv"), -1.0}};
    const auto log_gamma = function_in<OfOne>(functions, "gammaln", "double (double, int __pyx_skip_dispatch)");
    std::vector<double> reach(n);
    {
        const Unlocked unlocked;
        for (i64 i = 0; i < n; i++) {
            const double sum = total.data()[i];
            const bool above = upper.data()[i];
            if (!((above ? largest.data()[i] : sum) > 0.0)) continue;
            const double limit = beyond(sum, squares.data()[i], largest.data()[i], tails.data()[i], above, sides[above], log_gamma);
            reach[i] = std::max((above ? 1.0 : -1.0) * (limit - sum), 0.0);
        }
    }
    return as_array(std::move(reach));
}

}  // namespace

void bind_event_sums(nb::module_ &m) {
    m.doc() = "Limits of sums of counts of events.";
    define(m, "reach_of_sums", reach_of_sums, "total", "squares", "largest", "tails", "upper", "functions");
}
