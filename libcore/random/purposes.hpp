#pragma once

#include <cstdint>

#include "base/host_device.hpp"

namespace psflip {

/// Says what a random number is used for. This is the only table of counters in the library, so that no two
/// uses share a counter. Each row says what the fields of the counter hold for a purpose, and which of the
/// four random words of the block (philox.hpp) the purpose uses:
///
/// | purpose         | sweep field | slot field | replica | digit | pack field        | word                         |
/// |-----------------|-------------|------------|---------|-------|-------------------|------------------------------|
/// | couplings       | 0           | 0          | 0       | 0     | realization       | direction (0=x 1=y 2=z)      |
/// | initial_spins   | 0           | slot       | replica | 0     | realization / 128 | bit r%32 of word (r/32)%4    |
/// | metropolis      | sweep       | slot / 4   | replica | 0     | realization/share | slot % 4                     |
/// | metropolis_bits | sweep       | slot       | replica | k / 4 | realization / 32  | bit r%32 of word k%4 is bit 31-k of the number |
/// | exchange        | sweep       | (t/2) / 4  | replica | 0     | realization       | (t/2) % 4, for pair (t, t+1) |
/// | occupation      | 0           | 0          | 0       | 0     | realization       | 0, 1, 2: absence of the bond along x, y, z; 3: species |
/// | replica_bits    | sweep       | lane / 32  | 0       | k / 4 | realization       | bit lane%32 of word k%4 is bit 31-k of the number |
/// | site_bits       | sweep       | slot       | replica | k / 4 | realization       | bit lane%32 of word k%4 is bit 31-k of the number |
/// | vector_update   | sweep       | slot       | replica | 0     | realization       | 0, 1: direction, 2: acceptance |
/// | vector_start    | 0           | slot       | replica | 0     | realization       | 0, 1: direction              |
/// | gaussian        | 0           | 0          | 0       | d / 2 | realization       | 2 * (d % 2) and 2 * (d % 2) + 1, for direction d |
/// | demon           | sweep       | slot       | replica | k / 4 | realization / 32  | bit r%32 of word k%4 is bit 31-k of the number |
/// | field_demon     | sweep       | slot       | replica | k / 4 | realization / 32  | bit r%32 of word k%4 is bit 31-k of the number |
/// | isolated_spin   | sweep       | slot / 4   | replica | 0     | realization / 32  | bit r%32 of word slot%4: flip |
/// | site_demon      | sweep       | slot       | replica | k / 4 | realization       | bit lane%32 of word k%4 is bit 31-k of the number |
/// | replica_demon   | sweep       | lane / 32  | 0       | k / 4 | realization       | bit lane%32 of word k%4 is bit 31-k of the number |
/// | houdayer        | sweep       | slot       | replica | 0     | realization/share | 0, of the first replica of a pair |
/// | cluster_bond    | step        | slot       | replica | 0     | realization       | direction; bit 31 of word 3: new spin |
/// | wolff_site      | step        | slot       | replica | 0     | realization       | 0, 1: low and high half of a number |
///
/// The site field is the global site x + L (y + L z). For exchange, houdayer and wolff_site it is 0. For
/// demon, field_demon and replica_demon it is the first site of a chain (sweep/demon_rule.hpp). In the table,
/// r is the realization, k the number of a bit, d the direction and t the colder slot of a pair. The lane of
/// replica_bits and replica_demon is replica * (number of temperatures) + slot. For site_bits and site_demon
/// (sweep/sites), the site field is the local index in the subdomain, and lane / 32 has its own field. For
/// site_demon, this local index belongs to the first site of a chain. With tiles, the sweep field of
/// site_bits counts the updates of a tile.
/// For cluster_bond and wolff_site, a step is a sweep of Swendsen-Wang, or one cluster of Wolff (wolff_step
/// in sweep/clusters/cluster_rule.hpp).
enum class Purpose : std::uint32_t {
    couplings = 1,
    initial_spins = 2,
    metropolis = 3,
    metropolis_bits = 4,
    exchange = 5,
    occupation = 6,
    replica_bits = 7,
    site_bits = 8,
    vector_update = 9,   ///< of vector spins
    vector_start = 10,   ///< of vector spins
    gaussian = 11,       ///< couplings
    demon = 12,          ///< energies of demons
    field_demon = 13,    ///< energies of demons of the field
    isolated_spin = 14,  ///< flips of spins without bonds and field, with demons
    site_demon = 15,     ///< energies of demons of lattices whose subdomains are lanes
    replica_demon = 16,  ///< energies of demons of lanes that are replicas
    houdayer = 17,       ///< site at which a Houdayer move begins
    cluster_bond = 18,   ///< active bonds and new spins of clusters
    wolff_site = 19      ///< site at which a Wolff cluster begins
};

/// The limits of the counter fields.
inline constexpr std::int64_t max_sites = std::int64_t{1} << 30;
inline constexpr std::int64_t max_sweeps = std::int64_t{1} << 48;
inline constexpr std::int64_t max_packs = std::int64_t{1} << 24;
inline constexpr int max_temperatures = 64;
inline constexpr int max_replicas = 8;

/// Holds the 128-bit Philox counter; make_counter defines its fields.
struct Counter {
    std::uint32_t site, sweep_low, fields, pack_purpose;
};

/// Returns the counter with these fields:
///
///   word 0   site (30 bits; 32 for site_bits, site_demon and cluster_bond)
///   word 1   low 32 bits of the sweep
///   word 2   high 16 bits of the sweep, slot field 16..21, replica 22..24, digit 25..27, and for site_bits
///            and site_demon lane / 32 in 28..29
///   word 3   pack field 0..23, purpose 24..31
PSFLIP_HD Counter make_counter(Purpose purpose, std::uint32_t site, std::uint64_t sweep,
                               std::uint32_t slot_field, std::uint32_t replica, std::uint32_t digit,
                               std::uint32_t pack) {
    return {site, static_cast<std::uint32_t>(sweep),
            static_cast<std::uint32_t>(sweep >> 32) | slot_field << 16 | replica << 22 | digit << 25,
            pack | static_cast<std::uint32_t>(purpose) << 24};
}

/// The bit of word 2 at which lane / 32 begins, for site_bits and site_demon.
inline constexpr int lane_word_shift = 28;

}  // namespace psflip
