// Coding of labels: find their range, and number distinct values in order of first occurrence.
#include "arrays.h"

namespace {

// Smallest and largest value, in one pass through memory.
std::pair<i64, i64> value_range(AnyVector values) {
    require(length(values) > 0, "no values have no range");
    return with_codes(values, [&](const auto *at) -> std::pair<i64, i64> {
        const Unlocked unlocked;
        auto low = at[0], high = at[0];
        for (i64 i = 0; i < length(values); i++) {
            low = at[i] < low ? at[i] : low;
            high = at[i] > high ? at[i] : high;
        }
        return {low, high};
    });
}

using Cut = std::tuple<i64, i64, bool>;

template <class Value, class Whole> Cut cut_to(const Value *values, Whole *whole, i64 n, double limit) {
    const Unlocked unlocked;
    const Value end = static_cast<Value>(limit);
    Whole low = static_cast<Whole>(std::abs(values[0]) < end ? values[0] : Value(0)), high = low;
    i32 lost = 0;
    for (i64 i = 0; i < n; i++) {
        // False for NaN. Without a branch, the loop takes several numbers at a time.
        const Whole number = static_cast<Whole>(std::abs(values[i]) < end ? values[i] : Value(0));
        whole[i] = number;
        lost |= static_cast<Value>(number) != values[i];
        low = number < low ? number : low;
        high = number > high ? number : high;
    }
    return {low, high, lost == 0};
}

// Truncate floats below `limit` to signed integers; return the smallest, the largest, and whether nothing was cut off.
Cut cut_whole(AnyVector values, AnyOut whole, double limit) {
    const i64 n = length(values);
    require(n > 0 && length(whole) == n, "there is not one whole number for each value");
    return with_type<double, float>(values, "floats are wanted", [&](const auto *at) {
        if (whole.dtype() == nb::dtype<i8>()) return cut_to(at, static_cast<i8 *>(whole.data()), n, limit);
        if (whole.dtype() == nb::dtype<i32>()) return cut_to(at, static_cast<i32 *>(whole.data()), n, limit);
        if (whole.dtype() == nb::dtype<i64>()) return cut_to(at, static_cast<i64 *>(whole.data()), n, limit);
        throw nb::type_error("whole numbers are of 1, 4 or 8 bytes, with a sign");
    });
}

// Fill in the number of each code; codes are not negative, and numbers and output have the same type.
void look_up(AnyVector codes, AnyVector numbers, AnyOut found) {
    const i64 n = length(codes);
    require(length(found) == n && found.dtype() == numbers.dtype(), "numbers are filled into another type or length");
    with_type<i8, i32>(numbers, "numbers are of 1 or 4 bytes, with a sign", [&](const auto *number) {
        auto *into = static_cast<std::remove_const_t<std::remove_pointer_t<decltype(number)>> *>(found.data());
        with_codes(codes, [&](const auto *code) {
            const Unlocked unlocked;
            const Codes own{code, length(numbers)};
            for (i64 i = 0; i < n; i++) into[i] = number[own[i]];
        });
    });
}

template <class Word> u64 load(const u8 *at) {
    Word word;
    std::memcpy(&word, at, sizeof word);
    return word;
}

// 2^64 over the golden ratio: spreads consecutive integers over the table.
constexpr u64 MULTIPLIER = 0x9E3779B97F4A7C15;

// A value as the bytes that it takes: text, a row of an array, an integer. Missing values have the size -1.
struct Bytes {
    const u8 *at;
    i64 size;
    // The first and the last eight bytes, which overlap if there are fewer than 16; no byte beyond a value is read.
    u64 head = 0, tail = 0;

    Bytes(const u8 *at, i64 size) : at(at), size(size) {
        if (size >= 8) {
            head = load<u64>(at), tail = load<u64>(at + size - 8);
        } else if (size >= 4) {
            head = load<u32>(at), tail = load<u32>(at + size - 4);
        } else if (size > 0) {
            head = at[0] | u64(at[size / 2]) << 8, tail = at[size - 1];
        }
    }
    template <class Use> void between(Use use) const {
        for (i64 j = 8; j + 8 < size; j += 8) use(j);
    }
    u32 hash() const {
        u64 key = static_cast<u64>(size) + head * MULTIPLIER + tail * (MULTIPLIER * MULTIPLIER);
        between([&](i64 j) { key = key * MULTIPLIER + load<u64>(at + j); });
        // Words that differ only in their last bytes differ only in high bits of the product: mix once more.
        key ^= key >> 32;
        return static_cast<u32>((key * MULTIPLIER) >> 32);
    }
    bool operator==(const Bytes &other) const {
        if (size != other.size) return false;
        u64 unlike = (head ^ other.head) | (tail ^ other.tail);
        between([&](i64 j) { unlike |= load<u64>(at + j) ^ load<u64>(other.at + j); });
        return unlike == 0;
    }
};

// Distinct values in order of first occurrence, by open addressing.
class Distinct {
    std::vector<i32> slots{std::vector<i32>(512, -1)};  // the code of a value, or -1
    std::vector<Bytes> known;

    // Where a value is, or else belongs.
    static u64 slot_of(const Bytes &value, const i32 *table, u64 last, const Bytes *seen) {
        u64 slot = value.hash() & last;
        while (table[slot] >= 0 && !(value == seen[table[slot]])) slot = (slot + 1) & last;
        return slot;
    }
    void place(i32 code) { slots[slot_of(known[code], slots.data(), slots.size() - 1, known.data())] = code; }
    void add(const Bytes &value) {
        known.push_back(value);
        const i32 n = static_cast<i32>(known.size());
        if (2 * known.size() <= slots.size()) return place(n - 1);
        slots.assign(4 * slots.size(), -1);
        for (i32 code = 0; code < n; code++) place(code);
    }

public:
    std::vector<i64> firsts;  // where each occurs first

    // Code values until there are more than `most` distinct ones; return how many were coded.
    template <class Code, class ValueAt> i64 fill(Code *codes, i64 n, ValueAt value_at) {
        const i64 most = std::numeric_limits<Code>::max();
        i64 i = 0;
        while (i < n) {
            // Held in registers: a code of one byte might be stored anywhere.
            const i32 *table = slots.data();
            const Bytes *seen = known.data();
            const u64 last = slots.size() - 1;
            for (i32 code = 0; i < n; i++) {
                code = table[slot_of(value_at(i), table, last, seen)];
                if (code < 0) break;
                codes[i] = static_cast<Code>(code);
            }
            if (i == n || static_cast<i64>(known.size()) == most) break;
            add(value_at(i));
            firsts.push_back(i);
        }
        return i;
    }
};

using Numbered = std::pair<i64, NewVector<i64>>;

// Code values in order of first occurrence, until there are more than the type of the codes holds. Returns how many were
// coded, and where each code occurs first.
template <class ValueAt> Numbered number(AnyOut codes, ValueAt value_at) {
    i64 done = 0;
    Distinct distinct;
    with_type<i8, i32>(codes, "codes are of 1 or 4 bytes, with a sign", [&](const auto *given) {
        auto *code = const_cast<std::remove_const_t<std::remove_pointer_t<decltype(given)>> *>(given);
        const Unlocked unlocked;
        done = distinct.fill(code, length(codes), value_at);
    });
    return {done, as_array(std::move(distinct.firsts))};
}

// Number rows of `size` bytes each, which lie one after the other; see `number`.
Numbered number_rows(Vector<const u8> rows, i64 size, AnyOut codes) {
    require(size > 0 && length(rows) % size == 0 && length(rows) / size == length(codes), "not one code for each row");
    const u8 *row = rows.data();
    if (size == 8) return number(codes, [=](i64 i) { return Bytes{row + 8 * i, 8}; });
    return number(codes, [=](i64 i) { return Bytes{row + size * i, size}; });
}

// The same of an Arrow array, whose bits say which values are not missing; the first of them belong to others, and there
// are none if no value is missing.
template <class ValueAt> Numbered number_valid(AnyOut codes, Vector<const u8> valid, i64 first, ValueAt value_at) {
    const u8 *bits = valid.data();
    const i64 n_bits = 8 * length(valid);
    if (n_bits == 0) return number(codes, value_at);
    require(0 <= first && first <= n_bits && length(codes) <= n_bits - first, "not a bit for each value");
    return number(codes, [=](i64 i) {
        return bits[(first + i) / 8] >> ((first + i) % 8) & 1 ? value_at(i) : Bytes(nullptr, -1);
    });
}

// Number strings that lie one after the other, each from one of the offsets to the next; see `number_valid`.
Numbered number_strings(AnyVector offsets, Vector<const u8> text, Vector<const u8> valid, i64 first, AnyOut codes) {
    const i64 n_bytes = length(text);
    require(length(offsets) == length(codes) + 1, "not an end for each string");
    Numbered found;
    with_type<i32, i64>(offsets, "offsets have 4 or 8 bytes", [&](const auto *offset) {
        const u8 *bytes = text.data();
        found = number_valid(codes, valid, first, [=](i64 i) {
            const i64 begin = offset[i], end = offset[i + 1];
            if (begin < 0 || end < begin || end > n_bytes) [[unlikely]]
                refuse("a string that ends beyond the text");
            return Bytes{bytes + begin, end - begin};
        });
    });
    return found;
}

// Number strings by views of 16 bytes: the length, and up to twelve bytes; or the length, four bytes, buffer and offset.
Numbered number_views(Vector<const u8> views, nb::object buffers, Vector<const u8> valid, i64 first, AnyOut codes) {
    require(length(views) == 16 * length(codes), "not one code for each view");
    std::vector<Vector<const u8>> texts;
    for (nb::handle buffer : buffers) {
        if (!nb::try_cast(buffer, texts.emplace_back(), false)) throw nb::type_error("buffers are arrays of bytes");
    }
    const u8 *view = views.data();
    const Vector<const u8> *text = texts.data();
    const i64 n_texts = static_cast<i64>(texts.size());
    return number_valid(codes, valid, first, [=](i64 i) {
        const u8 *own = view + 16 * i;
        const i64 size = load<i32>(own), buffer = load<u32>(own + 8), begin = load<u32>(own + 12);
        if (0 <= size && size <= 12) return Bytes{own + 4, size};
        if (size < 0 || buffer >= n_texts || begin + size > length(text[buffer])) [[unlikely]]
            refuse("a string that ends beyond its buffer");
        return Bytes{text[buffer].data() + begin, size};
    });
}

}  // namespace

void bind_coding(nb::module_ &m) {
    m.doc() = "Coding labels: their range, and numbers of distinct values in order of first occurrence.";
    define(m, "value_range", value_range, "values");
    define(m, "cut_whole", cut_whole, "values", "whole", "limit");
    define(m, "look_up", look_up, "codes", "numbers", "found");
    define(m, "number_rows", number_rows, "rows", "size", "codes");
    define(m, "number_strings", number_strings, "offsets", "text", "valid", "first", "codes");
    define(m, "number_views", number_views, "views", "buffers", "valid", "first", "codes");
}
