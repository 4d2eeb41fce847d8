#include "evolution/exchange_cuda.hpp"

#include <algorithm>

#include "base/cuda_check.cuh"
#include "base/device_buffer.cuh"
#include "evolution/exchange_kernels_cuda.cuh"
#include "sweep/plan_cuda.cuh"

namespace psflip {

struct CudaExchange::Memory {
    DeviceBuffer<std::uint8_t> walker, last_end;
    DeviceBuffer<std::int64_t> accepted, round_trips;
    DeviceBuffer<std::uint32_t> tables;
    ExchangeArgs args;
    FusedPlan fused;
    DeviceBuffer<std::uint64_t> mailboxes;  ///< of the fused kernel
    std::uint32_t messages = 0;             ///< exchanges that used them
};

CudaExchange::CudaExchange(CudaEnsemble& ensemble, int sweeps_per_swap)
    : Exchange(ensemble, sweeps_per_swap), ensemble_(ensemble), memory_(std::make_unique<Memory>()) {
    const Shape& shape = ensemble.shape();
    PSFLIP_CUDA(cudaSetDevice(ensemble.device()));
    Memory& m = *memory_;
    const std::size_t stacks = shape.columns() * shape.replicas, T = shape.temperatures;
    m.walker = {stacks * T * column_bits, "walkers"};
    m.last_end = {stacks * T * column_bits, "ends of walkers"};
    m.accepted = {stacks * (T - 1) * column_bits, "exchange counts"};
    m.round_trips = {stacks * column_bits, "round trips"};

    ExchangeArgs& a = m.args;
    std::vector<std::uint32_t> tables;
    for (std::size_t pair = 0; pair + 1 < T; ++pair) {
        a.table_start[pair] = static_cast<std::uint32_t>(tables.size());
        const auto table =
            exchange_thresholds(ensemble.betas()[pair], ensemble.betas()[pair + 1], shape.sites());
        tables.insert(tables.end(), table.begin(), table.end());
    }
    a.table_start[T - 1] = static_cast<std::uint32_t>(tables.size());
    m.tables = {tables.size(), "exchange thresholds"};
    m.tables.upload(tables, ensemble.stream());
    a.energy = ensemble.device_energies();
    a.walker = m.walker.data();
    a.last_end = m.last_end.data();
    a.accepted = m.accepted.data();
    a.round_trips = m.round_trips.data();
    a.tables = m.tables.data();
    a.replicas = static_cast<std::uint32_t>(shape.replicas);
    a.temperatures = static_cast<std::uint32_t>(T);
    a.stacks = static_cast<std::uint32_t>(stacks);
    a.first_realization = static_cast<std::uint32_t>(shape.first_realization);
    a.seed = ensemble.seed();
    set_state(initial_tempering(shape));
    const FusedBatch batch{static_cast<std::int64_t>(stacks), shape.share, sweeps_per_swap,
                           ensemble.resident_cost()};
    m.fused = plan_fused(ensemble.sweep_args(), batch, ensemble.device(), ensemble.kernel_request());
    if (m.fused.words == 0) return;
    ensemble.describe_kernel(m.fused.description());
    m.mailboxes = {static_cast<std::size_t>(fused_mailbox_words(shape.L, m.fused)), "messages"};
    m.mailboxes.zero(ensemble.stream());
}

CudaExchange::~CudaExchange() = default;

void CudaExchange::compute_energies() {
    ensemble_.compute_energies();
}

void CudaExchange::exchange(std::int64_t completed) {
    const int T = ensemble_.shape().temperatures;
    if (T < 2) return;
    PSFLIP_CUDA(cudaSetDevice(ensemble_.device()));
    const auto parity = static_cast<std::uint32_t>(completed / sweeps_per_swap_ % 2);
    memory_->args.mask = ensemble_.device_exchange_mask();
    decide_exchange(memory_->args, static_cast<std::uint64_t>(completed), parity, ensemble_.stream());
    ensemble_.exchange_spins(static_cast<int>(parity));
    count_attempts(completed);
}

void CudaExchange::count_attempts(std::int64_t completed) {
    for (auto t = completed / sweeps_per_swap_ % 2; t + 1 < ensemble_.shape().temperatures; t += 2)
        ++attempted_[t];
}

void CudaExchange::sweep_and_exchange(std::int64_t first, int bursts) {
    Memory& m = *memory_;
    if (m.fused.words == 0) return Exchange::sweep_and_exchange(first, bursts);
    if (bursts == 0) return;
    const Shape& shape = ensemble_.shape();
    PSFLIP_CUDA(cudaSetDevice(ensemble_.device()));
    ensemble_.hand_over();
    FusedArgs args{.sweep = ensemble_.sweep_args(),
                   .exchange = m.args,
                   .plan = m.fused,
                   .layout = fused_layout(shape.L, m.fused),
                   .mailboxes = m.mailboxes.data(),
                   .message_words = static_cast<std::uint32_t>(fused_message_words(shape.L, m.fused)),
                   .first_message = 0,
                   .first_strand = 0,
                   .share = static_cast<std::uint32_t>(shape.share),
                   .bursts = bursts,
                   .sweeps_per_swap = sweeps_per_swap_,
                   .first = first};
    const std::int64_t strands = std::int64_t{m.args.stacks} * (4 / m.fused.words);
    for (std::int64_t strand = 0; strand < strands; strand += m.fused.at_once) {
        args.first_strand = static_cast<std::uint32_t>(strand);
        args.first_message = m.messages + 1;
        m.messages += static_cast<std::uint32_t>(bursts);
        launch_fused(args, std::min<std::int64_t>(m.fused.at_once, strands - strand), ensemble_.stream());
    }
    for (int i = 1; i <= bursts; ++i) count_attempts(first + i * std::int64_t{sweeps_per_swap_});
}

std::vector<std::int32_t> CudaExchange::energies() const {
    const Shape& shape = ensemble_.shape();
    PSFLIP_CUDA(cudaSetDevice(ensemble_.device()));
    std::vector<std::int32_t> energy(
        static_cast<std::size_t>(shape.lanes() * shape.replicas * shape.temperatures));
    PSFLIP_CUDA(cudaMemcpyAsync(energy.data(), device_energies(), energy.size() * sizeof(energy[0]),
                                cudaMemcpyDeviceToHost, ensemble_.stream()));
    ensemble_.synchronize();
    std::vector<std::int32_t> out;
    out.reserve(shape.realizations * shape.replicas * shape.temperatures);
    for (int replica = 0; replica < shape.replicas; ++replica)
        for (int t = 0; t < shape.temperatures; ++t)
            for (std::int64_t r = 0; r < shape.realizations; ++r)
                out.push_back(energy[((r / column_bits * shape.replicas + replica) * shape.temperatures + t) *
                                         column_bits +
                                     r % column_bits]);
    return out;
}

namespace {

/// From (stack, axis, lane) on the device to (realization, replica, axis), for an axis of n entries.
template <class T>
std::vector<T> by_realization(const Shape& shape, int n, const DeviceBuffer<T>& buffer, cudaStream_t stream) {
    std::vector<T> host(buffer.size()), out;
    buffer.download(host, stream);
    out.reserve(shape.realizations * shape.replicas * n);
    for (std::int64_t r = 0; r < shape.realizations; ++r)
        for (int replica = 0; replica < shape.replicas; ++replica)
            for (int i = 0; i < n; ++i)
                out.push_back(host[((r / column_bits * shape.replicas + replica) * n + i) * column_bits +
                                   r % column_bits]);
    return out;
}

/// The other way; padding lanes are those of the batch's realization 0, which is as good as any.
template <class T>
void by_lane(const Shape& shape, int n, const std::vector<T>& values, DeviceBuffer<T>& buffer,
             cudaStream_t stream) {
    std::vector<T> host(buffer.size());
    for (std::int64_t lane = 0; lane < shape.lanes(); ++lane)
        for (int replica = 0; replica < shape.replicas; ++replica)
            for (int i = 0; i < n; ++i) {
                const std::int64_t r = lane < shape.realizations ? lane : 0;
                host[((lane / column_bits * shape.replicas + replica) * n + i) * column_bits +
                     lane % column_bits] = values[(r * shape.replicas + replica) * n + i];
            }
    buffer.upload(host, stream);
}

}  // namespace

TemperingState CudaExchange::state() const {
    const Shape& shape = ensemble_.shape();
    PSFLIP_CUDA(cudaSetDevice(ensemble_.device()));
    const int T = shape.temperatures;
    const Memory& m = *memory_;
    return {by_realization(shape, T, m.walker, ensemble_.stream()),
            by_realization(shape, T, m.last_end, ensemble_.stream()),
            by_realization(shape, T - 1, m.accepted, ensemble_.stream()), attempted_,
            by_realization(shape, 1, m.round_trips, ensemble_.stream())};
}

void CudaExchange::set_state(const TemperingState& state) {
    const Shape& shape = ensemble_.shape();
    PSFLIP_CUDA(cudaSetDevice(ensemble_.device()));
    const int T = shape.temperatures;
    by_lane(shape, T, state.walker, memory_->walker, ensemble_.stream());
    by_lane(shape, T, state.last_end, memory_->last_end, ensemble_.stream());
    by_lane(shape, T - 1, state.accepted, memory_->accepted, ensemble_.stream());
    by_lane(shape, 1, state.round_trips, memory_->round_trips, ensemble_.stream());
    attempted_ = state.attempted;
}

const std::int32_t* CudaExchange::device_energies() const {
    return ensemble_.device_energies();
}

const std::uint8_t* CudaExchange::device_walkers() const {
    return memory_->walker.data();
}

std::unique_ptr<Exchange> make_exchange_cuda(Ensemble& ensemble, int sweeps_per_swap) {
    return std::make_unique<CudaExchange>(dynamic_cast<CudaEnsemble&>(ensemble), sweeps_per_swap);
}

}  // namespace psflip
