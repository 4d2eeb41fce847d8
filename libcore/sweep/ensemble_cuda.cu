#include "sweep/ensemble_cuda.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/cuda_check.cuh"
#include "base/device.hpp"
#include "base/device_buffer.cuh"
#include "lattice/packing.hpp"
#include "sweep/cuda/bond_count_cuda.cuh"
#include "sweep/cuda/model_count_cuda.cuh"
#include "sweep/cuda/spin_exchange_cuda.cuh"
#include "sweep/plan_cuda.cuh"

namespace psflip {

namespace {

SpinLayout layout_of(const Shape& shape) {
    return {shape.L, shape.replicas, shape.temperatures, 1, shape.depth()};
}

/// Number of an existing device, after making it the current one.
int usable(int device) {
    std::string why;
    if (!cuda_available(device, &why)) throw EnvironmentError("the CUDA backend is not available: " + why);
    PSFLIP_CUDA(cudaSetDevice(device));
    return device;
}

/// What was asked for; the environment may decide where the caller leaves it open.
KernelRequest requested_kernel(const std::string& asked) {
    const char* text = std::getenv("PSFLIP_CUDA_KERNEL");
    return parse_kernel(asked == "auto" && text && *text ? text : asked);
}

/// A stream that lives as long as its owner.
struct Stream {
    cudaStream_t handle = nullptr;
    Stream() { PSFLIP_CUDA(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking)); }
    ~Stream() { cudaStreamDestroy(handle); }
    Stream(const Stream&) = delete;
};

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
    Stream stream;
    DeviceBuffer<uint4> spins, couplings, absent, exchange_mask;
    DeviceBuffer<std::int32_t> energies, magnetisations;
    DeviceBuffer<std::int32_t> bonds;  ///< that are there: (column, lane); not of the plain rule in 3D
    SweepArgs args;
    PlannedKernels kernels;
    std::int64_t stacks;      ///< columns * replicas
    PendingExchange pending;  ///< between slots of the same block of a kernel
    bool energies_wanted = false, energies_ready = false;
};

CudaEnsemble::CudaEnsemble(const Shape& shape, const std::vector<double>& betas, std::uint64_t seed,
                           const std::vector<std::int8_t>& couplings, const CudaChoice& choice,
                           const Model& model)
    : Ensemble(shape, betas, seed, model),
      device_(usable(choice.device)),
      sweeps_per_swap_(shape.temperatures > 1 ? choice.sweeps_per_swap : 0),
      rule_(sweep_rule(model, has_absent_bonds(couplings))),
      memory_(std::make_unique<Memory>()) {
    Memory& m = *memory_;
    const std::size_t columns = static_cast<std::size_t>(shape.columns());
    m.spins = DeviceBuffer<uint4>(columns * layout_of(shape).column_words() / 2, "spins");
    m.spins.zero(m.stream.handle);
    upload_bonds(couplings);
    m.stacks = shape.columns() * shape.replicas;
    const auto lanes = static_cast<std::size_t>(m.stacks * shape.temperatures * column_bits);
    m.energies = {lanes, "energies"};
    m.energies.zero(m.stream.handle);
    if (rule_.field) m.magnetisations = {lanes, "magnetisations"};
    m.exchange_mask = {static_cast<std::size_t>(m.stacks * (shape.temperatures / 2 + 1)), "exchange masks"};
    m.args.geometry = make_slab(shape.L, shape.depth());
    m.args.spins = m.spins.data();
    m.args.couplings = m.couplings.data();
    m.args.replicas = static_cast<std::uint32_t>(shape.replicas);
    m.args.temperatures = static_cast<std::uint32_t>(shape.temperatures);
    m.args.first_realization = static_cast<std::uint32_t>(shape.first_realization);
    m.args.seed = key();
    for (int t = 0; t < shape.temperatures; ++t) {
        m.args.thresholds[t] = metropolis_thresholds(betas[t]);
        if (rule_.degree == 4) m.args.thresholds[t].c12 = 0;  // no class of four bonds has it
    }
    m.kernels = plan_kernels(
        m.args, class_args(model, rule_, betas, m.absent.data(), m.bonds.data()),
        {shape.share, shape.columns(), device_, sweeps_per_swap_, rule_, exchanges_by_table(model, rule_)},
        requested_kernel(choice.kernel));
}

/// Couplings, absent bonds where there are some, and the number of bonds of each realization.
void CudaEnsemble::upload_bonds(const std::vector<std::int8_t>& couplings) {
    Memory& m = *memory_;
    const auto words = static_cast<std::size_t>(
        shape_.columns() * CouplingLayout{shape_.L, shape_.dimension}.column_words() / 2);
    m.couplings = DeviceBuffer<uint4>(words, "couplings");
    m.couplings.upload(pack_couplings(shape_, couplings), m.stream.handle);
    if (rule_.cubic_plain()) return;
    const std::int64_t each = shape_.dimension * shape_.sites();
    std::vector<std::int32_t> bonds(shape_.lanes(), static_cast<std::int32_t>(each));
    if (rule_.absent) {
        m.absent = DeviceBuffer<uint4>(words, "absent bonds");
        m.absent.upload(pack_absent_bonds(shape_, couplings), m.stream.handle);
        const auto first = couplings.begin();
        for (std::int64_t r = 0; r < shape_.realizations; ++r)
            bonds[r] -= static_cast<std::int32_t>(
                std::count(first + r * each, first + (r + 1) * each, std::int8_t{0}));
    }
    m.bonds = {bonds.size(), "numbers of bonds"};
    m.bonds.upload(bonds, m.stream.handle);
}

CudaEnsemble::~CudaEnsemble() = default;

void CudaEnsemble::set_spins(const std::vector<std::uint64_t>& canonical) {
    PSFLIP_CUDA(cudaSetDevice(device_));
    Memory& m = *memory_;
    m.pending = {};
    m.energies_ready = false;
    m.spins.upload(pack_spins(shape_, layout_of(shape_), canonical), m.stream.handle);
}

std::vector<std::uint64_t> CudaEnsemble::spins() const {
    PSFLIP_CUDA(cudaSetDevice(device_));
    carry_out_exchange();
    std::vector<std::uint64_t> words(memory_->spins.size() * 2);
    memory_->spins.download(words, memory_->stream.handle);
    return unpack_spins(shape_, layout_of(shape_), words.data());
}

void CudaEnsemble::sweep(std::int64_t first, int count) {
    PSFLIP_CUDA(cudaSetDevice(device_));
    Memory& m = *memory_;
    const bool whole = m.kernels.sweeps->slots_per_block() > 0;
    m.energies_ready = whole && m.energies_wanted;
    m.kernels.sweeps->sweep(
        m.args, m.spins,
        {first, count, m.pending, m.energies_ready ? m.energies.data() : nullptr, m.magnetisations.data()},
        m.stream.handle);
    m.pending = {};
}

bool CudaEnsemble::sweep_and_exchange(const ExchangeArgs& exchange, std::int64_t first, int periods) {
    Memory& m = *memory_;
    if (!m.kernels.periods) return false;
    PSFLIP_CUDA(cudaSetDevice(device_));
    carry_out_exchange();
    m.kernels.periods->run(m.args, exchange, first, periods, m.stream.handle);
    m.energies_ready = true;
    return true;
}

void CudaEnsemble::compute_energies() {
    PSFLIP_CUDA(cudaSetDevice(device_));
    Memory& m = *memory_;
    m.energies_wanted = true;
    if (m.energies_ready) return;
    carry_out_exchange();
    const std::uint32_t per_column = m.args.replicas * m.args.temperatures,
                        lattices = static_cast<std::uint32_t>(m.stacks) * m.args.temperatures;
    if (rule_.cubic_plain())
        count_energies({m.args.geometry, m.args.spins, m.args.couplings, per_column, lattices},
                       m.energies.data(), m.stream.handle);
    else
        count_model({m.args.geometry, m.args.spins, m.args.couplings, m.absent.data(), m.bonds.data(),
                     per_column, lattices, rule_.degree},
                    m.energies.data(), m.magnetisations.data(), m.stream.handle);
    m.energies_ready = true;
}

void CudaEnsemble::exchange_spins(int parity) {
    PSFLIP_CUDA(cudaSetDevice(device_));
    Memory& m = *memory_;
    m.pending = {m.exchange_mask.data(), parity,
                 static_cast<std::uint32_t>((shape_.temperatures + parity + 1) / 2)};
    if (const int slots = m.kernels.sweeps->slots_per_block())
        psflip::exchange_spins(m.args, m.pending, m.stacks, slots, Pairs::across, m.stream.handle);
    else
        carry_out_exchange();
}

/// Pairs inside a group of slots; without groups, all.
void CudaEnsemble::carry_out_exchange() const {
    Memory& m = *memory_;
    if (!m.pending.mask) return;
    const int slots = m.kernels.sweeps->slots_per_block();
    psflip::exchange_spins(m.args, m.pending, m.stacks, slots > 0 ? slots : shape_.temperatures,
                           Pairs::inside, m.stream.handle);
    m.pending = {};
}

std::vector<std::int32_t> CudaEnsemble::energies() const {
    PSFLIP_CUDA(cudaSetDevice(device_));
    return of_realizations(shape_, memory_->energies, memory_->stream.handle);
}

std::vector<std::int32_t> CudaEnsemble::magnetisations() const {
    PSFLIP_CUDA(cudaSetDevice(device_));
    return rule_.field ? of_realizations(shape_, memory_->magnetisations, memory_->stream.handle)
                       : std::vector<std::int32_t>{};
}

void CudaEnsemble::synchronize() const {
    PSFLIP_CUDA(cudaSetDevice(device_));
    PSFLIP_CUDA(cudaStreamSynchronize(memory_->stream.handle));
}

std::string CudaEnsemble::description() const {
    return "cuda " + cuda_device_name(device_) + ", " + memory_->kernels.description();
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
    carry_out_exchange();
    return reinterpret_cast<std::uint32_t*>(memory_->spins.data());
}
CUstream_st* CudaEnsemble::stream() const {
    return memory_->stream.handle;
}

}  // namespace psflip
