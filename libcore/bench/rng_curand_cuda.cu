// Times cuRAND, in builds that have it.
#if PSFLIP_HAVE_CURAND

#include <curand.h>
#include <curand_kernel.h>
#include <curand_mtgp32_host.h>
#include <curand_mtgp32dc_p_11213.h>

#include <algorithm>

#include "base/device.hpp"
#include "base/device_buffer.cuh"
#include "base/stream.cuh"
#include "bench/rng_curand.hpp"
#include "bench/stateful/glass_memory.hpp"
#include "bench/stateful/site_buffer_cuda.cuh"

namespace psflip {
namespace {

constexpr int blocks = 64, block_threads = 256, of_thread = 1 << 15;
constexpr int mtgp32_blocks = 200;  // cuRAND has no more parameter sets

void check_curand(int status, const char* call) {
    if (status != CURAND_STATUS_SUCCESS)
        throw EnvironmentError(std::string("cuRAND: error ") + std::to_string(status) + " in " + call);
}
#define PSFLIP_CURAND_CALL(call) check_curand((call), #call)

curandRngType type_of(const std::string& generator) {
    if (generator == "curand-xorwow") return CURAND_RNG_PSEUDO_XORWOW;
    if (generator == "curand-mtgp32") return CURAND_RNG_PSEUDO_MTGP32;
    if (generator == "curand-mrg32k3a") return CURAND_RNG_PSEUDO_MRG32K3A;
    if (generator == "curand-philox") return CURAND_RNG_PSEUDO_PHILOX4_32_10;
    return CURAND_RNG_PSEUDO_MT19937;
}

/// Uses the host interface of cuRAND, which fills an array in device memory.
class HostInterface : public CurandArray {
  public:
    HostInterface(const std::string& generator, std::uint64_t seed, std::uint64_t numbers)
        : floats_(numbers, "array of random numbers") {
        PSFLIP_CURAND_CALL(curandCreateGenerator(&generator_, type_of(generator)));
        PSFLIP_CURAND_CALL(curandSetStream(generator_, stream_.handle));
        PSFLIP_CURAND_CALL(curandSetPseudoRandomGeneratorSeed(generator_, seed));
        PSFLIP_CURAND_CALL(curandGenerateSeeds(generator_));
    }
    ~HostInterface() override { curandDestroyGenerator(generator_); }
    void fill() override {
        PSFLIP_CURAND_CALL(curandGenerateUniform(generator_, floats_.data(), floats_.size()));
    }
    void synchronize() override { PSFLIP_CUDA(cudaStreamSynchronize(stream_.handle)); }

  private:
    Stream stream_;
    DeviceBuffer<float> floats_;
    curandGenerator_t generator_ = nullptr;
};

template <class State>
__global__ void init_kernel(State* states, std::uint64_t seed) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    curand_init(seed, thread, 0, &states[thread]);
}

/// Counts odd numbers, with one state in the registers of each thread.
template <class State>
__global__ void odd_kernel(State* states, unsigned long long* odd) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    State state = states[thread];
    unsigned long long mine = 0;
    for (int i = 0; i < of_thread; ++i) mine += curand(&state) & 1u;
    states[thread] = state;
    atomicAdd(odd, mine);
}

/// Counts odd numbers of MTGP32, with one state per block.
__global__ void mtgp32_odd_kernel(curandStateMtgp32* states, unsigned long long* odd) {
    unsigned long long mine = 0;
    for (int i = 0; i < of_thread; ++i) mine += curand(&states[blockIdx.x]) & 1u;
    atomicAdd(odd, mine);
}

/// Stores numbers in the order (block, number, thread).
template <class State>
__global__ void draw_kernel(State* states, int each, std::uint32_t* numbers) {
    State* const state =
        states +
        (std::is_same_v<State, curandStateMtgp32> ? blockIdx.x : blockIdx.x * blockDim.x + threadIdx.x);
    for (int j = 0; j < each; ++j)
        numbers[(static_cast<std::size_t>(blockIdx.x) * each + j) * blockDim.x + threadIdx.x] = curand(state);
}

template <class State>
constexpr bool is_mtgp32 = std::is_same_v<State, curandStateMtgp32>;

/// Seeds the states of MTGP32, one for each block, and returns their parameters, which the states point to.
DeviceBuffer<mtgp32_kernel_params> seed_mtgp32(DeviceBuffer<curandStateMtgp32>& states, std::uint64_t seed) {
    DeviceBuffer<mtgp32_kernel_params> parameters(1, "parameters of MTGP32");
    PSFLIP_CURAND_CALL(curandMakeMTGP32Constants(mtgp32dc_params_fast_11213, parameters.data()));
    PSFLIP_CURAND_CALL(curandMakeMTGP32KernelState(states.data(), mtgp32dc_params_fast_11213,
                                                   parameters.data(), static_cast<int>(states.size()), seed));
    PSFLIP_CUDA(cudaDeviceSynchronize());
    return parameters;
}

/// Uses the device interface of cuRAND.
template <class State>
class DeviceInterface : public CurandStates {
    static constexpr bool mtgp32 = is_mtgp32<State>;

  public:
    explicit DeviceInterface(std::uint64_t seed)
        : states_(mtgp32 ? blocks : blocks * block_threads, "states of cuRAND"),
          odd_(1, "number of odd numbers") {
        if constexpr (mtgp32) {
            parameters_ = seed_mtgp32(states_, seed);
        } else {
            launch(init_kernel<State>, dim3(blocks), dim3(block_threads), 0, stream_.handle, states_.data(),
                   seed);
        }
    }
    std::uint64_t count_odd() override {
        odd_.zero(stream_.handle);
        if constexpr (mtgp32)
            launch(mtgp32_odd_kernel, dim3(blocks), dim3(block_threads), 0, stream_.handle, states_.data(),
                   odd_.data());
        else
            launch(odd_kernel<State>, dim3(blocks), dim3(block_threads), 0, stream_.handle, states_.data(),
                   odd_.data());
        std::vector<unsigned long long> odd(1);
        odd_.download(odd, stream_.handle);
        return odd[0];
    }
    std::vector<std::uint32_t> draw(int each) override {
        std::vector<std::uint32_t> host(static_cast<std::size_t>(blocks) * block_threads * each);
        DeviceBuffer<std::uint32_t> numbers(host.size(), "random numbers");
        launch(draw_kernel<State>, dim3(blocks), dim3(block_threads), 0, stream_.handle, states_.data(), each,
               numbers.data());
        numbers.download(host, stream_.handle);
        return host;
    }

  private:
    Stream stream_;
    DeviceBuffer<State> states_;
    DeviceBuffer<mtgp32_kernel_params> parameters_;
    DeviceBuffer<unsigned long long> odd_;
};

template <class State>
__global__ void init_streams_kernel(State* states, std::size_t count, std::uint64_t seed) {
    const std::size_t t = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (t < count) curand_init(seed, t, 0, &states[t]);
}

/// Updates a colour of the glass, with a thread per site of a word. blockIdx.y selects words, in steps of
/// gridDim.y.
template <class State, class Order>
__global__ void __launch_bounds__(block_threads)
    glass_kernel(const __grid_constant__ GlassView glass, State* states, std::uint32_t colour) {
    const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= glass.geometry.colour_sites) return;
    for (std::uint32_t word = blockIdx.y; word < glass.words; word += gridDim.y) {
        const std::size_t t = static_cast<std::size_t>(word) * glass.geometry.colour_sites + i;
        State state = states[t];
        const GlassSite site = glass_site<Order>(glass, word, colour, i);
        update_glass_site<4>(glass, site, word, 0, [&](std::uint32_t) { return curand(&state); });
        states[t] = state;
    }
}

/// Updates a colour of the glass with MTGP32. The threads of a block draw together and then update up to
/// block_threads sites of a word.
template <class Order>
__global__ void __launch_bounds__(block_threads)
    mtgp32_glass_kernel(const __grid_constant__ GlassView glass, curandStateMtgp32* states,
                        std::uint32_t colour) {
    const std::uint32_t sites = glass.geometry.colour_sites;
    const std::uint32_t of_word = (sites + block_threads - 1) / block_threads;
    const std::uint64_t count = std::uint64_t{of_word} * glass.words;
    for (std::uint64_t chunk = blockIdx.x; chunk < count; chunk += gridDim.x) {
        std::uint32_t number[4];
        for (int j = 0; j < 4; ++j) number[j] = curand(&states[blockIdx.x]);
        const auto word = static_cast<std::uint32_t>(chunk / of_word);
        const std::uint32_t i = static_cast<std::uint32_t>(chunk % of_word) * block_threads + threadIdx.x;
        if (i < sites) {
            const GlassSite site = glass_site<Order>(glass, word, colour, i);
            update_glass_site<4>(glass, site, word, 0,
                                 [&](std::uint32_t replica) { return number[replica]; });
        }
    }
}

/// Sweeps four replicas.
template <class State>
class GlassByCurand : public CurandGlass {
  public:
    explicit GlassByCurand(const GlassSetup& setup)
        : host_(setup),
          glass_(host_.view()),
          spins_(host_.spins().size(), "spins"),
          bonds_(host_.bonds().size(), "bonds"),
          states_(is_mtgp32<State> ? mtgp32_blocks : std::size_t{glass_.words} * glass_.sites_of_phase(),
                  "states of cuRAND"),
          order_(setup.site_order) {
        spins_.upload(host_.spins(), stream_.handle);
        bonds_.upload(host_.bonds(), stream_.handle);
        glass_.spins = spins_.data();
        glass_.bonds = bonds_.data();
        glass_.thresholds = range_thresholds(std::uint64_t{1} << 32, setup.beta);
        if constexpr (is_mtgp32<State>)
            parameters_ = seed_mtgp32(states_, setup.seed);
        else
            launch(init_streams_kernel<State>,
                   dim3(blocks_for(static_cast<long long>(states_.size()), block_threads)),
                   dim3(block_threads), 0, stream_.handle, states_.data(), states_.size(), setup.seed);
    }
    void sweep(int count) override {
        for (int i = 0; i < 2 * count; ++i) {
            if (order_ == SiteOrder::bitwise)
                update<BitwiseOrder>(i % 2u);
            else if (order_ == SiteOrder::sliced)
                update<SlicedOrder>(i % 2u);
            else
                update<ExactOrder>(i % 2u);
        }
    }
    void synchronize() override { PSFLIP_CUDA(cudaStreamSynchronize(stream_.handle)); }
    std::size_t state_bytes() const override { return states_.size() * sizeof(State); }

  private:
    template <class Order>
    void update(std::uint32_t colour) {
        if constexpr (is_mtgp32<State>)
            launch(mtgp32_glass_kernel<Order>, dim3(mtgp32_blocks), dim3(block_threads), 0, stream_.handle,
                   glass_, states_.data(), colour);
        else
            launch(glass_kernel<State, Order>,
                   dim3(blocks_for(glass_.sites_of_phase(), block_threads), std::min(glass_.words, 65535u)),
                   dim3(block_threads), 0, stream_.handle, glass_, states_.data(), colour);
    }

    Stream stream_;
    GlassMemory host_;
    GlassView glass_;
    DeviceBuffer<std::uint32_t> spins_, bonds_;
    DeviceBuffer<State> states_;
    DeviceBuffer<mtgp32_kernel_params> parameters_;
    SiteOrder order_;
};

}  // namespace

std::unique_ptr<CurandGlass> make_curand_glass(const std::string& generator, int device,
                                               const GlassSetup& setup) {
    chosen_device(device);
    if (generator == "curand-mtgp32") return std::make_unique<GlassByCurand<curandStateMtgp32>>(setup);
    if (generator == "curand-mrg32k3a") return std::make_unique<GlassByCurand<curandStateMRG32k3a>>(setup);
    if (generator == "curand-philox") return std::make_unique<GlassByCurand<curandStatePhilox4_32_10>>(setup);
    return std::make_unique<GlassByCurand<curandStateXORWOW>>(setup);
}

std::unique_ptr<CurandArray> make_curand_array(const std::string& generator, int device, std::uint64_t seed,
                                               std::uint64_t numbers) {
    chosen_device(device);
    return std::make_unique<HostInterface>(generator, seed, numbers);
}

std::unique_ptr<CurandStates> make_curand_states(const std::string& generator, int device,
                                                 std::uint64_t seed) {
    chosen_device(device);
    if (generator == "curand-mtgp32") return std::make_unique<DeviceInterface<curandStateMtgp32>>(seed);
    if (generator == "curand-mrg32k3a") return std::make_unique<DeviceInterface<curandStateMRG32k3a>>(seed);
    if (generator == "curand-philox")
        return std::make_unique<DeviceInterface<curandStatePhilox4_32_10>>(seed);
    return std::make_unique<DeviceInterface<curandStateXORWOW>>(seed);
}

}  // namespace psflip

#endif
