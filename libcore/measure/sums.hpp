#pragma once

namespace psflip {

/// What a run sums over its measurements. E is the energy of a lattice, Q = sum_i s_i^a s_i^b the overlap of
/// two replicas, q = Q / N. A new sum is a row of `sum_table` and its count in both backends of Measurement.
enum class Sum {
    energy,
    energy2,
    walker_slot,
    overlap,
    overlap_abs,
    link,
    overlap2,
    overlap4,
    kmin_x,
    kmin_y,
    kmin_z,
    link2,
    overlap2_link
};
inline constexpr int n_sums = 13;

/// The axis of components: replicas, replica pairs (01, 02, ..., 12, ...), or replicas with the numbers of
/// walkers in the place of the temperatures.
enum class Per { replica, walker, pair };

struct SumInfo {
    const char* name;  ///< of the dataset in /blocks
    const char* unit;
    const char* doc;  ///< ends the sentence "Sum over the measurements of each block of ..."
    Per per;
    bool integer;        ///< int64, else float64
    bool dense = false;  ///< digits as good as random, which would only cost time to deflate
    bool later = false;  ///< not in files of the first versions, see Accumulators::drop_later
};

inline constexpr SumInfo sum_table[n_sums] = {
    {"energy", "J", "E, the energy", Per::replica, true},
    {"energy2", "J^2", "E^2, E the energy", Per::replica, false},
    {"walker_slot", "1", "the temperature slot where the walker is", Per::walker, true},
    {"overlap", "1", "Q = sum over sites of s^a s^b, the overlap of two replicas", Per::pair, true},
    {"overlap_abs", "1", "|Q|, Q the overlap", Per::pair, true},
    {"link", "1", "sum over bonds of s_i^a s_j^a s_i^b s_j^b", Per::pair, true},
    {"overlap2", "1", "(Q/N)^2, Q the overlap", Per::pair, false},
    {"overlap4", "1", "(Q/N)^4, Q the overlap", Per::pair, false},
    {"kmin_x", "1", "|sum_x Q(x) exp(2 pi i x / L)|^2 / N^2, Q(x) the overlap of the plane x", Per::pair,
     false, true},
    {"kmin_y", "1", "|sum_y Q(y) exp(2 pi i y / L)|^2 / N^2, Q(y) the overlap of the plane y", Per::pair,
     false, true},
    {"kmin_z", "1", "|sum_z Q(z) exp(2 pi i z / L)|^2 / N^2, Q(z) the overlap of the plane z", Per::pair,
     false, true},
    {"link2", "1", "link^2, link as in /blocks/link", Per::pair, false, false, true},
    {"overlap2_link", "1", "(Q/N)^2 link, link as in /blocks/link", Per::pair, false, true, true},
};

constexpr const SumInfo& info(Sum sum) {
    return sum_table[static_cast<int>(sum)];
}

}  // namespace psflip
