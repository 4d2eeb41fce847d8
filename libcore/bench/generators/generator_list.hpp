#pragma once

// Lists the generators of bench-rng. A new generator needs an entry here.

#include <string>
#include <string_view>
#include <type_traits>

#include "bench/generators/lagged_fibonacci.hpp"
#include "bench/generators/lcg.hpp"
#include "bench/generators/minstd.hpp"
#include "bench/generators/mt19937.hpp"
#include "bench/generators/parisi_rapuano.hpp"
#include "bench/generators/philox_stream.hpp"
#include "bench/generators/xorshift64star.hpp"
#include "bench/generators/xorwow.hpp"

namespace psflip {

/// Describes one generator of the list: type, name on command lines and in files, and start of the streams.
template <class Type>
struct ListedGenerator {
    using G = Type;
    std::string_view key;
    bool in_sequence = false;  ///< T streams share one sequence; each takes every T-th number
    /// Whether the numbers are functions of a counter that names their use.
    static constexpr bool counter_based = requires { G::rounds; };
    /// Whether several threads draw from one stream together.
    static constexpr bool ring = requires { G::side_by_side; };
};

/// Calls f(ListedGenerator<G>) for each generator of the list.
template <class F>
void for_each_generator(F&& f) {
    f(ListedGenerator<Minstd>{"minstd"});
    f(ListedGenerator<Lcg32>{"lcg32"});
    f(ListedGenerator<Lcg32>{"lcg32-sequence", true});
    f(ListedGenerator<Lcg64>{"lcg64"});
    f(ListedGenerator<Lcg64>{"lcg64-sequence", true});
    f(ListedGenerator<Xorshift64Star>{"xorshift64star"});
    f(ListedGenerator<Xorwow>{"xorwow"});
    f(ListedGenerator<ParisiRapuano>{"parisi-rapuano"});
    f(ListedGenerator<Mt19937>{"mt19937"});
    f(ListedGenerator<Fibonacci521>{"fibonacci521"});
    f(ListedGenerator<Fibonacci1279>{"fibonacci1279"});
    f(ListedGenerator<PhiloxStream>{"philox"});
    f(ListedGenerator<Philox7Stream>{"philox7"});
}

/// Calls f for the generator with this name. Returns false if there is none.
template <class F>
bool with_generator(std::string_view key, F&& f) {
    bool found = false;
    for_each_generator([&](auto generator) {
        if (generator.key != key) return;
        found = true;
        f(generator);
    });
    return found;
}

/// Returns a text like "there is no generator 'x'; there are minstd, ...".
inline std::string unknown_generator(std::string_view key) {
    std::string text = "there is no generator '" + std::string(key) + "'; there are ";
    for_each_generator([&](auto listed) { text += std::string(listed.key) + ", "; });
    return text.substr(0, text.size() - 2);
}

}  // namespace psflip
