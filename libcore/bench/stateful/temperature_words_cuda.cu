// Sweeps words of 24 temperatures on a GPU, with a block per realization and its lattice in shared memory. A
// launch makes all sweeps of a call, so device memory holds words, streams and tables only between calls.
#include "base/device.hpp"
#include "base/stream.cuh"
#include "bench/stateful/site_buffer_cuda.cuh"
#include "bench/stateful/stream_buffer_cuda.cuh"
#include "bench/stateful/temperature_words_update.hpp"

namespace psflip {
namespace {

constexpr int max_threads = 256;
constexpr int table_words = packed_temperatures * 16;

/// Copies n words with all threads of a block.
__device__ void copy(std::uint32_t* to, const std::uint32_t* from, std::uint32_t n) {
    for (std::uint32_t i = threadIdx.x; i < n; i += blockDim.x) to[i] = from[i];
    __syncthreads();
}

template <TemperatureCoding Coding, FlipProbability Probability, class G>
__global__ void __launch_bounds__(max_threads)
    temperatures_kernel(TemperatureLattice lattice, StreamsView<G> streams, std::uint64_t first_colour,
                        std::uint64_t numbers_of_colour, int sweeps) {
    extern __shared__ std::uint32_t shared[];
    const std::uint32_t words = lattice.sites() * TemperatureSegments<Coding>::words;
    std::uint32_t* const stored = lattice.words + static_cast<std::size_t>(blockIdx.x) * words;
    copy(shared, stored, words);
    std::uint32_t* const table = shared + words;
    if constexpr (Probability == FlipProbability::thresholds)
        copy(table, lattice.thresholds, table_words);
    else if constexpr (Probability == FlipProbability::shared_table)
        copy(table, reinterpret_cast<const std::uint32_t*>(lattice.shared_table), table_words);
    lattice.words = shared;
    lattice.thresholds = table;
    lattice.shared_table = reinterpret_cast<const float*>(table);
    const std::size_t stream = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    G numbers = streams.stream(stream, first_colour * numbers_of_colour);
    for (int c = 0; c < 2 * sweeps; ++c) {
        for (std::uint32_t i = threadIdx.x; i < lattice.sites() / 2; i += blockDim.x)
            update_temperatures<Coding, Probability>(
                lattice, site_of_colour(lattice.L, static_cast<std::uint32_t>(c) & 1u, i), numbers);
        __syncthreads();
    }
    numbers.store(streams.words(stream));
    copy(stored, shared, words);
}

template <LatticeArrangement Arrangement>
__global__ void __launch_bounds__(max_threads)
    arrangement_kernel(std::uint32_t* words, std::uint32_t L, int count) {
    extern __shared__ std::uint32_t shared[];
    constexpr bool shuffled = Arrangement == LatticeArrangement::shuffled;
    const std::uint32_t sites = L * L * L, stored = shuffled ? 2 * sites : sites;
    std::uint32_t* const mine = words + 2 * static_cast<std::size_t>(blockIdx.x) * sites;
    copy(shared, mine, stored);
    for (int c = 0; c < 2 * count; ++c) {
        for (std::uint32_t i = threadIdx.x; i < (shuffled ? sites : sites / 2); i += blockDim.x)
            load_six<Arrangement>(shared, L, static_cast<std::uint32_t>(c) & 1u, i);
        __syncthreads();
    }
    copy(mine, shared, stored);
}

template <class Listed>
class TemperatureWordsCuda : public TemperatureWords {
    using G = typename Listed::G;

  public:
    TemperatureWordsCuda(const TemperatureWordsSetup& setup, int device)
        : TemperatureWords(setup, cuda_device_name(chosen_device(device))),
          streams_(StreamSet<G>(temperature_streams(setup) * setup.realizations, {setup.seed, false}),
                   stream_.handle),
          pairs_(words_of_loads(setup).size(), "words to load"),
          thresholds_(table_words, "thresholds"),
          probabilities_(table_words, "probabilities") {
        const FlipTables tables = flip_tables(setup);
        thresholds_.upload(
            std::vector<std::uint32_t>(std::begin(tables.threshold), std::end(tables.threshold)),
            stream_.handle);
        probabilities_.upload(
            std::vector<float>(std::begin(tables.probability), std::end(tables.probability)), stream_.handle);
        const std::vector<std::uint32_t> words = coded_words(setup);
        words_ = DeviceBuffer<std::uint32_t>(words.size(), "words of temperatures");
        words_.upload(words, stream_.handle);
        pairs_.upload(words_of_loads(setup), stream_.handle);
        synchronize();
    }
    void sweep(int count) override {
        with_temperature_case(setup(), [&](auto listed, auto coding, auto probability) {
            if constexpr (std::is_same_v<typename decltype(listed)::G, G>) {
                constexpr auto kernel = temperatures_kernel<coding(), probability(), G>;
                launch_blocks(kernel, setup().sites() * TemperatureSegments<coding()>::words + table_words,
                              lattice(), streams_.view(), 2 * completed_, numbers_of_colour(setup()), count);
            }
        });
        completed_ += static_cast<std::uint64_t>(count);
    }
    void load_neighbours(int count, LatticeArrangement arrangement) override {
        with_arrangement(arrangement, [&](auto constant) { load<constant()>(count); });
    }
    std::vector<std::uint32_t> words() const override {
        std::vector<std::uint32_t> host(words_.size());
        words_.download(host, stream_.handle);
        return decoded_words(setup(), host);
    }
    std::vector<std::uint32_t> loaded() const override {
        std::vector<std::uint32_t> host(pairs_.size());
        pairs_.download(host, stream_.handle);
        return host;
    }
    void synchronize() override { PSFLIP_CUDA(cudaStreamSynchronize(stream_.handle)); }

  private:
    TemperatureLattice lattice() const {
        TemperatureLattice lattice{.words = words_.data(),
                                   .thresholds = thresholds_.data(),
                                   .shared_table = probabilities_.data(),
                                   .memory_table = probabilities_.data(),
                                   .beta = {},
                                   .field = static_cast<float>(setup().field),
                                   .L = static_cast<std::uint32_t>(setup().L)};
        for (int t = 0; t < packed_temperatures; ++t) lattice.beta[t] = static_cast<float>(setup().beta(t));
        return lattice;
    }
    template <LatticeArrangement Arrangement>
    void load(int count) {
        const std::size_t words = setup().sites() * (Arrangement == LatticeArrangement::shuffled ? 2 : 1);
        launch_blocks(arrangement_kernel<Arrangement>, words, pairs_.data(),
                      static_cast<std::uint32_t>(setup().L), count);
    }
    /// Launches a block for each realization, with this number of words in shared memory.
    template <class Kernel, class... Arguments>
    void launch_blocks(Kernel kernel, std::size_t words, Arguments... arguments) {
        const std::size_t bytes = 4 * words;
        PSFLIP_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         static_cast<int>(bytes)));
        launch(kernel, dim3(static_cast<unsigned>(setup().realizations)), dim3(temperature_streams(setup())),
               bytes, stream_.handle, arguments...);
    }

    Stream stream_;
    StreamBuffer<G> streams_;
    mutable DeviceBuffer<std::uint32_t> words_, pairs_, thresholds_;
    mutable DeviceBuffer<float> probabilities_;
    std::uint64_t completed_ = 0;
};

}  // namespace

std::unique_ptr<TemperatureWords> make_temperature_words_cuda(const TemperatureWordsSetup& setup,
                                                              int device) {
    std::unique_ptr<TemperatureWords> words;
    with_temperature_case(setup, [&](auto listed, auto, auto) {
        words = std::make_unique<TemperatureWordsCuda<decltype(listed)>>(setup, device);
    });
    return words;
}

}  // namespace psflip
