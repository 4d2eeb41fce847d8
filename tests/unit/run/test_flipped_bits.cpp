#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <random>

#include "base/error.hpp"
#include "base/log.hpp"
#include "io/hash.hpp"
#include "run/checkpoint.hpp"
#include "run/run.hpp"
#include "statistics/average/size_reader.hpp"
#include "statistics/thermal/analyse_run.hpp"
#include "statistics/thermal/run_input.hpp"
#include "unit/run/small_case.hpp"
#include "unit/run/temporary_folder.hpp"
#include "unseal.hpp"

using namespace psflip;

namespace {

const char* const study = R"(
seed: 3
lattice: {L: 4}
disorder: {realizations: 32, batch: 32}
temperatures: {list: [1.0, 1.5]}
multispin: {share: 32}
dynamics: {sweeps_per_swap: 5}
thermalize: {sweeps: 5}
run: {sweeps: 20, measure_every: 5, blocks: 2, histogram_bins: 4, snapshots: 1}
)";

/// One small file of each kind and, for each, its reader, which gives a hash of what it read.
class Files {
  public:
    Files() {
        std::ofstream(folder_.file("study.yaml")) << study;
        config_ = load_config(folder_.file("study.yaml"));
        parameters_ = parameters_for(config_, 4);
        write_disorder(disorder, {parameters_.seed, {.p_ferro = parameters_.model.p_ferro}, 4}, 0, 32, {}, 1);
        const RunOptions options{one_thread(), ProgressMode::off};
        thermalize(parameters_, disorder, state, options);
        pt_run(parameters_, disorder, state, run, "", 0, options);
        analyse_run(config_, parameters_, {disorder, {run}, observables, false, false, one_thread(), {}});
        batch_ = load_batch(parameters_, disorder, one_thread(), 0, 0);
        checkpoint().save(load_state(state, batch_.identity, batch_.shape), {}, {}, {}, {});
    }

    std::map<std::string, std::function<std::string()>> readers() const {
        return {{disorder, [this] { return couplings_hash(read_disorder(disorder, 4, 32).couplings); }},
                {state, [this] { return read_whole_state(); }},
                {run, [this] { return read_whole_run(); }},
                {observables, [this] { return read_whole_observables(); }},
                {checkpoint().path(), [this] { return state_hash(checkpoint().load().state); }}};
    }

  private:
    template <class T>
    static void add(Hasher& hash, const std::vector<T>& values) {
        hash.add(values.data(), values.size() * sizeof(T));
    }

    CheckpointFile checkpoint() const { return {folder_.file("out.h5"), batch_, "thermalize.sweeps: 5\n"}; }

    std::string read_whole_state() const {
        const StatePosition position = read_position(state);
        return state_hash(load_state(state, batch_.identity, batch_.shape)) + std::to_string(position.sweep);
    }

    std::string read_whole_run() const {
        const Disorder couplings{batch_.shape.first_realization, batch_.shape.realizations, 4,
                                 batch_.couplings};
        const RunSums sums = read_runs({run}, parameters_, disorder, couplings, false, one_thread());
        Hasher hash;
        for (const auto& series : sums.blocks.sums) add(hash, series);
        add(hash, sums.histogram);
        add(hash, sums.accepted);
        return hash.hex();
    }

    std::string read_whole_observables() const {
        const ObservablesHeader header = read_header(observables);
        SizeReader reader(header, header.log2_edges, 1, {32, 32});
        reader.add(header);
        const SizeResults results = reader.take();
        Hasher hash;
        for (const auto& values : results.sample.values) add(hash, values);
        add(hash, results.max_deviation);
        return hash.hex();
    }

    TemporaryFolder folder_;
    Config config_;
    Parameters parameters_;
    Batch batch_;

  public:
    const std::string disorder = folder_.file("disorder.h5"), state = folder_.file("state.h5"),
                      run = folder_.file("run.h5"), observables = folder_.file("observables.h5");
};

/// A file of which single bits can be flipped.
class Bits {
  public:
    explicit Bits(const std::string& path) : descriptor_(open(path.c_str(), O_RDWR)) {
        REQUIRE(descriptor_ >= 0);
    }
    ~Bits() { close(descriptor_); }
    Bits(const Bits&) = delete;
    Bits& operator=(const Bits&) = delete;

    std::int64_t count() const { return 8 * lseek(descriptor_, 0, SEEK_END); }
    void flip(std::int64_t bit) const {
        char byte = 0;
        bool good = pread(descriptor_, &byte, 1, bit / 8) == 1;
        byte = static_cast<char>(byte ^ (1 << bit % 8));
        good = good && pwrite(descriptor_, &byte, 1, bit / 8) == 1;
        if (!good) FAIL("bit " << bit << " cannot be flipped");
    }

  private:
    int descriptor_;
};

/// Whether the flip ends in an InputError that names the file; without one the result must be the right one.
bool noticed(const Bits& bits, std::int64_t bit, const std::string& path,
             const std::function<std::string()>& read, const std::string& right) {
    bits.flip(bit);
    bool found = false;
    try {
        const std::string result = read();
        if (result != right) FAIL_CHECK("wrong result after flip of bit " << bit << " of " << path);
    } catch (const InputError& error) {
        found = true;
        if (std::string(error.what()).find(path) != 0) FAIL_CHECK("bit " << bit << ": " << error.what());
    }
    bits.flip(bit);
    return found;
}

/// How a process that gives the result of `work` as its exit code ends: with all that HDF5 does at the end.
int in_process(const std::function<int()>& work) {
    const pid_t process = fork();
    REQUIRE(process >= 0);
    if (process == 0) {
        spdlog::set_level(spdlog::level::off);
        std::exit(work());
    }
    int status = 0;
    REQUIRE(waitpid(process, &status, 0) == process);
    return status;
}

// The sanitizers slow this down tenfold, and look for leaks at the end of each process.
#ifdef __SANITIZE_ADDRESS__
constexpr std::int64_t bit_step = 31;
constexpr int process_flips = 20;
#else
constexpr std::int64_t bit_step = 1;
constexpr int process_flips = 200;
#endif

/// Flips each `step`-th bit of a file of each kind.
void check_flips(std::int64_t step) {
    const Files files;
    for (const auto& [path, read] : files.readers()) {
        const std::string right = read();
        const Bits bits(path);
        std::int64_t unnoticed = 0;
        for (std::int64_t bit = 0; bit < bits.count(); bit += step)
            unnoticed += noticed(bits, bit, path, read, right) ? 0 : 1;
        CHECK(unnoticed <= 8);  // in the line end of the seal, which stays unread
        CHECK(read() == right);
    }
}

}  // namespace

TEST_CASE("flipped bits of a file are noticed or do not matter") {
    check_flips(97);
}

TEST_CASE("every flipped bit of a file is noticed or does not matter" * doctest::test_suite("long")) {
    check_flips(bit_step);
}

TEST_CASE("flipped bits of files without a seal end with a message or a result") {
    const Files files;
    std::mt19937_64 random(7);
    for (const auto& [path, read] : files.readers()) {
        const std::string right = read();
        psflip::test::unseal(path);
        const Bits bits(path);
        CHECK(read() == right);
        int found = 0;
        for (int i = 0; i < process_flips; ++i) {
            const auto bit = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(bits.count()));
            bits.flip(bit);
            const int status = in_process([&read = read] {
                try {
                    read();
                    return 0;
                } catch (const Error&) {
                    return 1;
                }
            });
            if (!WIFEXITED(status) || WEXITSTATUS(status) > 1)
                FAIL_CHECK("bit " << bit << " of " << path << ": status " << status);
            found += WIFEXITED(status) && WEXITSTATUS(status) == 1 ? 1 : 0;
            bits.flip(bit);
        }
        CHECK(found > process_flips / 10);
    }
}
