// The word kernels of the CPU: compiled once per instruction set (see word.hpp), called through
// simd_kernels().
//
// Sweep of one lattice group (4 temperatures x 128 realizations), plane by plane within a colour:
//   random numbers of the plane's sites -> scratch (one Philox call per site and pack: its 4 words are 4
//   temperatures) per site: load 6 neighbours and 6 couplings -> bond words -> new spin.
// Per 512 spins: 17 logic operations, 7 to make the acceptance masks, about 8 operations of a Philox call, 14
// loads and 1 store of 64 bytes.

#include "sweep/simd/neighbours.hpp"
#include "sweep/simd/philox_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {
namespace {

/// Spins of one register part of a lattice group, and its column's couplings.
struct View {
    const std::uint64_t* spins;
    const std::uint64_t* couplings;
    std::int64_t sites;

    Word spin(std::int64_t site) const { return load(spins + site * 2 * slots_per_word); }
    /// Bond words of the h-th site of a row, whose spin is `own`.
    void bonds(const Row& row, Word own, int h, int half, Word (&e)[6]) const {
        bond_words(
            row, h, half,
            [&](std::int64_t neighbour, int direction, std::int64_t from) {
                return xor3(own, spin(neighbour), broadcast128(couplings + (direction * sites + from) * 2));
            },
            e);
    }
};

inline constexpr int plane_chunk = 256;  ///< sites whose random numbers are made at a time

/// Global sites of one colour of plane z from the h-th on, in the order of the lanes of store_blocks.
void list_sites(const Lattice& lattice, int colour, int z, int first, int count, std::uint64_t* sites) {
    for (int i = 0; i < count; ++i) {
        const int y = (first + i) / lattice.half, h = (first + i) % lattice.half;
        const int position = i % word_lanes64;
        const int lane = position < word_lanes64 / 2 ? 2 * position : 2 * (position - word_lanes64 / 2) + 1;
        sites[i - position + lane] =
            Checkerboard::x_of(h, y, z, colour) + lattice.L * (y + std::int64_t{lattice.L} * z);
    }
}

// ---- acceptance with shared random numbers ----

/// The register's 32-bit lanes (slot, quarter of the column) filled from blocks of 4 slots, one per pack of
/// `Share` realizations.
template <int Share>
inline Native32 expand(const std::uint32_t* blocks, int part) {
    constexpr int quarters = Share / 32;
#if defined(__AVX512F__)
    (void)part;
    const auto index = [](int slot, int quarter) { return quarter / quarters * 4 + slot; };
    const __m512i order =
        _mm512_setr_epi32(index(0, 0), index(0, 1), index(0, 2), index(0, 3), index(1, 0), index(1, 1),
                          index(1, 2), index(1, 3), index(2, 0), index(2, 1), index(2, 2), index(2, 3),
                          index(3, 0), index(3, 1), index(3, 2), index(3, 3));
    __m512i words;
    if constexpr (Share == 128)
        words = _mm512_castsi128_si512(_mm_load_si128(reinterpret_cast<const __m128i*>(blocks)));
    if constexpr (Share == 64)
        words = _mm512_castsi256_si512(_mm256_load_si256(reinterpret_cast<const __m256i*>(blocks)));
    if constexpr (Share == 32) words = _mm512_load_si512(blocks);
    return (Native32)_mm512_permutexvar_epi32(order, words);
#else
    Native32 lanes;
    for (int lane = 0; lane < word_lanes32; ++lane)
        lanes[lane] = blocks[lane % 4 / quarters * 4 + part * word_slots + lane / 4];
    return lanes;
#endif
}

struct SharedThresholds {
    Native32 c4[parts], c8[parts], c12[parts];

    explicit SharedThresholds(const std::uint32_t* thresholds) {
        for (int part = 0; part < parts; ++part)
            for (int lane = 0; lane < word_lanes32; ++lane) {
                const int slot = part * word_slots + lane / 4;
                c4[part][lane] = thresholds[slot];
                c8[part][lane] = thresholds[4 + slot];
                c12[part][lane] = thresholds[8 + slot];
            }
    }
};

/// Fills `blocks` with the random numbers of `count` sites: (site, pack of the column, slot).
template <int Share>
void fill_blocks(const SweepTask& task, const PhiloxSites (&philox)[128 / Share], const std::uint64_t* sites,
                 int count, std::uint32_t* blocks) {
    (void)task;
    constexpr int packs = 128 / Share;
    for (int i = 0; i < count; i += word_lanes64) {
        const Native64 lanes = *reinterpret_cast<const Native64*>(sites + i);
        for (int pack = 0; pack < packs; ++pack)
            store_blocks(blocks + (i * packs + pack) * 4, 4 * packs, philox[pack](lanes));
    }
}

template <int Share>
struct SharedSource {
    static constexpr int packs = 128 / Share;
    const SweepTask& task;
    SharedThresholds thresholds;
    alignas(64) std::uint32_t blocks[(plane_chunk + word_lanes64) * packs * 4];

    explicit SharedSource(const SweepTask& t) : task(t), thresholds(t.thresholds) {}

    PhiloxSites philox(std::int64_t sweep, int pack) const {
        const std::uint32_t number = (task.first_realization + Share * pack) / Share;
        return {make_counter(Purpose::metropolis, 0, sweep, task.first_slot / 4, task.replica, 0, number),
                task.seed};
    }

    void prepare(std::int64_t sweep, const std::uint64_t* sites, int count) {
        if constexpr (packs == 1) {
            const PhiloxSites p[1] = {philox(sweep, 0)};
            fill_blocks<Share>(task, p, sites, count, blocks);
        } else if constexpr (packs == 2) {
            const PhiloxSites p[2] = {philox(sweep, 0), philox(sweep, 1)};
            fill_blocks<Share>(task, p, sites, count, blocks);
        } else {
            const PhiloxSites p[4] = {philox(sweep, 0), philox(sweep, 1), philox(sweep, 2), philox(sweep, 3)};
            fill_blocks<Share>(task, p, sites, count, blocks);
        }
    }

    Acceptance<Word> acceptance(int i, int part) const {
        const Native32 numbers = expand<Share>(blocks + i * packs * 4, part);
        return {less(numbers, thresholds.c4[part]), less(numbers, thresholds.c8[part]),
                less(numbers, thresholds.c12[part])};
    }
};

// ---- acceptance with independent random numbers (share 1) ----

/// Bit planes of the thresholds, most significant first, and the Philox counters of the register's 32-lane
/// groups.
struct IndependentSource {
    const SweepTask& task;
    Word digit[parts][3][32];
    std::uint32_t pack[word_lanes32];
    std::int64_t sweep = 0;
    const std::uint64_t* sites = nullptr;

    explicit IndependentSource(const SweepTask& t) : task(t) {
        for (int part = 0; part < parts; ++part)
            for (int c = 0; c < 3; ++c)
                for (int k = 0; k < 32; ++k) {
                    Native32 lanes;
                    for (int lane = 0; lane < word_lanes32; ++lane)
                        lanes[lane] =
                            0u - (t.thresholds[4 * c + part * word_slots + lane / 4] >> (31 - k) & 1u);
                    digit[part][c][k] = {(Native64)lanes};
                }
        for (int lane = 0; lane < word_lanes32; ++lane) pack[lane] = t.first_realization / 32 + lane % 4;
    }

    void prepare(std::int64_t s, const std::uint64_t* list, int) {
        sweep = s;
        sites = list;
    }

    /// Four bit planes of the random numbers: one Philox call per 32-lane group.
    void planes(std::uint32_t site, int part, int call, Word (&plane)[4]) const {
        alignas(64) std::uint64_t fields64[2][word_lanes64], pack64[2][word_lanes64];
        Counter counter{};
        for (int lane = 0; lane < word_lanes32; ++lane) {
            const std::uint32_t slot = task.first_slot + part * word_slots + lane / 4;
            counter =
                make_counter(Purpose::metropolis_bits, site, sweep, slot, task.replica, call, pack[lane]);
            fields64[lane % 2][lane / 2] = counter.fields;
            pack64[lane % 2][lane / 2] = counter.pack_purpose;
        }
        PhiloxLanes out[2];
        for (int parity = 0; parity < 2; ++parity)
            out[parity] = philox_rounds_from(0,
                                             {broadcast64(site), broadcast64(counter.sweep_low),
                                              *reinterpret_cast<const Native64*>(fields64[parity]),
                                              *reinterpret_cast<const Native64*>(pack64[parity])},
                                             task.seed);
        plane[0] = {interleave_low32(out[0].c0, out[1].c0)};
        plane[1] = {interleave_low32(out[0].c1, out[1].c1)};
        plane[2] = {interleave_low32(out[0].c2, out[1].c2)};
        plane[3] = {interleave_low32(out[0].c3, out[1].c3)};
    }

    /// R < threshold for the three thresholds, from the most significant bit down until every lane is
    /// decided.
    Acceptance<Word> acceptance(int i, int part) const {
        const int position = i % word_lanes64;
        const int lane = position < word_lanes64 / 2 ? 2 * position : 2 * (position - word_lanes64 / 2) + 1;
        const auto site = static_cast<std::uint32_t>(sites[i - position + lane]);
        Word below[3] = {}, open[3] = {~Word{}, ~Word{}, ~Word{}};
        for (int call = 0; call < 8; ++call) {
            Word plane[4];
            planes(site, part, call, plane);
            for (int k = 0; k < 4; ++k)
                for (int c = 0; c < 3; ++c) {
                    const Word threshold = digit[part][c][4 * call + k];
                    below[c] = below[c] | (open[c] & threshold & ~plane[k]);
                    open[c] = open[c] & ~(threshold ^ plane[k]);
                }
            if (!any(open[0] | open[1] | open[2])) break;
        }
        return {below[0], below[1], below[2]};
    }
};

// ---- kernels ----

template <class Source>
void update_row(const SweepTask& task, const Lattice& lattice, const Source& source, const Row& row,
                int first, int h_begin, int h_end) {
    for (int h = h_begin; h < h_end; ++h)
#pragma GCC unroll 4
        for (int part = 0; part < parts; ++part) {
            std::uint64_t* spins = task.spins + part * word_slots * 2;
            const View view{spins, task.couplings, 2 * lattice.colour_sites};
            const Word own = view.spin(row.own + h);
            Word e[6];
            view.bonds(row, own, h, lattice.half, e);
            const Word spin = updated_spin(own, e, count_offset(source.acceptance(first + h, part)));
            store(spins + (row.own + h) * 2 * slots_per_word, spin);
        }
}

template <class Source>
void sweep_with(const SweepTask& task) {
    const Lattice lattice(task.L);
    Source source(task);
    alignas(64) std::uint64_t sites[plane_chunk + word_lanes64] = {};
    const int plane_sites = lattice.L * lattice.half;
    for (std::int64_t sweep = task.first_sweep; sweep < task.first_sweep + task.count; ++sweep)
        for (int colour = 0; colour < 2; ++colour)
            for (int z = 0; z < lattice.L; ++z)
                for (int begin = 0; begin < plane_sites; begin += plane_chunk) {
                    const int count = plane_sites - begin < plane_chunk ? plane_sites - begin : plane_chunk;
                    list_sites(lattice, colour, z, begin, count, sites);
                    source.prepare(sweep, sites, count);
                    for (int i = 0; i < count;) {
                        const int y = (begin + i) / lattice.half, h = (begin + i) % lattice.half;
                        const int end = h + (count - i) < lattice.half ? h + (count - i) : lattice.half;
                        update_row(task, lattice, source, lattice.row(colour, y, z), i - h, h, end);
                        i += end - h;
                    }
                }
}

void sweep(const SweepTask& task) {
    switch (task.share) {
        case 128:
            return sweep_with<SharedSource<128>>(task);
        case 64:
            return sweep_with<SharedSource<64>>(task);
        case 32:
            return sweep_with<SharedSource<32>>(task);
        default:
            return sweep_with<IndependentSource>(task);
    }
}

/// Every bond joins a red and a black site: the bonds of the red sites are all bonds once.
template <int Planes>
void energy_with(const EnergyTask& task) {
    const Lattice lattice(task.L);
    for (int part = 0; part < parts; ++part) {
        const View view{task.spins + part * word_slots * 2, task.couplings, 2 * lattice.colour_sites};
        BufferedCounter<Planes> unsatisfied;
        for (int z = 0; z < lattice.L; ++z)
            for (int y = 0; y < lattice.L; ++y) {
                const Row row = lattice.row(0, y, z);
                for (int h = 0; h < lattice.half; ++h) {
                    Word e[6];
                    view.bonds(row, view.spin(row.own + h), h, lattice.half, e);
                    unsatisfied.add(count_unsatisfied(e), 6);
                }
            }
        unsatisfied.flush();
        unpack_counter(unsatisfied.total, task.unsatisfied + part * word_slots * 128);
    }
}

void energy(const EnergyTask& task) {
    if (task.L <= 8)
        energy_with<planes_for(3 * 8 * 8 * 8)>(task);
    else if (task.L <= 16)
        energy_with<planes_for(3 * 16 * 16 * 16)>(task);
    else
        energy_with<planes_for(3LL * 256 * 256 * 256)>(task);
}

void exchange_random(const ExchangeRandomTask& task) {
    for (int j = 0; j < task.pairs; j += 4)
        for (int first = 0; first < 128; first += word_lanes64) {
            const Counter base = make_counter(Purpose::exchange, 0, task.sweep, j / 4, task.replica, 0, 0);
            alignas(64) std::uint64_t pack[word_lanes64];
            for (int lane = 0; lane < word_lanes64; ++lane)
                pack[lane] = base.pack_purpose | ((task.first_realization + first + lane) & 0xFFFFFFu);
            const PhiloxLanes words =
                philox_rounds_from(0,
                                   {broadcast64(0), broadcast64(base.sweep_low), broadcast64(base.fields),
                                    *reinterpret_cast<Native64*>(pack)},
                                   task.seed);
            const Native64 word[4] = {words.c0, words.c1, words.c2, words.c3};
            for (int w = 0; w < 4; ++w)
                for (int lane = 0; lane < word_lanes64; ++lane)
                    task.numbers[(j + w) * 128 + first + lane] = static_cast<std::uint32_t>(word[w][lane]);
        }
}

}  // namespace

const SimdKernels kernels = {sweep, energy, exchange_random};

}  // namespace psflip::PSFLIP_SIMD_LEVEL
