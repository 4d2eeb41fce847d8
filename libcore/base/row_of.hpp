#pragma once

#include <concepts>
#include <iterator>
#include <string_view>
#include <type_traits>

namespace psflip {

/// Refers to a row of a table whose rows have names, for example `Observable q2 = "q2"`. The compiler looks
/// up the name; a name that no row has is a compile error. A reference converts to the index of its row, so
/// it can index arrays.
template <const auto& table>
class RowOf {
  public:
    using Row = std::remove_cvref_t<decltype(table[0])>;

    constexpr RowOf() = default;
    consteval RowOf(const char* name) {
        while (std::string_view(table[number_].name) != name) ++number_;
    }
    /// `row` must be a row of the table itself, not a copy.
    constexpr explicit RowOf(const std::same_as<Row> auto& row)
        : number_(static_cast<int>(&row - std::begin(table))) {}

    constexpr operator int() const { return number_; }
    constexpr const Row* operator->() const { return &table[number_]; }
    friend constexpr bool operator==(RowOf, RowOf) = default;

  private:
    int number_ = 0;
};

}  // namespace psflip
