// Cluster updates of one lattice (cluster_rule.hpp): compiled once per instruction set.
//
// Swendsen-Wang: a word of 64 sites needs 64 Philox calls, whose words become bits of active bonds. Runs of
// sites that active bonds along x connect are the nodes of a union-find forest. A bond to an earlier row
// joins two runs, unless the bond of the site before joins the same two runs. Because parents have smaller
// numbers, one pass in ascending order gives every run the spin of its root.

#include <bit>

#include "random/philox_simd.hpp"
#include "sweep/clusters/cluster_kernels.hpp"
#include "sweep/clusters/cluster_totals_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {
namespace {

/// Returns the sign bits of the 32-bit lanes.
inline std::uint64_t sign_bits(Word w) {
#if defined(__AVX512F__)
    return _mm512_movepi32_mask((__m512i)w.v);
#elif defined(__AVX2__)
    return static_cast<std::uint32_t>(_mm256_movemask_ps((__m256)w.v));
#elif defined(__SSE2__)
    return static_cast<std::uint32_t>(_mm_movemask_ps((__m128)w.v));
#else
    const auto lanes = (Native32)w.v;
    std::uint64_t bits = 0;
    for (int i = 0; i < word_lanes32; ++i) bits |= std::uint64_t{lanes[i] >> 31} << i;
    return bits;
#endif
}
/// Returns a bit for each 32-bit lane that is below the threshold.
inline std::uint64_t bits_below(Word w, std::uint32_t threshold) {
#if defined(__AVX512F__)
    return _mm512_cmplt_epu32_mask((__m512i)w.v, _mm512_set1_epi32(static_cast<int>(threshold)));
#else
    return sign_bits(less((Native32)w.v, (Native32)broadcast32(threshold)));
#endif
}

/// Returns the lowest set bit.
inline std::uint64_t lowest(std::uint64_t bits) {
    return bits & (std::uint64_t{0} - bits);
}

/// Draws the random numbers of the sites of a word.
template <int Dimension>
class Numbers {
    static constexpr int calls = 4;                        // registers of Philox calls at a time
    static constexpr int together = calls * word_lanes64;  // sites

    PhiloxKeys keys_;
    PhiloxSites sites_;
    std::uint64_t pack_purpose_;
    std::uint32_t threshold_;

  public:
    explicit Numbers(const ClusterTask& task)
        : keys_(task.step.key),
          sites_(cluster_counter(task.step, 0), keys_),
          pack_purpose_(cluster_counter(task.step, 0).pack_purpose),
          threshold_(task.threshold) {}

    /// Draws bits for the sites 64 word, ...: random numbers below the threshold by direction, and new spins.
    void operator()(std::int64_t word, std::uint64_t (&below)[Dimension], std::uint64_t& up) const {
        Native64 lane{};
        for (int i = 0; i < word_lanes64; ++i) lane[i] = 2 * static_cast<std::uint64_t>(i);
        for (std::uint64_t& bits : below) bits = 0;
        up = 0;
        for (int first = 0; first < 64; first += together) {
            PhiloxLanes c[calls];
            for (int i = 0; i < calls; ++i) {
                const std::uint64_t site = 64 * static_cast<std::uint64_t>(word) +
                                           static_cast<std::uint64_t>(first + i / 2 * word_lanes32 + i % 2);
                c[i] = sites_.after_two_rounds(lane + site, broadcast64(pack_purpose_));
            }
            run_rounds(2, philox_rounds - 1, c, keys_);
            for (int i = 0; i < calls; i += 2) {
                Word words[4];
                last_round(c[i], c[i + 1], keys_, words);
                const int shift = first + i / 2 * word_lanes32;
                for (int d = 0; d < Dimension; ++d) below[d] |= bits_below(words[d], threshold_) << shift;
                up |= sign_bits(words[3]) << shift;
            }
        }
    }
};

/// Returns the root of a run.
inline std::uint32_t root_of(const std::uint32_t* parent, std::uint32_t run) {
    std::uint32_t x = parent[run];
    for (std::uint32_t p = parent[x]; p != x; p = parent[x]) x = p;
    return x;
}
/// Joins the clusters of two runs. Returns the common root.
inline std::uint32_t link(std::uint32_t* parent, std::uint32_t a, std::uint32_t b) {
    const std::uint32_t x = root_of(parent, a), y = root_of(parent, b), low = x < y ? x : y,
                        high = x < y ? y : x;
    return parent[high] = low;
}
/// Joins the clusters of two runs, and shortens the paths of both runs.
inline void unite(std::uint32_t* parent, std::uint32_t a, std::uint32_t b) {
    parent[a] = parent[b] = link(parent, a, b);
}

/// Numbers the runs of 64 consecutive sites.
struct RunsOfSites {
    std::uint64_t starts;  ///< sites at which runs begin
    std::uint32_t before;  ///< number of the run that ends before the first start

    /// Returns the number of the run of a site, which is one bit.
    std::uint32_t operator()(std::uint64_t site) const {
        return before + static_cast<std::uint32_t>(std::popcount(starts & (site | (site - 1))));
    }
};

/// Returns the runs of the sites first, ..., first + 63 that are in the words from `begin` on.
inline RunsOfSites runs_from(const ClusterMemory& memory, std::int64_t first, std::int64_t begin = 0) {
    const std::uint64_t* const starts = memory.starts.data();
    const std::int64_t word = first >> 6;
    if (word < begin) return {bits_from(starts, first, begin), memory.base[begin] - 1};
    const std::uint64_t below = starts[word] & ((std::uint64_t{1} << (first & 63)) - 1);
    return {bits_from(starts, first),
            memory.base[word] - 1 + static_cast<std::uint32_t>(std::popcount(below))};
}

/// Calls f for each bit.
template <class F>
inline void for_each_bit(std::uint64_t bits, const F& f) {
    for (; bits != 0; bits &= bits - 1) f(lowest(bits));
}

/// Joins the runs of given sites.
inline void join(std::uint32_t* parent, std::uint64_t sites, const RunsOfSites& a, const RunsOfSites& b) {
    for_each_bit(sites, [&](std::uint64_t site) { unite(parent, a(site), b(site)); });
}

/// Returns the sites of a word with active bonds to the site before along d, if this site is in the words
/// from `begin` on.
inline std::uint64_t bonds_back(const ClusterTask& task, int d, std::int64_t word, std::int64_t begin) {
    const std::int64_t from = 64 * word - task.lattice->stride(d);
    if (from <= 64 * (begin - 1)) return 0;
    return bits_from(task.memory->bonds[d].data(), from, begin) & ~task.lattice->first(d, word) &
           task.lattice->valid(word);
}

/// Returns the spins of the neighbours along d of some sites of a word. last: sites whose neighbours are
/// first.
inline std::uint64_t neighbours(const ClusterTask& task, int d, std::int64_t word, std::uint64_t sites,
                                std::uint64_t last) {
    const std::int64_t next = 64 * word + task.lattice->stride(d);
    const std::uint64_t inside = sites & ~last;
    std::uint64_t spins = inside == 0 ? 0 : bits_from(task.spins, next) & inside;
    if (last != 0) spins |= bits_from(task.spins, next - task.lattice->span(d)) & last;
    return spins;
}

template <int Dimension>
void label_strip(const ClusterTask& task) {
    const ClusterLattice& lattice = *task.lattice;
    ClusterMemory& memory = *task.memory;
    const Numbers<Dimension> numbers(task);
    std::uint64_t* const starts = memory.starts.data();
    std::uint32_t* const parent = memory.parent.get();
    std::uint8_t* const up = memory.up.get();
    auto run = static_cast<std::uint32_t>(64 * task.begin);
    std::uint64_t carry = 0;
    for (std::int64_t word = task.begin; word < task.end; ++word) {
        std::uint64_t active[Dimension], last[Dimension], new_spins;
        numbers(word, active, new_spins);
        const std::uint64_t valid = lattice.valid(word), spins = task.spins[word];
        for (int d = 0; d < Dimension; ++d) {
            last[d] = lattice.last(d, word);
            active[d] &= ~(spins ^ neighbours(task, d, word, valid, last[d])) & valid;
            if (task.present) active[d] &= task.present[d][word];
            memory.bonds[d].data()[word] = active[d];
        }
        const std::uint64_t inside = active[0] & ~last[0], start = ~(inside << 1 | carry) & valid;
        carry = inside >> 63;
        starts[word] = start;
        memory.base[word] = run;
        const RunsOfSites here{start, run - 1};
        const std::uint32_t first_run = run;
        std::uint64_t back[Dimension] = {};  // bonds to earlier rows
        RunsOfSites before[Dimension] = {};
        for (int d = 1; d < Dimension; ++d) {
            const std::uint64_t bonds = bonds_back(task, d, word, task.begin);
            if (bonds == 0) continue;
            before[d] = runs_from(memory, 64 * word - lattice.stride(d), task.begin);
            back[d] = bonds & ~(bonds << 1 & ~(start | before[d].starts));
        }
        constexpr int top = Dimension - 1;
        // A new run takes the root of its first bond to an earlier layer. Branches would be mispredicted.
        for (std::uint64_t left = start; left != 0;) {
            const std::uint64_t site = lowest(left);
            left ^= site;
            const std::uint64_t sites = lowest(left) - site, first = lowest(back[top] & sites);
            const std::uint32_t has_bond = std::uint32_t{0} - (first != 0);
            back[top] ^= first;
            parent[run] = run;
            parent[run] = root_of(parent, run + ((before[top](first) - run) & has_bond));
            up[run++] = (new_spins & site) != 0;
        }
        for (int d = 0; d < Dimension; ++d) {
            if (back[d] != 0) join(parent, back[d], here, before[d]);
            const std::uint64_t over = d < top || task.begin == 0 ? active[d] & last[d] : 0;
            if (over == 0) continue;
            const std::int64_t from = 64 * word + lattice.stride(d) - lattice.span(d);
            join(parent, over, here, runs_from(memory, from, task.begin));
        }
        for (std::uint32_t i = first_run; i < run; ++i) parent[i] = parent[parent[i]];
    }
}

void label(const ClusterTask& task) {
    task.lattice->dimension() == 2 ? label_strip<2>(task) : label_strip<3>(task);
}

/// Calls f(run, other run) for the active bonds between strips.
template <class F>
void for_each_bond_between(const ClusterTask* strips, std::int64_t count, const F& f) {
    const ClusterLattice& lattice = *strips->lattice;
    const ClusterMemory& memory = *strips->memory;
    const int d = lattice.dimension() - 1;
    const std::int64_t stride = lattice.stride(d), layer = stride / 64;
    const auto visit = [&](std::int64_t word, std::uint64_t sites, std::int64_t distance) {
        const RunsOfSites here = runs_from(memory, 64 * word),
                          other = runs_from(memory, 64 * word - distance);
        for_each_bit(sites, [&](std::uint64_t site) { f(here(site), other(site)); });
    };
    for (std::int64_t i = 1; i < count; ++i)
        for (std::int64_t word = strips[i].begin; word < strips[i].begin + layer; ++word)
            visit(word, bonds_back(strips[i], d, word, 0), stride);
    for (std::int64_t word = lattice.words() - layer; word < lattice.words(); ++word)
        visit(word, memory.bonds[d].data()[word], lattice.span(d) - stride);
}

/// Joins the runs without shorter paths, so that these paths contain all roots that got a parent in another
/// strip. Then gives the runs on these paths the spins of their roots, and makes them roots. So strips need
/// nothing of each other.
void connect(const ClusterTask* strips, std::int64_t count) {
    std::uint32_t* const parent = strips->memory->parent.get();
    std::uint8_t* const up = strips->memory->up.get();
    for_each_bond_between(strips, count, [&](std::uint32_t a, std::uint32_t b) { link(parent, a, b); });
    const auto for_each_run = [&](const auto& f) {
        for_each_bond_between(strips, count, [&](std::uint32_t a, std::uint32_t b) {
            f(a);
            f(b);
        });
    };
    for_each_run([&](std::uint32_t run) {
        const std::uint8_t spin = up[root_of(parent, run)];
        for (; parent[run] != run; run = parent[run]) up[run] = spin;
    });
    for_each_run([&](std::uint32_t run) {
        while (parent[run] != run) {
            const std::uint32_t next = parent[run];
            if (strips->totals) strips->memory->joined.emplace_back(run, next);
            parent[run] = run;
            run = next;
        }
    });
}

void assign(const ClusterTask& task) {
    if (!task.totals) return assign_strip(task, NoTotals{});
    if (task.lattice->dimension() == 2) return assign_strip(task, ClusterTotals<2>(task));
    assign_strip(task, ClusterTotals<3>(task));
}

/// Grows the cluster of a site. Sites whose neighbours are not visited yet are on a stack.
template <int Dimension>
class Growth {
    static constexpr int calls = 1 + Dimension;  // the site, and the neighbour before it along each axis

    const ClusterTask& task_;
    const ClusterLattice& lattice_;
    PhiloxKeys keys_;
    PhiloxSites numbers_;
    std::uint64_t pack_purpose_;
    std::uint64_t reciprocal_;  ///< 2^64 / L, rounded up
    std::uint32_t* stack_;
    std::int64_t size_ = 0;
    bool up_ = false;  ///< the old spin of the cluster

    /// Returns site / L for site < 2^32.
    std::int64_t line_of(std::int64_t site) const {
        return static_cast<std::int64_t>(static_cast<unsigned __int128>(site) * reciprocal_ >> 64);
    }
    bool bit(const std::uint64_t* bits, std::int64_t site) const {
        return bits[site >> 6] >> (site & 63) & 1;
    }
    /// Lets a site join the cluster if `joins`, without a branch, which would be mispredicted.
    void add(std::int64_t site, bool joins) {
        task_.spins[site >> 6] ^= std::uint64_t{joins} << (site & 63);
        stack_[size_] = static_cast<std::uint32_t>(site);
        size_ += joins;
    }
    void visit(std::int64_t neighbour, int d, std::int64_t from, std::uint64_t number) {
        const bool present = !task_.present || bit(task_.present[d], from);
        add(neighbour, (bit(task_.spins, neighbour) == up_) &
                           (static_cast<std::uint32_t>(number) < task_.threshold) & present);
    }
    /// Visits the neighbours of up to word_lanes64 sites of the stack.
    void visit_some() {
        std::int64_t sites[calls][word_lanes64], next[Dimension][word_lanes64];
        const int count = size_ < word_lanes64 ? static_cast<int>(size_) : word_lanes64;
        Native64 at[calls] = {};
        for (int i = 0; i < count; ++i) {
            sites[0][i] = stack_[--size_];
            std::int64_t rest = sites[0][i];
            for (int d = 0; d < Dimension; ++d) {
                const std::int64_t lines = line_of(rest), coordinate = rest - lines * lattice_.L(),
                                   stride = lattice_.stride(d), span = lattice_.span(d);
                rest = lines;
                sites[1 + d][i] = sites[0][i] - stride + (coordinate == 0 ? span : 0);
                next[d][i] = sites[0][i] + stride - (coordinate == lattice_.L() - 1 ? span : 0);
            }
            for (int call = 0; call < calls; ++call) at[call][i] = static_cast<std::uint64_t>(sites[call][i]);
        }
        PhiloxLanes c[calls];
        for (int call = 0; call < calls; ++call)
            c[call] = numbers_.after_two_rounds(at[call], broadcast64(pack_purpose_));
        run_rounds(2, philox_rounds, c, keys_);
        for (int i = 0; i < count; ++i)
            for (int d = 0; d < Dimension; ++d) {
                const auto word = [&](const PhiloxLanes& of) {
                    return d == 0 ? of.c0[i] : d == 1 ? of.c1[i] : of.c2[i];
                };
                visit(next[d][i], d, sites[0][i], word(c[0]));
                visit(sites[1 + d][i], d, sites[1 + d][i], word(c[1 + d]));
            }
    }

  public:
    explicit Growth(const ClusterTask& task)
        : task_(task),
          lattice_(*task.lattice),
          keys_(task.step.key),
          numbers_(cluster_counter(task.step, 0), keys_),
          pack_purpose_(cluster_counter(task.step, 0).pack_purpose),
          reciprocal_(~std::uint64_t{0} / static_cast<std::uint64_t>(lattice_.L()) + 1),
          stack_(task.memory->parent.get()) {}

    void flip() {
        const std::int64_t seed = wolff_seed(task_.step, static_cast<std::uint64_t>(lattice_.sites()));
        up_ = bit(task_.spins, seed);
        add(seed, true);
        while (size_ > 0) visit_some();
    }
};

void wolff(const ClusterTask& task) {
    task.lattice->dimension() == 2 ? Growth<2>(task).flip() : Growth<3>(task).flip();
}

/// Exchanges blocks of `Distance` bits and words.
template <int Distance>
void exchange_blocks(std::uint64_t (&words)[64], std::uint64_t mask) {
    for (int i = 0; i < 64; i += 2 * Distance)
        for (int j = i; j < i + Distance; ++j) {
            const std::uint64_t change = (words[j] >> Distance ^ words[j + Distance]) & mask;
            words[j] ^= change << Distance;
            words[j + Distance] ^= change;
        }
}

void transpose(std::uint64_t (&words)[64]) {
    exchange_blocks<32>(words, 0x00000000FFFFFFFFu);
    exchange_blocks<16>(words, 0x0000FFFF0000FFFFu);
    exchange_blocks<8>(words, 0x00FF00FF00FF00FFu);
    exchange_blocks<4>(words, 0x0F0F0F0F0F0F0F0Fu);
    exchange_blocks<2>(words, 0x3333333333333333u);
    exchange_blocks<1>(words, 0x5555555555555555u);
}

}  // namespace

}  // namespace psflip::PSFLIP_SIMD_LEVEL

const psflip::ClusterKernels psflip::ClusterKernels::PSFLIP_SIMD_LEVEL = {
    PSFLIP_SIMD_LEVEL::label, PSFLIP_SIMD_LEVEL::connect, PSFLIP_SIMD_LEVEL::assign, PSFLIP_SIMD_LEVEL::wolff,
    PSFLIP_SIMD_LEVEL::transpose};
