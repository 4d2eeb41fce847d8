#pragma once

#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "slab/ranks.hpp"

namespace psflip {

/// What ranks find out together about errors: where one of them cannot go on, none does. All are collective.
/// Exceptions that they throw are thrown by all ranks, and say so (Error::of_all_ranks): of the same type
/// (InputError, DiskFullError, EnvironmentError; another exception becomes an EnvironmentError) and, on rank
/// 0, with the text for the user. With one rank exceptions pass as they are.

/// Calls `work` on every rank; it must not be collective. An error that not all of them have is told with
/// rank and host: "rank 2 of 4 (node7): ...".
void all_do(Ranks& ranks, const std::function<void()>& work);

/// Calls `work` on rank 0 alone.
void first_does(Ranks& ranks, const std::function<void()>& work);

/// Throws an error that all ranks have.
template <class E>
[[noreturn]] void throw_of_all_ranks(const std::string& text) {
    E error(text);
    error.set_of_all_ranks();
    throw error;
}

/// Something by name that must be the same on all ranks, as text.
using NamedValue = std::pair<std::string, std::string>;

/// InputError where a rank has another value than rank 0, naming both. All have the same names.
void check_same_on_ranks(Ranks& ranks, const std::vector<NamedValue>& values);

/// "rank 2 of 4 (node7)".
std::string rank_text(const Ranks& ranks);

/// Where the ranks are: how many of them run on this machine, and how many of these have lower numbers.
struct RanksHere {
    int count = 1, below = 0;
};
RanksHere ranks_here(Ranks& ranks);

/// The value of each rank; of a type whose bytes can be sent.
template <class T>
std::vector<T> of_each(Ranks& ranks, const T& mine) {
    const auto bytes = ranks.all_gather(std::as_bytes(std::span(&mine, 1)));
    std::vector<T> all(static_cast<std::size_t>(ranks.size()));
    std::memcpy(static_cast<void*>(all.data()), bytes.data(), bytes.size());
    return all;
}

/// The value of rank 0.
double of_first(Ranks& ranks, double value);
std::string of_first(Ranks& ranks, std::string text);

}  // namespace psflip
