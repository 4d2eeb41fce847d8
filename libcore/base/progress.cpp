#include "base/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/error.hpp"
#include "base/log.hpp"

namespace psflip {
namespace {

constexpr auto bar_interval = std::chrono::milliseconds(200);
constexpr auto line_interval = std::chrono::seconds(60);

int terminal_width() {
    winsize size{};
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    return 100;
}

/// Returns three significant digits, without an exponent for usual sizes.
std::string short_number(double value) {
    if (value >= 1000.0 && value < 1e7) return fmt::format("{:.0f}", value);
    return fmt::format("{:.3g}", value);
}

}  // namespace

ProgressMode progress_mode(const std::string& text) {
    if (text == "auto") return ProgressMode::automatic;
    if (text == "on") return ProgressMode::on;
    if (text == "off") return ProgressMode::off;
    throw InputError("--progress '" + text + "' is unknown; use auto, on or off");
}

double ProgressNumbers::sweeps_per_second() const {
    return seconds > 0.0 && done_here > 0 ? static_cast<double>(done_here) / seconds : 0.0;
}

double ProgressNumbers::picoseconds_per_flip() const {
    const double flips = flips_per_sweep * static_cast<double>(done_here);
    return flips > 0.0 ? 1e12 * seconds / flips : 0.0;
}

double ProgressNumbers::seconds_left() const {
    const double rate = sweeps_per_second();
    return rate > 0.0 ? static_cast<double>(total - done) / rate : -1.0;
}

std::string clock_text(double seconds) {
    const std::int64_t s = std::llround(std::max(0.0, seconds));
    return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

std::string progress_text(const ProgressNumbers& n) {
    const double percent =
        n.total > 0 ? 100.0 * static_cast<double>(n.done) / static_cast<double>(n.total) : 100.0;
    std::string text = fmt::format("{} of {} sweeps ({:.1f}%)", n.done, n.total, percent);
    if (n.sweeps_per_second() > 0.0)
        text += fmt::format(", {} sweeps/s, {} ps/flip", short_number(n.sweeps_per_second()),
                            short_number(n.picoseconds_per_flip()));
    if (n.seconds_left() >= 0.0 && n.done < n.total)
        text += fmt::format(", {} left", clock_text(n.seconds_left()));
    return text;
}

std::string progress_bar(const ProgressNumbers& n, int width) {
    const std::string text = progress_text(n);
    const int cells = std::min(30, width - static_cast<int>(text.size()) - 4);
    if (cells < 5) return text.substr(0, static_cast<std::size_t>(std::max(0, width - 1)));
    const double part = n.total > 0 ? static_cast<double>(n.done) / static_cast<double>(n.total) : 1.0;
    const int full = std::clamp(static_cast<int>(part * cells), 0, cells);
    std::string bar(static_cast<std::size_t>(full), '=');
    if (full < cells) bar += '>';
    bar.resize(static_cast<std::size_t>(cells), ' ');
    return "[" + bar + "] " + text;
}

Progress::Progress(ProgressMode mode, std::string title, std::int64_t total, std::int64_t done,
                   double flips_per_sweep)
    : title_(std::move(title)),
      total_(total),
      start_(done),
      flips_per_sweep_(flips_per_sweep),
      begin_(Clock::now()),
      last_(begin_) {
    bar_ = mode == ProgressMode::on || (mode == ProgressMode::automatic && isatty(STDERR_FILENO) == 1);
    log_ = mode == ProgressMode::automatic && !bar_;
}

Progress::~Progress() {
    if (drawn_) std::fputc('\n', stderr);
}

ProgressNumbers Progress::numbers_at(std::int64_t done) const {
    const std::chrono::duration<double> elapsed = Clock::now() - begin_;
    return {done, total_, done - start_, elapsed.count(), flips_per_sweep_};
}

void Progress::draw(const ProgressNumbers& numbers) {
    const int width = terminal_width();
    std::fputs(fmt::format("\r{:<{}}", progress_bar(numbers, width), width - 1).c_str(), stderr);
    std::fflush(stderr);
    drawn_ = true;
}

void Progress::update(std::int64_t done) {
    const auto now = Clock::now();
    if (bar_ && (!drawn_ || now - last_ >= bar_interval)) {
        draw(numbers_at(done));
        last_ = now;
    } else if (log_ && now - last_ >= line_interval) {
        spdlog::info("{}: {}", title_, progress_text(numbers_at(done)));
        last_ = now;
    }
}

void Progress::finish(std::int64_t done) {
    if (!bar_ && !log_) return;
    const ProgressNumbers numbers = numbers_at(done);
    if (bar_) draw(numbers);
    if (drawn_) std::fputc('\n', stderr);
    drawn_ = false;
    spdlog::info("{}: {} in {}", title_, progress_text(numbers), clock_text(numbers.seconds));
}

}  // namespace psflip
