#include <cstdint>
#include <cstdio>
#include <vector>

#include "base/error.hpp"
#include "base/version.hpp"
#include "lattice/packing.hpp"
#include "random/philox.hpp"
#include "sweep/ensemble.hpp"

/// First known-answer vector of Random123 for philox4x32-10: counter and key 0.
static bool philox_is_right() {
    const psflip::RandomBlock block = psflip::philox({0, 0, 0, 0}, 0);
    return block.word[0] == 0x6627e8d5u && block.word[1] == 0xe169c58du && block.word[2] == 0xbc57ac4cu &&
           block.word[3] == 0x9b00dbd8u;
}

/// A ferromagnet at T = 0.1 that starts with all spins -1: at this temperature not one of its spins flips in
/// ten sweeps.
static bool cold_ferromagnet_stays() {
    psflip::Shape shape;
    shape.L = 4;
    shape.realizations = 32;
    shape.share = 32;
    const std::vector<std::int8_t> couplings(static_cast<std::size_t>(shape.realizations * 3 * shape.sites()),
                                             1);
    psflip::BackendChoice choice;
    choice.backend = "cpu";
    const auto ensemble = psflip::make_ising_ensemble({choice, shape, {10.0}, 1, couplings});
    ensemble->sweep(0, 10);
    ensemble->synchronize();
    return ensemble->spins() == std::vector<std::uint64_t>(static_cast<std::size_t>(shape.spin_words()), 0);
}

/// Errors of the library can be caught by their type across the library's boundary.
static bool odd_size_is_refused() {
    psflip::Shape shape;
    shape.L = 5;
    shape.realizations = 32;
    shape.share = 32;
    try {
        psflip::check_shape(shape);
    } catch (const psflip::InputError&) {
        return true;
    }
    return false;
}

int main() {
    const bool passed = philox_is_right() && cold_ferromagnet_stays() && odd_size_is_refused();
    std::printf("psflip %s: %s\n", psflip::version(), passed ? "works" : "does not work");
    return passed ? 0 : 1;
}
