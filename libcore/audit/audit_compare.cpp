#include "audit/audit_compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <span>
#include <type_traits>

#include "base/error.hpp"
#include "io/datasets.hpp"
#include "io/hash.hpp"
#include "io/schema.hpp"
#include "lattice/packing.hpp"
#include "lattice/site_bits.hpp"
#include "measure/stored_sums.hpp"
#include "run/slab_spins.hpp"

namespace psflip {
namespace {

constexpr int no_axis = -1;                                  ///< the dataset has no axis of realizations
constexpr std::int64_t piece_words = std::int64_t{1} << 14;  ///< of spins; fit into a cache

template <class T>
std::string value_text(T value) {
    return fmt::format("{}", value);  // doubles with as many digits as tell them apart
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
    Comparison(const Chunk& rerun, AuditResult& result)
        : shape_(rerun.batch.shape),
          part_{result.first_realization - result.batch_first, result.realizations},
          whole_(result.batch_realizations),
          result_(result) {}

    /// A dataset whose part has the extents given, realizations along `axis`.
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
        if (axis != no_axis) in_file = cut(in_file, whole_, inner, part_);
        const std::int64_t at = first_difference<T>(in_file, rerun);
        if (at < 0 || result_.first_difference) return;
        const auto i = static_cast<std::size_t>(at);
        AuditDifference found{
            file.path(), dataset, index_of(at, extents), {}, value_text(in_file[i]), value_text(rerun.at(i))};
        if (axis != no_axis) {
            auto& place = found.index[static_cast<std::size_t>(axis)];
            found.realization = result_.first_realization + place;
            place += part_.offset;
        }
        result_.first_difference = found;
    }

    /// Spins as runs hold them, of a dataset or a row of it: words of canonical form are compared piece by
    /// piece.
    void spins(const InputFile& file, const std::string& dataset, const std::vector<std::uint64_t>& rerun,
               std::optional<std::int64_t> row = {}) {
        const std::vector<std::uint64_t> in_file = spins_of_part(file, dataset, row);
        std::vector<std::uint64_t> words_in_file, words_of_rerun;
        for (std::int64_t first = 0; first < shape_.spin_words(); first += piece_words) {
            const auto theirs = canonical(in_file, first, words_in_file),
                       ours = canonical(rerun, first, words_of_rerun);
            const std::int64_t at = first_difference<std::uint64_t>(theirs, ours);
            if (at < 0 || result_.first_difference) continue;
            const auto i = static_cast<std::size_t>(at);
            note_spin(file.path(), dataset, row, first + at, theirs[i], ours[i]);
        }
    }

    void finish() {
        result_.hash_in_files = in_files_.hex();
        result_.hash_in_rerun = in_rerun_.hex();
    }

  private:
    std::vector<std::uint64_t> spins_of_part(const InputFile& file, const std::string& dataset,
                                             std::optional<std::int64_t> row) const {
        Shape whole = shape_;
        whole.realizations = whole_;
        Extents extents = canonical_extents(whole);
        if (row) extents.insert(extents.begin(), -1);
        file.require_shape(dataset, extents);
        return cut_spins(row ? read_spins_row(file, dataset, *row, whole) : read_spins(file, dataset, whole),
                         whole, part_);
    }

    /// A piece from word number `first` on; `memory` is for bits of sites.
    std::span<const std::uint64_t> canonical(const std::vector<std::uint64_t>& spins, std::int64_t first,
                                             std::vector<std::uint64_t>& memory) const {
        const auto count = static_cast<std::size_t>(std::min(piece_words, shape_.spin_words() - first));
        if (!holds_site_bits(shape_)) return std::span(spins).subspan(static_cast<std::size_t>(first), count);
        memory.resize(count);
        unpack_site_bits(shape_, spins, first, memory);
        return memory;
    }

    /// Word number `at` of the part differs; its first bit that does, or the component of a vector.
    void note_spin(const std::string& path, const std::string& dataset, std::optional<std::int64_t> row,
                   std::int64_t at, std::uint64_t in_file, std::uint64_t rerun) {
        auto index = index_of(at, canonical_extents(shape_));
        const int bit = shape_.has_vectors() ? 0 : std::countr_zero(in_file ^ rerun);
        const std::int64_t local = shape_.has_vectors() ? index[2] : 64 * index[2] + bit;
        index[2] = shape_.has_vectors() ? part_.offset + local : (part_.offset + local) / 64;
        if (row) index.insert(index.begin(), *row);
        const auto text = [&](std::uint64_t word) -> std::string {
            if (shape_.has_vectors()) return value_text(std::bit_cast<double>(word));
            return (word >> bit & 1) != 0 ? "+1" : "-1";
        };
        result_.first_difference = {path,          dataset,    index, result_.first_realization + local,
                                    text(in_file), text(rerun)};
    }

    /// Counts and hashes; the place of the first difference or -1.
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
    BatchPart part_;
    std::int64_t whole_;
    AuditResult& result_;
    Hasher in_files_, in_rerun_;
};

void compare_sums(Comparison& comparison, const InputFile& file, const Chunk& rerun) {
    const Accumulators& a = rerun.run.accumulators;
    const std::int64_t bins = a.bins;
    const auto blocks = [](const char* name) { return std::string(schema::blocks_group) + "/" + name; };
    comparison.array(file, schema::temperatures, {a.temperatures}, no_axis, rerun.run.temperatures);
    comparison.array(file, blocks(schema::edges), {bins + 1}, no_axis, rerun.run.bins.edges);
    comparison.array(file, blocks(schema::count), {bins}, no_axis, a.count);
    const auto extents = [&](int components) {
        return Extents{bins, components, a.temperatures, a.realizations};
    };
    const Measured measured = measured_in(file, a.measured);
    const bool older = has_each_axis(file);
    for (int i = 0; i < n_sums; ++i) {
        const auto sum = static_cast<Sum>(i);
        const Extents all = extents(a.components(sum));
        if (!info(sum).of(measured)) continue;
        if (is_integer(sum, a.measured))
            comparison.array(file, sum_dataset(sum), all, 3, a.integers[i]);
        else if (older)
            comparison.array(file, sum_dataset(sum), all, 3, a.reals[i]);
        else if (is_stored(sum))
            comparison.array(file, stored_name(sum), all, 3, stored_reals(a, sum));
    }
    const Extents counts = {a.temperatures, a.histogram_bins, a.realizations};
    if (!a.histogram.empty()) comparison.array(file, schema::histogram_overlap, counts, 2, a.histogram);
    if (measured.link_histogram() && !a.link_histogram.empty())
        comparison.array(file, schema::histogram_link, counts, 2, a.link_histogram);
    if (!measured.lowest_energies()) return;
    const Extents coldest = {bins, a.replicas, a.realizations};
    comparison.array(file, schema::lowest_energy, coldest, 2, a.lowest_energy);
    comparison.array(file, schema::lowest_count, coldest, 2, a.lowest_count);
}

/// accepted, attempted and round trips, of a run or since the random start.
template <class Counts>
void compare_counts(Comparison& comparison, const InputFile& file, const Shape& s, const Counts& counts) {
    comparison.array(file, schema::tempering_accepted, {s.realizations, s.replicas, s.temperatures - 1}, 0,
                     counts.accepted);
    comparison.array(file, schema::tempering_attempted, {s.temperatures - 1}, no_axis, counts.attempted);
    comparison.array(file, schema::tempering_round_trips, {s.realizations, s.replicas}, 0,
                     counts.round_trips);
}

void compare_state(Comparison& comparison, const InputFile& file, const Chunk& rerun) {
    const Shape& s = rerun.batch.shape;
    const SimulationState& end = rerun.end;
    comparison.array(file, schema::sweep, {1}, no_axis, std::vector<std::int64_t>{end.sweep});
    comparison.array(file, schema::run_start, {1}, no_axis, std::vector<std::int64_t>{end.run_start});
    const Extents slots = {s.realizations, s.replicas, s.temperatures};
    comparison.array(file, schema::tempering_walker, slots, 0, end.tempering.walker);
    comparison.array(file, schema::tempering_last_end, slots, 0, end.tempering.last_end);
    compare_counts(comparison, file, s, end.tempering);
    if (s.has_vectors()) {
        comparison.array(file, schema::moves_width, slots, 0, end.moves.widths);
        comparison.array(file, schema::moves_renewed, slots, 0, end.moves.renewed);
    }
    comparison.spins(file, schema::spins, end.spins);
}

}  // namespace

void compare_with_files(const InputFile& run_file, const std::string& end_state, const Chunk& rerun,
                        AuditResult& result) {
    Comparison comparison(rerun, result);
    compare_sums(comparison, run_file, rerun);
    compare_counts(comparison, run_file, rerun.batch.shape, rerun.run.counts);
    for (std::size_t i = 0; i < rerun.run.snapshots.size(); ++i)
        comparison.spins(run_file, schema::snapshots_spins, rerun.run.snapshots[i].spins,
                         static_cast<std::int64_t>(i));
    if (!end_state.empty()) compare_state(comparison, InputFile(end_state, schema::state), rerun);
    comparison.finish();
}

}  // namespace psflip
