// How kernels take NumPy's arrays, and return new ones.
//
// Every array must be contiguous and of exactly the dtype that a kernel names: otherwise a copy would be made silently,
// and what a kernel writes to it would be lost.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

namespace nb = nanobind;

using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr double INF = std::numeric_limits<double>::infinity();

template <class T> using Vector = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T> using Matrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T> using Cube = nb::ndarray<T, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
// Arrays of any dtype, which `with_type` distinguishes.
using AnyVector = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using AnyOut = nb::ndarray<nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using AnyMatrix = nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
// Return types: memory that a kernel has allocated and NumPy frees.
template <class T> using NewVector = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
template <class T> using NewMatrix = nb::ndarray<nb::numpy, T, nb::ndim<2>>;

using Unlocked = nb::gil_scoped_release;

[[noreturn, gnu::cold]] inline void refuse(const char *what) { throw std::invalid_argument(what); }
inline void require(bool holds, const char *what) {
    if (!holds) refuse(what);
}

// Length of a vector, or of an axis, as a signed number.
template <class A> i64 length(const A &array, int axis = 0) { return static_cast<i64>(array.shape(axis)); }

// Whether all numbers are from 0 to below a limit, in one pass without a branch.
inline bool all_below(const i64 *numbers, i64 n, i64 limit) {
    bool holds = limit >= 0;
    for (i64 i = 0; i < n; i++) holds &= static_cast<u64>(numbers[i]) < static_cast<u64>(limit);
    return holds;
}
inline void require_below(const Vector<const i64> &numbers, i64 limit, const char *what) {
    require(all_below(numbers.data(), length(numbers), limit), what);
}
// Require the starts of consecutive runs, and the end of the last, which must not exceed `most`.
inline void require_runs(const Vector<const i64> &starts, i64 most, const char *what) {
    const i64 *start = starts.data(), n = length(starts);
    require(n > 0 && start[0] >= 0 && std::is_sorted(start, start + n) && start[n - 1] <= most, what);
}

// Codes 0 to K - 1. Each is checked when it is read, which costs less than a separate pass: one out of range would make
// a kernel write elsewhere.
template <class Code> struct Codes {
    const Code *at;
    i64 k;

    i64 operator[](i64 i) const {
        const i64 code = static_cast<i64>(at[i]);
        if (static_cast<u64>(code) >= static_cast<u64>(k)) [[unlikely]]
            refuse("a code of no cluster");
        return code;
    }
};

// Hand a vector's memory to NumPy.
template <class T> NewVector<T> as_array(std::vector<T> &&values) {
    auto *kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void *at) noexcept { delete static_cast<std::vector<T> *>(at); });
    return NewVector<T>(kept->data(), {kept->size()}, owner);
}
template <class T> NewMatrix<T> as_matrix(std::vector<T> &&values, i64 rows, i64 columns) {
    auto *kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void *at) noexcept { delete static_cast<std::vector<T> *>(at); });
    return NewMatrix<T>(kept->data(), {static_cast<size_t>(rows), static_cast<size_t>(columns)}, owner);
}

// Call `use` with a pointer to the elements, typed as whichever of the types `T` they have.
template <class... T, class Array, class Use> auto with_type(const Array &values, const char *what, Use &&use) {
    using Result = std::common_type_t<decltype(use(static_cast<const T *>(nullptr)))...>;
    const void *data = values.data();
    if constexpr (std::is_void_v<Result>) {
        bool known = ((values.dtype() == nb::dtype<T>() && (use(static_cast<const T *>(data)), true)) || ...);
        if (!known) throw nb::type_error(what);
    } else {
        Result result{};
        bool known = ((values.dtype() == nb::dtype<T>() && (result = use(static_cast<const T *>(data)), true)) || ...);
        if (!known) throw nb::type_error(what);
        return result;
    }
}
// Codes come in the narrowest type that holds them; those of 4 or 8 bytes are signed.
template <class Use> auto with_codes(const AnyVector &values, Use &&use) {
    return with_type<i64, i32, i8, i16, u8, u16>(values, "codes are integers of up to 8 bytes, the widest with a sign", std::forward<Use>(use));
}

template <class A> constexpr bool is_array = false;
template <class... Of> constexpr bool is_array<nb::ndarray<Of...>> = true;

template <class... Of> constexpr bool is_array<std::tuple<Of...>> = (is_array<Of> && ...);

template <class Argument> constexpr auto named(const char *name) {
    if constexpr (is_array<std::decay_t<Argument>>)
        return nb::arg(name).noconvert();
    else
        return nb::arg(name);
}

// Make a function callable from Python; the names of its parameters follow its own name.
template <class Result, class... Arguments, class... Names>
void define(nb::module_ &module, const char *name, Result (*function)(Arguments...), Names... names) {
    static_assert(sizeof...(Arguments) == sizeof...(Names), "every parameter has a name");
    module.def(name, function, named<Arguments>(names)...);
}
