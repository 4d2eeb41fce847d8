// Houdayer moves of one lattice group of two replicas (sweep/houdayer.hpp): compiled once per instruction
// set. In addition to the growth of clusters, there is a pass over all sites for the sites that differ and
// one for the exchange, 5 loads and 4 stores per 512 spins. A third pass counts the sites of clusters.

#include "lattice/neighbours_simd.hpp"
#include "sweep/cpu/houdayer_growth_simd.hpp"
#include "sweep/cpu/simd_kernels.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {
namespace {

/// Points to the sites of a row in an array of the standard order: sites of even and of odd u.
template <class T>
struct RowOf {
    T* of[2];
    int stride;

    RowOf(T* words, int stride_, const HeldLattice& held, int v, int w)
        : of{words + held.index(0, v, w) * stride_, words + held.index(1, v, w) * stride_}, stride(stride_) {}
    T* at(int u) const { return of[u & 1] + (u >> 1) * stride; }
};

/// Says which bonds are present in the lanes of a column.
struct PresentBonds {
    const std::uint64_t* absent;
    const HeldLattice& held;

    struct Row {
        RowOf<const std::uint64_t> absent;
        Word across(Word w, int u) const { return w & ~broadcast128(absent.at(u)); }
    };
    Row row(int direction, int v, int w) const {
        return {{absent + direction * 4 * held.colour_sites(), 2, held, v, w}};
    }
};

/// Moves the clusters of one register of a lattice group.
template <int Dimension, class Bonds>
void move(const HoudayerTask& task, int reg, const Bonds& bonds) {
    const HeldLattice& held = task.lattice;
    const int L = held.L;
    const GrowthMemory memory{reinterpret_cast<Word*>(task.differs), reinterpret_cast<Word*>(task.cluster),
                              task.open};
    const auto for_each_site = [&](auto use) {
        constexpr int stride = 2 * slots_per_word;
        std::int64_t i = 0;
        for (int w = 0; w < held.depth; ++w)
            for (int v = 0; v < L; ++v) {
                const RowOf<std::uint64_t> a(task.first + reg * word_slots * 2, stride, held, v, w),
                    b(task.second + reg * word_slots * 2, stride, held, v, w);
                for (int u = 0; u < L; ++u) use(a.at(u), b.at(u), i++);
            }
    };
    for_each_site([&](const std::uint64_t* a, const std::uint64_t* b, std::int64_t i) {
        memory.differs[i] = load(a) ^ load(b);
        memory.cluster[i] = Word{};
    });
    const HoudayerGrowth<Dimension, Bonds> clusters(memory, L, held.depth, bonds);
    for (int slot = 0; slot < word_slots && reg * word_slots + slot < task.slots; ++slot)
        for (int lane = 0; lane < 128; ++lane)
            clusters.begin(task.starts[(reg * word_slots + slot) * 128 + lane], 2 * slot + lane / 64,
                           std::uint64_t{1} << lane % 64);
    clusters.grow();
    const int first_lane = reg * word_slots * 128;
    clusters.count(
        [begun = task.clusters + first_lane, sites = task.sites + first_lane](int lane, std::int32_t found) {
            begun[lane] += found > 0;
            sites[lane] += found;
        });
    for_each_site([&](std::uint64_t* a, std::uint64_t* b, std::int64_t i) {
        store(a, load(a) ^ memory.cluster[i]);
        store(b, load(b) ^ memory.cluster[i]);
    });
}

template <int Dimension>
void move_all(const HoudayerTask& task) {
    for (int reg = 0; reg < registers && reg * word_slots < task.slots; ++reg)
        if (task.absent)
            move<Dimension>(task, reg, PresentBonds{task.absent, task.lattice});
        else
            move<Dimension>(task, reg, AllBonds{});
}

}  // namespace

void houdayer(const HoudayerTask& task) {
    task.dimension == 2 ? move_all<2>(task) : move_all<3>(task);
}

}  // namespace psflip::PSFLIP_SIMD_LEVEL
