#include "run/batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "config/limits.hpp"
#include "disorder/couplings.hpp"
#include "disorder/occupation.hpp"
#include "disorder/real_couplings.hpp"
#include "io/file.hpp"
#include "io/schema.hpp"
#include "lattice/packing.hpp"
#include "lattice/site_bits.hpp"
#include "run/memory.hpp"
#include "run/slab_spins.hpp"
#include "slab/agreement.hpp"
#include "sweep/vector/vector_batch.hpp"

namespace psflip {
namespace {

constexpr int word_bits = 64;

/// Refuses a batch that cannot fit before its couplings are read. A shape that makes no sense is left to
/// read_disorder.
void check_batch_memory(const Parameters& parameters, const std::string& path, const BackendChoice& choice,
                        int bins, std::int64_t snapshots, const Ranks& ranks, int ranks_here) {
    const InputFile file(path, schema::disorder);
    const char* dataset = parameters.model.has_vectors() ? schema::occupation : schema::couplings;
    if (!file.has(dataset)) return;
    const auto extents = file.shape(dataset);
    if (extents.size() != parameters.model.dimension + (parameters.model.has_vectors() ? 1u : 2u) ||
        extents.back() != parameters.L || extents[0] > limits::realizations)
        return;
    Shape shape = batch_shape(parameters, 0, extents[0]);
    const bool real = parameters.model.has_vectors() || parameters.model.gaussian();
    if (shape.dimension == 3 || !real) shape = slab_of(shape, ranks.rank(), ranks.size());
    MemoryNeeds needs = memory_needs(parameters, shape, choice);
    needs.bins = bins;
    needs.histogram_bins = parameters.run.histogram_bins;
    needs.snapshots = snapshots;
    needs.ranks_here = ranks_here;
    check_memory(needs, available_bytes());
}

/// Returns a batch of VectorSetup without its disorder, which is an Occupation or RealCouplings.
template <class Disorder>
Batch batch_of(const Parameters& parameters, const Disorder& disorder) {
    Batch batch;
    batch.model = model_of(parameters);
    batch.shape = batch_shape(parameters, disorder.first, disorder.count);
    check_shape(batch.shape);
    batch.identity = {disorder.first, disorder.count, parameters.L, parameters.physics_yaml(),
                      disorder.hash,  disorder.origin};
    batch.vectors = vector_setup_of(parameters);
    batch.vectors->first_realization = disorder.first;
    batch.vectors->realizations = disorder.count;
    return batch;
}

/// Checks a batch of VectorSetup, and takes the slab of this rank from its whole lattices.
void cut_slab(Batch& batch, const Ranks& ranks) {
    check_setup(*batch.vectors);
    batch.vectors = slab_of_rank(std::move(*batch.vectors), ranks);
    batch.shape.first_plane = batch.vectors->first_plane;
    batch.shape.slab_planes = batch.vectors->slab_planes;
}

/// Reads a batch of Ising spins with real couplings.
Batch read_gaussian_batch(const Parameters& parameters, const std::string& path, const Ranks& ranks,
                          int threads) {
    RealCouplings found = read_real_couplings(path, gaussian_law(parameters), threads);
    Batch batch = batch_of(parameters, found);
    batch.vectors->couplings = std::move(found.couplings);
    cut_slab(batch, ranks);
    return batch;
}

/// Reads a batch of vector spins.
Batch read_vector_batch(const Parameters& parameters, const std::string& path, const Ranks& ranks,
                        int threads) {
    Occupation occupation = read_occupation(path, occupation_law(parameters), threads);
    Batch batch = batch_of(parameters, occupation);
    const bool mixed = std::ranges::find(occupation.species, 1) != occupation.species.end();
    if (mixed || parameters.model.concentration > 0.0) batch.vectors->species = std::move(occupation.species);
    cut_slab(batch, ranks);
    return batch;
}

/// Returns the planes of couplings that are kept in memory.
std::optional<HeldLattice> kept_planes(const Model& model, const Shape& shape) {
    if (shape.is_slab()) return HeldLattice::of(shape);
    if (holds_site_bits(shape) && model.kind == ModelKind::ferromagnet) return HeldLattice{shape.L, 0};
    return std::nullopt;
}

/// Reads all planes of a batch, or only the planes that a rank holds.
Batch read_batch(const Parameters& parameters, const std::string& path, const Ranks& ranks, SiteOrder order,
                 int threads) {
    if (parameters.model.has_vectors()) return read_vector_batch(parameters, path, ranks, threads);
    if (parameters.model.gaussian()) return read_gaussian_batch(parameters, path, ranks, threads);
    Batch batch;
    batch.model = model_of(parameters);
    batch.shape = batch_shape(parameters, 0, 1);
    if (!ranks.alone()) batch.shape.order = order;
    batch.shape = slab_of(batch.shape, ranks.rank(), ranks.size());
    check_shape(batch.shape);
    const auto kept = kept_planes(batch.model, batch.shape);
    Disorder disorder =
        read_disorder(path, parameters.L, parameters.multispin.share, batch.model, kept, threads);
    if (kept && kept->depth == 0) check_all_ferromagnetic(path, disorder);
    batch.shape.first_realization = disorder.first;
    batch.shape.realizations = disorder.count;
    check_shape(batch.shape);
    batch.identity = {disorder.first,
                      disorder.count,
                      parameters.L,
                      parameters.physics_yaml(),
                      disorder.hash,
                      couplings_origin(path, disorder, {parameters.seed, batch.model, parameters.L},
                                       parameters.multispin.share)};
    batch.couplings = std::move(disorder.couplings);
    return batch;
}

/// Warns if the workflow asked for a GPU (PSFLIP_GPU=asked) and --backend auto finds none.
void warn_without_gpu(const BackendChoice& choice, const Ranks& ranks) {
    if (choice.backend != "auto" || environment("PSFLIP_GPU") != "asked" || !ranks.is_first()) return;
    BackendChoice on_gpu = choice;
    on_gpu.backend = "cuda";
    try {
        choose_backend(on_gpu);
    } catch (const EnvironmentError& error) {
        spdlog::warn("the workflow asked for a GPU, but the CPU is used ({})", error.what());
    }
}

}  // namespace

Batch load_batch(const Parameters& parameters, const std::string& disorder_path, const BackendChoice& choice,
                 int bins, std::int64_t snapshots, Ranks& ranks, SiteOrder order) {
    const int here = ranks.alone() ? 1 : ranks_here(ranks).count;
    Batch batch;
    // In two steps, because memory that a rank has filled would be missing when another rank looks.
    all_do(ranks,
           [&] { check_batch_memory(parameters, disorder_path, choice, bins, snapshots, ranks, here); });
    all_do(ranks, [&] { batch = read_batch(parameters, disorder_path, ranks, order, choice.threads); });
    log_step("read couplings");
    batch.ranks = &ranks;
    batch.threads = choice.threads;
    warn_without_gpu(choice, ranks);
    if (ranks.alone()) return batch;
    Backend backend{};
    all_do(ranks, [&] { backend = choose_backend(choice); });
    check_same_on_ranks(ranks, {{"hash of the couplings in " + disorder_path, batch.identity.couplings_hash},
                                {"backend", backend == Backend::cuda ? "cuda" : "cpu"}});
    return batch;
}

SimulationState Batch::random_start(const Parameters& parameters) const {
    const double cone_width = first_cone_width(vector_program_of(parameters));
    Spins spins = vectors ? random_held_spins(shape, *vectors)
                          : Spins{random_held_spins(shape, model.random_key(parameters.seed, shape.L))};
    return {0, -1, std::move(spins), initial_sampler_state(shape, cone_width)};
}

BatchSetup setup_of(const Parameters& parameters, const Batch& batch, const BackendChoice& choice) {
    BatchSetup setup{.choice = choice,
                     .shape = batch.shape,
                     .seed = parameters.seed,
                     .couplings = batch.couplings,
                     .sweeps_per_swap = parameters.dynamics.sweeps_per_swap,
                     .model = batch.model,
                     .ranks = batch.ranks,
                     .vectors = batch.vectors ? &*batch.vectors : nullptr,
                     .program = vector_program_of(parameters),
                     .houdayer = {parameters.dynamics.houdayer_every, parameters.dynamics.houdayer_below}};
    for (const double temperature : parameters.temperatures) setup.betas.push_back(1.0 / temperature);
    return setup;
}

BatchSlice slice_at(const Shape& shape, std::int64_t first, std::int64_t count) {
    const std::int64_t offset = first - shape.first_realization, rest = shape.realizations - offset;
    if (offset < 0 || rest <= 0 || count < 0 || count > rest)
        throw InputError(fmt::format("realizations {} to {} are not all in this batch, which holds {} to {}",
                                     first, first + std::max<std::int64_t>(count, 1) - 1,
                                     shape.first_realization,
                                     shape.first_realization + shape.realizations - 1));
    const std::int64_t multiple = std::max(shape.share, 32);
    if (count == 0) count = std::min<std::int64_t>(column_bits, rest);
    if (offset % multiple != 0 || (count % multiple != 0 && count != rest))
        throw InputError(
            fmt::format("{} realizations from {} on are not whole share groups of {}, counted from {}; use "
                        "multiples of {}",
                        count, first, multiple, shape.first_realization, multiple));
    return {offset, count};
}

BatchSlice drawn_slice(const Shape& shape, std::uint64_t number) {
    const auto columns = static_cast<std::uint64_t>(shape.columns());
    const auto offset = static_cast<std::int64_t>(number % columns) * column_bits;
    return {offset, std::min<std::int64_t>(column_bits, shape.realizations - offset)};
}

Spins cut_spins(const Spins& spins, const Shape& whole, const BatchSlice& slice) {
    if (whole.has_vectors())
        return {.vectors = cut(spins.vectors, whole.realizations, whole.components * whole.sites(), slice)};
    if (holds_site_bits(whole))
        return {.bits = cut(spins.bits, whole.realizations, lattice_bit_words(whole), slice)};
    Shape some = whole;
    some.realizations = slice.count;
    std::vector<std::uint64_t> result;
    result.reserve(static_cast<std::size_t>(some.spin_words()));
    const std::int64_t shift = slice.offset % word_bits, first = slice.offset / word_bits;
    const std::int64_t sites = whole.sites(), packs = whole.packs64();
    for (std::int64_t lattice = 0; lattice < std::int64_t{whole.replicas} * whole.temperatures; ++lattice) {
        for (std::int64_t pack = 0; pack < some.packs64(); ++pack) {
            const auto* low = spins.bits.data() + (lattice * packs + first + pack) * sites;
            const auto* high = shift != 0 && first + pack + 1 < packs ? low + sites : nullptr;
            const std::int64_t used = std::min<std::int64_t>(word_bits, slice.count - word_bits * pack);
            const std::uint64_t mask = ~std::uint64_t{0} >> (word_bits - used);
            for (std::int64_t site = 0; site < sites; ++site) {
                std::uint64_t word = low[site] >> shift;
                if (high != nullptr) word |= high[site] << (word_bits - shift);
                result.push_back(word & mask);
            }
        }
    }
    return {.bits = std::move(result)};
}

Batch cut(const Batch& whole, const BatchSlice& slice) {
    Batch batch;
    batch.model = whole.model;
    batch.shape = whole.shape;
    batch.shape.first_realization += slice.offset;
    batch.shape.realizations = slice.count;
    batch.couplings =
        cut(whole.couplings, whole.shape.realizations, whole.shape.dimension * whole.shape.sites(), slice);
    batch.identity = whole.identity;
    batch.identity.first_realization = batch.shape.first_realization;
    batch.identity.realizations = slice.count;
    if (!batch.couplings.empty()) batch.identity.couplings_hash = couplings_hash(batch.couplings);
    if (!whole.vectors) return batch;
    batch.vectors = whole.vectors;
    batch.vectors->first_realization = batch.shape.first_realization;
    batch.vectors->realizations = slice.count;
    if (!whole.vectors->species.empty())
        batch.vectors->species =
            cut(whole.vectors->species, whole.shape.realizations, whole.shape.sites(), slice);
    if (whole.vectors->components() == 3) {
        batch.identity.couplings_hash = occupation_hash(batch.vectors->species);
        return batch;
    }
    batch.vectors->couplings = cut(whole.vectors->couplings, whole.shape.realizations,
                                   whole.shape.dimension * whole.shape.sites(), slice);
    batch.identity.couplings_hash = real_couplings_hash(batch.vectors->couplings);
    return batch;
}

SimulationState cut(const SimulationState& state, const Shape& whole, const BatchSlice& slice) {
    SimulationState some{state.sweep, state.run_start, cut_spins(state.spins, whole, slice), state.sampler};
    for (StateGroup& group : some.sampler.groups)
        for (StateArray& array : group.arrays) {
            if (!array.per_realization) continue;
            array.extents.front() = slice.count;
            std::visit(
                [&](auto& values) {
                    const auto inner = static_cast<std::int64_t>(values.size()) / whole.realizations;
                    values = cut(values, whole.realizations, inner, slice);
                },
                array.values);
        }
    return some;
}

}  // namespace psflip
