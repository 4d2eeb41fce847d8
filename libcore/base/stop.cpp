#include "base/stop.hpp"

#include <chrono>
#include <csignal>

namespace psflip {
namespace {

using Clock = std::chrono::steady_clock;
volatile std::sig_atomic_t caught_signal = 0;
Clock::time_point deadline = Clock::time_point::max();

void note_signal(int signal) {
    caught_signal = signal;
}

}  // namespace

void watch_for_stop(double time_limit_seconds) {
    sigset_t requests;
    sigemptyset(&requests);
    for (const int signal : {SIGTERM, SIGINT, SIGUSR1}) {
        std::signal(signal, note_signal);
        sigaddset(&requests, signal);
    }
    pthread_sigmask(SIG_UNBLOCK, &requests, nullptr);  // a launcher may have blocked them
    if (time_limit_seconds > 0)
        deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(time_limit_seconds));
}

const char* stop_reason() {
    switch (caught_signal) {
        case SIGTERM:
            return "SIGTERM";
        case SIGINT:
            return "SIGINT";
        case SIGUSR1:
            return "SIGUSR1";
        default:
            return Clock::now() >= deadline ? "time limit" : nullptr;
    }
}

}  // namespace psflip
