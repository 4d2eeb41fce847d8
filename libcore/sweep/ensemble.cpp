#include "sweep/ensemble.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "config/limits.hpp"
#include "lattice/packing.hpp"
#include "lattice/site_bits.hpp"
#include "random/purposes.hpp"
#include "sweep/cpu/column_ensemble_cpu.hpp"
#include "sweep/replicas/replica_ensemble_cpu.hpp"
#include "sweep/sites/site_ensemble.hpp"
#include "sweep/vector/vector_batch.hpp"
#if PSFLIP_HAVE_CUDA
#include "base/device.hpp"
#include "sweep/ensemble_cuda.hpp"
#include "sweep/replicas/replica_ensemble_cuda.hpp"
#endif

namespace psflip {

namespace {

/// On the CPU there is one way only.
Backend cpu_backend(const BackendChoice& choice) {
    if (choice.halo == "peer" || choice.halo == "mpi")
        throw InputError(fmt::format("--halo {} is for GPUs; on the CPU use auto or host", choice.halo));
    return Backend::cpu;
}

}  // namespace

Backend choose_backend(const BackendChoice& choice) {
    if (choice.backend == "cpu") return cpu_backend(choice);
    if (choice.backend != "auto" && choice.backend != "cuda")
        throw InputError(fmt::format("--backend '{}' is unknown; use auto, cpu or cuda", choice.backend));
    std::string why = "this psflip was built without CUDA";
#if PSFLIP_HAVE_CUDA
    if (cuda_available(choice.device, &why)) return Backend::cuda;
#endif
    if (choice.backend == "cuda") throw EnvironmentError("--backend cuda: " + why);
    return cpu_backend(choice);
}

namespace {

void check_order(const Shape& shape) {
    if (shape.order == SiteOrder::bitwise && (shape.L & (shape.L - 1)) != 0)
        throw InputError(fmt::format(
            "L = {} is not a power of two, which the bitwise site order needs; use the standard site order",
            shape.L));
    if (shape.order != SiteOrder::standard && shape.dimension != 3)
        throw InputError(fmt::format("the {} site order needs three dimensions; use the standard site order",
                                     name(shape.order)));
}

void check_slab(const Shape& shape) {
    if (!shape.is_slab()) return;
    if (shape.dimension != 3)
        throw InputError(
            "lattices of two dimensions are not cut into slabs; use one rank, or multispin.lanes = sites");
    if (shape.slab_planes % 2 != 0 || shape.first_plane % 2 != 0 || shape.first_plane < 0 ||
        shape.first_plane + shape.slab_planes > shape.L)
        throw InputError(fmt::format(
            "a slab of {} planes from plane {} on does not suit L = {}; both numbers must be even",
            shape.slab_planes, shape.first_plane, shape.L));
}

void check_replica_lanes(const Shape& shape) {
    if (shape.coding != Lanes::replicas) return;
    if (shape.share != 1)
        throw InputError(fmt::format(
            "multispin.share = {} does not go with multispin.lanes = replicas; use 1", shape.share));
    if (shape.order != SiteOrder::standard)
        throw InputError("multispin.lanes = replicas has the standard site order only; use --kernel auto");
    constexpr std::int64_t max_words = std::int64_t{1} << 32;  // 32 bits hold their numbers
    if (shape.sites() > limits::max_held_sites)
        throw InputError(fmt::format(
            "L = {} is too large for multispin.lanes = replicas; use L up to {}, multispin.lanes = sites, or "
            "multispin.lanes = realizations with several ranks",
            shape.L, limits::max_whole_L));
    if (ReplicaLayout::of(shape).lattice_words() > max_words)
        throw InputError(
            fmt::format("L = {} with {} replicas and {} temperatures is too large for multispin.lanes = "
                        "replicas; use fewer replicas or temperatures",
                        shape.L, shape.replicas, shape.temperatures));
}

void check_site_lanes(const Shape& shape) {
    if (shape.coding != Lanes::sites) return;
    if (shape.share != 1)
        throw InputError(
            fmt::format("multispin.share = {} does not go with multispin.lanes = sites; use 1", shape.share));
    if (shape.order != SiteOrder::standard)
        throw InputError("multispin.lanes = sites has the standard site order only; use --kernel auto");
    SiteLanes(shape.dimension, shape.L);
    if (has_wide_energies(shape) && shape.temperatures > 1)
        throw InputError(
            fmt::format("L = {} with {} temperatures is too large; use one temperature, or L up to {}",
                        shape.L, shape.temperatures, limits::max_exchanging_square_L));
}

void check_demons(const Shape& shape, const Model& model, std::span<const std::int8_t> couplings) {
    if (model.update != Update::demon) return;
    if (model.demon_sites < 1 || model.demon_sites > limits::max_demon_sites)
        throw InputError(fmt::format("dynamics.demon_sites = {} is not possible; use 1 to {}",
                                     model.demon_sites, limits::max_demon_sites));
    const char* const rest = " does not go with dynamics.update = demon; use metropolis or heat-bath";
    if (!model.has_absent_bonds() && has_absent_bonds(couplings))
        throw InputError(
            "a bond is absent, but model.p_absent = 0 and model.boundary = periodic; with dynamics.update = "
            "demon, set these keys as the couplings are, or use metropolis or heat-bath");
    if (shape.coding != Lanes::realizations && (model.field != 0.0 || model.has_absent_bonds()))
        throw InputError(
            fmt::format("a field or absent bonds with multispin.lanes = {}{}", name(shape.coding), rest));
    if (shape.share != 1) throw InputError(std::string("multispin.share above 1") + rest);
    if (shape.is_slab() || shape.order == SiteOrder::sliced)
        throw InputError(
            "lattices with dynamics.update = demon are not cut into slabs and have no sliced order; use "
            "one rank and the standard order");
}

void check_clusters(const Shape& shape, const Model& model, std::span<const std::int8_t> couplings) {
    if (!model.has_clusters()) return;
    const std::string rest = fmt::format(" does not go with dynamics.update = {}; ", name(model.update));
    if (std::ranges::find(couplings, -1) != couplings.end())
        throw InputError("a coupling -1" + rest + "use metropolis or heat-bath");
    if (shape.share != 1) throw InputError("multispin.share above 1" + rest + "use 1");
    if (shape.coding == Lanes::replicas)
        throw InputError("multispin.lanes = replicas" + rest + "use realizations or sites");
    if (shape.is_slab() || shape.order != SiteOrder::standard)
        throw InputError("a slab or another site order" + rest + "use one rank and the standard order");
    if (shape.tile != 0) throw InputError("dynamics.tile" + rest + "use 0, no tiles");
}

void check_slots(const std::vector<double>& betas, const Shape& shape) {
    if (static_cast<int>(betas.size()) != shape.temperatures)
        throw InputError(
            fmt::format("{} inverse temperatures are given for {} slots", betas.size(), shape.temperatures));
    for (const double beta : betas)
        if (!(std::isfinite(beta) && beta >= 0.0))
            throw InputError(
                fmt::format("the inverse temperature {} is not a finite number of 0 or more", beta));
}

}  // namespace

void check_shape(const Shape& shape) {
    if (shape.L % 2 != 0)
        throw InputError(
            fmt::format("L = {} is odd; the checkerboard of red and black sites needs an even L", shape.L));
    if (shape.dimension != 2 && shape.dimension != 3)
        throw InputError(fmt::format("dimension = {} is not 2 or 3", shape.dimension));
    const int most =
        shape.coding == Lanes::sites && shape.dimension == 2 ? limits::max_square_L : limits::max_L;
    if (shape.L < 4 || shape.L > most)
        throw InputError(fmt::format("L = {} is out of range; use an even L from 4 to {}", shape.L, most));
    check_order(shape);
    check_slab(shape);
    if (shape.replicas < 1 || shape.replicas > max_replicas)
        throw InputError(
            fmt::format("{} replicas are not possible; use 1 to {}", shape.replicas, max_replicas));
    if (shape.temperatures < 1 || shape.temperatures > max_temperatures)
        throw InputError(fmt::format("{} temperatures are not possible; use 1 to {}", shape.temperatures,
                                     max_temperatures));
    if (shape.share != 1 && shape.share != 32 && shape.share != 64 && shape.share != 128)
        throw InputError(
            fmt::format("multispin.share = {} is not possible; use 1, 32, 64 or 128", shape.share));
    if (shape.coding == Lanes::realizations && shape.share == 1 &&
        shape.held_sites() > limits::max_held_sites)
        throw InputError(
            shape.is_slab()
                ? fmt::format("L = {} with multispin.share = 1 is too large for so few ranks; use more ranks",
                              shape.L)
                : fmt::format("L = {} with multispin.share = 1 is too large for one rank; use L up to {}, or "
                              "several ranks for Ising spins with discrete couplings, without demons, "
                              "clusters and Houdayer moves",
                              shape.L, limits::max_whole_L));
    check_replica_lanes(shape);
    check_site_lanes(shape);
    if (shape.realizations < 1)
        throw InputError(
            fmt::format("{} realizations are not possible; use at least one", shape.realizations));
    const int alignment = shape.share < 32 ? 32 : shape.share;
    if (shape.first_realization < 0 || shape.first_realization % alignment != 0)
        throw InputError(
            fmt::format("first realization {} is not a multiple of {} (the realizations of a share group "
                        "share random numbers: multispin.share = {}); "
                        "start the batch at a multiple of {}",
                        shape.first_realization, alignment, shape.share, alignment));
    if (shape.first_realization + shape.realizations > max_packs)
        throw InputError(
            fmt::format("realization numbers up to {} are too large; the random numbers have room for {}",
                        shape.first_realization + shape.realizations - 1, max_packs));
}

void check_absent_bonds(const Shape& shape) {
    if (shape.dimension == 3 && shape.L > limits::max_diluted_L)
        throw InputError(fmt::format("L = {} with absent bonds is out of range; use an even L from 4 to {}",
                                     shape.L, limits::max_diluted_L));
}

void check_batch(const BatchSetup& setup) {
    const Shape& shape = setup.shape;
    const Model& model = setup.model;
    check_shape(shape);
    check_model(model);
    if (model.has_absent_bonds()) check_absent_bonds(shape);
    if (shape.dimension != model.dimension)
        throw InputError(fmt::format("the lattices have {} dimensions, but the model has {}", shape.dimension,
                                     model.dimension));
    if (model.kind == ModelKind::heisenberg || model.gaussian)
        throw InputError("vector spins and real couplings are simulated by VectorBatch");
    check_demons(shape, model, setup.couplings);
    check_clusters(shape, model, setup.couplings);
    check_houdayer(setup);
    check_slots(setup.betas, shape);
}

void check_houdayer(const BatchSetup& setup) {
    if (setup.houdayer.every == 0) return;
    const Shape& shape = setup.shape;
    if (setup.houdayer.every < 0)
        throw InputError(
            fmt::format("dynamics.houdayer_every = {} is not possible; use 0 or more", setup.houdayer.every));
    if (shape.replicas < 2) throw InputError("Houdayer moves need two replicas or more");
    if (shape.has_vectors())
        throw InputError("Houdayer moves are for Ising spins; leave out dynamics.houdayer_every");
    if (setup.vectors && setup.vectors->open())
        throw InputError("Houdayer moves with real couplings need periodic boundaries");
    if (shape.coding == Lanes::sites || shape.is_slab() || !setup.ranks->alone() ||
        shape.order != SiteOrder::standard)
        throw InputError(
            "dynamics.houdayer_every needs whole lattices with multispin.lanes = realizations or replicas in "
            "the standard order; use one rank, or leave the key out");
    if (shape.coding == Lanes::replicas &&
        (setup.model.has_absent_bonds() || has_absent_bonds(setup.couplings)))
        throw InputError(
            "a bond is absent; dynamics.houdayer_every with absent bonds needs multispin.lanes = "
            "realizations");
}

void Ensemble::set_betas(const std::vector<double>& betas) {
    check_slots(betas, shape_);
    put_betas(betas);
}

std::unique_ptr<Ensemble> make_ensemble(const BatchSetup& setup) {
    if (setup.vectors) return std::make_unique<VectorBatch>(setup);
    return make_ising_ensemble(setup);
}

void Ensemble::make_houdayer_move(const HoudayerMove&) {
    throw std::logic_error("this ensemble has no Houdayer moves");
}

std::unique_ptr<IsingEnsemble> make_ising_ensemble(const BatchSetup& setup) {
    check_batch(setup);
    if (setup.shape.coding == Lanes::sites) return make_host_ensemble(setup);
#if PSFLIP_HAVE_CUDA
    if (choose_backend(setup.choice) == Backend::cuda) return make_device_ensemble(setup);
#else
    choose_backend(setup.choice);
#endif
    return make_host_ensemble(setup);
}

#if PSFLIP_HAVE_CUDA
std::unique_ptr<DeviceEnsemble> make_device_ensemble(const BatchSetup& setup) {
    if (setup.shape.coding == Lanes::replicas) return std::make_unique<ReplicaCudaEnsemble>(setup);
    return std::make_unique<ColumnCudaEnsemble>(setup);
}
#endif

std::unique_ptr<HostEnsemble> make_host_ensemble(const BatchSetup& setup) {
    check_replica_lanes(setup.shape);
    switch (setup.shape.coding) {
        case Lanes::sites:
            return std::make_unique<SiteEnsemble>(setup);
        case Lanes::replicas:
            return std::make_unique<ReplicaEnsemble>(setup);
        default:
            return std::make_unique<ColumnEnsemble>(setup);
    }
}

}  // namespace psflip
