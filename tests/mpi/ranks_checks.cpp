#include "mpi/ranks_checks.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "slab/shared_messages.hpp"

namespace psflip {
namespace {

using Bytes = std::vector<std::byte>;

/// Returns bytes that depend on the rank and on their purpose.
Bytes bytes_of(int rank, int what, std::size_t size) {
    Bytes bytes(size);
    for (std::size_t i = 0; i < size; ++i)
        bytes[i] = static_cast<std::byte>(17 * rank + 5 * what + static_cast<int>(i % 251));
    return bytes;
}

/// Of unequal sizes: what rank r sends below has `size` + r bytes, what it sends above 2 r.
bool exchange_is_right(Ranks& ranks, std::size_t size) {
    const int me = ranks.rank(), below = ranks.below(), above = ranks.above();
    const auto number = [](int rank) { return static_cast<std::size_t>(rank); };
    const Bytes to_below = bytes_of(me, 0, size + number(me)), to_above = bytes_of(me, 1, 2 * number(me));
    Bytes from_below(2 * number(below)), from_above(size + number(above));
    ranks.start_exchange({to_below, to_above, from_below, from_above});
    ranks.finish_exchange();
    return from_below == bytes_of(below, 1, 2 * number(below)) &&
           from_above == bytes_of(above, 0, size + number(above));
}

template <class T>
bool sum_is_right(Ranks& ranks) {
    std::vector<T> values(1000);
    std::iota(values.begin(), values.end(), static_cast<T>(1000 * ranks.rank() - 7));
    ranks.sum(std::span(values));
    const T n = ranks.size();
    for (T i = 0; i < 1000; ++i)
        if (values[static_cast<std::size_t>(i)] != n * (i - 7) + 1000 * (n * (n - 1) / 2)) return false;
    return true;
}

bool exclusive_or_is_right(Ranks& ranks) {
    const auto word = [](int rank, std::uint64_t i) { return (i + 3) * 0x9e3779b97f4a7c15ull * (rank + 1); };
    std::vector<std::uint64_t> words(10), lower(10, 0), all(10, 0);
    for (std::uint64_t i = 0; i < 10; ++i) {
        words[i] = word(ranks.rank(), i);
        for (int r = 0; r < ranks.size(); ++r) {
            if (r < ranks.rank()) lower[i] ^= word(r, i);
            all[i] ^= word(r, i);
        }
    }
    return ranks.exclusive_or(words) == lower && words == all;
}

bool gather_is_right(Ranks& ranks, std::size_t size) {
    std::vector<std::size_t> sizes;
    Bytes wanted;
    for (int r = 0; r < ranks.size(); ++r) {
        sizes.push_back(r == 1 ? 0 : size + static_cast<std::size_t>(r));
        const Bytes part = bytes_of(r, 2, sizes.back());
        wanted.insert(wanted.end(), part.begin(), part.end());
    }
    Bytes all(ranks.is_first() ? wanted.size() : 0);
    ranks.gather(bytes_of(ranks.rank(), 2, sizes[static_cast<std::size_t>(ranks.rank())]), all, sizes);
    return !ranks.is_first() || all == wanted;
}

/// Rank s has `size` + 3 s + r bytes for rank r, and none for the one below.
bool all_to_all_is_right(Ranks& ranks, std::size_t size) {
    const int me = ranks.rank(), n = ranks.size();
    const auto bytes_between = [&](int from, int to) {
        const bool none = n > 1 && to == (from + n - 1) % n;
        return bytes_of(from, 6 + to, none ? 0 : size + static_cast<std::size_t>(3 * from + to));
    };
    std::vector<std::size_t> to, from;
    Bytes mine, wanted;
    for (int r = 0; r < n; ++r) {
        const Bytes part = bytes_between(me, r), other = bytes_between(r, me);
        to.push_back(part.size());
        from.push_back(other.size());
        mine.insert(mine.end(), part.begin(), part.end());
        wanted.insert(wanted.end(), other.begin(), other.end());
    }
    Bytes theirs(wanted.size());
    ranks.all_to_all(mine, to, theirs, from);
    return theirs == wanted;
}

/// Returns whether both neighbours read what a rank wrote into shared memory, which all ranks of a machine
/// reach.
bool shared_messages_are_right(Ranks& ranks, std::size_t size) {
    const SharedMessages shared(ranks, size);
    if (!shared.reached()) return false;
    std::ranges::copy(bytes_of(ranks.rank(), 5, size), shared.own());
    ranks.barrier();
    const bool right =
        std::ranges::equal(bytes_of(ranks.below(), 5, size), std::span(shared.below(), size)) &&
        std::ranges::equal(bytes_of(ranks.above(), 5, size), std::span(shared.above(), size));
    return ranks.maximum(right ? 0 : 1) == 0;
}

}  // namespace

std::string wrong_of(Ranks& ranks, std::size_t bytes) {
    const int me = ranks.rank(), last = ranks.size() - 1;
    if (ranks.above() != (me == last ? 0 : me + 1) || ranks.below() != (me == 0 ? last : me - 1))
        return "neighbours";
    if (!exchange_is_right(ranks, bytes) || !exchange_is_right(ranks, 0)) return "exchange";
    if (!sum_is_right<std::int32_t>(ranks) || !sum_is_right<std::int64_t>(ranks)) return "sum";
    if (!exclusive_or_is_right(ranks)) return "exclusive_or";
    if (ranks.maximum(-5 - me) != -5) return "maximum";
    Bytes shared = bytes_of(me, 3, bytes);
    ranks.broadcast(shared, last);
    if (shared != bytes_of(last, 3, bytes)) return "broadcast";
    const Bytes all = ranks.all_gather(bytes_of(me, 4, 10));
    for (int r = 0; r <= last; ++r)
        if (!std::equal(all.begin() + 10 * r, all.begin() + 10 * (r + 1), bytes_of(r, 4, 10).begin()))
            return "all_gather";
    if (!gather_is_right(ranks, bytes)) return "gather";
    if (!all_to_all_is_right(ranks, bytes)) return "all_to_all";
    if (!shared_messages_are_right(ranks, bytes)) return "shared messages";
    ranks.barrier();
    return "";
}

}  // namespace psflip
