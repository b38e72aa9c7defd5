// Distances sorted bucket by bucket, and counts over sorted ones.
//
// A distance is kept as a key: its bit pattern, which sorts like a non-negative distance, followed by one more bit that
// is set within clusters. Sorted, distances within clusters then follow equal ones between clusters. For several partitions
// of the same points, a distance is kept with a tag: one bit for each, set where it is within a cluster.
#include "pair_tiles.h"

#include <bit>
#include <numeric>

namespace {

// Find the bucket of each distance by its bin of equal width, and count the distances in each bucket.
void find_buckets(Vector<const double> values, double scale, Vector<const i32> bucket_of_bin, Vector<i32> buckets, Vector<i64> counts) {
    const i64 n = length(values), n_bins = length(bucket_of_bin), n_buckets = length(counts);
    const i32 *of_bin = bucket_of_bin.data();
    require(0 < n_bins && n_bins <= INT32_MAX && length(buckets) == n && n_buckets > 0, "distances without a bucket");
    const Unlocked unlocked;
    const double *value = values.data();
    i32 *found = buckets.data();
    i64 *count = counts.data();
    i32 bins[BINNED];
    for (i64 start = 0; start < n; start += BINNED) {
        const i64 width = std::min(BINNED, n - start);
        bins_of(value + start, width, scale, n_bins, bins);
        for (i64 j = 0; j < width; j++) {
            const i32 bucket = of_bin[bins[j]];
            require(0 <= bucket && bucket < n_buckets, "no such bucket");
            found[start + j] = bucket;
            count[bucket]++;
        }
    }
}

// Call `store` with the place in its bucket of each distance, and its bit pattern. Those in the bucket after the last are
// left out.
template <class Store>
void place_in_buckets(const Vector<const double> &values, const Vector<const i32> &buckets, const Vector<i64> &places, i64 room, Store store) {
    const i64 n = length(values), nowhere = length(places) - 1;
    const i32 *bucket = buckets.data();
    require(length(buckets) == n && nowhere >= 0, "distances without a bucket");
    const Unlocked unlocked;
    const double *value = values.data();
    i64 *next = places.data();
#pragma GCC unroll 8
    for (i64 j = 0; j < n; j++) {
        const i64 b = bucket[j];
        if (b == nowhere) continue;
        require(0 <= b && b < nowhere, "no such bucket");
        const i64 place = next[b];
        require(0 <= place && place < room, "a bucket without room");
        store(place, j, std::bit_cast<u64>(value[j]));
        next[b] = place + 1;
    }
}

// Put the keys of distances of one kind (1 within clusters) into their buckets.
void put_into_buckets(Vector<const double> values, i64 kind, Vector<const i32> buckets, Vector<i64> places, Vector<u64> keys) {
    const u64 bit = static_cast<u64>(kind);
    u64 *found = keys.data();
    place_in_buckets(values, buckets, places, length(keys), [=](i64 place, i64, u64 bits) { found[place] = bits << 1 | bit; });
}

struct Tagged {
    u64 key, tag;
    bool operator<(const Tagged &other) const { return key < other.key; }
};
u64 number(u64 key) { return key; }
u64 number(const Tagged &tagged) { return tagged.key; }

// Put distances and their tags, (n, 2), into their buckets.
void put_with_tags(Vector<const double> values, Vector<const u64> tags, Vector<const i32> buckets, Vector<i64> places, Matrix<u64> tagged) {
    require(length(tags) == length(values) && length(tagged, 1) == 2, "distances without tags");
    const u64 *tag = tags.data();
    u64 *found = tagged.data();
    place_in_buckets(values, buckets, places, length(tagged), [=](i64 place, i64 j, u64 bits) {
        found[2 * place] = bits;
        found[2 * place + 1] = tag[j];
    });
}

// Sorts keys by where they lie between the least and the largest, which tells almost all of them apart if they are spread
// evenly; those that share a place are sorted in the same way. NumPy's sort takes 3 to 6 times as long.
template <class Key> class Sorter {
    // Keys that are sorted by insertion; the most places, in which counts stay in cache; and keys of which a copy does.
    static constexpr i64 FEW = 16, PLACES = 1 << 13, MANY = 1 << 20;
    std::vector<Key> copy;
    std::vector<u32> places;

    static void insert(Key *key, i64 n) {
        for (i64 i = 1; i < n; i++) {
            const Key next = key[i];
            i64 j = i;
            for (; j > 0 && next < key[j - 1]; j--) key[j] = key[j - 1];
            key[j] = next;
        }
    }

  public:
    // `used` places belong to calls that are not finished.
    void sort(Key *key, i64 n, i64 used = 0) {
        if (n <= FEW) return insert(key, n);
        if (n > MANY) {
            std::nth_element(key, key + n / 2, key + n);
            sort(key, n / 2, used);
            return sort(key + n / 2, n - n / 2, used);
        }
        u64 least = number(*key), most = least;
        for (i64 i = 1; i < n; i++) least = std::min(least, number(key[i])), most = std::max(most, number(key[i]));
        const u64 range = most - least;
        if (range == 0) return;
        const int shift = std::max(0, static_cast<int>(std::bit_width(range)) - static_cast<int>(std::bit_width(static_cast<u64>(std::min(n, PLACES - 1)))));
        const i64 count = static_cast<i64>(range >> shift) + 1, mine = used + count + 1;
        if (static_cast<i64>(places.size()) < mine) places.resize(mine);
        if (static_cast<i64>(copy.size()) < n) copy.resize(n);
        u32 *end = places.data() + used;
        std::fill_n(end, count + 1, 0);
        for (i64 i = 0; i < n; i++) end[((number(key[i]) - least) >> shift) + 1]++;
        const i64 fullest = *std::max_element(end, end + count + 1);
        std::partial_sum(end, end + count + 1, end);
        std::copy_n(key, n, copy.data());
        for (i64 i = 0; i < n; i++) key[end[(number(copy[i]) - least) >> shift]++] = copy[i];
        if (shift == 0) return;
        if (fullest <= FEW) return insert(key, n);
        for (i64 c = 0, begin = 0; c < count; c++) {
            const i64 next = places[used + c];
            sort(key + begin, next - begin, mine);
            begin = next;
        }
    }
};

template <class Key> void sort_buckets(Key *keys, i64 n, const Vector<const i64> &edges) {
    require_runs(edges, n, "buckets beyond the keys");
    const Unlocked unlocked;
    Sorter<Key> sorter;
    for (i64 b = 0; b + 1 < length(edges); b++) sorter.sort(keys + edges.data()[b], edges.data()[b + 1] - edges.data()[b]);
}

// Sort the keys of each bucket; `edges` are where buckets begin, and where the last one ends.
void sort_keys(Vector<u64> keys, Vector<const i64> edges) { sort_buckets(keys.data(), length(keys), edges); }
// The same with tags, (n, 2).
void sort_with_tags(Matrix<u64> tagged, Vector<const i64> edges) {
    require(length(tagged, 1) == 2, "distances without tags");
    sort_buckets(reinterpret_cast<Tagged *>(tagged.data()), length(tagged), edges);
}

// Count, over sorted keys, the pairs (within, between) with within > between, ties, and all pairs of equal values.
//
// There are at most as many keys as fit in memory, so that no count exceeds 63 bits.
std::tuple<i64, i64, i64> tally_keys(Vector<const u64> keys) {
    const i64 n = length(keys);
    const u64 *key = keys.data();
    const Unlocked unlocked;
    auto is_within = [&](i64 i) { return static_cast<i64>(key[i] & 1); };
    i64 between = 0, larger = 0, ties = 0, tied = 0;
    for (i64 i = 0; i < n;) {
        const u64 value = key[i] >> 1;
        if (i + 1 == n || key[i + 1] >> 1 != value) {
            const i64 one = is_within(i);
            larger += between * one;
            between += 1 - one;
            i++;
            continue;
        }
        const i64 first = i;
        i64 own = 0;
        for (; i < n && key[i] >> 1 == value; i++) own += is_within(i);
        const i64 equal = i - first - own;
        larger += own * between;
        ties += own * equal;
        tied += ((own + equal) * (own + equal - 1)) >> 1;
        between += equal;
    }
    return {larger, ties, tied};
}

// The same for the partitions of sorted tags, (n, 2), of which the distances within clusters are counted as well. Adds to
// three counts of each partition, and returns the pairs of equal values.
i64 tally_tags(Matrix<const u64> tagged, Vector<i64> larger, Vector<i64> ties, Vector<i64> within) {
    const i64 n = length(tagged), partitions = length(larger);
    require(length(tagged, 1) == 2 && partitions <= 64 && length(ties) == partitions && length(within) == partitions, "no such partitions");
    const u64 *at = tagged.data();
    i64 *above = larger.data(), *equal = ties.data(), *joined = within.data(), tied = 0;
    const Unlocked unlocked;
    i64 between[64] = {}, own[64];
    for (i64 i = 0; i < n;) {
        const i64 first = i;
        std::fill_n(own, partitions, 0);
        do {
            for (i64 p = 0; p < partitions; p++) own[p] += static_cast<i64>(at[2 * i + 1] >> p & 1);
            i++;
        } while (i < n && at[2 * i] == at[2 * first]);
        const i64 together = i - first;
        for (i64 p = 0; p < partitions; p++) {
            above[p] += own[p] * between[p];
            equal[p] += own[p] * (together - own[p]);
            joined[p] += own[p];
            between[p] += together - own[p];
        }
        tied += (together * (together - 1)) >> 1;
    }
    return tied;
}

// Add the distances of sorted keys to a total one by one.
double sum_in_order(Vector<const u64> keys, bool from_top, double total) {
    const i64 n = length(keys);
    const u64 *key = keys.data();
    const Unlocked unlocked;
    for (i64 i = 0; i < n; i++) {
        const u64 bits = key[from_top ? n - 1 - i : i] >> 1;
        double value;
        std::memcpy(&value, &bits, sizeof value);
        total += value;
    }
    return total;
}

}  // namespace

void bind_pair_ranks(nb::module_ &m) {
    m.doc() = "Distances brought into order bucket by bucket, and counting over what is in order.";
    define(m, "find_buckets", find_buckets, "values", "scale", "bucket_of_bin", "buckets", "counts");
    define(m, "put_into_buckets", put_into_buckets, "values", "kind", "buckets", "places", "keys");
    define(m, "put_with_tags", put_with_tags, "values", "tags", "buckets", "places", "tagged");
    define(m, "sort_keys", sort_keys, "keys", "edges");
    define(m, "sort_with_tags", sort_with_tags, "tagged", "edges");
    define(m, "tally_tags", tally_tags, "tagged", "larger", "ties", "within");
    define(m, "tally_keys", tally_keys, "keys");
    define(m, "sum_in_order", sum_in_order, "keys", "from_top", "total");
}
