#include "base/log.hpp"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>

#include <chrono>
#include <cstdlib>
#include <ctime>

#include "base/error.hpp"
#include "base/printable.hpp"

namespace psflip {
namespace {

/// Makes messages printable, because they may quote files and names.
class PrintableMessage : public spdlog::custom_flag_formatter {
  public:
    void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& out) override {
        const std::string text = printable({message.payload.data(), message.payload.size()});
        out.append(text.data(), text.data() + text.size());
    }
    std::unique_ptr<custom_flag_formatter> clone() const override {
        return std::make_unique<PrintableMessage>();
    }
};

struct Seconds {
    double wall, all_threads, this_thread;
};

double cpu_seconds(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

Seconds seconds_now() {
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now().time_since_epoch();
    return {wall.count(), cpu_seconds(CLOCK_PROCESS_CPUTIME_ID), cpu_seconds(CLOCK_THREAD_CPUTIME_ID)};
}

/// End of the previous step. The library is loaded at the start of the process.
Seconds step_begin{seconds_now().wall, 0.0, 0.0};

}  // namespace

void log_step(std::string_view step) {
    if (!spdlog::should_log(spdlog::level::debug)) return;
    const Seconds now = seconds_now();
    spdlog::debug("step: {}: {:.3f} s, CPU {:.3f} s, this thread {:.3f} s", step, now.wall - step_begin.wall,
                  now.all_threads - step_begin.all_threads, now.this_thread - step_begin.this_thread);
    step_begin = now;
}

void start_log(const std::string& level) {
    const auto parsed = spdlog::level::from_str(level);
    if (parsed == spdlog::level::off && level != "off")
        throw InputError("--log-level '" + level +
                         "' is unknown; use trace, debug, info, warn, error or off");
    const auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
    const char* no_color = std::getenv("NO_COLOR");
    if (no_color && *no_color) sink->set_color_mode(spdlog::color_mode::never);
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("psflip", sink));
    auto formatter = std::make_unique<spdlog::pattern_formatter>();
    formatter->add_flag<PrintableMessage>('v').set_pattern("%Y-%m-%d %H:%M:%S %^%l%$ %v");
    spdlog::set_formatter(std::move(formatter));
    spdlog::set_level(parsed);
}

}  // namespace psflip
