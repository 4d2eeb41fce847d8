#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/cuda_check.cuh"
#include "base/device.hpp"
#include "base/device_buffer.cuh"
#include "base/error.hpp"
#include "evolution/exchange_kernels_cuda.cuh"
#include "evolution/houdayer_move.hpp"
#include "evolution/move_sampler.hpp"
#include "model/thresholds.hpp"
#include "sweep/cuda/exchange_args_cuda.cuh"
#include "sweep/ensemble_cuda.hpp"
#include "sweep/plan_cache.hpp"

namespace psflip {

namespace {

/// Exchange on the GPU, in the ensemble's streams; nothing comes to the host before tempering().
class DeviceExchange final : public Exchange {
  public:
    /// Takes the period from DeviceEnsemble::sweeps_per_swap. The ensemble must outlive the exchange.
    explicit DeviceExchange(DeviceEnsemble& ensemble);
    ~DeviceExchange() override;

    void apply(std::int64_t completed) override;
    bool sweep_and_apply(std::int64_t first, int periods) override;
    TemperingState tempering() const override;
    void set_tempering(const TemperingState& state) override;
    /// In device memory, (column, replica, slot, lane).
    const std::uint8_t* device_walkers() const;

  private:
    struct Memory;
    void make_tables();  ///< of exchange by tables
    void make_rule();    ///< of exchange by the rule
    void count_attempts(std::int64_t completed);

    DeviceEnsemble& ensemble_;
    std::vector<std::int64_t> attempted_;
    std::unique_ptr<Memory> memory_;
};

/// Sampler of an ensemble whose energies lie on a GPU.
class DeviceSampler final : public IsingSampler {
  public:
    DeviceSampler(std::unique_ptr<DeviceEnsemble> ensemble, const HoudayerSetup& houdayer);

    IsingEnsemble& ensemble() override { return *ensemble_; }
    View view() override;
    View view_of_parts(bool alike) override;

  private:
    std::unique_ptr<DeviceEnsemble> ensemble_;
    const std::uint8_t* walkers_;
};

struct DeviceExchange::Memory {
    DeviceBuffer<std::uint8_t> walker, last_end;
    DeviceBuffer<std::int64_t> accepted, round_trips;
    DeviceBuffer<std::uint32_t> tables;
    ExchangeArgs args{};
};

DeviceExchange::DeviceExchange(DeviceEnsemble& ensemble)
    : Exchange(ensemble.shape(), ensemble.sweeps_per_swap()),
      ensemble_(ensemble),
      memory_(std::make_unique<Memory>()) {
    const Shape& shape = ensemble.shape();
    PSFLIP_CUDA(cudaSetDevice(ensemble.device()));
    Memory& m = *memory_;
    const std::size_t stacks = shape.columns() * shape.replicas, T = shape.temperatures;
    m.walker = {stacks * T * column_bits, "walkers"};
    m.last_end = {stacks * T * column_bits, "ends of walkers"};
    m.accepted = {stacks * (T - 1) * column_bits, "exchange counts"};
    m.round_trips = {stacks * column_bits, "round trips"};

    if (exchanges_by_table(ensemble.model(), ensemble.rule()))
        make_tables();
    else
        make_rule();
    ExchangeArgs& a = m.args;
    a.energy = ensemble.device_energies();
    a.walker = m.walker.data();
    a.last_end = m.last_end.data();
    a.accepted = m.accepted.data();
    a.round_trips = m.round_trips.data();
    a.replicas = static_cast<std::uint32_t>(shape.replicas);
    a.temperatures = static_cast<std::uint32_t>(T);
    a.stacks = static_cast<std::uint32_t>(stacks);
    a.first_realization = static_cast<std::uint32_t>(shape.first_realization);
    a.seed = ensemble.key();
    a.energy_unit = shape.energy_unit();
    set_tempering(initial_tempering(shape));
}

DeviceExchange::~DeviceExchange() = default;

void DeviceExchange::make_tables() {
    const auto& betas = ensemble_.betas();
    ExchangeArgs& a = memory_->args;
    std::vector<std::uint32_t> tables;
    for (std::size_t pair = 0; pair + 1 < betas.size(); ++pair) {
        a.table_start[pair] = static_cast<std::uint32_t>(tables.size());
        const auto table = exchange_thresholds(betas[pair], betas[pair + 1], ensemble_.shape().sites());
        tables.insert(tables.end(), table.begin(), table.end());
    }
    a.table_start[betas.size() - 1] = static_cast<std::uint32_t>(tables.size());
    memory_->tables = {tables.size(), "exchange thresholds"};
    memory_->tables.upload(tables, ensemble_.stream());
    a.tables = memory_->tables.data();
}

void DeviceExchange::make_rule() {
    const auto& betas = ensemble_.betas();
    ExchangeArgs& a = memory_->args;
    a.magnetisation = ensemble_.device_magnetisations();
    a.field = ensemble_.model().field;
    for (std::size_t pair = 0; pair + 1 < betas.size(); ++pair)
        a.delta_beta[pair] = betas[pair] - betas[pair + 1];
}

void DeviceExchange::apply(std::int64_t completed) {
    ensemble_.compute_energies();
    PSFLIP_CUDA(cudaSetDevice(ensemble_.device()));
    memory_->args.mask = ensemble_.device_exchange_mask();
    const auto sweeps = static_cast<std::uint64_t>(completed);
    const auto pairs = static_cast<std::uint32_t>(parity(completed));
    for (const StreamPart& part : ensemble_.parts()) decide_exchange(memory_->args, part, sweeps, pairs);
    ensemble_.exchange_spins(parity(completed));
    count_attempts(completed);
}

void DeviceExchange::count_attempts(std::int64_t completed) {
    for (int t = parity(completed); t + 1 < ensemble_.shape().temperatures; t += 2) ++attempted_[t];
}

bool DeviceExchange::sweep_and_apply(std::int64_t first, int periods) {
    if (!ensemble_.sweep_and_exchange(memory_->args, first, periods)) return false;
    for (int i = 1; i <= periods; ++i) count_attempts(first + i * std::int64_t{period()});
    return true;
}

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

/// The other way. Padding lanes copy realization 0 of the batch; their results are never used.
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

TemperingState DeviceExchange::tempering() const {
    const Shape& shape = ensemble_.shape();
    PSFLIP_CUDA(cudaSetDevice(ensemble_.device()));
    const int T = shape.temperatures;
    const Memory& m = *memory_;
    return {by_realization(shape, T, m.walker, ensemble_.stream()),
            by_realization(shape, T, m.last_end, ensemble_.stream()),
            by_realization(shape, T - 1, m.accepted, ensemble_.stream()), attempted_,
            by_realization(shape, 1, m.round_trips, ensemble_.stream())};
}

void DeviceExchange::set_tempering(const TemperingState& state) {
    const Shape& shape = ensemble_.shape();
    PSFLIP_CUDA(cudaSetDevice(ensemble_.device()));
    const int T = shape.temperatures;
    by_lane(shape, T, state.walker, memory_->walker, ensemble_.stream());
    by_lane(shape, T, state.last_end, memory_->last_end, ensemble_.stream());
    by_lane(shape, T - 1, state.accepted, memory_->accepted, ensemble_.stream());
    by_lane(shape, 1, state.round_trips, memory_->round_trips, ensemble_.stream());
    attempted_ = state.attempted;
}

const std::uint8_t* DeviceExchange::device_walkers() const {
    return memory_->walker.data();
}

DeviceSampler::DeviceSampler(std::unique_ptr<DeviceEnsemble> ensemble, const HoudayerSetup& houdayer)
    : ensemble_(std::move(ensemble)) {
    auto exchange = std::make_unique<DeviceExchange>(*ensemble_);
    walkers_ = exchange->device_walkers();
    add_exchange(std::move(exchange));
    if (houdayer.every > 0) add(std::make_unique<Houdayer>(*ensemble_, houdayer));
}

View DeviceSampler::view() {
    auto found = std::get<CudaView>(view_of_parts(false));
    const Shape& shape = ensemble_->shape();
    found.stream = ensemble_->stream();
    found.parts = {{0, 0, shape.columns(), shape.replicas, found.stream}};
    return found;
}

View DeviceSampler::view_of_parts(bool alike) {
    return CudaView{alike ? ensemble_->device_spins_alike() : ensemble_->device_spins(),
                    ensemble_->device_energies(),
                    walkers_,
                    nullptr,
                    ensemble_->parts(),
                    ensemble_->device(),
                    ensemble_->device_absent(),
                    ensemble_->device_bonds(),
                    ensemble_->device_cluster_sums()};
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

bool has_free_plan(const BatchSetup& setup) {
    const Shape& shape = setup.shape;
    return !plan_cache_is_off() && requested_kernel(setup.choice.kernel).is_free() &&
           shape.coding == Lanes::realizations && !shape.is_slab() && shape.order == SiteOrder::standard;
}

BatchSetup with_plan(const BatchSetup& setup, const std::string& plan, const char* source) {
    BatchSetup chosen = setup;
    chosen.choice.kernel = plan;
    chosen.choice.plan_source = source;
    return chosen;
}

std::unique_ptr<IsingSampler> sampler_of(const BatchSetup& setup) {
    return std::make_unique<DeviceSampler>(make_device_ensemble(setup), setup.houdayer);
}

constexpr int max_measured_plans = 8;
/// Plans that take this factor longer than the chosen plan, by prediction, are not measured.
constexpr double max_predicted_factor = 2;
/// Seconds of a plan: until clocks are steady, of each of two timings, and predicted between two looks at the
/// time.
constexpr double warm_up_seconds = 0.1, timing_seconds = 0.05, burst_seconds = 0.01;
/// Fraction of the predicted time of a call that may be spent on measuring.
constexpr double max_measured_fraction = 0.05;
/// Fraction of the time that another plan must save to replace the chosen plan.
constexpr double min_gain = 0.02;

/// Returns the measured microseconds of an exchange period, or of a sweep if temperatures do not exchange.
/// Houdayer moves are left out, because they take equal times with all plans and plan_key does not name them.
double measured_microseconds(const BatchSetup& setup, double predicted) {
    const auto sampler = std::make_unique<DeviceSampler>(make_device_ensemble(setup), HoudayerSetup{});
    const std::int64_t sweeps = setup.shape.temperatures > 1 ? std::max(1, setup.sweeps_per_swap) : 1;
    const auto burst = std::max<std::int64_t>(1, std::llround(1e6 * burst_seconds / predicted));
    std::int64_t done = 0;
    const auto run = [&](double seconds) {
        const auto begin = std::chrono::steady_clock::now();
        const std::int64_t first = done;
        while (seconds_since(begin) < seconds) {
            sampler->advance(done * sweeps, (done + burst) * sweeps);
            sampler->ensemble().synchronize();
            done += burst;
        }
        return 1e6 * seconds_since(begin) / static_cast<double>(done - first);
    };
    run(warm_up_seconds);
    const double first = run(timing_seconds), second = run(timing_seconds);
    return std::min(first, second);
}

/// Returns the fastest of the plans, or an empty text if none works. `chosen`: key of the chosen plan.
std::string fastest_plan(const BatchSetup& setup, PredictedPlans plans, double chosen) {
    plans.erase(plans.upper_bound(max_predicted_factor * chosen), plans.end());
    while (plans.size() > max_measured_plans) plans.erase(std::prev(plans.end()));
    std::map<double, std::string> measured;
    for (const auto& [predicted, plan] : plans) {
        try {
            const double factor = predicted == chosen ? 1 - min_gain : 1;
            measured.emplace(factor * measured_microseconds(with_plan(setup, plan, "measured"), predicted),
                             plan);
        } catch (const EnvironmentError&) {
            // The plan does not suit the device, or the memory that is left.
        }
    }
    return measured.empty() ? std::string() : measured.begin()->second;
}

}  // namespace

std::unique_ptr<IsingSampler> make_device_sampler(const BatchSetup& setup) {
    if (!has_free_plan(setup)) return sampler_of(setup);
    const int device = setup.choice.device;
    int driver = 0;
    PSFLIP_CUDA(cudaDriverGetVersion(&driver));
    const std::string path = plan_cache_path(cuda_device_name(device)),
                      key = plan_key(setup, driver, cuda_multiprocessors(device));
    const std::string stored = stored_plan(path, key);
    try {
        if (!stored.empty()) return sampler_of(with_plan(setup, stored, "stored"));
    } catch (const Error&) {
        // The file is damaged, or the device refuses the plan: the cost models choose.
    }
    const auto begin = std::chrono::steady_clock::now();
    auto ensemble = std::make_unique<ColumnCudaEnsemble>(setup);
    const double predicted = ensemble->predicted_microseconds(),
                 periods = static_cast<double>(setup.sweeps) / std::max(1, ensemble->sweeps_per_swap()),
                 plan_seconds = seconds_since(begin) + warm_up_seconds + 2 * timing_seconds;
    if (max_measured_plans * plan_seconds > max_measured_fraction * 1e-6 * periods * predicted)
        return std::make_unique<DeviceSampler>(std::move(ensemble), setup.houdayer);
    const PredictedPlans plans = ensemble->predicted_plans();
    ensemble.reset();  // the measured ensembles need its memory
    const std::string plan = fastest_plan(setup, plans, predicted);
    if (plan.empty()) return sampler_of(setup);
    store_plan(path, key, plan);
    return sampler_of(with_plan(setup, plan, "measured"));
}

}  // namespace psflip
