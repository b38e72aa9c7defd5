// Natural logarithms of a vector.
#include "logarithm.h"

namespace {

NewVector<double> logarithms(Vector<const double> values) {
    std::vector<double> found(length(values));
    {
        const Unlocked unlocked;
        std::transform(values.data(), values.data() + length(values), found.begin(), natural_log);
    }
    return as_array(std::move(found));
}

}  // namespace

void bind_logarithm(nb::module_ &m) {
    m.doc() = "Natural logarithms with the same digits on every machine.";
    define(m, "logarithms", logarithms, "values");
}
