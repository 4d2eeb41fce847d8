#pragma once

#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "slab/ranks.hpp"

/// Makes the ranks agree about errors and values. If one rank fails, all ranks stop. All functions of this
/// header are collective. If one rank throws, all ranks throw an error of one type with Error::of_all_ranks
/// set. The type is InputError, DiskFullError or EnvironmentError. Other exceptions become EnvironmentError.
/// Rank 0 has the text for the user. With one rank, exceptions pass unchanged.
namespace psflip {

/// Calls `work` on every rank. `work` must not be collective. If only some ranks fail, the text of the error
/// begins with rank and host: "rank 2 of 4 (node7): ...".
void all_do(Ranks& ranks, const std::function<void()>& work);

/// Calls `work` on rank 0 only. Errors: all ranks throw what `work` throws.
void first_does(Ranks& ranks, const std::function<void()>& work);

/// Throws an error of type E with Error::of_all_ranks set. All ranks must call it at the same point of the
/// program.
template <class E>
[[noreturn]] void throw_of_all_ranks(const std::string& text) {
    E error(text);
    error.set_of_all_ranks();
    throw error;
}

/// Holds name and value, as text, of a setting that must be equal on all ranks.
using NamedValue = std::pair<std::string, std::string>;

/// Checks that every rank has the values of rank 0. All ranks pass equal names. Errors: InputError if a value
/// differs. The message has the values of both ranks.
void check_same_on_ranks(Ranks& ranks, const std::vector<NamedValue>& values);

/// Returns the name of a rank for messages, such as "rank 2 of 4 (node7)". Not collective.
std::string rank_text(const Ranks& ranks);

/// Holds the number of ranks on this machine, and how many of them have a lower number than the calling rank.
struct RanksHere {
    int count = 1, below = 0;
};
/// Returns the ranks on this machine. Ranks with equal host name and boot id are on one machine.
RanksHere ranks_here(Ranks& ranks);

/// Returns the values of all ranks, by rank. T must be trivially copyable.
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
