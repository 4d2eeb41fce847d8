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
    SideStream side;                                                 ///< streaming with share 1
    DeviceBuffer<uint4> spins, new_spins, couplings, exchange_mask;  ///< new_spins: for the tiled kernel
    DeviceBuffer<std::int32_t> energies;
    SweepArgs args;
    KernelRequest request;
    SweepPlan plan;
    std::int64_t stacks;      ///< columns * replicas
    PendingExchange pending;  ///< between slots of the same block of the resident kernel
    bool energies_wanted = false, energies_ready = false;
};

CudaEnsemble::CudaEnsemble(const Shape& shape, const std::vector<double>& betas, std::uint64_t seed,
                           const std::vector<std::int8_t>& couplings, int device, const std::string& kernel)
    : Ensemble(shape, betas, seed), device_(usable(device)), memory_(std::make_unique<Memory>()) {
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
    m.request = requested_kernel(kernel);
    m.plan = plan_sweeps(m.args, shape.share, shape.columns(), device, m.request);
    kernel_ = m.plan.description();
    if (m.plan.form == SweepForm::tiled) m.new_spins = {m.spins.size(), "spins after a sweep"};
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
    switch (m.plan.form) {
        case SweepForm::resident:
            launch_resident(m.args, shape_.share, m.plan.resident, m.stacks,
                            {first, count, m.pending, m.energies_wanted ? m.energies.data() : nullptr},
                            m.stream.handle);
            m.pending = {};
            m.energies_ready = m.energies_wanted;
            return;
        case SweepForm::tiled:
            for (int i = 0; i < count; ++i) {
                launch_tiled(m.args, shape_.share, m.plan.tiled, first + i, m.new_spins.data(),
                             m.stream.handle);
                std::swap(m.spins, m.new_spins);
                m.args.spins = m.spins.data();
            }
            break;
        case SweepForm::streaming:
            if (shape_.share == 1)
                launch_streaming_independent(m.args, shape_.columns(), first, count, m.stream.handle, m.side);
            else
                launch_streaming(m.args, shape_.share, m.plan.streaming, shape_.columns(), first, count,
                                 m.stream.handle);
    }
    m.energies_ready = false;
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
    if (m.plan.form == SweepForm::resident)
        psflip::exchange_spins(m.args, m.pending, m.stacks, m.plan.resident.slots_per_block, Pairs::across,
                               m.stream.handle);
    else
        carry_out_exchange();
}

/// Pairs inside a group of slots; without groups, all.
void CudaEnsemble::carry_out_exchange() const {
    Memory& m = *memory_;
    if (!m.pending.mask) return;
    const int group =
        m.plan.form == SweepForm::resident ? m.plan.resident.slots_per_block : shape_.temperatures;
    psflip::exchange_spins(m.args, m.pending, m.stacks, group, Pairs::inside, m.stream.handle);
    m.pending = {};
}

void CudaEnsemble::synchronize() const {
    PSFLIP_CUDA(cudaSetDevice(device_));
    PSFLIP_CUDA(cudaStreamSynchronize(memory_->stream.handle));
}

std::string CudaEnsemble::description() const {
    return "cuda " + cuda_device_name(device_) + ", " + kernel_;
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
const std::uint32_t* CudaEnsemble::device_couplings() const {
    return reinterpret_cast<const std::uint32_t*>(memory_->couplings.data());
}
CUstream_st* CudaEnsemble::stream() const {
    return memory_->stream.handle;
}

const SweepArgs& CudaEnsemble::sweep_args() const {
    return memory_->args;
}
void CudaEnsemble::hand_over() {
    carry_out_exchange();
    memory_->energies_ready = true;
}
double CudaEnsemble::resident_cost() const {
    return memory_->plan.resident.cost;
}
const KernelRequest& CudaEnsemble::kernel_request() const {
    return memory_->request;
}

std::unique_ptr<Ensemble> make_ensemble_cuda(const Shape& shape, const std::vector<double>& betas,
                                             std::uint64_t seed, const std::vector<std::int8_t>& couplings,
                                             int device, const std::string& kernel) {
    return std::make_unique<CudaEnsemble>(shape, betas, seed, couplings, device, kernel);
}

}  // namespace psflip
