#include "audit/audit_compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <span>
#include <type_traits>
#include <variant>

#include "base/error.hpp"
#include "io/hash.hpp"
#include "lattice/packing.hpp"
#include "lattice/site_bits.hpp"
#include "run/slab_spins.hpp"

namespace psflip {
namespace {

constexpr int no_axis = -1;                                  ///< the dataset has no axis of realizations
constexpr std::int64_t piece_words = std::int64_t{1} << 14;  ///< words of spins, which fit into a cache

template <class T>
std::string value_text(T value) {
    return fmt::format("{}", value);  // doubles get enough digits to be distinct
}

template <class T>
bool same_bits(T a, T b) {
    if constexpr (std::is_same_v<T, double>)
        return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
    else
        return a == b;
}

class Comparison {
  public:
    Comparison(const SimulationCall& rerun, AuditResult& result)
        : shape_(rerun.batch.shape),
          slice_{result.first_realization - result.batch_first, result.realizations},
          whole_(result.batch_realizations),
          result_(result) {}

    /// Compares a dataset with a rerun of the given extents, with realizations along `axis`.
    template <class T>
    void array(const InputFile& file, const std::string& dataset, const Extents& extents, int axis,
               const std::vector<T>& rerun) {
        Extents all = extents;
        std::int64_t inner = 1;
        if (axis != no_axis) {
            all[static_cast<std::size_t>(axis)] = whole_;
            for (auto i = static_cast<std::size_t>(axis) + 1; i < all.size(); ++i) inner *= all[i];
        }
        auto in_file = read_with_extents<T>(file, dataset, all);
        if (axis != no_axis) in_file = cut(in_file, whole_, inner, slice_);
        const std::int64_t at = first_difference<T>(in_file, rerun);
        if (at < 0 || result_.first_difference) return;
        const auto i = static_cast<std::size_t>(at);
        AuditDifference found{
            file.path(), dataset, index_of(at, extents), {}, value_text(in_file[i]), value_text(rerun.at(i))};
        if (axis != no_axis) {
            auto& place = found.index[static_cast<std::size_t>(axis)];
            found.realization = result_.first_realization + place;
            place += slice_.offset;
        }
        result_.first_difference = found;
    }

    /// Compares spins with a dataset or a row of it. Bits are compared as words of the canonical array, piece
    /// by piece.
    void spins(const InputFile& file, const std::string& dataset, const Spins& rerun,
               std::optional<std::int64_t> row = {}) {
        const Spins in_file = spins_of_slice(file, dataset, row);
        if (shape_.has_vectors())
            return compare_spins<double>(file.path(), dataset, row, 0, in_file.vectors, rerun.vectors);
        std::vector<std::uint64_t> words_in_file, words_of_rerun;
        for (std::int64_t first = 0; first < shape_.spin_words(); first += piece_words)
            compare_spins<std::uint64_t>(file.path(), dataset, row, first,
                                         canonical(in_file.bits, first, words_in_file),
                                         canonical(rerun.bits, first, words_of_rerun));
    }

    void finish() {
        result_.hash_in_files = in_files_.hex();
        result_.hash_in_rerun = in_rerun_.hex();
    }

  private:
    Spins spins_of_slice(const InputFile& file, const std::string& dataset,
                         std::optional<std::int64_t> row) const {
        Shape whole = shape_;
        whole.realizations = whole_;
        return cut_spins(read_spins(file, dataset, whole, row), whole, slice_);
    }

    /// Returns the piece from word index `first` on. Spins with one bit per site are unpacked into `memory`.
    std::span<const std::uint64_t> canonical(const std::vector<std::uint64_t>& spins, std::int64_t first,
                                             std::vector<std::uint64_t>& memory) const {
        const auto count = static_cast<std::size_t>(std::min(piece_words, shape_.spin_words() - first));
        if (!holds_site_bits(shape_)) return std::span(spins).subspan(static_cast<std::size_t>(first), count);
        memory.resize(count);
        unpack_site_bits(shape_, spins, first, memory);
        return memory;
    }

    /// Compares the elements of the canonical array from index `first` on.
    template <class T>
    void compare_spins(const std::string& path, const std::string& dataset, std::optional<std::int64_t> row,
                       std::int64_t first, std::span<const T> in_file, std::span<const T> rerun) {
        const std::int64_t at = first_difference<T>(in_file, rerun);
        if (at < 0 || result_.first_difference) return;
        const auto i = static_cast<std::size_t>(at);
        note_spin(path, dataset, row, first + at, in_file[i], rerun[i]);
    }

    /// Stores that element `at` differs: the first bit of words, or the component of vectors.
    template <class T>
    void note_spin(const std::string& path, const std::string& dataset, std::optional<std::int64_t> row,
                   std::int64_t at, T in_file, T rerun) {
        auto index = index_of(at, canonical_extents(shape_));
        std::string found, wanted;
        std::int64_t local = index[2];
        if constexpr (std::is_same_v<T, double>) {
            found = value_text(in_file), wanted = value_text(rerun);
            index[2] = slice_.offset + local;
        } else {
            const int bit = std::countr_zero(in_file ^ rerun);
            const auto text = [bit](T word) { return (word >> bit & 1) != 0 ? "+1" : "-1"; };
            found = text(in_file), wanted = text(rerun);
            local = 64 * local + bit;
            index[2] = (slice_.offset + local) / 64;
        }
        if (row) index.insert(index.begin(), *row);
        result_.first_difference = {path, dataset, index, result_.first_realization + local, found, wanted};
    }

    /// Counts and hashes values. Returns the index of the first difference, or -1.
    template <class T>
    std::int64_t first_difference(std::span<const T> in_file, std::span<const T> rerun) {
        if (in_file.size() != rerun.size()) throw std::logic_error("audit: arrays of different sizes");
        in_files_.add(in_file.data(), in_file.size() * sizeof(T));
        in_rerun_.add(rerun.data(), rerun.size() * sizeof(T));
        std::int64_t first = -1;
        for (std::size_t i = 0; i < in_file.size(); ++i) {
            if (same_bits(in_file[i], rerun[i])) continue;
            if (first < 0) first = static_cast<std::int64_t>(i);
            ++result_.differences;
        }
        result_.values += static_cast<std::int64_t>(in_file.size());
        return first;
    }

    Shape shape_;
    BatchSlice slice_;
    std::int64_t whole_;
    AuditResult& result_;
    Hasher in_files_, in_rerun_;
};

void compare_sums(Comparison& comparison, const InputFile& file, const RunData& rerun) {
    const Accumulators& a = rerun.accumulators;
    const std::string edges = std::string(schema::blocks_group) + "/" + schema::edges;
    comparison.array(file, schema::temperatures, {a.temperatures}, no_axis, rerun.temperatures);
    comparison.array(file, edges, {rerun.bins.count() + 1}, no_axis, rerun.bins.edges);
    for_each_stored_array(a, measured_in(file, a.measured), caller_alone(),
                          [&](const SumsDataset& dataset, const auto& values) {
                              comparison.array(file, dataset.name, dataset.extents, dataset.realization_axis,
                                               values);
                          });
}

void compare_counts(Comparison& comparison, const InputFile& file, const Shape& s,
                    const TemperingState& counts) {
    comparison.array(file, schema::tempering_accepted, {s.realizations, s.replicas, s.temperatures - 1}, 0,
                     counts.accepted);
    comparison.array(file, schema::tempering_attempted, {s.temperatures - 1}, no_axis, counts.attempted);
    comparison.array(file, schema::tempering_round_trips, {s.realizations, s.replicas}, 0,
                     counts.round_trips);
}

/// Files of psflip before these counts lack them.
void compare_houdayer(Comparison& comparison, const InputFile& file, const Shape& shape,
                      const HoudayerCounts& counts) {
    if (!file.has(schema::houdayer_moves)) return;
    for_each_houdayer_count(
        counts, shape, [&](const char* dataset, const Extents& extents, const auto& values) {
            comparison.array(file, dataset, extents, extents.size() > 1 ? 0 : no_axis, values);
        });
}

void compare_state(Comparison& comparison, const InputFile& file, const SimulationCall& rerun) {
    const SimulationState& end = rerun.end;
    comparison.array(file, schema::sweep, {1}, no_axis, std::vector<std::int64_t>{end.sweep});
    comparison.array(file, schema::run_start, {1}, no_axis, std::vector<std::int64_t>{end.run_start});
    for (const StateGroup& group : end.sampler.groups) {
        if (group.kind == houdayer_kind && !file.has("/" + group.kind)) continue;
        for (const StateArray& array : group.arrays)
            std::visit(
                [&](const auto& values) {
                    comparison.array(file, state_dataset(group, array), array.extents,
                                     array.per_realization ? 0 : no_axis, values);
                },
                array.values);
    }
    comparison.spins(file, schema::spins, end.spins);
}

}  // namespace

void compare_with_files(const InputFile& run_file, const std::string& end_state, const SimulationCall& rerun,
                        AuditResult& result) {
    Comparison comparison(rerun, result);
    compare_sums(comparison, run_file, rerun.run);
    compare_counts(comparison, run_file, rerun.batch.shape, rerun.run.counts);
    compare_houdayer(comparison, run_file, rerun.batch.shape, rerun.run.houdayer);
    for (std::size_t i = 0; i < rerun.run.snapshots.size(); ++i)
        comparison.spins(run_file, schema::snapshots_spins, rerun.run.snapshots[i].spins,
                         static_cast<std::int64_t>(i));
    if (!end_state.empty()) compare_state(comparison, InputFile(end_state, schema::state), rerun);
    comparison.finish();
}

}  // namespace psflip
