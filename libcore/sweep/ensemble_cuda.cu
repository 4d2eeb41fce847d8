#include "sweep/ensemble_cuda.hpp"

#include <cstdlib>

#include "base/cuda_check.cuh"
#include "base/device.hpp"
#include "base/device_buffer.cuh"
#include "lattice/packing.hpp"
#include "sweep/cuda/bond_count_cuda.cuh"
#include "sweep/cuda/spin_exchange_cuda.cuh"
#include "sweep/plan_cuda.cuh"

namespace psflip {

namespace {

SpinLayout layout_of(const Shape& shape) {
    return {shape.L, shape.replicas, shape.temperatures, 1};
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

}  // namespace

struct CudaEnsemble::Memory {
    Stream stream;
    DeviceBuffer<uint4> spins, couplings, exchange_mask;
    DeviceBuffer<std::int32_t> energies;
    SweepArgs args;
    PlannedKernels kernels;
    std::int64_t stacks;      ///< columns * replicas
    PendingExchange pending;  ///< between slots of the same block of a kernel
    bool energies_wanted = false, energies_ready = false;
};

CudaEnsemble::CudaEnsemble(const Shape& shape, const std::vector<double>& betas, std::uint64_t seed,
                           const std::vector<std::int8_t>& couplings, const CudaChoice& choice)
    : Ensemble(shape, betas, seed),
      device_(usable(choice.device)),
      sweeps_per_swap_(shape.temperatures > 1 ? choice.sweeps_per_swap : 0),
      memory_(std::make_unique<Memory>()) {
    Memory& m = *memory_;
    const std::size_t columns = static_cast<std::size_t>(shape.columns());
    m.spins = DeviceBuffer<uint4>(columns * layout_of(shape).column_words() / 2, "spins");
    m.couplings = DeviceBuffer<uint4>(columns * CouplingLayout{shape.L}.column_words() / 2, "couplings");
    m.spins.zero(m.stream.handle);
    m.couplings.upload(pack_couplings(shape, couplings), m.stream.handle);
    m.stacks = shape.columns() * shape.replicas;
    m.energies = {static_cast<std::size_t>(m.stacks * shape.temperatures * column_bits), "energies"};
    m.energies.zero(m.stream.handle);
    m.exchange_mask = {static_cast<std::size_t>(m.stacks * (shape.temperatures / 2 + 1)), "exchange masks"};
    m.args.geometry = make_geometry(shape.L);
    m.args.spins = m.spins.data();
    m.args.couplings = m.couplings.data();
    m.args.replicas = static_cast<std::uint32_t>(shape.replicas);
    m.args.temperatures = static_cast<std::uint32_t>(shape.temperatures);
    m.args.first_realization = static_cast<std::uint32_t>(shape.first_realization);
    m.args.seed = seed;
    for (int t = 0; t < shape.temperatures; ++t) m.args.thresholds[t] = metropolis_thresholds(betas[t]);
    m.kernels = plan_kernels(m.args, {shape.share, shape.columns(), device_, sweeps_per_swap_},
                             requested_kernel(choice.kernel));
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
    m.kernels.sweeps->sweep(m.args, m.spins,
                            {first, count, m.pending, m.energies_ready ? m.energies.data() : nullptr},
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
    count_energies({m.args.geometry, m.args.spins, m.args.couplings, m.args.replicas * m.args.temperatures,
                    static_cast<std::uint32_t>(m.stacks) * m.args.temperatures},
                   m.energies.data(), m.stream.handle);
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
    std::vector<std::int32_t> found(memory_->energies.size()), out;
    memory_->energies.download(found, memory_->stream.handle);
    out.reserve(shape_.realizations * shape_.replicas * shape_.temperatures);
    for (int replica = 0; replica < shape_.replicas; ++replica)
        for (int t = 0; t < shape_.temperatures; ++t)
            for (std::int64_t r = 0; r < shape_.realizations; ++r)
                out.push_back(
                    found[((r / column_bits * shape_.replicas + replica) * shape_.temperatures + t) *
                              column_bits +
                          r % column_bits]);
    return out;
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
