#pragma once

#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "slab/ranks.hpp"

/// Agreement of the ranks about errors and values: if one rank fails, all ranks stop. All functions are
/// collective. An exception on one rank is thrown on all ranks, with Error::of_all_ranks set. All ranks throw
/// the same type: InputError, DiskFullError or EnvironmentError, and EnvironmentError for all other
/// exceptions. Rank 0 has the text for the user. With one rank, exceptions pass unchanged.
namespace psflip {

/// Calls `work` on every rank. `work` must not be collective. If only some ranks fail, the text of the error
/// begins with rank and host: "rank 2 of 4 (node7): ...".
void all_do(Ranks& ranks, const std::function<void()>& work);

/// Calls `work` on rank 0 only. All ranks throw if `work` fails.
void first_does(Ranks& ranks, const std::function<void()>& work);

/// Throws an error of type E that all ranks throw at the same place.
template <class E>
[[noreturn]] void throw_of_all_ranks(const std::string& text) {
    E error(text);
    error.set_of_all_ranks();
    throw error;
}

/// Name and value, as text, of a setting that must be the same on all ranks.
using NamedValue = std::pair<std::string, std::string>;

/// Throws InputError with both values if a rank has another value than rank 0. All ranks pass the same names.
void check_same_on_ranks(Ranks& ranks, const std::vector<NamedValue>& values);

/// Returns "rank 2 of 4 (node7)".
std::string rank_text(const Ranks& ranks);

/// Number of ranks on this machine, and number of these ranks that are below the calling rank.
struct RanksHere {
    int count = 1, below = 0;
};
RanksHere ranks_here(Ranks& ranks);

/// Returns the value of each rank, by rank. T must be trivially copyable.
template <class T>
std::vector<T> of_each(Ranks& ranks, const T& mine) {
    const auto bytes = ranks.all_gather(std::as_bytes(std::span(&mine, 1)));
    std::vector<T> all(static_cast<std::size_t>(ranks.size()));
    std::memcpy(static_cast<void*>(all.data()), bytes.data(), bytes.size());
    return all;
}

/// Return the value of rank 0.
template <class T>
requires std::is_trivially_copyable_v<T> T of_first(Ranks& ranks, T value) {
    ranks.broadcast(std::as_writable_bytes(std::span(&value, 1)), 0);
    return value;
}
std::string of_first(Ranks& ranks, std::string text);

}  // namespace psflip
