#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace psflip {

/// --progress: a bar on a terminal or a line per minute elsewhere (automatic), always the bar (on), nothing
/// (off).
enum class ProgressMode { automatic, on, off };

/// "auto", "on" or "off"; InputError otherwise.
ProgressMode progress_mode(const std::string& text);

/// What one report says.
struct ProgressNumbers {
    std::int64_t done = 0;       ///< sweeps completed of `total`, those of earlier calls included
    std::int64_t total = 0;      ///< sweeps
    std::int64_t done_here = 0;  ///< sweeps completed since `seconds` = 0
    double seconds = 0.0;        ///< of work in this call
    double flips_per_sweep =
        0.0;  ///< proposed flips of one sweep: sites x replicas x temperatures x realizations

    double sweeps_per_second() const;     ///< 0 where nothing is known yet
    double picoseconds_per_flip() const;  ///< 0 where nothing is known yet
    double seconds_left() const;          ///< negative where nothing is known yet
};

/// "1200 of 8192 sweeps (14.6%), 3.1e+03 sweeps/s, 12.4 ps/flip, 0:02:15 left"
std::string progress_text(const ProgressNumbers& numbers);

/// "[=====>        ] " before progress_text, at most `width` characters.
std::string progress_bar(const ProgressNumbers& numbers, int width);

/// Seconds as "h:mm:ss".
std::string clock_text(double seconds);

/// Reports how far a simulation is on standard error: a bar redrawn at most five times per second, or a log
/// line per minute. Calls are cheap.
class Progress {
  public:
    /// total and done in sweeps; the clock of the rates starts now. title: "pt-run L=8, 128 realizations".
    Progress(ProgressMode mode, std::string title, std::int64_t total, std::int64_t done,
             double flips_per_sweep);
    /// Ends the line of a bar.
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void update(std::int64_t done);
    /// Logs one closing line with the rates of the whole call (not in mode off).
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
