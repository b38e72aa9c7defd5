// How large numbers are.
#include "lanes.h"

namespace {

// Groups of lanes that take turns: enough sums to hide the latency of an addition.
constexpr i64 GROUPS = 4;

using ::load;
inline Pack load(const float *at) {
    Pack found;
    for (int i = 0; i < WIDTH_OF_PACK; i++) found[i] = at[i];
    return found;
}

template <class T> double sum_of_squares_of(const T *values, i64 n) {
    LaneSum a, b, c, d;
    auto add = [](LaneSum &sum, int k, Pack some) { sum.add(k, some * some); };
    i64 i = 0;
    for (; i + GROUPS * LANES <= n; i += GROUPS * LANES)
        each_pack([&](int k) {
            const T *at = values + i + k * WIDTH_OF_PACK;
            add(a, k, load(at));
            add(b, k, load(at + LANES));
            add(c, k, load(at + 2 * LANES));
            add(d, k, load(at + 3 * LANES));
        });
    double rest = 0.0;
    for (; i < n; i++) rest += static_cast<double>(values[i]) * static_cast<double>(values[i]);
    return (a.total(&rest, 1) + b.total(nullptr, 0)) + (c.total(nullptr, 0) + d.total(nullptr, 0));
}

// Sum of the squares of a vector of floats; not finite if one of them is not.
double sum_of_squares(AnyVector values) {
    return with_type<double, float>(values, "floats of 4 or 8 bytes are wanted", [&](const auto *of) {
        const Unlocked unlocked;
        return sum_of_squares_of(of, length(values));
    });
}

}  // namespace

void bind_magnitude(nb::module_ &m) {
    m.doc() = "How large numbers are.";
    define(m, "sum_of_squares", sum_of_squares, "values");
}
