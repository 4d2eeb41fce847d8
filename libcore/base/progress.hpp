#pragma once

// Reports the progress of a simulation on standard error.

#include <chrono>
#include <cstdint>
#include <string>

namespace psflip {

/// Lists the values of --progress. `automatic` draws a bar on a terminal and otherwise logs a line per
/// minute. `on` always draws the bar. `off` reports nothing.
enum class ProgressMode { automatic, on, off };

/// Returns the mode for "auto", "on" or "off". Errors: InputError for another text.
ProgressMode progress_mode(const std::string& text);

/// Holds the numbers of one progress report.
struct ProgressNumbers {
    std::int64_t done = 0;         ///< completed sweeps, including earlier calls
    std::int64_t total = 0;        ///< sweeps
    std::int64_t done_here = 0;    ///< sweeps completed in this call
    double seconds = 0.0;          ///< duration of this call
    double flips_per_sweep = 0.0;  ///< sites x replicas x temperatures x realizations

    double sweeps_per_second() const;     ///< 0 if unknown
    double picoseconds_per_flip() const;  ///< 0 if unknown
    double seconds_left() const;          ///< negative if unknown
};

/// Returns a text like "1200 of 8192 sweeps (14.6%), 3.1e+03 sweeps/s, 12.4 ps/flip, 0:02:15 left".
std::string progress_text(const ProgressNumbers& numbers);

/// Returns a bar like "[=====>        ] " and progress_text, in at most `width` characters.
std::string progress_bar(const ProgressNumbers& numbers, int width);

/// Returns a duration in seconds as "h:mm:ss".
std::string clock_text(double seconds);

/// Reports the progress of a simulation on standard error: a bar, updated at most five times per second, or a
/// log line per minute. Calls are cheap.
class Progress {
  public:
    /// Starts the clock. `total` and `done` count sweeps. `title` is like "pt-run L=8, 128 realizations".
    Progress(ProgressMode mode, std::string title, std::int64_t total, std::int64_t done,
             double flips_per_sweep);
    /// Ends the line of a bar.
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void update(std::int64_t done);
    /// Logs a last line with the rates of the whole call, except in mode off.
    void finish(std::int64_t done);

  private:
    using Clock = std::chrono::steady_clock;
    ProgressNumbers numbers_at(std::int64_t done) const;
    void draw(const ProgressNumbers& numbers);

    bool bar_ = false, log_ = false, drawn_ = false;
    std::string title_;
    std::int64_t total_, start_;
    double flips_per_sweep_;
    Clock::time_point begin_, last_;
};

}  // namespace psflip
