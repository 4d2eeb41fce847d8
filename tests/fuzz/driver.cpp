#include "fuzz/driver.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <thread>

namespace psflip::fuzz {
namespace {

constexpr double max_processor_seconds = 10.0, max_seconds = 120.0;
constexpr std::int64_t max_bytes = std::int64_t{2} << 30;
constexpr std::int64_t max_failures = 50;
constexpr int cannot_begin = 3;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

struct Options {
    std::uint64_t seed = 1;
    std::int64_t first = 0, cases = 1000, only = -1;
    double seconds = 1e9;
    std::string keep;
};

/// Memory that the watching process and the one that runs cases both see.
struct Progress {
    std::atomic<std::int64_t> at{0};  ///< the case at work
    std::atomic<std::int64_t> failed{0};
};

class Folder {
  public:
    Folder() {
        std::string name = std::filesystem::temp_directory_path() / "psflip-fuzz-XXXXXX";
        if (!mkdtemp(name.data())) throw std::runtime_error("cannot make " + name);
        path_ = name;
    }
    ~Folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    const std::string& path() const { return path_; }

  private:
    std::string path_;
};

/// What a case threw, as a text; nothing where it ended well.
std::optional<std::string> outcome(Target& target, std::uint64_t seed, std::int64_t number) {
    Random random(seed, number);
    try {
        target.run(random);
    } catch (const std::exception& error) {
        return error.what();
    }
    return std::nullopt;
}

/// Processor seconds that a process has used so far.
double processor_seconds(pid_t process) {
    clockid_t clock;
    timespec used{};
    if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &used) != 0) return 0.0;
    return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

std::int64_t resident_bytes(pid_t process) {
    std::int64_t pages = 0, resident = 0;
    std::ifstream(fmt::format("/proc/{}/statm", process)) >> pages >> resident;
    return resident * sysconf(_SC_PAGESIZE);
}

class Driver {
  public:
    Driver(const Options& options, Target& target) : options_(options), target_(target) {
        void* memory =
            mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) throw std::runtime_error("no shared memory");
        progress_ = new (memory) Progress;
    }

    int run() {
        in_child([&] { target_.prepare(folder_.path()); });
        if (options_.only >= 0) return run_one();
        const std::int64_t end = options_.first + options_.cases;
        progress_->at = options_.first;
        while (progress_->at < end && time_left() && progress_->failed < max_failures) watch(end);
        const std::int64_t done = progress_->at - options_.first;
        if (progress_->failed >= max_failures)
            fmt::print("{}: stopped after {} failures\n", target_.name(), max_failures);
        fmt::print("{}: {} cases, {} failed, {:.0f} per second (seed {})\n", target_.name(), done,
                   progress_->failed.load(), static_cast<double>(done) / seconds_since(begin_),
                   options_.seed);
        return progress_->failed > 0 || done == 0 ? 1 : 0;
    }

  private:
    bool time_left() const { return seconds_since(begin_) < options_.seconds; }

    int run_one() {
        target_.start(folder_.path());
        const auto failure = outcome(target_, options_.seed, options_.only);
        keep(options_.only);
        fmt::print("{}: case {}: {}\n", target_.name(), options_.only,
                   failure ? *failure : "ends as it must");
        return failure ? 1 : 0;
    }

    template <class Work>
    void in_child(const Work& work) {
        std::fflush(nullptr);
        const pid_t child = fork();
        if (child == 0) {
            try {
                work();
                _exit(0);
            } catch (const std::exception& error) {
                fmt::print(stderr, "{}: cannot begin: {}\n", target_.name(), error.what());
                _exit(1);
            }
        }
        int status = 1;
        if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0)
            throw std::runtime_error("the files that all cases share could not be made");
    }

    /// In the child: cases from progress_->at on.
    void work(std::int64_t end) {
        target_.start(folder_.path());
        for (; progress_->at < end && time_left() && progress_->failed < max_failures; ++progress_->at) {
            const std::int64_t number = progress_->at;
            if (const auto failure = outcome(target_, options_.seed, number)) report(number, *failure);
        }
    }

    /// Starts a child that runs cases and waits for its end, or ends it where a case breaks its bounds.
    void watch(std::int64_t end) {
        std::fflush(nullptr);
        const pid_t child = fork();
        if (child < 0) throw std::runtime_error("cannot start a process");
        if (child == 0) {
            try {
                work(end);
            } catch (const std::exception& error) {
                fmt::print(stderr, "{}: cannot begin: {}\n", target_.name(), error.what());
                _exit(cannot_begin);
            }
            std::fflush(stdout);
            _exit(0);
        }
        int status = 0;
        const std::string bound = wait_for(child, status);
        if (bound.empty() && status == 0) return;
        if (WIFEXITED(status) && WEXITSTATUS(status) == cannot_begin)
            throw std::runtime_error("the good files are not read as they must be");
        report(progress_->at, !bound.empty() ? bound
                              : WIFSIGNALED(status)
                                  ? fmt::format("crashed by {}", strsignal(WTERMSIG(status)))
                                  : fmt::format("ended the process with exit code {}", WEXITSTATUS(status)));
        ++progress_->at;
    }

    /// The bound that the case at work broke, whereupon the child was killed; empty where it ended itself.
    std::string wait_for(pid_t child, int& status) {
        std::int64_t number = -1;
        Clock::time_point since;
        double used = 0;
        for (auto pause = std::chrono::milliseconds(1);; pause = std::chrono::milliseconds(20)) {
            if (waitpid(child, &status, WNOHANG) != 0) return {};
            if (number != progress_->at) {
                number = progress_->at;
                since = Clock::now();
                used = processor_seconds(child);
            }
            std::string bound;
            if (processor_seconds(child) - used > max_processor_seconds)
                bound = fmt::format("took more than {} s of processor time", max_processor_seconds);
            else if (seconds_since(since) > max_seconds)
                bound = fmt::format("took more than {} s", max_seconds);
            else if (resident_bytes(child) > max_bytes)
                bound = fmt::format("took more than {} MiB of memory", max_bytes >> 20);
            if (!bound.empty()) {
                kill(child, SIGKILL);
                waitpid(child, &status, 0);
                return bound;
            }
            std::this_thread::sleep_for(pause);
        }
    }

    void report(std::int64_t number, const std::string& what) {
        ++progress_->failed;
        fmt::print("{}: case {} FAILED: {}; repeat: {} --seed {} --only {}\n", target_.name(), number, what,
                   target_.name(), options_.seed, number);
        std::fflush(stdout);
        keep(number);
    }

    void keep(std::int64_t number) const {
        if (options_.keep.empty()) return;
        std::filesystem::create_directories(options_.keep);
        for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
            const std::string name = entry.path().filename();
            if (name.rfind("case", 0) != 0) continue;
            std::filesystem::copy(entry.path(), fmt::format("{}/{}-{}", options_.keep, number, name),
                                  std::filesystem::copy_options::overwrite_existing);
        }
    }

    Options options_;
    Target& target_;
    Folder folder_;
    Progress* progress_;
    Clock::time_point begin_ = Clock::now();
};

}  // namespace

Random::Random(std::uint64_t seed, std::int64_t number)
    : state_(seed * 0xd1342543de82ef95ULL + static_cast<std::uint64_t>(number)) {
    word();
}

std::uint64_t Random::word() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

std::size_t Random::size(std::size_t most) {
    std::size_t octave = 1;
    while (octave < most && below(3) != 0) octave *= 2;
    return 1 + below(std::min(octave, most));
}

void check_message(const std::string& message, const std::string& name) {
    if (message.size() > 4000) throw Failure("a message of " + std::to_string(message.size()) + " bytes");
    if (message.find(name) == std::string::npos)
        throw Failure("the message does not name " + name + ": " + message);
    std::uint32_t code = 0;
    int following = 0;  // bytes of a UTF-8 character still to come
    for (const unsigned char c : message) {
        const bool follows = (c & 0xc0) == 0x80;
        bool wrong = c == 0xc0 || c == 0xc1 || c >= 0xf5 || follows != (following > 0);
        code = follows     ? code << 6 | (c & 0x3fu)
               : c >= 0xf0 ? c & 7u
               : c >= 0xe0 ? c & 15u
               : c >= 0xc0 ? c & 31u
                           : c;
        following = follows ? following - 1 : c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : 0;
        if (following == 0) wrong = wrong || code < 0x20 || (code >= 0x7f && code < 0xa0);
        if (wrong) throw Failure(fmt::format("the byte {:#04x} in the message: {:?}", c, message));
    }
    if (following > 0) throw Failure(fmt::format("the message ends within a character: {:?}", message));
}

int run_driver(int argc, char** argv, Target& target) {
    Options options;
    CLI::App app("Runs random cases; each must end as it must.", target.name());
    app.add_option("--seed", options.seed, "of all cases");
    app.add_option("--first", options.first, "number of the first case");
    app.add_option("--cases", options.cases, "how many");
    app.add_option("--seconds", options.seconds, "maximum number of seconds");
    app.add_option("--only", options.only, "this case alone, in this process");
    app.add_option("--keep", options.keep, "folder for the inputs of failed cases");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error);
    }
    spdlog::set_level(spdlog::level::off);
    try {
        return Driver(options, target).run();
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}: {}\n", target.name(), error.what());
        return 2;
    }
}

}  // namespace psflip::fuzz
