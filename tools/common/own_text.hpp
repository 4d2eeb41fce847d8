#pragma once

#include <optional>
#include <string>

namespace psflip::tools {

/// What a text is that a program of psflip writes.
namespace text_kind {
inline constexpr const char* results = "table of results";
inline constexpr const char* temperatures = "list of temperatures";
inline constexpr const char* audit = "result of an audit";
inline constexpr const char* timings = "list of timings";
inline constexpr const char* slab_timings = "list of timings of slabs";
inline constexpr const char* vector_timings = "list of timings of vector spins";
inline constexpr const char* large_lattices = "list of large lattices";
inline constexpr const char* generators = "list of generators";
inline constexpr const char* timings_table = "table of timings";
}  // namespace text_kind

/// Which of them `text` is, judged by all its lines; nothing where one of them is none that psflip writes.
std::optional<std::string> text_kind_of(const std::string& text);

}  // namespace psflip::tools
