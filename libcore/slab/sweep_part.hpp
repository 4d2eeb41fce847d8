#pragma once

namespace psflip {

/// What sweeps of slabs do, for timings. After another part than `all` spins mean nothing.
enum class SweepPart {
    all,
    updates,  ///< those of all sites; halos stay as they are, or are the slab's own
    ends,     ///< those of the sites that neighbours wait for
    halos     ///< halos are exchanged, and nothing is updated; where kernels write halos themselves, they do
              ///< all of their work and wait for nobody
};

inline bool updates_ends(SweepPart part) {
    return part != SweepPart::halos;
}
inline bool updates_middle(SweepPart part) {
    return part == SweepPart::all || part == SweepPart::updates;
}
inline bool exchanges_halos(SweepPart part) {
    return part == SweepPart::all || part == SweepPart::halos;
}

}  // namespace psflip
