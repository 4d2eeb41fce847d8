#pragma once

#include <cstddef>

namespace psflip {

/// Checks at compile time that a table has one row for each enumerator before `end`, in the order of the
/// enum. `key` is the member of a row that holds its enumerator.
template <class Row, std::size_t N, class Enum>
constexpr bool is_table_of(const Row (&table)[N], Enum Row::*key, Enum end) {
    if (N != static_cast<std::size_t>(end)) return false;
    for (std::size_t i = 0; i < N; ++i)
        if (static_cast<std::size_t>(table[i].*key) != i) return false;
    return true;
}

}  // namespace psflip
