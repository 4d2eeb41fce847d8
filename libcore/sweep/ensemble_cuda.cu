#include "sweep/ensemble_cuda.hpp"

#include <cstdlib>
#include <span>

#include "base/cuda_check.cuh"
#include "base/device.hpp"
#include "base/device_buffer.cuh"
#include "base/error.hpp"
#include "base/stream.cuh"
#include "lattice/packing.hpp"
#include "sweep/cuda/bond_count_cuda.cuh"
#include "sweep/cuda/lattice_gauge_cuda.cuh"
#include "sweep/cuda/model_count_cuda.cuh"
#include "sweep/cuda/spin_exchange_cuda.cuh"
#include "sweep/cuda/stream_parts_cuda.cuh"
#include "sweep/plan_cuda.cuh"

namespace psflip {

namespace {

/// The size beyond which the tasks of a lattice may be more than the grid of count_energies has rows.
constexpr int largest_counted_L = 256;

/// The fewest microseconds of an exchange period for which parts, which take more launches, are worth it; and
/// what they may take by prediction in those of one part. Beside their waves, which need not be whole, they
/// gain 2 to 6% by loads and stores that fall between the sweeps of another part.
constexpr double least_in_parts = 150, most_in_parts = 1.02;

SpinLayout layout_of(const Shape& shape) {
    return SpinLayout::of(shape, 1);
}

/// Number of an existing device, after making it the current one.
int usable(int device) {
    std::string why;
    if (!cuda_available(device, &why)) throw EnvironmentError("the CUDA backend is not available: " + why);
    PSFLIP_CUDA(cudaSetDevice(device));
    return device;
}

/// What was asked for; the environment may decide where the caller leaves it open and the spins are swept as
/// words of realizations.
KernelRequest requested_kernel(const Shape& shape, const std::string& asked) {
    if (shape.coding == Lanes::replicas) return {};
    const char* text = std::getenv("PSFLIP_CUDA_KERNEL");
    return parse_kernel(asked == "auto" && text && *text ? text : asked);
}

/// From (column, replica, slot, lane) on the device to (replica, slot, realization).
std::vector<std::int32_t> of_realizations(const Shape& shape, const DeviceBuffer<std::int32_t>& lanes,
                                          cudaStream_t stream) {
    std::vector<std::int32_t> found(lanes.size()), out;
    lanes.download(found, stream);
    out.reserve(shape.realizations * shape.replicas * shape.temperatures);
    for (int replica = 0; replica < shape.replicas; ++replica)
        for (int t = 0; t < shape.temperatures; ++t)
            for (std::int64_t r = 0; r < shape.realizations; ++r)
                out.push_back(found[((r / column_bits * shape.replicas + replica) * shape.temperatures + t) *
                                        column_bits +
                                    r % column_bits]);
    return out;
}

}  // namespace

struct CudaEnsemble::Memory {
    Stream stream;  ///< of the whole batch, see StreamParts::together
    std::optional<StreamParts> parts;
    DeviceBuffer<uint4> spins, couplings, absent, exchange_mask;
    DeviceBuffer<std::int32_t> energies, magnetisations;
    DeviceBuffer<std::int32_t> bonds;  ///< that are there: (column, lane); not of the plain rule in 3D
    SweepArgs args;
    PlannedKernels kernels;
    std::int64_t stacks;      ///< columns * replicas
    PendingExchange pending;  ///< between slots of the same block of a kernel
    bool energies_wanted = false, energies_ready = false;
    bool counts_own = false;              ///< energies by the kernels of slabs
    std::unique_ptr<Halo> halo;           ///< of slabs; has the arrays above and goes before them
    std::unique_ptr<LatticeGauge> gauge;  ///< of the couplings, for kernels that sweep in it
    bool in_gauge = false;                ///< so are the spins

    /// Spins in the gauge, or as they are.
    void set_gauge(bool wanted) {
        if (!gauge || in_gauge == wanted) return;
        gauge->turn(spins.data(), std::int64_t{args.replicas} * args.temperatures, together());
        in_gauge = wanted;
    }
    cudaStream_t together() { return parts->together(); }
};

CudaEnsemble::CudaEnsemble(const BatchSetup& setup)
    : IsingEnsemble(setup.with(in_order_of(requested_kernel(setup.shape, setup.choice.kernel), setup.shape))),
      device_(usable(setup.choice.device)),
      sweeps_per_swap_(setup.shape.temperatures > 1 ? setup.sweeps_per_swap : 0),
      kernel_(setup.choice.kernel),
      rule_(sweep_rule(model_, ranks().maximum(has_absent_bonds(setup.couplings) ? 1 : 0) != 0)),
      memory_(std::make_unique<Memory>()) {
    Memory& m = *memory_;
    const Shape& shape = setup.shape;
    m.args.geometry = make_slab(shape.L, shape.held_planes());
    const bool exact = has_exact_places(m.args.geometry);
    if (!exact && !shape.is_slab() && (!rule_.cubic_plain() || shape.share == 1))
        throw InputError(
            "whole lattices of L = " + std::to_string(shape.L) +
            " suit CUDA kernels of the plain rule with shared numbers alone; take an even L up to "
            "370, or several ranks");
    m.counts_own = shape.is_slab() || shape_.order == SiteOrder::sliced || !exact ||
                   (shape.dimension == 3 && shape.L > largest_counted_L);
    if (rule_.absent) check_absent_bonds(shape);
    const std::size_t columns = static_cast<std::size_t>(shape.columns());
    if (shape.is_slab()) m.halo = std::make_unique<Halo>(shape_, ranks(), setup.choice.halo, device_);
    m.spins = m.halo ? DeviceBuffer<uint4>::for_peers(columns * layout_of(shape_).column_words() / 2, "spins")
                     : DeviceBuffer<uint4>(columns * layout_of(shape_).column_words() / 2, "spins");
    m.spins.zero(m.stream.handle);
    upload_bonds(setup.couplings);
    m.stacks = shape.columns() * shape.replicas;
    const auto lanes = static_cast<std::size_t>(m.stacks * shape.temperatures * column_bits);
    m.energies = {lanes, "energies"};
    m.energies.zero(m.stream.handle);
    if (rule_.field) m.magnetisations = {lanes, "magnetisations"};
    m.exchange_mask = {
        static_cast<std::size_t>(m.stacks) * exchange_steps(static_cast<std::uint32_t>(shape.temperatures)),
        "exchange masks"};
    m.args.spins = m.spins.data();
    m.args.couplings = m.couplings.data();
    m.args.replicas = static_cast<std::uint32_t>(shape.replicas);
    m.args.temperatures = static_cast<std::uint32_t>(shape.temperatures);
    m.args.first_realization = static_cast<std::uint32_t>(shape.first_realization);
    m.args.seed = key();
    put_betas(setup.betas);
}

/// Kernels of the class rule hold a table and are planned anew; those of the plain rule in three dimensions
/// take their thresholds with every sweep.
void CudaEnsemble::put_betas(const std::vector<double>& betas) {
    PSFLIP_CUDA(cudaSetDevice(device_));
    Memory& m = *memory_;
    if (m.kernels.sweeps) carry_out_exchange();
    betas_ = betas;
    for (int t = 0; t < shape_.temperatures; ++t) {
        m.args.thresholds[t] = metropolis_thresholds(betas[t]);
        if (rule_.degree == 4) m.args.thresholds[t].c12 = 0;  // no class of four bonds has it
    }
    if (!m.kernels.sweeps || !rule_.cubic_plain()) plan();
}

/// In parts where there are columns for them, the kernels can, and it pays or was asked for.
void CudaEnsemble::plan() {
    Memory& m = *memory_;
    const KernelRequest request = requested_kernel(shape_, kernel_);
    const auto planned = [&](int parts) {
        return plan_kernels(m.args, class_args(model_, rule_, betas_, m.absent.data(), m.bonds.data()),
                            {shape_.share, shape_.columns(), device_, sweeps_per_swap_, rule_,
                             exchanges_by_table(model_, rule_), m.halo.get(), shape_.order, parts},
                            request);
    };
    if (m.parts) m.together();
    m.kernels = {};
    int parts = m.parts ? m.parts->count() : 1;
    m.kernels = planned(parts);
    if (parts > 1 && !m.kernels.take_parts()) m.kernels = planned(parts = 1);
    const bool can = !m.parts && !shape_.is_slab() && shape_.coding == Lanes::realizations &&
                     shape_.columns() >= most_stream_parts;
    const double alone = m.kernels.microseconds();
    if (can && (request.parts > 1 || (request.parts == 0 && alone >= least_in_parts))) {
        PlannedKernels in_parts = planned(most_stream_parts);
        if (in_parts.take_parts() && (request.parts > 1 || in_parts.microseconds() < most_in_parts * alone)) {
            m.kernels = std::move(in_parts);
            parts = most_stream_parts;
        }
    }
    if (parts < request.parts)
        throw EnvironmentError(
            "parts of the batch were asked for, but do not suit its kernel, or it has one column");
    if (!m.parts || m.parts->count() != parts)
        m.parts.emplace(shape_.columns(), shape_.replicas, parts, m.stream.handle);
    m.kernels.sweeps->prepare(m.args, m.stream.handle);
    if (m.kernels.sweeps->is_gauged())
        m.gauge = std::make_unique<LatticeGauge>(m.args.geometry, m.couplings.data(), shape_.columns(),
                                                 m.stream.handle);
    if (m.kernels.periods) m.kernels.periods->prepare(m.args, m.stream.handle);
}

/// Couplings, absent bonds where there are some, and the number of bonds of each realization.
void CudaEnsemble::upload_bonds(std::span<const std::int8_t> couplings) {
    Memory& m = *memory_;
    const auto words = static_cast<std::size_t>(shape_.columns() * shape_.dimension * shape_.held_sites());
    m.couplings = DeviceBuffer<uint4>(words, "couplings");
    m.couplings.upload(pack_couplings(shape_, couplings), m.stream.handle);
    if (rule_.cubic_plain()) return;
    std::vector<std::int32_t> bonds(shape_.lanes(),
                                    static_cast<std::int32_t>(shape_.bonds() / shape_.energy_unit()));
    if (rule_.absent) {
        m.absent = DeviceBuffer<uint4>(words, "absent bonds");
        m.absent.upload(pack_absent_bonds(shape_, couplings), m.stream.handle);
        std::vector<std::int32_t> absent = count_absent_bonds(shape_, couplings);
        ranks().sum(std::span(absent));
        for (std::int64_t r = 0; r < shape_.realizations; ++r) bonds[r] -= absent[r];
    }
    m.bonds = {bonds.size(), "numbers of bonds"};
    m.bonds.upload(bonds, m.stream.handle);
}

CudaEnsemble::~CudaEnsemble() = default;

void CudaEnsemble::set_spins(const std::vector<std::uint64_t>& canonical) {
    PSFLIP_CUDA(cudaSetDevice(device_));
    Memory& m = *memory_;
    m.pending = {};
    m.energies_ready = m.in_gauge = false;
    m.spins.upload(pack_spins(shape_, layout_of(shape_), canonical), m.together());
    if (m.halo) m.halo->fill({m.args.geometry, m.spins.data(), m.stacks * shape_.temperatures}, m.together());
}

std::vector<std::uint64_t> CudaEnsemble::spins() const {
    PSFLIP_CUDA(cudaSetDevice(device_));
    carry_out_exchange();
    memory_->set_gauge(false);
    std::vector<std::uint64_t> words(memory_->spins.size() * 2);
    memory_->spins.download(words, memory_->together());
    if (memory_->halo) memory_->halo->check();
    return unpack_spins(shape_, layout_of(shape_), words.data());
}

void CudaEnsemble::sweep(std::int64_t first, int count) {
    PSFLIP_CUDA(cudaSetDevice(device_));
    Memory& m = *memory_;
    m.set_gauge(true);
    for (const StreamPart& part : m.parts->apart()) {
        m.energies_ready = m.kernels.sweeps->slot_groups(part) && m.energies_wanted;
        m.kernels.sweeps->sweep(m.args, m.spins,
                                {first, count, m.pending, m.energies_ready ? m.energies.data() : nullptr,
                                 m.magnetisations.data()},
                                part);
    }
    m.pending = {};
}

bool CudaEnsemble::sweep_and_exchange(const ExchangeArgs& exchange, std::int64_t first, int periods) {
    Memory& m = *memory_;
    if (!m.kernels.periods) return false;
    PSFLIP_CUDA(cudaSetDevice(device_));
    carry_out_exchange();
    m.set_gauge(true);
    m.kernels.periods->run(m.args, exchange, first, periods, m.together());
    m.energies_ready = true;
    return true;
}

void CudaEnsemble::compute_energies() {
    PSFLIP_CUDA(cudaSetDevice(device_));
    Memory& m = *memory_;
    m.energies_wanted = true;
    if (m.energies_ready) return;
    carry_out_exchange();
    m.set_gauge(true);
    const std::uint32_t per_column = m.args.replicas * m.args.temperatures,
                        lattices = static_cast<std::uint32_t>(m.stacks) * m.args.temperatures;
    const BondCountArgs bonds{m.args.geometry, m.args.spins, m.args.couplings, per_column, lattices};
    const ModelCountArgs model{m.args.geometry, m.args.spins,   m.args.couplings,
                               m.absent.data(), m.bonds.data(), per_column,
                               lattices,        rule_.degree,   shape_.energy_unit()};
    if (m.counts_own)
        count_own(bonds, model);
    else if (rule_.cubic_plain())
        count_energies(bonds, m.energies.data(), m.together());
    else
        count_model(model, m.energies.data(), m.magnetisations.data(), m.together());
    m.energies_ready = true;
}

/// Own bonds and spins, then the sums over all ranks.
void CudaEnsemble::count_own(const BondCountArgs& bonds, const ModelCountArgs& model) {
    Memory& m = *memory_;
    cudaStream_t stream = m.together();
    const OwnPlanes own = own_planes(shape_);
    if (rule_.cubic_plain())
        count_energies_of_slab(bonds, own, shape_.order, shape_.energy_unit(), m.energies.data(), stream);
    else
        count_model_of_slab(model, own, ranks().is_first(), m.energies.data(), m.magnetisations.data(),
                            stream);
    if (!m.halo) return;
    for (DeviceBuffer<std::int32_t>* numbers : {&m.energies, &m.magnetisations}) {
        if (numbers->size() == 0) continue;
        std::vector<std::int32_t> sums(numbers->size());
        numbers->download(sums, stream);
        m.halo->check();
        ranks().sum(std::span(sums));
        numbers->upload(sums, stream);
    }
}

void CudaEnsemble::exchange_spins(int parity) {
    PSFLIP_CUDA(cudaSetDevice(device_));
    Memory& m = *memory_;
    m.pending = {m.exchange_mask.data(), parity, exchange_steps(m.args.temperatures)};
    for (const StreamPart& part : m.parts->apart()) {
        const auto groups = m.kernels.sweeps->slot_groups(part);
        if (!groups) return carry_out_exchange();
        psflip::exchange_spins(m.args, m.pending, part, *groups, Pairs::across);
    }
}

/// Pairs inside a group of slots; without groups, all.
void CudaEnsemble::carry_out_exchange() const {
    Memory& m = *memory_;
    if (!m.pending.mask) return;
    const SlotGroups one{shape_.temperatures, 0, m.stacks};
    for (const StreamPart& part : m.parts->apart())
        psflip::exchange_spins(m.args, m.pending, part, m.kernels.sweeps->slot_groups(part).value_or(one),
                               Pairs::inside);
    m.pending = {};
}

std::vector<std::int32_t> CudaEnsemble::energies() const {
    PSFLIP_CUDA(cudaSetDevice(device_));
    return of_realizations(shape_, memory_->energies, memory_->together());
}

std::vector<std::int32_t> CudaEnsemble::magnetisations() const {
    PSFLIP_CUDA(cudaSetDevice(device_));
    return rule_.field ? of_realizations(shape_, memory_->magnetisations, memory_->together())
                       : std::vector<std::int32_t>{};
}

void CudaEnsemble::synchronize() const {
    PSFLIP_CUDA(cudaSetDevice(device_));
    PSFLIP_CUDA(cudaStreamSynchronize(memory_->together()));
    if (memory_->halo) memory_->halo->check();
}

std::string CudaEnsemble::description() const {
    return "cuda " + cuda_device_name(device_) + ", " + memory_->kernels.description() +
           (memory_->parts->count() > 1 ? ", in " + std::to_string(memory_->parts->count()) + " parts" : "") +
           (memory_->halo ? ", " + memory_->halo->description() : "");
}

std::int32_t* CudaEnsemble::device_energies() const {
    return memory_->energies.data();
}
std::int32_t* CudaEnsemble::device_magnetisations() const {
    return memory_->magnetisations.data();
}
const std::uint32_t* CudaEnsemble::device_absent() const {
    return rule_.absent ? reinterpret_cast<const std::uint32_t*>(memory_->absent.data()) : nullptr;
}
const std::int32_t* CudaEnsemble::device_bonds() const {
    return rule_.absent ? memory_->bonds.data() : nullptr;
}
std::uint32_t* CudaEnsemble::device_exchange_mask() const {
    carry_out_exchange();
    return reinterpret_cast<std::uint32_t*>(memory_->exchange_mask.data());
}
std::uint32_t* CudaEnsemble::device_spins() const {
    memory_->set_gauge(false);
    return CudaEnsemble::device_spins_alike();
}
std::uint32_t* CudaEnsemble::device_spins_alike() const {
    carry_out_exchange();
    return reinterpret_cast<std::uint32_t*>(memory_->spins.data());
}
CUstream_st* CudaEnsemble::stream() const {
    return memory_->together();
}
const std::vector<StreamPart>& CudaEnsemble::parts() const {
    return memory_->parts->apart();
}

}  // namespace psflip
