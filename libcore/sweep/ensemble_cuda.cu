#include "sweep/ensemble_cuda.hpp"

#include <span>

#include "base/cuda_check.cuh"
#include "base/device.hpp"
#include "base/device_buffer.cuh"
#include "base/error.hpp"
#include "base/large_array.hpp"
#include "base/log_step.hpp"
#include "lattice/packing.hpp"
#include "slab/agreement.hpp"
#include "sweep/cuda/bond_count_cuda.cuh"
#include "sweep/cuda/device_arrays_cuda.cuh"
#include "sweep/cuda/gauge_cuda.cuh"
#include "sweep/cuda/houdayer_cuda.cuh"
#include "sweep/cuda/model_count_cuda.cuh"
#include "sweep/cuda/spin_exchange_cuda.cuh"
#include "sweep/cuda/stream_parts_cuda.cuh"
#include "sweep/plan_cuda.cuh"

namespace psflip {

namespace {

/// The size beyond which the tasks of a lattice may be more than the grid of count_energies has rows.
constexpr int max_counted_L = 256;

/// Batch slices take more launches, which pay if an exchange period takes min_period_of_parts microseconds.
/// Their predicted time may be larger by the factor max_cost_of_parts. Slices gain 2 to 6%, because loads and
/// stores of one slice fall between the sweeps of another.
constexpr double min_period_of_parts = 150, max_cost_of_parts = 1.02;

SpinLayout layout_of(const Shape& shape) {
    return SpinLayout::of(shape, 1);
}

}  // namespace

struct ColumnCudaEnsemble::Memory {
    std::optional<StreamParts> parts;
    DeviceBuffer<uint4> couplings;
    SweepArgs args;
    ClassArgs table;
    PlannedBatch batch;
    PlannedKernels kernels;
    std::int64_t stacks;      ///< columns * replicas
    PendingExchange pending;  ///< between slots of the same block of a kernel
    bool energies_wanted = false, energies_ready = false;
    bool counts_own = false;                   ///< energies by the kernels of slabs
    std::unique_ptr<Halo> halo;                ///< of slabs; has the arrays above and goes before them
    std::unique_ptr<LatticeGauge> gauge;       ///< of the couplings, for kernels that sweep in it
    bool in_gauge = false;                     ///< so are the spins
    std::unique_ptr<DeviceHoudayer> houdayer;  ///< set by the first move
    DeviceBuffer<ClusterSums> clusters;        ///< empty before the first sweep that sums clusters

    /// Spins in the gauge, or as they are.
    void set_gauge(bool wanted, uint4* spins) {
        if (!gauge || in_gauge == wanted) return;
        gauge->turn(spins, std::int64_t{args.replicas} * args.temperatures, together());
        in_gauge = wanted;
    }
    cudaStream_t together() { return parts->together(); }
};

ColumnCudaEnsemble::ColumnCudaEnsemble(const BatchSetup& setup)
    : DeviceEnsemble(setup),
      request_(requested_kernel(setup.choice.kernel)),
      plan_source_(request_.is_free() ? "predicted" : setup.choice.plan_source),
      memory_(std::make_unique<Memory>()) {
    if (shape_.is_slab() && shape_.order == SiteOrder::sliced && (!rule().cubic_plain() || shape_.share == 1))
        throw_of_all_ranks<InputError>(
            "--halo-order sliced on GPUs needs Metropolis updates without a field and absent bonds, and "
            "multispin.share = 32 or more; use --halo-order standard");
    Memory& m = *memory_;
    m.args.geometry = make_slab(shape_.L, shape_.held_planes());
    m.counts_own = shape_.is_slab() || shape_.order == SiteOrder::sliced ||
                   !has_exact_places(m.args.geometry) || (shape_.dimension == 3 && shape_.L > max_counted_L);
    log_step("open the GPU");
    if (shape_.is_slab()) m.halo = std::make_unique<Halo>(shape_, ranks(), setup.choice.halo, device());
    const std::vector<std::uint64_t> couplings = pack_couplings(shape_, setup.couplings);
    m.couplings = DeviceBuffer<uint4>(couplings.size() / 2, "couplings");
    m.couplings.upload(couplings, arrays().stream.handle);
    log_step("upload couplings");
    m.stacks = shape_.columns() * shape_.replicas;
    m.args.spins = arrays().spins.data();
    m.args.couplings = m.couplings.data();
    m.args.replicas = static_cast<std::uint32_t>(shape_.replicas);
    m.args.temperatures = static_cast<std::uint32_t>(shape_.temperatures);
    m.args.first_realization = static_cast<std::uint32_t>(shape_.first_realization);
    m.args.seed = key();
    m.batch = {shape_.share,      shape_.columns(), device(),
               sweeps_per_swap(), rule(),           exchanges_by_table(model_, rule()),
               m.halo.get(),      shape_.order};
    m.batch.realizations = shape_.realizations;
    m.batch.table = &m.table;
    put_betas(setup.betas);
    log_step("plan kernels");
}

/// Kernels of the class rule and of demons of the same models hold a table and are planned anew. Kernels of
/// the plain rule in three dimensions and gauged kernels take their thresholds with every sweep.
void ColumnCudaEnsemble::put_betas(const std::vector<double>& betas) {
    PSFLIP_CUDA(cudaSetDevice(device()));
    Memory& m = *memory_;
    if (m.kernels.sweeps) carry_out_exchange();
    betas_ = betas;
    for (int t = 0; t < shape_.temperatures; ++t) {
        m.args.thresholds[t] = metropolis_thresholds(betas[t]);
        if (rule().plain_demons()) {
            const auto of_demons = demon_thresholds<max_demon>(4.0 * betas[t]);
            m.args.thresholds[t] = {of_demons[0], of_demons[1], of_demons[2]};
        } else if (rule().degree == 4)
            m.args.thresholds[t].c12 = 0;  // no class of four bonds has it
    }
    if (!m.kernels.sweeps ||
        !(rule().cubic_plain() || rule().plain_demons() || m.kernels.sweeps->is_gauged()))
        plan();
}

/// Slices the batch if there are columns for it, the kernels can, and it pays or was requested.
void ColumnCudaEnsemble::plan() {
    Memory& m = *memory_;
    if (!rule().plain_demons())
        m.table = class_args(model_, rule(), betas_, arrays().absent.data(), arrays().bonds.data());
    const auto planned = [&](int parts) {
        m.batch.parts = parts;
        return plan_kernels(m.args, m.table, m.batch, request_);
    };
    if (m.parts) m.together();
    m.kernels = {};
    int parts = m.parts ? m.parts->count() : 1;
    m.kernels = planned(parts);
    if (parts > 1 && !m.kernels.take_parts()) m.kernels = planned(parts = 1);
    const bool can = !m.parts && !shape_.is_slab() && shape_.columns() >= max_stream_parts;
    const double alone = m.kernels.microseconds();
    if (can && (request_.parts > 1 || (request_.parts == 0 && alone >= min_period_of_parts))) {
        PlannedKernels in_parts = planned(max_stream_parts);
        if (in_parts.take_parts() &&
            (request_.parts > 1 || in_parts.microseconds() < max_cost_of_parts * alone)) {
            m.kernels = std::move(in_parts);
            parts = max_stream_parts;
        }
    }
    if (parts < request_.parts)
        throw EnvironmentError(
            "the batch cannot be cut into slices: its kernel does not take them, or it has one column; leave "
            "/2 out of --kernel");
    if (!m.parts || m.parts->count() != parts)
        m.parts.emplace(shape_.columns(), shape_.replicas, parts, arrays().stream.handle);
    m.kernels.sweeps->prepare(m.args, arrays().stream.handle);
    if (m.kernels.sweeps->is_gauged() && shape_.dimension == 2)
        m.gauge = std::make_unique<LatticeGauge>(m.args.geometry, m.couplings.data(), shape_.columns(),
                                                 arrays().stream.handle);
    else if (m.kernels.sweeps->is_gauged())
        m.gauge = std::make_unique<LatticeGauge>(m.args.geometry, own_planes(shape_),
                                                 m.halo ? ranks() : single_rank(), m.couplings.data(),
                                                 shape_.columns(), arrays().stream.handle);
    if (m.kernels.periods) m.kernels.periods->prepare(m.args, arrays().stream.handle);
}

double ColumnCudaEnsemble::predicted_microseconds() const {
    return memory_->kernels.microseconds();
}

PredictedPlans ColumnCudaEnsemble::predicted_plans() const {
    const Memory& m = *memory_;
    PredictedPlans plans;
    PlannedBatch batch = m.batch;
    for (batch.parts = 1; batch.parts <= max_stream_parts; ++batch.parts)
        if (shape_.columns() >= batch.parts)
            for (const auto& [microseconds, name] : best_kernel_plans(m.args, m.table, batch))
                plans.emplace(microseconds, name + "/" + std::to_string(batch.parts));
    return plans;
}

ColumnCudaEnsemble::~ColumnCudaEnsemble() = default;

void ColumnCudaEnsemble::set_spins(const std::vector<std::uint64_t>& canonical) {
    PSFLIP_CUDA(cudaSetDevice(device()));
    Memory& m = *memory_;
    m.pending = {};
    m.energies_ready = m.in_gauge = false;
    arrays().spins.upload(pack_spins(shape_, layout_of(shape_), canonical), m.together());
    if (m.halo)
        m.halo->fill({m.args.geometry, arrays().spins.data(), m.stacks * shape_.temperatures}, m.together());
}

std::vector<std::uint64_t> ColumnCudaEnsemble::spins() const {
    PSFLIP_CUDA(cudaSetDevice(device()));
    carry_out_exchange();
    memory_->set_gauge(false, arrays().spins.data());
    constexpr std::size_t words_worth_threads = std::size_t{1} << 20;
    ThreadPool pool(arrays().spins.size() >= words_worth_threads ? 0 : 1);
    auto words = large_zeros<std::uint64_t>(arrays().spins.size() * 2, pool);
    arrays().spins.download(words, memory_->together());
    if (memory_->halo) memory_->halo->check();
    return unpack_spins(shape_, layout_of(shape_), words.data());
}

void ColumnCudaEnsemble::sweep(std::int64_t first, int count) {
    PSFLIP_CUDA(cudaSetDevice(device()));
    Memory& m = *memory_;
    const bool summed = sums_clusters_ && rule().swendsen_wang;
    if (summed && m.clusters.size() == 0)
        m.clusters = {static_cast<std::size_t>(m.stacks * shape_.temperatures * column_bits),
                      "sums of clusters"};
    m.set_gauge(true, arrays().spins.data());
    for (const StreamPart& part : m.parts->apart()) {
        m.energies_ready = m.kernels.sweeps->slot_groups(part) && m.energies_wanted;
        m.kernels.sweeps->sweep(
            m.args, arrays().spins,
            {first, count, m.pending, m.energies_ready ? arrays().energies.data() : nullptr,
             arrays().magnetisations.data(), summed ? m.clusters.data() : nullptr},
            part);
    }
    m.pending = {};
}

bool ColumnCudaEnsemble::sweep_and_exchange(const ExchangeArgs& exchange, std::int64_t first, int periods) {
    Memory& m = *memory_;
    if (!m.kernels.periods) return false;
    PSFLIP_CUDA(cudaSetDevice(device()));
    carry_out_exchange();
    m.set_gauge(true, arrays().spins.data());
    ExchangeArgs own = exchange;
    own.mask = DeviceEnsemble::device_exchange_mask();
    m.kernels.periods->run(m.args, own, first, periods, m.together());
    m.energies_ready = true;
    return true;
}

void ColumnCudaEnsemble::compute_energies() {
    PSFLIP_CUDA(cudaSetDevice(device()));
    Memory& m = *memory_;
    m.energies_wanted = true;
    if (m.energies_ready) return;
    carry_out_exchange();
    m.set_gauge(true, arrays().spins.data());
    const std::uint32_t per_column = m.args.replicas * m.args.temperatures,
                        lattices = static_cast<std::uint32_t>(m.stacks) * m.args.temperatures;
    const BondCountArgs bonds{m.args.geometry, m.args.spins, m.args.couplings, per_column, lattices};
    const ModelCountArgs model{m.args.geometry,       m.args.spins, m.args.couplings, arrays().absent.data(),
                               arrays().bonds.data(), per_column,   lattices,         rule().degree,
                               shape_.energy_unit()};
    if (m.counts_own)
        count_own(bonds, model);
    else if (rule().cubic_plain())
        count_energies(bonds, arrays().energies.data(), m.together());
    else
        count_model(model, arrays().energies.data(), arrays().magnetisations.data(), m.together());
    m.energies_ready = true;
}

/// Own bonds and spins, then the sums over all ranks.
void ColumnCudaEnsemble::count_own(const BondCountArgs& bonds, const ModelCountArgs& model) {
    Memory& m = *memory_;
    cudaStream_t stream = m.together();
    const OwnPlanes own = own_planes(shape_);
    if (rule().cubic_plain())
        count_energies_of_slab(bonds, own, shape_.order, shape_.energy_unit(), arrays().energies.data(),
                               stream);
    else
        count_model_of_slab(model, own, ranks().is_first(), arrays().energies.data(),
                            arrays().magnetisations.data(), stream);
    if (!m.halo) return;
    for (DeviceBuffer<std::int32_t>* numbers : {&arrays().energies, &arrays().magnetisations}) {
        if (numbers->size() == 0) continue;
        std::vector<std::int32_t> sums(numbers->size());
        numbers->download(sums, stream);
        m.halo->check();
        ranks().sum(std::span(sums));
        numbers->upload(sums, stream);
    }
}

void ColumnCudaEnsemble::exchange_spins(int parity) {
    PSFLIP_CUDA(cudaSetDevice(device()));
    Memory& m = *memory_;
    m.pending = {arrays().exchange_mask.data(), parity, exchange_steps(m.args.temperatures)};
    for (const StreamPart& part : m.parts->apart()) {
        const auto groups = m.kernels.sweeps->slot_groups(part);
        if (!groups) return carry_out_exchange();
        psflip::exchange_spins(m.args, m.pending, part, *groups, Pairs::across);
    }
}

/// Pairs inside a group of slots; without groups, all.
void ColumnCudaEnsemble::carry_out_exchange() const {
    Memory& m = *memory_;
    if (!m.pending.mask) return;
    const SlotGroups one{shape_.temperatures, 0, m.stacks};
    for (const StreamPart& part : m.parts->apart())
        psflip::exchange_spins(m.args, m.pending, part, m.kernels.sweeps->slot_groups(part).value_or(one),
                               Pairs::inside);
    m.pending = {};
}

void ColumnCudaEnsemble::make_houdayer_move(const HoudayerMove& move) {
    PSFLIP_CUDA(cudaSetDevice(device()));
    Memory& m = *memory_;
    carry_out_exchange();
    m.energies_ready = false;
    if (!m.houdayer)
        m.houdayer = std::make_unique<DeviceHoudayer>(m.args, shape_.share, shape_.columns(), device_absent(),
                                                      device(), m.together());
    m.houdayer->move(m.args, move, m.together());
}

HoudayerCounts ColumnCudaEnsemble::houdayer_counts() const {
    PSFLIP_CUDA(cudaSetDevice(device()));
    return memory_->houdayer ? memory_->houdayer->counts(shape_, memory_->together())
                             : DeviceEnsemble::houdayer_counts();
}

void ColumnCudaEnsemble::synchronize() const {
    DeviceEnsemble::synchronize();
    if (memory_->halo) memory_->halo->check();
}

std::string ColumnCudaEnsemble::description() const {
    const Memory& m = *memory_;
    const std::string plan = m.kernels.name();
    std::string text = "cuda " + cuda_device_name(device()) + ", " + plan.substr(0, plan.find(':')) +
                       " kernel, " + plan_source_ + " plan " + plan;
    if (m.parts->count() > 1) text.append("/").append(std::to_string(m.parts->count()));
    if (shape_.order != SiteOrder::standard) text.append(", ").append(name(shape_.order)).append(" order");
    if (m.halo) text.append(", ").append(m.halo->description());
    return text;
}

std::uint32_t* ColumnCudaEnsemble::device_exchange_mask() const {
    carry_out_exchange();
    return DeviceEnsemble::device_exchange_mask();
}
std::uint32_t* ColumnCudaEnsemble::device_spins() const {
    memory_->set_gauge(false, arrays().spins.data());
    return ColumnCudaEnsemble::device_spins_alike();
}
std::uint32_t* ColumnCudaEnsemble::device_spins_alike() const {
    carry_out_exchange();
    return reinterpret_cast<std::uint32_t*>(arrays().spins.data());
}
const ClusterSums* ColumnCudaEnsemble::device_cluster_sums() const {
    return memory_->clusters.data();
}
CUstream_st* ColumnCudaEnsemble::stream() const {
    return memory_->together();
}
const std::vector<StreamPart>& ColumnCudaEnsemble::parts() const {
    return memory_->parts->apart();
}

}  // namespace psflip
