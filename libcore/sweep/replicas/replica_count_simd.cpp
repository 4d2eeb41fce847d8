// Energies, magnetisations and exchanges of lanes that are replicas, and the table of kernels. Compiled once
// per instruction set (see word/word_simd.hpp).

#include "config/limits.hpp"
#include "sweep/replicas/replica_rows_simd.hpp"
#include "word/counter_simd.hpp"

namespace psflip::PSFLIP_SIMD_LEVEL {

void plain_replica_sweep(const ReplicaSweepTask& task);
void demon_replica_sweep(const ReplicaSweepTask& task);
void class_replica_sweep(const ReplicaSweepTask& task);
void replica_houdayer(const ReplicaHoudayerTask& task);

namespace {

/// Returns all ones in the words of the row, because its last register may reach beyond it.
Word of_row(const ReplicaLayout& layout, int at) {
    const int left = layout.row_words() - at;
    return left >= word_lanes32 ? ~Word{} : spread((1u << left) - 1);
}

/// Counts by count(counter, row number, register's place, mask of the row) and adds the numbers of all lanes.
template <int Planes, class Count>
void count_rows(const ReplicaCountTask& task, const Count& count) {
    const ReplicaLayout& layout = task.layout;
    const int words = layout.words(), period = layout.period();
    for (int lane = 0; lane < 32 * words; ++lane) task.counts[lane] = 0;
    for (int first = 0; first < period && first < layout.row_words(); first += word_lanes32) {
        BufferedCounter<Planes> counter;
        for (int number = task.lattice.begin * layout.L; number < task.lattice.end * layout.L; ++number)
            count(counter, number, first, period);
        counter.flush();
        std::int32_t numbers[word_lanes32 * 32];
        unpack_counter(counter.total, numbers);
        for (int lane = 0; lane < word_lanes32 * 32; ++lane) {
            std::int32_t& sum = task.counts[(first + lane / 32) % words * 32 + lane % 32];
            sum = static_cast<std::int32_t>(static_cast<std::uint32_t>(sum) +
                                            static_cast<std::uint32_t>(numbers[lane]));
        }
    }
}

/// Counts unsatisfied bonds of red sites: every bond joins a red and a black site.
template <int Degree, bool Absent, int Planes>
void unsatisfied_with(const ReplicaCountTask& task) {
    const ReplicaLayout& layout = task.layout;
    const ReplicaRows rows(layout);
    count_rows<Planes>(task, [&](auto& counter, int number, int first, int period) {
        const ReplicaRow<Degree> row(rows, task.spins, task.bonds, task.absent, 0, number % layout.L,
                                     number / layout.L);
        for (int at = first; at < layout.row_words(); at += period) {
            const Word mask = of_row(layout, at), own = load32(row.own + at);
            Word e[Degree];
            for (int k = 0; k < Degree; ++k) e[k] = row.template unsatisfied<Absent>(own, k, at) & mask;
            counter.add(e);
        }
    });
}

template <int Degree, bool Absent>
void unsatisfied_of(const ReplicaCountTask& task) {
    constexpr int few = 16, all = 32;
    const long long L = task.layout.L;
    if (Degree / 2 * L * L * (Degree == 6 ? L : 1) < 1LL << few)
        unsatisfied_with<Degree, Absent, few>(task);
    else
        unsatisfied_with<Degree, Absent, all>(task);
}

void unsatisfied(const ReplicaCountTask& task) {
    if (task.layout.dimension == 2)
        return task.absent ? unsatisfied_of<4, true>(task) : unsatisfied_of<4, false>(task);
    task.absent ? unsatisfied_of<6, true>(task) : unsatisfied_of<6, false>(task);
}

void up(const ReplicaCountTask& task) {
    const ReplicaLayout& layout = task.layout;
    count_rows<32>(task, [&](auto& counter, int number, int first, int period) {
        for (int at = first; at < layout.row_words(); at += period) {
            const Word mask = of_row(layout, at);
            Word s[2];
            for (int colour = 0; colour < 2; ++colour)
                s[colour] = load32(task.spins + layout.row(colour, number) + at) & mask;
            counter.add(s);
        }
    });
}

/// Exchanges lanes 31 and 32, 63 and 64, ..., which lie in neighbouring words.
void exchange_across(const ReplicaExchangeTask& task, int word) {
    const ReplicaLayout& layout = task.layout;
    for (int row = 0; row < 2 * layout.rows(); ++row) {
        std::uint32_t* x = task.spins + layout.row(row % 2, row / 2) + word;
        for (int site = 0; site < layout.L / 2; ++site, x += layout.words()) {
            const std::uint32_t change = x[0] >> 31 ^ (x[1] & 1u);
            x[0] ^= change << 31;
            x[1] ^= change;
        }
    }
}

void exchange(const ReplicaExchangeTask& task) {
    const ReplicaLayout& layout = task.layout;
    const int words = layout.words(), period = layout.period();
    alignas(64) std::uint32_t within[240];
    std::uint32_t any = 0;
    for (int i = 0; i < period; ++i) any |= within[i] = task.mask[i % words] & 0x7FFFFFFFu;
    for (int row = 0; any != 0 && row < 2 * layout.rows(); ++row)
        for (int start = 0; start < layout.row_stride(); start += period)
            for (int at = 0; at < period && start + at < layout.row_stride(); at += word_lanes32) {
                std::uint32_t* const to = task.spins + layout.row(row % 2, row / 2) + start + at;
                const Native32 x = load_numbers(to), change = (x ^ x >> 1) & load_numbers(within + at);
                *reinterpret_cast<Native32*>(to) = x ^ change ^ change << 1;
            }
    for (int word = 0; word + 1 < words; ++word)
        if (task.mask[word] >> 31 != 0) exchange_across(task, word);
}

}  // namespace

}  // namespace psflip::PSFLIP_SIMD_LEVEL

const psflip::ReplicaKernels psflip::ReplicaKernels::PSFLIP_SIMD_LEVEL = {
    PSFLIP_SIMD_LEVEL::plain_replica_sweep,
    PSFLIP_SIMD_LEVEL::class_replica_sweep,
    PSFLIP_SIMD_LEVEL::demon_replica_sweep,
    PSFLIP_SIMD_LEVEL::unsatisfied,
    PSFLIP_SIMD_LEVEL::up,
    PSFLIP_SIMD_LEVEL::exchange,
    PSFLIP_SIMD_LEVEL::replica_houdayer};
