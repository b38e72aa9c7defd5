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

// 2^64 over the golden ratio: spreads consecutive integers over the table.
constexpr u64 MULTIPLIER = 0x9E3779B97F4A7C15;

// First slot of each row of words; the products of a row are independent of each other.
struct Slots {
    i32 *at;
    u64 mask;
    std::vector<u64> factors;

    Slots(const Vector<i32> &slots, i64 width) : at(slots.data()), mask(length(slots) - 1), factors(width) {
        require(length(slots) > 0 && (length(slots) & (length(slots) - 1)) == 0, "slots are a power of two");
        u64 factor = MULTIPLIER;
        for (u64 &own : factors) {
            own = factor;
            factor *= MULTIPLIER;
        }
    }
    template <class Word> u64 first(const Word *row) const {
        u64 key = 0;
        for (size_t j = 0; j < factors.size(); j++) key += static_cast<u64>(row[j]) * factors[j];
        // Words that differ only in their last bytes differ only in high bits of the product: mix once more.
        key ^= key >> 32;
        return ((key * MULTIPLIER) >> 32) & mask;
    }
    // The slot of a row: the first that is free, or that holds the same row.
    template <class Word, class Same> u64 slot_of(const Word *row, Same same) const {
        u64 slot = first(row);
        for (u64 tried = 0; at[slot] >= 0 && !same(at[slot]); slot = (slot + 1) & mask)
            if (tried++ == mask) refuse("no slot is free");
        return slot;
    }
};

template <class Use> auto with_words(const AnyVector &words, Use &&use) {
    return with_type<u64, u32, u16, u8>(words, "words have no sign", std::forward<Use>(use));
}

// Code distinct rows in order of first occurrence by open addressing, until all are coded or `firsts` is full. Integers
// are rows of one word, fixed-width text is rows of several.
//
// words : (n * width,) rows of words, one after the other
// start : position of the first of them among all rows
// codes : (n,) the code of each row, to be filled in
// keys : (len(firsts) * width) the distinct rows, to be filled in after the known ones
// slots : (power of two,) code of the row in each slot, -1 for none; longer than `firsts`
// firsts : first occurrence of each code; n_distinct are known
//
// Returns the number of coded rows, and the number of distinct ones.
std::pair<i64, i64> number_rows(AnyVector words, i64 start, AnyOut codes, AnyOut keys, Vector<i32> slots, Vector<i64> firsts,
                                i64 n_distinct) {
    const i64 n = length(codes), most = length(firsts);
    require(most > 0 && length(slots) > most && length(keys) % most == 0, "as many keys as firsts, and more slots");
    require(keys.dtype() == words.dtype(), "keys are of another type");
    const i64 width = length(keys) / most;
    require(length(words) == n * width, "not one code for each row");
    require(0 <= n_distinct && n_distinct <= most, "more rows are known than there is room for");
    const Slots table(slots, width);
    i64 done = 0;
    auto number = [&](const auto *word, auto *code) {
        using Word = std::remove_cvref_t<decltype(*word)>;
        using Code = std::remove_cvref_t<decltype(*code)>;
        require(most - 1 <= std::numeric_limits<Code>::max(), "codes of a type that is too narrow");
        const Unlocked unlocked;
        Word *known = static_cast<Word *>(keys.data());
        for (; done < n; done++, word += width) {
            const u64 slot = table.slot_of(word, [&](i32 other) {
                if (other >= n_distinct) [[unlikely]]
                    refuse("a slot of no row");
                return std::equal(word, word + width, known + other * width);
            });
            i32 found = table.at[slot];
            if (found < 0) {
                if (n_distinct == most) return;
                table.at[slot] = found = static_cast<i32>(n_distinct);
                firsts.data()[n_distinct] = start + done;
                std::copy_n(word, width, known + n_distinct * width);
                n_distinct++;
            }
            code[done] = static_cast<Code>(found);
        }
    };
    with_words(words, [&](const auto *word) {
        if (codes.dtype() == nb::dtype<i8>()) return number(word, static_cast<i8 *>(codes.data()));
        if (codes.dtype() == nb::dtype<i32>()) return number(word, static_cast<i32 *>(codes.data()));
        throw nb::type_error("codes are of 1 or 4 bytes, with a sign");
    });
    return {done, n_distinct};
}

// Put known rows into slots that are all -1, as `number_rows` looks for them.
void fill_slots(AnyVector keys, i64 width, i64 n_distinct, Vector<i32> slots) {
    require(width > 0 && length(keys) / width >= n_distinct && length(slots) > n_distinct, "fewer keys or slots than rows");
    const Slots table(slots, width);
    with_words(keys, [&](const auto *known) {
        const Unlocked unlocked;
        for (i64 code = 0; code < n_distinct; code++) {
            table.at[table.slot_of(known + code * width, [](i32) { return false; })] = static_cast<i32>(code);
        }
    });
}

// Known rows, each with a slot of its own: no row is looked up in a second slot.
//
// factors : (width,) one for each word of a row: the row's slot is the sum of the products without its last bits
// shift : the number of these bits
// keys : (slots * width,) the row in each slot; in an empty one, any that belongs elsewhere
// numbers : (slots,) the code of the row
template <class Word> struct Known {
    const u64 *factors;
    u64 shift;
    const Word *keys;
    const i8 *numbers;
};

void require_known(const Vector<const u64> &factors, u64 shift, i64 n_keys, const Vector<const i8> &numbers) {
    const i64 slots = length(numbers);
    require(slots > 1 && (slots & (slots - 1)) == 0 && n_keys == slots * length(factors), "not one row for each slot");
    require(0 < shift && shift < 64 && (u64(1) << (64 - shift)) == static_cast<u64>(slots), "a shift that leaves other slots");
}

constexpr i64 WIDEST = 16, FEW = 8;

// Call `use` with the width, as a constant if it is small: loops over the words of a row are then unrolled. Words are
// the widest that divide a row, so the number of narrower ones is odd.
template <class Word, class Use> i64 with_width(i64 width, Use &&use) {
    require(0 < width && width <= WIDEST, "rows have 1 to 16 words");
    i64 found = -1;
    auto is = [&]<i64 W>(std::integral_constant<i64, W> constant) {
        if constexpr (sizeof(Word) == sizeof(u64) || W % 2 == 1)
            if (width == W) return found = use(constant), true;
        return false;
    };
    auto is_one_of = [&]<i64... W>(std::integer_sequence<i64, W...>) { return (is(std::integral_constant<i64, W + 1>()) || ...); };
    return is_one_of(std::make_integer_sequence<i64, FEW>()) ? found : use(width);
}

// Code rows one by one, where `slot_of` gives the slot of row i and whether it holds another row; block by block,
// because without a branch several rows are looked up at a time. Returns how many: all, or those before a block with
// an unknown row.
template <class SlotOf> i64 coded_blocks(i64 n, i64 block, const i8 *numbers, i8 *codes, SlotOf slot_of) {
    for (i64 first = 0; first < n; first += block) {
        u64 unlike = 0;
        const i64 last = std::min(first + block, n);
        for (i64 i = first; i < last; i++) codes[i] = numbers[slot_of(i, unlike)];
        if (unlike != 0) return first;
    }
    return n;
}

// Code known rows; see `Known` and `coded_blocks`.
//
// words : (n * width,) rows of words, one after the other
// codes : (n,) the code of each row, to be filled in
// block : rows that are coded before checking whether all were known
i64 look_up_rows(AnyVector words, Vector<i8> codes, i64 block, Vector<const u64> factors, u64 shift, AnyVector keys,
                 Vector<const i8> numbers) {
    const i64 n = length(codes), width = length(factors);
    require(length(words) >= n * width && keys.dtype() == words.dtype() && block > 0, "not one code for each row");
    require_known(factors, shift, length(keys), numbers);
    return with_words(words, [&](const auto *word) {
        using Word = std::remove_cvref_t<decltype(*word)>;
        return with_width<Word>(width, [&](auto w) {
            const Unlocked unlocked;
            const Known<Word> known{factors.data(), shift, static_cast<const Word *>(keys.data()), numbers.data()};
            return coded_blocks(n, block, known.numbers, codes.data(), [&](i64 i, u64 &unlike) {
                const Word *row = word + i * w;
                u64 slot = 0;
                for (i64 j = 0; j < w; j++) slot += static_cast<u64>(row[j]) * known.factors[j];
                slot >>= known.shift;
                const Word *own = known.keys + slot * w;
                for (i64 j = 0; j < w; j++) unlike |= static_cast<u64>(static_cast<Word>(own[j] ^ row[j]));
                return slot;
            });
        });
    });
}

u64 load_word(const u8 *text) {
    u64 word;
    std::memcpy(&word, text, sizeof word);
    return word;
}

// Known strings, looked up in place.
//
// masks : ((8 * width + 1) * width,) for each length, the bytes of a row that belong to a string of that length
// lengths : (slots,) bytes of the string in each slot
template <class Width> struct KnownStrings {
    Known<u64> rows;
    const u64 *masks, *lengths;
    Width w;

    // Slot of the string that begins at `text`; the bits in which it differs from that slot's are added to `unlike`.
    u64 slot(const u8 *text, u64 n_bytes, u64 &unlike) const {
        const u64 *mask = masks + std::min<u64>(n_bytes, 8 * w) * w;
        u64 words[WIDEST], slot = 0;
        for (i64 j = 0; j < w; j++) slot += (words[j] = load_word(text + 8 * j) & mask[j]) * rows.factors[j];
        slot >>= rows.shift;
        for (i64 j = 0; j < w; j++) unlike |= rows.keys[slot * w + j] ^ words[j];
        unlike |= lengths[slot] ^ n_bytes;
        return slot;
    }
};

void require_known_strings(const Vector<const u64> &masks, const Vector<const u64> &factors, u64 shift, const Vector<const u64> &keys,
                           const Vector<const u64> &lengths, const Vector<const i8> &numbers) {
    require_known(factors, shift, length(keys), numbers);
    const i64 width = length(factors);
    require(length(masks) >= (8 * width + 1) * width && length(lengths) == length(numbers), "not a mask for each length");
}

// Code known strings in place; see `look_up_rows`.
//
// offsets : (n + 1,) where each string begins, and the last ends
// text : bytes; strings too close to its end to read a whole row count as unknown
i64 look_up_strings(AnyVector offsets, Vector<const u8> text, Vector<const u64> masks, Vector<i8> codes, i64 block,
                    Vector<const u64> factors, u64 shift, Vector<const u64> keys, Vector<const u64> lengths,
                    Vector<const i8> numbers) {
    const i64 n = length(codes), width = length(factors);
    require(length(offsets) > n && block > 0, "not an end for each string");
    require_known_strings(masks, factors, shift, keys, lengths, numbers);
    return with_type<i32, i64>(offsets, "offsets have 4 or 8 bytes", [&](const auto *offset) {
        if (length(text) < 8 * width) return i64{0};
        return with_width<u64>(width, [&](auto w) {
            const Unlocked unlocked;
            const KnownStrings<decltype(w)> known{{factors.data(), shift, keys.data(), numbers.data()}, masks.data(), lengths.data(), w};
            const u64 last = static_cast<u64>(length(text) - 8 * width);
            return coded_blocks(n, block, numbers.data(), codes.data(), [&](i64 i, u64 &unlike) {
                const u64 begin = static_cast<u64>(offset[i]), at = std::min(begin, last);
                unlike |= begin ^ at;
                return known.slot(text.data() + at, static_cast<u64>(offset[i + 1]) - begin, unlike);
            });
        });
    });
}

constexpr u64 LOW = 0xFFFFFFFF;
constexpr u64 INSIDE = 12;  // bytes of the longest string that is stored in its view

// Code known strings of views in place; see `look_up_strings` and `place_views`.
//
// views, own, buffers : as there; at least one buffer
// text : bytes, at least as many as a row has; strings too close to its end to read a whole row count as unknown
i64 look_up_views(Vector<const u64> views, i64 own, Vector<const i64> buffers, Vector<const u8> text, Vector<const u64> masks,
                  Vector<i8> codes, i64 block, Vector<const u64> factors, u64 shift, Vector<const u64> keys,
                  Vector<const u64> lengths, Vector<const i8> numbers) {
    const i64 n = length(codes), width = length(factors), n_buffers = length(buffers);
    require(length(views) >= 2 * n && n_buffers > 0 && length(text) >= 8 * width && block > 0, "too few views, buffers or bytes");
    require_known_strings(masks, factors, shift, keys, lengths, numbers);
    return with_width<u64>(width, [&](auto w) {
        const Unlocked unlocked;
        const KnownStrings<decltype(w)> known{{factors.data(), shift, keys.data(), numbers.data()}, masks.data(), lengths.data(), w};
        const u64 last = static_cast<u64>(length(text)) - 8 * static_cast<u64>(width);
        const u64 *view = views.data();
        return coded_blocks(n, block, numbers.data(), codes.data(), [&](i64 i, u64 &unlike) {
            const u64 n_bytes = view[2 * i] & LOW, tail = view[2 * i + 1];
            const bool outside = n_bytes > INSIDE;
            const u64 buffer = std::min<u64>(outside ? tail & LOW : 0, n_buffers - 1);
            const u64 elsewhere = static_cast<u64>(buffers.data()[buffer]) + (tail >> 32);
            const u64 begin = outside ? elsewhere : static_cast<u64>(own + 16 * i + 4);
            const u64 at = std::min(begin, last);
            const u64 slot = known.slot(text.data() + at, n_bytes, unlike);
            unlike |= begin ^ at;
            return slot;
        });
    });
}

// Keep the first n bytes of a word: all of them if n is 8 or more, none if it is 0 or less.
u64 first_bytes(u64 word, i64 n) {
    if (n >= 8) return word;
    return n <= 0 ? 0 : word & ((u64(1) << (8 * n)) - 1);
}

// Pack strings into rows of `width` words, padded with zeros; a null becomes a row of ones, with which no text begins.
//
// starts, lengths : (n,) where each string begins, and its number of bytes; -1 for a null
// text : bytes, at least eight
// packed : (n * width,) to be filled in
//
// Returns whether a string ends in a zero, which looks like padding.
bool pack_strings(Vector<const i64> starts, Vector<const i64> lengths, Vector<const u8> text, i64 width, Vector<u64> packed) {
    const i64 n = length(starts), size = length(text);
    require(length(lengths) == n && width > 0 && length(packed) / width >= n && size >= 8, "not a row for each string");
    const Unlocked unlocked;
    bool zero_ends = false;
    u64 *row = packed.data();
    for (i64 i = 0; i < n; i++, row += width) {
        const i64 at = starts.data()[i], n_bytes = lengths.data()[i];
        if (n_bytes < 0) {
            std::fill_n(row, width, ~u64(0));
            continue;
        }
        require(0 <= at && at <= size && n_bytes <= size - at, "a string that ends beyond the text");
        for (i64 j = 0; j < width; j++) {
            // The last words would extend beyond the memory.
            const i64 begin = at + 8 * j, safe = std::min(begin, size - 8);
            const u64 word = load_word(text.data() + safe) >> (8 * std::min<i64>(begin - safe, 7));
            row[j] = first_bytes(word, n_bytes - 8 * j);
        }
        if (n_bytes > 0) zero_ends |= text.data()[at + n_bytes - 1] == 0;
    }
    return zero_ends;
}

// Fill in where the strings of views begin: up to twelve bytes are in the view itself, longer ones in a buffer.
//
// views : (2 * n,) length and first bytes; then the other bytes, or buffer and offset
// own : where the first view begins
// buffers : where each buffer begins
// starts, lengths : (n,) to be filled in
void place_views(Vector<const u64> views, i64 own, Vector<const i64> buffers, Vector<i64> starts, Vector<i64> lengths) {
    const i64 n = length(starts);
    require(length(lengths) == n && length(views) >= 2 * n, "not a view for each string");
    const Unlocked unlocked;
    for (i64 i = 0; i < n; i++) {
        const u64 n_bytes = views.data()[2 * i] & LOW, tail = views.data()[2 * i + 1];
        lengths.data()[i] = static_cast<i64>(n_bytes);
        starts.data()[i] = own + 16 * i + 4;
        // The view of a null may contain anything.
        if (n_bytes > INSIDE && (tail & LOW) < static_cast<u64>(length(buffers)))
            starts.data()[i] = buffers.data()[tail & LOW] + static_cast<i64>(tail >> 32);
    }
}

}  // namespace

void bind_coding(nb::module_ &m) {
    m.doc() = "Coding labels: their range, and numbers of distinct values in order of first occurrence.";
    m.attr("WIDEST") = WIDEST;
    define(m, "value_range", value_range, "values");
    define(m, "cut_whole", cut_whole, "values", "whole", "limit");
    define(m, "look_up", look_up, "codes", "numbers", "found");
    define(m, "number_rows", number_rows, "words", "start", "codes", "keys", "slots", "firsts", "n_distinct");
    define(m, "fill_slots", fill_slots, "keys", "width", "n_distinct", "slots");
    define(m, "look_up_rows", look_up_rows, "words", "codes", "block", "factors", "shift", "keys", "numbers");
    define(m, "look_up_strings", look_up_strings, "offsets", "text", "masks", "codes", "block", "factors", "shift", "keys", "lengths",
           "numbers");
    define(m, "look_up_views", look_up_views, "views", "own", "buffers", "text", "masks", "codes", "block", "factors", "shift",
           "keys", "lengths", "numbers");
    define(m, "pack_strings", pack_strings, "starts", "lengths", "text", "width", "packed");
    define(m, "place_views", place_views, "views", "own", "buffers", "starts", "lengths");
}
