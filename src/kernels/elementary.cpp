// Logarithms, exponentials and powers of a number, or of each number of an array.
#include "exponential.h"

namespace {

using Any = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using New = nb::ndarray<nb::numpy, double>;

// The values of a function at each number of an array, in its shape.
template <class Of> New each(const Any &values, Of of) {
    auto kept = std::make_unique<std::vector<double>>(values.size());
    {
        const Unlocked unlocked;
        std::transform(values.data(), values.data() + values.size(), kept->begin(), of);
    }
    std::vector<double> *found = kept.release();
    nb::capsule owner(found, [](void *at) noexcept { delete static_cast<std::vector<double> *>(at); });
    std::vector<size_t> shape;
    for (size_t axis = 0; axis < values.ndim(); axis++) shape.push_back(values.shape(axis));
    return New(found->data(), shape.size(), shape.data(), owner);
}

New logarithms(Any values) { return each(values, natural_log); }
New logarithms_of_one_plus(Any values) { return each(values, log_of_one_plus); }
New exponentials(Any values) { return each(values, [](double x) { return exponential(x); }); }
New exponentials_less_one(Any values) { return each(values, exponential_less_one); }
New powers(Any values, double exponent) { return each(values, [=](double x) { return power(x, exponent); }); }

double logarithm_of_one(double value) { return natural_log(value); }
double logarithm_of_one_plus(double value) { return log_of_one_plus(value); }
double exponential_of_one(double value) { return exponential(value); }
double power_of_one(double value, double exponent) { return power(value, exponent); }

}  // namespace

void bind_elementary(nb::module_ &m) {
    m.doc() = "Logarithms, exponentials and powers with the same digits on every machine.";
    // What is only read may be a copy: of integers, or of a view.
    const nb::arg values("values");
    m.def("logarithms", logarithms, values);
    m.def("logarithms_of_one_plus", logarithms_of_one_plus, values);
    m.def("exponentials", exponentials, values);
    m.def("exponentials_less_one", exponentials_less_one, values);
    m.def("powers", powers, values, nb::arg("exponent"));
    define(m, "logarithm", logarithm_of_one, "value");
    define(m, "logarithm_of_one_plus", logarithm_of_one_plus, "value");
    define(m, "exponential", exponential_of_one, "value");
    define(m, "power", power_of_one, "value", "exponent");
}
