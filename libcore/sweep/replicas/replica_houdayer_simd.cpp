// Houdayer moves of realizations whose lanes are replicas (sweep/houdayer.hpp): compiled once per instruction
// set. Clusters grow in words of which every 32 lanes are slots of one realization. The pass for the sites
// that differ and the pass for the exchange read 64 bits of each replica, from any lane on.

#include <algorithm>
#include <bit>
#include <cstring>

#include "sweep/cpu/houdayer_growth_simd.hpp"
#include "sweep/replicas/replica_kernels.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {
namespace {

constexpr int word_lanes = 32;         ///< of one realization
constexpr int max_slots = word_lanes;  ///< of one move

/// Finds up to 32 lanes of a site, from any lane on.
struct LanesFrom {
    int word, shift;

    explicit LanesFrom(int lane) : word(lane / 32), shift(lane % 32) {}
    std::uint64_t read(const std::uint32_t* site) const {
        std::uint64_t bits;
        std::memcpy(&bits, site + word, sizeof bits);
        return bits >> shift;
    }
    void flip(std::uint32_t* site, std::uint32_t lanes) const {
        std::uint64_t bits;
        std::memcpy(&bits, site + word, sizeof bits);
        bits ^= std::uint64_t{lanes} << shift;
        std::memcpy(site + word, &bits, sizeof bits);
    }
};

/// Moves the clusters of one pair of replicas at slots from first_slot on, in some realizations.
template <int Dimension>
void move(const ReplicaHoudayerTask& task, const std::pair<int, int>& pair, int first_slot,
          const GrowthMemory& memory) {
    static_assert(std::endian::native == std::endian::little);
    const ReplicaLayout& layout = task.layout;
    const int L = layout.L, slots = std::min(max_slots, task.move.slots - first_slot);
    const std::uint32_t used = ~0u >> (max_slots - slots);
    const std::int64_t rows = layout.rows(), sites = rows * L;
    const LanesFrom a(pair.first * layout.temperatures + first_slot),
        b(pair.second * layout.temperatures + first_slot);
    const auto for_each_site = [&](auto use) {
        for (int r = 0; r < task.realizations; ++r) {
            std::uint32_t* const spins = task.spins + r * layout.lattice_words();
            for (int row = 0; row < rows; ++row)
                for (int parity = 0; parity < 2; ++parity) {
                    std::uint32_t* site = spins + layout.offset(parity, row % L, row / L);
                    for (int u = parity; u < L; u += 2, site += layout.words())
                        use(site, (std::int64_t{row} * L + u) * word_lanes32 + r);
                }
        }
    };
    std::fill_n(memory.differs, sites, Word{});
    std::fill_n(memory.cluster, sites, Word{});
    auto* const differs = reinterpret_cast<std::uint32_t*>(memory.differs);
    for_each_site([&](const std::uint32_t* site, std::int64_t i) {
        differs[i] = static_cast<std::uint32_t>(a.read(site) ^ b.read(site)) & used;
    });
    const HoudayerGrowth<Dimension, AllBonds> clusters(memory, L, layout.depth, {});
    for (int r = 0; r < task.realizations; ++r)
        for (int slot = 0; slot < slots; ++slot) {
            const std::uint32_t site = houdayer_site(
                task.key, task.move.completed, task.first_realization + static_cast<std::uint32_t>(r),
                static_cast<std::uint32_t>(pair.first), static_cast<std::uint32_t>(first_slot + slot),
                static_cast<std::uint64_t>(sites));
            clusters.begin(site, r / 2, std::uint64_t{1} << (r % 2 * 32 + slot));
        }
    clusters.grow();
    clusters.count([begun = task.clusters + first_slot, sites = task.sites + first_slot,
                    temperatures = layout.temperatures](int lane, std::int32_t found) {
        if (found == 0) return;
        const int i = lane / word_lanes * temperatures + lane % word_lanes;
        ++begun[i];
        sites[i] += found;
    });
    const auto* const cluster = reinterpret_cast<const std::uint32_t*>(memory.cluster);
    for_each_site([&](std::uint32_t* site, std::int64_t i) {
        a.flip(site, cluster[i]);
        b.flip(site, cluster[i]);
    });
}

}  // namespace

void replica_houdayer(const ReplicaHoudayerTask& all) {
    const ReplicaLayout& layout = all.layout;
    Word* const words = reinterpret_cast<Word*>(all.words);
    const GrowthMemory memory{words, words + std::int64_t{layout.rows()} * layout.L, all.open};
    for (int first = 0; first < all.realizations; first += word_lanes32) {
        ReplicaHoudayerTask task = all;
        task.spins += first * layout.lattice_words();
        task.clusters += first * layout.temperatures;
        task.sites += first * layout.temperatures;
        task.first_realization += static_cast<std::uint32_t>(first);
        task.realizations = std::min(word_lanes32, all.realizations - first);
        for (const auto& pair : task.move.pairs)
            for (int slot = 0; slot < task.move.slots; slot += max_slots)
                layout.dimension == 2 ? move<2>(task, pair, slot, memory) : move<3>(task, pair, slot, memory);
    }
}

}  // namespace psflip::PSFLIP_SIMD_LEVEL
